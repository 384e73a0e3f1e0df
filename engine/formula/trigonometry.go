package formula

import (
	"math"

	"reckon/engine/decimal"
)

// principal makes the inverse of a sine, cosine or tangent; other is the second angle of a turn
// with the same value, nil where there is none.
func principal(f func(*decimal.Context, decimal.Decimal) decimal.Decimal, period int64, other func(c *decimal.Context, first decimal.Decimal) decimal.Decimal) inverse {
	return func(c *decimal.Context, _ Decimals, _ int, t decimal.Decimal) Preimage {
		if period == 2 {
			if t = toEdge(c, t); t.Abs().Cmp(decimal.Int(1)) > 0 {
				return Preimage{}
			}
		}
		angles := Decimals{f(c, t)}
		if other != nil {
			angles = append(angles, other(c, angles[0]))
		}
		return Turned(c, angles, period)
	}
}

// Turned is the first of some angles and, as what counts only where bounds refuse that one, all
// others within two periods.
func Turned(c *decimal.Context, angles Decimals, period int64) (p Preimage) {
	turn := c.Mul(c.Pi(), decimal.Int(period))
	for k := int64(-2); k <= 2; k++ {
		for i, a := range angles {
			if k == 0 && i == 0 {
				p.Roots = Decimals{a}
			} else {
				p.More = append(p.More, c.Add(a, c.Mul(turn, decimal.Int(k))))
			}
		}
	}
	return p
}

// toEdge takes a sine or cosine that is beyond 1 by less than its rounding as 1: a value of 34
// digits, given back by a caller, may be.
func toEdge(c *decimal.Context, t decimal.Decimal) decimal.Decimal {
	beyond := Certain(c, c.Sub(t.Abs(), decimal.Int(1)))
	edge := decimal.Int(int64(t.Sign()))
	switch {
	case beyond.IsZero() && !beyond.IsExact():
		return edge.As(t.Right())
	case beyond.Sign() >= 0 && beyond.Cmp(edgeNoise) < 0:
		return edge
	}
	return t
}

// edgeNoise is the rounding that a sine or cosine may have.
var edgeNoise = decimal.MustParse("1e-30")

func arcSine(c *decimal.Context, t decimal.Decimal) decimal.Decimal   { return c.Asin(toEdge(c, t)) }
func arcCosine(c *decimal.Context, t decimal.Decimal) decimal.Decimal { return c.Acos(toEdge(c, t)) }

// onAxis gives 0 where a function of an angle crosses zero as far as the angle's digits tell.
func onAxis(f func(*decimal.Context, decimal.Decimal) decimal.Decimal) func(*decimal.Context, decimal.Decimal) decimal.Decimal {
	return func(c *decimal.Context, angle decimal.Decimal) decimal.Decimal {
		value := f(c, angle)
		if angle.Abs().Cmp(decimal.Int(1)) > 0 {
			c.Spend(1) // what a budget allows is part of a result: an angle beyond 1 costs a unit more
		}
		return Certain(c, value)
	}
}

// tangent is undefined at odd quarter turns, as the division that it is.
func tangent(c *decimal.Context, angle decimal.Decimal) decimal.Decimal {
	if angle.Abs().Cmp(decimal.Int(1)) > 0 {
		if cos := onAxis((*decimal.Context).Cos)(c, angle); cos.IsZero() {
			return c.Refuse(&decimal.UndefinedError{Function: "tan", Argument: angle}, cos)
		}
	}
	return onAxis((*decimal.Context).Tan)(c, angle)
}

var trigonometry = []*Entry{
	{
		Name: "sin", Params: Unary("x", "angle"), Result: "1", Period: 2,
		Doc:      "The sine of an angle; a plain number is in radians.",
		Examples: []example{{"sin(30 [deg])", "0.5"}, {"sin(pi)", "0"}},
		Eval:     apply(onAxis((*decimal.Context).Sin)), Float: float1(math.Sin), Interval: intervalSin, Slopes: []string{"cos(x)"},
		Undone:  [][]string{{"asin(t)", "pi - asin(t)"}},
		Inverse: principal((*decimal.Context).Asin, 2, func(c *decimal.Context, first decimal.Decimal) decimal.Decimal { return c.Sub(c.Pi(), first) }),
	},
	{
		Name: "cos", Params: Unary("x", "angle"), Result: "1", Period: 2,
		Doc:      "The cosine of an angle; a plain number is in radians.",
		Examples: []example{{"cos(60 [deg])", "0.5"}, {"cos(pi)", "-1"}},
		Eval:     apply(onAxis((*decimal.Context).Cos)), Float: float1(math.Cos), Interval: intervalCos, Slopes: []string{"-sin(x)"},
		Undone:  [][]string{{"acos(t)", "-acos(t)"}},
		Inverse: principal((*decimal.Context).Acos, 2, func(_ *decimal.Context, first decimal.Decimal) decimal.Decimal { return first.Neg() }),
	},
	{
		Name: "tan", Params: Unary("x", "angle"), Result: "1", Period: 1,
		Doc:      "The tangent of an angle; a plain number is in radians.",
		Examples: []example{{"tan(45 [deg])", "1"}, {"tan(90 [deg])", "! calculation.domain_error"}},
		Eval:     apply(tangent), Float: float1(math.Tan), Interval: intervalTan, Slopes: []string{"1 + tan(x)^2"},
		Undone:  [][]string{{"atan(t)"}},
		Inverse: principal((*decimal.Context).Atan, 1, nil),
	},
	{
		Name: "asin", Params: Unary("x", "1"), Result: "angle",
		Doc:      "The angle between -90 and 90 degrees whose sine is x.",
		Examples: []example{{"asin(0)", "0 rad"}, {"asin(0.5) == 30 [deg]", "1"}, {"asin(2)", "! calculation.domain_error"}},
		Eval:     apply(arcSine), Float: float1(math.Asin), Interval: monotone(math.Asin, unitInterval, halfTurn), Slopes: []string{"1 / sqrt(1 - x^2)"},
		Isolated: []string{"sin(t)"},
	},
	{
		Name: "acos", Params: Unary("x", "1"), Result: "angle",
		Doc:      "The angle between 0 and 180 degrees whose cosine is x.",
		Examples: []example{{"acos(1)", "0 rad"}, {"acos(-0.5) == 120 [deg]", "1"}, {"acos(-2)", "! calculation.domain_error"}},
		Eval:     apply(arcCosine), Float: float1(math.Acos), Interval: intervalAcos, Slopes: []string{"-1 / sqrt(1 - x^2)"},
		Isolated: []string{"cos(t)"},
	},
	{
		Name: "atan", Params: Unary("x", "1"), Result: "angle",
		Doc:      "The angle between -90 and 90 degrees whose tangent is x.",
		Examples: []example{{"atan(1) == pi / 4", "1"}, {"round(atan(1) / 1 [deg], 10)", "45"}},
		Eval:     apply((*decimal.Context).Atan), Float: float1(math.Atan), Interval: monotone(math.Atan, AllNumbers, halfTurn), Slopes: []string{"1 / (1 + x^2)"},
		Isolated: []string{"tan(t)"},
	},
	{
		Name: "atan2", Params: []param{{name: "y", dimension: "a"}, {name: "x", dimension: "a"}}, Result: "angle",
		Doc:      "The angle of the point (x, y) seen from the origin, from -180 to 180 degrees.",
		Examples: []example{{"atan2(1, 1) == pi / 4", "1"}, {"atan2(0, -1) == pi", "1"}},
		Eval:     func(c *decimal.Context, a Decimals) decimal.Decimal { return c.Atan2(a[0], a[1]) },
		Float:    func(a []float64) float64 { return math.Atan2(a[0], a[1]) },
		Interval: intervalAtan2,
		Slopes:   []string{"x / (y^2 + x^2)", "-y / (y^2 + x^2)"},
		Undone:   [][]string{{"x * tan(t)"}, {"y / tan(t)"}},
		Inverse: func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage {
			if k == 0 {
				return OneRoot(c.Mul(a[1], c.Tan(t)))
			}
			if a[0].IsZero() {
				return Preimage{Infinite: t.IsZero()}
			}
			return OneRoot(c.Mul(a[0], c.Quo(c.Cos(t), c.Sin(t))))
		},
	},
	{
		Name: "sinh", Params: Unary("x", "1"), Result: "1",
		Doc: "The hyperbolic sine of x.", Examples: []example{{"sinh(0)", "0"}, {"round(sinh(1), 4)", "1.1752"}},
		Eval: apply((*decimal.Context).Sinh), Float: float1(math.Sinh), Interval: monotone(math.Sinh, AllNumbers, AllNumbers), Slopes: []string{"cosh(x)"},
		Isolated: []string{"asinh(t)"},
	},
	{
		Name: "cosh", Params: Unary("x", "1"), Result: "1",
		Doc: "The hyperbolic cosine of x.", Examples: []example{{"cosh(0)", "1"}, {"round(cosh(4), 6)", "27.308233"}},
		Eval: apply((*decimal.Context).Cosh), Float: float1(math.Cosh), Interval: intervalCosh, Slopes: []string{"sinh(x)"},
		Isolated: []string{"acosh(t)", "-acosh(t)"},
	},
	{
		Name: "tanh", Params: Unary("x", "1"), Result: "1",
		Doc: "The hyperbolic tangent of x.", Examples: []example{{"tanh(0)", "0"}, {"round(tanh(0.5), 6)", "0.462117"}},
		Eval: apply((*decimal.Context).Tanh), Float: float1(math.Tanh), Interval: monotone(math.Tanh, AllNumbers, unitInterval), Slopes: []string{"1 - tanh(x)^2"},
		Isolated: []string{"atanh(t)"},
	},
	{
		Name: "asinh", Params: Unary("x", "1"), Result: "1",
		Doc: "The inverse hyperbolic sine of x.", Examples: []example{{"asinh(0)", "0"}, {"round(asinh(10), 8)", "2.99822295"}},
		Eval: apply((*decimal.Context).Asinh), Float: float1(math.Asinh), Interval: monotone(math.Asinh, AllNumbers, AllNumbers), Slopes: []string{"1 / sqrt(x^2 + 1)"},
		Isolated: []string{"sinh(t)"},
	},
	{
		Name: "acosh", Params: Unary("x", "1"), Result: "1",
		Doc:      "The inverse hyperbolic cosine of x, at least 1.",
		Examples: []example{{"acosh(1)", "0"}, {"round(acosh(10), 7)", "2.9932228"}, {"acosh(0.5)", "! calculation.domain_error"}},
		Eval:     apply((*decimal.Context).Acosh), Float: float1(math.Acosh), Interval: monotone(math.Acosh, atLeastOne, notNegative), Slopes: []string{"1 / sqrt(x^2 - 1)"},
		Isolated: []string{"cosh(t)"},
	},
	{
		Name: "atanh", Params: Unary("x", "1"), Result: "1",
		Doc:      "The inverse hyperbolic tangent of x, between -1 and 1.",
		Examples: []example{{"atanh(0)", "0"}, {"round(atanh(-0.1), 9)", "-0.100335348"}, {"atanh(1)", "! calculation.domain_error"}},
		Eval:     apply((*decimal.Context).Atanh), Float: float1(math.Atanh), Interval: monotone(math.Atanh, unitInterval, AllNumbers), Slopes: []string{"1 / (1 - x^2)"},
		Isolated: []string{"tanh(t)"},
	},
}
