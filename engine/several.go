package engine

import (
	"encoding/json"
	"slices"
	"strings"

	"reckon/engine/format"
	"reckon/engine/value"
)

// Several is an input that has several values at once.
type Several struct {
	Variable int
	Values   []value.Value
}

// isSeveral reports whether a variable of single values has several of them.
func (d *Domain) isSeveral(variable int, v value.Value) bool {
	return v.Rank > 0 && !d.Profiles[variable].Table
}

// SeveralOf is the stated input of a scenario that has several values, nil for none.
func (d *Domain) SeveralOf(s *Scenario) *Several {
	if s == nil {
		return nil
	}
	for _, v := range s.Values {
		if v.Source == UserInput && d.isSeveral(v.Variable, v.Value) {
			return severalOf(v.Variable, v.Value)
		}
	}
	return nil
}

func severalOf(variable int, v value.Value) *Several {
	s := &Several{Variable: variable}
	for i := range v.Cells {
		s.Values = append(s.Values, At(v, i))
	}
	return s
}

// At is one of several values; it has no quantity where there is none.
func At(v value.Value, i int) value.Value { return value.Value{Cells: v.Cells[i : i+1]} }

// joined makes several values of single ones.
func joined(list []value.Value) value.Value {
	v := value.Value{Rank: 1}
	for _, one := range list {
		cell := value.Cell{Empty: true}
		if q, ok := one.Single(); ok {
			cell = value.Cell{Quantity: q}
		}
		v.Cells = append(v.Cells, []value.Cell{cell})
	}
	return v
}

// ScenarioAt is a scenario with one of several values in the place of all: what it was calculated
// from and to there.
func (d *Domain) ScenarioAt(s *Scenario, i int) *Scenario {
	one := *s
	one.Values = nil
	for _, v := range s.Values {
		if d.isSeveral(v.Variable, v.Value) {
			if i >= len(v.Value.Cells) {
				continue
			}
			if v.Value = At(v.Value, i); v.Value.Cells[0][0].Empty {
				continue
			}
		}
		one.Values = append(one.Values, v)
	}
	return &one
}

// RequestAt is a request with one of several values in the place of all.
func (d *Domain) RequestAt(r Request, i int) Request {
	r.Inputs = slices.Clone(r.Inputs)
	for k := range r.Inputs {
		in := &r.Inputs[k]
		if d.isSeveral(in.Variable, in.Value) && i < len(in.Value.Cells) {
			in.Value, in.Normal = At(in.Value, i), value.Scalar(in.Normal.Cells[i][0])
		}
	}
	return r
}

// SeveralIn is the input of a request that has several values, nil for none. Two of them are
// input.several_values.
func (d *Domain) SeveralIn(r Request) (*Several, *value.Error) {
	var found *Several
	for _, in := range r.Inputs {
		if !d.isSeveral(in.Variable, in.Value) {
			continue
		}
		if found != nil {
			return nil, d.OneOf(severalOf(in.Variable, in.Value))
		}
		found = severalOf(in.Variable, in.Value)
	}
	return found, nil
}

// OneOf is the error that one of several values is to be chosen first.
func (d *Domain) OneOf(s *Several) *value.Error {
	var list []string
	for _, v := range s.Values {
		list = append(list, plain(d.Labelled(s.Variable, v.Text())))
	}
	return value.Problem("input.several_values", d.Variables[s.Variable].Key, strings.Join(list, ", "))
}

// Single is the error that one of several values is to be chosen first, for the first of some
// scenarios that has an input with several; nil where none has.
func (d *Domain) Single(list ...*Scenario) []value.Error {
	for _, s := range list {
		if several := d.SeveralOf(s); several != nil {
			return []value.Error{*d.OneOf(several)}
		}
	}
	return nil
}

// settles reports whether a request says itself what becomes of a variable.
func (r Request) settles(variable int) bool {
	return slices.ContainsFunc(r.Inputs, func(in Given) bool { return in.Variable == variable }) ||
		slices.ContainsFunc(r.Targets, func(t Target) bool { return t.Variable == variable })
}

// Each answers a request as Calculate does, of which one input may have several values, stated or
// carried: it is calculated with each of them, and the result has, for each variable that differs,
// its values in that order, an empty cell where it has none. It is input.several_values where two
// inputs have several values, and else the errors of the first value that has some, with which one
// it is where others have a result.
func (d *Domain) Each(base *Scenario, last int, req Request, env value.Env) (Result, []value.Error) {
	stated, err := d.SeveralIn(req)
	if err != nil {
		return Result{}, []value.Error{*err}
	}
	carried := d.SeveralOf(base)
	over := stated
	switch {
	case carried == nil:
	case req.settles(carried.Variable):
		if stated == nil || stated.Variable != carried.Variable || !joined(stated.Values).Near(joined(carried.Values), value.Restated) {
			base = d.withoutSeveral(base, carried.Variable)
			carried = nil
		}
	case stated != nil:
		return Result{}, []value.Error{*d.OneOf(carried)}
	default:
		over = carried
	}
	if over == nil {
		return d.Calculate(base, last, req, env)
	}
	env = env.Metered()
	list := make([]Result, 0, len(over.Values))
	var failed []value.Error
	var without value.Value // which of them failed
	for i := range over.Values {
		from := base
		if carried != nil {
			from = d.ScenarioAt(base, i)
		}
		r, errs := d.Calculate(from, last, d.RequestAt(req, i), env)
		if len(errs) > 0 {
			if failed == nil {
				failed, without = errs, over.Values[i]
			}
			continue
		}
		if r.Calculated < 0 {
			return r, nil
		}
		if !slices.ContainsFunc(r.Values, func(v ResultValue) bool { return v.Variable == over.Variable && v.Source == UserInput }) {
			return Result{}, []value.Error{*d.OneOf(over)} // another input takes its place
		}
		list = append(list, r)
	}
	if failed != nil && len(list) > 0 {
		failed = append(failed, *value.Problem("calculation.of_one_value", d.Variables[over.Variable].Key, plain(d.Labelled(over.Variable, without.Text()))))
	}
	if failed != nil {
		return Result{}, failed
	}
	return d.merged(list, over)
}

// withoutSeveral is a scenario without what follows from several values, which themselves stay to
// be replaced.
func (d *Domain) withoutSeveral(s *Scenario, variable int) *Scenario {
	one := *s
	one.Values = slices.DeleteFunc(slices.Clone(s.Values), func(v ScenarioValue) bool {
		return v.Variable != variable && d.isSeveral(v.Variable, v.Value)
	})
	return &one
}

// merged is the result of all values of an input as one. Where one of them replaces a value, all
// are a scenario of their own.
func (d *Domain) merged(list []Result, over *Several) (Result, []value.Error) {
	from := max(0, slices.IndexFunc(list, func(r Result) bool { return r.Current != r.Original }))
	r := list[from]
	r.Several, r.Values = over, nil
	asked := map[int]bool{over.Variable: true, r.Calculated: true}
	for _, t := range r.Also {
		asked[t.Variable] = asked[t.Variable] || !r.Everything
	}
	placed := map[int]bool{}
	for _, of := range slices.Concat(list[from:from+1], list) {
		for _, a := range of.Activities {
			if !slices.Contains(r.Activities, a) {
				r.Activities = append(slices.Clone(r.Activities), a)
			}
		}
		for _, v := range of.Values {
			if placed[v.Variable] {
				continue
			}
			placed[v.Variable] = true
			values := make([]value.Value, len(list))
			alike := !asked[v.Variable]
			for i := range list {
				if k := slices.IndexFunc(list[i].Values, func(o ResultValue) bool { return o.Variable == v.Variable }); k >= 0 {
					values[i] = list[i].Values[k].Value
				}
				alike = alike && values[i].Same(values[0], func(a, b value.Cell, _, _ int) bool {
					return a.Empty == b.Empty && (a.Empty || value.ScalarValue(a.Quantity).Equal(value.ScalarValue(b.Quantity)))
				})
			}
			switch {
			case !d.Profiles[v.Variable].Table && !alike:
				v.Value = joined(values)
			case !d.Profiles[v.Variable].Table || alike:
			case asked[v.Variable]:
				return Result{}, []value.Error{*d.OneOf(over)}
			default:
				continue // each has a table of its own, which is found again
			}
			r.Values = append(r.Values, v)
		}
	}
	return r, nil
}

// ResultDisplay is the display object of a value of a result. Where an input has several values,
// those that differ are a column each, with the values of the input as the names of its rows.
func (d *Domain) ResultDisplay(r Result, v ResultValue) json.RawMessage {
	if r.Several == nil || !d.isSeveral(v.Variable, v.Value) {
		return d.Display(v.Variable, v.Value, v.Asked)
	}
	var some value.Value
	for i := range v.Value.Cells {
		if some = At(v.Value, i); !v.Value.Cells[i][0].Empty {
			break
		}
	}
	var names []string
	for i := range r.Several.Values {
		if v.Variable != r.Several.Variable { // which has them itself
			names = append(names, d.Read(r.Several.Variable, r.Several.Values[i], false))
		}
	}
	return format.ListOf(d.series(v.Variable, some, v.Asked), names)
}
