package units

import "slices"

// solveTerms finds powers of units whose product has dimension d: whole powers, unless d itself has
// fractions. Units of a single base dimension are taken before others, so that each base dimension
// has one unit; the terms come in the order of the units. It returns nil where there are none.
func solveTerms(d Dimension, units []*Unit) []Term {
	var names []string // of currencies and counting units
	note := func(d Dimension) {
		for _, p := range d.otherPowers() {
			if !slices.Contains(names, p.name) {
				names = append(names, p.name)
			}
		}
	}
	note(d)
	for _, u := range units {
		note(u.dimension)
	}
	var basis []combination
	reduced := func(d Dimension, unit int) combination {
		c := combination{powers: make([]int, bases+len(names)), units: make([]int, len(units)+1)}
		c.units[unit] = 1
		for i, e := range d.exponents {
			c.powers[i] = int(e)
		}
		for _, p := range d.otherPowers() {
			c.powers[bases+slices.Index(names, p.name)] = p.exponent
		}
		for _, b := range basis {
			c.eliminate(b)
		}
		c.pivot = slices.IndexFunc(c.powers, func(power int) bool { return power != 0 })
		return c
	}
	for _, single := range [...]bool{true, false} {
		for i, u := range units {
			if isBase(u.dimension) != single {
				continue
			}
			if c := reduced(u.dimension, i); c.pivot >= 0 {
				basis = append(basis, c)
			}
		}
	}

	// What is left of d after elimination must be nothing; the units spent on it are the answer.
	target := reduced(d, len(units))
	if target.pivot >= 0 {
		return nil
	}
	whole := isWhole(d)
	var terms []Term
	for i, u := range units {
		num, den := Lowest(-target.units[i], target.units[len(units)])
		term := Term{u, num, den}
		switch {
		case num == 0:
			continue
		case whole && den != 1, !term.allowed():
			return nil
		}
		terms = append(terms, term)
	}
	return terms
}

// combination is a product of powers of units and of d, with its dimension: the exponents of base
// dimensions, currencies and counting units, in sixtieths. All its numbers may be multiplied by the
// same one, which keeps them whole. Those of units in use are far from overflowing.
type combination struct {
	powers []int
	units  []int // the last one is d
	pivot  int   // the first of powers that is not 0, -1 for none
}

// eliminate multiplies by b to the power that brings the exponent at its pivot to 0.
func (c *combination) eliminate(b combination) {
	own, theirs := Lowest(c.powers[b.pivot], b.powers[b.pivot])
	if own == 0 {
		return
	}
	divisor := 0
	for _, list := range [...]struct{ to, from []int }{{c.powers, b.powers}, {c.units, b.units}} {
		for i := range list.to {
			list.to[i] = list.to[i]*theirs - list.from[i]*own
			divisor = gcd(divisor, list.to[i])
		}
	}
	for _, list := range [...][]int{c.powers, c.units} {
		for i := range list {
			list[i] /= divisor
		}
	}
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
