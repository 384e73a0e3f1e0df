package language

import (
	"reckon/engine/decimal"
	"reckon/engine/units"
)

// change is a value told by its difference from an earlier one: "10 mph faster", "double the
// price".
type change struct {
	quantity int // of the prose; -1 where a word tells the factor
	from, to int // tokens of the words that say so, the quantity not counted
	sign     int // +1 or -1; 0 for a factor
	factor   decimal.Decimal
	hint     want // what the word of comparison is about
	degree   bool // which is said by a word of its own, so that it is about nothing else
	sure     bool // cannot be meant as a value of its own
	happened bool // it is told of a number of things what has become of them
}

// inUnit is a quantity in another unit, rounded as values are shown.
func inUnit(q units.Quantity, to *units.Unit) (units.Quantity, bool) {
	c := decimal.NewContext(10_000)
	r, err := units.Convert(c, q, to)
	if err != nil || c.Err() != nil {
		return q, false
	}
	r.Number = r.Number.Shown()
	return r, true
}

// sameUnit reports whether two units are the same size of the same thing, such as mph and mi/h.
func sameUnit(a, b *units.Unit) bool {
	if a == nil || b == nil || a.IsPoint() != b.IsPoint() {
		return a == b
	}
	one := decimal.Int(1)
	q, ok := inUnit(units.Quantity{Number: one, Unit: a}, b)
	return ok && q.Number.Cmp(one) == 0 && a.Dimension() == b.Dimension()
}
