package formula

import (
	"math"

	"reckon/engine/decimal"
)

// special holds the functions that distributions are made of.
var special = []*Entry{
	{
		Name: "gamma", Params: Unary("x", "1"), Result: "1",
		Doc:      "The gamma function of x, which for whole numbers is the factorial of x - 1.",
		Examples: []example{{"gamma(5)", "24"}, {"gamma(0.5)^2 - pi", "0"}, {"gamma(-1.5)", "2.363271801207354703064223311121527"}, {"gamma(-1)", "! calculation.domain_error"}},
		Eval:     apply(gammaFunction), Float: float1(math.Gamma), Interval: intervalGamma,
		Spreadsheet: "GAMMA",
	},
	{
		Name: "ln_gamma", Params: Unary("x", "1"), Result: "1",
		Doc:      "The natural logarithm of the gamma function of x, which is above 0.",
		Examples: []example{{"ln_gamma(4)", "1.791759469228055000812477358380702"}, {"ln_gamma(1)", "0"}, {"ln_gamma(0)", "! calculation.domain_error"}},
		Eval:     apply(lnGamma), Float: float1(floatLnGamma), Interval: intervalLnGamma,
		Spreadsheet: "GAMMALN GAMMALN.PRECISE",
	},
	{
		Name: "erf", Params: Unary("x", "1"), Result: "1",
		Doc:      "The error function of x.",
		Examples: []example{{"erf(0)", "0"}, {"erf(1)", "0.8427007929497148693412206350826093"}, {"erf(-0.5)", "-0.5204998778130465376827466538919645"}},
		Eval:     apply(errorFunction), Float: float1(math.Erf),
		Interval: monotone(math.Erf, AllNumbers, unitInterval), Slopes: []string{"2 * exp(-x^2) / sqrt(pi)"}, Isolated: []string{"erf_inverse(t)"},
		Spreadsheet: "ERF ERF.PRECISE",
	},
	{
		Name: "erfc", Params: Unary("x", "1"), Result: "1",
		Doc:      "What the error function of x leaves to 1.",
		Examples: []example{{"erfc(0)", "1"}, {"erfc(2)", "0.004677734981047265837930743632747071"}, {"erfc(10)", "2.088487583762544757000786294957789e-45"}},
		Eval:     apply(errorRest), Float: float1(math.Erfc),
		Interval: falling(math.Erfc, AllNumbers, Interval{Lo: 0, Hi: 2}), Slopes: []string{"-2 * exp(-x^2) / sqrt(pi)"}, Isolated: []string{"erfc_inverse(t)"},
		Spreadsheet: "ERFC ERFC.PRECISE",
	},
	{
		Name: "erf_inverse", Params: Unary("p", "1"), Result: "1",
		Doc:      "The number whose error function is p.",
		Examples: []example{{"erf_inverse(0.5)", "0.4769362762044698733814183536431306"}, {"erf_inverse(0)", "0"}, {"erf_inverse(1)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			one := decimal.Int(1)
			return errorQuantile(c, "erf_inverse", a[0], c.Sub(one, a[0]), c.Add(one, a[0]))
		},
		Float: float1(math.Erfinv), Interval: nearly(math.Erfinv, unitInterval),
		Slopes: []string{"sqrt(pi) / 2 * exp(erf_inverse(p)^2)"}, Isolated: []string{"erf(t)"},
	},
	{
		Name: "erfc_inverse", Params: Unary("p", "1"), Result: "1",
		Doc: "The number whose error function leaves p to 1.",
		Examples: []example{{"erfc_inverse(0.5)", "0.4769362762044698733814183536431306"}, {"erfc_inverse(1e-300)", "26.20946996051612388599843873775934"},
			{"erfc_inverse(2)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			return errorQuantile(c, "erfc_inverse", c.Sub(decimal.Int(1), a[0]), a[0], c.Sub(decimal.Int(2), a[0]))
		},
		Float: first2(errorInverseAt), Intervals: enclosed(errorInverseAt, AllNumbers, Interval{Lo: 0, Hi: 2}),
		Slopes: []string{"-sqrt(pi) / 2 * exp(erfc_inverse(p)^2)"}, Isolated: []string{"erfc(t)"},
	},
	{
		Name: "gamma_p", Params: plainParams("x", "shape"), Result: "1",
		Doc: "The lower incomplete gamma function as a share of the whole: the probability that a gamma variable of some shape and scale 1 is at most x.",
		Examples: []example{{"gamma_p(2, 1) - (1 - exp(-2))", "0"}, {"gamma_p(3, 2.5)", "0.6937810815867215991206097089033597"}, {"gamma_p(0, 2)", "0"},
			{"gamma_p(1, 0)", "! calculation.domain_error"}},
		Eval: gammaShare("gamma_p", false), Float: floatGamma(false), Intervals: enclosedGamma(false),
		Slopes: []string{gammaDensity, ""}, Isolated: []string{"gamma_p_inverse(t, shape)"},
	},
	{
		Name: "gamma_q", Params: plainParams("x", "shape"), Result: "1",
		Doc:      "The upper incomplete gamma function as a share of the whole: what gamma_p leaves to 1.",
		Examples: []example{{"gamma_q(2, 1) - exp(-2)", "0"}, {"gamma_q(700, 2.5)", "1.376587514394370421926625603885702e-300"}, {"gamma_q(0, 2)", "1"}},
		Eval:     gammaShare("gamma_q", true), Float: floatGamma(true), Intervals: enclosedGamma(true),
		Slopes: []string{"-" + gammaDensity, ""}, Isolated: []string{"gamma_q_inverse(t, shape)"},
	},
	{
		Name: "gamma_p_inverse", Params: plainParams("p", "shape"), Result: "1",
		Doc:      "The x at which gamma_p(x, shape) is p.",
		Examples: []example{{"gamma_p_inverse(0.5, 1) - ln(2)", "0"}, {"gamma_p_inverse(0, 2)", "0"}, {"gamma_p_inverse(1, 2)", "! calculation.domain_error"}},
		Eval:     gammaInverse("gamma_p_inverse", false), Float: floatGammaInverse(false), Intervals: enclosedGammaInverse(false),
		Slopes:   []string{"gamma_p_inverse(p, shape) * exp(ln_gamma(shape) + gamma_p_inverse(p, shape) - shape * ln(gamma_p_inverse(p, shape)))", ""},
		Isolated: []string{"gamma_p(t, shape)"},
	},
	{
		Name: "gamma_q_inverse", Params: plainParams("p", "shape"), Result: "1",
		Doc:      "The x at which gamma_q(x, shape) is p.",
		Examples: []example{{"gamma_q_inverse(0.5, 1) - ln(2)", "0"}, {"gamma_q_inverse(1, 2)", "0"}, {"gamma_q_inverse(1e-200, 2)", "466.6647703353571997264919346897849"}},
		Eval:     gammaInverse("gamma_q_inverse", true), Float: floatGammaInverse(true), Intervals: enclosedGammaInverse(true),
		Slopes:   []string{"-gamma_q_inverse(p, shape) * exp(ln_gamma(shape) + gamma_q_inverse(p, shape) - shape * ln(gamma_q_inverse(p, shape)))", ""},
		Isolated: []string{"gamma_q(t, shape)"},
	},
}

const gammaDensity = "exp((shape - 1) * ln(x) - x - ln_gamma(shape))"

// errorFunction is P(1/2, x²) with the sign of x (NIST Digital Library 7.11.1).
func errorFunction(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
	if x.IsZero() {
		return x
	}
	t, small := gammaTails(c, c.Mul(x, x), half)
	share := t.side(c, false, small)
	if x.Sign() < 0 {
		return share.Neg()
	}
	return share
}

// errorRest is Q(1/2, x²), or below 0 what that leaves to 2.
func errorRest(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
	if x.IsZero() {
		return c.Sub(decimal.Int(1), x)
	}
	t, small := gammaTails(c, c.Mul(x, x), half)
	if x.Sign() < 0 {
		return c.Add(decimal.Int(1), t.side(c, false, small))
	}
	return t.side(c, true, small)
}

// errorQuantile is the number whose error function is p, and that leaves above to 1, below being
// 1 + p.
func errorQuantile(c *decimal.Context, name string, p, above, below decimal.Decimal) decimal.Decimal {
	switch {
	case above.Sign() <= 0 || below.Sign() <= 0:
		return c.Refuse(&decimal.UndefinedError{Function: name, Argument: p}, above, below)
	case p.IsZero():
		return p
	case p.Sign() < 0:
		return errorQuantile(c, name, p.Neg(), below, above).Neg()
	}
	return c.Sqrt(gammaQuantile(c, p, above, half))
}

// gammaInverse is the body of gamma_p_inverse, or of gamma_q_inverse where upper is set.
func gammaInverse(name string, upper bool) func(c *decimal.Context, args Decimals) decimal.Decimal {
	return func(c *decimal.Context, args Decimals) decimal.Decimal {
		p, a := args[0], args[1]
		lower, higher := p, c.Sub(decimal.Int(1), p)
		if upper {
			lower, higher = higher, lower
		}
		switch {
		case a.Sign() <= 0:
			return c.Refuse(&decimal.UndefinedError{Function: name, Argument: a}, a)
		case lower.Sign() < 0 || higher.Sign() <= 0:
			return c.Refuse(&decimal.UndefinedError{Function: name, Argument: p}, lower, higher)
		case lower.IsZero():
			return lower
		}
		return gammaQuantile(c, lower, higher, a)
	}
}

// errorInverseAt is erfc_inverse in float64.
func errorInverseAt(args []float64) (value, slack float64) {
	p := args[0]
	if !(p >= 0 && p <= 2) {
		return math.NaN(), 0
	}
	square, slack := placeOf(math.Min(p, 2-p), true, 0, func(u float64) logTails { return gammaLogs(u, 0.5) })
	return math.Copysign(math.Sqrt(square), 1-p), slack
}

func floatLnGamma(x float64) float64 {
	if x <= 0 {
		return math.NaN()
	}
	y, _ := math.Lgamma(x)
	return y
}

// leastGamma is next to where Γ is least above 0, and its logarithm there.
const leastGammaAt, leastLnGamma = 1.4616321449683622, -0.12148629053584961

func intervalLnGamma(a, _ Interval) Interval {
	if a.Hi <= 0 {
		return EmptyInterval.marked(a, a)
	}
	s := Interval{Lo: leastLnGamma, Hi: math.Inf(1)}.marked(a, a)
	s.Partial = s.Partial || a.Lo <= 0
	low, high := math.Inf(1), floatLnGamma(a.Hi)
	if a.Lo > 0 {
		low = floatLnGamma(a.Lo)
	}
	s.Hi = math.Max(low, high)
	switch {
	case a.Lo > leastGammaAt:
		s.Lo = low
	case a.Hi < leastGammaAt:
		s.Lo = high
	}
	const around = 1e-14 // math.Lgamma has this error next to its zeros
	s = s.wider(16)
	s.Lo, s.Hi = s.Lo-around, s.Hi+around
	return s
}

func intervalGamma(a, b Interval) Interval {
	if a.Lo <= 0 {
		s := AllNumbers.marked(a, a)
		s.Jumps, s.Partial = true, true
		return s
	}
	s := intervalLnGamma(a, b)
	return intervalExp(s, s).wider(16)
}

// falling is monotone for a function that never rises.
func falling(f func(float64) float64, domain, image Interval) func(a, _ Interval) Interval {
	back := monotone(func(x float64) float64 { return -f(x) }, domain, intervalNeg(image, image))
	return func(a, b Interval) Interval { return intervalNeg(back(a, b), b) }
}

// nearly is monotone for a function of which float64 has only some digits.
func nearly(f func(float64) float64, domain Interval) func(a, _ Interval) Interval {
	exact := monotone(f, domain, AllNumbers)
	return func(a, b Interval) Interval { return exact(a, b).wider(1e4) }
}

// enclosed is the interval extension of a function that is monotone in each argument, whichever
// way, of arguments in a domain: its values at the corners bound it. f gives a relative error, too.
func enclosed(f func(args []float64) (value, slack float64), image Interval, domain ...Interval) func(args []Interval) Interval {
	return func(args []Interval) Interval {
		s := Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
		corner := make([]float64, len(args))
		clipped := make([]Interval, len(args))
		for i, a := range args {
			s = s.marked(a, a)
			if a.Hi < domain[i].Lo || a.Lo > domain[i].Hi {
				return EmptyInterval.marked(a, a)
			}
			s.Partial = s.Partial || a.Lo < domain[i].Lo || a.Hi > domain[i].Hi
			clipped[i] = Interval{Lo: math.Max(a.Lo, domain[i].Lo), Hi: math.Min(a.Hi, domain[i].Hi)}
		}
		for k := range 1 << len(args) {
			for i, a := range clipped {
				if corner[i] = a.Lo; k>>i&1 == 1 {
					corner[i] = a.Hi
				}
			}
			value, slack := f(corner)
			if math.IsNaN(value) || math.IsNaN(slack) {
				s.Lo, s.Hi, s.Partial = image.Lo, image.Hi, true
				return s
			}
			miss := math.Abs(value) * slack
			s.Lo, s.Hi = math.Min(s.Lo, value-miss), math.Max(s.Hi, value+miss)
		}
		s = s.wider(8).off(true)
		s.Lo, s.Hi = math.Max(s.Lo, image.Lo), math.Min(s.Hi, image.Hi)
		return s
	}
}

var shareInterval = Interval{Lo: 0, Hi: 1}

func first2[A, B any](f func(args []float64) (A, B)) func(args []float64) A {
	return func(args []float64) A { a, _ := f(args); return a }
}

func gammaAt(upper bool) func(args []float64) (value, slack float64) {
	return func(args []float64) (value, slack float64) {
		x, a := args[0], args[1]
		switch {
		case x < 0 || a <= 0:
			return math.NaN(), 0
		case x == 0 && upper:
			return 1, 0
		case x == 0:
			return 0, 0
		}
		t := gammaLogs(math.Log(x), a)
		return t.value(upper), t.slack
	}
}

func floatGamma(upper bool) func(args []float64) float64 { return first2(gammaAt(upper)) }

func enclosedGamma(upper bool) func(args []Interval) Interval {
	return enclosed(gammaAt(upper), shareInterval, notNegative, notNegative)
}

func gammaInverseAt(upper bool) func(args []float64) (value, slack float64) {
	return func(args []float64) (value, slack float64) {
		p, a := args[0], args[1]
		if !(a > 0 && p >= 0 && p <= 1) {
			return math.NaN(), 0
		}
		return placeOf(p, upper, math.Log(a), func(u float64) logTails { return gammaLogs(u, a) })
	}
}

// placeOf is the place where a tail is p, in float64, with the relative error that it may have.
func placeOf(p float64, upper bool, start float64, logs func(u float64) logTails) (value, slack float64) {
	switch {
	case (p == 0) != upper && (p == 0 || p == 1):
		return 0, 0
	case p == 0 || p == 1:
		return math.Inf(1), 0
	}
	log, above := math.Log(p), upper
	if p > 0.5 {
		log, above = math.Log1p(-p), !upper
	}
	u := seekLog(logs, log, above, start)
	t := logs(u)
	tail := t.lower
	if above {
		tail = t.upper
	}
	if u > 700 {
		return math.NaN(), 0 // next to where float64 ends
	}
	return math.Exp(u), 1e-15*(1+math.Abs(u)) + (t.slack+1e-15*(1+math.Abs(log)))*math.Exp(tail-t.rise)
}

func floatGammaInverse(upper bool) func(args []float64) float64 { return first2(gammaInverseAt(upper)) }

func enclosedGammaInverse(upper bool) func(args []Interval) Interval {
	return enclosed(gammaInverseAt(upper), notNegative, shareInterval, notNegative)
}
