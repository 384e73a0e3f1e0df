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
	previous func(variable int) *value.Value // nil for none

	used       []int                 // positions of facts, in order of use
	rewrite    exchange              // the currency that stands for the declared one
	found      []formula.Dimension   // by variable, for those not declared: what the facts tell; nil where all facts have declared ones
	dimensions *formula.Unifier      // of this calculation
	columns    map[int][]*units.Unit // by variable whose columns have dimensions of their own: a unit of each
	kept       *keptUnits            // of the plan, where the facts are in the same units; else nil
	solution   Solution
	scalars    value.Scalars // room for the values of the steps
	open       solve.Step    // the last block that left some of its variables open, and all that blocks left open

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
	tables := v.plan.tables || slices.ContainsFunc(v.used, func(i int) bool { return v.facts[i].Value.Rank != 0 })
	if tables {
		v.Machine.Tables = make([]*formula.Grid, len(v.domain.Profiles))
	}
	for _, i := range v.used {
		if err := v.load(v.facts[i]); err != nil {
			return err
		}
	}
	if err := v.lookOn(); err != nil {
		return err
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
	if err != nil && v.short && v.together() {
		err = nil
	}
	if err == nil && len(v.Sizes) > 0 && v.negative(v.Target) {
		return v.retryPositive()
	}
	if err == nil || len(v.plan.steps) == 1 && !v.agreeing || !v.deadEnd(err) {
		return err
	}
	return v.retry(err)
}

// steps goes through the plan.
func (v *derivation) steps() *value.Error {
	v.Checked, v.open = slices.Grow(v.Checked[:0], len(v.plan.steps)), solve.Step{}
	for i := range v.plan.steps {
		s := &v.plan.steps[i]
		v.Failed = *s
		if err := v.calendarSteps(s); err != nil {
			return err
		}
		if err := v.solved(s, i == len(v.plan.steps)-1); err != nil {
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
	contradicted := len(v.domain.contradictions(v.Machine.Env, known, v.solution, true)) > 0
	v.Machine.Settle()
	if contradicted {
		return value.Problem("calculation.no_solution", v.Key(v.Target))
	}
	return nil
}

// solved finds the values of a step. Variables that a block leaves open have none, and what rests
// on one of them is open, too.
func (v *derivation) solved(s *solve.Step, last bool) *value.Error {
	if err := v.restsOnOpen(s); err != nil {
		return err
	}
	if err := v.Step(*s); err != nil {
		return err
	}
	if len(v.Loose) == 0 {
		return v.emit(s, last)
	}
	found := *s
	found.Outputs = slices.DeleteFunc(slices.Clone(s.Outputs), func(o int) bool { return slices.Contains(v.Loose, o) })
	v.open = solve.Step{Variable: s.Variable, Activity: s.Activity, Activities: s.Activities, Outputs: s.Outputs, Dependent: true, Loose: append(v.open.Loose, v.Loose...)}
	return v.emit(&found, last)
}

// restsOnOpen says that a step takes values that a block before it left open.
func (v *derivation) restsOnOpen(s *solve.Step) *value.Error {
	for _, a := range s.Activities {
		for _, o := range v.open.Loose {
			if v.domain.equations[a].Position(o) >= 0 && !slices.Contains(s.Outputs, o) {
				v.Failed, v.Loose = v.open, v.open.Loose
				return v.Problem(solve.ErrManySolutions, nil, v.Target)
			}
		}
	}
	return nil
}

// together goes through a plan of which steps have lost too many digits as if what each finds were
// exact, and then finds the digits of all of them as one system. It reports whether that led to
// the target.
func (v *derivation) together() bool {
	inexact := func(s solve.Step) bool {
		return len(s.Open) > 0 || slices.ContainsFunc(s.Outputs, func(o int) bool { return v.domain.Profiles[o].Discrete() })
	}
	searched := 0
	for _, s := range v.plan.steps {
		if e := v.domain.equations[s.Activity]; s.IsBlock() || e.Count[e.Position(s.Variable)] != 1 {
			searched++
		}
	}
	if v.agreeing || searched < leastTogether || slices.ContainsFunc(v.plan.steps, inexact) {
		return false
	}
	failed, rounded := v.Failed, v.solution.rounded
	found := v.tryTogether()
	if !found {
		v.TryErr()
		v.Failed, v.Unsure, v.short, v.solution.rounded = failed, true, true, rounded
	}
	return found
}

// tryTogether is together where that may be tried.
func (v *derivation) tryTogether() bool {
	v.solution.Steps, v.Checked, v.Path, v.Sizes = nil, nil, nil, nil
	for _, s := range v.plan.steps {
		if v.Step(s) != nil || len(v.Loose) > 0 {
			return false
		}
		for _, o := range s.Outputs {
			v.Machine.Values[o] = v.Machine.Values[o].Exactly()
		}
	}
	v.Unsure, v.short, v.solution.rounded = false, false, false
	if !v.Together(v.plan.steps) {
		return false
	}
	for i := range v.plan.steps {
		if v.emit(&v.plan.steps[i], i == len(v.plan.steps)-1) != nil {
			return false
		}
	}
	return true
}

// leastTogether is how many steps of a plan that more than one operation after the other leads
// through are looked at as one system where they have lost digits.
const leastTogether = 3

// maxRetries bounds the choices of roots that are tried.
const maxRetries = 32

// deadEnd reports whether other roots of earlier steps may lead past an error.
func (v *derivation) deadEnd(err *value.Error) bool {
	switch err.Code {
	case "calculation.not_converged":
		return !v.Unsure && !v.short // else it takes more digits
	case "calculation.no_solution", "calculation.no_whole_number", "calculation.domain_error", "calculation.division_by_zero", "calculation.overflow":
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
		v.solution.Steps = nil
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
	v.solution.Steps = nil
	return v.steps()
}

// takeFacts finds the facts that the plan rests on.
func (v *derivation) takeFacts() {
	v.used = v.plan.rests(v.facts, len(v.domain.Profiles))
	v.solution.Used = slices.Clone(v.used)
	slices.Sort(v.solution.Used)
}

// before is the value that a variable had before, else its default, in coherent SI; nil for none.
func (v *derivation) before(variable int) *decimal.Decimal {
	var before *value.Value
	if v.previous != nil {
		before = v.previous(variable)
	}
	if before == nil && variable != v.Target {
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
func (v *derivation) emit(s *solve.Step, last bool) *value.Error {
	if v.solution.Steps == nil {
		v.solution.Steps, v.scalars = make([]Step, 0, len(v.plan.steps)), value.NewScalars(len(v.plan.steps))
	}
	for _, o := range s.Outputs {
		unit, err := v.stepUnit(o, s.Activity)
		if err != nil {
			return err
		}
		v.Units[o] = unit.unit
		value := v.scalars.Zero()
		if problem := v.show(&value.Cells[0][0].Quantity, s, o, unit.shown); problem != nil {
			return problem
		}
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
		v.targetLast()
	}
	return nil
}

// targetLast puts the step of the target behind the others.
func (v *derivation) targetLast() {
	at := slices.IndexFunc(v.solution.Steps, func(s Step) bool { return s.Variable == v.Target })
	step := v.solution.Steps[at]
	v.solution.Steps = append(slices.Delete(v.solution.Steps, at, at+1), step)
}

// show sets q to the value that a variable now has.
func (v *derivation) show(q *units.Quantity, s *solve.Step, variable int, as showing) *value.Error {
	c := v.Machine.Context
	if err := cmp.Or(as.set(q, c, &v.Machine.Values[variable]), c.Err()); err != nil {
		return v.Problem(err, v.domain.equations[s.Activity], variable)
	}
	return v.trust(variable, q)
}

// trust makes q a quantity as it is given out, with 60 digits of which enough are right. The
// problem says that it takes more digits to have them, or more than there are.
func (v *derivation) trust(variable int, q *units.Quantity) *value.Error {
	right, last := q.Number.Right(), v.Context.Digits() >= formula.Enough(v.Context)
	switch {
	case v.Context.Digits() < formula.MostDigits && q.Number.Tied():
		v.Unsure, v.short = true, true
		return v.Problem(formula.ErrNotConverged, nil, variable)
	case right >= formula.RightDigits:
	case q.Number.Vague() && (formula.IsNothing(v.Context, q.Number) || last && v.rounded):
		q.Number, v.solution.rounded = decimal.Decimal{}, v.rounded
	case v.Context.Digits() < formula.MostDigits || right < formula.LeastDigits:
		v.Unsure, v.short, v.solution.rounded = true, !last, v.rounded
		return v.Problem(formula.ErrNotConverged, nil, variable)
	}
	if v.Context.Digits() > decimal.Precisions[0] {
		q.Number = q.Number.Narrow()
	}
	return nil
}
