package solve

import (
	"cmp"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// Choose takes one of several roots: within bounds, positive ones first, then the one nearest to
// the value before, else the smallest.
func (s *Solver) Choose(variable, activity int, p formula.Preimage) (decimal.Decimal, *value.Error) {
	if len(p.Roots) == 1 && s.Allowed(variable, p.Roots[0]) {
		return p.Roots[0], nil
	}
	allowed := func(list formula.Decimals) formula.Decimals {
		kept := make(formula.Decimals, 0, len(list))
		for _, t := range list {
			if s.Allowed(variable, t) && !s.contains(kept, t) {
				kept = append(kept, t)
			}
		}
		return kept
	}
	roots := allowed(p.Roots)
	if len(roots) == 0 {
		roots = allowed(p.More)
	}
	if len(roots) == 0 {
		return decimal.Decimal{}, s.noneOf(variable)
	}
	if len(roots) == 1 {
		return roots[0], nil
	}
	slices.SortFunc(roots, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	best, rest := roots, roots[len(roots):]
	if !s.IsScale(variable) {
		if first := slices.IndexFunc(roots, func(t decimal.Decimal) bool { return t.Sign() > 0 }); first >= 0 {
			roots = slices.Concat(roots[first:], roots[:first])
			best, rest = roots[:len(roots)-first], roots[len(roots)-first:]
		}
	}
	if s.Strict && len(best) > maxFoundRoots {
		return decimal.Decimal{}, value.Problem("calculation.multiple_solutions", s.Key(variable), "infinitely many")
	}
	if s.Strict && len(best) > 1 {
		var list []string
		for _, t := range best {
			list = append(list, s.Shown(variable, activity, t))
		}
		return decimal.Decimal{}, value.Problem("calculation.multiple_solutions", s.Key(variable), strings.Join(list, ", "))
	}
	near := s.Near(variable)
	// Without a value to be near to, positive roots come before zero and that before negative ones,
	// the smallest first.
	order := func(a, b decimal.Decimal) int {
		if near != nil {
			return s.Context.Sub(a, *near).Abs().Cmp(s.Context.Sub(b, *near).Abs())
		}
		return cmp.Or(cmp.Compare(b.Sign(), a.Sign()), a.Abs().Cmp(b.Abs()))
	}
	slices.SortStableFunc(best, order)
	slices.SortStableFunc(rest, order)
	return s.pick(roots), nil
}

// distinct leaves out what is there already, rounding aside.
func (s *Solver) distinct(list formula.Decimals) formula.Decimals {
	kept := make(formula.Decimals, 0, len(list))
	for _, t := range list {
		if !s.contains(kept, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// contains reports whether a number is in a list, rounding aside.
func (s *Solver) contains(list formula.Decimals, t decimal.Decimal) bool {
	return slices.ContainsFunc(list, func(o decimal.Decimal) bool { return formula.Compare(s.Context, o, t) == 0 })
}

// Allowed reports whether a variable may have a value: it is within bounds, no temperature below
// 0 K, and against no constraint.
func (s *Solver) Allowed(variable int, t decimal.Decimal) bool {
	w := &s.Scope.Profiles[variable]
	if w.Min != nil && formula.Compare(s.Context, t, *w.Min) < 0 || w.Max != nil && formula.Compare(s.Context, t, *w.Max) > 0 {
		return false
	}
	if w.Moment && (t.Cmp(formula.Earliest) < 0 || t.Cmp(formula.Latest) >= 0) {
		return false
	}
	if t.Sign() < 0 && s.Absolute(variable) {
		return false
	}
	if s.Refuses == nil {
		return true
	}
	reason := s.Refuses(variable, t)
	s.refused = cmp.Or(reason, s.refused)
	return reason == ""
}

// noneOf says that no value of a variable is a solution, and why what would be one is not allowed.
func (s *Solver) noneOf(variable int) *value.Error {
	if s.refused != "" {
		return value.Problem("calculation.no_solution", s.Key(variable), s.refused)
	}
	return value.Problem("calculation.no_solution", s.Key(variable))
}

// Absolute reports whether a variable is a temperature that cannot be below 0 K.
func (s *Solver) Absolute(variable int) bool {
	w := &s.Scope.Profiles[variable]
	return w.Unit.IsAbsolute() || s.AskedIn(variable).IsAbsolute()
}

// pick is which of several roots, the best first, is tried this time.
func (s *Solver) pick(roots formula.Decimals) decimal.Decimal {
	if s.guessing || len(roots) == 1 {
		return roots[0]
	}
	at := len(s.Sizes)
	s.Sizes = append(s.Sizes, len(roots))
	if at < len(s.Path) {
		return roots[min(s.Path[at], len(roots)-1)]
	}
	return roots[0]
}
