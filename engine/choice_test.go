package engine

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/value"
)

// choice is a list of choices from "label=number" parts.
func choice(parts ...string) []value.Choice {
	var list []value.Choice
	for _, p := range parts {
		label, number, _ := strings.Cut(p, "=")
		list = append(list, value.Choice{Label: label, Value: decimal.MustParse(number)})
	}
	return list
}

// parcel is a domain whose price depends on choices.
func parcel(equations ...string) (*Domain, []Issue) {
	def := Definition{
		Title: "Parcel", Description: "What a parcel costs.",
		Variables: []value.Variable{
			{Key: "zone", Title: "Zone", Choices: choice("National=1", "EU=2", "Rest of world=3"), Default: value.Scalar("national")},
			{Key: "express", Title: "Express", Choices: choice("no=0", "yes=1")},
			{Key: "insured", Title: "Insured", Choices: choice("Without=0", "With=1"), Default: value.Scalar("no")},
			{Key: "tax", Title: "Tax", Choices: choice("reduced=0.07", "standard=0.19")},
			{Key: "weight", Title: "Weight", Unit: "kg"},
			{Key: "price", Title: "Price", Unit: "EUR"},
			{Key: "gross", Title: "Gross", Unit: "EUR"},
			{Key: "World", Title: "World"},
		},
	}
	for _, e := range equations {
		def.Activities = append(def.Activities, Activity{Title: e, Equation: e})
	}
	return Compile(def)
}

func TestChoicesAreRead(t *testing.T) {
	d, issues := parcel("World = zone + express + insured + tax")
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ key, text, want string }{
		{"zone", "EU", "2 EU"}, {"zone", "  eu ", "2 EU"}, {"zone", "rest  of World", "3 Rest of world"}, {"zone", "3", "3 Rest of world"}, {"zone", "3.0", "3 Rest of world"},
		{"zone", "4", `"4" is not a valid value for zone: choose National, EU or Rest of world.`},
		{"zone", "Natoinal", `"Natoinal" is not a valid value for zone: choose National, EU or Rest of world (did you mean "National"?).`},
		{"zone", "yes", `"yes" is not a valid value for zone: choose National, EU or Rest of world.`},
		{"zone", "2 kg", `"2 kg" is not a valid value for zone: choose National, EU or Rest of world.`},
		{"zone", "", `"" is not a valid value for zone: choose National, EU or Rest of world.`},
		{"zone", "today", `"today" is not a valid value for zone: choose National, EU or Rest of world.`},
		{"express", "TRUE", "1 yes"}, {"express", "No", "0 no"}, {"express", "0", "0 no"},
		{"insured", "with", "1 With"}, {"insured", "yes", "1 With"}, {"insured", "false", "0 Without"},
		{"tax", "standard", "0.19 standard"}, {"tax", "0.07", "0.07 reduced"}, {"tax", "7%", "0.07 reduced"},
		{"tax", "true", `"true" is not a valid value for tax: choose reduced or standard.`},
	} {
		v, normal, errs := input.ParseValue(&d.Scope, d.Index(c.key), value.Scalar(c.text), value.Env{})
		got := ""
		if len(errs) > 0 {
			got = errs[0].Filled()
		} else {
			got = plain(v.Text()) + " " + plain(normal)
		}
		if got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.key, c.text, got, c.want)
		}
	}
}

func TestChoicesInEquations(t *testing.T) {
	for _, c := range []struct{ equation, want string }{
		{`price = if(zone == "EU", 2 [EUR], 1 [EUR])`, ""},
		{`price = if("rest of world" != zone, 2 [EUR], 1 [EUR])`, ""},
		{`price = if(zone == EU or zone == National, 2 [EUR], 1 [EUR])`, ""},
		{`price = if(express == true and insured == yes, 2 [EUR], 1 [EUR])`, ""},
		{`price = if(express, 2 [EUR], 1 [EUR])`, ""},
		{`price = if(zone == “EU”, 2 [EUR], 1 [EUR])`, ""},
		{`zone = if(weight > 3 [kg], "Rest of world", EU)`, ""},
		{`price = if(zone == express, 2 [EUR], 1 [EUR])`, ""},
		{`price = lookup_exact(zone, [EU, National, "Rest of world"], [1 [EUR], 2 [EUR], 3 [EUR]])`, ""},
		{`price = lookup_exact(zone, [EU, Mars], [1 [EUR], 2 [EUR]])`, `zone has no choice "Mars": choose National, EU or Rest of world.`},
		{`price = lookup_exact(weight, [EU], [1 [EUR]])`, `"EU" is a choice of zone: it stands beside == or != with zone, or among the keys of lookup_exact(zone, …).`},
		{`price = if(zone == "Mars", 2 [EUR], 1 [EUR])`, `zone has no choice "Mars": choose National, EU or Rest of world.`},
		{`price = if(zone == Natonal, 2 [EUR], 1 [EUR])`, `zone has no choice "Natonal": choose National, EU or Rest of world. Did you mean "National"?`},
		{`price = if(zone > "EU", 2 [EUR], 1 [EUR])`, "A label in quotes stands beside == or != with a variable that has it as a choice, or among the keys of lookup_exact."},
		{`price = if(weight == "EU", 2 [EUR], 1 [EUR])`, "A label in quotes stands beside == or != with a variable that has it as a choice, or among the keys of lookup_exact."},
		{`price = 2 [EUR] * "EU"`, "A label in quotes stands beside == or != with a variable that has it as a choice, or among the keys of lookup_exact."},
		{`zone = 2 * "EU"`, "A label in quotes stands beside == or != with a variable that has it as a choice, or among the keys of lookup_exact."},
		{`price = if(zone == "EU, 2 [EUR], 1 [EUR])`, "The quote that is opened here is not closed."},
	} {
		_, issues := parcel(c.equation)
		got := ""
		for _, i := range issues {
			if !i.Warning && got == "" {
				got = i.Message
			}
		}
		if _, message, ok := strings.Cut(got, ": "); ok && strings.HasPrefix(got, "At character") {
			got = message
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.equation, got, c.want)
		}
	}
}

// A label that is a variable as well has two meanings beside a comparison.
func TestChoicesThatAreVariables(t *testing.T) {
	compile := func(equation string) []Issue {
		_, issues := Compile(Definition{
			Title: "Two meanings", Description: "A label and a variable of one name.",
			Variables:  []value.Variable{{Key: "zone", Choices: choice("EU=2", "World=3")}, {Key: "World"}, {Key: "rate"}},
			Activities: []Activity{{Title: "Rate", Equation: equation}},
		})
		return issues
	}
	if issues := compile(`rate = if(zone == World, 1, World)`); len(issues) == 0 || !strings.Contains(issues[0].Message, `"World" has two meanings here`) {
		t.Errorf("got %v", issues)
	}
	if issues := compile(`rate = if(zone == "World", 1, World)`); len(issues) > 0 {
		t.Errorf("got %v", issues)
	}
}

func TestChoicesAreChecked(t *testing.T) {
	for _, c := range []struct {
		variable value.Variable
		want     string
	}{
		{value.Variable{Choices: choice("a=1", "A=2")}, `"A" stands here a second time.`},
		{value.Variable{Choices: choice("a=1", "b=1.0")}, `"a" and "b" are both 1.`},
		{value.Variable{Choices: choice("12=1")}, `"12" cannot be a choice: it reads as a number.`},
		{value.Variable{Choices: choice("a|b=1")}, `"a|b" cannot be a choice: it has the character '|'.`},
		{value.Variable{Choices: choice(" =1")}, `" " cannot be a choice: it begins or ends with white space, or has nothing else.`},
		{value.Variable{Choices: choice("a\u202eb=1")}, "\"a\\u202eb\" cannot be a choice: it has the character '\\u202e'."},
		{value.Variable{Choices: choice("a=1"), Unit: "kg"}, "A variable with choices is a plain number: leave out its unit."},
		{value.Variable{Choices: choice("a=1"), Kind: "date"}, "A variable with choices is a number; one of kind date has none."},
		{value.Variable{Choices: choice("a=1"), Kind: "table"}, "A variable with choices is a number; one of kind table has none."},
		{value.Variable{Choices: choice("a=1", "b=2"), Default: value.Scalar("c")}, `The default of x cannot be used: "c" is not a valid value for x: choose a or b.`},
		{value.Variable{Choices: choice("a=1", "b=2"), Max: "1"}, `"b" is outside the bounds of x.`},
		{value.Variable{Choices: choice("a=1", "b=2.5"), Integer: true}, `"b" is not a whole number.`},
	} {
		c.variable.Key = "x"
		_, issues := Compile(Definition{
			Title: "Checked", Description: "One variable.", Variables: []value.Variable{c.variable, {Key: "y"}},
			Activities: []Activity{{Title: "y", Equation: "y = x"}},
		})
		if len(issues) == 0 || issues[0].Message != c.want {
			t.Errorf("%v: got %v, want %s", c.variable.Choices, issues, c.want)
		}
	}
}

// TestChoicesAreTried solves for choices: what fits is found among them.
func TestChoicesAreTried(t *testing.T) {
	d, issues := parcel(
		`price = if(zone == EU, 12 [EUR], if(zone == National, 5 [EUR], 30 [EUR])) + 2 [EUR/kg] * weight + if(express, 7 [EUR], 0 [EUR])`,
		`gross = price * (1 + tax)`,
		`World = if(zone == National, 1, 2)`,
	)
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ question, want string }{
		{"weight 5 kg; price 22 EUR; express no -> zone", "EU"},
		{"weight 5 kg; price 47 EUR; express yes -> zone", "Rest of world"},
		{"weight 5 kg; price 22 EUR; zone National -> express", "yes"},
		{"weight 5 kg; price 23 EUR; express no -> zone", "calculation.no_solution"},
		{"price 100 EUR; gross 119 EUR -> tax", "standard"},
		{"price 100 EUR; gross 113 EUR -> tax", "calculation.no_solution"},
		{"World 2 -> zone", "calculation.multiple_solutions EU, Rest of world"},
		{"World 1 -> zone", "National"},
		// A value as results show it leaves its last digit open, no more.
		{"weight 5 kg; price 22.00000000000000000000000000000001 EUR; express no -> zone", "EU"},
		{"weight 5 kg; price 22.0000000000001 EUR; express no -> zone", "calculation.no_solution"},
		{"gross 26.18 EUR; weight 5 kg; zone eu; express no -> tax", "standard"},
		{"gross 26.18 EUR; weight 5 kg; zone eu; tax standard -> express", "no"},
	} {
		solution, errs := ask(d, c.question)
		got := ""
		if len(errs) > 0 {
			got = errs[0].Code
			if errs[0].Code == "calculation.multiple_solutions" {
				got += " " + errs[0].Args[1]
			}
		} else {
			got = d.Variables[solution.Steps[len(solution.Steps)-1].Variable].Label(solution.Value.Quantity().Number)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.question, got, c.want)
		}
	}
}

// TestChoicesHaveAliases reads what people call choices besides; what is shown is the label.
func TestChoicesHaveAliases(t *testing.T) {
	zones := choice("National=1", "EU=2", "World=3")
	zones[1].Aliases = []string{"European Union", "the Union"}
	compile := func(zones []value.Choice, equation string) (*Domain, []Issue) {
		return Compile(Definition{
			Title: "Parcel", Description: "What a parcel costs.",
			Variables:  []value.Variable{{Key: "zone", Choices: zones}, {Key: "price", Unit: "EUR"}},
			Activities: []Activity{{Equation: equation}},
		})
	}
	d, issues := compile(zones, `price = if(zone == "european union", 2 [EUR], 1 [EUR])`)
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ text, want string }{
		{"european  union", "2 EU"}, {"The Union", "2 EU"},
		{"Europaen Union", `"Europaen Union" is not a valid value for zone: choose National, EU or World (did you mean "European Union"?).`},
	} {
		v, normal, errs := input.ParseValue(&d.Scope, 0, value.Scalar(c.text), value.Env{})
		got := plain(v.Text()) + " " + plain(normal)
		if len(errs) > 0 {
			got = errs[0].Filled()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	for alias, want := range map[string]string{
		"world":       `"World" stands here a second time.`,
		"12":          `"12" cannot be an alias of EU: it reads as a number.`,
		"eu":          `"eu" stands here a second time.`,
		"Rest: world": `"Rest: world" cannot be an alias of EU: it has the character ':'.`,
	} {
		zones[1].Aliases = []string{alias}
		if _, issues := compile(zones, "price = zone * 1 [EUR]"); len(issues) == 0 || issues[0].Message != want {
			t.Errorf("%s: got %v, want %s", alias, issues, want)
		}
	}
}

// TestColumnsOfChoices reads and shows the labels of choices in the columns of tables.
func TestColumnsOfChoices(t *testing.T) {
	compile := func(columns, equation string) (*Domain, []Issue) {
		return Compile(Definition{
			Title: "Shipment", Description: "What parcels cost.",
			Variables: []value.Variable{
				{Key: "parcels", Kind: "table", Display: []byte(`{"table":{"columns":[` + columns + `]}}`)},
				{Key: "zone", Choices: choice("National=1", "EU=2", "World=3")}, {Key: "weight", Unit: "kg"}, {Key: "n"},
			},
			Activities: []Activity{{Equation: equation}},
		})
	}
	const columns = `{"name":"Zone","choices":"zone"},{"name":"Weight","unit":"kg"}`
	d, issues := compile(columns, `n = countif(column(parcels, "Zone") != National) + if(cell(parcels, 1, "Zone") == EU, 10, 0)`)
	if d == nil {
		t.Fatal(issues)
	}
	table := func(cells ...[]string) value.Text { return value.Text{Rank: 2, Cells: cells} }
	v, normal, errs := input.ParseValue(&d.Scope, 0, table([]string{"eu", "2 kg"}, []string{"1", "3"}, []string{"World", ""}), value.Env{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Filled())
	}
	if got, want := fmt.Sprint(normal.Cells), "[[EU 2 kg] [National 3 kg] [World ]]"; got != want {
		t.Errorf("normal: %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(v.Text().Cells), "[[2 2 kg] [1 3 kg] [3 ]]"; got != want {
		t.Errorf("value: %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(d.Labelled(0, v.Text()).Cells), "[[EU 2 kg] [National 3 kg] [World ]]"; got != want {
		t.Errorf("labelled: %s, want %s", got, want)
	}
	s, errs := d.Derive(value.Env{}, []Fact{{0, Stated, v}}, d.Index("n"), nil, nil, false, nil)
	if len(errs) > 0 || plain(s.Value.Text()) != "12" {
		t.Errorf("n: %v %v", s.Value, errs)
	}
	if _, _, errs := input.ParseValue(&d.Scope, 0, table([]string{"Wolrd", "2 kg"}), value.Env{}); len(errs) == 0 ||
		errs[0].Filled() != `"Wolrd" is not a valid value for parcels: choose National, EU or World (did you mean "World"?).` {
		t.Errorf("got %v", errs)
	}
	for columns, want := range map[string]string{
		`{"choices":"zon"}`:                   `There is no variable "zon". Did you mean "zone"?`,
		`{"choices":"weight"}`:                `weight has no choices.`,
		`{"choices":"zone","unit":"kg"}`:      `A column of choices is of plain numbers: leave out its unit and its kind.`,
		`{"choices":"zone","kind":"percent"}`: `A column of choices is of plain numbers: leave out its unit and its kind.`,
	} {
		if _, issues := compile(columns, "n = sum(parcels)"); len(issues) == 0 || issues[0].Message != want {
			t.Errorf("%s: got %v, want %s", columns, issues, want)
		}
	}
	if _, issues := compile(columns, `n = countif(column(parcels, "Zone") == Mars)`); len(issues) == 0 || !strings.Contains(issues[0].Message, "Mars") {
		t.Errorf("got %v", issues)
	}
}
