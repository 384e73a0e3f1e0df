package formula

import (
	"math"

	"reckon/engine/decimal"
)

// tails are what lies below and above a place of a distribution, and how fast the first rises with
// the logarithm of the place.
type tails struct{ lower, upper, rise decimal.Decimal }

// gammaTails are P(a, x), Q(a, x) and x^a·exp(-x)/Γ(a) for a and x above 0. ok is false where the
// last, and so one of the others, is too small to be a number; small is which then: -1 for the
// lower, 1 for the upper.
//
// Q is Legendre's continued fraction above a (NIST Digital Library 8.9.2), P below it the even
// part of the one of DiDonato and Morris for the beta function (ACM Transactions 18, 1992, 708) as
// its second parameter grows, or the power series of terms of one sign (8.7.1), which a few terms
// end.
func gammaTails(c *decimal.Context, x, a decimal.Decimal) (t tails, small int) {
	if c.Digits() > mostDigits {
		c.Fail(decimal.ErrLimit)
		return t, 0
	}
	one := decimal.Int(1)
	log := c.Sub(c.Sub(c.Mul(a, c.Ln(x)), x), lnGamma(c, a))
	xf, af := x.Float64(), a.Float64()
	if log.Float64() < leastLog {
		c.Note(leastNumber)
		if xf > af {
			return t, 1
		}
		return t, -1
	}
	t.rise = c.Exp(log).As(c.Digits() - tailNoise)
	lost := -log.Float64()/math.Ln10 + math.Log10(math.Abs(xf-af)+1)
	terms, links := gammaCosts(xf, af, float64(c.Digits())*math.Ln10)
	if math.Min(terms, links) > mostCost {
		c.Fail(decimal.ErrTooLarge)
		return t, 0
	}
	switch {
	case links < terms && xf > af+1 || lost > float64(c.Digits())/4 && xf > af && links < mostLinks:
		t.upper = gammaFraction(c, x, a, t.rise)
		t.lower = c.Sub(one, t.upper)
	case links < terms:
		t.lower = lowerGammaFraction(c, x, a, t.rise)
		t.upper = c.Sub(one, t.lower)
	default:
		t.lower = ascending(c, c.Quo(t.rise, a), func(n decimal.Decimal) decimal.Decimal { return c.Quo(x, c.Add(a, n)) })
		t.upper = c.Sub(one, t.lower)
	}
	t.note(c)
	return t, 0
}

// mostLinks is the cost of a fraction from which on the other tail is taken, and what this one
// loses to 1 by that is recovered with more digits.
const mostLinks = 2e5

// mostCost is the cost of tails from which on a parameter counts as too large, so that a search
// that tries it goes on.
const mostCost = 3e5

// gammaCosts are about the operations that the series and a fraction need for exp(-size).
func gammaCosts(x, a, size float64) (terms, links float64) {
	n := 8.
	for n < 1e7 && (a+n)*math.Log(a+n)-a*math.Log(a)-n*(1+math.Log(x)) < size {
		n *= 1.25
	}
	far := (x - a) * (x - a) / (a + (x-a)*(x-a)/(4*x)) // in standard deviations, squared
	near := math.Pow(0.75*size*math.Sqrt(a), 2./3)
	if x > a {
		near += size * size / (16 * x)
	}
	return 6 * n, 16 * (20 + math.Min(size*size/(4*far), near))
}

// tailNoise is how many digits the rounding of some hundred steps may take from a tail.
const tailNoise = 5

// leastLog is next to the logarithm of the smallest number.
const leastLog = -14140

// mostDigits are so many that sums of numbers down to the smallest one show.
const mostDigits = 2000

var leastNumber = decimal.MustParse("1e-6144")

// note says how small the tails are, so that what the other one leaves to 1 is not taken for 0.
func (t tails) note(c *decimal.Context) {
	c.Note(t.lower)
	c.Note(t.upper)
}

// ascending sums terms of one sign, each of which is the one before times ratio(n), n from 1; the
// ratios fall and come to lie below 1.
func ascending(c *decimal.Context, term decimal.Decimal, ratio func(n decimal.Decimal) decimal.Decimal) decimal.Decimal {
	sum, one := term, decimal.Int(1)
	for n := int64(1); c.Err() == nil; n++ {
		r := ratio(decimal.Int(n))
		term = c.Mul(term, r)
		sum = c.Add(sum, term)
		if n%4 == 0 && r.Cmp(one) < 0 && c.Quo(term, c.Sub(one, r)).Abs().Cmp(c.Mul(sum.Abs(), c.Epsilon(-2))) < 0 {
			break
		}
	}
	return sum
}

func gammaFraction(c *decimal.Context, x, a, rise decimal.Decimal) decimal.Decimal {
	base := c.Sub(c.Add(x, decimal.Int(1)), a)
	return c.Quo(rise, lentz(c, func(n decimal.Decimal) (alpha, beta decimal.Decimal) {
		return c.Mul(n, c.Sub(a, n)), c.Add(base, c.Add(n, n))
	}))
}

func lowerGammaFraction(c *decimal.Context, x, a, rise decimal.Decimal) decimal.Decimal {
	one, two := decimal.Int(1), decimal.Int(2)
	rest := c.Add(c.Sub(a, x), one)
	return c.Quo(rise, lentz(c, func(n decimal.Decimal) (alpha, beta decimal.Decimal) {
		twice, far := c.Add(n, n), c.Add(a, n)
		if n.Sign() > 0 {
			below, times := c.Sub(c.Add(a, twice), one), c.Mul(x, n)
			alpha = c.Quo(c.Mul(c.Mul(c.Sub(far, one), times), x), c.Mul(below, below))
			beta = c.Add(n, c.Quo(times, below))
		}
		return alpha, c.Add(beta, c.Quo(c.Mul(far, c.Add(rest, twice)), c.Sub(c.Add(far, c.Add(n, two)), one)))
	}))
}

// lentz is the continued fraction β₀ + α₁/(β₁ + α₂/(β₂ + …)), by the method of Lentz as Thompson
// and Barnett changed it (Journal of Computational Physics 64, 1986). Of a fraction that converges
// slowly the digits count as wrong that the last factors may still change.
func lentz(c *decimal.Context, at func(n decimal.Decimal) (alpha, beta decimal.Decimal)) decimal.Decimal {
	one := decimal.Int(1)
	_, f := at(decimal.Decimal{})
	above, below := f, decimal.Decimal{}
	enough := c.Epsilon(1)
	n := int64(1)
	for ; c.Err() == nil; n++ {
		alpha, beta := at(decimal.Int(n))
		below = c.Quo(one, c.Add(beta, c.Mul(alpha, below)))
		above = c.Add(beta, c.Quo(alpha, above))
		factor := c.Mul(above, below)
		f = c.Mul(f, factor)
		if miss := c.Sub(factor, one); miss.Right() <= 0 || miss.Abs().Cmp(enough) <= 0 {
			break
		}
	}
	return f.As(c.Digits() - 2 - int(math.Log10(float64(n))))
}

// gammaShare is the body of gamma_p, or of gamma_q where upper is set.
func gammaShare(name string, upper bool) func(c *decimal.Context, a Decimals) decimal.Decimal {
	return func(c *decimal.Context, args Decimals) decimal.Decimal {
		x, a := args[0], args[1]
		switch {
		case a.Sign() <= 0:
			return c.Refuse(&decimal.UndefinedError{Function: name, Argument: a}, a)
		case x.Sign() < 0:
			return c.Refuse(&decimal.UndefinedError{Function: name, Argument: x}, x)
		case x.IsZero():
			return share(upper)
		}
		t, small := gammaTails(c, x, a)
		return t.side(c, upper, small)
	}
}

// share is all or nothing.
func share(all bool) decimal.Decimal {
	if all {
		return decimal.Int(1)
	}
	return decimal.Decimal{}
}

// side is one of the tails, of which one may be too small to be a number.
func (t tails) side(c *decimal.Context, upper bool, small int) decimal.Decimal {
	switch {
	case small == 0 && upper:
		return t.upper
	case small == 0:
		return t.lower
	case (small > 0) == upper:
		return c.Fail(decimal.ErrTooLarge)
	}
	return decimal.Int(1).As(c.Digits())
}

// logTails are the logarithms of tails in float64, with the relative error that they may have.
type logTails struct{ lower, upper, rise, slack float64 }

// otherTail is the logarithm of 1 - exp(log).
func otherTail(log float64) float64 {
	if log > -math.Ln2 {
		return math.Log(-math.Expm1(log))
	}
	return math.Log1p(-math.Exp(log))
}

// gammaLogs are the logarithms of gammaTails at exp(u).
func gammaLogs(u, a float64) (t logTails) {
	x := math.Exp(u)
	if !(a > 0) || a > mostShape || math.IsNaN(x) {
		return logTails{math.NaN(), math.NaN(), math.NaN(), 0}
	}
	if x > 1e6*(a+1e6) {
		return logTails{0, a*u - x, a*u - x, 1}
	}
	ln, _ := math.Lgamma(a)
	t.rise = a*u - x - ln
	t.slack = 1e-15 * (16 + math.Abs(a*u) + x + math.Abs(ln))
	if x < a+1 {
		t.lower = t.rise - math.Log(floatLentz(func(n float64) (alpha, beta float64) {
			if n > 0 {
				alpha, beta = (a+n-1)*n*x*x/((a+2*n-1)*(a+2*n-1)), n+n*x/(a+2*n-1)
			}
			return alpha, beta + (a+n)/(a+2*n+1)*(a-x+1+2*n)
		}))
		t.lower = math.Min(t.lower, 0)
		t.upper = otherTail(t.lower)
		return t
	}
	t.upper = t.rise - math.Log(floatLentz(func(n float64) (alpha, beta float64) { return -n * (n - a), x + 2*n + 1 - a }))
	t.upper = math.Min(t.upper, 0)
	t.lower = otherTail(t.upper)
	return t
}

// mostShape bounds the parameters that float64 has digits enough for.
const mostShape = 1e9

func floatLentz(at func(n float64) (alpha, beta float64)) float64 {
	_, f := at(0)
	above, below := f, 0.
	for n := 1.; n < 20_000; n++ {
		alpha, beta := at(n)
		below = 1 / (beta + alpha*below)
		above = beta + alpha/above
		f *= above * below
		if math.Abs(above*below-1) < 1e-16 {
			break
		}
	}
	return f
}

// value is one of the tails.
func (t logTails) value(upper bool) float64 {
	this, other := t.lower, t.upper
	if upper {
		this, other = other, this
	}
	if other < this {
		return 1 - math.Exp(other)
	}
	return math.Exp(this)
}
