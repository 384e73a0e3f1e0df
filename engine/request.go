package engine

import (
	"slices"
	"strconv"
	"strings"

	"reckon/engine/units"
	"reckon/engine/value"
)

// Request is one prompt, read: every name is a variable of the domain, every value a quantity.
type Request struct {
	Inputs     []Given  // in prompt order, each variable at most once
	Targets    []Target // what the prompt asks for, in its order, each variable at most once
	Everything bool     // it asks for all that follows; Targets is empty then
	Selector   Selector // the zero value when the prompt names none
}

// Asks reports whether a request says itself what is to be calculated.
func (r Request) Asks() bool { return r.Everything || len(r.Targets) > 0 }

// Joined is a request without a selector read as if it stated too what an earlier one did, on the
// scenario that the earlier one asked for; what it restates wins.
func (r Request) Joined(earlier Request) Request {
	restated := func(variable int) bool {
		return slices.ContainsFunc(r.Inputs, func(in Given) bool { return in.Variable == variable })
	}
	inputs := slices.DeleteFunc(slices.Clone(earlier.Inputs), func(in Given) bool { return restated(in.Variable) })
	joined := Request{Inputs: append(inputs, r.Inputs...), Targets: r.Targets, Everything: r.Everything, Selector: earlier.Selector}
	if !r.Asks() {
		joined.Everything = earlier.Everything
		joined.Targets = slices.DeleteFunc(slices.Clone(earlier.Targets), func(t Target) bool { return t.Unit == nil && restated(t.Variable) })
	}
	return joined
}

// Given is a value that a request states, or the statement that a variable has none.
type Given struct {
	Variable int
	Value    value.Value
	Normal   value.Text // as parsed_json shows it; reads back as the same value
	Cleared  bool       // "KEY:" with nothing behind it
}

// Target is the variable asked for, and the unit it is asked in (nil for none).
type Target struct {
	Variable int
	Unit     *units.Unit
}

// Selector names the scenario that a request builds on.
type Selector struct {
	Kind   SelectorKind
	Number int    // of Numbered and NewFrom
	Text   string // as written, for errors
}

// Name is the scenario that a selector names, as errors show it: a number where there is one.
func (s Selector) Name() string {
	if s.Kind != Numbered && s.Kind != NewFrom {
		return s.String()
	}
	if words := strings.Fields(s.Text); len(words) > 0 {
		return words[len(words)-1]
	}
	return strconv.Itoa(s.Number)
}

// SelectorKind tells the spellings of a selector apart.
type SelectorKind int

const (
	Unselected SelectorKind = iota // no selector: the scenario of the domain last in focus
	New                            // "new"
	Current                        // "current": the scenario in focus
	Last                           // "last": the one created last
	Numbered                       // a number
	NewFrom                        // "new from N"
)

// String is the selector in the grammar of prompts; Unselected is "".
func (s Selector) String() string {
	switch s.Kind {
	case New:
		return "new"
	case Current:
		return "current"
	case Last:
		return "last"
	case Numbered:
		return strconv.Itoa(s.Number)
	case NewFrom:
		return "new from " + strconv.Itoa(s.Number)
	}
	return ""
}

// Source says where a value came from, in the words of schemas/openapi.yaml.
type Source string

const (
	UserInput    Source = "user_input"
	Calculated   Source = "calculated"
	DefaultValue Source = "default_value"
)

// Scenario is a what-if branch as it stands: what was stated in it and what follows.
type Scenario struct {
	Index   int
	Values  []ScenarioValue // all variables that have a value in it, in the order of its last result
	Cleared []int           // variables stated to have no value
	Targets []Target        // what was asked in it, oldest first; the last one is its target

	Also       int  // how many of Targets in front of the last one were asked with it, the first of them last
	Everything bool // all that follows was asked last

	// Incomplete says that the scenario rests on a value which is not among Values, since the domain
	// no longer has its variable, or has it with another dimension.
	Incomplete bool
}

// Last lists what was asked last in a scenario, its target first.
func (s *Scenario) Last() []Target {
	last := slices.Clone(s.Targets[max(0, len(s.Targets)-1-s.Also):])
	slices.Reverse(last)
	return last
}

// Again is the request that asks again for what was asked last in a scenario: given to Calculate
// with the scenario, it finds the same values. A target that was stated itself is stated again.
func (s *Scenario) Again() Request {
	r := Request{Everything: s.Everything}
	if !s.Everything {
		r.Targets = s.Last()
	}
	for _, t := range r.Targets {
		for _, v := range s.Values {
			if v.Variable == t.Variable && v.Source == UserInput {
				r.Inputs = append(r.Inputs, Given{Variable: v.Variable, Value: v.Value})
			}
		}
	}
	return r
}

// ScenarioValue is one value of a scenario.
type ScenarioValue struct {
	Variable   int
	Source     Source
	Historical bool // copied from another scenario and not restated since
	Value      value.Value
}

// Result is a calculation that succeeded.
type Result struct {
	Action     string      // new, extend, discard or fetch
	Original   int         // the base's index; 0 for a new scenario
	Current    int         // the scenario the values belong to
	Calculated int         // the target variable, the first of several; -1 for a fetch
	Unit       *units.Unit // the unit the target was asked in, nil for none
	Also       []Target    // what else was asked for, in the order asked; all of it where everything was
	Everything bool        // all that follows was asked for
	Selector   Selector    // as resolved: New, Numbered or NewFrom
	Activities []int       // those that explain the values, in evaluation order
	Values     []ResultValue
	Cleared    []int
	Targets    []Target // of the scenario, oldest first, those of Also backwards, the target last
	Several    *Several // the input that has several values, nil for none; others have as many then
}

// Scenario is what a result that is no fetch leaves of its scenario.
func (r Result) Scenario() *Scenario {
	s := &Scenario{Index: r.Current, Cleared: r.Cleared, Targets: r.Targets, Also: len(r.Also), Everything: r.Everything}
	for _, v := range r.Values {
		s.Values = append(s.Values, v.ScenarioValue)
	}
	return s
}

// ResultValue is one value of a result: the target first and what else was asked for by name, then
// inputs in the order given, then the others in domain order.
type ResultValue struct {
	ScenarioValue
	Asked  bool // shown in a unit that was asked for
	Stated bool // an input of this request
}
