package formula

import (
	"math"
	"time"

	"reckon/engine/decimal"
)

// coupons is what a settlement date is within the coupon periods of a bond.
type coupons struct {
	previous, next time.Time
	count          int64 // of coupons after the settlement, that at maturity included
	// Days by the day count: since the previous coupon, to the next one, and of the period, in parts
	// of a day by perYear where that is not 1.
	since, left, period int64
	perYear             int64
}

// couponDates finds the coupons around a settlement, frequency times a year back from maturity;
// where that is the last day of a month they all are.
func couponDates(settlement, maturity time.Time, frequency, basis int64) (k coupons) {
	step := int(12 / frequency)
	ends := maturity.AddDate(0, 0, 1).Day() == 1
	back := func(n int) time.Time {
		t := addMonths(maturity, -step*n)
		if ends {
			t = t.AddDate(0, 0, 1-t.Day()).AddDate(0, 1, -1)
		}
		return t
	}
	months := 12*(maturity.Year()-settlement.Year()) + int(maturity.Month()) - int(settlement.Month())
	n := max(months/step-1, 0)
	for back(n + 1).After(settlement) {
		n++
	}
	k.previous, k.next, k.count, k.perYear = back(n+1), back(n), int64(n+1), 1
	since := dayOf(settlement) - dayOf(k.previous)
	left := dayOf(k.next) - dayOf(settlement)
	switch basis {
	case thirty360, thirty360European:
		k.since, _, _ = yearFraction(basis, k.previous, settlement)
		k.period = 360 / frequency
		k.left = k.period - k.since
	case actualActual:
		k.since, k.left, k.period = since, left, since+left
	case actual360:
		k.since, k.left, k.period = since, left, 360/frequency
	case actual365: // 365 need not divide
		k.since, k.left, k.period, k.perYear = since*frequency, left*frequency, 365, frequency
	}
	return k
}

// bond is what the functions of bonds are given.
type bond struct {
	coupons
	frequency decimal.Decimal
}

// readBond reads settlement, maturity, and from position i on frequency and day count.
func readBond(c *decimal.Context, name string, a Decimals, i int) (b bond, ok bool) {
	settlement, maturity := datesOf(c, name, a)
	frequency, whole := Settled(c, a[i]).Int64()
	if !whole || frequency != 1 && frequency != 2 && frequency != 4 {
		refused(c, name, a[i])
	}
	basis := basisOf(c, name, a, i+1)
	if dayOf(settlement) >= dayOf(maturity) {
		refused(c, name, a[0])
	}
	if c.Err() != nil {
		return b, false
	}
	return bond{couponDates(settlement, maturity, frequency, basis), decimal.Int(frequency)}, true
}

// share is the part of the coupon period that is over, or that is left.
func (b bond) share(c *decimal.Context, days int64) decimal.Decimal {
	return c.Quo(decimal.Int(days), decimal.Int(b.period))
}

// price is the price for 100 of face value at a yield, without the interest accrued, and dirty
// what is paid with it.
func (b bond) price(c *decimal.Context, rate, yield, redemption decimal.Decimal) (clean, dirty decimal.Decimal) {
	coupon := c.Quo(c.Mul(Hundred, rate), b.frequency)
	accrued := c.Mul(coupon, b.share(c, b.since))
	each, left := c.Quo(yield, b.frequency), b.share(c, b.left)
	if b.count == 1 {
		dirty = c.Quo(c.Add(redemption, coupon), c.Add(decimal.Int(1), c.Mul(each, left)))
		return c.Sub(dirty, accrued), dirty
	}
	a := newAnnuity(c, each, decimal.Int(b.count), decimal.Decimal{})
	dirty = c.Quo(c.Add(redemption, c.Mul(coupon, a.sum)), a.power)
	dirty = c.Mul(dirty, c.Pow(a.growth, c.Sub(decimal.Int(1), left)))
	return c.Sub(dirty, accrued), dirty
}

// floatPrice is the clean price in float64.
func (b bond) floatPrice(rate, yield, redemption float64) float64 {
	f, n, period := b.frequency.Float64(), float64(b.count), float64(b.period)
	coupon, growth := 100*rate/f, 1+yield/f
	accrued, left := coupon*float64(b.since)/period, float64(b.left)/period
	if b.count == 1 {
		return (redemption+coupon)/(1+yield/f*left) - accrued
	}
	if !(growth > 0) {
		return math.NaN()
	}
	now, sum := math.Pow(growth, -n), n
	if yield != 0 {
		sum = -math.Expm1(-n*math.Log1p(yield/f)) / (yield / f)
	}
	return (redemption*now+coupon*sum)*math.Pow(growth, 1-left) - accrued
}

// yield is the yield at which the bond has a clean price: in float64 by halving, as the price
// falls while the yield rises, then by secants of its slope there.
func (b bond) yield(c *decimal.Context, name string, rate, price, redemption decimal.Decimal) decimal.Decimal {
	if b.count == 1 {
		coupon := c.Quo(c.Mul(Hundred, rate), b.frequency)
		paid := c.Add(price, c.Mul(coupon, b.share(c, b.since)))
		if paid.Sign() <= 0 {
			return refused(c, name, price)
		}
		growth := c.Sub(c.Quo(c.Add(redemption, coupon), paid), decimal.Int(1))
		return c.Quo(c.Mul(growth, b.frequency), b.share(c, b.left))
	}
	r, want, red, f := rate.Float64(), price.Float64(), redemption.Float64(), b.frequency.Float64()
	at := func(log float64) float64 { return f * math.Expm1(log) }
	low, high := -20., 20. // of the logarithm of the growth in a period
	if !(b.floatPrice(r, at(low), red) > want && b.floatPrice(r, at(high), red) < want) {
		return refused(c, name, price)
	}
	for range 200 {
		if mid := low + (high-low)/2; b.floatPrice(r, at(mid), red) > want {
			low = mid
		} else {
			high = mid
		}
	}
	x, h := at(low), math.Max(1e-6, math.Abs(at(low))*1e-6)
	slope := decimal.FromFloat((b.floatPrice(r, x+h, red) - b.floatPrice(r, x-h, red)) / (2 * h))
	y := decimal.FromFloat(x)
	for range 200 {
		clean, _ := b.price(c, rate, y.Exactly(), redemption)
		step := c.Quo(c.Sub(clean, price), slope)
		y = c.Sub(y.Exactly(), step)
		if step.Right() <= 0 || step.Abs().Cmp(c.Epsilon(2)) < 0 || c.Err() != nil {
			return y
		}
	}
	return y.As(0)
}

// duration is Macaulay's duration in years of a bond that pays 100 at maturity.
func (b bond) duration(c *decimal.Context, rate, yield decimal.Decimal) decimal.Decimal {
	coupon := c.Quo(c.Mul(Hundred, rate), b.frequency)
	discount := c.Quo(decimal.Int(1), c.Add(decimal.Int(1), c.Quo(yield, b.frequency)))
	left := b.share(c, b.left)
	var worth, weighed decimal.Decimal
	factor := c.Pow(discount, left)
	for i := int64(0); i < b.count && c.Err() == nil; i++ {
		paid := coupon
		if i == b.count-1 {
			paid = c.Add(paid, Hundred)
		}
		now := c.Mul(paid, factor)
		worth = c.Add(worth, now)
		weighed = c.Add(weighed, c.Mul(now, c.Add(left, decimal.Int(i))))
		factor = c.Mul(factor, discount)
	}
	return c.Quo(c.Quo(weighed, worth), b.frequency)
}

var (
	settled    = []param{{name: "settlement", dimension: "time", Lost: true}, {name: "maturity", dimension: "time", Lost: true}}
	frequented = []param{{name: "frequency", dimension: "1", Lost: true}, {name: "basis", dimension: "1", value: "0", Lost: true}}
)

// bondParams are settlement, maturity, some plain numbers, frequency and basis.
func bondParams(names ...string) []param {
	list := append([]param{}, settled...)
	return append(append(list, plainParams(names...)...), frequented...)
}

// couponPart makes the entry of a function of the coupons of a bond.
func couponPart(name, spreadsheet, doc string, examples []example, f func(c *decimal.Context, b bond) decimal.Decimal) *Entry {
	return &Entry{
		Name: name, Params: bondParams(), Result: "1", Doc: doc, Examples: examples, Spreadsheet: spreadsheet,
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			if b, ok := readBond(c, name, a, 2); ok {
				return f(c, b)
			}
			return decimal.Decimal{}
		},
	}
}

// couponDate is couponPart of a date.
func couponDate(name, spreadsheet, doc string, examples []example, f func(b bond) time.Time) *Entry {
	e := couponPart(name, spreadsheet, doc, examples, func(_ *decimal.Context, b bond) decimal.Decimal { return decimal.Int(f(b).Unix()) })
	e.Result, e.Points = "time", PointResult
	return e
}

// couponDays is couponPart of days.
func couponDays(name, spreadsheet, doc string, examples []example, days func(b bond) int64) *Entry {
	return couponPart(name, spreadsheet, doc, examples, func(c *decimal.Context, b bond) decimal.Decimal {
		return c.Quo(decimal.Int(days(b)), decimal.Int(b.perYear))
	})
}

// bonds holds functions of bonds that pay interest once, twice or four times a year, with the
// arguments of spreadsheets: rates are plain numbers a year, prices are for 100 of face value,
// basis is a day count as of year_fraction.
var bonds = []*Entry{
	{
		Rising: smoothly("..+-+."), Name: "bond_price", Params: bondParams("rate", "yield", "redemption"), Result: "1",
		Doc: "The price, without accrued interest, for 100 of face value of a bond that pays interest at a rate and is redeemed at maturity, at a yield.",
		Examples: []example{{"round(bond_price(date(2008, 2, 15), date(2017, 11, 15), 0.0575, 0.065, 100, 2), 5)", "94.63436"},
			{"bond_price(date(2025, 1, 1), date(2030, 1, 1), 0.05, 0.05, 100, 1)", "100"}, {"bond_price(date(2025, 1, 1), date(2030, 1, 1), 0.05, 0.05, 100, 3)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			b, ok := readBond(c, "bond_price", a, 5)
			if !ok {
				return decimal.Decimal{}
			}
			clean, _ := b.price(c, a[2], a[3], a[4])
			return clean
		},
		Inverse: invertBond(false), Spreadsheet: "PRICE",
	},
	{
		Rising: smoothly("..+-+."), Name: "bond_yield", Params: bondParams("rate", "price", "redemption"), Result: "1",
		Doc: "The yield a year of a bond at a price for 100 of face value, without accrued interest, found without a guess.",
		Examples: []example{{"round(bond_yield(date(2008, 2, 15), date(2016, 11, 15), 0.0575, 95.04287, 100, 2), 6)", "0.065"},
			{"bond_yield(date(2025, 1, 1), date(2030, 1, 1), 0.05, 100, 100, 1)", "0.05"}, {"bond_yield(date(2030, 1, 1), date(2025, 1, 1), 0.05, 100, 100, 1)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			b, ok := readBond(c, "bond_yield", a, 5)
			if !ok {
				return decimal.Decimal{}
			}
			return b.yield(c, "bond_yield", a[2], a[3], a[4])
		},
		Inverse: invertBond(true), Spreadsheet: "YIELD",
	},
	{
		Name: "bond_duration", Params: bondParams("rate", "yield"), Result: "1",
		Doc: "Macaulay's duration in years of a bond that is redeemed at its face value.",
		Examples: []example{{"round(bond_duration(date(2018, 7, 1), date(2048, 1, 1), 0.08, 0.09, 2, 1), 7)", "10.9191453"},
			{"bond_duration(date(2025, 1, 1), date(2026, 1, 1), 0.05, 0.03, 1)", "1"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			b, ok := readBond(c, "bond_duration", a, 4)
			if !ok {
				return decimal.Decimal{}
			}
			return b.duration(c, a[2], a[3])
		},
		Spreadsheet: "DURATION",
	},
	{
		Name: "bond_modified_duration", Params: bondParams("rate", "yield"), Result: "1",
		Doc: "The modified duration of a bond: by what share its price falls for a yield that rises by 1.",
		Examples: []example{{"round(bond_modified_duration(date(2008, 1, 1), date(2016, 1, 1), 0.08, 0.09, 2, 1), 7)", "5.7356698"},
			{"bond_modified_duration(date(2025, 1, 1), date(2026, 1, 1), 0.05, 0.25, 1)", "0.8"}},
		Formula:     "bond_duration(settlement, maturity, rate, yield, frequency, basis) / (1 + yield / frequency)",
		Spreadsheet: "MDURATION",
	},
	{
		Name: "accrued_interest", Params: []param{{name: "issue", dimension: "time"}, {name: "settlement", dimension: "time"}, {name: "rate", dimension: "1"},
			{name: "par", dimension: "a"}, basisParam}, Result: "a",
		Doc: "The interest at a rate a year on a par value from the issue to the settlement, by a day count.",
		Examples: []example{{"round(accrued_interest(date(2008, 4, 1), date(2008, 6, 15), 0.1, 1000, 3), 8)", "20.54794521"},
			{"accrued_interest(date(2025, 1, 1), date(2025, 7, 1), 0.1, 1000 [USD])", "50 USD"}},
		Formula: "par * rate * year_fraction(issue, settlement, basis)", Spreadsheet: "ACCRINTM ACCRINT",
	},
	{
		Name: "discount_rate", Params: append(append([]param{}, settled...), param{name: "price", dimension: "a"}, param{name: "redemption", dimension: "a"}, basisParam), Result: "1",
		Doc: "The discount rate a year of a security that is bought for a price and redeemed at maturity.",
		Examples: []example{{"round(discount_rate(date(2018, 7, 1), date(2048, 1, 1), 97.975, 100, 1), 8)", "0.00068638"},
			{"discount_rate(date(2025, 1, 1), date(2026, 1, 1), 95, 100)", "0.05"}},
		Formula: "(redemption - price) / redemption / year_fraction(settlement, maturity, basis)", Spreadsheet: "DISC",
	},
	couponPart("coupon_count", "COUPNUM", "The number of coupons from the settlement to maturity.",
		[]example{{"coupon_count(date(2007, 1, 25), date(2008, 11, 15), 2, 1)", "4"}, {"coupon_count(date(2025, 1, 1), date(2030, 1, 1), 1)", "5"}},
		func(_ *decimal.Context, b bond) decimal.Decimal { return decimal.Int(b.count) }),
	couponDays("coupon_days", "COUPDAYS", "The days of the coupon period of the settlement.",
		[]example{{"coupon_days(date(2011, 1, 25), date(2011, 11, 15), 2, 1)", "181"}, {"coupon_days(date(2011, 1, 25), date(2011, 11, 15), 2, 3)", "182.5"}},
		func(b bond) int64 { return b.period }),
	couponDays("coupon_days_over", "COUPDAYBS", "The days from the beginning of the coupon period to the settlement.",
		[]example{{"coupon_days_over(date(2011, 1, 25), date(2011, 11, 15), 2, 1)", "71"}, {"coupon_days_over(date(2011, 1, 25), date(2011, 11, 15), 2)", "70"}},
		func(b bond) int64 { return b.since }),
	couponDays("coupon_days_left", "COUPDAYSNC", "The days from the settlement to the next coupon.",
		[]example{{"coupon_days_left(date(2011, 1, 25), date(2011, 11, 15), 2, 1)", "110"}, {"coupon_days_left(date(2011, 1, 25), date(2011, 11, 15), 2)", "110"}},
		func(b bond) int64 { return b.left }),
	couponDate("next_coupon", "COUPNCD", "The date of the next coupon after the settlement.",
		[]example{{"next_coupon(date(2011, 1, 25), date(2011, 11, 15), 2, 1)", "2011-05-15"}, {"next_coupon(date(2025, 2, 10), date(2026, 8, 31), 2)", "2025-02-28"}},
		func(b bond) time.Time { return b.next }),
	couponDate("previous_coupon", "COUPPCD", "The date of the last coupon up to the settlement.",
		[]example{{"previous_coupon(date(2011, 1, 25), date(2011, 11, 15), 2, 1)", "2010-11-15"}, {"previous_coupon(date(2025, 3, 10), date(2026, 8, 31), 2)", "2025-02-28"}},
		func(b bond) time.Time { return b.previous }),
}

// invertBond makes the inverse of bond_price, or of bond_yield: both are linear in rate and
// redemption, as a price is.
func invertBond(asYield bool) inverse {
	return func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) Preimage {
		if k < 2 || k > 4 {
			return Preimage{}
		}
		b, ok := readBond(c, "bond_price", a, 5)
		if !ok {
			return Preimage{}
		}
		yield, price := a[3], t
		if asYield {
			yield, price = t, a[3]
		}
		if k == 3 && asYield {
			clean, _ := b.price(c, a[2], t, a[4])
			return OneRoot(clean)
		}
		if k == 3 {
			return OneRoot(b.yield(c, "bond_price", a[2], t, a[4]))
		}
		none, one := decimal.Decimal{}, decimal.Int(1)
		if k == 2 {
			perRate, _ := b.price(c, one, yield, none)
			rest, _ := b.price(c, none, yield, a[4])
			return OneRoot(c.Quo(c.Sub(price, rest), perRate))
		}
		perRedemption, _ := b.price(c, none, yield, one)
		rest, _ := b.price(c, a[2], yield, none)
		return OneRoot(c.Quo(c.Sub(price, rest), perRedemption))
	}
}
