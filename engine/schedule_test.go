package engine

import (
	"strings"
	"testing"

	"reckon/engine/value"
)

// scheduleDomain has the variables that the equations below are about.
func scheduleDomain(equations ...string) (*Domain, []Issue) {
	def := Definition{
		Title: "Plan", Description: "A plan of payments.",
		Variables: []value.Variable{
			{Key: "plan", Kind: "table"},
			{Key: "money", Kind: "table", Unit: "EUR"},
			{Key: "shown", Kind: "table", Display: []byte(`{"table": {"columns": [{"name": "Year", "kind": "number"}, {"name": "Balance at the end", "kind": "number", "unit": "EUR"}]}}`)},
			{Key: "extras", Kind: "table", Display: []byte(`{"table": {"columns": [{"name": "Month", "kind": "number"}, {"name": "Paid", "kind": "number", "unit": "EUR"}]}}`)},
			{Key: "loan", Unit: "EUR", Min: "0 EUR"}, {Key: "paid", Unit: "EUR"}, {Key: "left", Unit: "EUR"}, {Key: "term"}, {Key: "start", Kind: "date"},
			{Key: "rate", Kind: "percent"}, {Key: "free"}, {Key: "growth"},
		},
	}
	for _, e := range equations {
		def.Activities = append(def.Activities, Activity{Title: e, Equation: e})
	}
	return Compile(def)
}

// TestSchedules asks for tables whose rows follow from the rows before, and for what is made of
// them.
func TestSchedules(t *testing.T) {
	loan := "plan = schedule(m, 1, term, interest = previous(balance, loan) * rate, balance = previous(balance, loan) + interest - paid)"
	for _, c := range []struct{ equations, question, want string }{
		{loan, "loan 100 EUR; rate 10%; paid 50 EUR; term 2 -> plan", "[[10 EUR, 60 EUR], [6 EUR, 16 EUR]]"},
		{loan, "loan 100 USD; rate 10%; paid 50 USD; term 2 -> plan", "[[10 USD, 60 USD], [6 USD, 16 USD]]"},
		{loan + `; left = last(column(plan, "balance"))`, "loan 100 EUR; rate 10%; paid 50 EUR; term 2 -> left", "16 EUR"},
		{loan + `; left = cell(plan, 1, "Interest")`, "loan 100 EUR; rate 10%; paid 50 EUR; term 2 -> left", "10 EUR"},
		{`left = sum(column(schedule(m, 1, 3, n = m, cost = m * loan), "cost"))`, "loan 2 EUR -> left", "12 EUR"},
		{"money = schedule(m, 1, 2, a = loan * m, b = 2 * loan)", "loan 2 EUR -> money", "[[2 EUR, 4 EUR], [4 EUR, 4 EUR]]"},
		{"money = schedule(m, 1, 2, a = loan * m, b = 2 * loan); left = sum(money)", "loan 2 EUR -> left", "14 EUR"},
		{"plan = schedule(m, 0, 2, due = add_months(start, m), late = previous(due, start) + 1 [d])", "start 2026-01-31 -> plan",
			"[[1769817600 s, 1769904000 s], [1772236800 s, 1769904000 s], [1774915200 s, 1772323200 s]]"},
		{"shown = schedule(y, 1, 2, year = 2025 + y, balance = loan * y)", "loan 1500 EUR -> shown", "[[2026, 1500 EUR], [2027, 3000 EUR]]"},
		{`shown = schedule(y, 1, 2, year = 2025 + y, balance = loan * y); left = last(column(shown, "balance at the end")) - cell(shown, 1, "balance")`,
			"loan 1500 EUR -> left", "1500 EUR"},
		// The free variables have the dimension that their values have.
		{"plan = schedule(n, 1, 2, a = previous(a, free) * growth)", "free 3 kg; growth 2 -> plan", "[[6 kg], [12 kg]]"},
		{"plan = schedule(n, 1, 2, a = previous(a, free) * growth)", "free 3; growth 2 -> plan", "[[6], [12]]"},
		{"plan = schedule(n, 1, 2, a = previous(a, free) * growth)", "free 3; growth 2 m -> plan", "input.incompatible_units"},
		// Deliveries two rows after the order; what was ordered before the first row is a table.
		{"plan = schedule(w, 1, 4, stock = previous(stock, 10) + previous(order, 5, 2) - 4, order = if(stock < 8, 6, 0))", "-> plan",
			"[[11, 0], [12, 0], [8, 0], [4, 6]]"},
		{`plan = schedule(m, 1, 3, extra = sum(if(column(extras, "Month") == m, column(extras, "Paid"), 0 [EUR])), total = previous(total, 0 [EUR]) + extra)`,
			"extras [[2, 5 EUR], [2, 1 EUR], [3, 4 EUR]] -> plan", "[[0 EUR, 0 EUR], [6 EUR, 6 EUR], [4 EUR, 10 EUR]]"},
		// A cohort is followed by an each within a row.
		{"plan = schedule(m, 1, 3, new = 10 * m, active = sum(each(c, 1, m, 10 * c * 0.5 ^ (m - c))))", "-> plan", "[[10, 10], [20, 25], [30, 42.5]]"},
		{"free = last(column(schedule(a, 1, 3, x = sum(schedule(b, 1, a, y = previous(y, 0) + previous(x, 1)))), 1))", "-> free", "18"},
		{"free = sum(schedule(a, 1, 3, x = a)) + sum(schedule(b, 1, 2, y = previous(y, 1) * 3))", "-> free", "18"},
		{"plan = schedule(n, 1, free, a = n)", "free 2.5 -> plan", "calculation.domain_error"},
		{"plan = schedule(n, 1, free, a = n)", "free 100001 -> plan", "calculation.limit_exceeded"},
		{"plan = schedule(n, 1, free, a = n, b = n)", "free 50001 -> plan", "calculation.limit_exceeded"},
		{"plan = schedule(i, 1, free, a = sum(schedule(j, 1, free, b = i)), c = previous(c, 0, free))", "free 2000 -> plan", "calculation.limit_exceeded"},
		{"plan = schedule(n, 1, 3, a = n, b = previous(a, 0, 1 / (n - 1)))", "-> plan", "calculation.division_by_zero"},
		{"plan = schedule(n, 1, 3, a = 1 / (n - 2))", "-> plan", "calculation.division_by_zero"},
		{"plan = schedule(n, 1, 3, a = n, b = previous(a, 0, 0.5))", "-> plan", "calculation.domain_error"},
		// What an author gets wrong.
		{"plan = schedule(n, 1, 3)", "", "schedule takes at least 4 arguments, not 3: schedule(i, from, to, column = expression, …)."},
		{"plan = schedule(n, 1, 3, n + 1)", "", "A column of schedule has a name"},
		{"plan = schedule(n, a = 1, 3, b = 2)", "", "schedule counts from one number up to another before its columns"},
		{"plan = schedule(1, 1, 3, b = 2)", "", "The first argument of schedule is the name that it counts with."},
		{"plan = schedule(n, 1, 3, loan = n)", "", `"loan" is a variable: give the column of the schedule another name.`},
		{"plan = schedule(n, 1, 3, a = n, a = 2)", "", `"a" has a meaning here already`},
		{"plan = schedule(n, 1, 3, e = n)", "", `"e" is a reserved word`},
		{"plan = schedule(n, 1, 3, a = b, b = n)", "", `The column "b" is defined here or further on: its value in the row before is previous(b, first).`},
		{"plan = schedule(n, 1, 3, a = a + 1)", "", `The column "a" is defined here or further on`},
		{"plan = schedule(n, 1, 3, a = previous(c, 0))", "", `The schedule has no column "c": it has a.`},
		{"plan = schedule(n, 1, 3, a = previous(loan, 0))", "", `The schedule has no column "loan": it has a.`},
		{"plan = schedule(n, 1, 3, a = previous(1, 0))", "", "The first argument of previous is a column of the schedule: a."},
		{"free = previous(loan, 1)", "", "previous(column, first, rows = 1) stands within a schedule, whose columns it is about."},
		{"plan = schedule(n, 1, 3, a = previous(a, loan) + 1)", "", "needs equal dimensions"},
		{"plan = schedule(n, 1, 3, a = previous(a, loan) * loan)", "", `The column "a" has different dimensions from row to row`},
		{"plan = schedule(n, 1, 3, a = n, b = loan, c = previous(a, loan))", "", "The first value must be a plain number like the column"},
		{"plan = schedule(n, 1, 3, a = n, b = loan); paid = sum(plan)", "", `The columns "a" and "b" have different dimensions`},
		{"money = schedule(n, 1, 3, a = n, b = loan)", "", `The columns "a" and "b" have different dimensions`},
		{"shown = schedule(n, 1, 3, a = n, b = n)", "", "Column 2 has different dimensions"},
		{"plan = schedule(n, 1, 3, a = extras)", "", "schedule yields one value per step"},
		{"plan = schedule(n, 1, extras, a = n)", "", "The end of schedule must be a number"},
		{"plan = schedule(n, 1, 3, a = previous(a, 0) + 20 [degC])", "", "must both be points on a scale"},
		{"free = sum(a = 3)", "", `Expected ")" but found "="`},
		{`free = sum(column(schedule(n, 1, 3, a = n), "b"))`, "", `There is no column "b": the table has a.`},
	} {
		d, issues := scheduleDomain(strings.Split(c.equations, "; ")...)
		got := ""
		if d == nil {
			got = issues[0].Message
		} else if solution, errs := ask(d, c.question); len(errs) > 0 {
			got = errs[0].Code + ": " + errs[0].Filled()
		} else {
			got = strings.NewReplacer(`","`, ", ", `"`, "", "],[", "], [").Replace(plain(solution.Value.Text()))
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s: %s, want %s", c.equations, c.question, got, c.want)
		}
	}
}

// TestScheduleDisplay names the columns of a schedule where its author does not.
func TestScheduleDisplay(t *testing.T) {
	d, issues := scheduleDomain("plan = schedule(n, 1, 2, due = add_months(start, n), a = n)", "shown = schedule(y, 1, 2, year = 2025 + y, balance = loan * y)")
	if d == nil {
		t.Fatal(issues)
	}
	for question, want := range map[string]string{
		"start 2026-01-31 -> plan": `"columns":[{"name":"due","kind":"date","format":null},{"name":"a","kind":"number","format":null}]`,
		"loan 5 EUR -> shown":      `"columns":[{"name":"Year","kind":"number","format":null},{"name":"Balance at the end"`,
	} {
		solution, errs := ask(d, question)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		target := question[strings.Index(question, "-> ")+3:]
		if got := string(d.Display(d.Index(target), solution.Value, false)); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", question, got, want)
		}
	}
}
