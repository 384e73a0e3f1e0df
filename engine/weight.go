package engine

import (
	"strings"

	"reckon/engine/units"
)

// weight counts points on a scale in a sum: 1 is a point (a date, 20 degC), 0 a difference, ½ + ½ an average. Any stands
// for what can serve as either.
type weight struct {
	any      bool
	num, den int
}

var (
	difference = weight{num: 0, den: 1}
	onePoint   = weight{num: 1, den: 1}
	eitherWay  = weight{any: true, den: 1}
)

func (w weight) isPoint() bool { return !w.any && w.num == w.den }

func (w weight) scale(num, den int) weight {
	n, d := lowest(w.num*num, w.den*den)
	return weight{w.any, n, d}.bounded()
}

func (w weight) plus(o weight, sign int) weight {
	n, d := lowest(w.num*o.den+sign*o.num*w.den, w.den*o.den)
	return weight{w.any || o.any, n, d}.bounded()
}

// bounded gives up exact weights whose fractions grow long.
func (w weight) bounded() weight {
	if w.any || w.num > 1_000_000 || w.num < -1_000_000 || w.den > 1_000_000 {
		return eitherWay
	}
	return w
}

// pointOf is the weight of a value in a unit; epoch says that it is a date.
func pointOf(u *units.Unit, epoch bool) weight {
	switch {
	case epoch || u != nil && u.IsPoint():
		return onePoint
	case u == nil:
		return eitherWay
	case u.Dimension() == units.Temperature && !strings.Contains(u.Symbol(), "delta"):
		return eitherWay
	}
	return difference
}

// lowest reduces a fraction and makes its denominator positive.
func lowest(n, d int) (int, int) {
	if d < 0 {
		n, d = -n, -d
	}
	a, b := max(n, -n), d
	for b != 0 {
		a, b = b, a%b
	}
	if a > 1 {
		n, d = n/a, d/a
	}
	return n, d
}
