package engine

import (
	"math"
)

// interval encloses all values that an expression takes while the unknown lies in an interval
// (Moore, Interval Analysis, 1966). One whose lo is NaN is empty: the expression has no value
// there.
type interval struct {
	lo, hi  float64
	jumps   bool // it may be discontinuous there
	partial bool // it may have no value at some places there
	sparse  bool // it may have values besides at single places there
}

var (
	allNumbers    = interval{lo: math.Inf(-1), hi: math.Inf(1)}
	notNegative   = interval{lo: 0, hi: math.Inf(1)}
	atLeastOne    = interval{lo: 1, hi: math.Inf(1)}
	unitInterval  = interval{lo: -1, hi: 1}
	halfTurn      = interval{lo: -1.58, hi: 1.58} // with room for rounding
	emptyInterval = interval{lo: math.NaN(), hi: math.NaN(), partial: true}
)

const (
	ulps    = 2.3e-16 // a unit in the last place, relative
	tiniest = 5e-324
)

func (s interval) empty() bool        { return math.IsNaN(s.lo) }
func (s interval) isPoint() bool      { return s.lo == s.hi }
func (s interval) has(x float64) bool { return s.lo <= x && x <= s.hi }

// wider rounds the ends outwards by a number of units in the last place.
func (s interval) wider(n float64) interval {
	s = s.tidy()
	s.lo -= float64(math.Abs(s.lo) * (n * ulps))
	s.hi += float64(math.Abs(s.hi) * (n * ulps))
	return s.tidy()
}

// tidy keeps infinite ends on their side.
func (s interval) tidy() interval {
	if math.IsNaN(s.lo) || math.IsInf(s.lo, 1) {
		if math.IsNaN(s.lo) {
			s.lo = math.Inf(-1)
		} else {
			s.lo = math.MaxFloat64
		}
	}
	if math.IsNaN(s.hi) {
		s.hi = math.Inf(1)
	} else if math.IsInf(s.hi, -1) {
		s.hi = -math.MaxFloat64
	}
	return s
}

// marked carries over what the operands say about places without a value.
func (s interval) marked(a, b interval) interval {
	s.jumps = s.jumps || a.jumps || b.jumps
	s.partial = s.partial || a.partial || b.partial
	s.sparse = s.sparse || a.sparse || b.sparse
	return s
}

func (s interval) union(o interval) interval {
	switch {
	case s.empty():
		o.partial = true
		return o
	case o.empty():
		s.partial = true
		return s
	}
	return interval{lo: math.Min(s.lo, o.lo), hi: math.Max(s.hi, o.hi)}.marked(s, o)
}

// integers reports whether both are exact integers, which float64 adds and multiplies exactly.
func integers(a, b interval) bool {
	return a.isPoint() && b.isPoint() && a.lo == math.Trunc(a.lo) && b.lo == math.Trunc(b.lo) &&
		math.Abs(a.lo) < 1<<26 && math.Abs(b.lo) < 1<<26
}

func intervalAdd(a, b interval) interval {
	s := interval{lo: a.lo + b.lo, hi: a.hi + b.hi}.marked(a, b)
	if integers(a, b) {
		return s
	}
	return s.tidy().wider(1)
}

func intervalNeg(a, _ interval) interval {
	a.lo, a.hi = -a.hi, -a.lo
	return a
}

func intervalSub(a, b interval) interval { return intervalAdd(a, intervalNeg(b, b)) }

// timesEnd is a product of ends; an infinite end stands for finite numbers, so that 0 times it is
// 0.
func timesEnd(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

func intervalMul(a, b interval) interval {
	p, q, r, t := timesEnd(a.lo, b.lo), timesEnd(a.lo, b.hi), timesEnd(a.hi, b.lo), timesEnd(a.hi, b.hi)
	s := interval{lo: math.Min(math.Min(p, q), math.Min(r, t)), hi: math.Max(math.Max(p, q), math.Max(r, t))}.marked(a, b)
	if integers(a, b) {
		return s
	}
	return s.wider(1).off(a.lo != 0 && a.hi != 0 && b.lo != 0 && b.hi != 0)
}

// off moves ends that may have underflowed away from what they were.
func (s interval) off(nonzero bool) interval {
	if nonzero {
		if s.hi == 0 {
			s.hi = tiniest
		}
		if s.lo == 0 {
			s.lo = -tiniest
		}
	}
	return s
}

func intervalDiv(a, b interval) interval {
	if b.lo == 0 && b.hi == 0 {
		return emptyInterval.marked(a, b)
	}
	if b.lo < 0 && b.hi > 0 {
		s := allNumbers.marked(a, b)
		s.jumps, s.partial = true, true
		return s
	}
	if integers(a, b) && math.Mod(a.lo, b.lo) == 0 {
		s := a
		s.lo /= b.lo
		s.hi = s.lo
		return s.marked(a, b)
	}
	inverse := func(x, zero float64) float64 {
		if x == 0 {
			return zero
		}
		return 1 / x
	}
	r := interval{lo: inverse(b.hi, math.Inf(-1)), hi: inverse(b.lo, math.Inf(1))}
	partial := b.lo == 0 || b.hi == 0
	r = r.wider(1)
	s := intervalMul(a, r).marked(a, b)
	s.partial = s.partial || partial
	return s
}

// monotone is the interval extension of a function that never falls over its domain, and has values
// in an image.
func monotone(f func(float64) float64, domain, image interval) func(a, _ interval) interval {
	return func(a, _ interval) interval {
		if a.hi < domain.lo || a.lo > domain.hi {
			return emptyInterval.marked(a, a)
		}
		s := a
		if a.lo < domain.lo || a.hi > domain.hi {
			s.partial = true
			s.lo, s.hi = math.Max(a.lo, domain.lo), math.Min(a.hi, domain.hi)
		}
		s.lo, s.hi = f(s.lo), f(s.hi)
		s = s.tidy().wider(4).off(true)
		s.lo, s.hi = math.Max(s.lo, image.lo), math.Min(s.hi, image.hi)
		return s
	}
}

func intervalAbs(a, _ interval) interval {
	switch {
	case a.lo >= 0:
		return a
	case a.hi <= 0:
		return intervalNeg(a, a)
	}
	a.lo, a.hi = 0, math.Max(-a.lo, a.hi)
	return a
}

func intervalMin(a, b interval) interval {
	return interval{lo: math.Min(a.lo, b.lo), hi: math.Min(a.hi, b.hi)}.marked(a, b)
}

func intervalMax(a, b interval) interval {
	return interval{lo: math.Max(a.lo, b.lo), hi: math.Max(a.hi, b.hi)}.marked(a, b)
}

var (
	intervalExp  = monotone(math.Exp, allNumbers, notNegative)
	intervalLn   = monotone(math.Log, notNegative, allNumbers)
	intervalSqrt = monotone(math.Sqrt, notNegative, notNegative)
)

// intervalPow is a power. A negative base has one for exponents that are integers.
func intervalPow(a, b interval) interval {
	if b.isPoint() && b.lo == math.Trunc(b.lo) && math.Abs(b.lo) <= 1e15 {
		n := b.lo
		if n < 0 {
			return intervalDiv(interval{lo: 1, hi: 1}, intervalPow(a, interval{lo: -n, hi: -n})).marked(a, b)
		}
		if n == 0 {
			return interval{lo: 1, hi: 1}.marked(a, b)
		}
		if math.Mod(n, 2) == 0 {
			a = intervalAbs(a, a)
		}
		s := a
		s.lo, s.hi = math.Pow(a.lo, n), math.Pow(a.hi, n)
		s = s.tidy().wider(4)
		if a.hi != 0 && s.hi == 0 {
			s.hi = tiniest
		}
		if a.lo < 0 && s.lo == 0 {
			s.lo = -tiniest
		}
		return s.marked(a, b)
	}
	base := a.natural(math.Ceil(b.lo) <= b.hi)
	if base.empty() {
		return base.marked(a, b)
	}
	s := intervalExp(intervalMul(b, intervalLn(base, base)), base)
	s = s.wider(8).marked(base, b)
	s.lo = math.Max(s.lo, 0)
	if base.lo == 0 && b.lo <= 0 {
		s.partial = true
	}
	return s
}

// intervalSin is the sine over an interval.
func intervalSin(a, _ interval) interval {
	s := interval{lo: -1, hi: 1}.marked(a, a)
	if !(a.hi-a.lo < 2*math.Pi) || math.Abs(a.lo) > 1e9 || math.Abs(a.hi) > 1e9 {
		return s
	}
	// The crests at π/2 + 2πk and the troughs half a turn on, with room for rounding.
	passes := func(at float64) bool {
		k := math.Ceil((a.lo-at)/(2*math.Pi) - 1e-6)
		return at+2*math.Pi*k <= a.hi+1e-6*math.Max(1, 1e-9*math.Abs(a.hi))
	}
	x, y := math.Sin(a.lo), math.Sin(a.hi)
	slack := 4*ulps + 4*ulps*math.Max(math.Abs(x), math.Abs(y))
	if math.Abs(a.lo) < 1 && math.Abs(a.hi) < 1 {
		slack = 0
	}
	if !passes(math.Pi / 2) {
		s.hi = math.Max(x, y)
		s.hi = math.Min(1, s.hi+math.Abs(s.hi)*4*ulps+slack*1e-3)
	}
	if !passes(-math.Pi / 2) {
		s.lo = math.Min(x, y)
		s.lo = math.Max(-1, s.lo-math.Abs(s.lo)*4*ulps-slack*1e-3)
	}
	return s
}

func intervalCos(a, _ interval) interval {
	half := interval{lo: math.Pi / 2, hi: math.Pi/2 + 2e-16}
	return intervalSin(intervalAdd(a, half), a)
}

func intervalTan(a, _ interval) interval {
	pole := allNumbers.marked(a, a)
	pole.jumps, pole.partial = true, true
	if !(a.hi-a.lo < math.Pi) || math.Abs(a.lo) > 1e9 || math.Abs(a.hi) > 1e9 {
		return pole
	}
	k := math.Ceil((a.lo-math.Pi/2)/math.Pi - 1e-15*(1+math.Abs(a.lo)))
	if at := math.Pi/2 + math.Pi*k; at <= a.hi+1e-15*(1+math.Abs(a.hi)) {
		return pole
	}
	s := a
	s.lo, s.hi = math.Tan(a.lo), math.Tan(a.hi)
	return s.wider(4)
}

func intervalCosh(a, b interval) interval {
	s := intervalAbs(a, b)
	s.lo, s.hi = math.Cosh(s.lo), math.Cosh(s.hi)
	s = s.tidy().wider(4)
	s.lo = math.Max(1, s.lo)
	return s
}

func intervalAcos(a, b interval) interval {
	return intervalNeg(monotone(func(x float64) float64 { return -math.Acos(x) }, unitInterval, interval{lo: -3.15, hi: 0})(a, b), b)
}

// intervalAtan2 is the angle of the points of a rectangle, which its corners bound unless the ray
// of 180 degrees goes through it.
func intervalAtan2(y, x interval) interval {
	s := interval{lo: -3.15, hi: 3.15}.marked(y, x)
	if x.lo <= 0 && y.lo <= 0 && y.hi >= 0 && (y.lo < 0 || x.hi >= 0) {
		s.jumps = true
		s.partial = s.partial || x.hi >= 0
		return s
	}
	p, q := math.Atan2(y.lo+0, x.lo), math.Atan2(y.lo+0, x.hi)
	r, t := math.Atan2(y.hi+0, x.lo), math.Atan2(y.hi+0, x.hi)
	s.lo, s.hi = math.Min(math.Min(p, q), math.Min(r, t)), math.Max(math.Max(p, q), math.Max(r, t))
	return s.wider(4).off(true)
}

// natural is the part of a base that has powers to all exponents. Below 0 there are only those to
// integers; sparse says that there may be one.
func (s interval) natural(sparse bool) interval {
	switch {
	case s.lo >= 0 || s.empty():
		return s
	case s.hi < 0:
		s = emptyInterval.marked(s, s)
	}
	s.lo, s.partial, s.sparse = math.Max(s.lo, 0), true, s.sparse || sparse
	return s
}

// intervalRoot is root(x, n). Negative numbers have roots only where n is an odd integer.
func intervalRoot(a, n interval) interval {
	switch {
	case n.isPoint() && n.lo > 0 && math.Mod(n.lo, 2) == 1:
		root := func(x float64) float64 { return math.Copysign(math.Pow(math.Abs(x), 1/n.lo), x) }
		return monotone(root, allNumbers, allNumbers)(a, a).wider(8).marked(a, n)
	case n.lo <= 0:
		return allNumbers.marked(emptyInterval, emptyInterval)
	}
	base := a.natural(!n.isPoint() && math.Ceil(n.lo) <= n.hi)
	if base.empty() {
		return base.marked(a, n)
	}
	return intervalPow(base, intervalDiv(interval{lo: 1, hi: 1}, n))
}

// intervalTruth is a comparison that may be decided, or not.
func intervalTruth(sure, never bool) interval {
	switch {
	case sure:
		return interval{lo: 1, hi: 1}
	case never:
		return interval{lo: 0, hi: 0}
	}
	return interval{lo: 0, hi: 1}
}

func intervalLt(a, b interval) interval { return intervalTruth(a.hi < b.lo, a.lo >= b.hi).marked(a, b) }
func intervalLe(a, b interval) interval { return intervalTruth(a.hi <= b.lo, a.lo > b.hi).marked(a, b) }
func intervalGt(a, b interval) interval { return intervalLt(b, a) }
func intervalGe(a, b interval) interval { return intervalLe(b, a) }
func intervalEq(a, b interval) interval {
	return intervalTruth(a.isPoint() && b.isPoint() && a.lo == b.lo, a.hi < b.lo || b.hi < a.lo).marked(a, b)
}
func intervalNot(a, _ interval) interval {
	return intervalTruth(a.lo == 0 && a.hi == 0, !a.has(0)).marked(a, a)
}
func intervalNe(a, b interval) interval { s := intervalEq(a, b); return intervalNot(s, s) }
func intervalAnd(a, b interval) interval {
	return intervalTruth(!a.has(0) && !b.has(0), a.isZero() || b.isZero()).marked(a, b)
}
func intervalOr(a, b interval) interval {
	return intervalTruth(!a.has(0) || !b.has(0), a.isZero() && b.isZero()).marked(a, b)
}
func (s interval) isZero() bool              { return s.lo == 0 && s.hi == 0 }
func intervalPercent(a, b interval) interval { return intervalDiv(a, interval{lo: 100, hi: 100}) }

// intervalChoice is an if.
func intervalChoice(condition, yes, no interval) interval {
	switch {
	case condition.empty():
		return condition
	case !condition.has(0):
		return yes.marked(yes, condition)
	case condition.isZero():
		return no.marked(no, condition)
	}
	s := yes.union(no).marked(condition, condition)
	s.jumps = true
	return s
}

var intervalOperators = map[op]func(a, b interval) interval{
	opAdd: intervalAdd, opSub: intervalSub, opMul: intervalMul, opDiv: intervalDiv, opPow: intervalPow, opNeg: intervalNeg, opPercent: intervalPercent,
	opNot: intervalNot, opAnd: intervalAnd, opOr: intervalOr, opEq: intervalEq, opNe: intervalNe, opLt: intervalLt, opLe: intervalLe, opGt: intervalGt, opGe: intervalGe,
}
