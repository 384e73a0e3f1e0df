package engine

import (
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// shop is a domain with constraints of all kinds.
func shop(constraints ...Constraint) (*Domain, []Issue) {
	return Compile(Definition{
		Title: "Shop", Description: "What an order costs.",
		Units: []string{"piece"},
		Variables: []value.Variable{
			{Key: "order", Unit: "piece"}, {Key: "stock", Unit: "piece", Default: value.Scalar("100 piece")},
			{Key: "price", Unit: "EUR/piece", Default: value.Scalar("2 EUR/piece")}, {Key: "total", Unit: "EUR", Min: "0 EUR"},
			{Key: "each", Unit: "kg/piece", Default: value.Scalar("0.5 kg/piece")}, {Key: "weight", Unit: "kg"},
			{Key: "zone", Choices: choice("near=1", "far=2")}, {Key: "fee", Unit: "EUR"},
			{Key: "x"}, {Key: "y"}, {Key: "parts", Kind: "table", Unit: "kg"}, {Key: "sum", Unit: "kg"},
			{Key: "boxes", Integer: true}, {Key: "cans"}, {Key: "half"},
		},
		Activities: []Activity{
			{Equation: "total = order * price"}, {Equation: "weight = order * each"},
			{Equation: "fee = if(zone == near, 5 [EUR], 5 [EUR])"}, {Equation: "y = x^2"}, {Equation: "sum = sum(parts)"},
			{Equation: "cans = boxes * 12"}, {Equation: "half = boxes / 2"},
		},
		Constraints: constraints,
	})
}

// toldOf is the value of a target in a new scenario, or what is wrong.
func toldOf(t *testing.T, d *Domain, target string, given ...string) string {
	t.Helper()
	req := Request{Targets: []Target{{Variable: d.Index(target)}}}
	for _, text := range given {
		key, text, _ := strings.Cut(text, ": ")
		cells := value.Scalar(text)
		if strings.Contains(text, ",") {
			cells = value.Text{Rank: 1}
			for part := range strings.SplitSeq(text, ",") {
				cells.Cells = append(cells.Cells, []string{part})
			}
		}
		v, _, errs := input.ParseValue(&d.Scope, d.Index(key), cells, testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		req.Inputs = append(req.Inputs, Given{Variable: d.Index(key), Value: v})
	}
	r, errs := d.Calculate(nil, 0, req, testEnv)
	if len(errs) > 0 {
		return errs[0].Code + ": " + errs[0].Filled()
	}
	return r.Values[0].Value.Text().Scalar()
}

func TestConstraints(t *testing.T) {
	d, issues := shop(
		Constraint{"order <= stock", "Not enough in stock."},
		Constraint{"weight <= 30 [kg]", "A parcel weighs 30 kg at most."},
		Constraint{"zone == near or fee > 100 [EUR]", "We deliver nearby only."},
		Constraint{"x < 0 or y > 100", "The left branch is meant."},
		Constraint{"parts <= 5 [kg] and sum(parts) <= 12 [kg]", "No part is heavier than 5 kg."},
		Constraint{"boxes <= 8", "A pallet holds 8 boxes."},
		Constraint{"half <= 10", "Ten at most."},
	)
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ target, given, want string }{
		{"boxes", "cans: 96", "8"},
		{"boxes", "cans: 120", "calculation.no_solution: No value of boxes satisfies the equations: A pallet holds 8 boxes (boxes <= 8)."},
		{"boxes", "x: -1", "calculation.missing_inputs: boxes cannot be calculated yet: more values are needed."},
		{"total", "order: 50 piece", "100 EUR"},
		{"total", "order: 200 piece", `input.invalid_value: "200 piece" is not a valid value for order: Not enough in stock (order <= stock).`},
		{"total", "order: 40 piece; stock: 30 piece", `input.invalid_value: "40 piece" is not a valid value for order: Not enough in stock (order <= stock).`},
		{"total", "order: 30 piece; stock: 30 piece", "60 EUR"},
		// The weight is not asked for, but follows from what is given and from a default.
		{"total", "order: 80 piece", "calculation.no_solution: No value of weight satisfies the equations: A parcel weighs 30 kg at most (weight <= 30 [kg])."},
		{"weight", "order: 80 piece", "calculation.no_solution: No value of weight satisfies the equations: A parcel weighs 30 kg at most (weight <= 30 [kg])."},
		{"total", "order: 80 piece; each: 100 g/piece", "160 EUR"},
		{"order", "total: 300 EUR", "calculation.no_solution: No value of order satisfies the equations: Not enough in stock (order <= stock)."},
		{"stock", "order: 300 piece", "input.not_calculable: stock cannot be calculated in this domain."},
		{"zone", "fee: 5 EUR", "1"},
		{"x", "y: 4", "-2"},
		{"x", "y: 400", "20"},
		{"y", "x: 3", "calculation.no_solution: No value of y satisfies the equations: The left branch is meant (x < 0 or y > 100)."},
		{"sum", "parts: 3 kg,4 kg", "7 kg"},
		{"sum", "parts: 3 kg,6 kg", `input.invalid_value: "["3 kg","6 kg"]" is not a valid value for parts: No part is heavier than 5 kg (parts <= 5 [kg] and sum(parts) <= 12 [kg]).`},
		{"sum", "parts: 5 kg,5 kg,4 kg", `input.invalid_value: "["5 kg","5 kg","4 kg"]" is not a valid value for parts: No part is heavier than 5 kg (parts <= 5 [kg] and sum(parts) <= 12 [kg]).`},
		{"order", "total: -3 EUR", `input.invalid_value: "-3 EUR" is not a valid value for total: it must be at least 0 EUR.`},
	} {
		if got := toldOf(t, d, c.target, strings.Split(c.given, "; ")...); got != c.want {
			t.Errorf("%s -> %s: %s\n want %s", c.given, c.target, got, c.want)
		}
	}
}

func TestConstraintsAreChecked(t *testing.T) {
	for _, c := range []struct{ condition, want string }{
		{"order <= stock", ""},
		{"not (order > stock) and zone == far", ""},
		{"order <= 5 [kg]", `constraints[0].condition: At character 9: A comparison needs equal dimensions: "order" is a piece, "5 [kg]" is a mass (kg).`},
		{"order = stock", `constraints[0].condition: At character 6: Expected no "=" here. Write "==" to compare.`},
		{"order + stock", "constraints[0].condition: A constraint is a condition that is true or false, such as order <= stock."},
		{"1 < 2", "constraints[0].condition: The condition names no variable, so that it says nothing of any value."},
		{"ordr <= stock", `constraints[0].condition: At character 0: Unknown variable "ordr". Did you mean "order"?`},
		{"zone == away", `constraints[0].condition: At character 8: zone has no choice "away": choose near or far.`},
		{"", "constraints[0].condition: At character 0:"},
	} {
		_, issues := shop(Constraint{c.condition, "No."})
		got := ""
		for _, i := range issues {
			if strings.HasPrefix(i.Path, "constraints") {
				got += i.Path + ": " + i.Message
			}
		}
		if got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %s\n want %s", c.condition, got, c.want)
		}
	}
	if _, issues := shop(Constraint{"order <= stock", " "}); len(issues) == 0 || issues[0].Path != "constraints[0].message" {
		t.Error(issues)
	}
}

// A carried value is not dropped for a constraint, and a limit that a new value breaks is told.
func TestConstraintOverScenario(t *testing.T) {
	d, issues := shop(Constraint{"order <= stock", "Not enough in stock."})
	if d == nil {
		t.Fatal(issues)
	}
	given := func(key, text string) Given {
		v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(text), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return Given{Variable: d.Index(key), Value: v}
	}
	base := &Scenario{Index: 1, Values: []ScenarioValue{{Variable: d.Index("order"), Source: UserInput, Value: given("order", "20 piece").Value}},
		Targets: []Target{{Variable: d.Index("total")}}}
	_, errs := d.Calculate(base, 1, Request{Inputs: []Given{given("stock", "10 piece")}}, testEnv)
	if len(errs) != 1 || errs[0].Filled() != `"10 piece" is not a valid value for stock: Not enough in stock (order <= stock).` {
		t.Error(errs)
	}
}

// Of several choices a constraint leaves one, also where several solutions are refused.
func TestConstraintsChooseAmongSolutions(t *testing.T) {
	def := Definition{
		Title: "Branches", Description: "Squares.", StrictRoots: true,
		Variables:   []value.Variable{{Key: "x"}, {Key: "y"}, {Key: "low", Default: value.Scalar("0")}, {Key: "n", Integer: true, Min: "-10", Max: "10"}, {Key: "m"}},
		Activities:  []Activity{{Equation: "y = (x - 1)^2"}, {Equation: "m = floor(n / 4)"}},
		Constraints: []Constraint{{"x <= low", "x is low."}, {"n == 7 or n < 0", "Seven."}},
	}
	d, issues := Compile(def)
	if d == nil {
		t.Fatal(issues)
	}
	for _, c := range []struct{ target, given, want string }{
		{"x", "y: 9", "-2"},
		{"x", "y: 9; low: -3", "calculation.no_solution: No value of x satisfies the equations: x is low (x <= low)."},
		{"x", "y: 0.25; low: 1", "0.5"},
		{"x", "y: 0.25; low: 5", "calculation.multiple_solutions: x has several solutions: 0.5, 1.5."},
		{"n", "m: 1", "7"},
	} {
		if got := toldOf(t, d, c.target, strings.Split(c.given, "; ")...); got != c.want {
			t.Errorf("%s -> %s: %s\n want %s", c.given, c.target, got, c.want)
		}
	}
}
