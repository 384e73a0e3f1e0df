package engine

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

func unitless(n decimal.Decimal) units.Quantity { return units.Quantity{Number: n, Unit: units.One} }

// sensed is a sensitivity as "key elasticity note [low..high]", a number by differences with "~".
func sensed(d *Domain, s Sensitivity) string {
	var parts []string
	for _, in := range s.Inputs {
		if in.Note != "" && in.Says() == "" {
			parts = append(parts, in.Note+" says nothing")
		}
		text := d.Variables[in.Variable].Key
		if in.Elasticity != nil {
			text += " "
			if in.Difference {
				text += "~"
			}
			text += in.Elasticity.String()
		}
		if in.Note != "" {
			text += " " + in.Note
		}
		var swings []string
		for _, w := range in.Swings {
			if len(w.Errors) > 0 {
				swings = append(swings, "! "+w.Errors[0].Code)
			} else if len(w.Dropped) > 0 {
				swings = append(swings, "! dropped "+keysOf(d, w.Dropped))
			} else {
				swings = append(swings, plain(w.Point.Value.Text()))
			}
		}
		parts = append(parts, fmt.Sprintf("%s [%s]", text, strings.Join(swings, ", ")))
	}
	return strings.Join(parts, "; ")
}

// TestSensitivityOfManyInputs goes along a chain of 600 equations. An input loses half of its weight at
// each root behind it.
func TestSensitivityOfManyInputs(t *testing.T) {
	const links = 300
	lines, asked := []string{"var c0 [1]"}, "c0 2"
	for i := 1; i <= links; i++ {
		lines = append(lines, fmt.Sprintf("var a%d [1]", i), fmt.Sprintf("var b%d [1]", i), fmt.Sprintf("var c%d [1]", i),
			fmt.Sprintf("eq b%d = c%d * a%d", i, i-1, i), fmt.Sprintf("eq c%d = sqrt(b%d)", i, i))
		asked += fmt.Sprintf("; a%d 1.%d", i, 100+i)
	}
	d := targetsDomain(t, lines...)
	base := scenariosOf(t, d, fmt.Sprintf("%s -> c%d", asked, links))[0]
	s, errs := d.Sensitivity(base, 1, nil, decimal.MustParse("0.1"), false, testEnv)
	if len(errs) > 0 || len(s.Inputs) != links+1 {
		t.Fatal(len(s.Inputs), errs)
	}
	c := decimal.NewContext(1_000_000)
	swung := 0
	for _, in := range s.Inputs {
		key := d.Variables[in.Variable].Key
		behind := links
		if number, is := strings.CutPrefix(key, "a"); is {
			i, _ := strconv.Atoi(number)
			behind = links - i + 1
		}
		want := c.Pow(decimal.MustParse("0.5"), decimal.Int(int64(behind)))
		if in.Elasticity == nil || in.Difference || c.Sub(*in.Elasticity, want).Abs().Cmp(c.Mul(want, decimal.MustParse("1e-33"))) > 0 {
			t.Errorf("%s: %v, want %s", key, in.Elasticity, want)
		}
		if in.Width != nil {
			swung++
		} else if behind < links/2 || len(in.Swings) != 2 || len(in.Swings[1].Errors) == 0 || in.Swings[1].Errors[0].Code != "calculation.limit_exceeded" {
			t.Errorf("%s has no ends, and they do not say why", key)
		}
	}
	if swung < 150 || s.Inputs[0].Variable != d.Index("a300") {
		t.Errorf("%d inputs have ends", swung)
	}
}

func TestSensitivity(t *testing.T) {
	for _, c := range []struct {
		lines  []string
		asked  string
		bounds bool
		want   string
	}{
		// The exponents are the elasticities (Cobb and Douglas, A Theory of Production, 1928).
		{[]string{"var labour", "var capital", "var output", "eq output = 1.01 * labour^(3/4) * capital^(1/4)"}, "labour 16; capital 81 -> output", false,
			"labour 0.75 [22.39827113608871865381817160050222, 26.03617184712914436902973913259283]; capital 0.25 [23.60985081334919356960639820072815, 24.82451582340694993675647383095788]"},
		// E = ½mv², solved for v.
		{[]string{"var m [kg]", "var v [m/s]", "var energy [J]", "eq energy = m * v^2 / 2"}, "energy 100 J; m 2 kg -> v", false,
			"m -0.5 [10.54092553389459777332964514810906 m/s, 9.53462589245592315446775921527216 m/s]; energy 0.5 [9.486832980505137995996680633298156 m/s, 10.48808848170151546991453513679938 m/s]"},
		// A linear demand of 100 - 2p at 20 has the elasticity -2/3.
		{[]string{"var p", "var q", "eq q = 100 - 2 * p"}, "p 20 -> q", false, "p -0.6666666666666666666666666666666667 [64, 56]"},
		// The filtration rate of kidneys (CKD-EPI: Inker et al., New Creatinine- and Cystatin C-Based Equations,
		// 2021): the exponent of creatinine, and the age times the logarithm of 0.9938.
		{[]string{"var creatinine", "var age", "var rate", "eq rate = 142 * (creatinine / 0.9)^(-1.2) * 0.9938^age"}, "creatinine 1; age 50 -> rate", false,
			"creatinine -1.2 [104.0490129932252179009290969383966, 81.78200505872410236147755364390314]; age -0.3109649906958424809907557648778166 [94.58755818693458851895747178765716, 88.88407112743090228370427517946446]"},
		// Two unknowns together: x + y = s and x y = p at x = 2 and y = 3; dx/ds = x / (x - y).
		{[]string{"var x", "var y", "var s", "var p", "eq x + y = s", "eq x * y = p"}, "s 5; p 6 -> x", false, "s -5 [! dropped p, 1.5]; p 3 [1.578045554270711268999772571823721, ! dropped s]"},
		{[]string{"var x", `var y`, "eq y = max(x, 10)"}, "x 10 -> y", false, "x kink [10, 11]"},
		{[]string{"var x", `var y`, "eq y = max(x, 10)"}, "x 9.5 -> y", false, "x 0 flat [10, 10.45]"},
		{[]string{"var x", `var y`, "eq y = if(x < 10, 5, 20)"}, "x 10 -> y", false, "x jump [5, 20]"},
		{[]string{"var x", `var y`, "eq y = round(x)"}, "x 10 -> y", false, "x ~0 flat [9, 11]"},
		{[]string{"var x", `var y`, "eq y = x + 1"}, "x 0 -> y", false, "x zero []"},
		{[]string{"var x", `var y`, "eq y = x - 1"}, "x 1 -> y", false, "x target_zero [-0.1, 0.1]"},
		{[]string{`var x max="10"`, `var y`, "eq y = x^2"}, "x 10 -> y", false, "x 2 edge [81]"},
		{[]string{`var x min="1" max="20"`, `var y`, "eq y = x^2"}, "x 10 -> y", true, "x 2 [1, 400]"},
		{[]string{`var x integer=true`, `var y`, "eq y = x^2"}, "x 3 -> y", false, "x whole [4, 16]"},
		{[]string{`var x`, `var y`, "eq y = sqrt(x - 1)"}, "x 1.05 -> y", false, "x 10.5 [! calculation.domain_error, 0.3937003937005905509842517224406004]"},
		{[]string{"var start kind=time", "var long [h]", "var end kind=time", "eq end = start + long"}, "start 08:30; long 2 h -> end", false, "long scale [37080 s, 38520 s]; start scale []"},
		{[]string{`var t [degC]`, `var y`, "eq y = t / 1 [K]"}, "t 20 degC -> y", false, "t scale [291.15, 295.15]"},
		{[]string{"var list kind=table", "var x", "var y", "eq y = sum(list) * x"}, `x 2; list ["1", "2"] -> y`, false, "x 1 [5.4, 6.6]; list table []"},
		{[]string{"var rate kind=percent", "var n", "var loan", "var payment", "eq payment = -pmt(rate / 12, n, loan)"}, "rate 6%; n 360; loan 200000 -> payment", false,
			"loan 1 [1079.190945274954310264630238632057, 1319.011155336055268101214736105847]; rate 0.6434011039304391835529746494884445 [1123.061583739228696365471492526716, 1277.317636049307125297922979601718]; n -0.3574889111844662274244469054317632 [1247.970708506752500037502932368442, 1161.1058702403184478504393921209]"},
		{[]string{"var fuel [L/(100 km)]", "var distance [km]", "var used [L]", "eq used = fuel * distance"}, "fuel 7 L/(100 km); distance 300 km -> used", false, "fuel 1 [18.9 L, 23.1 L]; distance 1 [18.9 L, 23.1 L]"},
	} {
		d := targetsDomain(t, c.lines...)
		base := scenariosOf(t, d, c.asked)[0]
		s, errs := d.Sensitivity(base, 1, nil, decimal.MustParse("0.1"), c.bounds, testEnv)
		if len(errs) > 0 {
			t.Errorf("%s: %v", c.asked, errs)
		} else if got := sensed(d, s); got != c.want {
			t.Errorf("%s:\n%s\n%s", c.asked, got, c.want)
		}
	}
}
