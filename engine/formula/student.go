package formula

import (
	"math"

	"reckon/engine/decimal"
)

func refused(c *decimal.Context, name string, x decimal.Decimal) decimal.Decimal {
	return c.Refuse(&decimal.UndefinedError{Function: name, Argument: x}, x)
}

func studentShare(c *decimal.Context, name string, x, df decimal.Decimal) decimal.Decimal {
	switch {
	case df.Sign() <= 0:
		return refused(c, name, df)
	case x.IsZero():
		return half
	}
	t, small := oddsTails(c, c.Mul(x, x), df, half, c.Mul(df, half))
	beyond := c.Mul(t.side(c, true, small), half)
	if x.Sign() > 0 {
		return c.Sub(decimal.Int(1), beyond)
	}
	return beyond
}

func studentQuantile(c *decimal.Context, a Decimals) decimal.Decimal {
	p, df := a[0], a[1]
	one := decimal.Int(1)
	beyond, sign := c.Mul(decimal.Int(2), p), -1
	if beyond.Cmp(one) > 0 {
		beyond, sign = c.Mul(decimal.Int(2), c.Sub(one, p)), 1
	}
	within := c.Sub(one, beyond)
	switch {
	case df.Sign() <= 0:
		return refused(c, "t_quantile", df)
	case beyond.Sign() <= 0:
		return refused(c, "t_quantile", p)
	case within.IsZero():
		return within
	}
	x := c.Sqrt(c.Mul(df, oddsQuantile(c, within, beyond, half, c.Mul(df, half))))
	if sign < 0 {
		return x.Neg()
	}
	return x
}

func studentAt(args []float64) (value, slack float64) {
	x, df := args[0], args[1]
	switch {
	case !(df > 0):
		return math.NaN(), 0
	case x == 0:
		return 0.5, 0
	}
	t := betaLogs(2*math.Log(math.Abs(x))-math.Log(df), 0.5, df/2)
	if beyond := math.Exp(t.upper) / 2; x < 0 {
		return beyond, t.slack
	} else {
		return 1 - beyond, t.slack
	}
}

func studentQuantileAt(args []float64) (value, slack float64) {
	p, df := args[0], args[1]
	if !(df > 0 && p >= 0 && p <= 1) {
		return math.NaN(), 0
	}
	if p == 0.5 {
		return 0, 0
	}
	odds, slack := placeOf(2*math.Min(p, 1-p), true, -math.Log(df), func(u float64) logTails { return betaLogs(u, 0.5, df/2) })
	return math.Copysign(math.Sqrt(df*odds), p-0.5), slack
}
