package prompt

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/value"
)

// sort is a sort of variables in generated domains.
type sort struct {
	kind    string
	units   []string // it may be declared in, "" for none
	values  []string // a cell or a scalar, with # for a number
	asked   []string // units it may be asked in
	rank    int
	display []string // display_metadata it may have
}

var sorts = map[string]sort{
	"plain":       {values: []string{"#"}},
	"whole":       {kind: "no_separator", values: []string{"#", "-5"}},
	"length":      {units: []string{"m", "km", "ft", ""}, values: []string{"# m", "# km", "# mi", "5 ft 11 in"}, asked: []string{"cm", "yd"}},
	"area":        {units: []string{"m^2", "acre", ""}, values: []string{"# m^2", "# square feet"}, asked: []string{"cm^2", "ha"}},
	"volume":      {units: []string{"gal", "L"}, values: []string{"# L", "# gal"}, asked: []string{"m^3"}},
	"speed":       {units: []string{"km/h", ""}, values: []string{"# mph", "# m/s"}, asked: []string{"km/h", "ft/s"}},
	"economy":     {units: []string{"mi/gal", "km/L"}, values: []string{"# mi/gal", "# L/100km"}, asked: []string{"km/L", "L/100km"}},
	"money":       {units: []string{"EUR"}, values: []string{"€#", "# EUR", "-5 EUR", "#"}},
	"price":       {units: []string{"EUR/widget"}, values: []string{"# EUR/widget", "€#/widget"}},
	"widgets":     {units: []string{"widget", ""}, values: []string{"# widget", "# widgets"}},
	"temperature": {units: []string{"degC", "K"}, values: []string{"# degF", "20 °C", "300 K"}, asked: []string{"degF"}},
	"rise":        {units: []string{"delta_degC"}, values: []string{"# delta_degC", "5 K"}, asked: []string{"delta_degF"}},
	"percent":     {kind: "percent", units: []string{"", "%"}, values: []string{"#%", "0.06", "# %"}, asked: []string{"%", "1"}},
	"duration":    {kind: "duration", units: []string{"", "min", "h"}, values: []string{"# s", "2 h 30 min", "1:30", "# d", "7"}, asked: []string{"min", "s"}},
	"date":        {kind: "date", values: []string{"2026-03-05", "today", "5 March", "86400 s", "March 1, 1969"}, asked: []string{"s"}},
	"datetime":    {kind: "datetime", values: []string{"2026-03-05T14:07:09", "now", "14:07", "2:07 pm", "5 Mar 2026 9:00", "today"}, asked: []string{"s"}},
	"time":        {kind: "time", values: []string{"14:07", "2:07:01 pm", "now", "25200 s"}},
	"prices": {kind: "table", units: []string{"EUR"}, values: []string{"#", "€#", ""}, rank: 1,
		display: []string{`{"table":{"columns":[{"name":"Net","format":"decimals_2"}],"rows":{"names":["A"]}}}`}},
	"numbers": {kind: "table", values: []string{"#", "", "5%"}, rank: 1,
		display: []string{`{"table":{"start_row_index":0,"columns":[{"kind":"percent"}]}}`}},
	"grid": {kind: "table", units: []string{"", "h"}, values: []string{"# h", "# min", ""}, rank: 2,
		display: []string{`{"table":{"columns":[{"name":"Work","kind":"duration"},{"name":"Rest: total"}]}}`}},
	"columns": {kind: "bar_chart", values: []string{"# kg", "# g", ""}, rank: 2,
		display: []string{`{"bar_chart":{"series":[{"name":"In"},{"name":"Out"}],"stacked":true}}`,
			`{"bar_chart":{"labels":{"source":"first_series"}}}`}},
	"rows": {kind: "bar_chart", values: []string{"#%", "# %", "0.5"}, rank: 2,
		display: []string{`{"bar_chart":{"series_by":"rows","series":[{"kind":"percent"},{"kind":"percent","format":"decimals_1"}]}}`}},
	"slices": {kind: "pie_chart", values: []string{"# m", "# in", ""}, rank: 1, display: []string{`{"pie_chart":{"slices":{"names":["A","B"]}}}`}},
}

// laws are equations of generated domains, and the sorts of the variables $0 to $2 in them.
var laws = []struct {
	equation string
	sorts    []string
}{
	{"$0 = $1 * $2", []string{"area", "length", "length"}},
	{"$0 = $1 + $2", []string{"length", "length", "length"}},
	{"$0 = $1 / $2", []string{"speed", "length", "duration"}},
	{"$0 = $1 / $2", []string{"volume", "length", "economy"}},
	{"$0 = $1 * (1 + $2)", []string{"money", "money", "percent"}},
	{"$0 = $1 / $2", []string{"percent", "money", "money"}},
	{"$0 = $1 * $2", []string{"money", "price", "widgets"}},
	{"$0 = $1 + $2", []string{"date", "date", "duration"}},
	{"$0 = $1 + $2", []string{"datetime", "datetime", "duration"}},
	{"$0 = $1 - $2", []string{"duration", "time", "time"}},
	{"$0 = $1 - $2", []string{"rise", "temperature", "temperature"}},
	{"$0 = $1^2 + $2", []string{"plain", "plain", "plain"}},
	{"$0 = $1 + 1", []string{"whole", "whole"}},
	{"$0 = sumproduct($1, $2)", []string{"money", "prices", "numbers"}},
	{"$0 = $1 * $2", []string{"prices", "prices", "plain"}},
	{"$0 = $1 / 7", []string{"grid", "grid"}},
	{"$0 = sum($1)", []string{"duration", "grid"}},
	{"$0 = 2 * $1", []string{"columns", "columns"}},
	{"$0 = $1 / 3", []string{"rows", "rows"}},
	{"$0 = $1 * $2", []string{"slices", "slices", "percent"}},
}

// titles are forms of titles; each variable's number stands in one.
var titles = []string{"Part %d", "Net #%d: total", "Rate (%d %%)", "A/B, %d", "Länge_%d-fach", "Value %d in km", "%d | \"x\" {y}"}

var generatedNumbers = []string{"7", "0", "0.1", "1234.5678", "1e-7", "3/7", "1/3", "2e22", "1,234,567", "(1/3 + 2)", "½", "6 1/4", "99.999"}

// generated is a domain with the sorts of its variables.
type generated struct {
	domain *engine.Domain
	sorts  []string // by variable
}

func drawValue(t *rapid.T, s sort) value.Text {
	cell := func() string {
		return strings.ReplaceAll(rapid.SampledFrom(s.values).Draw(t, "value"), "#", rapid.SampledFrom(generatedNumbers).Draw(t, "number"))
	}
	if s.rank == 0 {
		return value.Scalar(cell())
	}
	text := value.Text{Rank: s.rank}
	for range 2 {
		row := []string{cell()}
		if s.rank == 2 {
			row = append(row, cell())
		}
		text.Cells = append(text.Cells, row)
	}
	return text
}

// drawDomain links each law to those before it by one variable at most, so that laws cannot
// contradict each other.
func drawDomain(t *rapid.T) generated {
	g := generated{}
	def := engine.Definition{Title: "Generated", Units: []string{"widget"}}
	for n := range rapid.IntRange(1, 4).Draw(t, "laws") {
		law := rapid.SampledFrom(laws).Draw(t, "law")
		equation := law.equation
		linked, earlier := false, len(g.sorts)
		for i, name := range law.sorts {
			variable := -1
			if !linked && rapid.Bool().Draw(t, "linked") {
				variable = slices.Index(g.sorts[:earlier], name)
			}
			if variable < 0 {
				variable = len(g.sorts)
				g.sorts = append(g.sorts, name)
				def.Variables = append(def.Variables, drawVariable(t, sorts[name], variable))
			} else {
				linked = true
			}
			equation = strings.ReplaceAll(equation, fmt.Sprintf("$%d", i), def.Variables[variable].Key)
		}
		def.Activities = append(def.Activities, engine.Activity{
			ID: fmt.Sprintf("00000000-0000-4000-9000-%012d", n), Title: fmt.Sprintf("Law %d: %s", n, law.equation), Equation: equation,
		})
	}
	d, issues := engine.Compile(def)
	if d == nil {
		t.Fatalf("%+v\n%v", def, issues)
	}
	g.domain = d
	return g
}

func drawVariable(t *rapid.T, s sort, number int) value.Variable {
	v := value.Variable{
		ID:    fmt.Sprintf("00000000-0000-4000-8000-%012d", number),
		Key:   fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"v", "größe_", "Rate"}).Draw(t, "key"), number),
		Title: fmt.Sprintf(rapid.SampledFrom(titles).Draw(t, "title"), number),
		Kind:  s.kind,
	}
	if len(s.units) > 0 {
		v.Unit = rapid.SampledFrom(s.units).Draw(t, "unit")
	}
	if len(s.display) > 0 && rapid.Bool().Draw(t, "authored") {
		v.Display = json.RawMessage(rapid.SampledFrom(s.display).Draw(t, "display"))
	}
	if rapid.IntRange(0, 3).Draw(t, "default") == 0 {
		v.Default = drawValue(t, s)
	}
	return v
}

// drawRequest states values of a few variables and asks for another one.
func (g generated) drawRequest(t *rapid.T, last int) string {
	var b strings.Builder
	n := rapid.IntRange(1, last+1).Draw(t, "index")
	if s := rapid.SampledFrom([]string{"", "", "", "new", "current", fmt.Sprint(n), fmt.Sprintf("new from %d", n)}).Draw(t, "selector"); s != "" {
		fmt.Fprintf(&b, "scenario: %s\n", s)
	}
	indexes := rapid.SliceOfNDistinct(rapid.IntRange(0, len(g.sorts)-1), 1, len(g.sorts), rapid.ID[int]).Draw(t, "variables")
	if target := indexes[0]; rapid.IntRange(0, 4).Draw(t, "targeted") > 0 {
		unit := rapid.SampledFrom(append([]string{""}, sorts[g.sorts[target]].asked...)).Draw(t, "asked")
		fmt.Fprintf(&b, "calculate: %s\n", strings.TrimSuffix(g.domain.Variables[target].Key+" in "+unit, " in "))
		if len(indexes) > 2 && rapid.IntRange(0, 2).Draw(t, "another") == 0 {
			target, indexes = indexes[1], indexes[1:]
			unit := rapid.SampledFrom(append([]string{""}, sorts[g.sorts[target]].asked...)).Draw(t, "asked")
			fmt.Fprintf(&b, "calculate: %s\n", strings.TrimSuffix(g.domain.Variables[target].Key+" in "+unit, " in "))
		}
	} else if rapid.IntRange(0, 2).Draw(t, "everything") == 0 {
		b.WriteString("calculate: everything\n")
	}
	for _, variable := range indexes[1:] {
		value := value.Text{}
		if rapid.IntRange(0, 9).Draw(t, "cleared") > 0 {
			value = drawValue(t, sorts[g.sorts[variable]])
		}
		for _, row := range value.Cells {
			for i, c := range row {
				if value.Rank > 0 && strings.Contains(c, ",") {
					row[i] = `"` + c + `"`
				}
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", g.domain.Variables[variable].Key, inline(value))
	}
	return b.String()
}

// alike compares what two values mean: as quantities, but for the digits that are not shown.
func alike(a, b value.Value) bool {
	if a.Equal(b) {
		return true
	}
	if a.Rank != b.Rank || len(a.Cells) != len(b.Cells) {
		return false
	}
	c := decimal.NewContext(1_000_000)
	tolerance := c.Pow(decimal.Int(10), decimal.Int(-30))
	for i, row := range a.Cells {
		for j, x := range row {
			if len(b.Cells[i]) != len(row) || x.Empty != b.Cells[i][j].Empty {
				return false
			}
			p, q := x.Quantity.SI(c), b.Cells[i][j].Quantity.SI(c)
			if c.Sub(p, q).Abs().Cmp(c.Mul(p.Abs(), tolerance)) > 0 || c.Err() != nil {
				return false
			}
		}
	}
	return true
}

// checkEmitted says that a value is accepted where it came from and means the same there, and that
// it can be shown.
func checkEmitted(d *engine.Domain, v engine.ResultValue) error {
	text := v.Value.Text()
	read, normal, problems := input.ParseValue(&d.Scope, v.Variable, text, testEnv)
	if len(problems) > 0 {
		return fmt.Errorf("is no input: %v", problems)
	}
	if !alike(v.Value, read) {
		return fmt.Errorf("is read as %s", inline(read.Text()))
	}
	if again, _, problems := input.ParseValue(&d.Scope, v.Variable, normal, testEnv); len(problems) > 0 || !alike(v.Value, again) {
		return fmt.Errorf("has the normal form %s, which is read as %s: %v", inline(normal), inline(again.Text()), problems)
	}
	display := d.Display(v.Variable, v.Value, v.Asked)
	if w, digits := (&writer{domain: d}), allDigits(v.Value); readsAsIs(d.Variables[v.Variable].Kind) {
		v.Asked = false
		if form := w.form(v, digits); !reflect.DeepEqual(form, digits) {
			return fmt.Errorf("has the form %s and not that of its digits: %s", inline(form), inline(digits))
		}
	}
	if _, err := format.RenderText(text, display); err != nil {
		return fmt.Errorf("is shown by %s: %w", display, err)
	}
	s := d.ChartScale(v.Variable, v.Value)
	if (s.Scale != nil) != (s.Unit != "") || s.Incompatible != (len(s.Types) > 1) || s.Incompatible && s.Scale != nil || s.Scale != nil && !json.Valid(s.Scale) {
		return fmt.Errorf("has the scale %+v", s)
	}
	return nil
}

// checkRepeated posts texts in the place of the request that they say a result in, for the same
// values of all variables.
func checkRepeated(t *rapid.T, c *conversation, req engine.Request, res engine.Result) error {
	for form, text := range map[string]string{Structured: Text(c.domain, res), JSON: marshal(t, Normal(c.domain, req, res))} {
		if detected, err := Detect(c.domain, text); detected != form || err != nil {
			return fmt.Errorf("%s\nis taken for %s, %v", text, detected, err)
		}
		parse := ParseStructured
		if form == JSON {
			parse = ParseJSON
		}
		again, problems := parse(c.domain, text, testEnv)
		if len(problems) > 0 {
			return fmt.Errorf("%s\ncannot be posted: %v", text, problems)
		}
		repeated, problems := c.calculate(again)
		if len(problems) > 0 {
			return fmt.Errorf("%s\nposted gave %v", text, problems)
		}
		if repeated.Action != res.Action || repeated.Original != res.Original || repeated.Current != res.Current || repeated.Calculated != res.Calculated || !slices.Equal(repeated.Also, res.Also) || repeated.Everything != res.Everything {
			return fmt.Errorf("%s\nposted gave %s %d -> %d", text, repeated.Action, repeated.Original, repeated.Current)
		}
		values := map[int]value.Value{}
		for _, v := range repeated.Values {
			values[v.Variable] = v.Value
		}
		for _, v := range res.Values {
			if w, ok := values[v.Variable]; !ok || !alike(v.Value, w) {
				return fmt.Errorf("%s\nposted gave %s: %s", text, c.domain.Variables[v.Variable].Key, inline(w.Text()))
			}
		}
		if len(values) != len(res.Values) {
			return fmt.Errorf("%s\nposted gave %d values, not %d", text, len(values), len(res.Values))
		}
	}
	return nil
}

// converse posts requests about a domain of its own and counts the answers by kind of the target.
func converse(t *rapid.T) map[string]int {
	answered := map[string]int{}
	g := drawDomain(t)
	c := &conversation{domain: g.domain, scenarios: map[int]*engine.Scenario{}}
	for range rapid.IntRange(1, 4).Draw(t, "requests") {
		text := g.drawRequest(t, c.last)
		req, problems := ParseStructured(g.domain, text, testEnv)
		if len(problems) > 0 || req.Selector.Number > c.last {
			continue
		}
		res, problems := c.calculate(req)
		if len(problems) > 0 {
			continue
		}
		fail := func(err error) {
			var equations []string
			for _, a := range g.domain.Activities {
				equations = append(equations, a.Equation)
			}
			t.Fatalf("%s\n%s\n%v", strings.Join(equations, "\n"), text, err)
		}
		if res.Calculated >= 0 {
			answered[g.domain.Variables[res.Calculated].Kind]++
			if err := checkRepeated(t, c, req, res); err != nil {
				fail(err)
			}
		}
		for _, v := range res.Values {
			if err := checkEmitted(g.domain, v); err != nil {
				fail(fmt.Errorf("%s %s (%s) %w", g.domain.Variables[v.Variable].Key, inline(v.Value.Text()), g.sorts[v.Variable], err))
			}
		}
		c.keep(res)
	}
	return answered
}

// TestGeneratedDomains says of domains of all kinds of variables that each value of an answer is
// accepted as an input and means the same, and that the texts of an answer can be posted for the
// same answer.
func TestGeneratedDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { converse(t) })
}

// TestGeneratedDomainsAnswer holds against each other what is drawn and the kinds of variables:
// with these seeds all of them are answered.
func TestGeneratedDomainsAnswer(t *testing.T) {
	conversations := rapid.Custom(converse)
	answered := map[string]int{}
	for seed := range 1000 {
		for kind, n := range conversations.Example(seed) {
			answered[kind] += n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sorts)) {
		if kind := sorts[name].kind; answered[kind] == 0 {
			t.Errorf("no variable of kind %q was calculated: %v", kind, answered)
		}
	}
}
