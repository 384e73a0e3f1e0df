package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/value"
)

// stepsOf reads "from..to" and makes steps of it.
func stepsOf(t testing.TB, d *Domain, key, text string, steps int, ratio bool) ([]value.Value, []value.Error) {
	t.Helper()
	var ends []value.Value
	for _, end := range strings.Split(text, "..") {
		v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(end), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		ends = append(ends, v)
	}
	return d.Steps(d.Index(key), ends[0], ends[1], steps, ratio)
}

func textsOf(list []value.Value) string {
	var texts []string
	for _, v := range list {
		texts = append(texts, plain(v.Text()))
	}
	return strings.Join(texts, ", ")
}

func TestSteps(t *testing.T) {
	d := targetsDomain(t, "var speed [km/h]", "var n integer=true", "var day kind=date", "var clock kind=time", "var rate kind=percent", "var warmth [degC]", "var y", "eq y = n * rate")
	for _, c := range []struct {
		key, text string
		steps     int
		ratio     bool
		want      string
	}{
		{"speed", "60 km/h..120 km/h", 5, false, "60 km/h, 75 km/h, 90 km/h, 105 km/h, 120 km/h"},
		{"speed", "1 m/s..7.2 km/h", 3, false, "1 m/s, 1.5 m/s, 2 m/s"},
		{"speed", "0 km/h..1 km/h", 4, false, "0 km/h, 0.3333333333333333333333333333333333 km/h, 0.6666666666666666666666666666666667 km/h, 1 km/h"},
		{"speed", "120 km/h..60 km/h", 2, false, "120 km/h, 60 km/h"},
		{"speed", "1 km/h..1000 km/h", 4, true, "1 km/h, 10 km/h, 100 km/h, 1000 km/h"},
		{"speed", "0 km/h..1000 km/h", 4, true, "! input.invalid_value"},
		{"speed", "1 km/h..1000 km/h", 1, false, "! input.limit_exceeded"},
		{"speed", "1 km/h..1000 km/h", MaxSteps + 1, false, "! input.limit_exceeded"},
		{"n", "1..4", 7, false, "1, 2, 3, 4"},
		{"n", "0..10", 4, false, "0, 3, 7, 10"},
		{"day", "2026-01-01..2026-01-04", 6, false, "1767225600 s, 1767312000 s, 1767398400 s, 1767484800 s"},
		{"clock", "08:00..08:00:01", 3, false, "28800 s, 28801 s"},
		{"rate", "1%..2%", 3, false, "0.01, 0.015, 0.02"},
		{"warmth", "0 degC..50 degF", 3, false, "0 degC, 5 degC, 10 degC"},
	} {
		list, errs := stepsOf(t, d, c.key, c.text, c.steps, c.ratio)
		got := textsOf(list)
		if len(errs) > 0 {
			got = "! " + errs[0].Code
		}
		if got != c.want {
			t.Errorf("%s %s in %d: got %s, want %s", c.key, c.text, c.steps, got, c.want)
		}
	}
}

func sweptText(d *Domain, s Sweep) string {
	var texts []string
	for _, p := range s.Points {
		if len(p.Errors) > 0 {
			texts = append(texts, "! "+p.Errors[0].Code)
		} else {
			texts = append(texts, plain(p.Value.Text()))
		}
	}
	return d.Variables[s.Of.Variable].Key + ": " + strings.Join(texts, ", ")
}

func TestSweep(t *testing.T) {
	d := targetsDomain(t, `var distance [km] title="Distance"`, `var speed [km/h] title="Speed" max="300 km/h"`, `var time [h] title="Time"`, "eq time = distance / speed")
	base := scenariosOf(t, d, "distance 120 km; speed 60 km/h -> time")[0]
	for _, c := range []struct{ axes, of, want string }{
		{"speed 30 km/h..120 km/h/4", "", "time: 4 h, 2 h, 1.333333333333333333333333333333333 h, 1 h"},
		{"speed 30 km/h..120 km/h/4", "time in min", "time: 240 min, 120 min, 80 min, 60 min"},
		{"speed 0 km/h..400 km/h/3", "", "time: ! calculation.division_by_zero, 0.6 h, ! input.invalid_value"},
		{"time 1 h..3 h/3", "speed", "speed: 120 km/h, 60 km/h, 40 km/h"},
		{"distance 60 km..120 km/2; speed 60 km/h..120 km/h/2", "", "time: 1 h, 0.5 h, 2 h, 1 h"},
		{"time 1 h..3 h/3", "", "! input.missing_calculate"},
		{"time 1 h..3 h/3", "time", "! input.target_has_value"},
		{"speed 1 km/h..3 km/h/3; speed 1 km/h..3 km/h/3", "", "! input.duplicate_variable"},
		{"distance 1 km..3 km/200; speed 1 km/h..3 km/h/200", "", "! input.limit_exceeded"},
	} {
		axes := axesOf(t, d, c.axes)
		var req Request
		if c.of != "" {
			req = asking(t, d, "-> "+c.of)
		}
		s, errs := d.Sweep(base, 1, req, axes, testEnv)
		got := ""
		if len(errs) > 0 {
			got = "! " + errs[0].Code
		} else {
			got = sweptText(d, s)
		}
		if got != c.want {
			t.Errorf("%s of %q: got %s, want %s", c.axes, c.of, got, c.want)
		}
	}
	s, _ := d.Sweep(base, 1, Request{}, axesOf(t, d, "speed 0 km/h..60 km/h/3"), testEnv)
	drawn := d.Draw(s)
	for _, c := range [][2]string{
		{plain(drawn.Value.Text()), `[["0 km/h",""],["30 km/h","4 h"],["60 km/h","2 h"]]`},
		{string(drawn.Table), `{"data_type":"table","start_row_index":1,"columns":[{"name":"Speed","kind":"number","format":"decimals_float"},{"name":"Time","kind":"number","format":"decimals_float"}],"rows":{}}`},
		{string(drawn.Line), `{"data_type":"line_chart","series_by":"columns","stacked":false,"x_axis":{"title":"Speed"},"labels":{"source":"first_series","start_series_index":1},"series":[{"name":"Speed","kind":"number","format":"decimals_float"},{"name":"Time","kind":"number","format":"decimals_float"}]}`},
	} {
		if c[0] != c[1] {
			t.Errorf("got %s\nwant %s", c[0], c[1])
		}
	}
	s, _ = d.Sweep(base, 1, Request{}, axesOf(t, d, "distance 60 km..120 km/2; speed 60 km/h..120 km/h/2"), testEnv)
	drawn = d.Draw(s)
	if got := plain(drawn.Value.Text()); got != `[["60 km","1 h","0.5 h"],["120 km","2 h","1 h"]]` || !strings.Contains(string(drawn.Line), `"name":"Speed = 120 km/h"`) {
		t.Errorf("%s\n%s", got, drawn.Line)
	}
}

// axesOf reads "key from..to/steps; …".
func axesOf(t testing.TB, d *Domain, text string) (axes []Axis) {
	t.Helper()
	for _, one := range strings.Split(text, "; ") {
		key, ends, _ := strings.Cut(one, " ")
		at := strings.LastIndex(ends, "/")
		var steps int
		fmt.Sscan(ends[at+1:], &steps)
		list, errs := stepsOf(t, d, key, ends[:at], steps, false)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		axes = append(axes, Axis{d.Index(key), list})
	}
	return axes
}

// TestSweepBudget sweeps with a budget that does not last: the points that it lasts for are the same
// as ever, and the others say so.
func TestSweepBudget(t *testing.T) {
	d := targetsDomain(t, "var x", "var y", "eq y = x^2")
	base := scenariosOf(t, d, "x 1 -> y")[0]
	env := testEnv
	env.Budget = 500
	s, errs := d.Sweep(base, 1, Request{}, axesOf(t, d, "x 1..1000/1000"), env)
	if len(errs) > 0 || len(s.Points) != 1000 {
		t.Fatal(errs)
	}
	done := 0
	for i, p := range s.Points {
		if len(p.Errors) == 0 {
			done++
			if want := fmt.Sprint((i + 1) * (i + 1)); done != i+1 || plain(p.Value.Text()) != want {
				t.Fatalf("point %d is %s", i, plain(p.Value.Text()))
			}
		} else if p.Errors[0].Code != "calculation.limit_exceeded" {
			t.Fatal(p.Errors)
		}
	}
	if done == 0 || done == 1000 {
		t.Errorf("%d points", done)
	}
}

// FuzzSweep sweeps over random domains: each point is what a calculation gives there that knows of
// no sweep, errors included.
func FuzzSweep(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(seed, uint8(3+seed), uint16(100*seed), int32(-5), int32(20*int32(seed)))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8, budget uint16, from, to int32) {
		chance := rand.New(rand.NewPCG(seed, 2))
		forms := []string{"y = a * x + b", "y = a / x + b", "y^2 + b = a * x", "y = sqrt(x) * a - b", "y = round(x / 7) + max(a, b * x)", "x = y * exp(y / a) + b"}
		def := Definition{Title: "Chance", Description: "Generated.", Activities: []Activity{{Equation: forms[chance.IntN(len(forms))]}, {Equation: "z = y - x"}}}
		for _, key := range []string{"x", "y", "z", "a", "b"} {
			def.Variables = append(def.Variables, value.Variable{Key: key})
		}
		d := compiledDefinition(t, def)
		given := func(key string, n decimal.Decimal) Given {
			return stating(d.Index(key), value.ScalarValue(unitless(n)))
		}
		req := Request{Targets: []Target{{Variable: d.Index("z")}}, Inputs: []Given{given("a", decimal.Int(chance.Int64N(9)-3)), given("b", decimal.Int(chance.Int64N(9)-4)), given("x", decimal.Int(1))}}
		var base *Scenario
		if r, errs := d.Calculate(nil, 0, req, testEnv); len(errs) == 0 {
			base, req = scenarioOf(t, d, r), Request{Targets: req.Targets}
		}
		list, errs := d.Steps(d.Index("x"), value.ScalarValue(unitless(decimal.Int(int64(from)))), value.ScalarValue(unitless(decimal.Int(int64(to)))), int(steps), seed%2 == 1)
		if len(errs) > 0 {
			return
		}
		env := testEnv
		env.Budget = 1000 * int(budget)
		s, errs := d.Sweep(base, 1, req, []Axis{{d.Index("x"), list}}, env)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for i, p := range s.Points {
			if len(p.Errors) > 0 && p.Errors[0].Code == "calculation.limit_exceeded" {
				continue
			}
			there := req
			there.Inputs = append(there.Inputs[:min(2, len(there.Inputs))], stating(d.Index("x"), list[i]))
			r, errs := d.Calculate(base, 1, there, testEnv)
			if len(errs) != len(p.Errors) || len(errs) > 0 && errs[0].Code != p.Errors[0].Code {
				t.Fatalf("%v at %s: %v, and %v in a sweep", def.Activities, plain(list[i].Text()), errs, p.Errors)
			}
			if len(errs) == 0 && plain(r.Values[0].Value.Text()) != plain(p.Value.Text()) {
				t.Fatalf("%v at %s: %s, and %s in a sweep", def.Activities, plain(list[i].Text()), plain(r.Values[0].Value.Text()), plain(p.Value.Text()))
			}
		}
	})
}

// BenchmarkSweep is how many points of a trip are calculated in a second.
func BenchmarkSweep(b *testing.B) {
	var def Definition
	for _, line := range []string{"var distance [km]", "var speed [km/h]", "var time [h]", `var wage [EUR/h] default="30 EUR/h"`, "var cost [EUR]", "eq time = distance / speed", "eq cost = time * wage"} {
		if err := declare(&def, line); err != nil {
			b.Fatal(err)
		}
	}
	d := compiledDefinition(b, def)
	axes := axesOf(b, d, "distance 60 km..120 km/2; speed 60 km/h..120 km/h/1000")
	req := Request{Targets: []Target{{Variable: d.Index("cost")}}}
	for b.Loop() {
		if _, errs := d.Sweep(nil, 0, req, axes, testEnv); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
	b.ReportMetric(float64(b.N*2000)/b.Elapsed().Seconds(), "points/s")
}
