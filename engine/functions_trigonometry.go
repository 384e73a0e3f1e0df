package engine

import (
	"math"

	"reckon/engine/decimal"
)

// principal makes the inverse of a sine, cosine or tangent; other is the second angle of a turn
// with the same value, nil where there is none.
func principal(f func(*decimal.Context, decimal.Decimal) decimal.Decimal, period int64, other func(c *decimal.Context, first decimal.Decimal) decimal.Decimal) inverse {
	return func(c *decimal.Context, _ decimals, _ int, t decimal.Decimal) preimage {
		if period == 2 {
			if t = toEdge(c, t); t.Abs().Cmp(decimal.Int(1)) > 0 {
				return preimage{}
			}
		}
		angles := decimals{f(c, t)}
		if other != nil {
			angles = append(angles, other(c, angles[0]))
		}
		return turned(c, angles, period)
	}
}

// turned is the first of some angles and, as what counts only where bounds refuse that one, all
// others within two periods.
func turned(c *decimal.Context, angles decimals, period int64) (p preimage) {
	turn := c.Mul(decimal.Pi(), decimal.Int(period))
	for k := int64(-2); k <= 2; k++ {
		for i, a := range angles {
			if k == 0 && i == 0 {
				p.roots = decimals{a}
			} else {
				p.more = append(p.more, c.Add(a, c.Mul(turn, decimal.Int(k))))
			}
		}
	}
	return p
}

// toEdge takes a sine or cosine that is beyond 1 by less than its rounding as 1: a value of 34
// digits, given back by a caller, may be. So it takes one that is rounded and next to 1.
func toEdge(c *decimal.Context, t decimal.Decimal) decimal.Decimal {
	beyond := c.Sub(t.Abs(), decimal.Int(1))
	if beyond.Sign() > 0 && beyond.Cmp(edgeNoise) < 0 || beyond.Sign() < 0 && isRounded(t) && beyond.Abs().Cmp(angleNoise) < 0 {
		return decimal.Int(int64(t.Sign()))
	}
	return t
}

// edgeNoise is the rounding that a sine or cosine may have.
var edgeNoise = decimal.MustParse("1e-30")

func arcSine(c *decimal.Context, t decimal.Decimal) decimal.Decimal   { return c.Asin(toEdge(c, t)) }
func arcCosine(c *decimal.Context, t decimal.Decimal) decimal.Decimal { return c.Acos(toEdge(c, t)) }

// onAxis gives exactly 0 where a function of an angle crosses zero: an angle has 60 digits, so that
// what is left of a half or quarter turn is smaller than the angle by at least 55 of them. Angles
// next to 0 are exact as they are.
func onAxis(f func(*decimal.Context, decimal.Decimal) decimal.Decimal) func(*decimal.Context, decimal.Decimal) decimal.Decimal {
	return func(c *decimal.Context, angle decimal.Decimal) decimal.Decimal {
		value := f(c, angle)
		if size := angle.Abs(); size.Cmp(decimal.Int(1)) > 0 && value.Abs().Cmp(c.Mul(size, angleNoise)) < 0 {
			return decimal.Decimal{}
		}
		return value
	}
}

// angleNoise is the relative error that an angle may have.
var angleNoise = decimal.MustParse("1e-55")

// tangent is undefined at odd quarter turns, as the division that it is.
func tangent(c *decimal.Context, angle decimal.Decimal) decimal.Decimal {
	if angle.Abs().Cmp(decimal.Int(1)) > 0 && onAxis((*decimal.Context).Cos)(c, angle).IsZero() {
		return c.Fail(&decimal.UndefinedError{Function: "tan", Argument: angle})
	}
	return onAxis((*decimal.Context).Tan)(c, angle)
}

var trigonometry = []*function{
	{
		name: "sin", params: unary("x", "angle"), result: "1", period: 2,
		doc:      "The sine of an angle; a plain number is in radians.",
		examples: []example{{"sin(30 [deg])", "0.5"}, {"sin(pi)", "0"}},
		eval:     apply(onAxis((*decimal.Context).Sin)), float: float1(math.Sin), interval: intervalSin, slopes: []string{"cos(x)"},
		inverse: principal((*decimal.Context).Asin, 2, func(c *decimal.Context, first decimal.Decimal) decimal.Decimal { return c.Sub(decimal.Pi(), first) }),
	},
	{
		name: "cos", params: unary("x", "angle"), result: "1", period: 2,
		doc:      "The cosine of an angle; a plain number is in radians.",
		examples: []example{{"cos(60 [deg])", "0.5"}, {"cos(pi)", "-1"}},
		eval:     apply(onAxis((*decimal.Context).Cos)), float: float1(math.Cos), interval: intervalCos, slopes: []string{"-sin(x)"},
		inverse: principal((*decimal.Context).Acos, 2, func(_ *decimal.Context, first decimal.Decimal) decimal.Decimal { return first.Neg() }),
	},
	{
		name: "tan", params: unary("x", "angle"), result: "1", period: 1,
		doc:      "The tangent of an angle; a plain number is in radians.",
		examples: []example{{"tan(45 [deg])", "1"}, {"tan(90 [deg])", "! calculation.domain_error"}},
		eval:     apply(tangent), float: float1(math.Tan), interval: intervalTan, slopes: []string{"1 + tan(x)^2"},
		inverse: principal((*decimal.Context).Atan, 1, nil),
	},
	{
		name: "asin", params: unary("x", "1"), result: "angle",
		doc:      "The angle between -90 and 90 degrees whose sine is x.",
		examples: []example{{"asin(0)", "0 rad"}, {"asin(0.5) == 30 [deg]", "1"}, {"asin(2)", "! calculation.domain_error"}},
		eval:     apply(arcSine), float: float1(math.Asin), interval: monotone(math.Asin, unitInterval, halfTurn), slopes: []string{"1 / sqrt(1 - x^2)"},
		isolated: []string{"sin(t)"},
	},
	{
		name: "acos", params: unary("x", "1"), result: "angle",
		doc:      "The angle between 0 and 180 degrees whose cosine is x.",
		examples: []example{{"acos(1)", "0 rad"}, {"acos(-0.5) == 120 [deg]", "1"}, {"acos(-2)", "! calculation.domain_error"}},
		eval:     apply(arcCosine), float: float1(math.Acos), interval: intervalAcos, slopes: []string{"-1 / sqrt(1 - x^2)"},
		isolated: []string{"cos(t)"},
	},
	{
		name: "atan", params: unary("x", "1"), result: "angle",
		doc:      "The angle between -90 and 90 degrees whose tangent is x.",
		examples: []example{{"atan(1) == pi / 4", "1"}, {"round(atan(1) / 1 [deg], 10)", "45"}},
		eval:     apply((*decimal.Context).Atan), float: float1(math.Atan), interval: monotone(math.Atan, allNumbers, halfTurn), slopes: []string{"1 / (1 + x^2)"},
		isolated: []string{"tan(t)"},
	},
	{
		name: "atan2", params: []param{{name: "y", dimension: "a"}, {name: "x", dimension: "a"}}, result: "angle",
		doc:      "The angle of the point (x, y) seen from the origin, from -180 to 180 degrees.",
		examples: []example{{"atan2(1, 1) == pi / 4", "1"}, {"atan2(0, -1) == pi", "1"}},
		eval:     func(c *decimal.Context, a decimals) decimal.Decimal { return c.Atan2(a[0], a[1]) },
		float:    func(a []float64) float64 { return math.Atan2(a[0], a[1]) },
		interval: intervalAtan2,
		slopes:   []string{"x / (y^2 + x^2)", "-y / (y^2 + x^2)"},
		inverse: func(c *decimal.Context, a decimals, k int, t decimal.Decimal) preimage {
			if k == 0 {
				return one(c.Mul(a[1], c.Tan(t)))
			}
			if a[0].IsZero() {
				return preimage{infinite: t.IsZero()}
			}
			return one(c.Mul(a[0], c.Quo(c.Cos(t), c.Sin(t))))
		},
	},
	{
		name: "sinh", params: unary("x", "1"), result: "1",
		doc: "The hyperbolic sine of x.", examples: []example{{"sinh(0)", "0"}, {"round(sinh(1), 4)", "1.1752"}},
		eval: apply((*decimal.Context).Sinh), float: float1(math.Sinh), interval: monotone(math.Sinh, allNumbers, allNumbers), slopes: []string{"cosh(x)"},
		isolated: []string{"asinh(t)"},
	},
	{
		name: "cosh", params: unary("x", "1"), result: "1",
		doc: "The hyperbolic cosine of x.", examples: []example{{"cosh(0)", "1"}, {"round(cosh(4), 6)", "27.308233"}},
		eval: apply((*decimal.Context).Cosh), float: float1(math.Cosh), interval: intervalCosh, slopes: []string{"sinh(x)"},
		isolated: []string{"acosh(t)", "-acosh(t)"},
	},
	{
		name: "tanh", params: unary("x", "1"), result: "1",
		doc: "The hyperbolic tangent of x.", examples: []example{{"tanh(0)", "0"}, {"round(tanh(0.5), 6)", "0.462117"}},
		eval: apply((*decimal.Context).Tanh), float: float1(math.Tanh), interval: monotone(math.Tanh, allNumbers, unitInterval), slopes: []string{"1 - tanh(x)^2"},
		isolated: []string{"atanh(t)"},
	},
	{
		name: "asinh", params: unary("x", "1"), result: "1",
		doc: "The inverse hyperbolic sine of x.", examples: []example{{"asinh(0)", "0"}, {"round(asinh(10), 8)", "2.99822295"}},
		eval: apply((*decimal.Context).Asinh), float: float1(math.Asinh), interval: monotone(math.Asinh, allNumbers, allNumbers), slopes: []string{"1 / sqrt(x^2 + 1)"},
		isolated: []string{"sinh(t)"},
	},
	{
		name: "acosh", params: unary("x", "1"), result: "1",
		doc:      "The inverse hyperbolic cosine of x, at least 1.",
		examples: []example{{"acosh(1)", "0"}, {"round(acosh(10), 7)", "2.9932228"}, {"acosh(0.5)", "! calculation.domain_error"}},
		eval:     apply((*decimal.Context).Acosh), float: float1(math.Acosh), interval: monotone(math.Acosh, atLeastOne, notNegative), slopes: []string{"1 / sqrt(x^2 - 1)"},
		isolated: []string{"cosh(t)"},
	},
	{
		name: "atanh", params: unary("x", "1"), result: "1",
		doc:      "The inverse hyperbolic tangent of x, between -1 and 1.",
		examples: []example{{"atanh(0)", "0"}, {"round(atanh(-0.1), 9)", "-0.100335348"}, {"atanh(1)", "! calculation.domain_error"}},
		eval:     apply((*decimal.Context).Atanh), float: float1(math.Atanh), interval: monotone(math.Atanh, unitInterval, allNumbers), slopes: []string{"1 / (1 - x^2)"},
		isolated: []string{"tanh(t)"},
	},
}
