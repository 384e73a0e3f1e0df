package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// maxTearCost bounds the cost of a search over torn blocks; what is not found by then is given up.
const maxTearCost = 60_000

// torn is an order in which a block follows from a guess of one variable: each step solves an
// activity for a variable, and the last activity is left as a check.
type torn struct {
	variable int
	steps    []Step
	check    int
}

// tearings lists the ways to tear a block, those of the target first.
func (s *Solver) tearings(step Step) []torn {
	var list []torn
	for _, guess := range step.targetFirst() {
		t := torn{variable: guess, check: -1}
		left := slices.Clone(step.Activities)
		unknown := slices.DeleteFunc(slices.Clone(step.Outputs), func(o int) bool { return o == guess })
		for progress := true; progress && len(unknown) > 0; {
			progress = false
			for i, a := range left {
				e := s.Equations[a]
				open := slices.DeleteFunc(slices.Clone(unknown), func(o int) bool { return e.Position(o) < 0 })
				if len(open) != 1 || !e.Solves(open[0]) || e.Count[e.Position(open[0])] != 1 {
					continue
				}
				t.steps = append(t.steps, Step{Variable: open[0], Activity: a})
				left = slices.Delete(left, i, i+1)
				unknown = slices.DeleteFunc(unknown, func(o int) bool { return o == open[0] })
				progress = true
				break
			}
		}
		if len(unknown) == 0 && len(left) == 1 {
			t.check = left[0]
			list = append(list, t)
		}
	}
	return list
}

// tear searches the value of one variable of a block with which all its equations hold.
func (s *Solver) tear(step Step) (*value.Error, error) {
	for _, t := range s.tearings(step) {
		check := s.Equations[t.check]
		follow := func(x decimal.Decimal) bool {
			s.Values[t.variable] = x
			for _, step := range t.steps {
				p, err := s.solutions(s.Equations[step.Activity], step.Variable)
				if s.TryErr() != nil || err != nil || p.Infinite {
					return false
				}
				root, problem := s.Choose(step.Variable, step.Activity, p)
				if problem != nil {
					return false
				}
				s.Values[step.Variable] = root
			}
			return true
		}
		seek := &seeker{solver: s, variable: t.variable}
		seek.difference = func(x decimal.Decimal) (decimal.Decimal, bool) {
			if !follow(x.Exactly()) {
				return decimal.Decimal{}, false
			}
			f := s.Context.Sub(s.Eval(check.Left), s.Eval(check.Right))
			return f, s.TryErr() == nil
		}
		seek.value = func(x float64) (float64, float64) {
			f, ok := seek.difference(decimal.FromFloat(x))
			if !ok {
				return math.NaN(), 0
			}
			size := math.Abs(s.Eval(check.Left).Float64()) + math.Abs(s.Eval(check.Right).Float64())
			s.TryErr()
			return f.Float64(), size
		}
		holds := func(x decimal.Decimal) bool {
			return follow(x) && !slices.ContainsFunc(step.Activities, func(a int) bool { return !s.Satisfied(s.Equations[a]) })
		}
		roots := seek.roots(func(values formula.Decimals) formula.Decimals {
			return slices.DeleteFunc(seek.sure(values), func(x decimal.Decimal) bool { return !holds(x) })
		})
		if s.Limited() {
			return nil, formula.ErrNotConverged
		}
		if len(roots) == 0 {
			continue
		}
		root, problem := s.Choose(t.variable, step.Activity, formula.Preimage{Roots: roots})
		if problem != nil {
			return problem, nil
		}
		// Equations that depend on one another hold everywhere, and so say nothing about the unknowns.
		if beside := s.Context.Add(s.Context.Mul(root, decimal.MustParse("1.001")), decimal.MustParse("0.001")); s.TryErr() == nil && holds(beside) {
			return nil, ErrManySolutions
		}
		if holds(root) {
			return nil, nil
		}
	}
	return nil, formula.ErrNotConverged
}
