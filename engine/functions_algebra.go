package engine

import (
	"math"

	"reckon/engine/decimal"
)

type decimals = []decimal.Decimal

// unary makes the parameter list of a function of one argument.
func unary(name, dimension string) []param { return []param{{name: name, dimension: dimension}} }

// apply turns a method of Context into the body of a function of one argument.
func apply(f func(*decimal.Context, decimal.Decimal) decimal.Decimal) func(*decimal.Context, decimals) decimal.Decimal {
	return func(c *decimal.Context, a decimals) decimal.Decimal { return f(c, a[0]) }
}

func float1(f func(float64) float64) func([]float64) float64 {
	return func(a []float64) float64 { return f(a[0]) }
}

// Functions that the engine itself writes into expressions.
var (
	squareRoot = &function{
		name: "sqrt", params: unary("x", "a^2"), result: "a",
		doc:      "The square root of x, which must not be negative.",
		examples: []example{{"sqrt(16)", "4"}, {"sqrt(2.25)", "1.5"}, {"sqrt(9 [m^2])", "3 m"}, {"sqrt(-1)", "! calculation.domain_error"}},
		eval:     apply((*decimal.Context).Sqrt), float: float1(math.Sqrt),
		interval: intervalSqrt, slopes: []string{"1 / (2 * sqrt(x))"}, isolated: []string{"t^2"}, plain: true,
	}
	cubeRoot = &function{
		name: "cbrt", params: unary("x", "a^3"), result: "a",
		doc:      "The cube root of x.",
		examples: []example{{"cbrt(27)", "3"}, {"cbrt(-8)", "-2"}},
		eval:     apply((*decimal.Context).Cbrt), float: float1(math.Cbrt),
		interval: monotone(math.Cbrt, allNumbers, allNumbers), slopes: []string{"1 / (3 * cbrt(x)^2)"},
		isolated: []string{"t^3"}, plain: true,
	}
	anyRoot = &function{
		name: "root", params: []param{{name: "x", dimension: "any"}, {name: "n", dimension: "1"}}, result: "any", rule: rootRule,
		doc:      "The n-th root of x; odd roots of negative numbers are negative.",
		examples: []example{{"root(81, 4)", "3"}, {"root(-32, 5)", "-2"}, {"root(-16, 4)", "! calculation.domain_error"}},
		eval:     func(c *decimal.Context, a decimals) decimal.Decimal { return nthRoot(c, a[0], a[1]) },
		float: func(a []float64) float64 {
			if a[0] < 0 && math.Mod(a[1], 2) != 0 && a[1] == math.Trunc(a[1]) {
				return -math.Pow(-a[0], 1/a[1])
			}
			return math.Pow(a[0], 1/a[1])
		},
		inverse: func(c *decimal.Context, a decimals, k int, t decimal.Decimal) preimage {
			if k == 0 {
				if i, ok := a[1].Int64(); t.Sign() < 0 && (!ok || i%2 == 0) {
					return preimage{}
				}
				return one(c.Pow(t, a[1]))
			}
			if a[0].Sign() <= 0 || t.Sign() <= 0 || isOne(t) {
				return preimage{}
			}
			return one(c.Quo(c.Ln(a[0]), c.Ln(t)))
		},
		interval: intervalRoot, slopes: []string{"root(x, n) / (n * x)", "-root(x, n) * ln(x) / n^2"}, isolated: []string{"t^n"},
	}
	naturalLogarithm = &function{
		name: "ln", params: unary("x", "1"), result: "1",
		doc:      "The natural logarithm of x.",
		examples: []example{{"ln(e)", "1"}, {"ln(1)", "0"}, {"ln(0)", "! calculation.domain_error"}},
		eval:     apply((*decimal.Context).Ln), float: float1(math.Log),
		interval: intervalLn, slopes: []string{"1 / x"}, isolated: []string{"exp(t)"}, plain: true,
	}
)

var algebra = []*function{
	{
		name: "abs", params: unary("x", "a"), result: "a", points: alikeResult, choice: eitherSign,
		doc:      "The magnitude of x.",
		examples: []example{{"abs(-3)", "3"}, {"abs(2.5)", "2.5"}},
		eval:     func(_ *decimal.Context, a decimals) decimal.Decimal { return a[0].Abs() },
		float:    float1(math.Abs),
		interval: intervalAbs, formula: "if(x < 0, -x, x)", isolated: []string{"t", "-t"},
	},
	{
		name: "sign", params: unary("x", "a"), result: "1",
		doc:      "1 for positive x, -1 for negative x, 0 for 0.",
		examples: []example{{"sign(-3)", "-1"}, {"sign(0)", "0"}},
		eval:     func(_ *decimal.Context, a decimals) decimal.Decimal { return decimal.Int(int64(a[0].Sign())) },
	},
	squareRoot, cubeRoot, anyRoot,
	{
		name: "exp", params: unary("x", "1"), result: "1",
		doc:      "e to the power x.",
		examples: []example{{"exp(0)", "1"}, {"exp(1) == e", "1"}},
		eval:     apply((*decimal.Context).Exp), float: float1(math.Exp),
		interval: intervalExp, slopes: []string{"exp(x)"}, isolated: []string{"ln(t)"}, plain: true,
	},
	naturalLogarithm,
	{
		name: "log", params: []param{{name: "x", dimension: "1"}, {name: "base", dimension: "1", value: "10"}}, result: "1",
		doc:      "The logarithm of x, to base 10 unless another is given.",
		examples: []example{{"log(1000)", "3"}, {"log(8, 2)", "3"}, {"log(5, 1)", "! calculation.domain_error"}, {"log(0)", "! calculation.domain_error"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			if a[0].Sign() <= 0 {
				return c.Fail(&decimal.UndefinedError{Function: "log", Argument: a[0]})
			}
			if len(a) == 1 {
				return c.Log10(a[0])
			}
			if a[1].Sign() <= 0 || isOne(a[1]) {
				return c.Fail(&decimal.UndefinedError{Function: "log", Argument: a[1]})
			}
			return c.Quo(c.Ln(a[0]), c.Ln(a[1]))
		},
		float: func(a []float64) float64 {
			if len(a) == 1 {
				return math.Log10(a[0])
			}
			return math.Log(a[0]) / math.Log(a[1])
		},
		inverse: func(c *decimal.Context, a decimals, k int, t decimal.Decimal) preimage {
			switch {
			case len(a) == 1:
				return one(c.Pow(decimal.Int(10), t))
			case k == 0:
				return one(c.Pow(a[1], t))
			case t.IsZero():
				return preimage{infinite: isOne(a[0])}
			}
			return one(c.Pow(a[0], c.Quo(decimal.Int(1), t)))
		},
		formula: "ln(x) / ln(base)", isolated: []string{"base^t"}, plain: true,
	},
	{
		name: "log10", params: unary("x", "1"), result: "1",
		doc: "The logarithm of x to base 10.", examples: []example{{"log10(0.01)", "-2"}, {"log10(1000)", "3"}},
		eval: apply((*decimal.Context).Log10), float: float1(math.Log10),
		interval: monotone(math.Log10, notNegative, allNumbers), formula: "ln(x) / ln(10)",
		isolated: []string{"10^t"}, plain: true,
	},
	{
		name: "log2", params: unary("x", "1"), result: "1",
		doc: "The logarithm of x to base 2.", examples: []example{{"log2(1024)", "10"}, {"log2(0.5)", "-1"}},
		eval: apply((*decimal.Context).Log2), float: float1(math.Log2),
		interval: monotone(math.Log2, notNegative, allNumbers), formula: "ln(x) / ln(2)",
		isolated: []string{"2^t"}, plain: true,
	},
	{
		name: "hypot", params: []param{{name: "x", dimension: "a"}, {name: "y", dimension: "a"}}, result: "a",
		doc: "The square root of x² + y².", examples: []example{{"hypot(3, 4)", "5"}, {"hypot(5 [m], 1200 [cm])", "13 m"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			return c.Sqrt(c.Add(c.Mul(a[0], a[0]), c.Mul(a[1], a[1])))
		},
		float: func(a []float64) float64 { return math.Hypot(a[0], a[1]) },
		inverse: func(c *decimal.Context, a decimals, k int, t decimal.Decimal) preimage {
			other := a[1-k]
			square := c.Sub(c.Mul(t, t), c.Mul(other, other))
			if t.Sign() < 0 || square.Sign() < 0 {
				return preimage{}
			}
			return plusMinus(c.Sqrt(square))
		},
		formula: "sqrt(x^2 + y^2)",
	},
	{
		name: "floor", params: unary("x", "round"), result: "a", points: alikeResult,
		doc: "The largest integer not above x.", examples: []example{{"floor(2.7)", "2"}, {"floor(-2.1)", "-3"}, {"floor(1/3*3)", "1"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal { return c.Floor(settled(c, a[0])) },
	},
	{
		name: "ceil", params: unary("x", "round"), result: "a", points: alikeResult,
		doc: "The smallest integer not below x.", examples: []example{{"ceil(2.1)", "3"}, {"ceil(-2.7)", "-2"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal { return c.Ceil(settled(c, a[0])) },
	},
	{
		name: "round", params: []param{{name: "x", dimension: "round"}, {name: "places", dimension: "1", value: "0"}}, result: "a", points: absolute,
		doc:      "x rounded to a number of decimal places, ties away from zero; negative places round left of the point.",
		examples: []example{{"round(2.5)", "3"}, {"round(-2.5)", "-3"}, {"round(3.14159, 2)", "3.14"}, {"round(1250, -2)", "1300"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
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
	},
	{
		name: "trunc", params: unary("x", "round"), result: "a",
		doc: "x without its fraction.", examples: []example{{"trunc(2.7)", "2"}, {"trunc(-2.7)", "-2"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal { return c.Trunc(settled(c, a[0])) },
	},
	{
		name: "mod", params: []param{{name: "x", dimension: "a"}, {name: "y", dimension: "a"}}, result: "a",
		doc: "The remainder of x divided by y, with the sign of y.", examples: []example{{"mod(7, 3)", "1"}, {"mod(-7, 3)", "2"}, {"mod(7, -3)", "-2"}, {"mod(5, 0)", "! calculation.division_by_zero"}},
		eval: remainder,
	},
	{
		name: "min", params: unary("x", "a"), variadic: true, result: "a", points: alikeResult, choice: anArgument, reduces: true,
		doc: "The least of its arguments.", examples: []example{{"min(3, 1, 2)", "1"}, {"min([3, 1, 2])", "1"}, {"min(2 [m], 1 [km])", "2 m"}},
		eval: func(_ *decimal.Context, a decimals) decimal.Decimal { return extreme(a, -1) },
		float: func(a []float64) float64 {
			least := a[0]
			for _, x := range a[1:] {
				least = math.Min(least, x)
			}
			return least
		},
		inverse:  func(_ *decimal.Context, a decimals, k int, t decimal.Decimal) preimage { return oneOf(a, k, t, -1) },
		interval: intervalMin, formula: "if(x <= y, x, y)",
	},
	{
		name: "max", params: unary("x", "a"), variadic: true, result: "a", points: alikeResult, choice: anArgument, reduces: true,
		doc: "The greatest of its arguments.", examples: []example{{"max(3, 1, 2)", "3"}, {"max([3, 1, 2])", "3"}},
		eval: func(_ *decimal.Context, a decimals) decimal.Decimal { return extreme(a, 1) },
		float: func(a []float64) float64 {
			most := a[0]
			for _, x := range a[1:] {
				most = math.Max(most, x)
			}
			return most
		},
		inverse:  func(_ *decimal.Context, a decimals, k int, t decimal.Decimal) preimage { return oneOf(a, k, t, 1) },
		interval: intervalMax, formula: "if(x >= y, x, y)",
	},
	{
		name:   "clamp",
		params: []param{{name: "x", dimension: "a"}, {name: "low", dimension: "a", lost: true}, {name: "high", dimension: "a", lost: true}},
		result: "a", points: alikeResult, choice: anArgument,
		doc: "x, but not below low and not above high, which must not be below low.", examples: []example{{"clamp(7, 0, 5)", "5"}, {"clamp(3, 0, 5)", "3"}, {"clamp(3, 5, 0)", "! calculation.domain_error"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			if a[1].Cmp(a[2]) > 0 {
				return c.Fail(&decimal.UndefinedError{Function: "clamp", Argument: a[1]})
			}
			return extreme(decimals{extreme(decimals{a[0], a[1]}, 1), a[2]}, -1)
		},
		float: func(a []float64) float64 {
			if a[1] > a[2] {
				return math.NaN()
			}
			return math.Min(math.Max(a[0], a[1]), a[2])
		},
		inverse: func(_ *decimal.Context, a decimals, k int, t decimal.Decimal) preimage {
			if k != 0 {
				return preimage{}
			}
			low, high := t.Cmp(a[1]), t.Cmp(a[2])
			switch {
			case low < 0 || high > 0:
				return preimage{}
			case low == 0 || high == 0:
				return preimage{infinite: true}
			}
			return one(t)
		},
		formula: "if(low <= high, min(max(x, low), high), 1 / 0)",
	},
	{
		name: "gcd", params: unary("x", "1"), variadic: true, result: "1",
		doc: "The greatest common divisor of integers.", examples: []example{{"gcd(12, 18)", "6"}, {"gcd(24, 36, 20)", "4"}, {"gcd(1.5, 2)", "! calculation.domain_error"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			g := decimal.Int(0)
			for _, x := range a {
				g = gcd(c, "gcd", g, x)
			}
			return g
		},
	},
	{
		name: "lcm", params: unary("x", "1"), variadic: true, result: "1",
		doc: "The least common multiple of integers.", examples: []example{{"lcm(4, 6)", "12"}, {"lcm(0, 3)", "0"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
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
		name: "factorial", params: unary("n", "1"), result: "1",
		doc: "The product of the integers from 1 to n, up to n = 1000.", examples: []example{{"factorial(5)", "120"}, {"factorial(0)", "1"}, {"factorial(2.5)", "! calculation.domain_error"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			n, ok := a[0].Int64()
			if !ok || n < 0 || n > 1000 {
				return c.Fail(&decimal.UndefinedError{Function: "factorial", Argument: a[0]})
			}
			p := decimal.Int(1)
			for i := int64(2); i <= n; i++ {
				p = c.Mul(p, decimal.Int(i))
			}
			return p
		},
	},
	{
		name: "choose", params: []param{{name: "n", dimension: "1"}, {name: "k", dimension: "1"}}, result: "1",
		doc: "The number of ways to take k of n things.", examples: []example{{"choose(5, 2)", "10"}, {"choose(3, 5)", "0"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
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
		name: "if", params: []param{{name: "condition", dimension: "1", lost: true}, {name: "then", dimension: "a"}, {name: "else", dimension: "a"}},
		result: "a", points: alikeResult, choice: anArgument, lazy: true,
		doc:      "The second argument when the first is true (not 0), else the third. Only the chosen one is calculated.",
		examples: []example{{"if(2 > 1, 10, 20)", "10"}, {"if(false, 1/0, 7)", "7"}},
		float:    func([]float64) float64 { return 0 },
	},
}

// rootRule is the dimension of root(x, n).
func rootRule(c *checker, n *node) dimension {
	x := c.of(n.args[0])
	if p, q, ok := smallFraction(n.args[1]); ok && p != 0 {
		if p < 0 {
			p, q = -p, -q
		}
		if d, fits := (dimension{}).times(c.solver.resolve(x), q, p); fits {
			return d
		}
		c.fail(n.start, "The dimension of this root cannot be expressed: %s.", c.describe(n.args[0], x))
		return dimension{}
	}
	c.plain(n.args[1], "The degree of a root")
	if c.err == nil && !c.solver.equate(x, dimension{}) {
		c.fail(n.args[0].start, "A root whose degree is not a constant needs a plain number, but %s.", c.describe(n.args[0], x))
	}
	return dimension{}
}

func isOne(d decimal.Decimal) bool { return d.Cmp(decimal.Int(1)) == 0 }

func plusMinus(d decimal.Decimal) preimage {
	if d.IsZero() {
		return one(d)
	}
	return preimage{roots: decimals{d, d.Neg()}}
}

// nthRoot is the n-th root of x.
func nthRoot(c *decimal.Context, x, n decimal.Decimal) decimal.Decimal {
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
		return c.Quo(decimal.Int(1), nthRoot(c, x, n.Neg()))
	case x.IsZero():
		return x
	case x.Sign() < 0 && ok && i%2 != 0:
		return nthRoot(c, x.Neg(), n).Neg()
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

// extreme is the greatest (sign 1) or least (-1) of numbers.
func extreme(a decimals, sign int) decimal.Decimal {
	best := a[0]
	for _, x := range a[1:] {
		if x.Cmp(best)*sign > 0 {
			best = x
		}
	}
	return best
}

// oneOf finds argument k of min (-1) or max (1).
func oneOf(a decimals, k int, t decimal.Decimal, sign int) preimage {
	var others decimals
	for i, x := range a {
		if i != k {
			others = append(others, x)
		}
	}
	if len(others) == 0 {
		return one(t)
	}
	switch t.Cmp(extreme(others, sign)) * sign {
	case 1:
		return one(t)
	case 0:
		return preimage{infinite: true}
	}
	return preimage{}
}

// remainder is x mod y. What rounding has left of a whole quotient is no remainder.
func remainder(c *decimal.Context, a decimals) decimal.Decimal {
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

// gcd is the greatest common divisor of integers.
func gcd(c *decimal.Context, name string, a, b decimal.Decimal) decimal.Decimal {
	for _, x := range (decimals{a, b}) {
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
