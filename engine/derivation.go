package engine

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// derivation is the work of one Derive.
type derivation struct {
	domain   *Domain
	facts    []Fact
	plan     *plan
	target   int
	asked    *units.Unit
	previous *Value
	machine  *machine

	used     []int           // positions of facts, in order of use
	proven   []int           // activities whose equation is known to hold
	units    []*units.Unit   // by variable: the unit that its value is in, nil for none
	rewrite  exchange        // the currency that stands for the declared one
	open     *factDimensions // dimensions of this calculation that are not declared, nil where all are
	results  []resultUnit    // in the order of steps, as the plan has kept them; nil where they are to be found
	failed   planStep        // the step that was tried last
	solution Solution

	agreeing  bool  // the values found must agree with all activities whose values are known
	positive  bool  // no value found may be negative
	everyRoot bool  // steps look for all their roots
	guessing  bool  // a block is followed from a guess: the best root of each step is taken
	path      []int // which root is tried at each step that has several
	sizes     []int // how many there were
}

func (v *derivation) run() *Error {
	v.units = v.machine.units
	v.takeFacts()
	if !v.inKeptUnits() {
		if err := v.currencies(); err != nil {
			return err
		}
	}
	for _, i := range v.used {
		if v.facts[i].Value.Rank != 0 {
			return v.runTables()
		}
	}
	if err := v.load(); err != nil {
		return err
	}
	if err := v.checkDimensions(); err != nil {
		return err
	}
	for _, s := range v.plan.steps {
		if v.domain.needsTables(s) {
			return v.runTables()
		}
	}
	err := v.steps()
	if err == nil && len(v.sizes) > 0 && v.negative(v.target) {
		return v.retryPositive()
	}
	if err == nil || len(v.plan.steps) == 1 && !v.agreeing || !deadEnd(err) {
		return err
	}
	return v.retry(err)
}

// steps goes through the plan.
func (v *derivation) steps() *Error {
	for i, s := range v.plan.steps {
		v.failed = s
		if err := v.step(s); err != nil {
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
		err := Problem("calculation.no_solution", v.key(v.target))
		return &err
	}
	if !v.agreeing {
		return nil
	}
	known := slices.Clone(v.facts)
	for _, s := range v.solution.Steps {
		known = append(known, Fact{s.Variable, Stated, s.Value})
	}
	v.machine.settle()
	contradicted := len(v.domain.Contradictions(v.machine.env, known)) > 0
	v.machine.settle()
	if contradicted {
		err := Problem("calculation.no_solution", v.key(v.target))
		return &err
	}
	return nil
}

// maxRetries bounds the choices of roots that are tried.
const maxRetries = 32

// deadEnd reports whether other roots of earlier steps may lead past an error.
func deadEnd(err *Error) bool {
	switch err.Code {
	case "calculation.no_solution", "calculation.domain_error", "calculation.division_by_zero", "calculation.overflow":
		return true
	}
	return false
}

// retry goes through the plan with further roots of the steps that have several, the last of them first. Where none leads to
// the target, the error is the first one.
func (v *derivation) retry(first *Error) *Error {
	failed := v.failed
	v.everyRoot = true
	var path []int
	for range maxRetries {
		v.path, v.sizes = path, nil
		v.solution.Steps, v.proven = nil, nil
		err := v.steps()
		if err == nil || err.Code == "calculation.limit_exceeded" {
			return err
		}
		path = slices.Clone(v.path[:min(len(v.path), len(v.sizes))])
		for len(path) < len(v.sizes) {
			path = append(path, 0)
		}
		for len(path) > 0 && path[len(path)-1]+1 >= v.sizes[len(path)-1] {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			break
		}
		path[len(path)-1]++
	}
	v.failed = failed
	return first
}

// negative reports whether a variable of a natural sign has a value below zero.
func (v *derivation) negative(variable int) bool {
	return v.machine.values[variable].Sign() < 0 && !v.isScale(variable)
}

// retryPositive looks for other roots of earlier steps with which no value is negative. Without such roots those that were
// taken first stay.
func (v *derivation) retryPositive() *Error {
	v.positive = true
	none := Problem("calculation.no_solution", v.key(v.target))
	if err := v.retry(&none); err != &none {
		return err
	}
	v.positive, v.everyRoot = false, false
	v.path, v.sizes = nil, nil
	v.solution.Steps, v.proven = nil, nil
	return v.steps()
}

// pick is which of several roots, the best first, is tried this time.
func (v *derivation) pick(roots decimals) decimal.Decimal {
	if v.guessing || len(roots) == 1 {
		return roots[0]
	}
	at := len(v.sizes)
	v.sizes = append(v.sizes, len(roots))
	if at < len(v.path) {
		return roots[min(v.path[at], len(roots)-1)]
	}
	return roots[0]
}

// takeFacts finds the facts that the plan rests on.
func (v *derivation) takeFacts() {
	v.used = make([]int, 0, len(v.plan.leaves))
	for _, l := range v.plan.leaves {
		for i, f := range v.facts {
			if f.Variable == l.variable && f.Tier == l.tier {
				v.used = append(v.used, i)
				break
			}
		}
	}
	v.solution.Used = slices.Clone(v.used)
	slices.Sort(v.solution.Used)
}

// load puts the facts' numbers into the machine.
func (v *derivation) load() *Error {
	for _, i := range v.used {
		f := v.facts[i]
		cell := Cell{Empty: true}
		if len(f.Value.Cells) > 0 && len(f.Value.Cells[0]) > 0 {
			cell = f.Value.Cells[0][0]
		}
		if cell.Empty {
			err := Problem("calculation.missing_inputs", v.key(v.target))
			err.Missing = []Alternative{{Variables: []VariableName{v.domain.name(f.Variable)}}}
			return &err
		}
		v.machine.values[f.Variable], v.units[f.Variable] = v.fromFact(f.Variable, cell.Quantity)
	}
	return v.failure(v.domain.equations[v.plan.steps[0].activity], v.target)
}

func (v *derivation) key(variable int) string { return v.domain.Definition.Variables[variable].Key }

// failure turns an error of the context into a problem; nil where there is none.
func (v *derivation) failure(e *equation, variable int) *Error {
	err := v.machine.c.Err()
	if err == nil {
		return nil
	}
	problem := v.problem(err, e, variable)
	return &problem
}

func (v *derivation) problem(err error, e *equation, variable int) Error {
	var undefined *decimal.UndefinedError
	var mismatch *gridError
	switch {
	case errors.Is(err, decimal.ErrLimit):
		return Problem("calculation.limit_exceeded", thousands(v.machine.env.budget())+" steps")
	case errors.Is(err, decimal.ErrDivisionByZero):
		return Problem("calculation.division_by_zero", e.title)
	case errors.As(err, &mismatch):
		name := func(r int) string {
			if r < 0 {
				return e.title
			}
			return v.key(r)
		}
		return Problem("calculation.table_mismatch", name(mismatch.first), name(mismatch.second))
	case errors.As(err, &undefined):
		return Problem("calculation.domain_error", e.title, undefined.Function, undefined.Argument.Shown().String())
	case errors.Is(err, errNoRate):
		return Problem("calculation.no_solution", v.key(variable))
	case errors.Is(err, errNotConverged):
		return Problem("calculation.not_converged", v.key(variable), thousands(max(v.machine.steps, 1)))
	}
	return Problem("calculation.overflow", e.title)
}

// thousands writes an integer with commas, as messages show it.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// step finds the value of one step.
func (v *derivation) step(s planStep) *Error {
	if s.block != nil {
		return v.solveBlock(s)
	}
	d, m := v.domain, v.machine
	e := d.equations[s.activity]
	m.aim = aim{by: v, all: v.everyRoot || d.StrictRoots}
	p, err := m.solutions(d, e, s.variable)
	m.aim = aim{}
	if err == nil {
		err = m.c.Err()
	}
	if err != nil {
		problem := v.problem(err, e, s.variable)
		return &problem
	}
	if p.infinite {
		problem := Problem("calculation.multiple_solutions", v.key(s.variable), "infinitely many")
		return &problem
	}
	root, problem := v.choose(s.variable, s.activity, p)
	if problem != nil {
		return problem
	}
	m.values[s.variable] = root
	if m.proven || m.isLimit(root) {
		v.proven = append(v.proven, s.activity)
	}
	return v.failure(e, s.variable)
}

// isScale reports whether a variable's numbers have no natural sign: points on a scale and angles.
func (v *derivation) isScale(variable int) bool {
	w := &v.domain.profiles[variable]
	if w.point.isPoint() || variable == v.target && v.asked != nil && v.asked.IsPoint() {
		return true
	}
	dim, _ := v.dimensionOf(variable)
	return dim == units.Angle
}

// choose takes one of several roots: within bounds, positive ones first, then the one nearest to the value before, else the
// smallest.
func (v *derivation) choose(variable, activity int, p preimage) (decimal.Decimal, *Error) {
	m := v.machine
	allowed := func(list decimals) decimals {
		kept := make(decimals, 0, len(list))
		for _, t := range list {
			if !v.allowed(variable, t) {
				continue
			}
			if !slices.ContainsFunc(kept, func(k decimal.Decimal) bool { return compare(m.c, k, t) == 0 }) {
				kept = append(kept, t)
			}
		}
		return kept
	}
	var roots decimals
	if len(p.roots) != 1 {
		roots = allowed(p.roots)
	} else if t := p.roots[0]; v.allowed(variable, t) {
		return t, nil
	}
	if len(roots) == 0 {
		roots = allowed(p.more)
	}
	if len(roots) == 0 {
		problem := Problem("calculation.no_solution", v.key(variable))
		return decimal.Decimal{}, &problem
	}
	if len(roots) == 1 {
		return roots[0], nil
	}
	slices.SortFunc(roots, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	best := roots
	var rest decimals // what follows best in its memory
	if !v.isScale(variable) {
		up := func(t decimal.Decimal) bool { return t.Sign() > 0 }
		if first := slices.IndexFunc(roots, up); first >= 0 {
			all := append(append(make(decimals, 0, len(roots)), roots[first:]...), roots[:first]...)
			best, rest = all[:len(roots)-first], all[len(roots)-first:]
		}
	}
	if v.domain.StrictRoots && len(best) > maxFoundRoots {
		problem := Problem("calculation.multiple_solutions", v.key(variable), "infinitely many")
		return decimal.Decimal{}, &problem
	}
	if v.domain.StrictRoots && len(best) > 1 {
		var list []string
		for _, t := range best {
			list = append(list, v.shown(variable, activity, t))
		}
		problem := Problem("calculation.multiple_solutions", v.key(variable), strings.Join(list, ", "))
		return decimal.Decimal{}, &problem
	}
	near := v.near(variable)
	// Without a value to be near to, positive roots come before zero and that before negative ones, the smallest first.
	order := func(a, b decimal.Decimal) int {
		if near != nil {
			return m.c.Sub(a, *near).Abs().Cmp(m.c.Sub(b, *near).Abs())
		}
		return cmp.Or(cmp.Compare(b.Sign(), a.Sign()), a.Abs().Cmp(b.Abs()))
	}
	slices.SortStableFunc(best, order)
	slices.SortStableFunc(rest, order)
	return v.pick(best[:len(best)+len(rest)]), nil
}

// allowed reports whether a variable may have a value: it is within bounds, and no temperature below 0 K.
func (v *derivation) allowed(variable int, t decimal.Decimal) bool {
	m, w := v.machine, &v.domain.profiles[variable]
	if w.min != nil && compare(m.c, t, *w.min) < 0 || w.max != nil && compare(m.c, t, *w.max) > 0 {
		return false
	}
	switch scalarKind(v.domain.Variables[variable].Kind) {
	case "date", "datetime":
		if t.Cmp(earliest) < 0 || t.Cmp(latest) >= 0 {
			return false
		}
	}
	return t.Sign() >= 0 || !v.absolute(variable)
}

// absolute reports whether a variable is a temperature that cannot be below 0 K.
func (v *derivation) absolute(variable int) bool {
	w := &v.domain.profiles[variable]
	return w.unit != nil && w.unit.IsPoint() || variable == v.target && v.asked != nil && v.asked.IsPoint()
}

// near is the value that a variable had before, else its default, in coherent SI; nil for none.
func (v *derivation) near(variable int) *decimal.Decimal {
	value := v.previous
	if variable != v.target {
		value = nil
		for i := range v.facts {
			if f := &v.facts[i]; f.Variable == variable && f.Tier == Remembered {
				value = &f.Value
			}
		}
	}
	if value != nil && value.Rank == 0 && len(value.Cells) > 0 && !value.Cells[0][0].Empty {
		si := value.Quantity().SI(v.machine.c)
		return &si
	}
	return v.domain.profiles[variable].hint
}

// shown writes a root in the unit that the variable's value would have.
func (v *derivation) shown(variable, activity int, si decimal.Decimal) string {
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
func (v *derivation) verify() *Error {
	for _, s := range v.plan.steps {
		for _, a := range s.activities() {
			if slices.Contains(v.proven, a) {
				continue
			}
			if !v.machine.satisfied(v.domain.equations[a]) {
				if v.machine.limited() {
					return v.failure(v.domain.equations[a], s.variable)
				}
				problem := Problem("calculation.no_solution", v.key(s.variable))
				return &problem
			}
		}
	}
	return nil
}

// emit adds the value of a step to the solution.
func (v *derivation) emit(s planStep, last bool) *Error {
	outputs := s.yields()
	if v.solution.Steps == nil {
		v.solution.Steps = make([]Step, 0, len(v.plan.steps))
	}
	for _, o := range outputs {
		unit, err := v.stepUnit(o, s.activity)
		if err != nil {
			return err
		}
		v.units[o] = unit
		q, problem := v.quantity(s, o, unit)
		if problem != nil {
			return problem
		}
		value := scalarValue(q)
		if v.domain.profiles[o].table {
			value.Rank = 1 // a table of one cell: its variable takes nothing else
		}
		step := Step{Variable: o, Activity: s.activity, Block: s.block, Value: value}
		if o == v.target {
			v.solution.Value = value
		}
		v.solution.Steps = append(v.solution.Steps, step)
	}
	if last && s.block != nil {
		// The step of the target stands last.
		slices.SortStableFunc(v.solution.Steps[len(v.solution.Steps)-len(outputs):], func(a, b Step) int {
			return cmp.Compare(btoi(a.Variable == v.target), btoi(b.Variable == v.target))
		})
	}
	return nil
}

// quantity shows the value that a variable now has.
func (v *derivation) quantity(s planStep, variable int, unit *units.Unit) (units.Quantity, *Error) {
	q, err := v.inUnit(variable, v.machine.values[variable], unit)
	if err == nil {
		err = v.machine.c.Err()
	}
	if err != nil {
		problem := v.problem(err, v.domain.equations[s.activity], variable)
		return q, &problem
	}
	return q, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
