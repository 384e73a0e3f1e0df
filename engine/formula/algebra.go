package formula

import (
	"math"
	"slices"

	"reckon/engine/decimal"
)

type Decimals = []decimal.Decimal

// Unary makes the parameter list of a function of one argument.
func Unary(name, dimension string) []param { return []param{{name: name, dimension: dimension}} }

// apply turns a method of Context into the body of a function of one argument.
func apply(f func(*decimal.Context, decimal.Decimal) decimal.Decimal) func(*decimal.Context, Decimals) decimal.Decimal {
	return func(c *decimal.Context, a Decimals) decimal.Decimal { return f(c, a[0]) }
}

func float1(f func(float64) float64) func([]float64) float64 {
	return func(a []float64) float64 { return f(a[0]) }
}

// Functions that the engine itself writes into expressions.
var (
	SquareRoot = &Entry{
		Name: "sqrt", Params: Unary("x", "a^2"), Result: "a",
		Doc:      "The square root of x, which must not be negative.",
		Examples: []example{{"sqrt(16)", "4"}, {"sqrt(2.25)", "1.5"}, {"sqrt(9 [m^2])", "3 m"}, {"sqrt(-1)", "! calculation.domain_error"}},
		Eval:     apply((*decimal.Context).Sqrt), Float: float1(math.Sqrt),
		Interval: intervalSqrt, Slopes: []string{"1 / (2 * sqrt(x))"}, Isolated: []string{"t^2"}, Plain: true,
	}
	CubeRoot = &Entry{
		Name: "cbrt", Params: Unary("x", "a^3"), Result: "a",
		Doc:      "The cube root of x.",
		Examples: []example{{"cbrt(27)", "3"}, {"cbrt(-8)", "-2"}},
		Eval:     apply((*decimal.Context).Cbrt), Float: float1(math.Cbrt),
		Interval: monotone(math.Cbrt, AllNumbers, AllNumbers), Slopes: []string{"1 / (3 * cbrt(x)^2)"},
		Isolated: []string{"t^3"}, Plain: true,
	}
	AnyRoot = &Entry{
		Name: "root", Params: []param{{name: "x", dimension: "any"}, {name: "n", dimension: "1"}}, Result: "any", rule: rootRule,
		Doc:      "The n-th root of x; odd roots of negative numbers are negative.",
		Examples: []example{{"root(81, 4)", "3"}, {"root(-32, 5)", "-2"}, {"root(-16, 4)", "! calculation.domain_error"}},
		Eval:     func(c *decimal.Context, a Decimals) decimal.Decimal { return NthRoot(c, a[0], a[1]) },
		Float: func(a []float64) float64 {
			if a[0] < 0 && math.Mod(a[1], 2) != 0 && a[1] == math.Trunc(a[1]) {
				return -math.Pow(-a[0], 1/a[1])
			}
			return math.Pow(a[0], 1/a[1])
		},
		Inverse: func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage {
			if k == 0 {
				if i, ok := a[1].Int64(); t.Sign() < 0 && (!ok || i%2 == 0) {
					return Preimage{}
				}
				return OneRoot(c.Pow(t, a[1]))
			}
			if a[0].Sign() <= 0 || t.Sign() <= 0 || IsOne(t) {
				return Preimage{}
			}
			return OneRoot(c.Quo(c.Ln(a[0]), c.Ln(t)))
		},
		Interval: intervalRoot, Slopes: []string{"root(x, n) / (n * x)", "-root(x, n) * ln(x) / n^2"}, Isolated: []string{"t^n"},
		Undone: [][]string{nil, {"ln(x) / ln(t)"}},
	}
	NaturalLogarithm = &Entry{
		Name: "ln", Params: Unary("x", "1"), Result: "1",
		Doc:      "The natural logarithm of x.",
		Examples: []example{{"ln(e)", "1"}, {"ln(1)", "0"}, {"ln(0)", "! calculation.domain_error"}},
		Eval:     apply((*decimal.Context).Ln), Float: float1(math.Log),
		Interval: intervalLn, Slopes: []string{"1 / x"}, Isolated: []string{"exp(t)"}, Plain: true,
	}
)

// toMultiple are the parameters of roundings to a multiple.
var toMultiple = []param{{name: "x", dimension: "round"}, {name: "multiple", dimension: "a", value: "1"}}

// multiple makes the body of a rounding to a multiple. One below 0 turns the direction for numbers
// below 0, as in spreadsheets, and fits no others.
func multiple(name string, whole func(*decimal.Context, decimal.Decimal) decimal.Decimal) func(*decimal.Context, Decimals) decimal.Decimal {
	return func(c *decimal.Context, a Decimals) decimal.Decimal {
		if len(a) == 1 {
			return whole(c, Settled(c, a[0]))
		}
		if a[1].IsZero() || a[1].Sign() < 0 && a[0].Sign() > 0 {
			return refused(c, name, a[1])
		}
		return c.Mul(whole(c, Settled(c, c.Quo(a[0], a[1]))), a[1])
	}
}

var algebra = []*Entry{
	{
		Name: "abs", Params: Unary("x", "a"), Result: "a", Points: alikeResult, Choice: EitherSign,
		Doc:      "The magnitude of x.",
		Examples: []example{{"abs(-3)", "3"}, {"abs(2.5)", "2.5"}},
		Eval:     func(_ *decimal.Context, a Decimals) decimal.Decimal { return a[0].Abs() },
		Float:    float1(math.Abs),
		Interval: intervalAbs, Formula: "if(x < 0, -x, x)", Isolated: []string{"t", "-t"},
	},
	{
		Name: "sign", Params: Unary("x", "a"), Result: "1",
		Doc:      "1 for positive x, -1 for negative x, 0 for 0.",
		Examples: []example{{"sign(-3)", "-1"}, {"sign(0)", "0"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			x := Certain(c, a[0])
			if x.IsZero() {
				return x
			}
			return decimal.Int(int64(x.Sign()))
		},
		Float: float1(func(x float64) float64 {
			switch {
			case x > 0:
				return 1
			case x < 0:
				return -1
			}
			return x
		}),
		Interval: intervalSign, Slopes: []string{"0"},
	},
	SquareRoot, CubeRoot, AnyRoot,
	{
		Name: "exp", Params: Unary("x", "1"), Result: "1",
		Doc:      "e to the power x.",
		Examples: []example{{"exp(0)", "1"}, {"exp(1) == e", "1"}},
		Eval:     apply((*decimal.Context).Exp), Float: float1(math.Exp),
		Interval: intervalExp, Slopes: []string{"exp(x)"}, Isolated: []string{"ln(t)"}, Plain: true,
	},
	NaturalLogarithm,
	{
		Name: "log", Params: []param{{name: "x", dimension: "1"}, {name: "base", dimension: "1", value: "10"}}, Result: "1",
		Doc:      "The logarithm of x, to base 10 unless another is given.",
		Examples: []example{{"log(1000)", "3"}, {"log(8, 2)", "3"}, {"log(5, 1)", "! calculation.domain_error"}, {"log(0)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			if a[0].Sign() <= 0 {
				return c.Fail(&decimal.UndefinedError{Function: "log", Argument: a[0]})
			}
			if len(a) == 1 {
				return c.Log10(a[0])
			}
			if a[1].Sign() <= 0 || IsOne(a[1]) {
				return c.Fail(&decimal.UndefinedError{Function: "log", Argument: a[1]})
			}
			return c.Quo(c.Ln(a[0]), c.Ln(a[1]))
		},
		Float: func(a []float64) float64 {
			if len(a) == 1 {
				return math.Log10(a[0])
			}
			return math.Log(a[0]) / math.Log(a[1])
		},
		Inverse: func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage {
			switch {
			case len(a) == 1:
				return OneRoot(c.Pow(decimal.Int(10), t))
			case k == 0:
				return OneRoot(c.Pow(a[1], t))
			case t.IsZero():
				return Preimage{Infinite: IsOne(a[0])}
			}
			return OneRoot(c.Pow(a[0], c.Quo(decimal.Int(1), t)))
		},
		Formula: "ln(x) / ln(base)", Isolated: []string{"base^t"}, Undone: [][]string{nil, {"x^(1 / t)"}}, Plain: true,
	},
	{
		Name: "log10", Params: Unary("x", "1"), Result: "1",
		Doc: "The logarithm of x to base 10.", Examples: []example{{"log10(0.01)", "-2"}, {"log10(1000)", "3"}},
		Eval: apply((*decimal.Context).Log10), Float: float1(math.Log10),
		Interval: monotone(math.Log10, notNegative, AllNumbers), Formula: "ln(x) / ln(10)",
		Isolated: []string{"10^t"}, Plain: true,
	},
	{
		Name: "log2", Params: Unary("x", "1"), Result: "1",
		Doc: "The logarithm of x to base 2.", Examples: []example{{"log2(1024)", "10"}, {"log2(0.5)", "-1"}},
		Eval: apply((*decimal.Context).Log2), Float: float1(math.Log2),
		Interval: monotone(math.Log2, notNegative, AllNumbers), Formula: "ln(x) / ln(2)",
		Isolated: []string{"2^t"}, Plain: true,
	},
	{
		Name: "hypot", Params: []param{{name: "x", dimension: "a"}, {name: "y", dimension: "a"}}, Result: "a",
		Doc: "The square root of x² + y².", Examples: []example{{"hypot(3, 4)", "5"}, {"hypot(5 [m], 1200 [cm])", "13 m"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			return c.Sqrt(c.Add(c.Mul(a[0], a[0]), c.Mul(a[1], a[1])))
		},
		Float: func(a []float64) float64 { return math.Hypot(a[0], a[1]) },
		Inverse: func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage {
			other := a[1-k]
			square := c.Sub(c.Mul(t, t), c.Mul(other, other))
			if t.Sign() < 0 || square.Sign() < 0 {
				return Preimage{}
			}
			return PlusMinus(c.Sqrt(square))
		},
		Formula: "sqrt(x^2 + y^2)",
	},
	{
		Name: "floor", Params: toMultiple, Result: "a", Points: alikeResult,
		Doc: "The largest integer not above x, or the largest multiple not above it.",
		Examples: []example{{"floor(2.7)", "2"}, {"floor(-2.1)", "-3"}, {"floor(1/3*3)", "1"}, {"floor(17, 5)", "15"}, {"floor(-2.1, 0.5)", "-2.5"},
			{"floor(-2.5, -2)", "-2"}, {"floor(1, 0)", "! calculation.domain_error"}},
		Eval:        multiple("floor", (*decimal.Context).Floor),
		Interval:    intervalFloor,
		Spreadsheet: "FLOOR FLOOR.MATH INT",
	},
	{
		Name: "ceil", Params: toMultiple, Result: "a", Points: alikeResult,
		Doc:         "The smallest integer not below x, or the smallest multiple not below it.",
		Examples:    []example{{"ceil(2.1)", "3"}, {"ceil(-2.7)", "-2"}, {"ceil(17, 5)", "20"}, {"ceil(0.3, 0.1)", "0.3"}, {"ceil(-2.5, -2)", "-4"}},
		Eval:        multiple("ceil", (*decimal.Context).Ceil),
		Interval:    intervalCeil,
		Spreadsheet: "CEILING CEILING.MATH ROUNDUP",
	},
	{
		Name: "round", Params: []param{{name: "x", dimension: "round"}, {name: "places", dimension: "1", value: "0"}}, Result: "a", Points: absolute,
		Doc:      "x rounded to a number of decimal places, ties away from zero; negative places round left of the point.",
		Examples: []example{{"round(2.5)", "3"}, {"round(-2.5)", "-3"}, {"round(3.14159, 2)", "3.14"}, {"round(1250, -2)", "1300"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			places := int64(0)
			if len(a) == 2 {
				var ok bool
				if places, ok = a[1].Int64(); !ok || places > 1000 || places < -1000 {
					return c.Fail(&decimal.UndefinedError{Function: "round", Argument: a[1]})
				}
			}
			// A tie that division left a hair below rounds as the tie that it is.
			return c.Round(settledAt(c, a[0], int(places)), int(places))
		},
		Interval: intervalRound,
	},
	{
		Rising: inSteps("+."), Name: "round_to", Params: []param{{name: "x", dimension: "round"}, {name: "multiple", dimension: "a"}}, Result: "a", Points: alikeResult,
		Doc:      "The multiple nearest to x, of two as near the one further from 0.",
		Examples: []example{{"round_to(10, 3)", "9"}, {"round_to(1.3, 0.2)", "1.4"}, {"round_to(-10, -3)", "-9"}, {"round_to(2.5 [USD], 1 [USD])", "3 USD"}, {"round_to(5, -2)", "! calculation.domain_error"}},
		Eval: multiple("round_to", func(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
			return c.Round(settledAt(c, x, 0), 0)
		}),
		Spreadsheet: "MROUND",
	},
	{
		Name: "trunc", Spreadsheet: "ROUNDDOWN", Params: Unary("x", "round"), Result: "a",
		Doc: "x without its fraction.", Examples: []example{{"trunc(2.7)", "2"}, {"trunc(-2.7)", "-2"}},
		Eval:     func(c *decimal.Context, a Decimals) decimal.Decimal { return c.Trunc(Settled(c, a[0])) },
		Interval: intervalTrunc,
	},
	{
		Name: "mod", Params: []param{{name: "x", dimension: "a"}, {name: "y", dimension: "a"}}, Result: "a",
		Doc: "The remainder of x divided by y, with the sign of y.", Examples: []example{{"mod(7, 3)", "1"}, {"mod(-7, 3)", "2"}, {"mod(7, -3)", "-2"}, {"mod(5, 0)", "! calculation.division_by_zero"}},
		Eval: remainder, Interval: intervalMod,
	},
	{
		Name: "min", Params: Unary("x", "a"), Variadic: true, Result: "a", Points: alikeResult, Choice: anArgument, reduces: true,
		Doc: "The least of its arguments.", Examples: []example{{"min(3, 1, 2)", "1"}, {"min([3, 1, 2])", "1"}, {"min(2 [m], 1 [km])", "2 m"}},
		Eval:     func(_ *decimal.Context, a Decimals) decimal.Decimal { return Extreme(a, -1) },
		Float:    slices.Min[[]float64],
		Inverse:  func(_ *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage { return oneOf(a, k, t, -1) },
		Interval: intervalMin, Formula: "if(x <= y, x, y)",
	},
	{
		Name: "max", Params: Unary("x", "a"), Variadic: true, Result: "a", Points: alikeResult, Choice: anArgument, reduces: true,
		Doc: "The greatest of its arguments.", Examples: []example{{"max(3, 1, 2)", "3"}, {"max([3, 1, 2])", "3"}},
		Eval:     func(_ *decimal.Context, a Decimals) decimal.Decimal { return Extreme(a, 1) },
		Float:    slices.Max[[]float64],
		Inverse:  func(_ *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage { return oneOf(a, k, t, 1) },
		Interval: intervalMax, Formula: "if(x >= y, x, y)",
	},
	{
		Name:   "clamp",
		Params: []param{{name: "x", dimension: "a"}, {name: "low", dimension: "a", Lost: true}, {name: "high", dimension: "a", Lost: true}},
		Result: "a", Points: alikeResult, Choice: anArgument,
		Doc: "x, but not below low and not above high, which must not be below low.", Examples: []example{{"clamp(7, 0, 5)", "5"}, {"clamp(3, 0, 5)", "3"}, {"clamp(3, 5, 0)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			if a[1].Cmp(a[2]) > 0 {
				return c.Fail(&decimal.UndefinedError{Function: "clamp", Argument: a[1]})
			}
			return Extreme(Decimals{Extreme(Decimals{a[0], a[1]}, 1), a[2]}, -1)
		},
		Float: func(a []float64) float64 {
			if a[1] > a[2] {
				return math.NaN()
			}
			return math.Min(math.Max(a[0], a[1]), a[2])
		},
		Inverse: func(_ *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage {
			if k != 0 {
				return Preimage{}
			}
			low, high := t.Cmp(a[1]), t.Cmp(a[2])
			switch {
			case low < 0 || high > 0:
				return Preimage{}
			case low == 0 || high == 0:
				return Preimage{Infinite: true}
			}
			return OneRoot(t)
		},
		Formula: "if(low <= high, min(max(x, low), high), 1 / 0)",
	},
	{
		Name: "gcd", Params: Unary("x", "1"), Variadic: true, Result: "1",
		Doc: "The greatest common divisor of integers.", Examples: []example{{"gcd(12, 18)", "6"}, {"gcd(24, 36, 20)", "4"}, {"gcd(1.5, 2)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			g := decimal.Int(0)
			for _, x := range a {
				g = gcd(c, "gcd", g, x)
			}
			return g
		},
	},
	{
		Name: "lcm", Params: Unary("x", "1"), Variadic: true, Result: "1",
		Doc: "The least common multiple of integers.", Examples: []example{{"lcm(4, 6)", "12"}, {"lcm(0, 3)", "0"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			l := decimal.Int(1)
			for _, x := range a {
				g := gcd(c, "lcm", l, x)
				if g.IsZero() || x.IsZero() {
					return decimal.Decimal{}
				}
				l = c.Mul(c.Quo(l, g), x).Abs()
			}
			return l
		},
	},
	{
		Rising: inSteps("#"), Name: "factorial", Spreadsheet: "FACT", Params: Unary("n", "1"), Result: "1",
		Doc: "The product of the integers from 1 to n, up to n = 1000.", Examples: []example{{"factorial(5)", "120"}, {"factorial(0)", "1"}, {"factorial(2.5)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			n, ok := a[0].Int64()
			if !ok || n < 0 || n > 1000 {
				return c.Fail(&decimal.UndefinedError{Function: "factorial", Argument: a[0]})
			}
			return factorial(c, n)
		},
	},
	{
		Rising: inSteps("#."), Name: "choose", Spreadsheet: "COMBIN", Params: []param{{name: "n", dimension: "1"}, {name: "k", dimension: "1"}}, Result: "1",
		Doc: "The number of ways to take k of n things.", Examples: []example{{"choose(5, 2)", "10"}, {"choose(3, 5)", "0"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			n, ok1 := a[0].Int64()
			k, ok2 := a[1].Int64()
			if !ok1 || !ok2 || n < 0 || k < 0 || n > 1_000_000 {
				bad := a[0]
				if ok1 && n >= 0 {
					bad = a[1]
				}
				return c.Fail(&decimal.UndefinedError{Function: "choose", Argument: bad})
			}
			if k > n {
				return decimal.Decimal{}
			}
			k = min(k, n-k)
			p := decimal.Int(1)
			for i := int64(1); i <= k && c.Err() == nil; i++ {
				p = c.Quo(c.Mul(p, decimal.Int(n-k+i)), decimal.Int(i))
			}
			return p
		},
	},
	{
		Name: "if", Params: []param{{name: "condition", dimension: "1", Lost: true}, {name: "then", dimension: "a"}, {name: "else", dimension: "a"}},
		Result: "a", Points: alikeResult, Choice: anArgument, Lazy: true,
		Doc:      "The second argument when the first is true (not 0), else the third. Only the chosen one is calculated.",
		Examples: []example{{"if(2 > 1, 10, 20)", "10"}, {"if(false, 1/0, 7)", "7"}},
		Float:    func([]float64) float64 { return 0 },
	},
}

func rootRule(c *checker, n *Node) Dimension {
	x := c.of(n.Args[0])
	if p, q, ok := smallFraction(n.Args[1]); ok && p != 0 {
		if p < 0 {
			p, q = -p, -q
		}
		if d, fits := (Dimension{}).times(c.solver.Resolve(x), q, p); fits {
			return d
		}
		c.fail(n.Start, "The dimension of this root cannot be expressed: %s.", c.describe(n.Args[0], x))
		return Dimension{}
	}
	c.plain(n.Args[1], "The degree of a root")
	if c.err == nil && !c.solver.Equate(x, Dimension{}) {
		c.fail(n.Args[0].Start, "A root whose degree is not a constant needs a plain number, but %s.", c.describe(n.Args[0], x))
	}
	return Dimension{}
}

func IsOne(d decimal.Decimal) bool { return d.Cmp(decimal.Int(1)) == 0 }

func PlusMinus(d decimal.Decimal) Preimage {
	if d.IsZero() {
		return OneRoot(d)
	}
	return Preimage{Roots: Decimals{d, d.Neg()}}
}

func NthRoot(c *decimal.Context, x, n decimal.Decimal) decimal.Decimal {
	i, ok := n.Int64()
	switch {
	case n.IsZero():
		return c.Fail(&decimal.UndefinedError{Function: "root", Argument: n})
	case ok && i == 1:
		return x
	case ok && i == 2:
		return c.Sqrt(x)
	case ok && i == 3:
		return c.Cbrt(x)
	case ok && i < 0:
		return c.Quo(decimal.Int(1), NthRoot(c, x, n.Neg()))
	case x.IsZero():
		return x
	case x.Sign() < 0 && ok && i%2 != 0:
		return NthRoot(c, x.Neg(), n).Neg()
	case x.Sign() < 0:
		return c.Fail(&decimal.UndefinedError{Function: "root", Argument: x})
	}
	r := c.Pow(x, c.Quo(decimal.Int(1), n))
	if ok && i <= 10_000 && c.Err() == nil {
		// One Newton step takes back what rounding 1/n cost.
		power := c.Pow(r, decimal.Int(i-1))
		r = c.Sub(r, c.Quo(c.Sub(c.Mul(power, r), x), c.Mul(n, power)))
	}
	return r
}

// Extreme is the greatest (sign 1) or least (-1) of numbers.
func Extreme(a Decimals, sign int) decimal.Decimal {
	best := a[0]
	for _, x := range a[1:] {
		if x.Cmp(best)*sign > 0 {
			best = x
		}
	}
	return best
}

// oneOf finds argument k of min (-1) or max (1).
func oneOf(a Decimals, k int, t decimal.Decimal, sign int) Preimage {
	var others Decimals
	for i, x := range a {
		if i != k {
			others = append(others, x)
		}
	}
	if len(others) == 0 {
		return OneRoot(t)
	}
	switch t.Cmp(Extreme(others, sign)) * sign {
	case 1:
		return OneRoot(t)
	case 0:
		return Preimage{Infinite: true}
	}
	return Preimage{}
}

// remainder is x mod y. What rounding has left of a whole quotient is no remainder.
func remainder(c *decimal.Context, a Decimals) decimal.Decimal {
	x, y := a[0], a[1]
	r := c.Mod(x, y)
	if c.Err() != nil || r.IsZero() || x.IsInteger() && y.IsInteger() {
		return r
	}
	noise := c.Mul(x.Abs(), hair)
	if wide := c.Mul(noise, decimal.Int(1_000_000)); wide.Cmp(y.Abs()) < 0 && (r.Abs().Cmp(noise) <= 0 || c.Sub(y, r).Abs().Cmp(noise) <= 0) {
		return decimal.Decimal{}
	}
	return r
}

func gcd(c *decimal.Context, name string, a, b decimal.Decimal) decimal.Decimal {
	for _, x := range (Decimals{a, b}) {
		if !x.IsInteger() {
			return c.Fail(&decimal.UndefinedError{Function: name, Argument: x})
		}
	}
	a, b = a.Abs(), b.Abs()
	for !b.IsZero() && c.Err() == nil {
		a, b = b, c.Mod(a, b)
	}
	return a
}
