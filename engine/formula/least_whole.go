package formula

import (
	"math"

	"reckon/engine/decimal"
)

// leastWhole is the least whole number from low to high at which reaches says true of float64
// numbers, as it does from some number on; exactly decides near it.
func leastWhole(c *decimal.Context, high float64, reaches func(k float64) bool, exactly func(k decimal.Decimal) bool) decimal.Decimal {
	low := 0.
	for low < high {
		if mid := math.Floor(low + (high-low)/2); reaches(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	k, one := decimal.FromFloat(low), decimal.Int(1)
	for c.Err() == nil && !exactly(k) {
		k = c.Add(k, one)
	}
	for c.Err() == nil && k.Sign() > 0 && exactly(c.Sub(k, one)) {
		k = c.Sub(k, one)
	}
	return k
}

func poissonQuantile(c *decimal.Context, a Decimals) decimal.Decimal {
	p, mean := a[0], a[1]
	switch {
	case p.Sign() < 0 || p.Cmp(decimal.Int(1)) >= 0:
		return refused(c, "poisson_quantile", p)
	case mean.Sign() < 0:
		return refused(c, "poisson_quantile", mean)
	case mean.IsZero():
		return mean
	}
	wanted, at := p.Float64(), mean.Float64()
	above := c.Sub(decimal.Int(1), p).Float64()
	cdf := gammaShare("poisson_quantile", true)
	return leastWhole(c, 1e4+2*at, func(k float64) bool {
		t := gammaLogs(math.Log(at), k+1)
		return t.upper >= math.Log(wanted) && t.lower <= math.Log(above)
	}, func(k decimal.Decimal) bool {
		return Compare(c, cdf(c, Decimals{mean, c.Add(k, decimal.Int(1))}), p) >= 0
	})
}

func binomialQuantile(c *decimal.Context, a Decimals) decimal.Decimal {
	wanted, n, p := a[0], a[1], a[2]
	one := decimal.Int(1)
	switch {
	case wanted.Sign() < 0 || wanted.Cmp(one) > 0:
		return refused(c, "binomial_quantile", wanted)
	case n.Sign() < 0 || !n.IsInteger():
		return refused(c, "binomial_quantile", n)
	case p.Sign() < 0 || p.Cmp(one) > 0:
		return refused(c, "binomial_quantile", p)
	case p.IsZero() || n.IsZero() || wanted.IsZero():
		return decimal.Decimal{}
	case IsOne(p) || IsOne(wanted):
		return n
	}
	q, trials, chance := c.Sub(one, p), n.Float64(), p.Float64()
	below, above := math.Log(wanted.Float64()), math.Log(c.Sub(one, wanted).Float64())
	return leastWhole(c, trials, func(k float64) bool {
		if k >= trials {
			return true
		}
		t := betaLogsAt(1-chance, chance, math.Log1p(-chance), math.Log(chance), trials-k, k+1)
		return t.lower >= below && t.upper <= above
	}, func(k decimal.Decimal) bool {
		return k.Cmp(n) >= 0 || Compare(c, betaShare(c, Decimals{q, c.Sub(n, k), c.Add(k, one)}), wanted) >= 0
	})
}
