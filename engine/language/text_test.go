package language

import (
	"os"
	"strings"
	"testing"
	"time"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// TestTextsAreRead holds that structured text reads every reading of testdata/quantities.txt, with
// the number and unit that the reading has.
func TestTextsAreRead(t *testing.T) {
	data, err := os.ReadFile("testdata/quantities.txt")
	if err != nil {
		t.Fatal(err)
	}
	ctx := decimal.NewContext(100_000_000)
	env := value.Env{Now: time.Date(2028, 3, 5, 13, 7, 9, 0, time.UTC)}
	for line := range strings.Lines(string(data)) {
		prompt, _, ok := strings.Cut(line, " => ")
		if !ok || strings.HasPrefix(prompt, "#") && !strings.HasPrefix(prompt, "#5") {
			continue
		}
		for _, q := range scan(tokenize(prompt), units.Standard(), "", thursday) {
			for _, r := range q.readings {
				readBack(t, ctx, env, prompt, r)
			}
		}
	}
}

func readBack(t *testing.T, ctx *decimal.Context, env value.Env, prompt string, r reading) {
	t.Helper()
	v := value.Variable{ID: "x", Key: "x", Title: "X", Kind: "number"}
	switch r.kind {
	case kindMeasure, kindMoney:
		v.Unit = r.unit.Symbol()
	case kindNumber:
	case kindClock:
		v.Kind = "time"
	default:
		v.Kind = kindNames[r.kind]
	}
	d, issues := engine.Compile(engine.Definition{Title: "Readings", Variables: []value.Variable{v}})
	if d == nil {
		t.Errorf("%q: no variable of kind %s in %q: %v", prompt, v.Kind, v.Unit, issues)
		return
	}
	value, _, errs := input.ParseValue(&d.Scope, 0, value.Scalar(r.text), env)
	if errs != nil {
		t.Errorf("%q: structured text does not read %q for %s %s: %v", prompt, r.text, v.Kind, v.Unit, errs)
		return
	}
	got := value.Quantity()
	want := units.Quantity{Number: r.number, Unit: r.unit}
	switch r.kind {
	case kindNumber:
		want.Unit = units.One
	case kindPercent:
		want = units.Quantity{Number: ctx.Quo(r.number, decimal.Int(100)), Unit: units.One}
	case kindMeasure, kindMoney, kindDuration:
	default:
		return
	}
	if a, b := got.SI(ctx).Shown(), want.SI(ctx).Shown(); a.Cmp(b) != 0 {
		t.Errorf("%q: %q is %s, and the reading is %s", prompt, r.text, got, want)
	}
}
