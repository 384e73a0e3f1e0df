package engine

import (
	"math"
	"slices"

	"reckon/engine/decimal"
)

// maxTearCost bounds the cost of a search over torn blocks; what is not found by then is given up.
const maxTearCost = 60_000

// torn is an order in which a block follows from a guess of one variable: each step solves an activity for a variable,
// and the last activity is left as a check.
type torn struct {
	variable int
	steps    []planStep
	check    int
}

// tearings lists the ways to tear a block, those of the target first.
func (v *solver) tearings(s planStep) []torn {
	var list []torn
	variables := slices.Clone(s.outputs)
	slices.SortStableFunc(variables, func(a, b int) int { return btoi(b == s.variable) - btoi(a == s.variable) })
	for _, guess := range variables {
		t := torn{variable: guess, check: -1}
		left := slices.Clone(s.block)
		unknown := slices.DeleteFunc(slices.Clone(s.outputs), func(o int) bool { return o == guess })
		for progress := true; progress && len(unknown) > 0; {
			progress = false
			for i, a := range left {
				e := v.equations[a]
				open := slices.DeleteFunc(slices.Clone(unknown), func(o int) bool { return e.position(o) < 0 })
				if len(open) != 1 || !e.solves(open[0]) || e.count[e.position(open[0])] != 1 {
					continue
				}
				t.steps = append(t.steps, planStep{variable: open[0], activity: a})
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
func (v *solver) tear(s planStep) (*Error, error) {
	m := v
	for _, t := range v.tearings(s) {
		check := v.equations[t.check]
		follow := func(x decimal.Decimal) bool {
			m.values[t.variable] = x
			for _, step := range t.steps {
				p, err := m.solutions(v.equations[step.activity], step.variable)
				if m.tryErr() != nil || err != nil || p.infinite {
					return false
				}
				root, problem := v.choose(step.variable, step.activity, p)
				if problem != nil {
					return false
				}
				m.values[step.variable] = root
			}
			return true
		}
		seek := &seeker{m: m, v: t.variable}
		seek.difference = func(x decimal.Decimal) (decimal.Decimal, bool) {
			if !follow(x) {
				return decimal.Decimal{}, false
			}
			f := m.c.Sub(m.eval(check.left), m.eval(check.right))
			return f, m.tryErr() == nil
		}
		seek.value = func(x float64) (float64, float64) {
			f, ok := seek.difference(decimal.FromFloat(x))
			if !ok {
				return math.NaN(), 0
			}
			size := math.Abs(m.eval(check.left).Float64()) + math.Abs(m.eval(check.right).Float64())
			m.tryErr()
			return f.Float64(), size
		}
		holds := func(x decimal.Decimal) bool {
			if !follow(x) {
				return false
			}
			for _, a := range s.block {
				if !m.satisfied(v.equations[a]) {
					return false
				}
			}
			return true
		}
		roots := seek.roots(func(values decimals) decimals {
			return slices.DeleteFunc(slices.Clone(values), func(x decimal.Decimal) bool { return !holds(x) })
		})
		if m.limited() {
			return nil, errNotConverged
		}
		if len(roots) == 0 {
			continue
		}
		root, problem := v.choose(t.variable, s.activity, preimage{roots: roots})
		if problem != nil {
			return problem, nil
		}
		// Equations that depend on one another hold everywhere, and so say nothing about the unknowns.
		if beside := m.c.Add(m.c.Mul(root, decimal.MustParse("1.001")), decimal.MustParse("0.001")); m.tryErr() == nil && holds(beside) {
			return nil, errManySolutions
		}
		if holds(root) {
			return nil, nil
		}
	}
	return nil, errNotConverged
}
