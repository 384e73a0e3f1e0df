package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// Tier says where a fact comes from; a plan prefers lower ones.
type Tier int

const (
	Stated     Tier = iota // input of this request
	Carried                // user input carried from the base scenario
	Remembered             // calculated in the base scenario, used only where the target cannot be reached without
	Defaulted              // the variable's default
)

// Fact is a value that a calculation may use.
type Fact struct {
	Variable int
	Tier     Tier
	Value    Value
}

// Step is one value that a plan found.
type Step struct {
	Variable int
	Activity int   // the activity solved for it
	Block    []int // all activities of a block solved together, nil for a single one
	Value    Value
}

// Solution is a target's value and how it was found.
type Solution struct {
	Value Value
	Steps []Step // in evaluation order; the last one yields the target
	Used  []int  // positions in the facts given, ascending: those that the value rests on
}

// Derive finds the target from facts by the cheapest plan (CONTRACT.md section 1, ENGINE.md "Planning") and checks every
// equation used with the values found. Several facts may stand for one variable in different tiers. asked is the unit
// wanted, nil for none. previous is the value that the target had in the base, nil for none: of several roots the nearest
// to it is taken. Errors are calculation.*, domain.activity_disabled or input.* of CONTRACT.md section 6.
func (d *Domain) Derive(env Env, facts []Fact, target int, asked *units.Unit, previous *Value) (Solution, []Error) {
	g := d.givenOf(facts, target)
	p := d.plan(g, target)
	if p == nil {
		return Solution{}, []Error{d.unreached(g, facts, target)}
	}
	run := func(p *plan) (Solution, *Error) {
		v := derivation{domain: d, facts: facts, plan: p, target: target, asked: asked, previous: previous, machine: newMachine(env, len(d.variables))}
		err := v.run()
		return v.solution, err
	}
	solution, err := run(p)
	if err != nil && p.hasBlock() && err.Code != "calculation.limit_exceeded" {
		// Activities that depend on one another look like a system that can be solved together and are none; a chain
		// of single activities, which rests on more defaults, is the plan then.
		if chain := d.planChain(g, target); chain != nil {
			solution, err = run(chain)
		}
	}
	if err != nil {
		return Solution{}, []Error{*err}
	}
	return solution, nil
}

// unreached says why no plan leads to the target.
func (d *Domain) unreached(g given, facts []Fact, target int) Error {
	key := d.Definition.Variables[target].Key
	active, off := false, -1
	for _, a := range d.users[target] {
		if !d.equations[a].solves(target) {
			continue
		}
		if d.equations[a].active {
			active = true
		} else if off < 0 {
			off = a
		}
	}
	if !active && off < 0 {
		return Problem("input.not_calculable", key)
	}
	if p := d.findPlan(g, target, true); p != nil {
		for _, s := range p.steps {
			for _, a := range append([]int{s.activity}, s.block...) {
				if !d.equations[a].active {
					return Problem("domain.activity_disabled", d.equations[a].title)
				}
			}
		}
	}
	if !active {
		return Problem("domain.activity_disabled", d.equations[off].title)
	}
	err := Problem("calculation.missing_inputs", key)
	err.Missing = d.Alternatives(facts, target)
	return err
}

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

// Sentence is the message with its args filled in, in one pass from left to right.
func (e Error) Sentence() string {
	var b strings.Builder
	rest := e.Message
	for rest != "" {
		i := strings.Index(rest, "%arg")
		if i < 0 {
			break
		}
		j := strings.IndexByte(rest[i+1:], '%')
		if j < 0 {
			break
		}
		name := rest[i+4 : i+1+j]
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || n >= len(e.Args) {
			b.WriteString(rest[:i+1])
			rest = rest[i+1:]
			continue
		}
		b.WriteString(rest[:i])
		b.WriteString(e.Args[n])
		rest = rest[i+j+2:]
	}
	b.WriteString(rest)
	return b.String()
}

// Contradiction is an activity whose variables are all given and which misses by more than 1%.
type Contradiction struct {
	Activity  int
	Variables []int // in domain order
}

// Contradictions checks every active activity against given values (tiers Stated and Carried).
func (d *Domain) Contradictions(env Env, facts []Fact) []Contradiction {
	m := newMachine(env, len(d.variables))
	have := make([]bool, len(d.variables))
	current := map[string]bool{}
	dims := make([]units.Dimension, len(d.variables))
	for _, f := range facts {
		if f.Tier > Carried || f.Value.Rank != 0 || len(f.Value.Cells) == 0 || f.Value.Cells[0][0].Empty {
			continue
		}
		q := f.Value.Quantity()
		m.values[f.Variable] = q.SI(m.c)
		have[f.Variable] = m.c.Err() == nil
		m.c.Reset()
		dims[f.Variable] = q.Unit.Dimension()
	}
	var found []Contradiction
	for a, e := range d.equations {
		if !e.active || e.tables || len(e.refs) == 0 || slices.ContainsFunc(e.refs, func(v int) bool { return !have[v] }) {
			continue
		}
		clear(current)
		for _, v := range e.refs {
			for _, c := range dims[v].Currencies() {
				current[c] = true
			}
		}
		if len(current) > 1 && d.currency != "" {
			continue
		}
		left, right := m.eval(e.left), m.eval(e.right)
		miss := m.c.Sub(left, right).Abs()
		scale := extreme(decimals{left.Abs(), right.Abs()}, 1)
		if d.onScale(e) {
			// Of dates and temperatures only the differences have a size.
			scale = decimal.Decimal{}
			for _, v := range e.refs {
				if !d.variables[v].point.isPoint() && (dims[v] == units.Time || dims[v] == units.Temperature) {
					scale = extreme(decimals{scale, m.values[v].Abs()}, 1)
				}
			}
		}
		limit := m.c.Quo(scale, hundred)
		if m.tryErr() == nil && miss.Cmp(limit) > 0 {
			found = append(found, Contradiction{a, e.refs})
		}
		if m.limited() {
			break
		}
	}
	return found
}

// onScale reports whether the sides of an equation are points on a scale.
func (d *Domain) onScale(e *equation) bool {
	s := scales{e: e, of: func(v int) weight { return d.variables[v].point }}
	return s.weight(e.left).isPoint() || s.weight(e.right).isPoint()
}

// Solvable lists the variables without a Stated or Carried fact that some plan yields from the facts, in domain order.
func (d *Domain) Solvable(facts []Fact) []int {
	g := d.givenOf(facts, -1)
	known := g.leaves(true)
	d.closure(known, false)
	d.closeBlocks(known, false)
	var list []int
	for v := range d.variables {
		if !known[v] || g.fixed(v) {
			continue
		}
		// Where a variable can be taken as it is, what follows without that counts.
		if _, leaf := g.leafTier(v, true); !leaf || d.reachable(g.leaves(true), v, false) {
			list = append(list, v)
		}
	}
	return list
}

// Feeds reports whether a plan for to, given the facts, can use from as an intermediate value.
func (d *Domain) Feeds(facts []Fact, from, to int) bool {
	g := d.givenOf(facts, to)
	if from == to || g.fixed(from) {
		return false
	}
	known := g.leaves(true)
	known[to], known[from] = false, false
	apart := slices.Clone(known)
	if d.closureWithout(apart, false, to); !apart[from] {
		return false
	}
	d.closure(known, false)
	d.closeBlocks(known, false)
	if !known[to] {
		return false
	}
	// A path of activities from one to the other, through values that are not given.
	seen := make([]bool, len(d.variables))
	seen[from] = true
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, a := range d.users[queue[0]] {
			e := d.equations[a]
			if !e.active {
				continue
			}
			for i, v := range e.refs {
				if seen[v] || !e.calculable[i] || g.fixed(v) || !known[v] || slices.ContainsFunc(e.refs, func(r int) bool { return r != v && (!known[r] || r == to) }) {
					continue
				}
				if v == to {
					return true
				}
				seen[v] = true
				queue = append(queue, v)
			}
		}
	}
	return false
}

// text of a dimension error, for tests of what is shown.
func (e *dimensionError) Error() string { return fmt.Sprintf("at character %d: %s", e.at, e.message) }
