package formula

import (
	"math"

	"reckon/engine/decimal"
)

// seekLog finds where the logarithm of a tail is a given one, from logs, which has them by the
// logarithm of the place: Newton's method, between places that are known to lie below and above.
func seekLog(logs func(u float64) logTails, log float64, upper bool, start float64) float64 {
	low, high, u, step := math.Inf(-1), math.Inf(1), start, 2.
	for range 300 {
		t := logs(u)
		miss, slope := t.lower-log, math.Exp(t.rise-t.lower)
		if upper {
			miss, slope = log-t.upper, math.Exp(t.rise-t.upper)
		}
		switch {
		case math.IsNaN(miss):
			return miss
		case miss == 0:
			return u
		case miss > 0:
			high = u
		default:
			low = u
		}
		// A tail may fall so fast that a tangent leads far beyond it.
		next := math.Max(u-step, math.Min(u+step, u-miss/slope))
		step *= 4
		if math.Abs(next-u) <= 4e-16*math.Abs(u)+1e-17 {
			return next
		}
		if math.IsNaN(next) || next <= low || next >= high {
			next = low + (high-low)/2
		}
		if !(next > low && next < high) || math.IsInf(next, 0) {
			return u
		}
		u = next
	}
	return u
}

// quantileOf is the place x > 0 where a distribution has lower below and upper above, which make
// 1, each known to its own digits. It starts from float64, where logs are the tails by ln(x), and
// goes on by Newton's method. bend bounds how the rise changes with ln(x), relative to itself.
func quantileOf(c *decimal.Context, lower, upper decimal.Decimal, start float64, logs func(u float64) logTails,
	at func(x decimal.Decimal) tails, bend func(x float64) float64) decimal.Decimal {
	above := upper.Cmp(lower) < 0
	smaller := lower
	if above {
		smaller = upper
	}
	u := seekLog(logs, c.Ln(smaller).Float64(), above, start)
	if math.IsNaN(u) {
		return c.Fail(decimal.ErrTooLarge)
	}
	x := c.Exp(decimal.FromFloat(u))
	for i := 0; c.Err() == nil; i++ {
		x = x.Exactly()
		t := at(x)
		miss := c.Sub(t.lower, lower)
		if above {
			miss = c.Sub(upper, t.upper)
		}
		h := c.Quo(miss, t.rise)
		x = c.Sub(x, c.Mul(x, h))
		if c.Err() != nil {
			break
		}
		first, _ := h.Extent()
		right := -2*(first+1) - int(math.Ceil(math.Log10(2+bend(x.Float64()))))
		if h.IsZero() || h.Vague() || right >= c.Digits() || i > 30 {
			if h.IsZero() || h.Vague() {
				return x
			}
			return x.As(right)
		}
	}
	return decimal.Decimal{}
}

// gammaQuantile is where a gamma distribution of shape a has lower below and upper above. Beyond
// the shapes that float64 has digits enough for the number is too large.
func gammaQuantile(c *decimal.Context, lower, upper, a decimal.Decimal) decimal.Decimal {
	af := a.Float64()
	if !(af <= mostShape) {
		return c.Fail(decimal.ErrTooLarge)
	}
	return quantileOf(c, lower, upper, math.Log(af), func(u float64) logTails { return gammaLogs(u, af) },
		func(x decimal.Decimal) tails { return whole(c)(gammaTails(c, x, a)) },
		func(x float64) float64 { return math.Abs(af - x) })
}

// oddsQuantile is x/(1-x) where the beta distribution of a and b has lower below x and upper
// above.
func oddsQuantile(c *decimal.Context, lower, upper, a, b decimal.Decimal) decimal.Decimal {
	af, bf := a.Float64(), b.Float64()
	if !(af <= mostShape && bf <= mostShape) {
		return c.Fail(decimal.ErrTooLarge)
	}
	return quantileOf(c, lower, upper, math.Log(af/bf), func(u float64) logTails { return betaLogs(u, af, bf) },
		func(odds decimal.Decimal) tails { return whole(c)(oddsTails(c, odds, decimal.Int(1), a, b)) },
		func(odds float64) float64 { return af + bf })
}

// oddsTails are the tails of a beta distribution at p/(p+q).
func oddsTails(c *decimal.Context, p, q, a, b decimal.Decimal) (tails, int) {
	sum := c.Add(p, q)
	return betaTails(c, c.Quo(p, sum), c.Quo(q, sum), a, b)
}

// whole refuses tails of which one is too small to be a number.
func whole(c *decimal.Context) func(t tails, small int) tails {
	return func(t tails, small int) tails {
		if small != 0 {
			c.Fail(decimal.ErrTooLarge)
		}
		return t
	}
}
