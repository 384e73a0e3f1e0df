package formula

import (
	"math"

	"reckon/engine/decimal"
)

// Interval encloses all values that an expression takes while the unknown lies in an interval
// (Moore, Interval Analysis, 1966). One whose lo is NaN is empty: the expression has no value
// there.
type Interval struct {
	Lo, Hi  float64
	Jumps   bool // it may be discontinuous there
	Partial bool // it may have no value at some places there
	Sparse  bool // it may have values besides at single places there
}

var (
	AllNumbers    = Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	notNegative   = Interval{Lo: 0, Hi: math.Inf(1)}
	atLeastOne    = Interval{Lo: 1, Hi: math.Inf(1)}
	unitInterval  = Interval{Lo: -1, Hi: 1}
	halfTurn      = Interval{Lo: -1.58, Hi: 1.58} // with room for rounding
	EmptyInterval = Interval{Lo: math.NaN(), Hi: math.NaN(), Partial: true}
)

const (
	Ulps    = 2.3e-16 // a unit in the last place, relative
	tiniest = 5e-324
)

func (s Interval) Empty() bool        { return math.IsNaN(s.Lo) }
func (s Interval) isPoint() bool      { return s.Lo == s.Hi }
func (s Interval) Has(x float64) bool { return s.Lo <= x && x <= s.Hi }

// Enclose is the narrowest interval of floats that is sure to have a number.
func Enclose(d decimal.Decimal) Interval { return intervalOf(Number(d)) }

// wider rounds the ends outwards by a number of units in the last place.
func (s Interval) wider(n float64) Interval {
	s = s.tidy()
	s.Lo -= float64(math.Abs(s.Lo) * (n * Ulps))
	s.Hi += float64(math.Abs(s.Hi) * (n * Ulps))
	return s.tidy()
}

// tidy keeps infinite ends on their side.
func (s Interval) tidy() Interval {
	if math.IsNaN(s.Lo) || math.IsInf(s.Lo, 1) {
		if math.IsNaN(s.Lo) {
			s.Lo = math.Inf(-1)
		} else {
			s.Lo = math.MaxFloat64
		}
	}
	if math.IsNaN(s.Hi) {
		s.Hi = math.Inf(1)
	} else if math.IsInf(s.Hi, -1) {
		s.Hi = -math.MaxFloat64
	}
	return s
}

// marked carries over what the operands say about places without a value.
func (s Interval) marked(a, b Interval) Interval {
	s.Jumps = s.Jumps || a.Jumps || b.Jumps
	s.Partial = s.Partial || a.Partial || b.Partial
	s.Sparse = s.Sparse || a.Sparse || b.Sparse
	return s
}

func (s Interval) union(o Interval) Interval {
	switch {
	case s.Empty():
		o.Partial = true
		return o
	case o.Empty():
		s.Partial = true
		return s
	}
	return Interval{Lo: math.Min(s.Lo, o.Lo), Hi: math.Max(s.Hi, o.Hi)}.marked(s, o)
}

// integers reports whether both are exact integers, which float64 adds and multiplies exactly.
func integers(a, b Interval) bool {
	return a.isPoint() && b.isPoint() && a.Lo == math.Trunc(a.Lo) && b.Lo == math.Trunc(b.Lo) &&
		math.Abs(a.Lo) < 1<<26 && math.Abs(b.Lo) < 1<<26
}

func IntervalAdd(a, b Interval) Interval {
	s := Interval{Lo: a.Lo + b.Lo, Hi: a.Hi + b.Hi}.marked(a, b)
	if integers(a, b) {
		return s
	}
	return s.tidy().wider(1)
}

func intervalNeg(a, _ Interval) Interval {
	a.Lo, a.Hi = -a.Hi, -a.Lo
	return a
}

func intervalSub(a, b Interval) Interval { return IntervalAdd(a, intervalNeg(b, b)) }

// timesEnd is a product of ends; an infinite end stands for finite numbers, so that 0 times it is
// 0.
func timesEnd(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

func IntervalMul(a, b Interval) Interval {
	p, q, r, t := timesEnd(a.Lo, b.Lo), timesEnd(a.Lo, b.Hi), timesEnd(a.Hi, b.Lo), timesEnd(a.Hi, b.Hi)
	s := Interval{Lo: math.Min(math.Min(p, q), math.Min(r, t)), Hi: math.Max(math.Max(p, q), math.Max(r, t))}.marked(a, b)
	if integers(a, b) {
		return s
	}
	return s.wider(1).off(a.Lo != 0 && a.Hi != 0 && b.Lo != 0 && b.Hi != 0)
}

// off moves ends that may have underflowed away from what they were.
func (s Interval) off(nonzero bool) Interval {
	if nonzero {
		if s.Hi == 0 {
			s.Hi = tiniest
		}
		if s.Lo == 0 {
			s.Lo = -tiniest
		}
	}
	return s
}

func IntervalDiv(a, b Interval) Interval {
	if b.Lo == 0 && b.Hi == 0 {
		return EmptyInterval.marked(a, b)
	}
	if b.Lo < 0 && b.Hi > 0 {
		s := AllNumbers.marked(a, b)
		s.Jumps, s.Partial = true, true
		return s
	}
	if integers(a, b) && math.Mod(a.Lo, b.Lo) == 0 {
		s := a
		s.Lo /= b.Lo
		s.Hi = s.Lo
		return s.marked(a, b)
	}
	inverse := func(x, zero float64) float64 {
		if x == 0 {
			return zero
		}
		return 1 / x
	}
	r := Interval{Lo: inverse(b.Hi, math.Inf(-1)), Hi: inverse(b.Lo, math.Inf(1))}
	partial := b.Lo == 0 || b.Hi == 0
	r = r.wider(1)
	s := IntervalMul(a, r).marked(a, b)
	s.Partial = s.Partial || partial
	return s
}

// monotone is the interval extension of a function that never falls over its domain, and has values
// in an image.
func monotone(f func(float64) float64, domain, image Interval) func(a, _ Interval) Interval {
	return func(a, _ Interval) Interval {
		if a.Hi < domain.Lo || a.Lo > domain.Hi {
			return EmptyInterval.marked(a, a)
		}
		s := a
		if a.Lo < domain.Lo || a.Hi > domain.Hi {
			s.Partial = true
			s.Lo, s.Hi = math.Max(a.Lo, domain.Lo), math.Min(a.Hi, domain.Hi)
		}
		s.Lo, s.Hi = f(s.Lo), f(s.Hi)
		s = s.tidy().wider(4).off(true)
		s.Lo, s.Hi = math.Max(s.Lo, image.Lo), math.Min(s.Hi, image.Hi)
		return s
	}
}

func intervalAbs(a, _ Interval) Interval {
	switch {
	case a.Lo >= 0:
		return a
	case a.Hi <= 0:
		return intervalNeg(a, a)
	}
	a.Lo, a.Hi = 0, math.Max(-a.Lo, a.Hi)
	return a
}

func intervalSign(a, _ Interval) Interval {
	sign := func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}
	s := Interval{Lo: sign(a.Lo), Hi: sign(a.Hi)}.marked(a, a)
	s.Jumps = s.Jumps || s.Lo != s.Hi
	return s
}

func intervalMin(a, b Interval) Interval {
	return Interval{Lo: math.Min(a.Lo, b.Lo), Hi: math.Min(a.Hi, b.Hi)}.marked(a, b)
}

func intervalMax(a, b Interval) Interval {
	return Interval{Lo: math.Max(a.Lo, b.Lo), Hi: math.Max(a.Hi, b.Hi)}.marked(a, b)
}

var (
	intervalExp  = monotone(math.Exp, AllNumbers, notNegative)
	intervalLn   = monotone(math.Log, notNegative, AllNumbers)
	intervalSqrt = monotone(math.Sqrt, notNegative, notNegative)
)

// intervalPow is a power. A negative base has one for exponents that are integers.
func intervalPow(a, b Interval) Interval {
	if b.isPoint() && b.Lo == math.Trunc(b.Lo) && math.Abs(b.Lo) <= 1e15 {
		n := b.Lo
		if n < 0 {
			return IntervalDiv(Interval{Lo: 1, Hi: 1}, intervalPow(a, Interval{Lo: -n, Hi: -n})).marked(a, b)
		}
		if n == 0 {
			return Interval{Lo: 1, Hi: 1}.marked(a, b)
		}
		if math.Mod(n, 2) == 0 {
			a = intervalAbs(a, a)
		}
		s := a
		s.Lo, s.Hi = math.Pow(a.Lo, n), math.Pow(a.Hi, n)
		s = s.tidy().wider(4)
		if a.Hi != 0 && s.Hi == 0 {
			s.Hi = tiniest
		}
		if a.Lo < 0 && s.Lo == 0 {
			s.Lo = -tiniest
		}
		return s.marked(a, b)
	}
	base := a.natural(math.Ceil(b.Lo) <= b.Hi)
	if base.Empty() {
		return base.marked(a, b)
	}
	s := intervalExp(IntervalMul(b, intervalLn(base, base)), base)
	s = s.wider(8).marked(base, b)
	s.Lo = math.Max(s.Lo, 0)
	if base.Lo == 0 && b.Lo <= 0 {
		s.Partial = true
	}
	return s
}

func intervalSin(a, _ Interval) Interval {
	s := Interval{Lo: -1, Hi: 1}.marked(a, a)
	if !(a.Hi-a.Lo < 2*math.Pi) || math.Abs(a.Lo) > 1e9 || math.Abs(a.Hi) > 1e9 {
		return s
	}
	// The crests at π/2 + 2πk and the troughs half a turn on, with room for rounding.
	passes := func(at float64) bool {
		k := math.Ceil((a.Lo-at)/(2*math.Pi) - 1e-6)
		return at+2*math.Pi*k <= a.Hi+1e-6*math.Max(1, 1e-9*math.Abs(a.Hi))
	}
	x, y := math.Sin(a.Lo), math.Sin(a.Hi)
	slack := 4*Ulps + 4*Ulps*math.Max(math.Abs(x), math.Abs(y))
	if math.Abs(a.Lo) < 1 && math.Abs(a.Hi) < 1 {
		slack = 0
	}
	if !passes(math.Pi / 2) {
		s.Hi = math.Max(x, y)
		s.Hi = math.Min(1, s.Hi+math.Abs(s.Hi)*4*Ulps+slack*1e-3)
	}
	if !passes(-math.Pi / 2) {
		s.Lo = math.Min(x, y)
		s.Lo = math.Max(-1, s.Lo-math.Abs(s.Lo)*4*Ulps-slack*1e-3)
	}
	return s
}

func intervalCos(a, _ Interval) Interval {
	half := Interval{Lo: math.Pi / 2, Hi: math.Pi/2 + 2e-16}
	return intervalSin(IntervalAdd(a, half), a)
}

func intervalTan(a, _ Interval) Interval {
	pole := AllNumbers.marked(a, a)
	pole.Jumps, pole.Partial = true, true
	if !(a.Hi-a.Lo < math.Pi) || math.Abs(a.Lo) > 1e9 || math.Abs(a.Hi) > 1e9 {
		return pole
	}
	k := math.Ceil((a.Lo-math.Pi/2)/math.Pi - 1e-15*(1+math.Abs(a.Lo)))
	if at := math.Pi/2 + math.Pi*k; at <= a.Hi+1e-15*(1+math.Abs(a.Hi)) {
		return pole
	}
	s := a
	s.Lo, s.Hi = math.Tan(a.Lo), math.Tan(a.Hi)
	return s.wider(4)
}

func intervalCosh(a, b Interval) Interval {
	s := intervalAbs(a, b)
	s.Lo, s.Hi = math.Cosh(s.Lo), math.Cosh(s.Hi)
	s = s.tidy().wider(4)
	s.Lo = math.Max(1, s.Lo)
	return s
}

func intervalAcos(a, b Interval) Interval {
	return intervalNeg(monotone(func(x float64) float64 { return -math.Acos(x) }, unitInterval, Interval{Lo: -3.15, Hi: 0})(a, b), b)
}

// intervalAtan2 is the angle of the points of a rectangle, which its corners bound unless the ray
// of 180 degrees goes through it.
func intervalAtan2(y, x Interval) Interval {
	s := Interval{Lo: -3.15, Hi: 3.15}.marked(y, x)
	if x.Lo <= 0 && y.Lo <= 0 && y.Hi >= 0 && (y.Lo < 0 || x.Hi >= 0) {
		s.Jumps = true
		s.Partial = s.Partial || x.Hi >= 0
		return s
	}
	p, q := math.Atan2(y.Lo+0, x.Lo), math.Atan2(y.Lo+0, x.Hi)
	r, t := math.Atan2(y.Hi+0, x.Lo), math.Atan2(y.Hi+0, x.Hi)
	s.Lo, s.Hi = math.Min(math.Min(p, q), math.Min(r, t)), math.Max(math.Max(p, q), math.Max(r, t))
	return s.wider(4).off(true)
}

// natural is the part of a base that has powers to all exponents. Below 0 there are only those to
// integers; sparse says that there may be one.
func (s Interval) natural(sparse bool) Interval {
	switch {
	case s.Lo >= 0 || s.Empty():
		return s
	case s.Hi < 0:
		s = EmptyInterval.marked(s, s)
	}
	s.Lo, s.Partial, s.Sparse = math.Max(s.Lo, 0), true, s.Sparse || sparse
	return s
}

// intervalRoot is root(x, n). Negative numbers have roots only where n is an odd integer.
func intervalRoot(a, n Interval) Interval {
	switch {
	case n.isPoint() && n.Lo > 0 && math.Mod(n.Lo, 2) == 1:
		root := func(x float64) float64 { return math.Copysign(math.Pow(math.Abs(x), 1/n.Lo), x) }
		return monotone(root, AllNumbers, AllNumbers)(a, a).wider(8).marked(a, n)
	case n.Lo <= 0:
		return AllNumbers.marked(EmptyInterval, EmptyInterval)
	}
	base := a.natural(!n.isPoint() && math.Ceil(n.Lo) <= n.Hi)
	if base.Empty() {
		return base.marked(a, n)
	}
	return intervalPow(base, IntervalDiv(Interval{Lo: 1, Hi: 1}, n))
}

// steps is the interval extension of a rounding to whole multiples of b. What is as good as a
// multiple may be rounded as one.
func steps(whole func(float64) float64) func(a, b Interval) Interval {
	return func(a, b Interval) Interval {
		if !(b.Lo > 0) {
			s := AllNumbers.marked(a, b)
			s.Jumps, s.Partial = true, true
			return s
		}
		q := IntervalDiv(a, b).wider(8)
		low, high := whole(q.Lo), whole(q.Hi)
		s := Interval{Lo: low, Hi: high}.tidy().marked(a, b)
		if b.Lo != 1 || b.Hi != 1 {
			s = IntervalMul(s, b)
		}
		s.Jumps = s.Jumps || low != high
		return s
	}
}

var (
	intervalFloor = steps(math.Floor)
	intervalCeil  = steps(math.Ceil)
	intervalTrunc = func(a, _ Interval) Interval { return steps(math.Trunc)(a, Interval{Lo: 1, Hi: 1}) }
)

// intervalRound rounds to decimal places.
func intervalRound(a, places Interval) Interval {
	if !places.isPoint() || math.Abs(places.Lo) > 300 {
		return AllNumbers.marked(EmptyInterval, EmptyInterval)
	}
	unit := Interval{Lo: math.Pow(10, -places.Lo), Hi: math.Pow(10, -places.Lo)}.wider(4)
	return steps(math.Round)(a, unit).marked(a, places)
}

// intervalMod is the remainder: all of 0 to b, unless no multiple of b lies in between.
func intervalMod(a, b Interval) Interval {
	multiples := intervalFloor(a, b)
	if multiples.Jumps || !b.isPoint() {
		s := Interval{Lo: math.Min(b.Lo, 0), Hi: math.Max(b.Hi, 0)}.marked(a, b)
		s.Jumps, s.Partial = true, s.Partial || b.Has(0)
		return s
	}
	return intervalSub(a, multiples).marked(a, b)
}

// intervalTruth is a comparison that may be decided, or not.
func intervalTruth(sure, never bool) Interval {
	switch {
	case sure:
		return Interval{Lo: 1, Hi: 1}
	case never:
		return Interval{Lo: 0, Hi: 0}
	}
	return Interval{Lo: 0, Hi: 1}
}

func intervalLt(a, b Interval) Interval { return intervalTruth(a.Hi < b.Lo, a.Lo >= b.Hi).marked(a, b) }
func intervalLe(a, b Interval) Interval { return intervalTruth(a.Hi <= b.Lo, a.Lo > b.Hi).marked(a, b) }
func intervalGt(a, b Interval) Interval { return intervalLt(b, a) }
func intervalGe(a, b Interval) Interval { return intervalLe(b, a) }
func intervalEq(a, b Interval) Interval {
	return intervalTruth(a.isPoint() && b.isPoint() && a.Lo == b.Lo, a.Hi < b.Lo || b.Hi < a.Lo).marked(a, b)
}
func intervalNot(a, _ Interval) Interval {
	return intervalTruth(a.Lo == 0 && a.Hi == 0, !a.Has(0)).marked(a, a)
}
func intervalNe(a, b Interval) Interval { s := intervalEq(a, b); return intervalNot(s, s) }
func intervalAnd(a, b Interval) Interval {
	return intervalTruth(!a.Has(0) && !b.Has(0), a.isZero() || b.isZero()).marked(a, b)
}
func intervalOr(a, b Interval) Interval {
	return intervalTruth(!a.Has(0) || !b.Has(0), a.isZero() && b.isZero()).marked(a, b)
}
func (s Interval) isZero() bool              { return s.Lo == 0 && s.Hi == 0 }
func intervalPercent(a, b Interval) Interval { return IntervalDiv(a, Interval{Lo: 100, Hi: 100}) }

// intervalChoice is an if.
func intervalChoice(condition, yes, no Interval) Interval {
	switch {
	case condition.Empty():
		return condition
	case !condition.Has(0):
		return yes.marked(yes, condition)
	case condition.isZero():
		return no.marked(no, condition)
	}
	s := yes.union(no).marked(condition, condition)
	s.Jumps = true
	return s
}

var intervalOperators = map[Op]func(a, b Interval) Interval{
	OpAdd: IntervalAdd, OpSub: intervalSub, OpMul: IntervalMul, OpDiv: IntervalDiv, OpPow: intervalPow, OpNeg: intervalNeg, OpPercent: intervalPercent,
	opNot: intervalNot, opAnd: intervalAnd, opOr: intervalOr, OpEq: intervalEq, OpNe: intervalNe, OpLt: intervalLt, OpLe: intervalLe, OpGt: intervalGt, OpGe: intervalGe,
}
