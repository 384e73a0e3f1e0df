package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// contradiction is an activity whose variables are all known and whose sides differ by more than
// the digits of the given values leave open, or a constraint that does not hold.
type contradiction struct {
	Activity  int   // or constraint, which have the numbers behind the activities
	Variables []int // known ones that it rests on, in domain order
	Derived   []int // of a constraint: those of its variables that are calculated, in the order of its text
}

// contradictions checks every active activity whose variables are known: from facts (tiers Stated
// and Carried), and from what follows from these, be it in several steps. Some of the facts may
// come from a solution: the activities that it solved one by one hold. Constraints are checked as
// well, with defaults also from the defaults of variables that nothing else tells. They come last.
func (d *Domain) contradictions(env value.Env, facts []Fact, found Solution, defaults bool) []contradiction {
	p := d.agreement(env.Meter, facts, found, defaults && len(d.Constraints) > 0)
	if len(p.check) == 0 {
		return nil
	}
	m := d.machines.Take(env)
	defer d.machines.Release(m)
	v := d.newAgreement(m)
	v.EveryRoot = true
	v.load(facts)
	v.load(p.assumed)
	v.found = found.Steps
	var list []contradiction
	for _, a := range v.followed(p) {
		switch e := d.equations[a]; {
		case !v.isKnown(e) || v.mixes(e):
		case d.isConstraint(a):
			if m.Breaks(e) {
				list = append(list, contradiction{a, v.from(e), v.derivedOf(e)})
			}
		case v.misses(e):
			list = append(list, contradiction{Activity: a, Variables: v.from(e)})
		}
		if m.Limited() {
			break
		}
	}
	return list
}

// agreementPlan is what there is to check, and what to find for that: variables that no one asked
// for, each from one activity.
type agreementPlan struct {
	steps   []solve.Step
	check   []int
	assumed []Fact // defaults, as given ones
	loose   []int  // activities of steps that rest on such
}

// agreement plans a check. It looks at each edge of the graph three times at most.
func (d *Domain) agreement(meter *value.Meter, facts []Fact, found Solution, defaults bool) agreementPlan {
	var few [16]int
	var some [32]bool
	missing, known := append(few[:0], make([]int, len(d.equations))...), append(some[:0], make([]bool, len(d.Profiles))...)
	for _, f := range facts {
		known[f.Variable] = known[f.Variable] || f.Tier <= Carried
	}
	holds := map[int]bool{}
	for _, s := range found.Steps {
		if len(s.Activities) == 1 {
			holds[s.Activities[0]] = true
		}
	}
	var p agreementPlan
	var queue []int
	looks := 0
	for a, e := range d.equations {
		looks += 1 + len(e.Refs)
		if !e.Active || len(e.Refs) == 0 || e.Whole && !d.isConstraint(a) {
			missing[a] = -1
			continue
		}
		for _, v := range e.Refs {
			if !known[v] {
				missing[a]++
			}
		}
		switch {
		case missing[a] == 1:
			queue = append(queue, a)
		case missing[a] == 0 && !holds[a]:
			p.check = append(p.check, a)
		}
	}
	assuming := false
	learn := func(v int) {
		known[v] = true
		looks += len(d.users[v])
		for _, b := range d.users[v] {
			if missing[b]--; missing[b] == 1 {
				queue = append(queue, b)
			} else if missing[b] == 0 && (!assuming || d.isConstraint(b)) {
				p.check = append(p.check, b)
			}
		}
	}
	follow := func() {
		for len(queue) > 0 && meter.Look(looks) {
			looks = 0
			a := queue[0]
			queue = queue[1:]
			if missing[a] != 1 {
				continue
			}
			e := d.equations[a]
			i := slices.IndexFunc(e.Refs, func(v int) bool { return !known[v] })
			v := e.Refs[i]
			if !e.Calculable[i] || d.Profiles[v].Table {
				continue
			}
			missing[a] = -1
			p.steps = append(p.steps, solve.Step{Variable: v, Activity: a, Activities: []int{a}, Outputs: []int{v}})
			if assuming {
				p.loose = append(p.loose, a)
			}
			looks += len(e.Refs)
			learn(v)
		}
	}
	if follow(); defaults {
		assuming = true
		for _, f := range facts {
			if f.Tier == Defaulted && !known[f.Variable] {
				p.assumed = append(p.assumed, Fact{f.Variable, Carried, f.Value})
				learn(f.Variable)
			}
		}
		follow()
	}
	slices.Sort(p.check)
	p.drop(d)
	return p
}

// drop leaves out the steps that no check needs.
func (p *agreementPlan) drop(d *Domain) {
	if len(p.check) == 0 {
		p.steps = nil
	}
	if len(p.steps) == 0 {
		return
	}
	needed := make([]bool, len(d.Profiles))
	need := func(a int) {
		for _, v := range d.equations[a].Refs {
			needed[v] = true
		}
	}
	for _, a := range p.check {
		need(a)
	}
	for i := len(p.steps) - 1; i >= 0; i-- {
		if needed[p.steps[i].Variable] {
			need(p.steps[i].Activity)
		}
	}
	p.steps = slices.DeleteFunc(p.steps, func(s solve.Step) bool { return !needed[s.Variable] })
}

// agreement is the work of one check.
type agreement struct {
	solve.Solver
	domain *Domain
	known  []bool
	open   []decimal.Decimal // by variable: how far its digits leave its value open, in coherent SI
	dims   []units.Dimension

	openTables []*formula.Grid // the same of the cells of tables, nil where there are none

	origins [][]int      // of what was found for a check: the known variables that it comes from
	follows []solve.Step // what was found for a check
	found   []Step       // of the solution
	widened bool         // what was found is as far open as it comes from open values
}

// newAgreement is one with nothing known yet.
func (d *Domain) newAgreement(m *formula.Machine) agreement {
	v := agreement{
		Solver: solve.Solver{Machine: m, Scope: &d.Scope, Equations: d.equations},
		domain: d, known: make([]bool, len(d.Profiles)), open: make([]decimal.Decimal, len(d.Profiles)),
		dims: make([]units.Dimension, len(d.Profiles)), origins: make([][]int, len(d.Profiles)),
	}
	v.Question = solve.Question{
		Target: -1, Near: func(int) *decimal.Decimal { return nil },
		Dimension: func(r int) (units.Dimension, bool) { return d.Profiles[r].Resolved, d.Profiles[r].Known },
		Shown:     func(_, _ int, si decimal.Decimal) string { return si.String() },
	}
	return v
}

func (v *agreement) load(facts []Fact) {
	d, m := v.domain, v.Machine
	for _, f := range facts {
		if f.Tier > Carried {
			continue
		}
		q, ok := f.Value.Single()
		if !ok {
			v.loadTable(f)
			continue
		}
		if d.Profiles[f.Variable].Counts == nil {
			half := halfDigit(m.Context, d.Variables[f.Variable].Kind, q)
			// What is written in dBm is open by dB, and by other amounts in W.
			there := d.asDeclared(m.Context, f.Variable, units.Quantity{Number: m.Context.Add(q.Number, half), Unit: q.Unit})
			here := d.asDeclared(m.Context, f.Variable, q)
			v.open[f.Variable] = m.Context.Sub(there.SI(m.Context), here.SI(m.Context)).Abs()
		}
		q = d.asDeclared(m.Context, f.Variable, q)
		m.Values[f.Variable] = q.SI(m.Context)
		v.known[f.Variable] = m.Context.Err() == nil
		m.Context.Reset()
		v.dims[f.Variable] = q.Unit.Dimension()
	}
}

// loadTable takes the cells of a fact, with what their digits leave open.
func (v *agreement) loadTable(f Fact) {
	d, m := v.domain, v.Machine
	g, open := formula.Grid{Rank: f.Value.Rank}, formula.Grid{Rank: f.Value.Rank}
	for _, row := range f.Value.Cells {
		cells, halves := make([]formula.GridCell, len(row)), make([]formula.GridCell, len(row))
		for i, c := range row {
			if cells[i].Empty = c.Empty; c.Empty {
				continue
			}
			halves[i].Number = halfDigit(m.Context, "", c.Quantity)
			q := d.asDeclared(m.Context, f.Variable, c.Quantity)
			cells[i].Number = q.SI(m.Context)
			v.dims[f.Variable] = q.Unit.Dimension()
			v.known[f.Variable] = true
		}
		g.Rows, open.Rows = append(g.Rows, cells), append(open.Rows, halves)
	}
	if m.TryErr() != nil {
		v.known[f.Variable] = false
	}
	if m.Tables == nil {
		m.Tables, v.openTables = make([]*formula.Grid, len(d.Profiles)), make([]*formula.Grid, len(d.Profiles))
	}
	m.Tables[f.Variable], v.openTables[f.Variable] = &g, &open
}

// fewestDigits is how many a number has that is known to half of the last one. One with fewer is
// meant exactly: 4, 60, 0.5, 19%.
const fewestDigits = 3

// halfDigit is half of the last digit that a given number is written with, in its unit: 0.05 of
// 12.5 mi. Moments are exact.
func halfDigit(c *decimal.Context, kind string, q units.Quantity) decimal.Decimal {
	last := 0
	switch format.ScalarKind(kind) {
	case "date", "time", "datetime":
		return decimal.Decimal{}
	case "duration":
		// It is held in seconds, whatever it was written in.
		last = 0
		if n, whole := q.Number.Int64(); whole && n%60 == 0 {
			return decimal.Int(30) // of seconds
		}
	default:
		var first int
		first, last = q.Number.Extent()
		if n := first - last + 1; q.Number.IsZero() || n < fewestDigits {
			return decimal.Decimal{}
		}
	}
	return c.Quo(c.Pow(decimal.Int(10), decimal.Int(int64(last))), decimal.Int(2))
}

// widen says how far open the values are that were found. Those of a block are as far open as each
// of its activities leaves them.
func (v *agreement) widen() {
	if v.widened {
		return
	}
	v.widened = true
	for _, s := range v.found {
		if !v.known[s.Variable] {
			continue
		}
		var widest decimal.Decimal
		v.open[s.Variable] = decimal.Decimal{}
		for _, a := range s.Activities {
			if e := v.domain.equations[a]; !e.Tables && v.isKnown(e) && e.Position(s.Variable) >= 0 {
				widest = formula.Extreme(formula.Decimals{widest, v.spread(e, s.Variable)}, 1)
			}
		}
		v.open[s.Variable] = widest
	}
	for _, s := range v.follows {
		v.open[s.Variable] = v.spread(v.domain.equations[s.Activity], s.Variable)
	}
}

// followed finds the variables that the checks need. What one activity leaves open, such as the
// sign of a square root, another one may tell. It returns the activities to check.
func (v *agreement) followed(p agreementPlan) []int {
	check := p.check
	for _, s := range p.steps {
		if !v.follow(s) && !slices.Contains(p.loose, s.Activity) {
			check = append(check, s.Activity)
		}
	}
	if len(check) == len(p.check) {
		return check
	}
	for again := true; again && !v.Limited(); {
		again = false
		check = slices.DeleteFunc(check, func(a int) bool {
			e := v.domain.equations[a]
			i := slices.IndexFunc(e.Refs, func(r int) bool { return !v.known[r] })
			if i < 0 || !e.Calculable[i] || v.domain.Profiles[e.Refs[i]].Table {
				return false
			}
			found := v.follow(solve.Step{Variable: e.Refs[i], Activity: a, Activities: []int{a}, Outputs: e.Refs[i : i+1]})
			again = again || found
			return found
		})
	}
	slices.Sort(check)
	return check
}

// follow finds a variable for a check, where all others are known and it has one value only. It
// reports whether it did.
func (v *agreement) follow(s solve.Step) bool {
	e := v.domain.equations[s.Activity]
	for _, r := range e.Refs {
		if r != s.Variable && !v.known[r] {
			return false
		}
	}
	v.Sizes, v.Path = nil, nil
	failed := v.Step(s) != nil
	if v.TryErr() != nil || failed || len(v.Sizes) > 0 {
		return false
	}
	v.origins[s.Variable] = v.from(e)
	v.known[s.Variable] = true
	v.follows = append(v.follows, s)
	v.dims[s.Variable] = v.domain.Profiles[s.Variable].Resolved
	return true
}

func (v *agreement) isKnown(e *formula.Equation) bool {
	return !slices.ContainsFunc(e.Refs, func(r int) bool { return !v.known[r] })
}

// from lists the known variables that an activity rests on, in domain order.
func (v *agreement) from(e *formula.Equation) []int {
	var list []int
	for _, r := range e.Refs {
		switch {
		case v.origins[r] != nil:
			list = append(list, v.origins[r]...)
		case v.known[r]:
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// mixes reports whether an activity has several currencies, of which a single declared one may
// stand for any.
func (v *agreement) mixes(e *formula.Equation) bool {
	if v.domain.Currency == "" {
		return false
	}
	current := map[string]bool{}
	for _, r := range e.Refs {
		for _, c := range v.dims[r].Currencies() {
			current[c] = true
		}
	}
	return len(current) > 1
}

// misses reports whether the sides of an equation differ by more than the digits of the values
// leave open.
func (v *agreement) misses(e *formula.Equation) bool {
	if v.Satisfied(e) || v.Limited() {
		return false
	}
	v.widen()
	miss := v.difference(e)
	if v.TryErr() != nil {
		return false
	}
	return miss.Abs().Cmp(v.moved(e, -1, miss)) > 0 && v.TryErr() == nil
}

func (v *agreement) difference(e *formula.Equation) decimal.Decimal {
	left, right := v.Eval(e.Left), v.Eval(e.Right)
	return v.Context.Sub(left, right)
}

// moved adds up how far the difference of the sides moves when each variable but one takes the
// value at the end of what its digits leave open.
func (v *agreement) moved(e *formula.Equation, but int, difference decimal.Decimal) decimal.Decimal {
	var sum decimal.Decimal
	for _, r := range e.Refs {
		if v.openTable(r) {
			sum = v.Context.Add(sum, v.movedByCells(e, r, difference))
		}
		if r == but || v.open[r].IsZero() {
			continue
		}
		sum = v.Context.Add(sum, v.shifted(e, r, v.open[r], difference))
	}
	return sum
}

func (v *agreement) openTable(variable int) bool {
	return v.openTables != nil && v.openTables[variable] != nil
}

// movedByCells is moved for the cells of a table.
func (v *agreement) movedByCells(e *formula.Equation, table int, difference decimal.Decimal) decimal.Decimal {
	var sum decimal.Decimal
	for r, row := range v.openTables[table].Rows {
		for i, open := range row {
			if open.Number.IsZero() {
				continue
			}
			cell := &v.Tables[table].Rows[r][i].Number
			at := *cell
			*cell = v.Context.Add(at, open.Number)
			moved := v.Context.Sub(v.difference(e), difference).Abs()
			if *cell = at; v.TryErr() == nil {
				sum = v.Context.Add(sum, moved)
			}
		}
	}
	return sum
}

// shifted is how far the difference of the sides moves when a variable moves.
func (v *agreement) shifted(e *formula.Equation, variable int, by, difference decimal.Decimal) decimal.Decimal {
	at := v.Values[variable]
	defer v.Suppose(variable, at)
	var most decimal.Decimal
	for _, to := range []decimal.Decimal{v.Context.Add(at, by), v.Context.Sub(at, by)} {
		v.Suppose(variable, to)
		moved := v.Context.Sub(v.difference(e), difference).Abs()
		if v.TryErr() == nil {
			most = formula.Extreme(formula.Decimals{most, moved}, 1)
		}
	}
	return most
}

// spread is how far open a value is that was found from an equation: what the others move the sides
// by, over what it moves them by itself.
func (v *agreement) spread(e *formula.Equation, variable int) decimal.Decimal {
	if !slices.ContainsFunc(e.Refs, func(r int) bool { return r != variable && (!v.open[r].IsZero() || v.openTable(r)) }) {
		return decimal.Decimal{}
	}
	difference := v.difference(e)
	moved := v.moved(e, variable, difference)
	small := v.Context.Mul(formula.Extreme(formula.Decimals{v.Values[variable].Abs(), decimal.Int(1)}, 1), decimal.MustParse("1e-9"))
	slope := v.Context.Quo(v.shifted(e, variable, small, difference), small)
	if v.TryErr() != nil || slope.IsZero() {
		return decimal.Decimal{}
	}
	return v.Context.Quo(moved, slope)
}
