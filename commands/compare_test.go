package commands

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// billDomain is a version of a domain.
func billDomain(t *testing.T, version int, equation string) *Domain {
	t.Helper()
	variable := func(key, unit string) events.Variable {
		return events.Variable{ID: uuid.NewSHA1(names, []byte(key)), Key: key, Title: key, Unit: unit, Kind: "number", Format: "decimals_2"}
	}
	d, issues := Compile(uuid.NewSHA1(names, []byte("bill")), "dm_00000000", version, events.Definition{
		Title: "Bill", Description: "What electricity costs.",
		Variables:  []events.Variable{variable("used", "kWh"), variable("price", "EUR/kWh"), variable("bill", "EUR")},
		Activities: []events.Activity{{ID: uuid.NewSHA1(names, []byte("activity")), Title: "Bill", Equation: equation, State: "active"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	return d
}

// keptOf is what prompts have led to, each behind the one before.
func keptOf(t *testing.T, d *Domain, prompts ...string) []Kept {
	t.Helper()
	conversation := d.DryRun()
	var places []Place
	for _, text := range prompts {
		m, err := conversation.Say(text, "structured", "UTC", time.Date(2026, 3, 5, 14, 7, 9, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, Place{Message: m.MessageID})
	}
	list, err := conversation.Kept(places...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func sharesOf(c Comparison) string {
	var parts []string
	for _, e := range c.Errors {
		parts = append(parts, e.Code)
	}
	for _, s := range c.Shares {
		var keys []string
		for _, v := range s.Variables {
			keys = append(keys, v.Key)
		}
		parts = append(parts, fmt.Sprintf("%s %s", strings.Join(keys, "+"), s.Text))
	}
	return strings.Join(parts, "; ")
}

// TestCompareVersions compares scenarios of which the second was calculated with another version of
// the domain: what its equations have changed is told apart from what the inputs have.
func TestCompareVersions(t *testing.T) {
	before, after := billDomain(t, 1, "bill = used * price"), billDomain(t, 2, "bill = used * price + 10 [EUR]")
	first := keptOf(t, before, "used: 100 kWh\nprice: 0.30 EUR/kWh\ncalculate: bill")[0]
	second := keptOf(t, after, "used: 150 kWh\nprice: 0.30 EUR/kWh\ncalculate: bill")[0]
	c := Compare(first, second, "")
	if got, want := sharesOf(c), "used +15.00 EUR;  +10.00 EUR"; got != want || c.Target.Text != "+25.00 EUR" {
		t.Errorf("got %s of %v, want %s", got, c.Target, want)
	}
	if c.Scenarios[0].DomainVersion != 1 || c.Scenarios[1].DomainVersion != 2 || c.Domain.Version != 2 {
		t.Errorf("the versions are %v and %v", c.Scenarios, c.Domain)
	}
	back := Compare(second, first, "")
	if got, want := sharesOf(back), "used -15.00 EUR;  -10.00 EUR"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCompareFailed compares where a prompt has led to no scenario.
func TestCompareFailed(t *testing.T) {
	d := billDomain(t, 1, "bill = used * price")
	list := keptOf(t, d, "used: 100 kWh\ncalculate: bill", "price: 0.30 EUR/kWh")
	if got := sharesOf(Compare(list[0], list[1], "")); got != "calculation.missing_inputs" {
		t.Error(got)
	}
	for of, want := range map[string]string{
		"bill in m": "input.incompatible_units", "cost": "input.unknown_variable", "bill, used": "input.unknown_variable",
		"everything": "input.unknown_variable", "bill\nused: 3 kWh": "input.unknown_variable", " ": "input.missing_calculate",
	} {
		if got := sharesOf(Compare(list[1], list[1], of)); got != want {
			t.Errorf("%q: got %s, want %s", of, got, want)
		}
	}
}

// TestSweepOfAMessageThatLacksValues sweeps what a prompt could not be calculated for.
func TestSweepOfAMessageThatLacksValues(t *testing.T) {
	d := billDomain(t, 1, "bill = used * price")
	lacking := keptOf(t, d, "used: 100 kWh\ncalculate: bill")[0]
	s := SweepOver(lacking, "", []Range{{Name: "price", From: "0.30", To: "0.40 EUR/kWh", Steps: 3}})
	var got []string
	for _, p := range s.Points {
		got = append(got, p.Inputs[0]+": "+p.Text)
	}
	if text := strings.Join(got, ", "); len(s.Errors) > 0 || text != "0.3 EUR/kWh: 30.00 EUR, 0.35 EUR/kWh: 35.00 EUR, 0.4 EUR/kWh: 40.00 EUR" {
		t.Error(text, s.Errors)
	}
	if s := SensitivityOf(lacking, "", Swings{}); len(s.Errors) == 0 || s.Errors[0].Code != "calculation.missing_inputs" {
		t.Error(s.Errors)
	}
}
