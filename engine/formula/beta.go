package formula

import (
	"math"

	"reckon/engine/decimal"
)

// enclosedRatio is the interval extension of f_cdf and f_tail, by that of the beta distribution,
// which is monotone in the odds x·df1/df2 and in each parameter.
func enclosedRatio(upper bool) func(args []Interval) Interval {
	beta := enclosed(func(args []float64) (value, slack float64) {
		odds, a, b := args[0], args[1], args[2]
		return ratioAt(upper)([]float64{odds * (b / a), 2 * a, 2 * b})
	}, shareInterval, notNegative, notNegative, notNegative)
	return func(args []Interval) Interval {
		odds := IntervalDiv(IntervalMul(args[0], args[1]), args[2])
		return beta([]Interval{odds, args[1].halved(), args[2].halved()})
	}
}

// enclosedRatioQuantile is that of f_quantile and f_tail_quantile.
func enclosedRatioQuantile(upper bool) func(args []Interval) Interval {
	beta := enclosed(func(args []float64) (value, slack float64) {
		p, a, b := args[0], args[1], args[2]
		value, slack = ratioQuantileAt(upper)([]float64{p, 2 * a, 2 * b})
		return value * (a / b), slack
	}, notNegative, shareInterval, notNegative, notNegative)
	return func(args []Interval) Interval {
		odds := beta([]Interval{args[0], args[1].halved(), args[2].halved()})
		if odds.Empty() {
			return odds
		}
		return IntervalDiv(IntervalMul(odds, args[2]), args[1])
	}
}

func (s Interval) halved() Interval {
	s.Lo, s.Hi = s.Lo/2, s.Hi/2
	return s
}

// ratioShare is the body of f_cdf, or of f_tail where upper is set.
func ratioShare(name string, upper bool) func(c *decimal.Context, a Decimals) decimal.Decimal {
	return func(c *decimal.Context, a Decimals) decimal.Decimal {
		x, d1, d2 := a[0], a[1], a[2]
		for _, d := range a[1:] {
			if d.Sign() <= 0 {
				return refused(c, name, d)
			}
		}
		switch x.Sign() {
		case -1:
			return refused(c, name, x)
		case 0:
			return share(upper)
		}
		t, small := oddsTails(c, c.Mul(d1, x), d2, c.Mul(d1, half), c.Mul(d2, half))
		return t.side(c, upper, small)
	}
}

func ratioAt(upper bool) func(args []float64) (value, slack float64) {
	return func(args []float64) (value, slack float64) {
		x, d1, d2 := args[0], args[1], args[2]
		switch {
		case !(x >= 0 && d1 > 0 && d2 > 0):
			return math.NaN(), 0
		case x == 0 && upper:
			return 1, 0
		case x == 0:
			return 0, 0
		}
		t := betaLogs(math.Log(x)+math.Log(d1/d2), d1/2, d2/2)
		return t.value(upper), t.slack
	}
}

// ratioQuantile is the body of f_quantile, or of f_tail_quantile where upper is set.
func ratioQuantile(name string, upper bool) func(c *decimal.Context, a Decimals) decimal.Decimal {
	return func(c *decimal.Context, a Decimals) decimal.Decimal {
		odds := betaOdds(c, name, a[0], c.Mul(a[1], half), c.Mul(a[2], half), upper)
		return c.Quo(c.Mul(odds, a[2]), a[1])
	}
}

// betaOdds is x/(1-x) for the x that a beta variable stays below, or is above, with probability p.
func betaOdds(c *decimal.Context, name string, p, a, b decimal.Decimal, above bool) decimal.Decimal {
	lower, upper := p, c.Sub(decimal.Int(1), p)
	if above {
		lower, upper = upper, lower
	}
	switch {
	case a.Sign() <= 0:
		return refused(c, name, a)
	case b.Sign() <= 0:
		return refused(c, name, b)
	case lower.Sign() < 0 || upper.Sign() <= 0:
		return refused(c, name, p)
	case lower.IsZero():
		return lower
	}
	return oddsQuantile(c, lower, upper, a, b)
}

func ratioQuantileAt(upper bool) func(args []float64) (value, slack float64) {
	return func(args []float64) (value, slack float64) {
		p, d1, d2 := args[0], args[1], args[2]
		if !(p >= 0 && p <= 1 && d1 > 0 && d2 > 0) {
			return math.NaN(), 0
		}
		odds, slack := placeOf(p, upper, math.Log(d1/d2), func(u float64) logTails { return betaLogs(u, d1/2, d2/2) })
		return odds * d2 / d1, slack
	}
}

func betaShare(c *decimal.Context, args Decimals) decimal.Decimal {
	x, a, b := args[0], args[1], args[2]
	y := c.Sub(decimal.Int(1), x)
	switch {
	case a.Sign() <= 0:
		return refused(c, "beta_cdf", a)
	case b.Sign() <= 0:
		return refused(c, "beta_cdf", b)
	case x.Sign() < 0 || y.Sign() < 0:
		return c.Refuse(&decimal.UndefinedError{Function: "beta_cdf", Argument: x}, x, y)
	case x.IsZero() || y.IsZero():
		return x
	}
	t, small := betaTails(c, x, y, a, b)
	return t.side(c, false, small)
}

func betaAt(args []float64) (value, slack float64) {
	x, a, b := args[0], args[1], args[2]
	switch {
	case !(x >= 0 && x <= 1 && a > 0 && b > 0):
		return math.NaN(), 0
	case x == 0 || x == 1:
		return x, 0
	}
	t := betaLogsAt(x, 1-x, math.Log(x), math.Log1p(-x), a, b)
	return t.value(false), t.slack
}

func betaQuantile(c *decimal.Context, args Decimals) decimal.Decimal {
	if IsOne(args[0]) && args[1].Sign() > 0 && args[2].Sign() > 0 {
		return args[0]
	}
	odds := betaOdds(c, "beta_quantile", args[0], args[1], args[2], false)
	return c.Quo(odds, c.Add(odds, decimal.Int(1)))
}

func betaQuantileAt(args []float64) (value, slack float64) {
	p, a, b := args[0], args[1], args[2]
	if !(p >= 0 && p <= 1 && a > 0 && b > 0) {
		return math.NaN(), 0
	}
	odds, slack := placeOf(p, false, math.Log(a/b), func(u float64) logTails { return betaLogs(u, a, b) })
	if math.IsInf(odds, 1) {
		return 1, slack
	}
	return odds / (1 + odds), slack
}
