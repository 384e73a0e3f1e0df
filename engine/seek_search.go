package engine

import (
	"math"
	"slices"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

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
	m := &solve.Minimum{Objective: s.ask.Objective.Variable, Sign: s.sign(), Axes: s.solveAxes(), Floor: math.Inf(-1)}
	for _, w := range s.ask.Where {
		if w.Left == m.Objective && w.Right < 0 && w.atMost() == s.ask.Greatest {
			edge := formula.Enclose(s.domain.asDeclared(s.ctx, w.Left, w.Value).SI(s.ctx))
			floor := edge.Lo
			if s.ask.Greatest {
				floor = -edge.Hi
			}
			m.Floor = math.Max(m.Floor, floor)
		}
	}
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
