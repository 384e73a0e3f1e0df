package commands

import (
	"encoding/json"

	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/engine/value"
)

// Sweep is the answer to what a target is over the values of one input or two.
type Sweep struct {
	Analysed
	Target *SweepTarget  `json:"target,omitempty"` // absent with an error
	Inputs []SweepInput  `json:"inputs"`
	Points []SweepPoint  `json:"points"` // of two inputs all values of the second one for each of the first
	Table  *SweepDrawing `json:"table,omitempty"`
	Chart  *SweepDrawing `json:"chart,omitempty"`
}

// SweepTarget is what was calculated.
type SweepTarget struct {
	value.VariableName
	Unit *string `json:"unit"` // that was asked for, nil for none
}

// SweepInput is an input and the values it took.
type SweepInput struct {
	value.VariableName
	Values []string `json:"values"`
	Texts  []string `json:"texts"` // as people read them
}

// SweepPoint is the target at a place.
type SweepPoint struct {
	Inputs  []string             `json:"inputs"`
	Value   string               `json:"value,omitempty"`
	Text    string               `json:"text,omitempty"`    // the value as people read it
	Dropped []value.VariableName `json:"dropped,omitempty"` // inputs of the scenario that disagree there
	Errors  []value.Error        `json:"errors,omitempty"`
}

// SweepDrawing is a table of all points, and how to show it, like a variable of a result.
type SweepDrawing struct {
	Value             value.Text      `json:"value"`
	Display           json.RawMessage `json:"display"`
	Scale             json.RawMessage `json:"scale,omitempty"`
	ScaleUnit         string          `json:"scale_unit,omitempty"`
	ScaleIncompatible bool            `json:"scale_incompatible,omitempty"`
	ScaleTypes        []string        `json:"scale_types,omitempty"`
}

// Range is the values of an input as they are written.
type Range = prompt.Range

// How many values a range has where nothing is said, and at most.
const (
	DefaultSteps = prompt.DefaultSteps
	MaxSteps     = engine.MaxSteps
)

// SweepOver answers what a target is over the values of one input or two: of a scenario, or of a
// message that lacks values, which need not state these inputs. of is the target as a calculate
// line says it; "" is what was asked last.
func SweepOver(k Kept, of string, ranges []Range) Sweep {
	s := Sweep{Inputs: []SweepInput{}, Points: []SweepPoint{}}
	base, req, errs := k.Scenario, engine.Request{}, []value.Error(nil)
	if s.Analysed, errs = analysed(k); k.Asked.Failed != nil {
		base, req, errs = k.Basis()
	}
	if len(errs) == 0 {
		var target *engine.Target
		if target, errs = k.asked(of); target != nil {
			req.Targets = []engine.Target{*target}
		}
	}
	if len(errs) == 0 {
		errs = s.over(k.Domain, base, req, ranges, k.Env)
	}
	if len(errs) > 0 {
		s.Analysed = s.failed(errs)
	}
	return s
}

// over sweeps a request on a base, nil for none.
func (s *Sweep) over(d *Domain, base *engine.Scenario, req engine.Request, ranges []Range, env value.Env) []value.Error {
	var axes []engine.Axis
	var problems []value.Error
	for _, r := range ranges {
		axis, errs := r.Axis(d.compiled, env)
		axes, problems = append(axes, axis), append(problems, errs...)
	}
	if len(problems) > 0 {
		return problems
	}
	last := 0
	if base != nil {
		last = base.Index
	}
	found, errs := d.compiled.Sweep(base, last, req, axes, env)
	if len(errs) > 0 {
		return errs
	}
	s.Target = &SweepTarget{VariableName: d.named(found.Of.Variable)[0]}
	if found.Of.Unit != nil {
		unit := UnitName(found.Of.Unit)
		s.Target.Unit = &unit
	}
	for _, a := range axes {
		in := SweepInput{VariableName: d.named(a.Variable)[0]}
		for _, v := range a.Values {
			in.Values = append(in.Values, v.Text().Scalar())
			in.Texts = append(in.Texts, d.compiled.Read(a.Variable, v, false))
		}
		s.Inputs = append(s.Inputs, in)
	}
	for i, p := range found.Points {
		point := SweepPoint{Errors: p.Errors}
		if len(p.Dropped) > 0 {
			point.Dropped = d.named(p.Dropped...)
		}
		if len(axes) == 1 {
			point.Inputs = s.Inputs[0].Values[i : i+1]
		} else {
			n := len(axes[1].Values)
			point.Inputs = []string{s.Inputs[0].Values[i/n], s.Inputs[1].Values[i%n]}
		}
		if len(p.Errors) == 0 {
			point.Value = p.Value.Text().Scalar()
			point.Text = d.compiled.Read(found.Of.Variable, p.Value, found.Of.Unit != nil)
		}
		s.Points = append(s.Points, point)
	}
	drawn := d.compiled.Draw(found)
	text := drawn.Value.Text()
	s.Table = &SweepDrawing{Value: text, Display: drawn.Table}
	s.Chart = &SweepDrawing{
		Value: text, Display: drawn.Line,
		Scale: drawn.Scale.Scale, ScaleUnit: drawn.Scale.Unit, ScaleIncompatible: drawn.Scale.Incompatible, ScaleTypes: drawn.Scale.Types,
	}
	return nil
}
