package units

import (
	"fmt"
	"strings"

	"reckon/engine/decimal"
)

// levels is the dimension of dB and Np. It is a base of its own: a level adds where what it is a
// level of multiplies. The name is a unit's, so that no counting unit can have it.
var levels = other("dB")

// Level is a family of logarithmic scales: dBm and dBW are levels of power. Two levels of one
// family differ by dB.
type Level struct {
	dimension Dimension       // of what it is a level of
	factor    decimal.Decimal // dB of a tenfold amount: 10 of a power, 20 of a voltage (ISO 80000-3)
}

// Of names what it is a level of.
func (l *Level) Of() string { return l.dimension.Name() }

// levelOf reports whether numbers in u are levels of what o measures.
func (u *Unit) levelOf(o *Unit) bool {
	return u.level != nil && o.level == nil && u.level.dimension == o.dimension && o.origin == nil
}

// amount is what has a level, both in coherent SI.
func (l *Level) amount(c *decimal.Context, level decimal.Decimal) decimal.Decimal {
	return c.Pow(decimal.Int(10), c.Quo(level, l.factor))
}

// of is the level of an amount, both in coherent SI. Only what is above 0 has one.
func (l *Level) of(c *decimal.Context, amount decimal.Decimal) decimal.Decimal {
	return c.Mul(l.factor, c.Log10(amount))
}

// defineLevel reads "10 log 1 mW": the dB of a tenfold amount, and the amount at 0 dB.
func (l *loader) defineLevel(e *entry, factor, reference string) error {
	tenfold, err := decimal.Parse(factor)
	if err != nil {
		return fmt.Errorf("factor %q: %w", factor, err)
	}
	number, kind, _ := strings.Cut(reference, " ")
	at, err := decimal.Parse(number)
	if err != nil {
		return fmt.Errorf("reference %q: %w", reference, err)
	}
	unit, err := l.table.Parse(kind)
	if err != nil {
		return err
	}
	level := l.levels[unit.dimension]
	if level == nil {
		level = &Level{unit.dimension, tenfold}
		l.levels[unit.dimension] = level
	}
	if level.factor.Cmp(tenfold) != 0 {
		return fmt.Errorf("another level of %s has the factor %s", unit.dimension.Name(), level.factor)
	}
	c := decimal.NewContext(scaleCost)
	u := newNamed(e.Symbol, levels, unscaled, e, nil)
	u.zero, u.point, u.level = level.of(c, Quantity{at, unit}.SI(c)), true, level
	u.degree = l.table.words.symbols["dB"].entry.unit
	e.unit = u
	return c.Err()
}
