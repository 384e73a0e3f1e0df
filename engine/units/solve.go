package units

import "slices"

// solveTerms finds powers of units whose product has dimension d: whole powers, unless d itself has
// fractions. Units of a single base dimension are taken before others, so that each base dimension
// has one unit; the terms come in the order of the units. It returns nil where there are none.
func solveTerms(d Dimension, units []*Unit) []Term {
	var order, others []int
	for i, u := range units {
		if isBase(u.dimension) {
			order = append(order, i)
		} else {
			others = append(others, i)
		}
	}
	names := otherNames(d, units)
	var basis []basisRow
	for _, i := range append(order, others...) {
		row := basisRow{values: powersOf(units[i].dimension, names), units: make([]fraction, len(units))}
		for j := range row.units {
			row.units[j] = fraction{0, 1}
		}
		row.units[i] = fraction{1, 1}
		for _, b := range basis {
			row.eliminate(b)
		}
		row.pivot = slices.IndexFunc(row.values, func(f fraction) bool { return f.num != 0 })
		if row.pivot >= 0 {
			basis = append(basis, row)
		}
	}

	// What is left of d after elimination must be nothing; the units spent on it are the answer.
	target := basisRow{values: powersOf(d, names), units: make([]fraction, len(units))}
	for j := range target.units {
		target.units[j] = fraction{0, 1}
	}
	for _, b := range basis {
		target.eliminate(b)
	}
	for _, f := range target.values {
		if f.num != 0 {
			return nil
		}
	}
	whole := isWhole(d)
	var terms []Term
	for i, f := range target.units {
		f.num = -f.num
		term := Term{units[i], f.num, f.den}
		switch {
		case f.num == 0:
			continue
		case whole && f.den != 1, !term.allowed():
			return nil
		}
		terms = append(terms, term)
	}
	return terms
}

// basisRow is a combination of units: its dimension and the powers of the units in it.
type basisRow struct {
	values []fraction // exponents of base dimensions, currencies and counting units
	units  []fraction
	pivot  int // the first value that is not 0
}

// eliminate subtracts b as often as it takes to bring the value at its pivot to 0.
func (r *basisRow) eliminate(b basisRow) {
	times := r.values[b.pivot].div(b.values[b.pivot])
	if times.num == 0 {
		return
	}
	for i := range r.values {
		r.values[i] = r.values[i].sub(b.values[i].mul(times))
	}
	for i := range r.units {
		r.units[i] = r.units[i].sub(b.units[i].mul(times))
	}
}

// fraction is a small rational number in lowest terms, den > 0. Exponents of units in use are far
// from overflowing it.
type fraction struct{ num, den int }

func (f fraction) mul(o fraction) fraction { return fractionOf(f.num*o.num, f.den*o.den) }
func (f fraction) div(o fraction) fraction { return fractionOf(f.num*o.den, f.den*o.num) }
func (f fraction) sub(o fraction) fraction {
	return fractionOf(f.num*o.den-o.num*f.den, f.den*o.den)
}

func fractionOf(num, den int) fraction {
	num, den = Lowest(num, den)
	return fraction{num, den}
}

// powersOf lists the exponents of base dimensions, then those of the named currencies and counting
// units.
func powersOf(d Dimension, names []string) []fraction {
	values := make([]fraction, 0, bases+len(names))
	for _, e := range d.exponents {
		values = append(values, fractionOf(int(e), sixtieths))
	}
	powers := d.otherPowers()
	for _, name := range names {
		exponent := 0
		for _, p := range powers {
			if p.name == name {
				exponent = p.exponent
			}
		}
		values = append(values, fractionOf(exponent, sixtieths))
	}
	return values
}

// otherNames lists the currencies and counting units of d and of units.
func otherNames(d Dimension, units []*Unit) []string {
	var names []string
	add := func(d Dimension) {
		for _, p := range d.otherPowers() {
			if !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
	}
	add(d)
	for _, u := range units {
		add(u.dimension)
	}
	return names
}

// isWhole is true of dimensions without fractional powers.
func isWhole(d Dimension) bool {
	for _, e := range d.exponents {
		if e%sixtieths != 0 {
			return false
		}
	}
	for _, p := range d.otherPowers() {
		if p.exponent%sixtieths != 0 {
			return false
		}
	}
	return true
}
