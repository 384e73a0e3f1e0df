package commands

import (
	"encoding/json"
	"strings"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/value"
)

// Sensitivity is the answer to how much a target depends on each value that it rests on.
type Sensitivity struct {
	Analysed
	Target *SensitivityTarget `json:"target,omitempty"` // absent with an error
	Step   string             `json:"difference_step"`  // relative, of quotients of differences
	Inputs []Influence        `json:"inputs"`           // those that move the target most first
}

// SensitivityTarget is the target in the scenario.
type SensitivityTarget struct {
	value.VariableName
	Value   string          `json:"value"`
	Display json.RawMessage `json:"display"`
	Text    string          `json:"text"` // as people read it
}

// Influence is how a target moves with one input.
type Influence struct {
	value.VariableName
	Source     string          `json:"source"`
	Value      value.Text      `json:"value"`
	Display    json.RawMessage `json:"display"`
	Text       string          `json:"text,omitempty"` // as people read it; absent of a table
	Elasticity *string         `json:"elasticity"`     // per cent of the target by per cent of the input
	Method     string          `json:"method,omitempty"`
	Note       string          `json:"note,omitempty"`
	Message    string          `json:"message,omitempty"` // what the note means
	Swings     []Swing         `json:"swings"`
	Width      string          `json:"width,omitempty"` // from the lowest to the highest target
}

// Swing is the target with one input changed.
type Swing struct {
	Input   string               `json:"input"`
	Value   string               `json:"value,omitempty"`
	Texts   []string             `json:"texts"`             // both as people read them, the second one where it is there
	Dropped []value.VariableName `json:"dropped,omitempty"` // inputs of the scenario that disagree there
	Errors  []value.Error        `json:"errors,omitempty"`
}

// What an elasticity comes from.
const (
	byDerivative = "derivative"
	byDifference = "difference"
)

// Swings says between which values inputs swing: their values less and more a part, or their
// declared bounds.
type Swings struct {
	part   decimal.Decimal
	bounds bool
}

// ParseSwings reads a percentage above 0% and up to 100%, or "bounds", with 10% where a variable
// lacks one; "" is 10%.
func ParseSwings(text string) (s Swings, ok bool) {
	if text == "bounds" || text == "" {
		return Swings{decimal.MustParse("0.1"), text != ""}, true
	}
	number, percent := strings.CutSuffix(text, "%")
	n, err := decimal.Parse(strings.TrimSpace(number))
	if err != nil || !percent || n.Sign() <= 0 || n.Cmp(decimal.Int(100)) > 0 {
		return s, false
	}
	return Swings{part: n.Shifted(-2)}, true
}

// SensitivityOf answers how much a target of a scenario depends on each value that it rests on. of
// is the target as a calculate line says it; "" is what was asked last.
func SensitivityOf(k Kept, of string, by Swings) Sensitivity {
	s := Sensitivity{Step: engine.DifferenceStep.String(), Inputs: []Influence{}}
	d := k.Domain
	var errs []value.Error
	var target *engine.Target
	var found engine.Sensitivity
	if s.Analysed, errs = analysed(k); len(errs) == 0 {
		target, errs = k.asked(of)
	}
	if len(errs) == 0 {
		found, errs = d.compiled.Sensitivity(k.Scenario, k.Scenario.Index, target, by.part, by.bounds, k.Env)
	}
	if len(errs) > 0 {
		s.Analysed = s.failed(errs)
		return s
	}
	asked := found.Of.Unit != nil
	s.Target = &SensitivityTarget{d.named(found.Of.Variable)[0], found.Value.Text().Scalar(), d.compiled.Display(found.Of.Variable, found.Value, asked), d.compiled.Read(found.Of.Variable, found.Value, asked)}
	for _, in := range found.Inputs {
		i := Influence{
			VariableName: d.named(in.Variable)[0], Source: string(in.Source), Value: in.Value.Text(),
			Display: d.compiled.Display(in.Variable, in.Value, false), Text: d.compiled.Read(in.Variable, in.Value, false), Note: in.Note, Message: in.Says(), Swings: []Swing{},
		}
		if in.Elasticity != nil {
			text := in.Elasticity.String()
			if i.Elasticity, i.Method = &text, byDerivative; in.Difference {
				i.Method = byDifference
			}
		}
		for _, w := range in.Swings {
			swing := Swing{Input: w.Value.Text().Scalar(), Texts: []string{d.compiled.Read(in.Variable, w.Value, false)}, Errors: w.Errors}
			if len(w.Errors) == 0 {
				swing.Value = w.Point.Value.Text().Scalar()
				swing.Texts = append(swing.Texts, d.compiled.Read(found.Of.Variable, w.Point.Value, asked))
			}
			if len(w.Dropped) > 0 {
				swing.Dropped = d.named(w.Dropped...)
			}
			i.Swings = append(i.Swings, swing)
		}
		if in.Width != nil {
			i.Width = in.Width.String()
		}
		s.Inputs = append(s.Inputs, i)
	}
	return s
}
