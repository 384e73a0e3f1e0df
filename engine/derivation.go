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

	used     []int         // positions of facts, in order of use
	units    []*units.Unit // by variable: the unit that its value is in, nil for none
	rewrite  exchange      // the currency that stands for the declared one
	solver   *unifier      // dimensions of this calculation, nil where all are declared
	solution Solution
}

func (v *derivation) run() *Error {
	v.units = make([]*units.Unit, len(v.domain.variables))
	v.takeFacts()
	if err := v.currencies(); err != nil {
		return err
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
	for i, s := range v.plan.steps {
		if err := v.step(s); err != nil {
			return err
		}
		if err := v.emit(s, i == len(v.plan.steps)-1); err != nil {
			return err
		}
	}
	return v.verify()
}

// takeFacts finds the facts that the plan rests on.
func (v *derivation) takeFacts() {
	for _, l := range v.plan.leaves {
		for i, f := range v.facts {
			if f.Variable == l.variable && f.Tier == l.tier {
				v.used = append(v.used, i)
				break
			}
		}
	}
	v.solution.Used = slices.Sorted(slices.Values(v.used))
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
		budget := v.machine.env.Budget
		if budget <= 0 {
			budget = defaultBudget
		}
		return Problem("calculation.limit_exceeded", thousands(budget)+" steps")
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
	p, err := m.solutions(d, e, s.variable)
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
	return v.failure(e, s.variable)
}

// isScale reports whether a variable's numbers have no natural sign: points on a scale and angles.
func (v *derivation) isScale(variable int) bool {
	w := &v.domain.variables[variable]
	if w.point.isPoint() || variable == v.target && v.asked != nil && v.asked.IsPoint() {
		return true
	}
	dim, _ := v.dimensionOf(variable)
	return dim == units.Angle
}

// choose takes one of several roots: within bounds, positive ones first, then the one nearest to the value before, else the
// smallest.
func (v *derivation) choose(variable, activity int, p preimage) (decimal.Decimal, *Error) {
	m, w := v.machine, &v.domain.variables[variable]
	allowed := func(list decimals) decimals {
		var kept decimals
		for _, t := range list {
			if w.min != nil && compare(m.c, t, *w.min) < 0 || w.max != nil && compare(m.c, t, *w.max) > 0 {
				continue
			}
			if t.Sign() < 0 && v.absolute(variable) {
				continue
			}
			if !slices.ContainsFunc(kept, func(k decimal.Decimal) bool { return compare(m.c, k, t) == 0 }) {
				kept = append(kept, t)
			}
		}
		return kept
	}
	roots := allowed(p.roots)
	if len(roots) == 0 {
		roots = allowed(p.more)
	}
	if len(roots) == 0 {
		problem := Problem("calculation.no_solution", v.key(variable))
		return decimal.Decimal{}, &problem
	}
	if len(roots) > 1 && !v.isScale(variable) {
		if up := slices.DeleteFunc(slices.Clone(roots), func(t decimal.Decimal) bool { return t.Sign() <= 0 }); len(up) > 0 {
			roots = up
		}
	}
	if len(roots) == 1 {
		return roots[0], nil
	}
	slices.SortFunc(roots, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	if v.domain.StrictRoots {
		var list []string
		for _, t := range roots {
			list = append(list, v.shown(variable, activity, t))
		}
		problem := Problem("calculation.multiple_solutions", v.key(variable), strings.Join(list, ", "))
		return decimal.Decimal{}, &problem
	}
	if near := v.near(variable); near != nil {
		return slices.MinFunc(roots, func(a, b decimal.Decimal) int {
			return m.c.Sub(a, *near).Abs().Cmp(m.c.Sub(b, *near).Abs())
		}), nil
	}
	// Of roots on both sides of zero the one next to zero is the smallest; of two equally near, the positive one.
	return slices.MinFunc(roots, func(a, b decimal.Decimal) int {
		return cmp.Or(cmp.Compare(b.Sign(), a.Sign()), a.Abs().Cmp(b.Abs()))
	}), nil
}

// absolute reports whether a variable is a temperature that cannot be below 0 K.
func (v *derivation) absolute(variable int) bool {
	w := &v.domain.variables[variable]
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
	return v.domain.variables[variable].hint
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

// verify evaluates every equation used with the values found.
func (v *derivation) verify() *Error {
	for _, s := range v.plan.steps {
		activities := s.block
		if activities == nil {
			activities = []int{s.activity}
		}
		for _, a := range activities {
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
	outputs := s.outputs
	if outputs == nil {
		outputs = []int{s.variable}
	}
	for _, o := range outputs {
		unit, err := v.resultUnit(o, s.activity)
		if err != nil {
			return err
		}
		v.units[o] = unit
		q, problem := v.quantity(s, o, unit)
		if problem != nil {
			return problem
		}
		value := Value{Cells: [][]Cell{{{Quantity: q}}}}
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
