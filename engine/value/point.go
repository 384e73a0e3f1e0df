package value

import (
	"cmp"

	"reckon/engine/units"
)

// Weight counts points on a scale in a sum: 1 is a point (a date, 20 degC), 0 a difference, ½ + ½
// an average. Any stands for what can serve as either.
type Weight struct {
	Any      bool
	num, den int
	Level    *units.Level // what points are levels of (dBm: of power), nil for none
}

var (
	Difference = Weight{num: 0, den: 1}
	OnePoint   = Weight{num: 1, den: 1}
	EitherWay  = Weight{Any: true, den: 1}
)

func (w Weight) IsPoint() bool { return !w.Any && w.num == w.den }

func (w Weight) Scale(num, den int) Weight {
	n, d := units.Lowest(w.num*num, w.den*den)
	return Weight{w.Any, n, d, w.Level}.bounded()
}

// Plus is the weight of a sum or a difference. The levels in it are those of one thing.
func (w Weight) Plus(o Weight, sign int) Weight {
	n, d := units.Lowest(w.num*o.den+sign*o.num*w.den, w.den*o.den)
	return Weight{w.Any || o.Any, n, d, cmp.Or(w.Level, o.Level)}.bounded()
}

// bounded gives up exact weights whose fractions grow long.
func (w Weight) bounded() Weight {
	if w.Any || w.num > 1_000_000 || w.num < -1_000_000 || w.den > 1_000_000 {
		return Weight{Any: true, den: 1, Level: w.Level}
	}
	if w.num == 0 {
		w.Level = nil
	}
	return w
}

// PointOf is the weight of a value in a unit; epoch says that it is a date.
func PointOf(u *units.Unit, epoch bool) Weight {
	switch {
	case epoch || u != nil && u.IsPoint():
		return Weight{num: 1, den: 1, Level: u.Level()}
	case u == nil:
		return EitherWay
	case u.ServesAsPoint():
		return EitherWay
	}
	return Difference
}
