package engine

import (
	"cmp"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// derivation is the work of one Derive.
type derivation struct {
	solve.Solver
	domain   *Domain
	facts    []Fact
	plan     *plan
	previous *value.Value

	used     []int               // positions of facts, in order of use
	rewrite  exchange            // the currency that stands for the declared one
	found    []formula.Dimension // by variable, for those not declared: what the facts tell; nil where all facts have declared ones
	kept     *keptUnits          // of the plan, where the facts are in the same units; else nil
	solution Solution

	rounded  bool // some of the facts are
	short    bool // it ended for want of more digits
	agreeing bool // the values found must agree with all activities whose values are known
	positive bool // no value found may be negative
}

func (v *derivation) run() *value.Error {
	v.takeFacts()
	if !v.inKeptUnits() {
		if err := v.currencies(); err != nil {
			return err
		}
	}
	tables := slices.ContainsFunc(v.used, func(i int) bool { return v.facts[i].Value.Rank != 0 }) ||
		slices.ContainsFunc(v.plan.steps, v.domain.needsTables)
	if tables {
		v.Machine.Tables = make([]*formula.Grid, len(v.domain.Profiles))
	}
	for _, i := range v.used {
		if err := v.load(v.facts[i]); err != nil {
			return err
		}
	}
	if err := v.Failure(v.domain.equations[v.plan.steps[0].Activity], v.Target); err != nil {
		return err
	}
	if err := v.checkDimensions(); err != nil {
		return err
	}
	if tables {
		return v.tableSteps()
	}
	err := v.steps()
	if err == nil && len(v.Sizes) > 0 && v.negative(v.Target) {
		return v.retryPositive()
	}
	if err == nil || len(v.plan.steps) == 1 && !v.agreeing || !deadEnd(err) {
		return err
	}
	return v.retry(err)
}

// steps goes through the plan.
func (v *derivation) steps() *value.Error {
	for i, s := range v.plan.steps {
		v.Failed = s
		if err := v.calendarSteps(s); err != nil {
			return err
		}
		if err := v.Step(s); err != nil {
			return err
		}
		if err := v.emit(s, i == len(v.plan.steps)-1); err != nil {
			return err
		}
	}
	if err := v.verify(); err != nil || !v.agreeing && !v.positive {
		return err
	}
	if v.positive && slices.ContainsFunc(v.solution.Steps, func(s Step) bool { return v.negative(s.Variable) }) {
		return value.Problem("calculation.no_solution", v.Key(v.Target))
	}
	if !v.agreeing {
		return nil
	}
	known := slices.Clone(v.facts)
	for _, s := range v.solution.Steps {
		known = append(known, Fact{s.Variable, Stated, s.Value})
	}
	v.Machine.Settle()
	contradicted := len(v.domain.contradictions(v.Machine.Env, known, v.solution)) > 0
	v.Machine.Settle()
	if contradicted {
		return value.Problem("calculation.no_solution", v.Key(v.Target))
	}
	return nil
}

// maxRetries bounds the choices of roots that are tried.
const maxRetries = 32

// deadEnd reports whether other roots of earlier steps may lead past an error.
func deadEnd(err *value.Error) bool {
	switch err.Code {
	case "calculation.no_solution", "calculation.domain_error", "calculation.division_by_zero", "calculation.overflow":
		return true
	}
	return false
}

// retry goes through the plan with further roots of the steps that have several, the last of them
// first. Where none leads to the target, the error is the first one.
func (v *derivation) retry(first *value.Error) *value.Error {
	failed := v.Failed
	v.EveryRoot = true
	var path []int
	for range maxRetries {
		v.Path, v.Sizes = path, nil
		v.solution.Steps, v.Checked = nil, nil
		err := v.steps()
		if err == nil || err.Code == "calculation.limit_exceeded" {
			return err
		}
		path = slices.Clone(v.Path[:min(len(v.Path), len(v.Sizes))])
		for len(path) < len(v.Sizes) {
			path = append(path, 0)
		}
		for len(path) > 0 && path[len(path)-1]+1 >= v.Sizes[len(path)-1] {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			break
		}
		path[len(path)-1]++
	}
	v.Failed = failed
	return first
}

// negative reports whether a variable of a natural sign has a value below zero.
func (v *derivation) negative(variable int) bool {
	return v.Machine.Values[variable].Sign() < 0 && !v.IsScale(variable)
}

// retryPositive looks for other roots of earlier steps with which no value is negative. Without
// such roots those that were taken first stay.
func (v *derivation) retryPositive() *value.Error {
	v.positive = true
	none := value.Problem("calculation.no_solution", v.Key(v.Target))
	if err := v.retry(none); err != none {
		return err
	}
	v.positive, v.EveryRoot = false, false
	v.Path, v.Sizes = nil, nil
	v.solution.Steps, v.Checked = nil, nil
	return v.steps()
}

// takeFacts finds the facts that the plan rests on.
func (v *derivation) takeFacts() {
	v.used = v.plan.rests(v.facts)
	v.solution.Used = slices.Clone(v.used)
	slices.Sort(v.solution.Used)
}

// before is the value that a variable had before, else its default, in coherent SI; nil for none.
func (v *derivation) before(variable int) *decimal.Decimal {
	before := v.previous
	if variable != v.Target {
		before = nil
		for i := range v.facts {
			if f := &v.facts[i]; f.Variable == variable && f.Tier == Remembered {
				before = &f.Value
			}
		}
	}
	if before != nil {
		if q, ok := before.Single(); ok {
			si := q.SI(v.Machine.Context)
			return &si
		}
	}
	return v.domain.Profiles[variable].Hint
}

// inItsUnit writes a root in the unit that the variable's value would have.
func (v *derivation) inItsUnit(variable, activity int, si decimal.Decimal) string {
	unit, err := v.resultUnit(variable, activity)
	if err != nil {
		return si.String()
	}
	q, convertErr := v.inUnit(variable, si, unit)
	if convertErr != nil {
		return si.String()
	}
	return q.String()
}

// verify evaluates every equation used with the values found, unless that was done to find them.
func (v *derivation) verify() *value.Error {
	checked := v.Checked // whole steps, in their order
	for _, s := range v.plan.steps {
		if len(checked) > 0 && slices.Contains(s.Activities, checked[0]) {
			checked = checked[len(s.Activities):]
			continue
		}
		for _, a := range s.Activities {
			if !v.HoldsFor(v.domain.equations[a], s.Variable) {
				if v.Machine.Limited() {
					return v.Failure(v.domain.equations[a], s.Variable)
				}
				return value.Problem("calculation.no_solution", v.Key(s.Variable))
			}
		}
	}
	return nil
}

// emit adds the value of a step to the solution.
func (v *derivation) emit(s solve.Step, last bool) *value.Error {
	if v.solution.Steps == nil {
		v.solution.Steps = make([]Step, 0, len(v.plan.steps))
	}
	for _, o := range s.Outputs {
		unit, err := v.stepUnit(o, s.Activity)
		if err != nil {
			return err
		}
		v.Units[o] = unit
		q, problem := v.quantity(s, o, unit)
		if problem != nil {
			return problem
		}
		value := value.ScalarValue(q)
		if v.domain.Profiles[o].Table {
			value.Rank = 1 // a table of one cell: its variable takes nothing else
		}
		step := Step{Variable: o, Activities: s.Activities, Value: value}
		if o == v.Target {
			v.solution.Value = value
		}
		v.solution.Steps = append(v.solution.Steps, step)
	}
	if last && s.IsBlock() {
		// The step of the target stands last.
		at := slices.IndexFunc(v.solution.Steps, func(s Step) bool { return s.Variable == v.Target })
		step := v.solution.Steps[at]
		v.solution.Steps = append(slices.Delete(v.solution.Steps, at, at+1), step)
	}
	return nil
}

// quantity shows the value that a variable now has.
func (v *derivation) quantity(s solve.Step, variable int, unit *units.Unit) (units.Quantity, *value.Error) {
	q, err := v.inUnit(variable, v.Machine.Values[variable], unit)
	if err = cmp.Or(err, v.Machine.Context.Err()); err != nil {
		return q, v.Problem(err, v.domain.equations[s.Activity], variable)
	}
	return v.trusted(variable, q)
}

// trusted is a quantity as it is given out, with 60 digits of which enough are right. The problem
// says that it takes more digits to have them, or more than there are.
func (v *derivation) trusted(variable int, q units.Quantity) (units.Quantity, *value.Error) {
	right, last := q.Number.Right(), v.Context.Digits() >= formula.Enough(v.Context)
	switch {
	case right >= formula.RightDigits:
	case q.Number.Vague() && (formula.IsNothing(v.Context, q.Number) || last && v.rounded):
		q.Number, v.solution.rounded = decimal.Decimal{}, v.rounded
	case v.Context.Digits() < formula.MostDigits || right < formula.LeastDigits:
		v.Unsure, v.short, v.solution.rounded = true, !last, v.rounded
		return q, v.Problem(formula.ErrNotConverged, nil, variable)
	}
	if v.Context.Digits() > decimal.Precisions[0] {
		q.Number = q.Number.Narrow()
	}
	return q, nil
}
