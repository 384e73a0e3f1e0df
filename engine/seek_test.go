package engine

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/value"
)

// sought is a seek as its tests write it.
type sought struct {
	given    string // lines "key: value"
	least    string // key, "" for greatest
	greatest string
	over     string // "key from to", with - for a bound that is not given; several with ;
	where    string // several with ;
}

func (s sought) run(t testing.TB, d *Domain) (Seek, Optimum, []value.Error) {
	t.Helper()
	read := func(key, text string) (int, value.Value) {
		v, err := d.FindVariable(key)
		if err != nil {
			t.Fatal(err.Filled())
		}
		x, _, errs := input.ParseValue(&d.Scope, v, value.Scalar(text), testEnv)
		if len(errs) > 0 {
			t.Fatal(errs[0].Filled())
		}
		return v, x
	}
	var req Request
	for line := range strings.Lines(s.given) {
		if key, text, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			v, x := read(key, strings.TrimSpace(text))
			req.Inputs = append(req.Inputs, Given{Variable: v, Value: x})
		}
	}
	ask := Seek{Greatest: s.greatest != ""}
	ask.Objective.Variable, _ = read(s.least+s.greatest, defaultFor(d, s.least+s.greatest))
	for part := range strings.SplitSeq(s.over, ";") {
		words := strings.Split(strings.TrimSpace(part), ",")
		r := Range{Variable: d.Index(strings.TrimSpace(words[0]))}
		for i, text := range words[1:] {
			if text = strings.TrimSpace(text); text != "-" {
				_, x := read(d.Variables[r.Variable].Key, text)
				q, _ := x.Single()
				if i == 0 {
					r.From = &q
				} else {
					r.To = &q
				}
			}
		}
		ask.Over = append(ask.Over, r)
	}
	for part := range strings.SplitSeq(s.where, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		c, err := d.ParseCondition(part, testEnv)
		if err != nil {
			t.Fatal(err.Filled())
		}
		ask.Where = append(ask.Where, c)
	}
	o, errs := d.Seek(nil, req, ask, testEnv)
	return ask, o, errs
}

func defaultFor(d *Domain, key string) string {
	v, err := d.FindVariable(key)
	if err != nil {
		return "1"
	}
	if labels := d.Variables[v].Labels(); len(labels) > 0 {
		return labels[0]
	}
	if strings.HasPrefix(d.Variables[v].Kind, "date") {
		return "2026-01-01"
	}
	return "1"
}

func compiled(t testing.TB, def Definition) *Domain {
	t.Helper()
	d, issues := Compile(def)
	for _, i := range issues {
		if !i.Warning {
			t.Fatal(i.Path, i.Message)
		}
	}
	return d
}

// told is an optimum in one line.
func (o Optimum) told(d *Domain, ask Seek) string {
	if o.Outcome != OutcomeFound {
		return fmt.Sprintf("%s, %s", o.Outcome, o.Proof)
	}
	var at []string
	for _, p := range o.At {
		text := d.Variables[p.Variable].Key + " " + p.Value.Text().Scalar()
		if p.Bound != "" {
			text += " (" + p.Bound + ")"
		}
		at = append(at, text)
	}
	text := fmt.Sprintf("%s at %s, %s", o.Value, strings.Join(at, " and "), o.Proof)
	for _, i := range o.Binding {
		text += ", " + ask.Where[i].Text
	}
	return text
}

var (
	warehouse = Definition{
		Title: "Stock", Units: []string{"widget"},
		Variables: []value.Variable{
			{Key: "demand", Unit: "widget/yr", Min: "0"}, {Key: "per_order", Unit: "USD", Min: "0"},
			{Key: "holding", Unit: "USD/(widget*yr)", Min: "0"}, {Key: "quantity", Unit: "widget", Min: "1 widget"},
			{Key: "cost", Unit: "USD/yr"},
		},
		Activities: []Activity{{Equation: "cost = demand / quantity * per_order + quantity / 2 * holding"}},
	}
	can = Definition{
		Title: "Can",
		Variables: []value.Variable{
			{Key: "radius", Unit: "cm", Min: "0 cm"}, {Key: "height", Unit: "cm", Min: "0 cm"},
			{Key: "volume", Unit: "mL", Min: "0 mL"}, {Key: "area", Unit: "cm^2", Min: "0 cm^2"},
		},
		Activities: []Activity{
			{Equation: "volume = pi * radius^2 * height"},
			{Equation: "area = 2 * pi * radius^2 + 2 * pi * radius * height"},
		},
	}
	box = Definition{
		Title: "Box",
		Variables: []value.Variable{
			{Key: "sheet", Unit: "cm"}, {Key: "cut", Unit: "cm", Min: "0 cm"}, {Key: "side", Unit: "cm", Min: "0 cm"}, {Key: "volume", Unit: "cm^3"},
		},
		Activities: []Activity{{Equation: "side = sheet - 2 * cut"}, {Equation: "volume = cut * side^2"}},
	}
	sale = Definition{
		Title: "Shop",
		Variables: []value.Variable{
			{Key: "price", Unit: "USD", Min: "0 USD"}, {Key: "unit_cost", Unit: "USD"}, {Key: "fixed", Unit: "USD"},
			{Key: "quantity", Integer: true, Min: "0"}, {Key: "profit", Unit: "USD"},
		},
		Activities: []Activity{{Equation: "profit = quantity * (price - unit_cost) - fixed"}},
	}
)

var (
	waves = Definition{
		Title:      "Waves",
		Variables:  []value.Variable{{Key: "t"}, {Key: "w"}},
		Activities: []Activity{{Equation: "w = t * sin(t)"}},
	}
	tariff = Definition{
		Title: "Tariff",
		Variables: []value.Variable{
			{Key: "use", Min: "0"}, {Key: "plan", Choices: []value.Choice{{Label: "basic", Value: decimal.Int(1)}, {Label: "large", Value: decimal.Int(2)}}},
			{Key: "bill", Unit: "USD"}, {Key: "rebate", Unit: "USD"},
		},
		Activities: []Activity{
			{Equation: "bill = if(plan == basic, 60 [USD] + 0.2 [USD] * use, 600 [USD] + 0.1 [USD] * use)"},
			{Equation: "rebate = lookup(use, [0, 1000, 5000, 9000], [0 [USD], 10 [USD], 20 [USD], 40 [USD]])"},
		},
	}
	fenced = Definition{
		Title:       "Fence",
		Variables:   []value.Variable{{Key: "a", Unit: "m"}, {Key: "b", Unit: "m"}, {Key: "field", Unit: "m^2"}, {Key: "rope", Unit: "m"}},
		Activities:  []Activity{{Equation: "field = a * b"}, {Equation: "rope = 2 * a + 2 * b"}},
		Constraints: []Constraint{{Condition: "a + b <= 50 [m]", Message: "There are 100 m of rope"}},
	}
)

func TestSeek(t *testing.T) {
	for _, c := range []struct {
		name string
		def  Definition
		sought
		want string
	}{
		// Harris, How Many Parts to Make at Once, 1913: the quantity √(2 · 1000 · 50 / 4) costs
		// √(2 · 1000 · 50 · 4).
		{"economic order quantity", warehouse, sought{"demand: 1000\nper_order: 50\nholding: 4", "cost", "", "quantity,1 widget,1000 widget", ""},
			"632.455532033675866399778708886546 USD/yr at quantity 158.11388300841898 widget, optimal"},
		{"whose upper bound is not needed", warehouse, sought{"demand: 1000\nper_order: 50\nholding: 4", "cost", "", "quantity", ""},
			"632.455532033675866399778708886546 USD/yr at quantity 158.11388300841898 widget, optimal"},
		{"that comes out even", warehouse, sought{"demand: 1200\nper_order: 100\nholding: 6", "cost", "", "quantity", ""}, "1200 USD/yr at quantity 200 widget, optimal"},
		// Stewart, Calculus, 4.7: a can of least area is as high as it is wide, r = ∛(V / 2π).
		{"can", can, sought{"volume: 330 mL", "area", "", "radius,0.1 cm,20 cm", ""},
			"264.3568109148405222059200839396124 cm^2 at radius 3.744938504039213 cm, optimal"},
		{"can without bounds", can, sought{"volume: 330 mL", "area", "", "radius", ""},
			"264.3568109148405222059200839396124 cm^2 at radius 3.744938504039213 cm, optimal"},
		{"can, both ways", can, sought{"", "area", "", "radius,0.1 cm,20 cm;height,0.1 cm,40 cm", "volume >= 330 mL"},
			"264.3568109148405320824213795414409 cm^2 at radius 3.744938481148938685389213683083813 cm and height 7.489877099639525 cm, optimal, volume >= 330 mL"},
		// The same book: an open box of a square sheet has the greatest volume where the cut is a sixth.
		{"box", box, sought{"sheet: 30 cm", "", "volume", "cut,0 cm,15 cm", ""}, "2000 cm^3 at cut 5 cm, optimal"},
		{"box, by the bounds of what follows", box, sought{"sheet: 30 cm", "", "volume", "cut", ""}, "2000 cm^3 at cut 5 cm, optimal"},
		{"box at a bound", box, sought{"sheet: 30 cm", "", "volume", "cut,0 cm,4 cm", ""}, "1936 cm^3 at cut 4 cm (to), optimal"},
		{"box at a bound of many digits", box, sought{"sheet: 30 cm", "", "volume", "cut,0 cm,4.000000000000000000001 cm", ""},
			"1936.000000000000000000132 cm^3 at cut 4.000000000000000000001 cm (to), optimal"},
		{"box at a bound that is not rounded", box, sought{"sheet: 30 cm", "", "volume", "cut,0 cm,3.999 cm", ""}, "1935.867927996 cm^3 at cut 3.999 cm (to), optimal"},
		{"box between bounds the wrong way round", box, sought{"sheet: 30 cm", "", "volume", "cut,5 cm,4 cm", ""},
			`"4 cm" is not a valid value for cut: it must be at least 5 cm.`},
		{"least quantity for a profit", sale, sought{"price: 10 USD\nunit_cost: 4 USD\nfixed: 500 USD", "quantity", "", "quantity", "profit >= 1,000 USD"},
			"250 at quantity 250, optimal, profit >= 1,000 USD"},
		{"that is not whole", sale, sought{"price: 11 USD\nunit_cost: 4 USD\nfixed: 500 USD", "quantity", "", "quantity", "profit >= 1,000 USD"},
			"215 at quantity 215, optimal"},
		{"more than a profit", sale, sought{"price: 10 USD\nunit_cost: 4 USD\nfixed: 500 USD", "quantity", "", "quantity", "profit > 1,000 USD"},
			"251 at quantity 251, optimal"},
		{"least price for a profit", sale, sought{"quantity: 300\nunit_cost: 4 USD\nfixed: 500 USD", "price", "", "price", "profit >= 1,000 USD"},
			"9 USD at price 9 USD, optimal, profit >= 1,000 USD"},
		{"exactly", sale, sought{"quantity: 700\nunit_cost: 4 USD\nfixed: 500 USD", "price", "", "price", "profit ≥ 1,000 USD"},
			"6.142857142857142857142857142857143 USD at price 6.142857142857142857142857142857143 USD, optimal, profit ≥ 1,000 USD"},
		{"compared with another variable", sale, sought{"price: 10 USD\nunit_cost: 4 USD\nfixed: 500 USD", "quantity", "", "quantity", "profit >= fixed"},
			"167 at quantity 167, optimal"},
		{"just so", sale, sought{"price: 10 USD\nunit_cost: 4 USD\nfixed: 600 USD", "quantity", "", "quantity", "profit >= fixed"},
			"200 at quantity 200, optimal, profit >= fixed"},
		{"a price that may not be as low", sale, sought{"quantity: 300\nunit_cost: 4 USD\nfixed: 500 USD", "price", "", "price,9.5 USD,20 USD", "profit >= 1,000 USD"},
			"9.5 USD at price 9.5 USD (from), optimal"},
		{"a loss that is no more than a profit", sale, sought{"price: 10 USD\nunit_cost: 4 USD\nfixed: 500 USD", "", "profit", "quantity", "profit <= -20 USD"},
			"-20 USD at quantity 80, optimal, profit <= -20 USD"},
		{"infeasible", sale, sought{"price: 3 USD\nunit_cost: 4 USD\nfixed: 500 USD", "quantity", "", "quantity,0,1000", "profit >= 0 USD"}, "infeasible, optimal"},
		{"unbounded", sale, sought{"price: 10 USD\nunit_cost: 4 USD\nfixed: 500 USD", "", "profit", "quantity", ""}, "unbounded, optimal"},
		{"without a bound", measured, sought{"mass: 2 kg", "energy", "", "speed", ""}, "0 J at speed 0 m/s, optimal"},
		{"that none can do without", waves, sought{"", "w", "", "t", ""}, "t needs a lower and an upper bound to be sought."},
		{"a choice", tariff, sought{"use: 3000", "bill", "", "plan", ""}, "660 USD at plan 1, optimal"},
		{"another choice", tariff, sought{"use: 9000", "bill", "", "plan", ""}, "1500 USD at plan 2, optimal"},
		{"a choice of those between bounds", tariff, sought{"use: 9000", "bill", "", "plan,basic,basic", ""}, "1860 USD at plan 1, optimal"},
		{"through a function over tables", tariff, sought{"", "", "rebate", "use,0,10000", "rebate <= 30 USD"}, "20 USD at use 5000, within_gap"},
		{"where a condition is about it", waves, sought{"", "", "w", "t,0,20", "w <= 5"}, "5 at t 7.068891403395066800687599561916762, optimal, w <= 5"},
		{"at least", waves, sought{"", "w", "", "t,0,20", "w >= -2"}, "-2 at t 3.710802830310381635488349849805552, optimal, w >= -2"},
		{"a date", measured, sought{"span: 10 d", "", "start", "start,2026-01-01,2026-12-31", "end <= 2026-03-01"}, "1771459200 s at start 1771459200 s, optimal, end <= 2026-03-01"},
		{"a temperature", measured, sought{"rise: 5 K", "outside", "", "outside,-50 degC,50 degC", "inside >= 68 degF"}, "15 degC at outside 15 degC, optimal, inside >= 68 degF"},
		{"by a constraint", fenced, sought{"", "", "field", "a,0 m,100 m;b,0 m,100 m", ""}, "625 m^2 at a 25 m and b 25 m, optimal"},
	} {
		d := compiled(t, c.def)
		ask, o, errs := c.run(t, d)
		got := ""
		if len(errs) > 0 {
			got = errs[0].Filled()
		} else {
			got = o.told(d, ask)
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s (%d intervals, %d calculations, gap %v)", c.name, got, c.want, o.Intervals, o.Calculations, o.Gap)
		}
	}
}

// TestUpTo holds that a gap is never told smaller than it is.
func TestUpTo(t *testing.T) {
	c := decimal.NewContext(value.DefaultBudget)
	for x, want := range map[string]string{"0": "0", "0.0412": "0.042", "1.21": "1.3", "1.2": "1.2", "99.1": "100", "123456": "130000"} {
		if got := upTo(c, decimal.MustParse(x), 2).String(); got != want {
			t.Errorf("%s: %s, not %s", x, got, want)
		}
	}
}
