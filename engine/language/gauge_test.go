package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/value"
)

// TestGaugeIsNeverAbsolute says gauge in all places around a pressure.
func TestGaugeIsNeverAbsolute(t *testing.T) {
	domain := func(unit string) *Vocabulary {
		d, issues := engine.Compile(engine.Definition{
			Title: "Gas", Description: "Pressure of a gas.",
			Variables:  []value.Variable{{Key: "pressure", Title: "Pressure", Unit: unit}, {Key: "force", Title: "Force", Unit: "N"}},
			Activities: []engine.Activity{{Title: "Force", Equation: "force = (pressure - 0 [barg]) * 2 [m^2]"}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		return New(d)
	}
	for _, c := range []struct{ unit, prompt, want string }{
		{"", "force at a pressure of 5 atm gauge?", "5 atm gauge"},
		{"", "force at a pressure of 760 torr gauge?", "760 torr gauge"},
		{"", "force at a pressure of 5 barg?", "5 barg"},
		{"", "force at a gauge pressure of 5 atm?", ""},
		{"", "force at a pressure of 2 kgf/cm2 gauge?", ""},
		{"", "the gauge shows 5 bar, what is the force?", ""},
		{"", "the gage pressure is 30 psi, what is the force?", ""},
		{"psig", "force at a gauge pressure of 30 psi?", "30 psig"},
	} {
		request, _, errs := domain(c.unit).Interpret(c.prompt, empty(), tripEnv)
		switch {
		case c.want == "":
			if len(errs) == 0 || errs[0].Code != "language.not_understood" || !strings.Contains(errs[0].Args[0], "5 atm gauge for a gauge pressure") {
				t.Errorf("%s: %v %v", c.prompt, request.Inputs, errs)
			}
		case len(errs) > 0 || len(request.Inputs) != 1:
			t.Errorf("%s: %v %v", c.prompt, request.Inputs, errs)
		default:
			if want, wrong := domain(c.unit).given(0, c.want, tripEnv); len(wrong) > 0 || !request.Inputs[0].Value.Equal(want.Value) {
				t.Errorf("%s: %v, want %s %v", c.prompt, request.Inputs[0].Value.Text(), c.want, wrong)
			}
		}
	}
}
