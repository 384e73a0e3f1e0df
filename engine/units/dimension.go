package units

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Dimension is a product of powers of base dimensions: length, mass, time, current, temperature,
// amount, luminous intensity, angle, information, one for each currency and one for each counting
// unit that a domain declares. Exponents are rational (multiples of 1/60) and stop at ±546. It is
// comparable with ==; the zero value is the dimension of plain numbers.
type Dimension struct {
	exponents [bases]int16 // in sixtieths
	others    string       // canonical list of currencies ("$EUR") and counting units with their exponents: "$EUR:60,widget:-60"
}

const (
	baseLength = iota
	baseMass
	baseTime
	baseCurrent
	baseTemperature
	baseAmount
	baseLuminous
	baseAngle
	baseInformation
	bases
)

const (
	sixtieths    = 60              // of an exponent
	maxSixtieths = 546 * sixtieths // largest exponent kept
)

// None is the dimension of plain numbers.
var (
	None        = Dimension{}
	Length      = dimension("L")
	Mass        = dimension("M")
	Time        = dimension("T")
	Temperature = dimension("K")
	Angle       = dimension("A")
	Information = dimension("B")

	area     = dimension("L2")
	volume   = dimension("L3")
	energy   = dimension("M L2 T-2")
	power    = dimension("M L2 T-3")
	force    = dimension("M L T-2")
	pressure = dimension("M L-1 T-2")
)

// baseLetters stand for the base dimensions in the order of their exponents.
const baseLetters = "LMTIKNJAB"

// dimension is a product of base dimensions, each a letter with its power: "M L2 T-2".
func dimension(product string) (d Dimension) {
	for factor := range strings.FieldsSeq(product) {
		power := 1
		if digits := factor[1:]; digits != "" {
			power, _ = strconv.Atoi(digits) // a test reads every one
		}
		d.exponents[strings.IndexByte(baseLetters, factor[0])] = int16(power * sixtieths)
	}
	return d
}

// other is the dimension of a currency ("$EUR") or of a counting unit.
func other(name string) Dimension { return Dimension{others: name + ":" + strconv.Itoa(sixtieths)} }

// Mul is the dimension of a product.
func (d Dimension) Mul(o Dimension) Dimension { return d.combine(o, 1) }

// Div is the dimension of a quotient.
func (d Dimension) Div(o Dimension) Dimension { return d.combine(o, -1) }

func (d Dimension) combine(o Dimension, sign int) Dimension {
	if sign == 1 && d.IsNone() {
		return o
	}
	for i := range d.exponents {
		d.exponents[i] = int16(clamp(int(d.exponents[i]) + sign*int(o.exponents[i])))
	}
	if o.others != "" {
		list := d.otherPowers()
		for _, p := range o.otherPowers() {
			list = append(list, otherPower{p.name, sign * p.exponent})
		}
		d.others = joinOthers(list)
	}
	return d
}

func clamp(exponent int) int { return max(-maxSixtieths, min(maxSixtieths, exponent)) }

// Pow is the dimension of a power num/den. It reports false when an exponent would be no multiple
// of 1/60 or pass ±546.
func (d Dimension) Pow(num, den int) (Dimension, bool) {
	const most = 1_000_000
	if num == 1 && den == 1 {
		return d, true
	}
	if den == 0 || num > most || num < -most || den > most || den < -most {
		return None, d.IsNone() && den != 0
	}
	raise := func(exponent int) (int, bool) {
		e := exponent * num
		return e / den, e%den == 0 && e/den <= maxSixtieths && e/den >= -maxSixtieths
	}
	for i, e := range d.exponents {
		raised, ok := raise(int(e))
		if !ok {
			return None, false
		}
		d.exponents[i] = int16(raised)
	}
	if d.others != "" {
		list := d.otherPowers()
		for i := range list {
			raised, ok := raise(list[i].exponent)
			if !ok {
				return None, false
			}
			list[i].exponent = raised
		}
		d.others = joinOthers(list)
	}
	return d, true
}

// IsNone is true of the dimension of plain numbers.
func (d Dimension) IsNone() bool { return d == Dimension{} }

// WithoutAngle drops the powers of angle.
func (d Dimension) WithoutAngle() Dimension {
	d.exponents[baseAngle] = 0
	return d
}

// Currencies lists the ISO codes in the dimension, sorted.
func (d Dimension) Currencies() []string { return slices.Collect(d.EachCurrency()) }

// EachCurrency is Currencies one by one.
func (d Dimension) EachCurrency() iter.Seq[string] {
	return func(yield func(code string) bool) {
		for rest := d.others; rest != ""; {
			var item string
			item, rest, _ = strings.Cut(rest, ",")
			name, _, _ := strings.Cut(item, ":")
			if code, ok := strings.CutPrefix(name, "$"); ok && !yield(code) {
				return
			}
		}
	}
}

// WithCurrency puts the currency to in the place of the currency from (ISO codes).
func (d Dimension) WithCurrency(from, to string) Dimension {
	list := d.otherPowers()
	for i := range list {
		if list[i].name == "$"+from {
			list[i].name = "$" + to
		}
	}
	d.others = joinOthers(list)
	return d
}

// otherPower is the exponent, in sixtieths, of a currency or counting unit.
type otherPower struct {
	name     string
	exponent int
}

func (d Dimension) otherPowers() []otherPower {
	if d.others == "" {
		return nil
	}
	var list []otherPower
	for item := range strings.SplitSeq(d.others, ",") {
		name, digits, _ := strings.Cut(item, ":")
		exponent, _ := strconv.Atoi(digits) // written by joinOthers
		list = append(list, otherPower{name, exponent})
	}
	return list
}

// joinOthers writes the canonical list: sorted by name, equal names added up, zeros left out.
func joinOthers(list []otherPower) string {
	slices.SortStableFunc(list, func(a, b otherPower) int { return cmp.Compare(a.name, b.name) })
	var b strings.Builder
	for i := 0; i < len(list); {
		name, sum := list[i].name, 0
		for ; i < len(list) && list[i].name == name; i++ {
			sum = clamp(sum + list[i].exponent)
		}
		if sum == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(sum))
	}
	return b.String()
}
