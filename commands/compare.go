package commands

import (
	"encoding/json"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/prompt"
	"reckon/engine/value"
	"reckon/projections"
)

// Analysed is what every analysis of scenarios begins with.
type Analysed struct {
	ConversationID uuid.UUID       `json:"conversation_id,omitzero"` // absent outside of any
	Status         string          `json:"status"`                   // completed or error
	Scenarios      []AnalysedOf    `json:"scenarios"`
	Domain         ExplainedDomain `json:"domain"`
	Errors         []value.Error   `json:"errors"` // of the status error
}

// AnalysedOf names a scenario, and the version of the domain that it was calculated with.
type AnalysedOf struct {
	ID            int `json:"id"`
	DomainVersion int `json:"domain_version"`
}

// analysed begins the answer about some scenarios. Errors say that there is none where a message
// should have led to one.
func analysed(list ...Kept) (a Analysed, errs []value.Error) {
	last := list[len(list)-1]
	a = Analysed{ConversationID: last.Stands.ConversationID, Status: projections.Completed, Domain: last.Domain.explained(), Errors: []value.Error{}}
	for _, k := range list {
		switch {
		case k.Scenario != nil:
			if len(errs) == 0 {
				errs = k.Domain.compiled.Single(k.Scenario)
			}
			a.Scenarios = append(a.Scenarios, AnalysedOf{k.Scenario.Index, k.Domain.Version})
		case len(errs) > 0: // the first one tells
		case k.Asked.Failed != nil:
			errs = ErrorsOf(k.Asked.Failed)
		default:
			errs = value.Problems("scenario.not_found", k.Asked.MessageID.String())
		}
	}
	return a, errs
}

// failed is the answer where there are only errors.
func (a Analysed) failed(errs []value.Error) Analysed {
	a.Status, a.Errors = projections.Failed, errs[:min(len(errs), 20)]
	return a
}

func (d *Domain) named(variables ...int) []value.VariableName {
	list := []value.VariableName{}
	for _, i := range variables {
		v := &d.Definition.Variables[i]
		list = append(list, value.VariableName{ID: v.ID.String(), Key: v.Key, Title: v.Title})
	}
	return list
}

// asked reads what an analysis is about; nil for nothing.
func (k Kept) asked(of string) (*engine.Target, []value.Error) {
	if of == "" {
		return nil, nil
	}
	t, errs := prompt.ParseTarget(k.Domain.compiled, of, k.Env)
	return &t, errs
}

// Comparison is the answer to what differs between two scenarios.
type Comparison struct {
	Analysed
	Changes []Change       `json:"changes"`
	Target  *Difference    `json:"target,omitempty"` // absent with an error
	Shares  []Share        `json:"shares"`
	Orders  int            `json:"sampled_orders"` // 0 where the shares are exact
	Without *WithoutShares `json:"without_shares,omitempty"`
}

// Change is a variable that differs.
type Change struct {
	value.VariableName
	Input  bool         `json:"input"` // one of the scenarios rests on it
	First  *ChangeValue `json:"first"`
	Second *ChangeValue `json:"second"`
}

// ChangeValue is the value of a variable in a scenario.
type ChangeValue struct {
	Source     string          `json:"source"`
	Historical bool            `json:"historical"`
	Value      value.Text      `json:"value"`
	Display    json.RawMessage `json:"display"`
	Text       string          `json:"text,omitempty"` // as people read it; absent of a table
}

// Difference is the target in both scenarios.
type Difference struct {
	value.VariableName
	First      *value.Text     `json:"first"`
	Second     *value.Text     `json:"second"`
	Display    json.RawMessage `json:"display,omitempty"`    // of these two
	Texts      []string        `json:"texts,omitempty"`      // these two as people read them
	Difference string          `json:"difference,omitempty"` // second less first
	Shown      json.RawMessage `json:"difference_display,omitempty"`
	Text       string          `json:"text,omitempty"` // the difference as people read it, with its sign
}

// Share is which part of a difference changed inputs have. Without variables it is what has another
// cause.
type Share struct {
	Variables []value.VariableName `json:"variables"`
	Value     string               `json:"value"`
	Part      string               `json:"part,omitempty"` // of the difference, 1 being all of it; absent where that is 0
	Error     string               `json:"standard_error,omitempty"`
	Text      string               `json:"text"`
}

// WithoutShares says why a difference has no shares.
type WithoutShares struct {
	Reason       string        `json:"reason"`
	Message      string        `json:"message"`
	Combinations []Combination `json:"combinations,omitempty"`
}

// Combination is some changes that cannot be calculated without the others.
type Combination struct {
	Changed []value.VariableName `json:"changed"`
	Errors  []value.Error        `json:"errors"`
}

// Compare answers what differs between two scenarios of one domain, in the version and at the
// moment of the second one. of is what to divide, as a calculate line says it; "" is what the
// second one asked last.
func Compare(first, second Kept, of string) Comparison {
	c := Comparison{Changes: []Change{}, Shares: []Share{}}
	var errs []value.Error
	c.Analysed, errs = analysed(first, second)
	fail := func(errs []value.Error) Comparison {
		c.Analysed = c.failed(errs)
		return c
	}
	if len(errs) > 0 {
		return fail(errs)
	}
	if first.Domain.ID != second.Domain.ID {
		return fail(value.Problems("scenario.domain_mismatch", engine.Selector{Kind: engine.Numbered, Number: first.Scenario.Index}.Name()))
	}
	target, errs := second.asked(of)
	if len(errs) > 0 {
		return fail(errs)
	}
	d, before := second.Domain, first.Scenario
	if first.Domain.Version != d.Version {
		before = d.Scenario(&first.Stands)
	}
	found, errs := d.compiled.Compare(before, second.Scenario, target, second.Env)
	if len(errs) > 0 {
		return fail(errs)
	}
	for _, change := range found.Changes {
		c.Changes = append(c.Changes, Change{
			VariableName: d.named(change.Variable)[0], Input: change.Input,
			First: d.changeValue(change.First), Second: d.changeValue(change.Second),
		})
	}
	c.Target = &Difference{VariableName: d.named(found.Of.Variable)[0], First: textOf(found.First), Second: textOf(found.Second)}
	if some := found.Second; len(some.Cells) > 0 {
		asked := found.Of.Unit != nil
		c.Target.Display = d.compiled.Display(found.Of.Variable, some, asked)
		if !d.compiled.Profiles[found.Of.Variable].Table && len(found.First.Cells) > 0 {
			c.Target.Texts = []string{d.compiled.Read(found.Of.Variable, found.First, asked), d.compiled.Read(found.Of.Variable, some, asked)}
		}
	}
	c.Orders = found.Orders
	if found.Reason != "" {
		c.Without = &WithoutShares{Reason: found.Reason, Message: found.Says()}
		for _, u := range found.Undefined {
			c.Without.Combinations = append(c.Without.Combinations, Combination{d.named(u.Changed...), u.Errors})
		}
	}
	if found.Difference.Unit == nil {
		return c
	}
	shown := d.compiled.Show(found)
	c.Target.Difference, c.Target.Shown, c.Target.Text = found.Difference.String(), shown.Display, shown.Difference
	x := decimal.NewContext(value.ParseBudget)
	for i, s := range found.Shares {
		share := Share{Variables: d.named(s.Variables...), Value: s.Value.String(), Text: shown.Shares[i]}
		if !found.Difference.Number.IsZero() {
			share.Part = x.Round(x.Quo(s.Value.Number, found.Difference.Number), partDigits).String()
		}
		if s.Error != nil {
			share.Error = s.Error.String()
		}
		c.Shares = append(c.Shares, share)
	}
	return c
}

// partDigits are the places of a share as a part of the difference.
const partDigits = 4

// textOf is a value as it is emitted, nil for none.
func textOf(v value.Value) *value.Text {
	if len(v.Cells) == 0 {
		return nil
	}
	text := v.Text()
	return &text
}

func (d *Domain) changeValue(v *engine.ScenarioValue) *ChangeValue {
	if v == nil {
		return nil
	}
	return &ChangeValue{string(v.Source), v.Historical, v.Value.Text(), d.compiled.Display(v.Variable, v.Value, false), d.compiled.Read(v.Variable, v.Value, false)}
}
