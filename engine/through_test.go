package engine

import (
	"strings"
	"testing"

	"reckon/engine/value"
)

// throughDomain has a loan and savings whose plans are tables between what is given and what is
// asked for.
func throughDomain(equations ...string) (*Domain, []Issue) {
	def := Definition{
		Title: "Plan", Description: "A plan of payments.",
		Variables: []value.Variable{
			{Key: "plan", Kind: "table"}, {Key: "balances", Kind: "table"}, {Key: "extras", Kind: "table", Unit: "EUR"},
			{Key: "loan", Unit: "EUR", Min: "0 EUR"}, {Key: "paid", Unit: "EUR", Min: "0 EUR"}, {Key: "left", Unit: "EUR"}, {Key: "interest", Unit: "EUR"},
			{Key: "term", Integer: true, Min: "1", Max: "480"}, {Key: "rate", Kind: "percent", Min: "0%", Max: "100%"}, {Key: "twice", Unit: "EUR"},
			{Key: "open"},
		},
	}
	for _, e := range equations {
		def.Activities = append(def.Activities, Activity{Title: e, Equation: e})
	}
	return Compile(def)
}

// TestThroughTables asks for what stands behind a table that another equation defines.
func TestThroughTables(t *testing.T) {
	uncapped := `plan = schedule(m, 1, term, due = previous(balance, loan) * rate, balance = previous(balance, loan) + due - paid); left = last(column(plan, "balance"))`
	capped := `plan = schedule(m, 1, term, due = previous(balance, loan) * rate, payment = min(paid, previous(balance, loan) + due),` +
		` balance = previous(balance, loan) + due - payment); left = last(column(plan, "balance"))`
	sums := uncapped + `; interest = sum(column(plan, "due")); twice = left + interest`
	for _, c := range []struct{ equations, question, want string }{
		// 100 at 10% with 50 paid: 60, then 16.
		{uncapped, "loan 100 EUR; rate 10%; paid 50 EUR; left 16 EUR -> term", "2"},
		{uncapped, "loan 100 EUR; rate 10%; term 2; left 16 EUR -> paid", "50 EUR"},
		{uncapped, "paid 50 EUR; rate 10%; term 2; left 16 EUR -> loan", "100 EUR"},
		{uncapped, "paid 50 EUR; loan 100 EUR; term 2; left 16 EUR -> rate", "0.1"},
		{uncapped, "paid 50 EUR; loan 100 EUR; term 2; left 16 EUR -> plan", "[[10 EUR, 60 EUR], [6 EUR, 16 EUR]]"},
		{uncapped, "loan 100 EUR; rate 10%; paid 50 EUR; left 17 EUR -> term", "calculation.no_whole_number"},
		{uncapped, "paid 50 EUR; loan 100 EUR; term 2 -> rate", "calculation.missing_inputs"},
		{uncapped, "paid 50 EUR; term 2; left 16 EUR -> rate", "calculation.missing_inputs"},
		{uncapped, "paid 50 EUR; loan 100 EUR; term 2; left 1000 EUR -> rate", "calculation.no"},
		{uncapped, "paid 50 kg; loan 100 EUR; term 2; left 16 EUR -> rate", "input.incompatible_units"},
		{uncapped, "paid 50 EUR; loan 100 USD; term 2; left 16 EUR -> rate", "input.incompatible_units"},
		{uncapped, "paid 50 USD; loan 100 USD; term 2; left 16 USD -> plan", "[[10 USD, 60 USD], [6 USD, 16 USD]]"},
		// What is left is nothing: the last balance is what rounding leaves of larger ones.
		{uncapped, "loan 100 EUR; rate 10%; term 3; left 0 EUR -> paid", "40.21148036253776435045317220543807 EUR"},
		{uncapped, "paid 50 EUR; rate 10%; term 3; left 0 EUR -> loan", "124.342599549211119459053343350864 EUR"},
		{uncapped, "loan 100 EUR; paid 50 EUR; term 3; left 0 EUR -> rate", "0.233751928528258788190943377679393"},
		// A given table is no longer seen through.
		{uncapped, "plan [[10 EUR, 60 EUR], [6 EUR, 17 EUR]] -> left", "17 EUR"},
		{capped, "loan 100 EUR; rate 10%; term 2; left 16 EUR -> paid", "50 EUR"},
		{capped, "loan 100 EUR; rate 10%; term 3; left 0 EUR -> paid", "calculation.multiple_solutions"},
		{capped, "loan 100 EUR; rate 10%; paid 50 EUR; left 0 EUR -> term", "3 to 480"},
		// Two equations behind one table, and one behind them.
		{sums, "loan 100 EUR; term 2; paid 50 EUR; interest 16 EUR -> rate", "0.1"},
		{sums, "loan 100 EUR; term 2; paid 50 EUR; interest 16 EUR -> left", "16 EUR"},
		{sums, "loan 100 EUR; term 2; paid 50 EUR; twice 32 EUR -> rate", "0.1"},
		// Tables between tables, an each around one, and one that a function makes.
		{`balances = each(i, 1, term, loan * (1 + rate)^i); plan = cumsum(balances); left = last(plan)`, "loan 100 EUR; term 2; left 231 EUR -> rate", "0.1"},
		{`balances = each(i, 1, term, loan * (1 + rate)^i); left = sum(each(i, 1, term, i * cell(balances, i)))`, "loan 100 EUR; term 2; left 352 EUR -> rate", "0.1"},
		{`plan = schedule(i, 1, term, a = i * loan); left = sum(each(i, 1, term, i * cell(plan, i)))`, "term 3; left 28 EUR -> loan", "2 EUR"},
		{`plan = amortization(rate, term, loan); interest = -sum(column(plan, "interest"))`, "term 2; loan 2100 EUR; interest 320 EUR -> rate", "0.1"},
		{`plan = amortization(rate, term, loan); interest = -sum(column(plan, "interest"))`, "term 2; rate 10%; interest 320 EUR -> loan", "2100 EUR"},
		// What is given row by row.
		{`plan = schedule(m, 1, rows(extras), balance = previous(balance, loan) - cell(extras, m)); left = last(plan)`, "extras [10 EUR, 20 EUR]; left 5 EUR -> loan", "35 EUR"},
		// Nothing is said of a table twice, or in a circle.
		{`plan = each(i, 1, 2, loan); plan = each(i, 1, 2, paid); left = sum(plan)`, "left 4 EUR -> loan", "input.not_calculable"},
		{`plan = 2 * balances; balances = 2 * plan; left = sum(plan)`, "left 4 EUR -> plan", "calculation.forwards_only"},
	} {
		d, issues := throughDomain(strings.Split(c.equations, "; ")...)
		if d == nil {
			t.Errorf("%s: %v", c.equations, issues)
			continue
		}
		got := ""
		if solution, errs := ask(d, c.question); len(errs) > 0 {
			got = errs[0].Code + ": " + errs[0].Filled()
		} else {
			got = strings.NewReplacer(`","`, ", ", `"`, "", "],[", "], [").Replace(plain(solution.Value.Text()))
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s: %s, want %s", c.equations, c.question, got, c.want)
		}
	}
}
