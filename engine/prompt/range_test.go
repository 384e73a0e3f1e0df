package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/value"
)

func rangeDomain(t testing.TB) *engine.Domain {
	t.Helper()
	d, issues := engine.Compile(engine.Definition{
		Title: "Trip", Description: "A way.",
		Variables: []value.Variable{
			{Key: "speed", Title: "Top speed", Unit: "mi/h"}, {Key: "rate", Kind: "percent"}, {Key: "day", Kind: "date"}, {Key: "price", Unit: "USD"},
			{Key: "height", Unit: "m"}, {Key: "list", Kind: "table"}, {Key: "y"},
			{Key: "fuel", Choices: []value.Choice{{Label: "petrol", Value: decimal.Int(1)}, {Label: "diesel, winter", Value: decimal.Int(2)}}},
		},
		Activities: []engine.Activity{{Title: "Y", Equation: "y = rate * 2"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	return d
}

func TestRange(t *testing.T) {
	d := rangeDomain(t)
	for _, c := range [][2]string{
		{"speed = 60..120 km/h in 3", "speed: 60 km/h, 90 km/h, 120 km/h"},
		{"speed=60..120 in 3 steps", "speed: 60 mi/h, 90 mi/h, 120 mi/h"},
		{"Top speed = 60 km/h..120 in 2", "speed: 60 km/h, 120 km/h"},
		{"speed = 1..100 m/s in 3 by ratio", "speed: 1 m/s, 10 m/s, 100 m/s"},
		{"speed = 1..1e3 in 2", "speed: 1 mi/h, 1000 mi/h"},
		{"speed = 1..1e3 m/s in 2", "speed: 1 m/s, 1000 m/s"},
		{"speed = 1e-300..1e300 in 2", "speed: 1e-300 mi/h, 1e300 mi/h"},
		{"speed = 2, 5E1", "speed: 2 mi/h, 50 mi/h"},
		{"speed = 0..10 m/s", "speed: 0 m/s, 1 m/s, 2 m/s, 3 m/s, 4 m/s, 5 m/s, 6 m/s, 7 m/s, 8 m/s, 9 m/s, 10 m/s"},
		{"speed = 1, 2, 5 km/h", "speed: 1 km/h, 2 km/h, 5 km/h"},
		{"speed = [1, 2 m/s, 5 km/h]", "speed: 1 km/h, 2 m/s, 5 km/h"},
		{"rate = 3..5% in 3", "rate: 0.03, 0.04, 0.05"},
		{"rate = 3, 5 %", "rate: 0.03, 0.05"},
		{"rate = 0.03..0.05 in 2", "rate: 0.03, 0.05"},
		{"day = 2026-01-01..2026-01-03 in 3", "day: 1767225600 s, 1767312000 s, 1767398400 s"},
		{"price = $10..$20 in 2", "price: 10 USD, 20 USD"},
		{"height = 5 ft 11 in..6 ft 1 in in 3", "height: 71 in, 72 in, 73 in"},
		{"height = 1/2..3/2 in 3", "height: 0.5 m, 1 m, 1.5 m"},
		{`fuel = petrol, "diesel, winter"`, "fuel: 1, 2"},
		{"fuel = petrol..petrol", "! input.invalid_value"},
		{"speed = 180,240", "! input.ambiguous_number"},
		{"speed = 1..2 kg", "! input.incompatible_units"},
		{"speed = 1..x", "! input.invalid_number"},
		{"sped = 1..2", "! input.unknown_variable"},
		{"list = 1..2", "! input.invalid_table"},
		{"speed = 1, , 2", "! input.invalid_value"},
		{"speed = 1..2 in 100000000000000000000", "! input.limit_exceeded"},
		{"speed = 1..2 in 1", "! input.limit_exceeded"},
		{"speed = []", "! input.invalid_value"},
		{"speed = [[1, 2], [3, 4]]", "! input.invalid_value"},
		{"speed = [1, 2", "! input.invalid_table"},
		{"speed = ..2", "! form"},
		{"speed =", "! form"},
		{"= 1..2", "! form"},
		{"speed 1..2", "! form"},
	} {
		got := "! form"
		if r, ok := ParseRange(c[0]); ok {
			axis, errs := r.Axis(d, value.Env{})
			if got = axisText(d, axis); len(errs) > 0 {
				got = "! " + errs[0].Code
			}
		}
		if got != c[1] {
			t.Errorf("%s: got %s, want %s", c[0], got, c[1])
		}
	}
}

func axisText(d *engine.Domain, axis engine.Axis) string {
	var texts []string
	for _, v := range axis.Values {
		texts = append(texts, v.Text().Scalar())
	}
	return d.Variables[axis.Variable].Key + ": " + strings.Join(texts, ", ")
}

// FuzzRange reads whatever there is: it is a range with values of the variable, or an error.
func FuzzRange(f *testing.F) {
	for _, text := range []string{"speed = 60..120 km/h in 3", "rate = 1, 2, 5%", "day = 2026-01-01..today", "height = 5 ft..6 ft by ratio", `fuel = "petrol", diesel`, "y = [[1]..", "speed = 1e6144..-1e6144 in 1000"} {
		f.Add(text)
	}
	d := rangeDomain(f)
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := ParseRange(text)
		if !ok || !utf8.ValidString(text) {
			return
		}
		r.Steps = min(r.Steps, 50)
		axis, errs := r.Axis(d, value.Env{})
		if len(errs) > 0 {
			for _, e := range errs {
				if e.Filled() == "" {
					t.Errorf("%q: an error without words: %v", text, e)
				}
			}
			return
		}
		if len(axis.Values) == 0 || len(axis.Values) > max(50, len(text)) {
			t.Errorf("%q has %d values", text, len(axis.Values))
		}
		for _, v := range axis.Values {
			again, errs := Range{Name: d.Variables[axis.Variable].Key, Values: v.Text().Scalar()}.Axis(d, value.Env{})
			if len(errs) > 0 || len(again.Values) != 1 || !again.Values[0].Equal(v) {
				t.Fatalf("%q: %s is read as %s: %v", text, v.Text().Scalar(), axisText(d, again), errs)
			}
		}
	})
}
