package commands

import (
	"strings"

	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/engine/units"
	"reckon/engine/value"
)

// UncertaintyQuery asks how far values hold.
type UncertaintyQuery struct {
	Of        []string // inputs with ±: length: 5.2 ± 0.1 m
	Calculate []string // variables, perhaps with a unit; none for what was asked last
}

// Uncertainty is what uncertain inputs leave open. Without values Errors say why.
type Uncertainty struct {
	Analysed
	Values []UncertainValue `json:"variables"`
}

// UncertainValue is what is left open of a value.
type UncertainValue struct {
	AnalysedValue
	Bounds   UncertainBounds      `json:"bounds"`
	Standard *StandardUncertainty `json:"standard_uncertainty"`
	Rough    string               `json:"no_standard_uncertainty,omitempty"`
	Inputs   []UncertainInput     `json:"inputs"`
	Effort   UncertaintyEffort    `json:"effort"`
}

// UncertainBounds are values between which a value is for sure.
type UncertainBounds struct {
	Low       *string `json:"low"` // nil without a bound
	High      *string `json:"high"`
	Unbounded string  `json:"unbounded,omitempty"` // why one of them is not there
	Complete  bool    `json:"complete"`            // it has a value wherever the inputs are within their limits
	Unique    bool    `json:"unique"`              // the equations have no other solution that it could be
	Shown     string  `json:"shown,omitempty"`     // both as people read them, where that is another text
}

// StandardUncertainty is the combined standard uncertainty of a value.
type StandardUncertainty struct {
	Value    string  `json:"value"`
	Relative *string `json:"relative"`
	Summary  string  `json:"summary"` // value ± standard uncertainty, rounded
}

// UncertainInput is an input and what it adds.
type UncertainInput struct {
	AnalysedValue
	From        string  `json:"from"`
	To          string  `json:"to"`
	Limits      string  `json:"limits_shown,omitempty"` // both as people read them, where that is another text
	Standard    string  `json:"standard_uncertainty"`
	Sensitivity *string `json:"sensitivity"`
	Adds        *string `json:"contribution"`
	Share       *string `json:"share"`
}

// UncertaintyEffort says what the bounds and the standard uncertainty of a value took.
type UncertaintyEffort struct {
	Intervals    int `json:"intervals"`
	Calculations int `json:"calculations"`
}

// Uncertainty finds how far values of a scenario hold where inputs are uncertain.
func (k Kept) Uncertainty(q UncertaintyQuery) Uncertainty {
	u := Uncertainty{Values: []UncertainValue{}}
	d := k.Domain
	head, base, req, errs := k.begin()
	u.Analysed = head
	var of []engine.Uncertain
	if len(errs) == 0 {
		of, errs = d.uncertainInputs(q, &req, k.Env)
	}
	var list []engine.Propagated
	if len(errs) == 0 {
		list, errs = d.compiled.Propagate(base, req, of, k.Env)
	}
	if len(errs) > 0 {
		u.Analysed = u.failed(errs)
		return u
	}
	for _, p := range list {
		u.Values = append(u.Values, d.uncertain(p))
	}
	return u
}

// uncertainInputs reads the inputs of a query, and puts what it asks for into a request.
func (d *Domain) uncertainInputs(q UncertaintyQuery, req *engine.Request, env value.Env) (of []engine.Uncertain, errs []value.Error) {
	for _, text := range q.Of {
		one, err := d.compiled.ParseUncertain(text, env)
		if err != nil {
			errs = append(errs, *err)
		}
		of = append(of, one)
	}
	if len(q.Calculate) > 0 {
		req.Targets, req.Everything = nil, false
	}
	for _, text := range q.Calculate {
		t, wrong := prompt.ParseTarget(d.compiled, text, env)
		req.Targets, errs = append(req.Targets, t), append(errs, wrong...)
	}
	return of, errs
}

// between is two values as people read them, "" where that is no other text.
func (d *Domain) between(variable int, low, high units.Quantity) string {
	from, to := d.compiled.Readable(variable, value.ScalarValue(low)), d.compiled.Readable(variable, value.ScalarValue(high))
	if from == "" || to == "" {
		return ""
	}
	return from + " to " + to
}

// uncertain shows what is left open of a value.
func (d *Domain) uncertain(p engine.Propagated) UncertainValue {
	one := func(variable int, v value.Value) AnalysedValue { return d.analysed(variable, v, false) }
	v := UncertainValue{
		AnalysedValue: d.analysed(p.Target.Variable, value.ScalarValue(p.Value), p.Target.Unit != nil),
		Rough:         p.Rough, Inputs: []UncertainInput{}, Effort: UncertaintyEffort{p.Intervals, p.Calculations},
	}
	v.Bounds = UncertainBounds{Unbounded: p.Unbounded, Complete: p.Complete, Unique: !p.Local}
	for _, end := range []struct {
		from *units.Quantity
		to   **string
	}{{p.Low, &v.Bounds.Low}, {p.High, &v.Bounds.High}} {
		if end.from != nil {
			text := end.from.String()
			*end.to = &text
		}
	}
	if p.Low != nil && p.High != nil {
		v.Bounds.Shown = d.between(p.Target.Variable, *p.Low, *p.High)
	}
	if p.Standard != nil {
		standard := engine.Standing(*p.Standard, p.Places)
		v.Standard = &StandardUncertainty{Value: standard, Summary: engine.Standing(p.Rounded, p.Places) + " ± " + standard}
		if shown := d.compiled.Readable(p.Target.Variable, value.ScalarValue(p.Rounded)); shown != "" {
			v.Standard.Summary = p.InPercent()
			if !strings.HasSuffix(shown, "%") {
				v.Standard.Summary = shown + " ± " + standard
			}
		}
		if p.Relative != nil {
			relative := p.Relative.String()
			v.Standard.Relative = &relative
		}
	}
	for _, c := range p.Parts {
		in := UncertainInput{
			AnalysedValue: one(c.Variable, value.ScalarValue(c.Value)),
			From:          c.From.String(), To: c.To.String(), Limits: d.between(c.Variable, c.From, c.To), Standard: c.Standard.String(),
		}
		if c.Sensitivity != nil {
			sensitivity, adds := c.Sensitivity.String(), c.Adds.String()
			in.Sensitivity, in.Adds = &sensitivity, &adds
		}
		if p.Standard != nil {
			share := c.Share.String()
			in.Share = &share
		}
		v.Inputs = append(v.Inputs, in)
	}
	return v
}
