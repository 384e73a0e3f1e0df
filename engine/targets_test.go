package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"reckon/engine/input"
	"reckon/engine/value"
)

// targetsDomain compiles lines of declare.
func targetsDomain(t *testing.T, lines ...string) *Domain {
	t.Helper()
	var def Definition
	for _, line := range lines {
		if err := declare(&def, line); err != nil {
			t.Fatal(err)
		}
	}
	d, issues := Compile(def)
	if d == nil {
		t.Fatal(issues)
	}
	return d
}

// asking reads "key value; … -> key in unit, …", where "-> everything" asks for all and nothing
// behind the arrow for nothing.
func asking(t *testing.T, d *Domain, text string) Request {
	t.Helper()
	var r Request
	givens, asked, _ := strings.Cut(text, "->")
	for _, g := range strings.Split(givens, ";") {
		key, val, ok := strings.Cut(strings.TrimSpace(g), " ")
		if !ok {
			continue
		}
		v, normal, errs := input.ParseValue(&d.Scope, d.Index(key), textOf(t, val), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		r.Inputs = append(r.Inputs, Given{Variable: d.Index(key), Value: v, Normal: normal})
	}
	if asked = strings.TrimSpace(asked); asked == Everything {
		r.Everything = true
	} else if asked != "" {
		for _, one := range strings.Split(asked, ", ") {
			key, unit, _ := strings.Cut(one, " in ")
			target := Target{Variable: d.Index(key)}
			if unit != "" {
				var err *value.Error
				if target.Unit, err = input.ParseUnit(&d.Scope, target.Variable, unit); err != nil {
					t.Fatal(err)
				}
			}
			r.Targets = append(r.Targets, target)
		}
	}
	return r
}

// told is a result as "first also … | other values", what was calculated and not asked by name
// behind the bar, or its errors.
func told(d *Domain, r Result, errs []value.Error) string {
	var parts []string
	for _, e := range errs {
		parts = append(parts, e.Code+" "+strings.Join(e.Args, " | "))
	}
	if len(errs) > 0 {
		return strings.Join(parts, "; ")
	}
	named := 1
	if !r.Everything {
		named += len(r.Also)
	}
	for i, v := range r.Values {
		if i == named {
			parts = append(parts, "|")
		}
		if i < named || v.Source != UserInput {
			text := d.Variables[v.Variable].Key + "=" + v.Value.Text().Scalar()
			if v.Source == DefaultValue {
				text += " (default)"
			}
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// TestSeveralTargets asks for several variables at once.
func TestSeveralTargets(t *testing.T) {
	trip := []string{
		"var distance [mi]", `var speed [mi/h] default="60 mi/h"`, "var time [h]", `var economy [mi/gal] default="30 mi/gal"`,
		"var fuel [gal]", `var price [USD/gal] default="4 USD/gal"`, "var cost [USD]",
		"eq time = distance / speed", "eq fuel = distance / economy", "eq cost = fuel * price",
	}
	square := []string{"var x", "var y", "var s", `var low min="0"`, "eq s = x^2", "eq y = x + 5", "eq low = x + 1"}
	turning := []string{"var n", "var t [s]", "var f", "var p", "eq f = n / t", "eq p = f * 3 [s]"}
	warming := []string{"var from [degC]", "var to [degC]", "var rise", "var heat [kJ]", "eq rise = to - from", "eq heat = rise * 2 [kJ/K]"}
	for _, c := range []struct {
		lines      []string
		text, want string
	}{
		{trip, "distance 150 mi -> cost, time in min", "cost=20 USD time=150 min | speed=60 mi/h (default) economy=30 mi/gal (default) fuel=5 gal price=4 USD/gal (default)"},
		// What is found on the way to another one is shown in the unit that it was asked in.
		{trip, "distance 150 mi -> fuel in L, cost", "fuel=18.92705892 L cost=20 USD | economy=30 mi/gal (default) price=4 USD/gal (default)"},
		{trip, "distance 150 mi -> cost, fuel in L", "cost=20 USD fuel=18.92705892 L | economy=30 mi/gal (default) price=4 USD/gal (default)"},
		{trip, "distance 150 mi; time 2 h -> cost, time in min", "cost=20 USD time=120 min | economy=30 mi/gal (default) fuel=5 gal price=4 USD/gal (default)"},
		{trip, "speed 50 mi/h -> cost, time, fuel", "calculation.missing_inputs cost; calculation.missing_inputs time; calculation.missing_inputs fuel"},
		{trip, "fuel 5 gal -> cost, speed", "calculation.missing_inputs speed"},
		// Neither default counts where both are asked for.
		{trip, "distance 150 mi; cost 20 USD -> price, economy", "calculation.missing_inputs price; calculation.missing_inputs economy"},
		{trip, "distance 150 mi; cost 20 USD; fuel 4 gal -> price, economy", "price=5 USD/gal economy=37.5 mi/gal |"},
		// The root is the one with which low is within its bounds, whatever the order.
		{square, "s 4 -> x, y", "x=2 y=7 |"},
		{square, "s 4 -> low, x, y", "low=3 x=2 y=7 |"},
		{square, "s 4 -> y, x, low", "y=7 x=2 low=3 |"},
		{warming, "from 10 degC; to 20 degC -> heat, rise in delta_degC", "heat=20 kJ rise=10 delta_degC |"},
		{warming, "from 10 degC; to 20 degC -> heat, rise in degC", "input.incompatible_units"},
		{turning, "n 120; t 60 s -> p, f in Hz", "p=6 f=2 Hz |"},
	} {
		d := targetsDomain(t, c.lines...)
		r, errs := d.Calculate(nil, 0, asking(t, d, c.text), testEnv)
		if got := told(d, r, errs); got != c.want && !(strings.HasPrefix(got, c.want) && len(errs) > 0) && got+" |" != c.want {
			t.Errorf("%s:\n%s\n%s", c.text, got, c.want)
		}
	}
}

// TestTargetsInAnyOrder says that what is asked for together has the same values in any order, and
// each the value that it has when asked for alone.
func TestTargetsInAnyOrder(t *testing.T) {
	d := targetsDomain(t, "var a", "var b", "var c", "var d", "var f", "eq b = a^2 - 3", "eq c = b * a", "eq d = c + b", "eq f^2 = d")
	keys := []string{"b", "c", "d", "f"}
	alone := map[string]string{}
	for _, key := range keys {
		r, errs := d.Calculate(nil, 0, asking(t, d, "a 3 -> "+key), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		alone[key] = r.Values[0].Value.Text().Scalar()
	}
	for _, order := range [][]string{{"b", "c", "d", "f"}, {"f", "d", "c", "b"}, {"c", "f", "b", "d"}} {
		r, errs := d.Calculate(nil, 0, asking(t, d, "a 3 -> "+strings.Join(order, ", ")), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for i, key := range order {
			if got := r.Values[i].Value.Text().Scalar(); r.Values[i].Variable != d.Index(key) || got != alone[key] {
				t.Errorf("%v: %s is %s, alone %s", order, key, got, alone[key])
			}
		}
	}
}

// TestEverything asks for all that follows.
func TestEverything(t *testing.T) {
	lines := []string{
		"var net [USD]", "var gross [USD]", `var rate default="0.2"`, "var tax [USD]", "var pieces", "var each [USD]", `var spare default="7"`,
		"eq gross = net * (1 + rate)", "eq tax = gross - net", "eq each = gross / pieces",
	}
	for _, c := range []struct{ text, want string }{
		{"net 100 USD", "tax=20 USD | gross=120 USD rate=0.2 (default)"},
		{"net 100 USD; pieces 4", "tax=20 USD | gross=120 USD rate=0.2 (default) each=30 USD"},
		// What is given tells the rate.
		{"net 100 USD; gross 110 USD", "rate=0.1 | tax=10 USD"},
		// What has no value is left out.
		{"net 100 USD; pieces 0", "tax=20 USD | gross=120 USD rate=0.2 (default)"},
		{"net 100 USD; gross 110 USD; tax 5 USD", "calculation.conflicting_inputs net, gross, tax | tax = gross - net"},
		{"pieces 4", "calculation.missing_inputs everything"},
		{"net 0 USD; gross 0 USD", "tax=0 USD |"},
		{"net 100 USD; gross 120 USD; rate 0.2; tax 20 USD; pieces 4; each 30 USD", "input.target_has_value everything"},
	} {
		d := targetsDomain(t, lines...)
		r, errs := d.Calculate(nil, 0, asking(t, d, c.text+" -> everything"), testEnv)
		if got := told(d, r, errs); got != c.want && got+" |" != c.want {
			t.Errorf("%s:\n%s\n%s", c.text, got, c.want)
		}
	}
}

// TestEverythingOfDependentActivities asks for all of a domain whose activities follow from one
// another, so that as many of them as unknowns tell nothing without the default.
func TestEverythingOfDependentActivities(t *testing.T) {
	d := targetsDomain(t, `var u [m/s] default="0 m/s"`, "var v [m/s]", "var a [m/s^2]", "var t [s]", "var s [m]",
		"eq v = u + a * t", "eq s = u * t + a * t^2 / 2", "eq v^2 = u^2 + 2 * a * s")
	for text, want := range map[string]string{
		"a 2 m/s^2; t 5 s":           "v=10 m/s | u=0 m/s (default) s=25 m",
		"v 10 m/s; t 5 s; a 1 m/s^2": "s=37.5 m | u=5 m/s",
		"v 10 m/s; t 5 s":            "s=25 m | u=0 m/s (default) a=2 m/s^2",
	} {
		r, errs := d.Calculate(nil, 0, asking(t, d, text+" -> everything"), testEnv)
		if got := told(d, r, errs); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

// TestEverythingOfManyIndependentActivities asks for all of as many equations as a domain may have,
// and of as many where one has no value.
func TestEverythingOfManyIndependentActivities(t *testing.T) {
	lines := []string{"var a0"}
	for i := 1; i < maxActivities; i++ {
		lines = append(lines, fmt.Sprintf("var a%d", i), fmt.Sprintf("eq a%d = a0 + %d", i, i))
	}
	d := targetsDomain(t, lines...)
	r, errs := d.Calculate(nil, 0, asking(t, d, "a0 1 -> everything"), testEnv)
	if len(errs) > 0 || len(r.Values) != maxActivities {
		t.Fatalf("%d values, %v", len(r.Values), errs)
	}
	for _, v := range r.Values {
		if got, want := v.Value.Text().Scalar(), fmt.Sprint(v.Variable+1); got != want {
			t.Errorf("a%d is %s, not %s", v.Variable, got, want)
		}
	}
	d = targetsDomain(t, append(lines[:401], "var b", "eq b = 1 / (a0 - 1)")...)
	r, errs = d.Calculate(nil, 0, asking(t, d, "a0 1 -> everything"), testEnv)
	if len(errs) > 0 || len(r.Values) != 201 {
		t.Errorf("without b: %d values, %v", len(r.Values), errs)
	}
}

// TestEverythingOfRectangularSystems asks for all of equations that determine some of their unknowns
// and leave others open.
func TestEverythingOfRectangularSystems(t *testing.T) {
	lines := []string{"var a", "var b", "var c", "var d", "var f", "var total", "var part", "eq total = a + b + c", "eq part = a + b", "eq d = c * 2", "eq f = a * d"}
	for text, want := range map[string]string{
		"total 10; part 4":      "d=12 | c=6",
		"total 10; part 4; a 3": "f=36 | b=1 c=6 d=12",
		"total 10":              "calculation.missing_inputs everything",
	} {
		d := targetsDomain(t, lines...)
		r, errs := d.Calculate(nil, 0, asking(t, d, text+" -> everything"), testEnv)
		if got := told(d, r, errs); got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}

// TestTargetsGoOn asks for several variables in a scenario, and goes on with it.
func TestTargetsGoOn(t *testing.T) {
	d := targetsDomain(t, "var distance [mi]", "var speed [mi/h]", "var time [h]", "var fuel [gal]", "var economy [mi/gal]",
		"eq time = distance / speed", "eq fuel = distance / economy")
	var base *Scenario
	last := 0
	for _, c := range []struct{ text, want string }{
		{"distance 150 mi; speed 60 mi/h; economy 30 mi/gal -> fuel, time in min", "new fuel=5 gal time=150 min |"},
		{"speed 50 mi/h", "discard fuel=5 gal time=180 min |"},
		{"distance 100 mi -> time", "discard time=2 h | fuel=3.333333333333333333333333333333333 gal"},
		{"distance 120 mi", "discard time=2.4 h | fuel=4 gal"},
		{"-> fuel, time", "extend fuel=4 gal time=2.4 h |"},
		// One that is given is asked for no more.
		{"time 3 h; speed 40 mi/h", "discard fuel=4 gal |"},
		{"-> everything", "extend fuel=4 gal |"},
		{"economy 40 mi/gal", "discard fuel=3 gal |"},
	} {
		r, errs := d.Calculate(base, last, asking(t, d, c.text), testEnv)
		if len(errs) > 0 {
			t.Fatal(c.text, errs)
		}
		if got := r.Action + " " + told(d, r, errs); got != c.want && got+" |" != c.want && r.Action != c.want {
			t.Errorf("%s:\n%s\n%s", c.text, got, c.want)
		}
		base = &Scenario{Index: r.Current, Cleared: r.Cleared, Targets: r.Targets, Also: len(r.Also), Everything: r.Everything}
		for _, v := range r.Values {
			base.Values = append(base.Values, v.ScenarioValue)
		}
		last = max(last, r.Current)
	}
}

// TestEverythingOfLargeDomains asks for all that follows in domains of many equations.
func TestEverythingOfLargeDomains(t *testing.T) {
	chain, star, mesh, wide := []string{"var a0"}, []string{"var a0"}, []string{"var a0"}, []string{"var a0"}
	for i := 1; i <= 1000; i++ {
		wide = append(wide, fmt.Sprintf("var a%d", i))
		if i > 10 {
			wide = append(wide, fmt.Sprintf("eq a%d = a0 + a%d + a%d + a%d + a%d - 4", i, i%7, i%5, i%3, i/100))
		} else {
			wide = append(wide, fmt.Sprintf("eq a%d = a0 * 1", i))
		}
		chain = append(chain, fmt.Sprintf("var a%d", i), fmt.Sprintf("eq a%d = a%d + 1", i, i-1))
		star = append(star, fmt.Sprintf("var a%d", i), fmt.Sprintf("eq a%d = a0 + %d", i, i))
		mesh = append(mesh, fmt.Sprintf("var a%d", i), fmt.Sprintf("eq a%d = (a%d + a%d) / 2", i, i-1, i/2))
	}
	for name, lines := range map[string][]string{"chain": chain, "star": star, "mesh": mesh, "wide": wide} {
		d := targetsDomain(t, lines...)
		start := time.Now()
		r, errs := d.Calculate(nil, 0, asking(t, d, "a0 1 -> everything"), testEnv)
		if len(errs) > 0 || len(r.Values) != 1001 {
			t.Errorf("%s: %d values, %v", name, len(r.Values), errs)
		}
		t.Logf("%s: %s", name, time.Since(start))
		found := map[string]string{}
		for _, v := range r.Values {
			found[d.Variables[v.Variable].Key] = v.Value.Text().Scalar()
		}
		if want := map[string]string{"chain": "1001", "star": "1001", "mesh": "1", "wide": "1"}[name]; found["a1000"] != want {
			t.Errorf("%s: %s", name, slices.Sorted(maps.Keys(found)))
		}
	}
}
