package solve

import (
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// choiceStep finds the choice of a variable that satisfies an equation, by trying all of them. Of
// several none is better. Where none does, those count whose difference is no more than the digits
// that results are shown with leave open: a value may be one that was calculated with a choice.
func (s *Solver) choiceStep(step Step) *value.Error {
	v, e := step.Variable, s.Equations[step.Activity]
	found := s.keep(e, v, s.Scope.Profiles[v].Choices)
	if len(found) == 0 {
		for _, c := range s.Scope.Profiles[v].Choices {
			if s.Values[v] = c; s.Nearly(e) && s.Allowed(v, c) {
				found = append(found, c)
			}
		}
	}
	if s.Context.Err() != nil {
		return s.Failure(e, v)
	}
	s.note(Tried)
	s.noteRoots(formula.Preimage{Roots: found})
	if len(found) > 1 {
		return s.severalChoices(v, found)
	}
	return s.takeWhole(step, found)
}

// chosen is the choice that a root of a variable stands for.
func (s *Solver) chosen(v int, choices formula.Decimals, root decimal.Decimal) (decimal.Decimal, *value.Error) {
	for _, c := range choices {
		miss := s.Context.Sub(root, c).Abs()
		if miss.Cmp(s.Context.Mul(nearWhole, formula.Extreme(formula.Decimals{c.Abs(), decimal.Int(1)}, 1))) <= 0 {
			return c, nil
		}
	}
	return root, value.Problem("calculation.no_solution", s.Key(v))
}

func (s *Solver) severalChoices(v int, found formula.Decimals) *value.Error {
	labels := make([]string, len(found))
	for i, c := range found {
		labels[i] = s.Scope.Declared[v].Label(c)
	}
	return value.Problem("calculation.multiple_solutions", s.Key(v), strings.Join(labels, ", "))
}

// manyChoices is the error where the solutions of a block differ in the choice of a variable, nil
// where they do not.
func (s *Solver) manyChoices(step Step, found []formula.Decimals) *value.Error {
	for i, o := range step.Outputs {
		if s.Scope.Profiles[o].Choices == nil {
			continue
		}
		var list formula.Decimals
		for _, solution := range found {
			if !slices.ContainsFunc(list, func(c decimal.Decimal) bool { return c.Cmp(solution[i]) == 0 }) {
				list = append(list, solution[i])
			}
		}
		if len(list) > 1 {
			return s.severalChoices(o, list)
		}
	}
	return nil
}
