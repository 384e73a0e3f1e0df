package commands

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/language"
	"reckon/engine/prompt"
	"reckon/engine/units"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

// Domain is a version of a domain, compiled.
type Domain struct {
	ID         uuid.UUID
	Key        string
	Version    int
	Definition events.Definition
	compiled   *engine.Domain
	shown      []events.ResultActivity // by activity
	vocabulary func() *language.Vocabulary
}

// Shape is the structure that shows a kind of variables, and the format that one has when its
// author gave none, "" for those whose columns or series have formats.
func Shape(kind string) (structure, layout string) { return format.Shape(kind) }

// Compile prepares a definition for calculating. The domain is nil when an issue is an error.
func Compile(id uuid.UUID, key string, version int, def events.Definition) (*Domain, []engine.Issue) {
	in := engine.Definition{
		Title: def.Title, Description: def.Description, Language: def.Language, Units: def.Units, StrictRoots: def.StrictRoots,
	}
	var issues []engine.Issue
	for i, v := range def.Variables {
		var text value.Text
		if len(v.DefaultValue) > 0 {
			if err := text.UnmarshalJSON(v.DefaultValue); err != nil {
				issues = append(issues, engine.Issue{Path: fmt.Sprintf("variables[%d].default_value", i), Message: err.Error(), Offset: -1})
			}
		}
		choices, found := choicesOf(v, fmt.Sprintf("variables[%d].choices", i))
		issues = append(issues, found...)
		in.Variables = append(in.Variables, value.Variable{
			ID: v.ID.String(), Key: v.Key, Title: v.Title, Description: v.Description, Unit: v.Unit, Kind: v.Kind,
			Format: v.Format, Default: text, Aliases: v.Aliases, Min: v.Min, Max: v.Max, Integer: v.Integer, Choices: choices, Hidden: v.Hidden, Display: v.DisplayMetadata,
		})
	}
	for _, a := range def.Activities {
		in.Activities = append(in.Activities, engine.Activity{
			ID: a.ID.String(), Title: a.Title, Description: a.Description, Equation: a.Equation,
			Calculable: a.Calculable, Disabled: a.State == "disabled",
		})
	}
	for _, c := range def.Constraints {
		in.Constraints = append(in.Constraints, engine.Constraint(c))
	}
	compiled, found := engine.Compile(in)
	issues = append(issues, found...)
	for _, issue := range issues {
		if !issue.Warning {
			return nil, issues
		}
	}
	d := &Domain{ID: id, Key: key, Version: version, Definition: def, compiled: compiled}
	d.vocabulary = sync.OnceValue(func() *language.Vocabulary { return language.New(compiled) })
	d.Definition.Variables = slices.Clone(def.Variables)
	for i := range d.Definition.Variables {
		d.Definition.Variables[i].DefaultValue = Encode(compiled.DefaultText(i))
		d.Definition.Variables[i].Choices = slices.Clone(def.Variables[i].Choices)
		for k, c := range compiled.Variables[i].Choices {
			d.Definition.Variables[i].Choices[k].Value = c.Value.String()
		}
	}
	d.Definition.Activities = make([]events.Activity, len(def.Activities))
	for i, a := range def.Activities {
		a.References = d.references(i)
		d.Definition.Activities[i] = a
	}
	d.shown = shownActivities(d.Definition)
	return d, issues
}

// choicesOf reads what a variable is chosen from.
func choicesOf(v events.Variable, path string) (list []value.Choice, issues []engine.Issue) {
	for i, c := range v.Choices {
		text, percent := strings.CutSuffix(c.Value, "%")
		n, err := decimal.Parse(text)
		if percent {
			n = decimal.NewContext(value.ParseBudget).Quo(n, decimal.Int(100))
		}
		if err != nil {
			issues = append(issues, engine.Issue{
				Path: fmt.Sprintf("%s[%d]", path, i), Message: fmt.Sprintf("The value of %q is a number, not %q.", c.Label, input.Quoted(c.Value)), Offset: -1,
			})
		}
		list = append(list, value.Choice{Label: c.Label, Value: n, Aliases: c.Aliases})
	}
	return list, issues
}

func (d *Domain) references(activity int) []events.Reference {
	references := []events.Reference{}
	for _, v := range d.compiled.References(activity) {
		references = append(references, events.Reference{
			VariableID: d.Definition.Variables[v].ID,
			Calculable: d.compiled.Calculable(activity, v),
		})
	}
	return references
}

func (d *Domain) ref() events.DomainRef {
	return events.DomainRef{
		ID: d.ID, Key: d.Key, Version: d.Version,
		Title: d.Definition.Title, Description: d.Definition.Description,
	}
}

// Scenario is what a message left of its scenario, for this version of the domain. A value of a
// variable that the version no longer has, or has with another dimension, is left out.
func (d *Domain) Scenario(m *projections.Message) *engine.Scenario {
	env := value.Env{Now: m.Now}
	env.Zone, _ = Zone(m.TimeZone)
	s := &engine.Scenario{Index: m.Completed.Results.Scenario.Current}
	for _, v := range m.Completed.Results.Variables {
		var text value.Text
		var val value.Value
		i := d.compiled.Index(v.Key)
		fits := i >= 0 && text.UnmarshalJSON(v.Value) == nil
		if fits {
			var errs []value.Error
			val, _, errs = input.ParseResult(&d.compiled.Scope, i, text, env)
			fits = len(errs) == 0
		}
		if !fits {
			s.Incomplete = s.Incomplete || v.Source != string(engine.Calculated)
			continue
		}
		s.Values = append(s.Values, engine.ScenarioValue{
			Variable: i, Source: engine.Source(v.Source), Historical: v.Historical, Value: val,
		})
	}
	for _, key := range m.Completed.Cleared {
		if i := d.compiled.Index(key); i >= 0 {
			s.Cleared = append(s.Cleared, i)
		}
	}
	s.Everything, s.Also = m.Completed.Everything, m.Completed.Also
	for n, t := range m.Completed.Targets {
		target, ok := d.target(t)
		if ok {
			s.Targets = append(s.Targets, target)
		} else if n >= len(m.Completed.Targets)-1-m.Completed.Also {
			s.Also = max(0, s.Also-1)
		}
	}
	return s
}

// target is what was asked for, false where this version cannot be asked so.
func (d *Domain) target(t events.Target) (engine.Target, bool) {
	i := d.compiled.Index(t.Key)
	if i < 0 || t.Unit == "" {
		return engine.Target{Variable: i}, i >= 0
	}
	unit, err := input.ParseUnit(&d.compiled.Scope, i, t.Unit)
	return engine.Target{Variable: i, Unit: unit}, err == nil
}

// stated is a request as a JSON prompt: its inputs, targets and selector.
func (d *Domain) stated(req engine.Request) json.RawMessage {
	p := prompt.Parsed{Version: 2, Inputs: []prompt.Input{}, Scenario: req.Selector.String()}
	for _, in := range req.Inputs {
		p.Inputs = append(p.Inputs, prompt.Input{Key: d.Definition.Variables[in.Variable].Key, Value: in.Normal})
	}
	p.Calculate = prompt.Asked(d.compiled, req.Targets, req.Everything)
	return Encode(p)
}

// UnitName spells a unit that was asked for, "1" for that of plain numbers.
func UnitName(u *units.Unit) string {
	return cmp.Or(u.Symbol(), "1")
}

// results is an engine's result as events hold it.
func (d *Domain) results(res engine.Result) events.Results {
	r := events.Results{
		Action:     res.Action,
		Scenario:   events.ScenarioRef{Original: res.Original, Current: res.Current},
		Activities: make([]events.ResultActivity, 0, len(res.Activities)),
		Variables:  make([]events.ResultVariable, 0, len(res.Values)),
	}
	if res.Calculated >= 0 {
		r.Calculated = &d.Definition.Variables[res.Calculated].ID
	}
	for _, i := range res.Activities {
		r.Activities = append(r.Activities, d.shown[i])
	}
	for _, v := range res.Values {
		def := &d.Definition.Variables[v.Variable]
		scale := d.compiled.ChartScale(v.Variable, v.Value)
		display := d.compiled.ResultDisplay(res, v)
		value, err := v.Value.Text().MarshalJSON()
		if err != nil {
			panic(fmt.Sprintf("encode a value of %s: %v", def.Key, err))
		}
		r.Variables = append(r.Variables, events.ResultVariable{
			ID: def.ID, Key: def.Key, Title: def.Title, Description: def.Description,
			Source: string(v.Source), Historical: v.Historical,
			Value: value, Display: display,
			Scale: scale.Scale, ScaleUnit: scale.Unit, ScaleIncompatible: scale.Incompatible, ScaleTypes: scale.Types,
		})
	}
	return r
}

// shownActivities are the activities of a definition as results show them.
func shownActivities(def events.Definition) []events.ResultActivity {
	list := make([]events.ResultActivity, len(def.Activities))
	for i, a := range def.Activities {
		list[i] = events.ResultActivity{
			ID: a.ID, Title: a.Title, Description: a.Description, Equation: a.Equation, State: a.State,
			Variables: make([]events.ResultActivityVariable, len(a.References)),
		}
		for j, ref := range a.References {
			list[i].Variables[j] = events.ResultActivityVariable{ID: ref.VariableID, Calculable: ref.Calculable}
		}
	}
	return list
}

// Compiled is the domain as the engine calculates with it.
func (d *Domain) Compiled() *engine.Domain { return d.compiled }

// Vocabulary is what prose about the domain can be made of. It is compiled when it is first asked
// for.
func (d *Domain) Vocabulary() *language.Vocabulary { return d.vocabulary() }
