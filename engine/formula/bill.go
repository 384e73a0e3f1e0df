package formula

// billParams are settlement, maturity within so many days or years, and a plain number.
func billParams(within, name, check string) []param {
	return []param{
		{name: "settlement", dimension: "date"},
		{name: "maturity", dimension: "date", check: "days_between(settlement, maturity) > 0 and " + within},
		{name: name, dimension: "1", check: check},
	}
}

const (
	withinYear = "maturity <= add_years(settlement, 1)"
	// Beyond half a year a bond pays interest in between, which the equivalent yield has to follow.
	withinHalfYear = "days_between(settlement, maturity) <= 182"
)

// bills holds functions of Treasury bills, which pay no interest and are sold below their face
// value: rates are plain numbers a year, prices are for 100 of face value, years of discounts have
// 360 days.
var bills = []*Entry{
	{
		Name: "bill_price", Params: billParams(withinYear, "discount", ""), Result: "1",
		Doc: "The price for 100 of face value of a Treasury bill that is sold at a discount rate; maturity is within a year.",
		Examples: []example{{"bill_price(date(2008, 3, 31), date(2008, 6, 1), 0.09)", "98.45"}, {"bill_price(date(2026, 1, 1), date(2026, 6, 30), 0.04)", "98"},
			{"bill_price(date(2026, 1, 1), date(2027, 1, 2), 0.04)", "! calculation.domain_error"}},
		Formula: "100 * (1 - discount * days_between(settlement, maturity) / 360)", Spreadsheet: "TBILLPRICE",
	},
	{
		Name: "bill_yield", Params: billParams(withinYear, "price", "price > 0"), Result: "1",
		Doc: "The yield a year of 360 days of a Treasury bill at a price for 100 of face value; maturity is within a year.",
		Examples: []example{{"round(bill_yield(date(2008, 3, 31), date(2008, 6, 1), 98.45), 6)", "0.091417"}, {"bill_yield(date(2026, 1, 1), date(2026, 6, 30), 80)", "0.5"},
			{"bill_yield(date(2026, 6, 30), date(2026, 1, 1), 80)", "! calculation.domain_error"}},
		Formula: "(100 - price) / price * 360 / days_between(settlement, maturity)", Spreadsheet: "TBILLYIELD",
	},
	{
		Name: "bill_equivalent_yield", Params: billParams(withinHalfYear, "discount", ""), Result: "1",
		Doc: "The yield a year of 365 days that a bond would have which costs as much as a Treasury bill of a discount rate; maturity is within 182 days.",
		Examples: []example{{"round(bill_equivalent_yield(date(2008, 3, 31), date(2008, 6, 1), 0.0914), 6)", "0.094151"},
			{"bill_equivalent_yield(date(2026, 1, 1), date(2026, 6, 30), 0.54)", "0.75"}, {"bill_equivalent_yield(date(2026, 1, 1), date(2026, 8, 1), 0.04)", "! calculation.domain_error"}},
		Formula: "365 * discount / (360 - discount * days_between(settlement, maturity))", Spreadsheet: "TBILLEQ",
	},
}
