package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Seek asks for the least or the greatest value of a variable that some inputs can give it.
type Seek struct {
	Objective Target
	Greatest  bool
	Over      []Range
	Where     []Condition
}

// Range is an input that a seek moves, and between which values. Where a bound is nil, the one that
// the domain declares counts.
type Range struct {
	Variable int
	From, To *units.Quantity
}

// Condition is what values of a seek have to meet.
type Condition struct {
	Left     int
	Relation string         // one of Relations
	Right    int            // a variable, -1 for a value
	Value    units.Quantity // where Right is -1
	Text     string         // as written
}

// Relations are the relations of conditions, longer spellings first.
var Relations = []string{">=", "<=", "≥", "≤", ">", "<"}

func (c *Condition) atMost() bool {
	return c.Relation == "<=" || c.Relation == "≤" || c.Relation == "<"
}
func (c *Condition) strict() bool { return c.Relation == "<" || c.Relation == ">" }

// holds decides a condition between two numbers in coherent SI.
func (c *Condition) holds(context *decimal.Context, left, right decimal.Decimal) bool {
	r := formula.Compare(context, left, right)
	if c.atMost() {
		r = -r
	}
	return r > 0 || r == 0 && !c.strict()
}

// Outcome says what became of a seek.
type Outcome string

const (
	OutcomeFound      Outcome = "found"
	OutcomeInfeasible Outcome = "infeasible" // no values meet all conditions
	OutcomeUnbounded  Outcome = "unbounded"  // there are better values without end
)

// Proof says how sure an outcome is.
type Proof string

const (
	ProofOptimal   Proof = "optimal"    // no value is better, but for a relative 1e-9
	ProofWithinGap Proof = "within_gap" // no value is better by more than the gap
	ProofNone      Proof = "none"       // nothing better was found; that there is nothing is not shown
)

// Optimum is what a seek found.
type Optimum struct {
	Outcome Outcome
	Proof   Proof
	Result  Result          // the ordinary calculation there; of OutcomeFound
	Value   units.Quantity  // of the objective; of OutcomeFound
	Gap     *units.Quantity // how much better a value might be at most, nil where nothing is known or nothing better is left
	At      []Place         // in the order of Seek.Over; of OutcomeFound
	Binding []int           // conditions of Seek.Where that hold just so

	Intervals    int // boxes over which intervals were evaluated
	Calculations int // ordinary calculations that were made
	Exhausted    bool
}

// Place is where an input of an optimum is.
type Place struct {
	Variable int
	Value    value.Value
	Bound    string // "from" or "to" where it is at that end, else ""
}

// seeking is the work of one Seek.
type seeking struct {
	domain *Domain
	base   *Scenario
	req    Request
	ask    Seek
	env    value.Env
	axes   []seekAxis
	ctx    *decimal.Context

	calculations int
	first        []value.Error // why the first calculation failed
	extension    *extension
	complete     bool // all points were calculated

	best      *Result
	bestAt    []units.Quantity
	bestValue decimal.Decimal // of the objective in coherent SI
}

// seekAxis is an input that moves, in its unit.
type seekAxis struct {
	solve.Axis
	variable int
	unit     *units.Unit
	step     int64 // of moments: the seconds of one step; else 0
	edges    [2]*units.Quantity
}

// maxOver is how many inputs a seek may move.
const maxOver = 6

// Seek finds the least or the greatest value of a variable over some inputs, from a scenario (nil
// for none) with what a request states. It moves the inputs within their bounds; the value is that
// of the ordinary calculation there. Where intervals can follow the calculation it also tells how
// far from the optimum the value may be. The errors are those of Calculate, and
// calculation.missing_bound where an input has no bound and intervals do not show that it needs
// none.
func (d *Domain) Seek(base *Scenario, req Request, ask Seek, env value.Env) (Optimum, []value.Error) {
	s := &seeking{domain: d, base: base, req: req, ask: ask, env: env.Metered(), ctx: env.Context(env.Limit())}
	if err := s.prepare(); err != nil {
		return Optimum{}, []value.Error{*err}
	}
	if errs := s.begin(); errs != nil {
		return Optimum{}, errs
	}
	if s.extension != nil {
		defer d.machines.Release(s.extension.machine)
	}
	m := s.minimum()
	if s.extension == nil {
		for i := range s.axes {
			if err := s.missingBound(i); err != nil {
				return Optimum{}, []value.Error{*err}
			}
		}
	}
	if points, few := s.all(); few {
		s.enumerate(m, points)
	} else {
		m.Run()
	}
	if m.At == nil && len(m.Open) == 0 && s.best == nil && s.first != nil && s.extension == nil {
		return Optimum{}, s.first
	}
	s.sharpen(m)
	return s.optimum(m)
}

// prepare makes the axes.
func (s *seeking) prepare() *value.Error {
	if len(s.ask.Over) > maxOver {
		return value.Problem("input.limit_exceeded", "inputs to move", strconv.Itoa(maxOver))
	}
	seen := map[int]bool{}
	for _, r := range s.ask.Over {
		key := s.domain.Variables[r.Variable].Key
		if seen[r.Variable] {
			return value.Problem("input.duplicate_variable", key)
		}
		seen[r.Variable] = true
		if s.domain.Profiles[r.Variable].Table {
			return value.Problem("input.invalid_table", key, "one value is expected, not a table")
		}
		a, err := s.axis(r)
		if err != nil {
			return err
		}
		s.axes = append(s.axes, a)
	}
	return nil
}

// carried is the value that a variable has before anything moves, nil for none.
func (s *seeking) carried(variable int) *units.Quantity {
	for _, in := range s.req.Inputs {
		if in.Variable == variable && !in.Cleared {
			if q, ok := in.Value.Single(); ok {
				return &q
			}
		}
	}
	if s.base != nil {
		for _, v := range s.base.Values {
			if q, ok := v.Value.Single(); ok && v.Variable == variable {
				return &q
			}
		}
	}
	if v, ok := s.domain.defaultValue(variable, s.env); ok {
		if q, ok := v.Single(); ok {
			return &q
		}
	}
	return nil
}

// axis is an input in the unit in which its numbers are tried.
func (s *seeking) axis(r Range) (seekAxis, *value.Error) {
	d, p := s.domain, &s.domain.Profiles[r.Variable]
	a := seekAxis{variable: r.Variable, Axis: solve.Axis{Lo: math.Inf(-1), Hi: math.Inf(1), Scale: 1, Start: math.NaN()}}
	start := s.carried(r.Variable)
	for _, q := range []*units.Quantity{r.From, r.To, start} {
		if q != nil && a.unit == nil {
			a.unit = q.Unit
		}
	}
	if a.unit == nil {
		a.unit = d.BareUnit(r.Variable)
	}
	if a.unit == nil {
		dim, _ := d.Dimension(r.Variable)
		a.unit = d.Table.ForResult(dim, nil, false)
	}
	if declared := p.Unit; declared != nil && !sameButAngle(declared.Dimension(), a.unit.Dimension()) && units.Compatible(a.unit, declared) {
		a.unit = declared
	}
	switch format.ScalarKind(d.Variables[r.Variable].Kind) {
	case "date":
		a.step = value.SecondsPerDay
	case "datetime", "time":
		a.step = 60
	}
	switch {
	case a.step > 0:
		a.unit, a.Scale, a.Whole = input.Second(&d.Scope), float64(a.step), true
	case p.Choices != nil:
		a.unit = units.One
		for _, c := range p.Choices {
			a.Choices = append(a.Choices, c.Float64())
		}
	case p.Counts != nil:
		a.unit, a.Whole = p.Counts, true
	}
	if a.step == 0 {
		zero := units.Quantity{Unit: a.unit}.SI(s.ctx).Float64()
		a.Scale, a.Offset = units.Quantity{Number: decimal.Int(1), Unit: a.unit}.SI(s.ctx).Float64()-zero, zero
		if a.unit.IsPoint() {
			a.Scale = units.Quantity{Number: decimal.Int(1), Unit: a.unit.Difference()}.SI(s.ctx).Float64()
		}
	}
	edge := func(i int, q *units.Quantity) *value.Error {
		converted, err := units.Convert(s.ctx, *q, a.unit)
		if err != nil {
			return value.Problem("input.incompatible_units", q.Unit.String(), a.unit.String())
		}
		x := a.number(s.ctx, converted)
		a.edges[i] = &converted
		if i == 0 {
			a.Lo = x
		} else {
			a.Hi = x
		}
		return nil
	}
	for i, q := range []*units.Quantity{r.From, r.To} {
		if q == nil {
			if l := d.prepared[r.Variable].limits[i]; l != nil && sameButAngle(l.dimension, a.unit.Dimension()) {
				bound := units.FromSI(s.ctx, l.si, a.unit)
				q = &bound
			} else if a.Choices != nil {
				bound := units.Quantity{Number: p.Choices[i*(len(p.Choices)-1)], Unit: units.One}
				q = &bound
			} else {
				continue
			}
		}
		if err := edge(i, q); err != nil {
			return a, err
		}
	}
	if a.Lo > a.Hi {
		return a, value.Problem("input.invalid_value", d.Variables[r.Variable].Key, a.edges[1].String(), "it must be at least "+a.edges[0].String())
	}
	if start != nil {
		if q, err := units.Convert(s.ctx, *start, a.unit); err == nil {
			a.Start = math.Min(math.Max(a.number(s.ctx, q), a.Lo), a.Hi)
		}
	}
	if s.ctx.Err() != nil {
		return a, value.Problem("input.invalid_value", d.Variables[r.Variable].Key, a.unit.String())
	}
	return a, nil
}

// number is a quantity in the unit of the axis as a number of it.
func (a *seekAxis) number(c *decimal.Context, q units.Quantity) float64 {
	if a.step > 0 {
		return c.Quo(q.Number, decimal.Int(a.step)).Float64()
	}
	return q.Number.Float64()
}

// quantity is a number of the axis as a quantity: at an end just that of the end.
func (a *seekAxis) quantity(c *decimal.Context, x float64) units.Quantity {
	for i, edge := range []float64{a.Lo, a.Hi} {
		if x == edge && a.edges[i] != nil && !a.Whole {
			return *a.edges[i]
		}
	}
	n := decimal.FromFloat(x)
	if a.step > 0 {
		n = c.Mul(n, decimal.Int(a.step))
	}
	return units.Quantity{Number: n, Unit: a.unit}
}

func (s *seeking) quantities(at []float64) []units.Quantity {
	list := make([]units.Quantity, len(at))
	for i, x := range at {
		list[i] = s.axes[i].quantity(s.ctx, x)
	}
	return list
}

// request is the request of a point.
func (s *seeking) request(at []units.Quantity) Request {
	r := s.req
	r.Inputs = slices.DeleteFunc(slices.Clone(r.Inputs), func(in Given) bool {
		return slices.ContainsFunc(s.axes, func(a seekAxis) bool { return a.variable == in.Variable })
	})
	moved := map[int]bool{}
	for i, q := range at {
		r.Inputs = append(r.Inputs, asGiven(s.axes[i].variable, q))
		moved[s.axes[i].variable] = true
	}
	r.Everything, r.Targets = false, nil
	add := func(t Target) {
		if !moved[t.Variable] {
			moved[t.Variable] = true
			r.Targets = append(r.Targets, t)
		}
	}
	add(s.ask.Objective)
	for _, w := range s.ask.Where {
		add(Target{Variable: w.Left})
		if w.Right >= 0 {
			add(Target{Variable: w.Right})
		}
	}
	r.Targets = slices.DeleteFunc(r.Targets, func(t Target) bool {
		return t.Unit == nil && slices.ContainsFunc(r.Inputs, func(in Given) bool { return in.Variable == t.Variable })
	})
	return r
}

// calculate is the ordinary calculation at a point; ok says that all conditions hold.
func (s *seeking) calculate(at []units.Quantity) (r Result, objective decimal.Decimal, ok bool, errs []value.Error) {
	s.calculations++
	last := 0
	if s.base != nil {
		last = s.base.Index
	}
	r, errs = s.domain.Calculate(s.base, last, s.request(at), s.env)
	if len(errs) > 0 {
		return r, objective, false, errs
	}
	of := func(variable int) (decimal.Decimal, bool) {
		i := slices.IndexFunc(r.Values, func(v ResultValue) bool { return v.Variable == variable })
		if i < 0 {
			return decimal.Decimal{}, false
		}
		q, single := r.Values[i].Value.Single()
		if !single {
			return decimal.Decimal{}, false
		}
		return s.domain.asDeclared(s.ctx, variable, q).SI(s.ctx), true
	}
	s.ctx.Restart(value.DefaultBudget)
	objective, ok = of(s.ask.Objective.Variable)
	for _, w := range s.ask.Where {
		left, known := of(w.Left)
		right := s.domain.asDeclared(s.ctx, w.Left, w.Value).SI(s.ctx)
		if w.Right >= 0 {
			var there bool
			right, there = of(w.Right)
			known = known && there
		}
		ok = ok && known && w.holds(s.ctx, left, right)
	}
	return r, objective, ok && s.ctx.Err() == nil, nil
}

// begin makes the first calculation that succeeds, whether or not the conditions hold there, and
// the extension from it.
func (s *seeking) begin() []value.Error {
	probe := solve.Minimum{Sign: 1, Axes: s.solveAxes()}
	for _, x := range probe.Starts() {
		at := s.quantities(x)
		r, objective, ok, errs := s.calculate(at)
		if len(errs) > 0 {
			if s.first == nil {
				s.first = errs
			}
			switch errs[0].Code {
			case "calculation.limit_exceeded", "calculation.missing_inputs", "calculation.forwards_only", "input.not_calculable", "domain.activity_disabled",
				"input.missing_calculate", "input.incompatible_units", "calculation.conflicting_inputs":
				return errs
			}
			continue
		}
		if ok {
			s.keep(r, at, objective)
		}
		s.follow(at)
		return nil
	}
	return s.first
}

// follow makes the extension at a point that has been calculated.
func (s *seeking) follow(at []units.Quantity) {
	c := calculation{domain: s.domain, base: s.base, fresh: s.base == nil, req: s.request(at), env: s.env}
	if c.fresh {
		c.base = &Scenario{}
	}
	if c.chooseTargets() != nil || len(c.attempt()) > 0 {
		return
	}
	moving := make([]int, len(s.axes))
	for i, a := range s.axes {
		moving[i] = a.variable
	}
	if s.extension = s.domain.extend(s.env, &c, moving, s.ask.Where); s.extension != nil {
		s.extension.Strict = true
		if !s.follows(at) {
			s.domain.machines.Release(s.extension.machine)
			s.extension = nil
		}
	}
}

// follows reports whether the extension tells something of the objective at a point.
func (s *seeking) follows(at []units.Quantity) bool {
	box := make([]formula.Interval, len(at))
	for i, q := range at {
		box[i] = formula.Enclose(s.domain.asDeclared(s.ctx, s.axes[i].variable, q).SI(s.ctx))
	}
	s.extension.Over(box, false)
	told, _ := s.extension.Of(s.ask.Objective.Variable)
	return !told.Empty() && !math.IsInf(told.Lo, 0) && !math.IsInf(told.Hi, 0)
}

func (s *seeking) solveAxes() []solve.Axis {
	list := make([]solve.Axis, len(s.axes))
	for i, a := range s.axes {
		list[i] = a.Axis
	}
	return list
}

func (s *seeking) sign() float64 {
	if s.ask.Greatest {
		return -1
	}
	return 1
}

// keep takes a calculation as the best one where it is that.
func (s *seeking) keep(r Result, at []units.Quantity, objective decimal.Decimal) bool {
	if s.best != nil {
		if order := objective.Cmp(s.bestValue); order == 0 || order > 0 != s.ask.Greatest {
			return false
		}
	}
	s.best, s.bestAt, s.bestValue = &r, slices.Clone(at), objective
	return true
}

// reserve is the share of the budget, as its divisor, that is left for the last calculations.
const reserve = 5

func (s *seeking) minimum() *solve.Minimum {
	least := s.env.Limit() / reserve
	m := &solve.Minimum{Objective: s.ask.Objective.Variable, Sign: s.sign(), Axes: s.solveAxes()}
	m.Spend = func(n int) bool { return s.env.Meter.Look(n*value.LooksPerUnit) && s.env.Meter.Left > least }
	if s.extension != nil {
		m.Extension, m.Conditions = s.extension.Extension, s.extension.conditions
	}
	m.Try = func(x []float64) (float64, bool) {
		if s.env.Meter.Left <= least {
			return 0, false
		}
		at := s.quantities(x)
		r, objective, ok, errs := s.calculate(at)
		if len(errs) > 0 || !ok {
			return 0, false
		}
		s.keep(r, at, objective)
		return s.sign() * objective.Float64(), true
	}
	return m
}

// maxPoints is how many points are calculated one by one where there are no others.
const maxPoints = 2000

// all lists the points of inputs that have single values only, where they are few.
func (s *seeking) all() (points [][]float64, few bool) {
	points = [][]float64{nil}
	for _, a := range s.axes {
		list := a.Choices
		if list == nil {
			if !a.Whole || !(a.Hi-a.Lo < maxPoints) {
				return nil, false
			}
			for x := math.Ceil(a.Lo); x <= a.Hi; x++ {
				list = append(list, x)
			}
		} else {
			list = slices.DeleteFunc(slices.Clone(list), func(x float64) bool { return x < a.Lo || x > a.Hi })
		}
		if len(points)*len(list) > maxPoints {
			return nil, false
		}
		var more [][]float64
		for _, p := range points {
			for _, x := range list {
				more = append(more, append(slices.Clone(p), x))
			}
		}
		points = more
	}
	return points, true
}

// enumerate calculates all points, or so many that the budget lasts.
func (s *seeking) enumerate(m *solve.Minimum, points [][]float64) {
	m.Upper, m.Lower = math.Inf(1), math.Inf(-1)
	for _, x := range points {
		if !m.Spend(1) {
			m.Over = true
			return
		}
		if y, ok := m.Try(x); ok && y < m.Upper {
			m.At, m.Upper = x, y
		}
	}
	m.Lower, s.complete = m.Upper, true
}

// sharpen goes from the best point to those nearby that have fewer digits, or that a condition
// gives exactly.
func (s *seeking) sharpen(m *solve.Minimum) {
	if s.best == nil || m.At == nil {
		return
	}
	for i, a := range s.axes {
		if a.Whole || a.Choices != nil {
			continue
		}
		for _, w := range s.ask.Where {
			if w.Right < 0 && w.Left != a.variable {
				s.solved(i, w)
			}
		}
	}
	for digits := 1; digits <= 15; digits++ {
		at, changed := slices.Clone(s.bestAt), false
		for i, a := range s.axes {
			if a.Whole || a.Choices != nil {
				continue
			}
			x := at[i].Number.Float64()
			rounded, err := decimal.Parse(strconv.FormatFloat(x, 'e', digits-1, 64))
			if err != nil || rounded.Cmp(at[i].Number) == 0 || rounded.Float64() < a.Lo || rounded.Float64() > a.Hi {
				continue
			}
			if math.Abs(rounded.Float64()-x) > 1e-3*math.Abs(x) {
				continue
			}
			at[i].Number, changed = rounded, true
		}
		if !changed {
			continue
		}
		r, objective, ok, errs := s.calculate(at)
		if len(errs) > 0 || !ok {
			continue
		}
		if objective.Cmp(s.bestValue) == 0 || s.better(objective) {
			s.best, s.bestAt, s.bestValue = &r, at, objective
			return
		}
	}
}

func (s *seeking) better(objective decimal.Decimal) bool {
	order := objective.Cmp(s.bestValue)
	return order != 0 && order > 0 == s.ask.Greatest
}

// solved offers the point at which a condition holds just so, which the ordinary calculation finds
// backwards.
func (s *seeking) solved(axis int, w Condition) {
	r := s.request(s.bestAt)
	variable := s.axes[axis].variable
	r.Inputs = slices.DeleteFunc(r.Inputs, func(in Given) bool { return in.Variable == variable || in.Variable == w.Left })
	r.Inputs = append(r.Inputs, asGiven(w.Left, w.Value))
	r.Targets = []Target{{Variable: variable}}
	last := 0
	if s.base != nil {
		last = s.base.Index
	}
	s.calculations++
	found, errs := s.domain.Calculate(s.base, last, r, s.env)
	if len(errs) > 0 {
		return
	}
	q, single := found.Values[0].Value.Single()
	if !single || found.Values[0].Variable != variable {
		return
	}
	s.ctx.Restart(value.DefaultBudget)
	q, err := units.Convert(s.ctx, q, s.axes[axis].unit)
	if x := q.Number.Float64(); err != nil || x < s.axes[axis].Lo || x > s.axes[axis].Hi {
		return
	}
	at := slices.Clone(s.bestAt)
	at[axis] = q
	if again, objective, ok, errs := s.calculate(at); len(errs) == 0 && ok {
		s.keep(again, at, objective)
	}
}

// missingBound is the problem of an axis that has no bound, nil where it has both.
func (s *seeking) missingBound(i int) *value.Error {
	a := &s.axes[i]
	key := s.domain.Variables[a.variable].Key
	switch low, high := math.IsInf(a.Lo, -1), math.IsInf(a.Hi, 1); {
	case low && high:
		return value.Problem("calculation.missing_bound", key, "a lower and an upper bound")
	case low:
		return value.Problem("calculation.missing_bound", key, "a lower bound")
	case high:
		return value.Problem("calculation.missing_bound", key, "an upper bound")
	}
	return nil
}

// optimum says what was found.
func (s *seeking) optimum(m *solve.Minimum) (Optimum, []value.Error) {
	o := Optimum{Outcome: OutcomeFound, Proof: ProofNone, Intervals: m.Boxes, Calculations: s.calculations, Exhausted: m.Over}
	sound := s.extension != nil && !m.Unsound || s.complete
	switch {
	case m.Unbounded && sound:
		o.Outcome, o.Proof = OutcomeUnbounded, ProofOptimal
		return o, nil
	case s.best == nil && sound && math.IsInf(m.Lower, 1):
		o.Outcome, o.Proof = OutcomeInfeasible, ProofOptimal
		return o, nil
	case s.best == nil:
		for _, i := range m.Open {
			if err := s.missingBound(i); err != nil {
				return o, []value.Error{*err}
			}
		}
		o.Outcome = OutcomeInfeasible
		return o, nil
	}
	o.Result = *s.best
	for _, v := range s.best.Values {
		if v.Variable == s.ask.Objective.Variable {
			o.Value, _ = v.Value.Single()
		}
	}
	s.ctx.Restart(value.DefaultBudget)
	for i, q := range s.bestAt {
		a := &s.axes[i]
		p := Place{Variable: a.variable, Value: value.ScalarValue(q)}
		for k, edge := range a.edges {
			if edge != nil && a.Choices == nil && edge.Number.Cmp(q.Number) == 0 {
				p.Bound = [...]string{"from", "to"}[k]
			}
		}
		o.At = append(o.At, p)
	}
	for i, w := range s.ask.Where {
		if s.binds(w) {
			o.Binding = append(o.Binding, i)
		}
	}
	if !sound {
		return o, nil
	}
	best := s.sign() * s.bestValue.Float64()
	gap := best - math.Min(m.Lower, best)
	if len(m.Open) > 0 && math.IsInf(gap, 1) || len(m.Open) > 0 && gap > m.Gap() {
		for _, i := range m.Open {
			if err := s.missingBound(i); err != nil {
				return o, []value.Error{*err}
			}
		}
	}
	switch {
	case gap <= 2*m.Gap():
		o.Proof = ProofOptimal
	case gap < math.Abs(best):
		o.Proof = ProofWithinGap
		unit := o.Value.Unit.Difference()
		q := units.FromSI(s.ctx, decimal.FromFloat(gap), unit)
		q.Number = upTo(s.ctx, q.Number, 2)
		o.Gap = &q
	}
	return o, nil
}

// upTo rounds a positive number up to some significant digits.
func upTo(c *decimal.Context, x decimal.Decimal, digits int) decimal.Decimal {
	if x.IsZero() {
		return x
	}
	first, _ := x.Extent()
	places := digits - 1 - first
	unit := decimal.Int(1).Shifted(-places)
	return c.Mul(c.Ceil(c.Quo(x.Shown(), unit)), unit)
}

// binds reports whether a condition holds just so at the best point.
func (s *seeking) binds(w Condition) bool {
	of := func(variable int) (decimal.Decimal, bool) {
		for _, v := range s.best.Values {
			if q, single := v.Value.Single(); single && v.Variable == variable {
				return s.domain.asDeclared(s.ctx, variable, q).SI(s.ctx), true
			}
		}
		return decimal.Decimal{}, false
	}
	left, ok := of(w.Left)
	right := s.domain.asDeclared(s.ctx, w.Left, w.Value).SI(s.ctx)
	if w.Right >= 0 {
		right, ok = of(w.Right)
	}
	a, b := left.Float64(), right.Float64()
	return ok && math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// ParseCondition reads a condition: the name of a variable, one of Relations, and a value or the
// name of another variable, as in profit >= 1,000 USD. It fails with input.syntax_error,
// the errors of FindVariable, and those of values.
func (d *Domain) ParseCondition(text string, env value.Env) (Condition, *value.Error) {
	c := Condition{Right: -1, Text: strings.TrimSpace(text)}
	at := -1
	for _, r := range Relations {
		if i := strings.Index(text, r); i >= 0 && (at < 0 || i < at) {
			at, c.Relation = i, r
		}
	}
	if at < 0 {
		return c, d.noCondition(text, len(text))
	}
	left, right := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+len(c.Relation):])
	if left == "" {
		return c, d.noCondition(text, 0)
	}
	if right == "" || strings.ContainsAny(right, "<>=≤≥") {
		return c, d.noCondition(text, at+len(c.Relation))
	}
	var err *value.Error
	if c.Left, err = d.FindVariable(left); err != nil {
		return c, err
	}
	if d.Profiles[c.Left].Table {
		return c, value.Problem("input.invalid_table", d.Variables[c.Left].Key, "one value is expected, not a table")
	}
	if c.Right, err = d.NamedVariable(right); err != nil {
		return c, err
	}
	if c.Right >= 0 {
		return c, nil
	}
	v, _, errs := input.ParseValue(&d.Scope, c.Left, value.Scalar(right), env)
	if len(errs) > 0 {
		return c, &errs[0]
	}
	c.Value, _ = v.Single()
	return c, nil
}

func (d *Domain) noCondition(text string, at int) *value.Error {
	err := value.Problem("input.syntax_error", input.Quoted(text))
	offset := utf8.RuneCountInString(text[:at])
	err.Offset = &offset
	return err
}
