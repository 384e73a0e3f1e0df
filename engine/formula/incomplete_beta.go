package formula

import (
	"math"

	"reckon/engine/decimal"
)

// betaTails are I(x; a, b), I(y; b, a) and x^a·y^b/B(a, b) for x + y = 1, all above 0; small as in
// gammaTails.
//
// Below the mean a/(a+b) it is the continued fraction of DiDonato and Morris (ACM Transactions 18,
// 1992, 708, BFRAC), or the power series of terms of one sign (Abramowitz and Stegun 26.5.4), which
// a few terms end on one side or the other.
func betaTails(c *decimal.Context, x, y, a, b decimal.Decimal) (t tails, small int) {
	if c.Digits() > mostDigits {
		c.Fail(decimal.ErrLimit)
		return t, 0
	}
	sum := c.Add(a, b)
	log := c.Add(c.Mul(a, c.Ln(x)), c.Mul(b, c.Ln(y)))
	log = c.Sub(c.Add(log, lnGamma(c, sum)), c.Add(lnGamma(c, a), lnGamma(c, b)))
	lean := c.Sub(c.Mul(a, y), c.Mul(b, x)) // above 0 below the mean
	if c.Err() != nil {
		return t, 0
	}
	if log.Float64() < leastLog {
		c.Note(leastNumber)
		return t, -lean.Sign()
	}
	if lean.Sign() < 0 {
		t, _ = betaTails(c, y, x, b, a)
		t.lower, t.upper = t.upper, t.lower
		return t, 0
	}
	t.rise = c.Exp(log).As(c.Digits() - tailNoise)
	one := decimal.Int(1)
	series := func(x, a decimal.Decimal) decimal.Decimal {
		return ascending(c, c.Quo(t.rise, a), func(n decimal.Decimal) decimal.Decimal {
			return c.Quo(c.Mul(x, c.Sub(c.Add(sum, n), one)), c.Add(a, n))
		})
	}
	size := float64(c.Digits()) * math.Ln10
	terms, others, links := betaCosts(x.Float64(), a.Float64(), b.Float64(), lean.Float64(), size)
	lost := -log.Float64()/math.Ln10 + math.Log10(lean.Float64()+1)
	if math.Min(math.Min(terms, others), links) > mostCost {
		c.Fail(decimal.ErrTooLarge)
		return t, 0
	}
	switch {
	case others < terms && others < links && (lost < float64(c.Digits())/4 || links > mostLinks):
		t.upper = series(y, b)
		t.lower = c.Sub(one, t.upper)
		t.note(c)
		return t, 0
	case terms < links:
		t.lower = series(x, a)
	default:
		t.lower = c.Quo(t.rise, betaFraction(c, x, y, a, b, lean))
	}
	t.upper = c.Sub(one, t.lower)
	t.note(c)
	return t, 0
}

// betaCosts are about the operations that the series below, the one above and the fraction need for
// exp(-size).
func betaCosts(x, a, b, lean, size float64) (terms, others, links float64) {
	count := func(x, a, b float64) float64 {
		grown := func(n float64) float64 { return (a+1+n)*math.Log(a+1+n) - (a+b+n)*math.Log(a+b+n) }
		n := 8.
		for n < 1e7 && grown(n)-grown(0)-n*math.Log(x) < size {
			n *= 1.25
		}
		return 7 * n
	}
	deviation := (a + b) * x * (1 - x) // of a+b throws, squared
	far := lean * lean / (deviation + lean*lean/(4*math.Max(a*(1-x), b*x)))
	links = math.Min(size*size/(4*far), size*size/(16*b*x)+math.Pow(0.75*size*math.Sqrt(math.Min(a, b)), 2./3))
	return count(x, a, b), count(1-x, b, a), 26 * (20 + links)
}

func betaFraction(c *decimal.Context, x, y, a, b, lean decimal.Decimal) decimal.Decimal {
	one := decimal.Int(1)
	square, turn, first := c.Mul(x, x), c.Add(one, y), c.Add(lean, one)
	less, sum := c.Sub(a, one), c.Sub(c.Add(a, b), one)
	return lentz(c, func(n decimal.Decimal) (alpha, beta decimal.Decimal) {
		twice := c.Add(n, n)
		below := c.Add(less, twice) // a + 2n - 1
		if n.Sign() > 0 {
			rest := c.Mul(n, c.Sub(b, n))
			alpha = c.Mul(c.Mul(c.Add(less, n), c.Add(sum, n)), c.Mul(rest, square))
			alpha = c.Quo(alpha, c.Mul(below, below))
			beta = c.Add(n, c.Quo(c.Mul(rest, x), below))
		}
		next := c.Mul(c.Add(a, n), c.Add(first, c.Mul(n, turn)))
		return alpha, c.Add(beta, c.Quo(next, c.Add(below, decimal.Int(2))))
	})
}

// betaLogs are the logarithms of betaTails where ln(x/y) is u.
func betaLogs(u, a, b float64) logTails {
	x, y := 1/(1+math.Exp(-u)), 1/(1+math.Exp(u))
	lnX, lnY := -math.Log1p(math.Exp(-u)), -math.Log1p(math.Exp(u))
	if u < -700 {
		lnX = u
	} else if u > 700 {
		lnY = -u
	}
	return betaLogsAt(x, y, lnX, lnY, a, b)
}

func betaLogsAt(x, y, lnX, lnY, a, b float64) (t logTails) {
	if !(a > 0 && b > 0) || a > mostShape || b > mostShape {
		return logTails{math.NaN(), math.NaN(), math.NaN(), 0}
	}
	lean := a*y - b*x
	if lean < 0 {
		t = betaLogsAt(y, x, lnY, lnX, b, a)
		t.lower, t.upper = t.upper, t.lower
		return t
	}
	lnA, _ := math.Lgamma(a)
	lnB, _ := math.Lgamma(b)
	lnSum, _ := math.Lgamma(a + b)
	t.rise = a*lnX + b*lnY + lnSum - lnA - lnB
	t.slack = 1e-15 * (16 - a*lnX - b*lnY + math.Abs(lnSum) + math.Abs(lnA) + math.Abs(lnB))
	t.lower = math.Min(0, t.rise-math.Log(floatLentz(func(n float64) (alpha, beta float64) {
		if n > 0 {
			alpha = (a + n - 1) * (a + b + n - 1) / ((a + 2*n - 1) * (a + 2*n - 1)) * n * (b - n) * x * x
			beta = n + n*(b-n)*x/(a+2*n-1)
		}
		return alpha, beta + (a+n)/(a+2*n+1)*(lean+1+n*(1+y))
	})))
	t.upper = otherTail(t.lower)
	return t
}
