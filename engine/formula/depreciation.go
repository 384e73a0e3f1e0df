package formula

import "reckon/engine/decimal"

// depreciated are parameters of depreciations: the life and the period are plain numbers.
func depreciated(names ...string) []param {
	list := []param{{name: "cost", dimension: "a"}, {name: "salvage", dimension: "a"}}
	for _, n := range names {
		check := "life > 0"
		if n == "per" {
			check = "per >= 1 and per <= life"
		}
		list = append(list, param{name: n, dimension: "1", check: check})
	}
	return list
}

// depreciations hold what a thing loses of its worth in a period.
var depreciations = []*Entry{
	{
		Name: "sln", Params: depreciated("life"), Result: "a",
		Doc:         "The depreciation of each period of a life in equal parts, from a cost to a salvage value.",
		Examples:    []example{{"sln(30000, 7500, 10)", "2250"}, {"sln(30000 [USD], 7500 [USD], 10)", "2250 USD"}},
		Formula:     "(cost - salvage) / life",
		Spreadsheet: "SLN",
	},
	{
		Name: "syd", Params: depreciated("life", "per"), Result: "a",
		Doc:         "The depreciation of period per by the sum of the years' digits.",
		Examples:    []example{{"round(syd(30000, 7500, 10, 1), 2)", "4090.91"}, {"round(syd(30000, 7500, 10, 10), 2)", "409.09"}},
		Formula:     "(cost - salvage) * (life - per + 1) * 2 / (life * (life + 1))",
		Spreadsheet: "SYD",
	},
	{
		Name: "ddb", Params: append(depreciated("life", "per"), param{name: "factor", dimension: "1", value: "2", check: "factor > 0"}), Result: "a",
		Doc: "The depreciation of period per by a balance that declines at factor / life a period, 2 for double, down to the salvage value.",
		Examples: []example{{"round(ddb(2400, 300, 10, 1), 2)", "480"}, {"round(ddb(2400, 300, 10, 10), 2)", "22.12"}, {"round(ddb(2400, 300, 10, 2, 1.5), 2)", "306"},
			{"ddb(100, 20, 2, 1)", "80"}},
		Formula: "max(0 * cost, if(per == 1, cost, cost * max(0, 1 - factor / life)^(per - 1))" +
			" - max(salvage, cost * max(0, 1 - factor / life)^per))",
		Spreadsheet: "DDB",
	},
	{
		Name: "db", Params: append(depreciated("life"),
			param{name: "per", dimension: "1", check: "per >= 1 and per <= life + 1"},
			param{name: "month", dimension: "1", value: "12", check: "month >= 1 and month <= 12"}), Result: "a",
		Doc: "The depreciation of period per by a balance that declines at a fixed rate, which is rounded to 3 places, with a first year of some months.",
		Examples: []example{{"round(db(1000000, 100000, 6, 1, 7), 2)", "186083.33"}, {"round(db(1000000, 100000, 6, 2, 7), 2)", "259639.42"},
			{"round(db(1000000, 100000, 6, 7, 7), 2)", "15845.1"}},
		Formula: "if(per == 1, cost * round(1 - (salvage / cost)^(1 / life), 3) * month / 12," +
			" cost * (1 - round(1 - (salvage / cost)^(1 / life), 3) * month / 12) * (1 - round(1 - (salvage / cost)^(1 / life), 3))^(per - 2)" +
			" * round(1 - (salvage / cost)^(1 / life), 3) * if(per == life + 1, (12 - month) / 12, 1))",
		Spreadsheet: "DB",
	},
	{
		Name: "vdb", Params: append(depreciated("life"),
			param{name: "start", dimension: "1"}, param{name: "end", dimension: "1"},
			param{name: "factor", dimension: "1", value: "2"}, param{name: "no_switch", dimension: "1", value: "0"}), Result: "a",
		Doc: "The depreciation from one time of a life to another, in periods, by a balance that declines at factor / life a period, and by equal parts" +
			" from when these are more; with 1 as the last argument it never changes to them.",
		Examples: []example{{"round(vdb(2400, 300, 3650, 0, 1), 2)", "1.32"}, {"round(vdb(2400, 300, 120, 6, 18), 2)", "396.31"},
			{"round(vdb(2400, 300, 120, 6, 18, 1.5), 2)", "311.81"}, {"vdb(2400, 300, 10, 0, 0.875, 1.5)", "315"}, {"vdb(2400, 300, 10, 2, 1)", "! calculation.domain_error"}},
		Eval: decliningBetween, Spreadsheet: "VDB",
	},
}

// mostLife bounds the periods that are gone through one by one.
const mostLife = 100_000

// decliningBetween is vdb: whole periods one after the other, of the first and last one the part
// that counts.
func decliningBetween(c *decimal.Context, a Decimals) decimal.Decimal {
	cost, salvage, life, start, end := a[0], a[1], a[2], a[3], a[4]
	factor, switches, one := decimal.Int(2), true, decimal.Int(1)
	if len(a) > 5 {
		factor = a[5]
	}
	if len(a) > 6 {
		switches = Certain(c, a[6]).IsZero()
	}
	switch {
	case cost.Sign() < 0 || salvage.Sign() < 0:
		return refused(c, "vdb", cost)
	case life.Sign() <= 0 || life.Cmp(decimal.Int(mostLife)) > 0:
		return refused(c, "vdb", life)
	case start.Sign() < 0 || start.Cmp(end) > 0:
		return refused(c, "vdb", start)
	case end.Cmp(life) > 0:
		return refused(c, "vdb", end)
	case factor.Sign() <= 0:
		return refused(c, "vdb", factor)
	}
	rate := Extreme(Decimals{c.Quo(factor, life), one}, -1)
	var sum, equal decimal.Decimal
	balance, same := cost, false
	for from := decimal.Int(0); from.Cmp(end) < 0 && c.Err() == nil; from = c.Add(from, one) {
		left := Extreme(Decimals{c.Sub(balance, salvage), {}}, 1)
		lost := Extreme(Decimals{c.Mul(balance, rate), left}, -1)
		if rest := c.Sub(life, from); switches && !same {
			equal = c.Quo(left, rest)
			same = equal.Cmp(lost) > 0
		}
		if same {
			lost = equal
		}
		balance = c.Sub(balance, lost)
		to := c.Add(from, one)
		part := c.Sub(Extreme(Decimals{to, end}, -1), Extreme(Decimals{from, start}, 1))
		if part.Sign() > 0 {
			sum = c.Add(sum, c.Mul(lost, part))
		}
	}
	return sum
}
