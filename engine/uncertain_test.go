package engine

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

func propagated(t testing.TB, d *Domain, given, target, uncertain string) ([]Propagated, []value.Error) {
	t.Helper()
	var req Request
	for line := range strings.Lines(given) {
		if key, text, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			v, err := d.FindVariable(key)
			if err != nil {
				t.Fatal(err.Filled())
			}
			x, _, errs := input.ParseValue(&d.Scope, v, value.Scalar(strings.TrimSpace(text)), testEnv)
			if len(errs) > 0 {
				t.Fatal(errs[0].Filled())
			}
			req.Inputs = append(req.Inputs, Given{Variable: v, Value: x})
		}
	}
	key, unit, asked := strings.Cut(target, " in ")
	v, err := d.FindVariable(key)
	if err != nil {
		t.Fatal(err.Filled())
	}
	target1 := Target{Variable: v}
	if asked {
		if target1.Unit, err = input.ParseUnit(&d.Scope, v, unit); err != nil {
			t.Fatal(err.Filled())
		}
	}
	req.Targets = []Target{target1}
	var of []Uncertain
	for line := range strings.Lines(uncertain) {
		if line = strings.TrimSpace(line); line != "" {
			u, err := d.ParseUncertain(line, testEnv)
			if err != nil {
				return nil, []value.Error{*err}
			}
			of = append(of, u)
		}
	}
	return d.Propagate(nil, req, of, testEnv)
}

func (p Propagated) told(d *Domain) string {
	text := p.Value.String()
	end := func(q *units.Quantity) string {
		if q == nil {
			return "…"
		}
		return q.String()
	}
	text += fmt.Sprintf(" in [%s, %s]", end(p.Low), end(p.High))
	if p.Local {
		text += " of this solution"
	}
	if p.Unbounded != "" {
		text += " (" + p.Unbounded + ")"
	}
	if p.Standard == nil {
		return text + ", rough: " + p.Rough
	}
	text += fmt.Sprintf(", %s ± %s", Standing(p.Rounded, p.Places), Standing(*p.Standard, p.Places))
	for _, c := range p.Parts {
		text += fmt.Sprintf(", %s %s", d.Variables[c.Variable].Key, c.Share)
	}
	return text
}

var measured = Definition{
	Title: "Measured",
	Variables: []value.Variable{
		{Key: "length", Unit: "m"}, {Key: "width", Unit: "m"}, {Key: "area", Unit: "m^2"},
		{Key: "mass", Unit: "kg"}, {Key: "speed", Unit: "m/s"}, {Key: "energy", Unit: "J"},
		{Key: "voltage", Unit: "V"}, {Key: "current", Unit: "A"}, {Key: "phase", Unit: "rad"},
		{Key: "resistance", Unit: "ohm"}, {Key: "reactance", Unit: "ohm"}, {Key: "impedance", Unit: "ohm"},
		{Key: "inside", Unit: "degC"}, {Key: "outside", Unit: "degC"}, {Key: "rise", Unit: "K"},
		{Key: "rate", Kind: "percent"}, {Key: "principal", Unit: "USD"}, {Key: "interest", Unit: "USD"},
		{Key: "x"}, {Key: "y"}, {Key: "steps"}, {Key: "q"}, {Key: "u"}, {Key: "v"}, {Key: "w"}, {Key: "start", Kind: "date"}, {Key: "span", Unit: "d"}, {Key: "end", Kind: "date"},
	},
	Activities: []Activity{
		{Equation: "area = length * width"}, {Equation: "energy = mass * speed^2 / 2"},
		{Equation: "resistance = voltage / current * cos(phase)"}, {Equation: "reactance = voltage / current * sin(phase)"},
		{Equation: "impedance = voltage / current"}, {Equation: "inside = outside + rise"},
		{Equation: "interest = principal * rate"}, {Equation: "y + exp(y) = x"}, {Equation: "steps = floor(x)"},
		{Equation: "end = start + span"}, {Equation: "q^2 + abs(q) = x"}, {Equation: "u + v = x"}, {Equation: "u * v = w"},
	},
}

// gauge is the example H.1 of JCGM 100:2008 (GUM): the length of an end gauge from that of a standard.
var gauge = Definition{
	Title: "End gauge",
	Variables: []value.Variable{
		{Key: "standard", Unit: "nm"}, {Key: "difference", Unit: "nm"}, {Key: "expansion", Unit: "1/K"}, {Key: "expansion_difference", Unit: "1/K"},
		{Key: "deviation", Unit: "K"}, {Key: "deviation_difference", Unit: "K"}, {Key: "gauge", Unit: "nm"},
	},
	Activities: []Activity{{Equation: "gauge = standard + difference - standard * (expansion_difference * deviation + expansion * deviation_difference)"}},
}

// rooms has lengths of which no unit is declared, and what is greatest in between.
var rooms = Definition{
	Title:      "Rooms",
	Variables:  []value.Variable{{Key: "a"}, {Key: "b"}, {Key: "sum"}, {Key: "p", Unit: "deg"}, {Key: "turn"}},
	Activities: []Activity{{Equation: "sum = a + b"}, {Equation: "turn = sin(2 * p)"}},
}

// chained is a system whose last unknown does not stand in its first equation.
var chained = Definition{
	Title:      "Chained",
	Variables:  []value.Variable{{Key: "x"}, {Key: "z"}, {Key: "a"}, {Key: "b"}, {Key: "c"}},
	Activities: []Activity{{Equation: "a + b = x"}, {Equation: "b + c = z"}, {Equation: "c + 2 * a = 6.5"}},
}

func TestPropagate(t *testing.T) {
	for _, c := range []struct {
		def                            Definition
		given, target, uncertain, want string
	}{
		{measured, "width: 2 m", "area", "length: 5.2 ± 0.1 m", "10.4 m^2 in [10.2 m^2, 10.6 m^2], 10.40 m^2 ± 0.12 m^2, length 1"},
		{measured, "width: 2 m\nlength: 5.2 m", "area", "length ± 0.1 m", "10.4 m^2 in [10.2 m^2, 10.6 m^2], 10.40 m^2 ± 0.12 m^2, length 1"},
		{measured, "width: 2 m\nlength: 5.2 m", "area", "length ± 2 %", "10.4 m^2 in [10.192 m^2, 10.608 m^2], 10.40 m^2 ± 0.12 m^2, length 1"},
		{measured, "", "area", "length = (5.2 ± 0.1) m\nwidth 2 m +- 1 cm", "10.4 m^2 in [10.149 m^2, 10.653 m^2], 10.40 m^2 ± 0.12 m^2, length 0.9367, width 0.06332"},
		{measured, "principal: 1000 USD", "interest", "rate: 12 % ± 1 pp", "120 USD in [110 USD, 130 USD], 120.0 USD ± 5.8 USD, rate 1"},
		{measured, "principal: 1000 USD", "interest", "rate: 12 ± 1 %", "120 USD in [110 USD, 130 USD], 120.0 USD ± 5.8 USD, rate 1"},
		{measured, "principal: 1000 USD", "interest", "rate: 12 % ± 1 %", `"12 % ± 1 %" could be 1 pp or 1% of the value.`},
		// H.1.3 to H.1.6: u = 32 nm, of which 25 nm, 9.7 nm, 2.9 nm and 16.6 nm are the parts.
		{gauge, "", "gauge", `standard: 50,000,623 ± 25 nm (k=1)
			difference: 215 ± 9.7 nm (k=1)
			expansion: 11.5e-6 1/K ± 1.2e-6 1/K (k=1)
			expansion_difference: 0 1/K ± 0.58e-6 1/K (k=1)
			deviation: -0.1 ± 0.41 K (k=1)
			deviation_difference: 0 ± 0.029 K (k=1)`,
			"50000838 nm in [50000770.094 nm, 50000905.906 nm], 50000838 nm ± 32 nm, standard 0.6215, difference 0.09357, expansion 0, expansion_difference 0.008364, deviation 0, deviation_difference 0.2765"},
		// H.2 with independent inputs: u = √((0.00064 · 127.73)² + (0.00048 · 127.73)² + (219.85 · 0.00075)²).
		{measured, "", "resistance", "voltage: 4.9990 ± 0.0032 V (k=1)\ncurrent: 19.6610 ± 0.0095 mA (k=1)\nphase: 1.04446 ± 0.00075 rad (k=1)",
			"127.732169928102087789524137805754 Ω in [127.424019 Ω, 128.040758 Ω], 127.73 Ω ± 0.19 Ω, voltage 0.1774, current 0.1011, phase 0.7215"},
		{measured, "energy: 100 J", "speed", "mass: 2.0 ± 0.1 kg", "10 m/s in [9.759 m/s, 10.259784 m/s], 10.00 m/s ± 0.14 m/s, mass 1"},
		{measured, "", "y", "x: 3 ± 0.5", "0.7920599684306770014183958778854221 in [0.627352, 0.940006], 0.792 ± 0.090, x 1"},
		{measured, "", "q", "x: 6 ± 1", "2 in [1.791287, 2.192583], 2.00 ± 0.12, x 1"},
		{measured, "", "q", "x: 0.5 ± 1",
			"0.3660254037844386467637231707529362 in [-0.000001, 0.822876], rough: it may jump, or have no value, within the limits"},
		{measured, "", "u", "x: 5 ± 0.2\nw: 4 ± 0.1",
			"1 in [0.908846, 1.111591] of this solution, 1.000 ± 0.043, x 0.8, w 0.2"},
		{measured, "", "steps", "x: 3.5 ± 0.1", "3 in [3, 3], 3 ± 0, x 0"},
		{measured, "", "steps", "x: 3.5 ± 0.7", "3 in [2, 4], rough: it may jump, or have no value, within the limits"},
		{measured, "rise: 5 K", "inside", "outside: 20 degC ± 0.5 degC", "25 degC in [24.5 degC, 25.5 degC], 25.00 degC ± 0.29 delta_degC, outside 1"},
		{measured, "rise: 5 K", "inside in degF", "outside: 20 degC ± 0.5 K", "77 degF in [76.1 degF, 77.9 degF], 77.00 degF ± 0.52 delta_degF, outside 1"},
		{measured, "start: 2026-01-05", "end", "span: 10 d ± 2 d", "1768435200 s in [1768262400 s, 1768608000 s], 1768435200.0 s ± 1.2 d, span 1"},
		{measured, "span: 10 d", "end", "start: 2026-01-05 ± 2 d", "1768435200 s in [1768262400 s, 1768608000 s], 1768435200.0 s ± 1.2 d, start 1"},
		{measured, "width: 2 m", "area", "length 5.2 m ± 0.1 m (k=2)", "10.4 m^2 in [10.2 m^2, 10.6 m^2], 10.40 m^2 ± 0.10 m^2, length 1"},
		{measured, "width: 2 m\nlength: 5.2 m", "area", "length ± 0.1 m (k=2)", "10.4 m^2 in [10.2 m^2, 10.6 m^2], 10.40 m^2 ± 0.10 m^2, length 1"},
		{measured, "principal: 1000 USD\nrate: 5%", "interest", "rate ± 1 pp", "50 USD in [40 USD, 60 USD], 50.0 USD ± 5.8 USD, rate 1"},
		{measured, "principal: 1000 USD\nrate: 5%", "interest", "rate ± 0.01", "50 USD in [40 USD, 60 USD], 50.0 USD ± 5.8 USD, rate 1"},
		{measured, "principal: 1000 USD\nrate: 5%", "interest", "rate ± 1 kg", "The units kg and no unit are not compatible."},
		{measured, "x: 5", "steps", "x ± 1 kg", "The units kg and no unit are not compatible."},
		{rooms, "a: 5 ft\nb: 2 ft", "sum", "a ± 0.1", "7 ft in [6.9 ft, 7.1 ft], 7.000 ft ± 0.058 ft, a 1"},
		{rooms, "a: 5 ft\nb: 2 ft", "sum", "a ± 1 in", "7 ft in [6.916666 ft, 7.083334 ft], 7.000 ft ± 0.048 ft, a 1"},
		{rooms, "a: 5 ft\nb: 2 ft", "sum", "a ± 1 kg", "The units kg and ft are not compatible."},
		{rooms, "p: 45 deg", "turn", "p ± 5 deg", "1 in [0.9848077, 1], rough: it does not change with p to first order, though it does within the limits"},
		{rooms, "a: 5 ft", "turn", "p: 45 ± 5 deg", "1 in [0.9848077, 1], rough: it does not change with p to first order, though it does within the limits"},
		{measured, "width: 2 m", "area", "length ± 0.1 m", `"length ± 0.1 m" is not a valid value for length: it has no value yet: write it in front of the ±.`},
		{measured, "width: 2 m", "area", "length: 5 ± 0.1 kg", "The units kg and m are not compatible."},
		{measured, "width: 2 m", "area", "length: 5 ± -0.1 m", `"5 ± -0.1 m" is not a valid value for length: what stands behind ± must not be negative.`},
		{measured, "width: 2 m", "area", "length: 5", `"5" is not a valid value for length: write it as 5.2 ± 0.1 m.`},
		{measured, "width: 2 m", "area", "lenght: 5 ± 1", `Unknown variable "lenght". Did you mean "length"?`},
		{measured, "width: 2 m\nlength: 1 m", "area", "length ± 1 m\nlength ± 2 m", "length is given more than once."},
		{chained, "", "c", "x: 5 ± 0.5\nz: 4 ± 0.5", "1.5 in [0.83333, 2.16667] of this solution, 1.50 ± 0.27, x 0.5, z 0.5"},
		{tariff, "", "rebate", "use: 4500 ± 1000", "10 USD in [10 USD, 20 USD], rough: it may jump, or have no value, within the limits"},
	} {
		d := compiled(t, c.def)
		list, errs := propagated(t, d, c.given, c.target, c.uncertain)
		got := ""
		if len(errs) > 0 {
			got = errs[0].Filled()
		} else {
			got = list[0].told(d)
		}
		if got != c.want {
			t.Errorf("%s by %q: %s\nwant %s", c.target, c.uncertain, got, c.want)
		}
	}
}
