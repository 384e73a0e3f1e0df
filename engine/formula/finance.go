package formula

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// loanParams are parameters of functions over an annuity: rate, nper and per are plain numbers, the
// others money.
func loanParams(names ...string) []param {
	var list []param
	for _, n := range names {
		switch n {
		case "rate", "nper":
			list = append(list, param{name: n, dimension: "1", single: true})
		case "per":
			list = append(list, param{name: n, dimension: "1", check: "per >= 1 and per <= nper", single: true})
		default:
			list = append(list, param{name: n, dimension: "a", single: true})
		}
	}
	return list
}

// moving are parameters of a function that makes a table, some of which its cells move with.
func moving(params []param, names ...string) []param {
	for i := range params {
		params[i].moves = slices.Contains(names, params[i].name)
	}
	return params
}

// cumulated are the parameters of sums over the periods of a loan.
var cumulated = append(loanParams("rate", "nper", "pv"),
	param{name: "start", dimension: "1", check: "start >= 1 and start <= end", single: true},
	param{name: "end", dimension: "1", check: "end <= nper", single: true}, atEnd)

var (
	noFuture  = param{name: "fv", dimension: "a", value: "0", single: true}
	noPresent = param{name: "pv", dimension: "a", value: "0", single: true}
	atEnd     = param{name: "type", dimension: "1", value: "0", check: "type == 0 or type == 1", single: true}
)

// finance holds functions with the arguments and signs of spreadsheets: money paid out is negative;
// type is 0 for payments at the end of each period, 1 at its start. Those with a formula are solved
// like an equation that has it written out.
var finance = []*Entry{
	{
		Name: "pmt", Params: append(loanParams("rate", "nper", "pv"), noFuture, atEnd), Result: "a",
		Doc: "The payment of each of nper periods that pays off pv at a rate per period and leaves fv; type is 1 for payments at the start of periods.",
		Examples: []example{{"round(pmt(0.08 / 12, 10, 10000), 2)", "-1037.03"}, {"round(pmt(0.08 / 12, 10, 10000, 0, 1), 2)", "-1030.16"}, {"pmt(0, 10, 1000)", "-100"},
			{"pmt(0.1, 10, 1000, 0, 2)", "! calculation.domain_error"}},
		Formula: "if(rate == 0, -(pv + fv) / nper," +
			" -(pv * (1 + rate)^nper + fv) * rate / ((1 + rate * type) * ((1 + rate)^nper - 1)))",
	},
	{
		Name: "pv", Params: append(loanParams("rate", "nper", "pmt"), noFuture, atEnd), Result: "a",
		Doc:      "The present value of nper payments and a final value fv at a rate per period.",
		Examples: []example{{"round(pv(0.08 / 12, 240, 500), 2)", "-59777.15"}, {"pv(0, 10, -100)", "1000"}},
		Formula: "if(rate == 0, -(fv + pmt * nper)," +
			" -(pmt * (1 + rate * type) * ((1 + rate)^nper - 1) / rate + fv) / (1 + rate)^nper)",
	},
	{
		Name: "fv", Params: append(loanParams("rate", "nper", "pmt"), noPresent, atEnd), Result: "a",
		Doc:      "The value after nper payments and a first value pv at a rate per period.",
		Examples: []example{{"round(fv(0.06 / 12, 10, -200, -500, 1), 2)", "2581.4"}, {"fv(0.5, 2, -100)", "250"}},
		Formula: "if(rate == 0, -(pv + pmt * nper)," +
			" -(pv * (1 + rate)^nper + pmt * (1 + rate * type) * ((1 + rate)^nper - 1) / rate))",
	},
	{
		Name: "nper", Params: append(loanParams("rate", "pmt", "pv"), noFuture, atEnd), Result: "1",
		Doc: "The number of periods in which payments pmt turn pv into fv at a rate per period; it need not be whole.",
		Examples: []example{{"round(nper(0.12 / 12, -100, -1000, 10000, 1), 4)", "59.6739"}, {"nper(0, -100, 1000)", "10"},
			{"nper(0.1, -50, 1000)", "! calculation.domain_error"}},
		Formula: "if(rate == 0, -(pv + fv) / pmt," +
			" ln((pmt * (1 + rate * type) - fv * rate) / (pv * rate + pmt * (1 + rate * type))) / ln(1 + rate))",
	},
	{
		Rising: rateRises, Name: "rate", Params: append(loanParams("nper", "pmt", "pv"), noFuture, atEnd), Result: "1",
		Doc: "The rate per period at which nper payments pmt turn pv into fv, found without a guess. Of several rates it is the one" +
			" nearest to 0, none above 1,000% or below -99.9%.",
		Examples: []example{{"round(rate(48, -200, 8000) * 12, 4)", "0.0924"}, {"rate(10, -100, 1000)", "0"}, {"rate(1, 0, -100, 150)", "0.5"},
			{"rate(10, 100, 1000)", "! calculation.no_solution"}},
		Eval:    loanRate,
		Inverse: invertRate,
	},
	{
		Name: "ipmt", Params: append(loanParams("rate", "per", "nper", "pv"), noFuture, atEnd), Result: "a",
		Doc: "The interest in the payment of period per of a loan, from 1 to nper.",
		Examples: []example{{"round(ipmt(0.1 / 12, 1, 36, 8000), 2)", "-66.67"}, {"round(ipmt(0.1, 3, 3, 8000), 2)", "-292.45"},
			{"ipmt(0.1, 4, 3, 8000)", "! calculation.domain_error"}},
		Formula: "if(type == 0, fv(rate, per - 1, pmt(rate, nper, pv, fv, type), pv, type) * rate," +
			" if(per == 1, 0, fv(rate, per - 1, pmt(rate, nper, pv, fv, type), pv, type) * rate / (1 + rate)))",
	},
	{
		Name: "ppmt", Params: append(loanParams("rate", "per", "nper", "pv"), noFuture, atEnd), Result: "a",
		Doc:      "The part of the payment of period per, from 1 to nper, that pays off the loan.",
		Examples: []example{{"round(ppmt(0.1 / 12, 1, 24, 2000), 2)", "-75.62"}, {"round(ppmt(0.08, 10, 10, 200000), 2)", "-27598.05"}},
		Formula:  "pmt(rate, nper, pv, fv, type) - ipmt(rate, per, nper, pv, fv, type)",
	},
	{
		Name: "cumprinc", Params: cumulated, Result: "a",
		Doc: "The part of the payments of periods start to end of a loan, both counted, that pays it off.",
		Examples: []example{{"round(cumprinc(0.09 / 12, 360, 125000, 13, 24), 4)", "-934.1071"}, {"round(cumprinc(0.09 / 12, 360, 125000, 1, 1), 4)", "-68.2783"},
			{"cumprinc(0.1, 3, 1000, 2, 1)", "! calculation.domain_error"}},
		Formula: "if(type == 0, fv(rate, start - 1, pmt(rate, nper, pv), pv) - fv(rate, end, pmt(rate, nper, pv), pv)," +
			" (if(start == 1, -pv * (1 + rate), fv(rate, start - 1, pmt(rate, nper, pv, 0 * pv, 1), pv, 1))" +
			" - fv(rate, end, pmt(rate, nper, pv, 0 * pv, 1), pv, 1)) / (1 + rate))",
		Spreadsheet: "CUMPRINC",
	},
	{
		Name: "cumipmt", Params: cumulated, Result: "a",
		Doc: "The interest in the payments of periods start to end of a loan, both counted.",
		Examples: []example{{"round(cumipmt(0.09 / 12, 360, 125000, 13, 24), 4)", "-11135.2321"}, {"cumipmt(0.09 / 12, 360, 125000, 1, 1)", "-937.5"},
			{"round(cumipmt(0.1, 3, 1000, 1, 2, 1), 4)", "-63.4441"}},
		Formula:     "(end - start + 1) * pmt(rate, nper, pv, 0 * pv, type) - cumprinc(rate, nper, pv, start, end, type)",
		Spreadsheet: "CUMIPMT",
	},
	{
		Name: "effect", Params: []param{{name: "nominal", dimension: "1"}, {name: "periods", dimension: "1", check: "periods > 0"}}, Result: "1",
		Doc:         "The effective rate a year of a nominal rate that is compounded in a number of periods a year.",
		Examples:    []example{{"round(effect(0.0525, 4), 7)", "0.0535427"}, {"effect(0.1, 1)", "0.1"}},
		Formula:     "(1 + nominal / periods)^periods - 1",
		Spreadsheet: "EFFECT",
	},
	{
		Name: "nominal", Params: []param{{name: "effective", dimension: "1"}, {name: "periods", dimension: "1", check: "periods > 0"}}, Result: "1",
		Doc:         "The nominal rate a year, compounded in a number of periods a year, of an effective rate.",
		Examples:    []example{{"round(nominal(0.053543, 4), 8)", "0.05250032"}, {"nominal(0.21, 0.5)", "0.23205"}},
		Formula:     "periods * ((1 + effective)^(1 / periods) - 1)",
		Spreadsheet: "NOMINAL",
	},
	{
		Name: "rri", Params: []param{{name: "nper", dimension: "1"}, {name: "pv", dimension: "a"}, {name: "fv", dimension: "a"}}, Result: "1",
		Doc:         "The rate per period at which pv grows to fv in nper periods, which need not be whole.",
		Examples:    []example{{"round(rri(96, 10000, 11000), 9)", "0.000993307"}, {"rri(2, 100, 121)", "0.1"}},
		Formula:     "(fv / pv)^(1 / nper) - 1",
		Spreadsheet: "RRI",
	},
	{
		Name: "pduration", Params: []param{{name: "rate", dimension: "1", check: "rate > 0"}, {name: "pv", dimension: "a"}, {name: "fv", dimension: "a"}}, Result: "1",
		Doc:         "The number of periods in which pv grows to fv at a rate per period; it need not be whole.",
		Examples:    []example{{"round(pduration(0.025, 2000, 2200), 5)", "3.85987"}, {"pduration(0.1, 100, 121)", "2"}, {"pduration(-0.1, 100, 121)", "! calculation.domain_error"}},
		Formula:     "ln(fv / pv) / ln(1 + rate)",
		Spreadsheet: "PDURATION",
	},
	{
		Name: "ispmt", Params: loanParams("rate", "per", "nper", "pv"), Result: "a",
		Doc:      "The interest of period per, counted from 0, of a loan that is paid off in equal parts.",
		Examples: []example{{"round(ispmt(0.1 / 12, 1, 36, 8000000), 2)", "-64814.81"}, {"ispmt(0.1, 1, 3, 8000000) + 533333 + 1/3", "0"}},
		Formula:  "pv * rate * (per / nper - 1)", Spreadsheet: "ISPMT",
	},
	{
		Over: risingOver("+"), Name: "mirr", Params: []param{{name: "values", dimension: "a"}, {name: "finance", dimension: "1", single: true}, {name: "reinvest", dimension: "1", single: true}},
		Result: "1", tables: true,
		Doc: "The rate per period of payments at equal intervals, the first one at once, when negative ones are financed at one" +
			" rate and positive ones reinvested at another.",
		Examples: []example{{"round(mirr([-120000, 39000, 30000, 21000, 37000, 46000], 0.1, 0.12), 6)", "0.126094"}, {"mirr([-100, 0, 121], 0, 0)", "0.1"},
			{"mirr([100, 200], 0.1, 0.1)", "! calculation.domain_error"}},
		Grid:        modifiedRate,
		Spreadsheet: "MIRR",
	},
	{
		Over: amortizationOver, Name: "amortization", Params: moving(append(loanParams("rate", "nper", "pv"), noFuture, atEnd), "rate", "pv", "fv"), Result: "a", tables: true, shape: shapeTable,
		Doc: "The schedule of a loan: a table with a row for each of nper periods and the columns payment, interest, principal" +
			" (each with the sign of pmt, ipmt and ppmt) and the balance owed after the payment.",
		Examples: []example{
			{"round(amortization(0.1, 2, 2100), 2)", `[["-1210","-210","-1000","1100"],["-1210","-110","-1100","0"]]`},
			{"sum(column(amortization(0.01, 12, 1000), 3))", "-1000"},
			{"amortization(0.01, 2.5, 1000)", "! calculation.domain_error"},
		},
		Grid: amortization, Columns: []string{"payment", "interest", "principal", "balance"},
	},
	{
		Over: npvOver, Name: "npv", Params: []param{{name: "rate", dimension: "1", single: true}, {name: "values", dimension: "a"}}, Variadic: true, Result: "a", tables: true, terms: npvTerms,
		Doc:      "The present value of payments at the ends of periods, at a rate per period. A payment at once is added to it; empty cells do not count.",
		Examples: []example{{"round(npv(0.1, [-10000, 3000, 4200, 6800]), 2)", "1188.44"}, {"npv(0.25, 500, 625) - 700", "100"}, {"npv(-1, [1])", "! calculation.division_by_zero"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			rate, ok := args[0].scalar(c)
			if !ok {
				return Grid{}
			}
			growth := c.Add(decimal.Int(1), rate)
			var sum decimal.Decimal
			list := flatten(args[1:])
			for i := len(list) - 1; i >= 0; i-- {
				sum = c.Quo(c.Add(sum, list[i]), growth)
			}
			return scalarGrid(sum)
		},
	},
	{
		Over: irrOver, Name: "irr", Params: Unary("values", "a"), Result: "1", tables: true,
		Doc: "The rate per period at which payments at equal intervals, the first one at once, are worth nothing, found without a" +
			" guess; empty cells do not count. Of several rates it is the one nearest to 0, none above 1,000% or below -99.9%.",
		Examples: []example{{"irr([-100, 60, 72])", "0.2"}, {"irr([-100, 0, 121])", "0.1"}, {"irr([-100, 230, -132])", "0.1"}, {"irr([1, -2, 1])", "0"},
			{"irr([100, 200])", "! calculation.no_solution"}},
		Grid: func(c *decimal.Context, args []Grid) Grid { return scalarGrid(returnRate(c, args[0].numbers())) },
	},
	{
		Over: xnpvOver, Name: "xnpv", Params: []param{{name: "rate", dimension: "1", single: true}, {name: "values", dimension: "a"}, {name: "dates", dimension: "date"}},
		Result: "a", tables: true, adds: true,
		Doc: "The present value, on the first date, of payments on dates, at a rate per year of 365 days. No date is before the first.",
		Examples: []example{{"xnpv(0.1, [-100, 121], [date(2025, 1, 1), date(2026, 1, 1)])", "10"},
			{"xnpv(0.1, [-100, 121], [date(2025, 1, 1), date(2024, 1, 1)])", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			rate, ok := args[0].scalar(c)
			if !ok {
				return Grid{}
			}
			growth := c.Add(decimal.Int(1), rate)
			payments, days := datedPayments(c, "xnpv", args[1], args[2])
			if growth.Sign() <= 0 {
				c.Fail(&decimal.UndefinedError{Function: "xnpv", Argument: rate})
			}
			payments, days = byDay(c, payments, days)
			if c.Err() != nil {
				return Grid{}
			}
			return scalarGrid(discounted(c, payments, days, func(gap int64) decimal.Decimal {
				return c.Pow(growth, c.Quo(decimal.Int(-gap), daysPerYear))
			}))
		},
	},
	{
		Over: xirrOver, Name: "xirr", Params: []param{{name: "values", dimension: "a"}, {name: "dates", dimension: "date"}}, Result: "1", tables: true,
		Doc: "The rate per year of 365 days at which payments on dates are worth nothing, found without a guess. No date is before" +
			" the first. Of several rates it is the one nearest to 0, none above 1,000% or below -99.9%.",
		Examples: []example{{"round(xirr([-100, 110], [date(2025, 1, 1), date(2026, 1, 1)]), 30)", "0.1"},
			{"xirr([-100, -110], [date(2025, 1, 1), date(2026, 1, 1)])", "! calculation.no_solution"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			payments, days := datedPayments(c, "xirr", args[0], args[1])
			return scalarGrid(datedRate(c, payments, days))
		},
	},
}

// modifiedRate is mirr: what is reinvested at the end over what is financed at the start.
func modifiedRate(c *decimal.Context, args []Grid) Grid {
	rates, ok := scalars(c, args[1:])
	if !ok {
		return Grid{}
	}
	one := decimal.Int(1)
	finance, reinvest := c.Add(one, rates[0]), c.Add(one, rates[1])
	values := args[0].numbers()
	var paid, earned decimal.Decimal
	for i, v := range values {
		if v.Sign() < 0 {
			paid = c.Sub(paid, c.Quo(v, c.Pow(finance, decimal.Int(int64(i)))))
		} else {
			earned = c.Add(earned, c.Mul(v, c.Pow(reinvest, decimal.Int(int64(len(values)-1-i)))))
		}
	}
	if paid.IsZero() || earned.IsZero() {
		return failed(c, &decimal.UndefinedError{Function: "mirr", Argument: decimal.Int(int64(len(values)))})
	}
	periods := decimal.Int(int64(len(values) - 1))
	return scalarGrid(c.Sub(c.Pow(c.Quo(earned, paid), c.Quo(one, periods)), one))
}

var daysPerYear = decimal.Int(365)

// datedPayments pairs payments with their dates, as days after the first one.
func datedPayments(c *decimal.Context, name string, values, dates Grid) (payments Decimals, days []int64) {
	if !values.Fits(dates) {
		c.Fail(&GridError{-1, -1})
		return nil, nil
	}
	first := int64(0)
	for r, row := range values.Rows {
		for i, cell := range row {
			date := dates.Rows[r][i]
			if cell.Empty != date.Empty {
				c.Fail(&GridError{-1, -1})
				return nil, nil
			}
			if cell.Empty {
				continue
			}
			t, ok := moment(date.Number)
			day := dayOf(t)
			if len(days) == 0 {
				first = day
			}
			if !ok || day < first {
				c.Fail(&decimal.UndefinedError{Function: name, Argument: date.Number})
				return nil, nil
			}
			payments, days = append(payments, cell.Number), append(days, day-first)
		}
	}
	return payments, days
}

func amortization(c *decimal.Context, args []Grid) Grid {
	a, ok := scalars(c, args)
	if !ok {
		return Grid{}
	}
	rate := a[0]
	pv, fv, kind := loanArgs(a)
	n, whole := Settled(c, a[1]).Int64()
	const columns = 4
	switch {
	case !whole || n < 1:
		c.Fail(&decimal.UndefinedError{Function: "amortization", Argument: a[1]})
	case n > value.MaxCells/columns:
		c.Fail(decimal.ErrLimit)
	case !kind.IsZero() && !IsOne(kind):
		c.Fail(&decimal.UndefinedError{Function: "amortization", Argument: kind})
	}
	if c.Err() != nil {
		return Grid{}
	}
	annuity := newAnnuity(c, rate, decimal.Int(n), kind)
	payment := annuity.payment(c, pv, fv)
	result := Grid{Rank: 2, Rows: make([][]GridCell, n)}
	cells := make([]GridCell, n*columns)
	before, charge := &pv, rate.Neg()
	for i := range n {
		row := cells[i*columns : (i+1)*columns : (i+1)*columns]
		interest, principal, balance := &row[1].Number, &row[2].Number, &row[3].Number
		row[0].Number = payment
		if i > 0 || kind.IsZero() {
			c.SetMul(interest, before, &charge)
		}
		c.SetSub(principal, &payment, interest)
		c.SetAdd(balance, before, principal)
		result.Rows[i], before = row, balance
	}
	// What is left is known exactly; adding up has rounded.
	if *before = fv.Neg(); !kind.IsZero() {
		*before = c.Quo(*before, annuity.growth)
	}
	return result
}

// annuity is what a rate makes of nper equal payments.
type annuity struct {
	growth decimal.Decimal // 1 + rate
	power  decimal.Decimal // growth^nper
	sum    decimal.Decimal // the value of nper payments of 1 after the last period
}

// newAnnuity sums the payments of 1: (growth^n - 1) / rate, as a binomial series next to rate 0,
// where that loses digits.
func newAnnuity(c *decimal.Context, rate, n, kind decimal.Decimal) annuity {
	a := annuity{growth: c.Add(decimal.Int(1), rate)}
	if small := c.Mul(rate, n).Abs(); small.Cmp(seriesBelow) < 0 {
		term := n
		for k := int64(1); k < 60 && !term.IsZero(); k++ {
			a.sum = c.Add(a.sum, term)
			term = c.Quo(c.Mul(term, c.Mul(rate, c.Sub(n, decimal.Int(k)))), decimal.Int(k+1))
		}
		a.power = c.Add(decimal.Int(1), c.Mul(rate, a.sum))
	} else {
		a.power = c.Pow(a.growth, n)
		a.sum = c.Quo(c.Sub(a.power, decimal.Int(1)), rate)
	}
	a.sum = c.Mul(a.sum, c.Add(decimal.Int(1), c.Mul(rate, kind)))
	return a
}

// seriesBelow is the product of rate and nper below which 60 terms of the series are more than
// enough.
var seriesBelow = decimal.MustParse("1e-3")

func (a annuity) payment(c *decimal.Context, pv, fv decimal.Decimal) decimal.Decimal {
	return c.Quo(a.final(c, pv, fv), a.sum).Neg()
}

// final is the value of a first and a last sum after the last period.
func (a annuity) final(c *decimal.Context, pv, fv decimal.Decimal) decimal.Decimal {
	return c.Add(c.Mul(pv, a.power), fv)
}

// loanArgs are pv, fv and type of a call of rate.
func loanArgs(args Decimals) (pv, fv, kind decimal.Decimal) {
	pv = args[2]
	if len(args) > 3 {
		fv = args[3]
	}
	if len(args) > 4 {
		kind = args[4]
	}
	return pv, fv, kind
}

// invertRate finds the periods or a sum of money of rate(nper, pmt, pv, fv, type) from the rate t.
func invertRate(c *decimal.Context, args Decimals, k int, t decimal.Decimal) Preimage {
	if t.Cmp(decimal.Int(-1)) <= 0 {
		return Preimage{}
	}
	pv, fv, kind := loanArgs(args)
	if k == 0 {
		if t.IsZero() {
			sum := c.Add(pv, fv)
			if args[1].IsZero() {
				return Preimage{Infinite: sum.IsZero()}
			}
			return OneRoot(c.Quo(sum, args[1]).Neg())
		}
		// In multiples of 1 / rate, the payments are a sum that lasts for ever.
		forever := c.Quo(c.Mul(args[1], c.Add(decimal.Int(1), c.Mul(t, kind))), t)
		if Compare(c, forever, pv.Neg()) == 0 {
			// Payments of nothing but interest go on and on.
			return Preimage{Infinite: Compare(c, forever, fv) == 0}
		}
		power := c.Quo(c.Sub(forever, fv), c.Add(forever, pv))
		if c.Err() != nil || power.Sign() <= 0 {
			return Preimage{}
		}
		return OneRoot(c.Quo(c.Ln(power), c.Ln(c.Add(decimal.Int(1), t))))
	}
	a := newAnnuity(c, t, args[0], kind)
	switch k {
	case 1:
		return OneRoot(a.payment(c, pv, fv))
	case 2:
		return OneRoot(c.Quo(c.Add(c.Mul(args[1], a.sum), fv), a.power).Neg())
	case 3:
		return OneRoot(c.Add(c.Mul(pv, a.power), c.Mul(args[1], a.sum)).Neg())
	}
	return Preimage{}
}
