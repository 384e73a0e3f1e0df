package formula

import (
	"math/big"
	"sync"

	"reckon/engine/decimal"
)

// stirling is ln Γ(x + n) for an n that makes the argument large enough, and x(x+1)…(x+n-1), so
// that Γ(x) is a quotient without a difference. x is above 0.
//
// The series of Stirling with Bernoulli numbers (NIST Digital Library of Mathematical Functions
// 5.11.1) has an error below its first term that is left out.
func stirling(c *decimal.Context, x decimal.Decimal) (log, product decimal.Decimal) {
	coefficients := stirlingNumbers(c.Digits())
	least := float64(c.Digits())
	if c.Digits() > manyDigits {
		least *= 2
	}
	product = decimal.Int(1)
	for one := product; x.Float64() < least && c.Err() == nil; {
		product, x = c.Mul(product, x), c.Add(x, one)
	}
	log = c.Sub(c.Mul(c.Sub(x, half), c.Ln(x)), x)
	log = c.Add(log, c.Mul(half, c.Ln(c.Mul(decimal.Int(2), c.Pi()))))
	square, power := c.Mul(x, x), x
	smallest := c.Mul(log.Abs(), c.Epsilon(-3))
	for i, q := range coefficients {
		if c.Err() != nil {
			return decimal.Decimal{}, product
		}
		term := c.Quo(c.Ratio(q.Num(), q.Denom(), 0), power)
		log, power = c.Add(log, term), c.Mul(power, square)
		if term.Abs().Cmp(smallest) < 0 {
			return log, product
		}
		if i == len(coefficients)-1 {
			c.Fail(decimal.ErrLimit)
		}
	}
	return log, product
}

// manyDigits are more than the short list of coefficients serves.
const manyDigits = 120

// stirlingNumbers are the coefficients of Stirling's series, enough for some digits.
func stirlingNumbers(digits int) []*big.Rat {
	if digits <= manyDigits {
		return fewStirling()
	}
	return manyStirling()
}

var (
	fewStirling  = sync.OnceValue(func() []*big.Rat { return stirlingSeries(60) })
	manyStirling = sync.OnceValue(func() []*big.Rat { return stirlingSeries(300) })
)

// stirlingSeries are B₂ₖ / (2k(2k-1)) for k from 1 to n, by tangent numbers (Brent and Harvey, Fast
// computation of Bernoulli, tangent and secant numbers, 2013).
func stirlingSeries(n int) []*big.Rat {
	tangent := make([]*big.Int, n+1)
	tangent[1] = big.NewInt(1)
	for k := 2; k <= n; k++ {
		tangent[k] = new(big.Int).Mul(tangent[k-1], big.NewInt(int64(k-1)))
	}
	var a, b big.Int
	for k := 2; k <= n; k++ {
		for j := k; j <= n; j++ {
			a.Mul(tangent[j-1], b.SetInt64(int64(j-k)))
			tangent[j].Mul(tangent[j], b.SetInt64(int64(j-k+2)))
			tangent[j].Add(tangent[j], &a)
		}
	}
	list := make([]*big.Rat, n)
	for k := 1; k <= n; k++ {
		power := new(big.Int).Lsh(big.NewInt(1), uint(2*k))
		divisor := new(big.Int).Mul(power, new(big.Int).Sub(power, big.NewInt(1)))
		divisor.Mul(divisor, big.NewInt(int64(2*k-1)))
		if k%2 == 0 {
			divisor.Neg(divisor)
		}
		list[k-1] = new(big.Rat).SetFrac(tangent[k], divisor)
	}
	return list
}

// gammaNoise is how many digits the rounding of some dozen steps may take.
const gammaNoise = 2

// lnGamma is ln Γ(x) for x above 0.
func lnGamma(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
	if x.Sign() <= 0 {
		return c.Refuse(&decimal.UndefinedError{Function: "ln_gamma", Argument: x}, x)
	}
	if IsOne(x) || x.Cmp(decimal.Int(2)) == 0 {
		return decimal.Decimal{}
	}
	if n, whole := c.Mul(x, decimal.Int(2)).Int64(); whole && n <= mostHalves {
		return c.Ln(halfGamma(c, n))
	}
	log, product := stirling(c, x)
	return c.Sub(log.As(c.Digits()-gammaNoise), c.Ln(product))
}

// mostHalves bounds the halves of which Γ is a product, which is exact for whole numbers.
const mostHalves = 200

// halfGamma is Γ(n/2) for n above 0.
func halfGamma(c *decimal.Context, n int64) decimal.Decimal {
	if n%2 == 0 {
		return factorial(c, n/2-1)
	}
	p := c.Sqrt(c.Pi())
	for k := int64(1); k < n; k += 2 {
		p = c.Mul(c.Mul(p, decimal.Int(k)), half)
	}
	return p
}

// gammaFunction is Γ(x); below 0 by reflection (NIST Digital Library 5.5.3).
func gammaFunction(c *decimal.Context, x decimal.Decimal) decimal.Decimal {
	n, whole := x.Int64()
	switch {
	case whole && n > 0 && n <= 1001:
		return factorial(c, n-1)
	case x.Sign() > 0 && c.Mul(x, decimal.Int(2)).IsInteger() && x.Cmp(Hundred) < 0:
		n, _ = c.Mul(x, decimal.Int(2)).Int64()
		return halfGamma(c, n)
	case x.IsInteger() && x.Sign() <= 0:
		return c.Refuse(&decimal.UndefinedError{Function: "gamma", Argument: x}, x)
	case x.Sign() < 0:
		other := gammaFunction(c, c.Sub(decimal.Int(1), x))
		return c.Quo(c.Pi(), c.Mul(c.Sin(c.Mul(c.Pi(), x)), other))
	}
	log, product := stirling(c, x)
	return c.Quo(c.Exp(log.As(c.Digits()-gammaNoise)), product)
}

func factorial(c *decimal.Context, n int64) decimal.Decimal {
	p := decimal.Int(1)
	for i := int64(2); i <= n; i++ {
		p = c.Mul(p, decimal.Int(i))
	}
	return p
}
