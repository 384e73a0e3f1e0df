package units

import (
	"cmp"
	"math/big"
	"slices"
)

// ForResult picks the unit of a computed value of dimension d from the units that went into it, in
// order of use:
//
//   - a unit of theirs that has the dimension, whole (kWh) or as a factor (mi of mi/h, USD of
//     USD/kWh);
//   - for fuel per distance and its inverse, their fuel unit over their distance (mi/gal, L/km);
//   - for a volume, the cube of the length whose square is in use (mm and m^2 give m^3);
//   - a product of their factors, one for each base dimension so that none is left over (mi/h and
//     min never give mi·min/h); a product with a name of its own takes it (kW and h give kWh; kg
//     and m/s^2 give N; V and A give W; N and m stay N·m, as it may be a torque); one that is no
//     unit people use for the dimension (W/bar, J/L) gives way to the next;
//   - the named unit of the dimension (N, J, m/s), else coherent SI.
//
// point says that the value is a point on a scale and not a difference: then degC gives degC, else
// delta_degC. Angle is dropped where d has a name only without it (power as torque ×
// angular speed). Plain numbers have the unit One, never percent.
func (t *Table) ForResult(d Dimension, used []*Unit, point bool) *Unit {
	if d.IsNone() {
		return One
	}
	for _, u := range used {
		if u.Dimension() == d && !isHundred(u) {
			return onScale(u, point)
		}
	}
	if _, ok := d.named(); !ok {
		if n, ok := d.WithoutAngle().named(); ok && n.name != "reciprocal length" && !d.WithoutAngle().IsNone() {
			d = d.WithoutAngle()
		}
	}
	factors := t.usedFactors(used)
	for _, u := range factors {
		if u.dimension == d {
			return onScale(u, point)
		}
	}
	if u := fuelResult(d, factors); u != nil {
		return u
	}
	if u := volumeResult(d, used); u != nil {
		return u
	}
	if d.exponents[baseAngle] != 0 {
		factors = append(factors, t.coherentBase(baseAngle))
	}
	if terms := solveTerms(d, factors); terms != nil {
		if u := t.settle(d, splitTimes(terms, factors)); u != nil {
			return u
		}
	}
	return t.coherent(d)
}

func onScale(u *Unit, point bool) *Unit {
	if point {
		return u.Point()
	}
	return u.Difference()
}

// isHundred is true of 100km and 100mi, which serve only below the line.
func isHundred(u *Unit) bool {
	return u != nil && u.entry != nil && u.terms == nil && isDigit(u.symbol[0])
}

// maxFactors bounds the search: the first factors of a calculation name its unit.
const maxFactors = 24

// usedFactors lists the named units in use, each once, with those made of others (mph, kWh, 100km)
// taken apart.
func (t *Table) usedFactors(used []*Unit) []*Unit {
	factors := make([]*Unit, 0, 8)
	for _, u := range used {
		if u == nil {
			continue
		}
		for _, term := range u.factors() {
			if term.Unit.dimension.IsNone() {
				continue
			}
			for _, part := range cmp.Or(t.parts(term.Unit), term.Unit).factors() {
				known := slices.ContainsFunc(factors, func(f *Unit) bool { return f.symbol == part.Unit.symbol })
				if !known && len(factors) < maxFactors {
					factors = append(factors, part.Unit)
				}
			}
		}
	}
	return factors
}

// parts is the product that a named unit is made of, its prefix on the first factor, or nil.
func (t *Table) parts(u *Unit) *Unit {
	if u.entry == nil || u.entry.parts == nil || u.prefix == nil {
		if u.entry == nil {
			return nil
		}
		return u.entry.parts
	}
	terms := append([]Term(nil), u.entry.parts.factors()...)
	first := terms[0].Unit
	prefixed := t.words.prefixed(u.prefix.index, first.entry)
	if terms[0].Num != 1 || first.prefix != nil || prefixed == nil {
		return nil
	}
	terms[0].Unit = prefixed
	return compound(terms)
}

// fuelResult is distance over fuel or fuel over distance, of the first distance of a kilometre and
// more and the first volume in use.
func fuelResult(d Dimension, factors []*Unit) *Unit {
	if d != area && d != area.inverse() {
		return nil
	}
	var distance, fuel *Unit
	kilometre := big.NewRat(1000, 1)
	for _, u := range factors {
		if u.dimension == Length && distance == nil && u.scale.rational().Cmp(kilometre) >= 0 {
			distance = u
		}
		if u.dimension == volume && fuel == nil {
			fuel = u
		}
	}
	switch {
	case distance == nil || fuel == nil:
		return nil
	case d == area:
		return fuel.Div(distance)
	}
	return distance.Div(fuel)
}

// volumeResult is the cube of the length whose square is in use: 25 mm on 100 m^2 are cubic metres.
func volumeResult(d Dimension, used []*Unit) *Unit {
	if d != volume {
		return nil
	}
	for _, u := range used {
		for _, term := range u.factors() {
			if term.Unit.dimension == Length && term.Num == 2 && term.Den == 1 {
				return compound([]Term{{term.Unit, 3, 1}})
			}
		}
	}
	return nil
}

// settle accepts a product of units in use, gives it the name that it has, or returns nil where
// nobody would write it.
func (t *Table) settle(d Dimension, terms []Term) *Unit {
	product := compound(t.joinHours(terms))
	if product.terms == nil {
		return product
	}
	n, named := d.named()
	if !named {
		factor, _ := derived(product.terms)
		switch {
		case lengths(product.terms) > 1:
			return nil
		case factor.Unit == nil, hasHours(factor.Unit), len(product.terms) <= len(t.coherent(d).factors()):
			return product
		}
		return nil
	}
	coherent, _ := t.Parse(n.unit) // a test parses every one
	if d == energy && isTorque(terms) {
		return product
	}
	if u := t.internationalName(product, coherent); u != nil {
		return u
	}
	switch n.name {
	case "length", "mass", "time", "area", "volume", "speed", "acceleration":
		for _, term := range terms {
			if !isBase(term.Unit.dimension) {
				return coherent
			}
		}
		return product
	}
	switch {
	case len(terms) > 2 && coherent.terms == nil:
		return t.withHours(d, terms, product, coherent)
	case !isCustomary(product, coherent):
		return coherent
	case coherent.terms != nil:
		return product
	}
	for _, term := range terms {
		if term.Unit.dimension == Time && term.Num > 0 && term.Unit.symbol != "h" {
			return coherent
		}
	}
	return product
}

// isTorque is true of a force times a length.
func isTorque(terms []Term) bool {
	if len(terms) != 2 || terms[0].Num != 1 || terms[1].Num != 1 {
		return false
	}
	a, b := terms[0].Unit.dimension, terms[1].Unit.dimension
	return a == Length && !isBase(b) || b == Length && !isBase(a)
}

// internationalName is the named coherent unit of a product of SI units, with the prefix that makes
// it equal, or without one where none does.
func (t *Table) internationalName(product, coherent *Unit) *Unit {
	if coherent.terms != nil || coherent.IsOne() {
		return nil
	}
	for _, term := range product.Terms() {
		if e := term.Unit.entry; e == nil || !e.coherent {
			return nil
		}
	}
	ratio := product.scale.rational()
	e, shift := coherent.entry, big.NewRat(1, 1)
	if e.Symbol == "kg" { // prefixes go before g
		e, shift = t.words.symbols["g"].entry, big.NewRat(1000, 1)
	}
	ratio.Mul(ratio, shift)
	if ratio.Cmp(big.NewRat(1, 1)) == 0 {
		return e.unit
	}
	for i := range prefixes {
		if e.takes(i) && prefixes[i].rational().Cmp(ratio) == 0 {
			return t.words.prefixed(i, e)
		}
	}
	return coherent
}

// withHours names V·A·h, an energy of electric units and hours, as Wh, and W·h/V as Ah; kWh/km
// stays. Other long products give way to coherent.
func (t *Table) withHours(d Dimension, terms []Term, product, coherent *Unit) *Unit {
	var rest []Term
	var hour Term
	for _, term := range terms {
		if term.Unit.symbol == "h" && term.Num == 1 && term.Den == 1 {
			hour = term
		} else {
			rest = append(rest, term)
		}
	}
	if hour.Unit == nil {
		return coherent
	}
	rate := t.words.symbols["W"].entry.unit
	if d != energy {
		rate = t.coherentBase(baseCurrent)
	}
	if u := compound(rest); u.dimension == rate.dimension {
		if named := t.internationalName(u, rate); named != nil {
			if joined := t.joinHours(named.Mul(hour.Unit).factors()); len(joined) == 1 {
				return joined[0].Unit
			}
		}
	}
	if len(product.factors()) == 2 && isCustomary(product, coherent) {
		return product
	}
	return coherent
}

// rational is the exact factor without its power of pi.
func (s scale) rational() *big.Rat {
	num, okNum := new(big.Rat).SetString(s.num.String())
	den, okDen := new(big.Rat).SetString(s.den.String())
	if !okNum || !okDen || den.Sign() == 0 {
		return new(big.Rat)
	}
	return num.Quo(num, den)
}

// isBase is true of the dimensions that are one base dimension, currency or counting unit.
func isBase(d Dimension) bool {
	count := 0
	for _, e := range d.exponents {
		if e != 0 && e != sixtieths {
			return false
		}
		if e == sixtieths {
			count++
		}
	}
	for _, p := range d.otherPowers() {
		if p.exponent != sixtieths {
			return false
		}
		count++
	}
	return count == 1
}

// splitTimes writes a square of time below the line as the two times in use, the first one first:
// mi/(h·s).
func splitTimes(terms []Term, factors []*Unit) []Term {
	for i, term := range terms {
		if term.Unit.dimension != Time || term.Num != -2 || term.Den != 1 {
			continue
		}
		for _, u := range factors {
			if u.dimension == Time && u != term.Unit {
				split := append([]Term(nil), terms...)
				split[i].Num = -1
				return append(split, Term{u, -1, 1})
			}
		}
	}
	return terms
}

// coherent is d in coherent SI: a named unit above or below the line where there is one, else base
// units.
func (t *Table) coherent(d Dimension) *Unit {
	above, below := d.spelling(func(n namedDimension) string { return n.unit }, baseSymbols)
	u := One
	for i, text := range slices.Concat(above, below) {
		factor, _ := t.Parse(text) // a test parses every one
		if i < len(above) {
			u = u.Mul(factor)
		} else {
			u = u.Div(factor)
		}
	}
	for _, p := range d.otherPowers() {
		if factor, ok := t.otherUnit(p.name).Pow(p.exponent, sixtieths); ok {
			u = u.Mul(factor)
		}
	}
	return u
}

// otherUnit is the unit of a currency or counting unit. One that the table does not know is made
// up: its dimension came from another table.
func (t *Table) otherUnit(name string) *Unit {
	if s, ok := t.words.symbols[name[min(1, len(name)):]]; ok && name[0] == '$' {
		return s.entry.unit
	}
	if u := t.counted[name]; u != nil {
		return u
	}
	if name == "dB" {
		return t.words.symbols[name].entry.unit
	}
	return newNamed(name, other(name), unscaled, nil, nil)
}

func (t *Table) coherentBase(i int) *Unit { return t.words.symbols[baseSymbols[i]].entry.unit }
