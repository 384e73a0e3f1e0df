package prompt

import (
	"slices"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

const (
	maxInputs   = 1000
	maxTargets  = 100
	maxProblems = 20
)

// reader builds a request from what a prompt states, statement by statement in prompt order, and
// collects the problems in that order.
type reader struct {
	domain   *engine.Domain
	env      value.Env
	request  engine.Request
	over     bool // there are more inputs than the limit
	counted  int
	seen     map[int]bool    // variables given a value or cleared; true once a repetition is reported
	asked    int             // how many targets were named, readable or not
	named    map[int]bool    // variables asked for
	repeated map[string]bool // what was reported to be asked for more than once
	stopped  bool            // past a limit: the rest of the prompt is not read
	problems []value.Error
}

// newReader makes a reader of a prompt with so many inputs.
func newReader(d *engine.Domain, env value.Env, inputs int) *reader {
	return &reader{domain: d, env: env, over: inputs > maxInputs, seen: map[int]bool{}, named: map[int]bool{}, repeated: map[string]bool{}}
}

func (r *reader) fail(problem *value.Error) { r.problems = append(r.problems, *problem) }

// room is how many problems may be reported. That there are too many inputs is told in any case.
func (r *reader) room() int {
	if r.over && !r.stopped {
		return maxProblems - 1
	}
	return maxProblems
}

// full says that nothing more can be reported.
func (r *reader) full() bool { return r.stopped || len(r.problems) >= r.room() }

// count takes an input in, known or not, and reports whether it is within the limit.
func (r *reader) count() bool {
	r.counted++
	if r.counted <= maxInputs {
		return true
	}
	r.tooMany()
	return false
}

// ask takes a target in, known or not, and reports whether it is within the limit.
func (r *reader) ask() bool {
	if r.asked++; r.asked <= maxTargets {
		return true
	}
	r.fail(value.Problem("input.limit_exceeded", "targets", strconv.Itoa(maxTargets)))
	r.stopped = true
	return false
}

func (r *reader) tooMany() {
	r.fail(value.Problem("input.limit_exceeded", "inputs", strconv.Itoa(maxInputs)))
	r.stopped = true
}

// input takes in the value of a variable that is stated once, or that it has none where the text is
// blank.
func (r *reader) input(variable int, text value.Text) {
	given := engine.Given{Variable: variable}
	if isBlank(text) {
		given.Cleared = true
	} else {
		var problems []value.Error
		given.Value, given.Normal, problems = input.ParseInput(&r.domain.Scope, variable, text, r.env)
		if len(problems) > 0 {
			r.problems = append(r.problems, problems...)
			return
		}
	}
	r.request.Inputs = append(r.request.Inputs, given)
	r.checkTarget(variable)
}

// once reports whether a variable is stated for the first time, and the problem at the second.
func (r *reader) once(variable int) bool {
	reported, seen := r.seen[variable]
	if seen && !reported {
		r.fail(value.Problem("input.duplicate_variable", r.domain.Variables[variable].Key))
	}
	r.seen[variable] = seen
	return !seen
}

// target takes in a variable asked for and the unit it is asked in, "" for none.
func (r *reader) target(variable int, unit string) {
	switch {
	case r.request.Everything:
		r.twice(engine.Everything)
		return
	case r.named[variable]:
		r.twice(r.domain.Variables[variable].Key)
		return
	}
	r.named[variable] = true
	target := engine.Target{Variable: variable}
	if unit != "" {
		parsed, problem := input.ParseUnit(&r.domain.Scope, variable, unit)
		if problem != nil {
			r.fail(problem)
			return
		}
		target.Unit = parsed
	}
	r.request.Targets = append(r.request.Targets, target)
	r.checkTarget(variable)
}

// everything takes in that all that follows is asked for, which stands alone.
func (r *reader) everything() {
	if r.request.Everything || len(r.named) > 0 {
		r.twice(engine.Everything)
		return
	}
	r.request.Everything = true
}

// twice reports what is asked for more than once.
func (r *reader) twice(name string) {
	if !r.repeated[name] {
		r.repeated[name] = true
		r.fail(value.Problem("input.duplicate_calculate", name))
	}
}

// checkTarget reports a target without a unit that has a value too, whichever of the two was taken
// in just now.
func (r *reader) checkTarget(variable int) {
	given := slices.ContainsFunc(r.request.Inputs, func(in engine.Given) bool { return in.Variable == variable && !in.Cleared })
	at := slices.IndexFunc(r.request.Targets, func(t engine.Target) bool { return t.Variable == variable && t.Unit == nil })
	if given && at >= 0 {
		r.fail(value.Problem("input.target_has_value", r.domain.Variables[variable].Key))
		r.request.Targets = slices.Delete(r.request.Targets, at, at+1)
	}
}

// selector takes in the scenario that the request builds on.
func (r *reader) selector(text string) {
	selector, ok := parseSelector(text)
	if !ok {
		r.fail(value.Problem("scenario.invalid_selector", input.Quoted(text)))
		return
	}
	r.request.Selector = selector
}

// finish is the request, or its problems.
func (r *reader) finish() (engine.Request, []value.Error) {
	r.problems = r.problems[:min(len(r.problems), r.room())]
	if r.over && !r.stopped {
		r.tooMany()
	}
	if len(r.problems) > 0 {
		return engine.Request{}, r.problems
	}
	return r.request, nil
}

// isBlank is true of a scalar of nothing but white space.
func isBlank(t value.Text) bool {
	return t.IsEmpty() || t.Rank == 0 && len(t.Cells) == 1 && len(t.Cells[0]) == 1 && strings.TrimSpace(t.Cells[0][0]) == ""
}
