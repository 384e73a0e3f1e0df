package language

import (
	"slices"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// example is the last cell: a prompt, and what it means.
func (r row) example() (prompt, means string) {
	prompt, means, _ = strings.Cut(r[len(r)-1], " => ")
	return prompt, means
}

// texts are the readings of the first quantity of a prompt, separated by commas.
func texts(tokens []token) string {
	list := scan(tokens, units.Standard(), "", thursday)
	if len(list) == 0 {
		return ""
	}
	var texts []string
	for _, r := range list[0].readings {
		texts = append(texts, r.text)
	}
	return strings.Join(texts, ", ")
}

func readsAs(t *testing.T, prompt, means string) {
	t.Helper()
	if got := texts(tokenize(prompt)); got != means {
		t.Errorf("%q: %s, want %s", prompt, got, means)
	}
}

// stated is all that a scan finds in some tokens.
func stated(tokens []token) string {
	var list []string
	for _, q := range scan(tokens, units.Standard(), "", thursday) {
		var texts []string
		for _, r := range q.readings {
			texts = append(texts, r.text)
		}
		text := strings.Join(texts, ", ")
		switch {
		case q.rng:
			text = "a range"
		case text == "":
			text = "unreadable"
		}
		if q.approx {
			text = "about " + text
		}
		if q.weak {
			text += "?"
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, "; ")
}

// without takes a role from tokens.
func without(tokens []token, role string) []token {
	tokens = slices.Clone(tokens)
	for i := range tokens {
		if tokens[i].is(role) {
			l := *tokens[i].lex
			l.roles = slices.DeleteFunc(slices.Clone(l.roles), func(r string) bool { return r == role })
			tokens[i].lex = &l
		}
	}
	return tokens
}

// interpreted is what the last of some prompts means, separated by ">", and its trace, a role left
// out where one is given.
func interpreted(t *testing.T, v *Vocabulary, prompts string, but ...string) (means, trace string) {
	t.Helper()
	h := holding{vocabulary: v, env: tripEnv, origin: map[int]int{}, scenarios: map[int]*engine.Scenario{}}
	list := strings.Split(prompts, " > ")
	for _, prompt := range list[:len(list)-1] {
		h.turn(Turn{Prompt: prompt})
	}
	prompt := list[len(list)-1]
	tokens := tokenize(prompt)
	for _, r := range but {
		tokens = without(tokens, r)
	}
	request, why, errs := v.interpret(prompt, tokens, h.conversation(), tripEnv)
	if len(errs) > 0 {
		return errs[0].Code, why.String()
	}
	got, _ := h.answer(request)
	return got, why.String()
}

// shop is a domain with what that of trip lacks: numbers of things and of months, and the two ends
// of something.
func shop(t testing.TB) *Vocabulary {
	t.Helper()
	d, issues := engine.Compile(engine.Definition{
		Title: "Shop", Description: "Selling mugs from a rented room.",
		Variables: []value.Variable{
			{Key: "mugs", Title: "Number of mugs"},
			{Key: "price", Title: "Price per mug", Unit: "USD"},
			{Key: "gift", Title: "Gift wrap", Choices: []value.Choice{{Label: "no", Value: decimal.Int(0)}, {Label: "yes", Value: decimal.Int(1)}}, Default: value.Scalar("no")},
			{Key: "glaze", Title: "Glaze", Choices: []value.Choice{{Label: "matt", Value: decimal.Int(0)}, {Label: "shiny", Value: decimal.Int(1)}}, Default: value.Scalar("matt")},
			{Key: "sales", Title: "Sales", Unit: "USD"},
			{Key: "months", Title: "Months"},
			{Key: "rent", Title: "Monthly rent", Unit: "USD"},
			{Key: "total", Title: "Total rent", Unit: "USD"},
			{Key: "first", Title: "Initial weight", Unit: "kg"},
			{Key: "last", Title: "Final weight", Unit: "kg"},
			{Key: "loss", Title: "Loss", Unit: "kg", Aliases: []string{"save"}},
			{Key: "hours", Title: "Hours a day", Unit: "h"},
			{Key: "pay", Title: "Hourly pay", Unit: "USD/h"},
			{Key: "wage", Title: "Wage of a day", Unit: "USD"},
			{Key: "pressure", Title: "Pressure", Unit: "bar"},
			{Key: "lift", Title: "Lift", Unit: "kN"},
		},
		Activities: []engine.Activity{
			{Title: "Sales", Equation: "sales = mugs * price"},
			{Title: "Rent", Equation: "total = rent * months"},
			{Title: "Loss", Equation: "loss = first - last"},
			{Title: "Wage", Equation: "wage = pay * hours"},
			{Title: "Lift", Equation: "lift = pressure * 2 [m^2]"},
		},
	})
	if d == nil {
		t.Fatal(issues)
	}
	return New(d)
}

// roleRows are the rows of roles, in order.
func roleRows() []row {
	s := readTables().sections
	return slices.Concat(s["amounts"], s["requests"], s["names"], s["plain words"])
}

// TestRoles runs the example of every role: it means what the row says, and something else where
// the row is left out.
func TestRoles(t *testing.T) {
	rows, amounts := roleRows(), len(readTables().sections["amounts"])
	names := amounts + len(readTables().rows("requests"))
	trip, shop := trip(t), shop(t)
	for i, r := range rows {
		prompt, means := r.example()
		var got, whole, rest string
		if i < amounts {
			got = stated(tokenize(prompt))
			whole, rest = got, stated(without(tokenize(prompt), r[0]))
		} else {
			v := trip
			in, ok := strings.CutPrefix(prompt, "[shop] ")
			if ok {
				v = shop
			}
			got, whole = interpreted(t, v, in)
			_, rest = interpreted(t, v, in, r[0])
		}
		if got != means {
			t.Errorf("%s: %q means %s, not %s", r[0], prompt, got, means)
		}
		if ofName := i >= names && i < names+len(readTables().rows("names")); whole == rest && !ofName {
			t.Errorf("%s: %q does not depend on it", r[0], prompt)
		}
	}
}

// TestSpellings holds that every spelling of a row is read, and that the units of rows are units.
func TestSpellings(t *testing.T) {
	table, tables := units.Standard(), readTables()
	s := newScanner(nil, table, "")
	for _, r := range tables.sections["units"] {
		if senses := s.senses(r.spellings(1), 1); len(senses) != len(r.spellings(1)) {
			t.Errorf("%s: one of %s is no unit", r[0], r[1])
		}
		for _, spelling := range r.spellings(0) {
			want, _, _ := strings.Cut(r.spellings(1)[0], ":")
			sc := newScanner(tokenize("3 "+spelling), table, "")
			list := sc.single(1, true)
			if len(list) == 0 || list[0].n != len(sc.tokens)-1 {
				t.Errorf("%q is not read as a unit", spelling)
			} else if u, err := table.Parse(want); err != nil || list[0].unit != u {
				t.Errorf("%q is read as %s, not as %s", spelling, list[0].unit.Symbol(), want)
			}
		}
	}
	for _, r := range tables.sections["money"] {
		for _, spelling := range r.spellings(0) {
			if list := newScanner(tokenize("3 "+spelling), table, "").single(1, true); len(list) == 0 || !isCurrency(list[0].unit) {
				t.Errorf("%q is not read as money", spelling)
			}
		}
		for _, code := range r.words(1) {
			if u := table.Lookup(code); !isCurrency(u) {
				t.Errorf("%s is no currency", code)
			}
		}
	}
	for _, name := range tables.commonUnits {
		if l := tables.lexicon[name]; l.is("not unit") || l.is("not slip") {
			t.Errorf("%q is a unit and no unit", name)
		}
		if list := newScanner(tokenize("3 "+name), table, "").single(1, true); len(list) == 0 || list[0].typo {
			t.Errorf("%q is not read as a unit", name)
		}
	}
}

// TestDays holds that every name of a day is one, and which days a phrase means on which day.
func TestDays(t *testing.T) {
	for _, r := range readTables().sections["days"] {
		want := dayOf(thursday + r.number(1)*secondsOfDay).text("")
		for _, spelling := range r.spellings(0) {
			if got, _, _ := strings.Cut(texts(tokenize(spelling+" at 14:00")), ", "); got != want+"T14:00" {
				t.Errorf("%q: %s, want %s", spelling, got, want)
			}
		}
	}
	for _, r := range readTables().sections["weekdays"] {
		for _, name := range r.spellings(0) {
			readsAs(t, "on "+name, dayOf(thursday+((r.number(1)+2)%7+1)*secondsOfDay).text(""))
		}
	}
	const saturday, sunday, leapDay = thursday + 2*secondsOfDay, thursday + 3*secondsOfDay, 1835395200
	for _, c := range []struct {
		today        int64
		prompt, want string
	}{
		{saturday, "next Friday", "2026-03-13"},
		{saturday, "next Sunday", "2026-03-08, 2026-03-15"},
		{saturday, "next Saturday", "2026-03-14"},
		{sunday, "next Monday", "2026-03-09, 2026-03-16"},
		{sunday, "next Sunday", "2026-03-15"},
		{sunday, "Friday next week", "2026-03-13, 2026-03-20"},
		{saturday, "Friday next week", "2026-03-13"},
		{sunday, "last Sunday", "2026-03-01"},
		{sunday, "last Saturday", "2026-03-07"},
		{leapDay, "tomorrow", "2028-03-01"},
		{leapDay, "a year from today", "2029-02-28, 1 yr"},
		{leapDay + 31*secondsOfDay, "a month ago", "2028-02-29, 1 mo"},
		{leapDay, "by the 31st", "2028-03-31"},
		{leapDay, "Friday the 13th", "2028-10-13"},
		{-secondsOfDay, "today at noon", "1969-12-31T12:00, 12:00"},
		{-secondsOfDay, "on Thursday", "1970-01-01"},
	} {
		var texts []string
		for _, q := range scan(tokenize(c.prompt), units.Standard(), "", c.today) {
			for _, r := range q.readings {
				texts = append(texts, r.text)
			}
		}
		if got := strings.Join(texts, ", "); got != c.want {
			t.Errorf("%q on %s: %s, want %s", c.prompt, dayOf(c.today).text(""), got, c.want)
		}
	}
}

// TestCountingUnits holds that the counting units of a domain come before whatever else their names
// are.
func TestCountingUnits(t *testing.T) {
	table, err := units.Standard().With("pizza", "tile", "person")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ prompt, want string }{
		{"3 pizzas", "3 pizza|3"}, {"twelve tiles", "12 tile|12"}, {"4 people", "4 person|4"}, {"4 persons", "4 person|4"}, {"5 miles", "5 mi"},
		{"£3 a pizza", "3 GBP/pizza|3 GBP"}, {"2 tiles per hour", "2 tile/h|2 1/h"},
	} {
		var texts []string
		for _, q := range scan(tokenize(c.prompt), table, "", thursday) {
			for _, r := range q.readings {
				texts = append(texts, r.text)
			}
		}
		if got := strings.Join(texts, "|"); got != c.want {
			t.Errorf("%q: %s, want %s", c.prompt, got, c.want)
		}
	}
}

func TestScanUnit(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"hours", "h"}, {"miles per hour", "mi/h"}, {"hours please", "h"}, {"km", "km"}, {"km/h", "km/h"}, {"square feet", "ft^2"},
		{"dollars", "USD"}, {"minutes?", "min"}, {"litres per 100 km", "L/100km"}, {"%", "%"}, {"kilowatt hours", "kWh"}, {"pounds", "lb"},
		{"degrees celsius", "degC"}, {"mpg", "mpg"}, {"m2", "m^2"}, {"kilometrs", "km"}, {"dollars per hour", "USD/h"}, {"USD", "USD"},
		{"total", ""}, {"the morning", ""}, {"2026", ""}, {"a", ""}, {"as", ""}, {"I'm", ""}, {"all", ""}, {"", ""},
	} {
		tokens := tokenize(c.text)
		u, n := scanUnit(tokens, 0, units.Standard())
		text := ""
		if n > 0 {
			text = u.Symbol()
		}
		if text != c.want || (n == 0) != (c.want == "") || n > len(tokens) {
			t.Errorf("%q: %s in %d tokens, want %s", c.text, text, n, c.want)
		}
	}
}
