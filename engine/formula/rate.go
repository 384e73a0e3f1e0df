package formula

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"reckon/engine/decimal"
)

// ErrNoRate says that payments have no rate of return.
var ErrNoRate = errors.New("payments have no rate of return")

func (l listed) worth(z float64) (s worth) {
	for i, amount := range l.amounts {
		value := amount * math.Exp(-z*l.times[i])
		s.add(value, l.times[i]*value)
	}
	return s
}

func (l level) first() float64 { return l.start }
func (l level) size() int      { return 3 }

func (l level) worth(z float64) (s worth) {
	s.add(l.start, 0)
	last := l.end * math.Exp(-l.n*z)
	s.add(last, l.n*last)
	m := l.n - 1
	var sum, slope float64
	if m*z < 1e-4 {
		// Next to 0 the quotient loses its digits.
		sum = m * (1 - (m+1)*z/2 + (m+1)*(2*m+1)*z*z/12)
		slope = m * (m + 1) / 2 * (1 - (2*m+1)*z/3)
	} else {
		sum = -math.Expm1(-m*z) / math.Expm1(z)
		slope = sum/-math.Expm1(-z) - m*math.Exp(-m*z)/math.Expm1(z)
	}
	s.add(l.each*sum, l.each*slope)
	return s
}

func (l level) mirrored() level { return level{l.end, l.each, l.start, l.n} }

// trimmed starts at the first payment that is not 0.
func (l level) trimmed() (level, bool) {
	if l.start != 0 {
		return l, true
	}
	return level{l.each, l.each, l.end, l.n - 1}, l.each != 0 && l.n >= 2
}

const (
	maxRateSplits    = 4000
	maxRateDoublings = 60
)

// refine makes a root of f that float64 has found exact, by secants in decimal. f is continuous
// next to it.
func refine(c *decimal.Context, start float64, f func(x decimal.Decimal) decimal.Decimal) decimal.Decimal {
	x := decimal.FromFloat(start)
	previous := c.Add(c.Mul(x, c.Add(decimal.Int(1), Nearby)), besideZero).Exactly()
	fx, fp := f(x), f(previous)
	move := x
	for range 12 {
		slope := c.Sub(fx, fp)
		if fx.IsZero() || slope.IsZero() || c.Err() != nil {
			break
		}
		move = c.Quo(c.Mul(fx, c.Sub(x, previous)), slope)
		previous, fp = x.Exactly(), fx
		x = c.Sub(previous, move)
		if move.Abs().Cmp(c.Mul(x.Abs(), c.Epsilon(20))) <= 0 {
			break
		}
		fx = f(x.Exactly())
	}
	if c.Err() != nil {
		return decimal.Decimal{}
	}
	settled := fx.IsZero() || move.Abs().Cmp(c.Mul(x.Abs(), c.Epsilon(24))) <= 0
	if far := math.Abs(x.Float64() - start); !settled || far > 1e-6*math.Abs(start)+1e-12 {
		return c.Fail(ErrNotConverged)
	}
	return x
}

// besideZero keeps the first two numbers of a refinement apart where they are next to 0.
var besideZero = decimal.MustParse("1e-25")

// Bounds of a rate that is taken where there may be several. Next to -1, where nothing is left
// after a period, there is a rate of most payments that change their sign often, and it means
// nothing.
const (
	mostRate  = 10
	leastRate = -0.999
)

// rootOf decides which root to take from the payments as they are and mirrored in time: 0 where it
// is one, else the one whose rate is nearest to 0, of several one within the bounds. changes is the
// number of times that the amounts change their sign, zero the sign of their sum.
func rootOf(c *decimal.Context, up, down payments, zero, changes int) (z float64, ok bool) {
	switch {
	case changes == 0:
		c.Fail(ErrNoRate)
		return 0, false
	case zero == 0:
		return 0, true
	}
	nearest, several := math.Inf(1), false
	for side, p := range []payments{up, down} {
		root, found, err := firstRoot(c, p, zero, changes == 1)
		if err != nil {
			c.Fail(err)
			return 0, false
		}
		if side == 1 {
			root = -root
		}
		switch rate := math.Expm1(root); {
		case found && changes == 1:
			return root, true
		case found && rate <= mostRate && rate >= leastRate && math.Abs(rate) < nearest:
			z, nearest = root, math.Abs(rate)
		}
		several = several || found
	}
	switch {
	case nearest < math.Inf(1):
		return z, true
	case changes%2 == 1 || several:
		c.Fail(ErrNotConverged) // there are rates, but none within the bounds
	default:
		c.Fail(ErrNoRate)
	}
	return 0, false
}

// signChanges counts how often the signs of amounts change, zeros aside.
func signChanges(list Decimals) int {
	changes, last := 0, 0
	for _, d := range list {
		if s := d.Sign(); s != 0 {
			if s == -last {
				changes++
			}
			last = s
		}
	}
	return changes
}

// signOfSum is the sign of the sum of amounts, 0 where it is what rounding has left.
func signOfSum(c *decimal.Context, list Decimals) int {
	sum, size := total(c, list), decimal.Int(0)
	for _, d := range list {
		size = c.Add(size, d.Abs())
	}
	if sum.Abs().Cmp(c.Mul(size, hair)) <= 0 {
		return 0
	}
	return sum.Sign()
}

// relative are amounts as parts of the largest one; false where one is too small beside it for
// float64.
func relative(c *decimal.Context, list Decimals) ([]float64, bool) {
	largest := decimal.Int(0)
	for _, d := range list {
		largest = Extreme(Decimals{largest, d.Abs()}, 1)
	}
	parts := make([]float64, len(list))
	for i, d := range list {
		if d.IsZero() {
			continue
		}
		parts[i] = c.Quo(d, largest).Float64()
		if math.Abs(parts[i]) < 1e-250 {
			c.Fail(ErrNotConverged)
			return nil, false
		}
	}
	return parts, true
}

func loanRate(c *decimal.Context, args Decimals) decimal.Decimal {
	n, each := args[0], args[1]
	pv, fv, kind := loanArgs(args)
	if n.Cmp(decimal.Int(1)) < 0 || n.Cmp(mostPeriods) > 0 {
		return c.Fail(&decimal.UndefinedError{Function: "rate", Argument: n})
	}
	start, end := pv, fv
	switch {
	case kind.IsZero():
		end = c.Add(end, each)
	case IsOne(kind):
		start = c.Add(start, each)
	default:
		return c.Fail(&decimal.UndefinedError{Function: "rate", Argument: kind})
	}
	parts, ok := relative(c, Decimals{start, each, end})
	if !ok {
		return decimal.Decimal{}
	}
	between := c.Mul(each, c.Sub(n, decimal.Int(1)))
	zero := signOfSum(c, Decimals{start, between, end})
	up := level{parts[0], parts[1], parts[2], n.Float64()}
	down, ok2 := up.mirrored().trimmed()
	up, ok1 := up.trimmed()
	changes := signChanges(Decimals{start, between, end})
	if changes > 0 && (!ok1 || !ok2) {
		return c.Fail(ErrNotConverged)
	}
	z, ok := rootOf(c, up, down, zero, changes)
	if !ok || z == 0 {
		return decimal.Decimal{}
	}
	return refine(c, math.Expm1(z), func(r decimal.Decimal) decimal.Decimal {
		a := newAnnuity(c, r, n, kind)
		return c.Add(a.final(c, pv, fv), c.Mul(each, a.sum))
	})
}

// mostPeriods is the largest number of periods of rate.
var mostPeriods = decimal.Int(1_000_000)

// returnRate is the rate of payments at the times 0, 1, 2 and so on.
func returnRate(c *decimal.Context, list Decimals) decimal.Decimal {
	for len(list) > 0 && list[0].IsZero() {
		list = list[1:]
	}
	times := make([]float64, len(list))
	for i := range times {
		times[i] = float64(i)
	}
	z, ok := listedRoot(c, list, times)
	if !ok || z == 0 {
		return decimal.Decimal{}
	}
	if z < 0 {
		list = slices.Clone(list)
		slices.Reverse(list)
	}
	return refine(c, math.Expm1(z), func(r decimal.Decimal) decimal.Decimal {
		// Powers of a number below 1: of the discount, or of the growth from the last date back.
		x := c.Add(decimal.Int(1), r)
		if z > 0 {
			x = c.Quo(decimal.Int(1), x)
		}
		var sum decimal.Decimal
		for i := len(list) - 1; i >= 0; i-- {
			sum = c.Add(c.Mul(sum, x), list[i])
		}
		return sum
	})
}

// byDay puts payments in the order of their days, those of one day together.
func byDay(c *decimal.Context, list Decimals, days []int64) (amounts Decimals, distinct []int64) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(days[a], days[b]) })
	for k, i := range order {
		if k > 0 && days[i] == days[order[k-1]] {
			last := len(amounts) - 1
			amounts[last] = c.Add(amounts[last], list[i])
			continue
		}
		amounts, distinct = append(amounts, list[i]), append(distinct, days[i])
	}
	return amounts, distinct
}

// discounted is what payments on ascending days are worth on day 0; power is what 1 is worth so
// many days earlier. It goes back from the last one, so that each takes one product and one sum.
func discounted(c *decimal.Context, amounts Decimals, days []int64, power func(gap int64) decimal.Decimal) decimal.Decimal {
	powers := map[int64]decimal.Decimal{}
	var sum decimal.Decimal
	for i := len(amounts) - 1; i >= 0 && c.Err() == nil; i-- {
		sum = c.Add(sum, amounts[i])
		gap := days[i]
		if i > 0 {
			gap -= days[i-1]
		}
		if gap == 0 {
			continue
		}
		p, known := powers[gap]
		if !known {
			p = power(gap)
			powers[gap] = p
		}
		sum = c.Mul(sum, p)
	}
	return sum
}

// datedRate is the rate per year of payments on days after the first one.
func datedRate(c *decimal.Context, list Decimals, days []int64) decimal.Decimal {
	amounts, days := byDay(c, list, days)
	times := make([]float64, len(days))
	for i, day := range days {
		times[i] = float64(day) / 365
	}
	z, ok := listedRoot(c, amounts, times)
	if !ok || z == 0 {
		return decimal.Decimal{}
	}
	sign := int64(-1)
	if z < 0 { // powers of a number below 1: of the growth, from the last date back
		sign = 1
		last := days[len(days)-1]
		amounts, days = slices.Clone(amounts), slices.Clone(days)
		slices.Reverse(amounts)
		slices.Reverse(days)
		for i := range days {
			days[i] = last - days[i]
		}
	}
	log := refine(c, z, func(x decimal.Decimal) decimal.Decimal {
		return discounted(c, amounts, days, func(gap int64) decimal.Decimal {
			return c.Exp(c.Mul(x, c.Quo(decimal.Int(sign*gap), daysPerYear)))
		})
	})
	return c.Sub(c.Exp(log), decimal.Int(1))
}

func listedRoot(c *decimal.Context, list Decimals, times []float64) (z float64, ok bool) {
	changes := signChanges(list)
	if changes == 0 {
		c.Fail(ErrNoRate)
		return 0, false
	}
	amounts, ok := relative(c, list)
	if !ok {
		return 0, false
	}
	all := listed{amounts, times}
	return rootOf(c, all.trimmed(), all.mirrored().trimmed(), signOfSum(c, list), changes)
}

// ErrNotConverged says that a search for a root ended without one.
var ErrNotConverged = errors.New("no root was found")

// MaxRefinements bounds the steps of one refinement of a bracketed root in float64.
const MaxRefinements = 200

// Nearby is the relative distance of a second place from a first guess.
var Nearby = decimal.MustParse("1e-12")
