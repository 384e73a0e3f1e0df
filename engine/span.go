package engine

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/value"
)

// maxSpanCost bounds the search for what a rectangular system determines.
const maxSpanCost = 100_000

// span is the search for linear equations that determine a target together though they leave others
// of their unknowns open, as a + b + c = 10 and a + b = 4 determine c: counting equations and
// unknowns does not show it, the values of their coefficients do.
type span struct {
	agreement
	planner    *planner
	target     int
	supposed   bool  // some values are supposed: what takes a search is not worth it
	activities []int // that the target is tied to by unknowns, ascending
	unknowns   []int // of those but the target, ascending
}

// findSpan is a plan that ends with such equations, nil where there are none. against lists given
// values with which such equations exclude one another.
func (d *Domain) findSpan(env value.Env, facts []Fact, target int, bans []solve.Step) (found *plan, against []contradiction) {
	return d.findSpanWith(env, maxSpanCost, facts, nil, target, bans)
}

// findSpanWith is findSpan at a cost, where more variables are known, with any values.
func (d *Domain) findSpanWith(env value.Env, cost int, facts []Fact, more []int, target int, bans []solve.Step) (found *plan, against []contradiction) {
	g := d.givenOf(facts, target)
	for _, v := range more {
		g[v] |= 1 << Stated
	}
	for _, remembered := range []bool{false, true} {
		if remembered && !slices.ContainsFunc(facts, func(f Fact) bool { return f.Tier == Remembered }) {
			break
		}
		p := &planner{d: d, meter: env.Meter, bans: bans, g: g, target: target, remembered: remembered}
		if p.forward() || env.Meter.Over() {
			return nil, nil
		}
		m := d.machines.Take(env)
		s := &span{agreement: d.newAgreement(m), planner: p, target: target, supposed: len(more) > 0}
		m.Within(cost, func() {
			s.load(s.leaves(facts))
			for _, v := range more {
				s.known[v] = true
				m.Values[v] = decimal.FromFloat(s.someValue(v))
			}
			found, against = s.find()
		})
		d.machines.Release(m)
		if found != nil {
			break
		}
	}
	return found, against
}

// someValue is a value that a variable may have, like any other.
func (s *span) someValue(v int) float64 {
	share := math.Mod(float64(v+1)*math.Phi, 1)
	low, high := s.Scope.Profiles[v].Range()
	switch lowest, highest := math.IsInf(low, 0), math.IsInf(high, 0); {
	case !lowest && !highest:
		return low + share*(high-low)
	case !highest:
		return high - 1 - share
	case !lowest:
		return low + 1 + share
	}
	return 1 + share
}

// find takes what the equations determine of the other unknowns as known, too, and goes on from
// there until they determine the target.
func (s *span) find() (*plan, []contradiction) {
	p := s.planner
	for {
		// What is not found after all is one more unknown, and may tie the target to more activities.
		for before := -1; before != len(s.unknowns); {
			before = len(s.unknowns)
			s.connect()
			s.follow()
			if s.Limited() || len(s.activities) == 0 {
				return nil, nil
			}
		}
		told := s.Span(s.activities, s.unknowns, s.target)
		if s.Limited() {
			return nil, nil
		}
		var against []contradiction
		for _, c := range told.Against {
			if s.excludes(c) {
				against = append(against, contradiction{Activity: c.Activities[len(c.Activities)-1], Variables: s.behind(c.Activities)})
			}
		}
		if told.Tells != nil && s.takes(s.target, told.Tells) {
			p.begin()
			return p.best, against
		}
		if !s.others(told.Determined) {
			return nil, nil
		}
		if p.follow(false); p.known[s.target] {
			p.begin()
			return p.best, against
		}
	}
}

// others takes unknowns that the equations determine as known, and reports whether there are some.
func (s *span) others(determined []int) bool {
	some := false
	for _, v := range determined {
		if s.domain.Profiles[v].Discrete() {
			continue
		}
		unknowns := slices.DeleteFunc(append(slices.Clone(s.unknowns), s.target), func(u int) bool { return u == v })
		told := s.Span(s.activities, unknowns, v)
		if s.Limited() || told.Tells == nil || !s.takes(v, told.Tells) {
			continue
		}
		s.planner.known[v], s.known[v], some = true, true, true
		s.planner.order = append(s.planner.order, v)
		s.dims[v] = s.domain.Profiles[v].Resolved
		s.origins[v] = s.behind(told.Tells.Activities)
		if s.unknowns = unknowns; v != s.target {
			s.unknowns = slices.DeleteFunc(unknowns, func(u int) bool { return u == s.target })
		}
	}
	return some
}

// takes makes a combination the way to a variable.
func (s *span) takes(v int, told *solve.Combination) bool {
	o := &block{activities: told.Activities, outputs: s.domain.ids[v : v+1]}
	if s.planner.banned(o.activities, v) || s.TryErr() != nil {
		return false
	}
	for _, a := range o.activities {
		for _, r := range s.domain.equations[a].Refs {
			switch {
			case r == v:
			case s.known[r]:
				o.inputs = append(o.inputs, r)
			default:
				o.open = append(o.open, r)
			}
		}
	}
	for _, list := range []*[]int{&o.inputs, &o.open} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	s.planner.via[v] = o
	return true
}

// leaves are the facts that count, all as if they were stated.
func (s *span) leaves(facts []Fact) []Fact {
	var list []Fact
	for _, f := range facts {
		if tier, leaf := s.planner.g.leafTier(f.Variable, s.planner.remembered); leaf && tier == f.Tier {
			f.Tier = Stated
			list = append(list, f)
		}
	}
	return list
}

// connect finds the activities that the target is tied to by unknowns.
func (s *span) connect() {
	d := s.domain
	seen, tied := make([]bool, len(d.Profiles)), make([]bool, len(d.equations))
	seen[s.target] = true
	looks := 0
	for stack := []int{s.target}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, a := range d.users[v] {
			e := d.equations[a]
			if tied[a] || d.isConstraint(a) || !e.Active || e.Whole || s.withheld(e) {
				continue
			}
			tied[a] = true
			looks += len(e.Refs)
			for _, r := range e.Refs {
				if !seen[r] && !s.planner.known[r] {
					seen[r] = true
					stack = append(stack, r)
				}
			}
		}
	}
	seen[s.target] = false
	s.activities, s.unknowns = positionsOf(tied), positionsOf(seen)
	s.planner.meter.Look(looks + len(seen) + len(tied))
}

// withheld reports whether an equation has an unknown that is not to be calculated with it, or a
// table that is not known.
func (s *span) withheld(e *formula.Equation) bool {
	for i, r := range e.Refs {
		if (r == s.target || !s.planner.known[r]) && (!e.Calculable[i] || s.domain.Profiles[r].Table) {
			return true
		}
	}
	return false
}

// positionsOf lists where a list is true.
func positionsOf(list []bool) (at []int) {
	for i, is := range list {
		if is {
			at = append(at, i)
		}
	}
	return at
}

// follow finds what is known of the activities.
func (s *span) follow() {
	p, d := s.planner, s.domain
	needed := make([]bool, len(p.via))
	for _, a := range s.activities {
		for _, v := range d.equations[a].Refs {
			needed[v] = p.known[v]
		}
	}
	for _, v := range slices.Backward(p.order) {
		if needed[v] && !s.known[v] {
			for _, r := range p.via[v].inputs {
				needed[r] = true
			}
		}
	}
	for _, v := range p.order {
		if !needed[v] || s.known[v] {
			continue
		}
		o := p.via[v]
		step := solve.Step{Variable: v, Activity: o.activities[0], Activities: o.activities, Outputs: o.outputs}
		known := (!s.supposed || isDirect(d, o)) && !d.equations[step.Activity].Whole && !d.Profiles[v].Table &&
			!slices.ContainsFunc(o.inputs, func(r int) bool { return !s.known[r] && !slices.Contains(o.outputs, r) })
		if known && s.Step(step) == nil && s.TryErr() == nil {
			for _, r := range o.outputs {
				s.known[r] = true
				if s.dims[r] = d.Profiles[r].Resolved; len(o.activities) == 1 {
					s.origins[r] = s.from(d.equations[o.activities[0]])
					s.follows = append(s.follows, step)
				}
			}
		} else if s.TryErr(); s.Limited() {
			return
		}
	}
	for _, v := range p.order {
		p.known[v] = p.known[v] && (s.known[v] || !needed[v])
	}
}

// isDirect reports whether a variable stands once in the one activity that yields it.
func isDirect(d *Domain, o *block) bool {
	e := d.equations[o.activities[0]]
	return len(o.activities) == 1 && e.Count[e.Position(o.outputs[0])] == 1
}

// excludes reports whether what is left of a combination, which should be 0, is more than the
// digits of the given values leave open.
func (s *span) excludes(c solve.Combination) bool {
	s.widen()
	var open decimal.Decimal
	for i, a := range c.Activities {
		e := s.domain.equations[a]
		if s.mixes(e) {
			return false
		}
		open = s.Context.Add(open, s.Context.Mul(c.Times[i].Abs(), s.moved(e, -1, s.difference(e))))
	}
	return s.TryErr() == nil && c.Rest.Abs().Cmp(open) > 0
}

// behind lists the given values that activities rest on, in domain order.
func (s *span) behind(activities []int) []int {
	var list []int
	for _, a := range activities {
		list = append(list, s.from(s.domain.equations[a])...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
