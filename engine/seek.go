package engine

import (
	"math"
	"slices"
	"strconv"

	"reckon/engine/decimal"
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
		unbounded := make([]solve.OpenAxis, len(s.axes))
		for i, a := range s.axes {
			unbounded[i] = solve.OpenAxis{Below: math.IsInf(a.Lo, -1), Above: math.IsInf(a.Hi, 1)}
		}
		if err := s.missingBound(unbounded); err != nil {
			return Optimum{}, []value.Error{*err}
		}
	}
	if points, few := s.all(); few {
		s.enumerate(m, points)
	} else {
		m.Run()
	}
	if m.At == nil && m.Open == nil && s.best == nil && s.first != nil && s.extension == nil {
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
		if err := s.missingBound(m.Open); err != nil {
			return o, []value.Error{*err}
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
	if err := s.missingBound(m.Open); err != nil && gap > m.Gap() {
		return o, []value.Error{*err}
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
