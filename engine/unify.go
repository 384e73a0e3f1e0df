package engine

import (
	"slices"

	"reckon/engine/units"
)

// dimension is a units.Dimension times powers of unknown ones, which stand for what is not declared.
type dimension struct {
	known   units.Dimension
	unknown []power // sorted by id, no power 0
}

// power is an unknown dimension to the power num/den, den > 0 and lowest terms.
type power struct {
	id       int
	num, den int
}

// maxDimensionPower bounds the numerators and denominators of powers of unknown dimensions.
const maxDimensionPower = 1000

func knownDimension(d units.Dimension) dimension { return dimension{known: d} }

func (d dimension) isKnown() bool { return len(d.unknown) == 0 }

// times is d × o^(num/den); false when an exponent grows out of range.
func (d dimension) times(o dimension, num, den int) (dimension, bool) {
	raised, ok := o.known.Pow(num, den)
	if !ok {
		return dimension{}, false
	}
	result := dimension{known: d.known.Mul(raised)}
	i, j := 0, 0
	for i < len(d.unknown) || j < len(o.unknown) {
		switch {
		case j == len(o.unknown) || i < len(d.unknown) && d.unknown[i].id < o.unknown[j].id:
			result.unknown = append(result.unknown, d.unknown[i])
			i++
		default:
			p := o.unknown[j]
			n, m := p.num*num, p.den*den
			if i < len(d.unknown) && d.unknown[i].id == p.id {
				q := d.unknown[i]
				n, m = n*q.den+q.num*m, m*q.den
				i++
			}
			j++
			n, m = lowest(n, m)
			if n > maxDimensionPower || n < -maxDimensionPower || m > maxDimensionPower {
				return dimension{}, false
			}
			if n != 0 {
				result.unknown = append(result.unknown, power{p.id, n, m})
			}
		}
	}
	return result, true
}

// unifier finds dimensions from equalities between them: Gaussian elimination over their exponents.
type unifier struct {
	bound []dimension // by id
	is    []bool      // whether bound[id] is set
}

// fresh makes a new unknown dimension.
func (u *unifier) fresh() dimension {
	u.bound = append(u.bound, dimension{})
	u.is = append(u.is, false)
	return dimension{unknown: []power{{len(u.is) - 1, 1, 1}}}
}

func (u *unifier) clone() unifier {
	return unifier{slices.Clone(u.bound), slices.Clone(u.is)}
}

// resolve replaces what has been found out.
func (u *unifier) resolve(d dimension) dimension {
	for range 1000 {
		k := slices.IndexFunc(d.unknown, func(p power) bool { return u.is[p.id] })
		if k < 0 {
			return d
		}
		p := d.unknown[k]
		rest := dimension{d.known, slices.Delete(slices.Clone(d.unknown), k, k+1)}
		next, ok := rest.times(u.bound[p.id], p.num, p.den)
		if !ok {
			return d
		}
		d = next
	}
	return d
}

// equate states that two dimensions are the same, angle aside: radians may be dropped or added. It reports false when they
// cannot be.
func (u *unifier) equate(a, b dimension) bool {
	a, b = u.resolve(a), u.resolve(b)
	t, ok := a.times(b, -1, 1)
	if !ok {
		return false
	}
	if t.isKnown() {
		return t.known.WithoutAngle().IsNone()
	}
	p := t.unknown[len(t.unknown)-1]
	rest := dimension{t.known, t.unknown[:len(t.unknown)-1]}
	value, ok := dimension{}.times(rest, -p.den, p.num)
	if p.num < 0 {
		value, ok = dimension{}.times(rest, p.den, -p.num)
	}
	if !ok {
		return false
	}
	u.bound[p.id], u.is[p.id] = value, true
	return true
}

// newUnifier knows nothing yet of so many dimensions.
func newUnifier(count int) unifier { return unifier{make([]dimension, count), make([]bool, count)} }
