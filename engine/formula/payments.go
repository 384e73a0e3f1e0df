package formula

import (
	"cmp"
	"math"
	"slices"

	"reckon/engine/decimal"
)

// payments are what rates are found for: amounts of either sign at times from 0 on. In z, the
// logarithm of the growth in one unit of time, they are worth the sum of amount × e^(-z × time) on
// the first date.
type payments interface {
	// worth is the sums of the positive and of the negative amounts at z >= 0, and the sizes of
	// their slopes. All four fall as z rises, which bounds value and slope over an interval.
	worth(z float64) worth
	// first is the amount at time 0, which is not 0.
	first() float64
	// size is the number of amounts that worth adds up.
	size() int
}

// worth is what payments are worth, positive and negative ones apart, as sizes.
type worth struct{ in, out, inSlope, outSlope float64 }

func (s worth) value() float64 { return s.in - s.out }

// sure reports whether the sign of the value is beyond doubt in float64.
func (s worth) sure() bool { return math.Abs(s.value()) > 1e-11*(s.in+s.out) }

func (s *worth) add(value, slope float64) {
	if value > 0 {
		s.in += value
		s.inSlope += slope
	} else {
		s.out -= value
		s.outSlope -= slope
	}
}

// listed are payments one by one.
type listed struct{ amounts, times []float64 }

func (l listed) first() float64 { return l.amounts[0] }

func (l listed) size() int { return len(l.amounts) }

// mirrored is worth at -z, valued on the last date, what the payments are worth at z.
func (l listed) mirrored() listed {
	m := listed{slices.Clone(l.amounts), slices.Clone(l.times)}
	slices.Reverse(m.amounts)
	slices.Reverse(m.times)
	last := m.times[0]
	for i := range m.times {
		m.times[i] = last - m.times[i]
	}
	return m
}

// trimmed are the payments from the first one that is not 0.
func (l listed) trimmed() listed {
	from := slices.IndexFunc(l.amounts, func(a float64) bool { return a != 0 })
	if from <= 0 {
		return l
	}
	t := listed{l.amounts[from:], slices.Clone(l.times[from:])}
	for i := range t.times {
		t.times[i] -= l.times[from]
	}
	return t
}

// level are payments at time 0 and at time n, and equal ones at the whole times between. n may be
// any number from 1 on: the sum of the equal ones is (1 - e^(-(n-1)z)) / (e^z - 1), which falls
// with z and is convex.
type level struct{ start, each, end, n float64 }

// firstRoot finds the smallest z > 0 at which payments are worth nothing. It is certain of what it
// says: intervals are cut until bounds of value or slope decide how many roots they hold, none or
// one. zero is the sign of the value at z = 0; single says that there is one root at most.
func firstRoot(c *decimal.Context, p payments, zero int, single bool) (z float64, found bool, err error) {
	spend := func() bool { return c.Spend(p.size()/4 + 1) }
	high, last := 1.0, p.worth(1)
	for range maxRateDoublings {
		others := last.out
		if p.first() < 0 {
			others = last.in
		}
		if others <= math.Abs(p.first())/2 {
			break // from here on the first payment outweighs all of the other sign
		}
		if !spend() {
			return 0, false, decimal.ErrLimit
		}
		high *= 2
		last = p.worth(high)
	}
	type bracket struct {
		a, b   float64
		sa, sb worth
	}
	stack := []bracket{{0, high, p.worth(0), last}}
	for range maxRateSplits {
		if len(stack) == 0 {
			return 0, false, nil
		}
		if !spend() {
			return 0, false, decimal.ErrLimit
		}
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		margin := 1e-11 * (i.sa.in + i.sa.out)
		if i.sb.in-i.sa.out > margin || i.sa.in-i.sb.out < -margin {
			continue
		}
		sign := zero
		if i.a > 0 {
			sign = cmp.Compare(i.sa.value(), 0)
		}
		margin = 1e-11 * (i.sa.inSlope + i.sa.outSlope)
		steep := i.sb.outSlope-i.sa.inSlope > margin || i.sa.outSlope-i.sb.inSlope < -margin
		if steep || single {
			if sign*cmp.Compare(i.sb.value(), 0) < 0 {
				return pinned(p, i.a, i.b, sign), true, nil
			}
			continue
		}
		cut, ok := 0.0, false
		var s worth
		for _, share := range []float64{0.5, 0.4375, 0.5625, 0.375, 0.625} {
			cut = i.a + share*(i.b-i.a)
			if s = p.worth(cut); s.sure() {
				ok = true
				break
			}
		}
		if !ok || i.b-i.a <= 1e-12*i.b {
			return 0, false, ErrNotConverged
		}
		stack = append(stack, bracket{cut, i.b, s, i.sb}, bracket{i.a, cut, i.sa, s})
	}
	return 0, false, ErrNotConverged
}

// pinned is the root between a and b to the precision of float64 by Newton's method, and by halving
// where that leaves the interval. sign is that of the value at a.
func pinned(p payments, a, b float64, sign int) float64 {
	z := a + (b-a)/2
	for range MaxRefinements {
		s := p.worth(z)
		f := s.value()
		if f == 0 {
			return z
		}
		if cmp.Compare(f, 0) == sign {
			a = z
		} else {
			b = z
		}
		next := z - f/(s.outSlope-s.inSlope)
		if !(next > a && next < b) {
			next = a + (b-a)/2
		}
		if math.Abs(next-z) <= 1e-15*next || next == a || next == b {
			return next
		}
		z = next
	}
	return z
}
