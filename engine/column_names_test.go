package engine

import (
	"strings"
	"testing"

	"reckon/engine/value"
)

// TestColumnNames takes columns by what they are called.
func TestColumnNames(t *testing.T) {
	compile := func(equations ...string) (*Domain, []Issue) {
		def := Definition{
			Title: "Plan", Description: "A plan of payments.",
			Variables: []value.Variable{
				{Key: "plan", Kind: "table", Unit: "EUR"},
				{Key: "stock", Kind: "table", Display: []byte(`{"table": {"columns": [{"name": "Price", "kind": "number"}, {"name": "On hand", "kind": "number"}]}}`)},
				{Key: "loan", Unit: "EUR"}, {Key: "paid", Unit: "EUR"}, {Key: "left"},
			},
		}
		for _, e := range equations {
			def.Activities = append(def.Activities, Activity{Title: e, Equation: e})
		}
		return Compile(def)
	}
	plan := "plan = amortization(1%, 12, loan)"
	for _, c := range []struct{ equation, question, want string }{
		{`paid = sum(column(plan, "Principal"))`, "loan 1000 EUR -> paid", "-1000 EUR"},
		{`paid = cell(plan, 12, "balance")`, "loan 1000 EUR -> paid", "0 EUR"},
		{`paid = sum(column(amortization(1%, 12, loan), "principal"))`, "loan 1000 EUR -> paid", "-1000 EUR"},
		{`left = sum(column(stock, "on hand"))`, "stock [[1, 5], [2, 6]] -> left", "11"},
		{`left = sum(column(stock, "in hand"))`, "", `There is no column "in hand": the table has Price, On hand. Did you mean "On hand"?`},
		{`left = sum(column([[1, 2]], "a"))`, "", "The columns of this table have no names"},
		{`left = sum(column(plan, "rate"))`, "", `There is no column "rate": the table has payment, interest, principal, balance.`},
		{`left = sum("a")`, "", "A label in quotes stands beside"},
	} {
		d, issues := compile(plan, c.equation)
		got := ""
		if d == nil {
			got = issues[0].Message
		} else if solution, errs := ask(d, c.question); len(errs) > 0 {
			got = errs[0].Filled()
		} else {
			got = plain(solution.Value.Text())
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s: %s, want %s", c.equation, c.question, got, c.want)
		}
	}
}
