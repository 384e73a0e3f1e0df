package formula

import (
	"slices"

	"reckon/engine/units"
)

// Dimension is a units.Dimension times powers of unknown ones, which stand for what is not
// declared.
type Dimension struct {
	Known   units.Dimension
	unknown []power // sorted by id, no power 0
}

// power is an unknown dimension to the power num/den, den > 0 and lowest terms.
type power struct {
	id       int
	num, den int
}

// maxDimensionPower bounds the numerators and denominators of powers of unknown dimensions.
const maxDimensionPower = 1000

func KnownDimension(d units.Dimension) Dimension { return Dimension{Known: d} }

func (d Dimension) IsKnown() bool { return len(d.unknown) == 0 }

// times is d × o^(num/den); false when an exponent grows out of range.
func (d Dimension) times(o Dimension, num, den int) (Dimension, bool) {
	raised, ok := o.Known.Pow(num, den)
	if !ok {
		return Dimension{}, false
	}
	result := Dimension{Known: d.Known.Mul(raised)}
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
			n, m = units.Lowest(n, m)
			if n > maxDimensionPower || n < -maxDimensionPower || m > maxDimensionPower {
				return Dimension{}, false
			}
			if n != 0 {
				result.unknown = append(result.unknown, power{p.id, n, m})
			}
		}
	}
	return result, true
}

// Unifier finds dimensions from equalities between them: Gaussian elimination over their exponents.
type Unifier struct {
	bound []Dimension // by id
	is    []bool      // whether bound[id] is set
}

func (u *Unifier) fresh() Dimension {
	u.bound = append(u.bound, Dimension{})
	u.is = append(u.is, false)
	return Dimension{unknown: []power{{len(u.is) - 1, 1, 1}}}
}

func (u *Unifier) Clone() Unifier {
	return Unifier{slices.Clone(u.bound), slices.Clone(u.is)}
}

// Resolve replaces what has been found out.
func (u *Unifier) Resolve(d Dimension) Dimension {
	for range 1000 {
		k := slices.IndexFunc(d.unknown, func(p power) bool { return u.is[p.id] })
		if k < 0 {
			return d
		}
		p := d.unknown[k]
		rest := Dimension{d.Known, slices.Delete(slices.Clone(d.unknown), k, k+1)}
		next, ok := rest.times(u.bound[p.id], p.num, p.den)
		if !ok {
			return d
		}
		d = next
	}
	return d
}

// Equate states that two dimensions are the same, angle aside: radians may be dropped or added. It
// reports false when they cannot be.
func (u *Unifier) Equate(a, b Dimension) bool {
	a, b = u.Resolve(a), u.Resolve(b)
	t, ok := a.times(b, -1, 1)
	if !ok {
		return false
	}
	if t.IsKnown() {
		return t.Known.WithoutAngle().IsNone()
	}
	p := t.unknown[len(t.unknown)-1]
	rest := Dimension{t.Known, t.unknown[:len(t.unknown)-1]}
	value, ok := Dimension{}.times(rest, -p.den, p.num)
	if p.num < 0 {
		value, ok = Dimension{}.times(rest, p.den, -p.num)
	}
	if !ok {
		return false
	}
	u.bound[p.id], u.is[p.id] = value, true
	return true
}

// NewUnifier knows nothing yet of so many dimensions.
func NewUnifier(count int) Unifier { return Unifier{make([]Dimension, count), make([]bool, count)} }
