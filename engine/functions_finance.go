package engine

func money(names ...string) []param {
	var list []param
	for _, n := range names {
		list = append(list, param{name: n, dimension: "any"})
	}
	return list
}

var (
	noFuture  = param{name: "fv", dimension: "any", value: "0"}
	noPresent = param{name: "pv", dimension: "any", value: "0"}
	atEnd     = param{name: "type", dimension: "1", value: "0"}
)

// finance holds functions that are defined by formulas, so that an equation over them is solved like one written out.
// Arguments and signs are those of spreadsheets: money paid out is negative; type is 0 for payments at the end of each
// period, 1 at its start.
var finance = []*function{
	{
		name: "pmt", params: append(money("rate", "nper", "pv"), noFuture, atEnd),
		doc:      "The payment of each of nper periods that pays off pv at a rate per period and leaves fv.",
		examples: []example{{"round(pmt(0.08 / 12, 10, 10000), 2)", "-1037.03"}, {"pmt(0, 10, 1000)", "-100"}},
		formula: "if(rate == 0, -(pv + fv) / nper," +
			" -(pv * (1 + rate)^nper + fv) * rate / ((1 + rate * type) * ((1 + rate)^nper - 1)))",
	},
	{
		name: "pv", params: append(money("rate", "nper", "pmt"), noFuture, atEnd),
		doc:      "The present value of nper payments and a final value fv at a rate per period.",
		examples: []example{{"round(pv(0.08 / 12, 240, 500), 2)", "-59777.15"}},
		formula: "if(rate == 0, -(fv + pmt * nper)," +
			" -(pmt * (1 + rate * type) * ((1 + rate)^nper - 1) / rate + fv) / (1 + rate)^nper)",
	},
	{
		name: "fv", params: append(money("rate", "nper", "pmt"), noPresent, atEnd),
		doc:      "The value after nper payments and a first value pv at a rate per period.",
		examples: []example{{"round(fv(0.06 / 12, 10, -200, -500, 1), 2)", "2581.4"}},
		formula: "if(rate == 0, -(pv + pmt * nper)," +
			" -(pv * (1 + rate)^nper + pmt * (1 + rate * type) * ((1 + rate)^nper - 1) / rate))",
	},
	{
		name: "nper", params: append(money("rate", "pmt", "pv"), noFuture, atEnd),
		doc:      "The number of periods in which payments pmt turn pv into fv at a rate per period.",
		examples: []example{{"round(nper(0.12 / 12, -100, -1000, 10000, 1), 4)", "59.6739"}},
		formula: "if(rate == 0, -(pv + fv) / pmt," +
			" ln((pmt * (1 + rate * type) - fv * rate) / (pv * rate + pmt * (1 + rate * type))) / ln(1 + rate))",
	},
	{
		name: "ipmt", params: append(money("rate", "per", "nper", "pv"), noFuture, atEnd),
		doc:      "The interest in the payment of period per of a loan.",
		examples: []example{{"round(ipmt(0.1 / 12, 1, 36, 8000), 2)", "-66.67"}},
		formula: "if(type == 0, fv(rate, per - 1, pmt(rate, nper, pv, fv, type), pv, type) * rate," +
			" if(per == 1, 0, fv(rate, per - 1, pmt(rate, nper, pv, fv, type), pv, type) * rate / (1 + rate)))",
	},
	{
		name: "ppmt", params: append(money("rate", "per", "nper", "pv"), noFuture, atEnd),
		doc:      "The part of the payment of period per that pays off the loan.",
		examples: []example{{"round(ppmt(0.1 / 12, 1, 24, 2000), 2)", "-75.62"}},
		formula:  "pmt(rate, nper, pv, fv, type) - ipmt(rate, per, nper, pv, fv, type)",
	},
}
