package engine

import (
	"math"

	"reckon/engine/decimal"
)

// principal makes the inverse of a trigonometric function: the principal value first, then the other angles within two
// turns, which count only where bounds refuse the principal one. other is the second angle of a turn with the same value,
// nil where the function has none.
func principal(f func(*decimal.Context, decimal.Decimal) decimal.Decimal, bounded bool, period int64,
	other func(c *decimal.Context, a decimal.Decimal) decimal.Decimal) inverse {
	return func(c *decimal.Context, _ decimals, _ int, t decimal.Decimal) preimage {
		if bounded && t.Abs().Cmp(decimal.Int(1)) > 0 {
			return preimage{}
		}
		first := f(c, t)
		turn := c.Mul(decimal.Pi(), decimal.Int(period))
		p := one(first)
		angles := decimals{first}
		if other != nil {
			angles = append(angles, other(c, first))
		}
		for k := int64(-2); k <= 2; k++ {
			for i, a := range angles {
				if k != 0 || i != 0 {
					p.more = append(p.more, c.Add(a, c.Mul(turn, decimal.Int(k))))
				}
			}
		}
		return p
	}
}

// within makes an inverse that holds only for values between two limits.
func within(f func(*decimal.Context, decimal.Decimal) decimal.Decimal, low, high func(c *decimal.Context) decimal.Decimal) inverse {
	return func(c *decimal.Context, _ decimals, _ int, t decimal.Decimal) preimage {
		if t.Cmp(low(c)) < 0 || t.Cmp(high(c)) > 0 {
			return preimage{}
		}
		return one(f(c, t))
	}
}

func halfPi(c *decimal.Context) decimal.Decimal      { return c.Quo(decimal.Pi(), decimal.Int(2)) }
func minusHalfPi(c *decimal.Context) decimal.Decimal { return halfPi(c).Neg() }

func angleFunction(name, doc string, ex example, f func(*decimal.Context, decimal.Decimal) decimal.Decimal, g func(float64) float64, inv inverse) *function {
	return &function{
		name: name, params: unary("x", "angle"), result: "1", doc: doc, examples: []example{ex},
		eval: apply(f), float: float1(g), inverse: inv,
	}
}

func numberFunction(name, result, doc string, ex example, f func(*decimal.Context, decimal.Decimal) decimal.Decimal, g func(float64) float64, inv inverse) *function {
	return &function{
		name: name, params: unary("x", "1"), result: result, doc: doc, examples: []example{ex},
		eval: apply(f), float: float1(g), inverse: inv,
	}
}

var trigonometry = []*function{
	angleFunction("sin", "The sine of an angle; a plain number is in radians.", example{"sin(30 [deg])", "0.5"},
		(*decimal.Context).Sin, math.Sin, principal((*decimal.Context).Asin, true, 2,
			func(c *decimal.Context, a decimal.Decimal) decimal.Decimal { return c.Sub(decimal.Pi(), a) })),
	angleFunction("cos", "The cosine of an angle; a plain number is in radians.", example{"cos(60 [deg])", "0.5"},
		(*decimal.Context).Cos, math.Cos, principal((*decimal.Context).Acos, true, 2,
			func(_ *decimal.Context, a decimal.Decimal) decimal.Decimal { return a.Neg() })),
	angleFunction("tan", "The tangent of an angle; a plain number is in radians.", example{"tan(45 [deg])", "1"},
		(*decimal.Context).Tan, math.Tan, principal((*decimal.Context).Atan, false, 1, nil)),
	numberFunction("asin", "angle", "The angle between -90 and 90 degrees whose sine is x.", example{"asin(0)", "0 rad"},
		(*decimal.Context).Asin, math.Asin, within((*decimal.Context).Sin, minusHalfPi, halfPi)),
	numberFunction("acos", "angle", "The angle between 0 and 180 degrees whose cosine is x.", example{"acos(1)", "0 rad"},
		(*decimal.Context).Acos, math.Acos, within((*decimal.Context).Cos,
			func(*decimal.Context) decimal.Decimal { return decimal.Decimal{} }, func(*decimal.Context) decimal.Decimal { return decimal.Pi() })),
	numberFunction("atan", "angle", "The angle between -90 and 90 degrees whose tangent is x.", example{"atan(1) == pi / 4", "1"},
		(*decimal.Context).Atan, math.Atan, within((*decimal.Context).Tan, minusHalfPi, halfPi)),
	{
		name: "atan2", params: []param{{name: "y", dimension: "a"}, {name: "x", dimension: "a"}}, result: "angle",
		doc:      "The angle of the point (x, y) seen from the origin, from -180 to 180 degrees.",
		examples: []example{{"atan2(1, 1) == pi / 4", "1"}, {"atan2(0, -1) == pi", "1"}},
		eval:     func(c *decimal.Context, a decimals) decimal.Decimal { return c.Atan2(a[0], a[1]) },
		float:    func(a []float64) float64 { return math.Atan2(a[0], a[1]) },
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
	numberFunction("sinh", "1", "The hyperbolic sine of x.", example{"sinh(0)", "0"},
		(*decimal.Context).Sinh, math.Sinh, undo((*decimal.Context).Asinh, nil)),
	numberFunction("cosh", "1", "The hyperbolic cosine of x.", example{"cosh(0)", "1"},
		(*decimal.Context).Cosh, math.Cosh, func(c *decimal.Context, _ decimals, _ int, t decimal.Decimal) preimage {
			if t.Cmp(decimal.Int(1)) < 0 {
				return preimage{}
			}
			return plusMinus(c.Acosh(t))
		}),
	numberFunction("tanh", "1", "The hyperbolic tangent of x.", example{"tanh(0)", "0"},
		(*decimal.Context).Tanh, math.Tanh, undo((*decimal.Context).Atanh, func(t decimal.Decimal) bool { return t.Abs().Cmp(decimal.Int(1)) < 0 })),
	numberFunction("asinh", "1", "The inverse hyperbolic sine of x.", example{"asinh(0)", "0"},
		(*decimal.Context).Asinh, math.Asinh, undo((*decimal.Context).Sinh, nil)),
	numberFunction("acosh", "1", "The inverse hyperbolic cosine of x, at least 1.", example{"acosh(1)", "0"},
		(*decimal.Context).Acosh, math.Acosh, undo((*decimal.Context).Cosh, nonnegative)),
	numberFunction("atanh", "1", "The inverse hyperbolic tangent of x, between -1 and 1.", example{"atanh(0)", "0"},
		(*decimal.Context).Atanh, math.Atanh, undo((*decimal.Context).Tanh, nil)),
}
