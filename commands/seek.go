package commands

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/prompt"
	"reckon/engine/units"
	"reckon/engine/value"
)

// SeekQuery is a seek as callers write it.
type SeekQuery struct {
	Kind  string   // one of SeekKinds
	Of    string   // a variable, perhaps with a unit: cost in EUR
	Over  []string // variables with bounds: quantity from 1 to 1,000
	Where []string // conditions: profit >= 1,000 USD
}

// SeekKinds are the kinds of seeks. Of the last two the variable that is to be small or large is
// itself one that moves.
var SeekKinds = []string{"minimize", "maximize", "least", "greatest"}

// AnalysedValue is a value of a variable.
type AnalysedValue struct {
	Key     string          `json:"key"`
	Title   string          `json:"title"`
	Value   value.Text      `json:"value"`
	Shown   string          `json:"shown,omitempty"` // as people read it, where that is another text
	Display json.RawMessage `json:"display"`
}

// Sought is the answer to a seek. Without an outcome Errors say why.
type Sought struct {
	Analysed
	Outcome *engine.Outcome `json:"outcome"`
	Proof   *engine.Proof   `json:"proof"`
	Value   *AnalysedValue  `json:"value"`
	Gap     *string         `json:"gap"`
	At      []SoughtPlace   `json:"at"`
	Binding []string        `json:"binding"`
	Values  []SoughtValue   `json:"variables"`
	Effort  SeekEffort      `json:"effort"`
}

// SoughtPlace is where an input is.
type SoughtPlace struct {
	AnalysedValue
	Bound *string `json:"bound"` // from or to
}

// SoughtValue is a value of the scenario that would be there.
type SoughtValue struct {
	AnalysedValue
	Source engine.Source `json:"source"`
}

// SeekEffort says what a seek took.
type SeekEffort struct {
	Intervals    int  `json:"intervals"`
	Calculations int  `json:"calculations"`
	Exhausted    bool `json:"exhausted"`
}

// begin is what an analysis that calculates with other values begins with, and the head of its
// answer.
func (k Kept) begin() (a Analysed, base *engine.Scenario, req engine.Request, errs []value.Error) {
	a, errs = analysed(k)
	if a.Scenarios == nil {
		a.Scenarios = []AnalysedOf{}
	}
	if k.Asked.Failed != nil || k.Scenario != nil {
		base, req, errs = k.Basis()
	}
	return a, base, req, errs
}

// analysed is a value as analyses show it.
func (d *Domain) analysed(variable int, v value.Value, asked bool) AnalysedValue {
	def := &d.Definition.Variables[variable]
	return AnalysedValue{Key: def.Key, Title: def.Title, Value: v.Text(), Shown: d.compiled.Readable(variable, v), Display: d.compiled.Display(variable, v, asked)}
}

// Seek finds the least or the greatest value of a variable from a scenario.
func (k Kept) Seek(q SeekQuery) Sought {
	s := Sought{At: []SoughtPlace{}, Binding: []string{}, Values: []SoughtValue{}}
	d := k.Domain
	head, base, req, errs := k.begin()
	s.Analysed = head
	var ask engine.Seek
	if len(errs) == 0 {
		ask, errs = d.seek(q, k.Env)
	}
	var o engine.Optimum
	if len(errs) == 0 {
		o, errs = d.compiled.Seek(base, req, ask, k.Env)
	}
	if len(errs) > 0 {
		s.Analysed = s.failed(errs)
		return s
	}
	s.Outcome, s.Proof = &o.Outcome, &o.Proof
	s.Effort = SeekEffort{o.Intervals, o.Calculations, o.Exhausted}
	if o.Outcome != engine.OutcomeFound {
		return s
	}
	found := d.analysed(ask.Objective.Variable, value.ScalarValue(o.Value), ask.Objective.Unit != nil)
	s.Value = &found
	if o.Gap != nil {
		gap := o.Gap.String()
		s.Gap = &gap
	}
	for _, p := range o.At {
		place := SoughtPlace{AnalysedValue: d.analysed(p.Variable, p.Value, false)}
		if p.Bound != "" {
			place.Bound = &p.Bound
		}
		s.At = append(s.At, place)
	}
	for _, i := range o.Binding {
		s.Binding = append(s.Binding, ask.Where[i].Text)
	}
	for _, v := range o.Result.Values {
		if !d.Definition.Variables[v.Variable].Hidden {
			s.Values = append(s.Values, SoughtValue{d.analysed(v.Variable, v.Value, v.Asked), v.Source})
		}
	}
	return s
}

// seek reads a seek.
func (d *Domain) seek(q SeekQuery, env value.Env) (ask engine.Seek, errs []value.Error) {
	fail := func(err *value.Error) {
		if err != nil {
			errs = append(errs, *err)
		}
	}
	ask.Objective, errs = prompt.ParseTarget(d.compiled, q.Of, env)
	known := len(errs) == 0
	ask.Greatest = q.Kind == "maximize" || q.Kind == "greatest"
	moves := known && (q.Kind == "least" || q.Kind == "greatest")
	for _, text := range q.Over {
		r, err := d.seekRange(text, env)
		fail(err)
		if moves && err == nil && r.Variable == ask.Objective.Variable {
			moves = false
		}
		ask.Over = append(ask.Over, r)
	}
	if moves {
		ask.Over = slices.Insert(ask.Over, 0, engine.Range{Variable: ask.Objective.Variable})
	}
	for _, text := range q.Where {
		c, err := d.compiled.ParseCondition(text, env)
		fail(err)
		ask.Where = append(ask.Where, c)
	}
	return ask, errs
}

var namedBounds = regexp.MustCompile(`^(.*?)\s+(?:from|to)\s`)

var seekBounds = regexp.MustCompile(`^(?:\s*from\s+(\S.*?))?(?:\s+to\s+(\S.*?))?\s*$`)

// seekRange reads a variable with its bounds: quantity from 1 to 1,000, or with one bound, or none;
// or as sweeps have it, quantity = 1..1,000. A bare number has the unit of the other bound.
func (d *Domain) seekRange(text string, env value.Env) (r engine.Range, err *value.Error) {
	text = strings.TrimSpace(text)
	if swept, ok := prompt.ParseRange(text); ok && swept.Values == "" && !swept.Ratio {
		text = swept.Name + " from " + swept.From + " to " + swept.To
	}
	name, rest := text, ""
	for at := len(text); at > 0; at = strings.LastIndexByte(text[:at], ' ') {
		v, _ := d.compiled.NamedVariable(strings.TrimSpace(text[:at]))
		if bounds := text[at:]; v >= 0 && seekBounds.MatchString(bounds) {
			name, rest = text[:at], bounds
			break
		}
	}
	if name == text {
		if first := namedBounds.FindStringSubmatch(text); first != nil {
			name = first[1]
		}
	}
	if r.Variable, err = d.compiled.FindVariable(strings.TrimSpace(name)); err != nil {
		return r, err
	}
	m := seekBounds.FindStringSubmatch(rest)
	if m == nil {
		return r, value.Problem("input.syntax_error", input.Quoted(text))
	}
	for i, into := range []**units.Quantity{&r.From, &r.To} {
		if m[i+1] == "" {
			continue
		}
		v, _, errs := input.ParseValue(&d.compiled.Scope, r.Variable, value.Scalar(prompt.WithUnitOf(m[i+1], m[2-i])), env)
		if len(errs) > 0 {
			return r, &errs[0]
		}
		if q, single := v.Single(); single {
			*into = &q
		}
	}
	return r, nil
}
