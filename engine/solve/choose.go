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
	allowed := func(list formula.Decimals) formula.Decimals {
		kept := make(formula.Decimals, 0, len(list))
		for _, t := range list {
			if !s.Allowed(variable, t) {
				continue
			}
			if !slices.ContainsFunc(kept, func(k decimal.Decimal) bool { return formula.Compare(s.Context, k, t) == 0 }) {
				kept = append(kept, t)
			}
		}
		return kept
	}
	var roots formula.Decimals
	if len(p.Roots) != 1 {
		roots = allowed(p.Roots)
	} else if t := p.Roots[0]; s.Allowed(variable, t) {
		return t, nil
	}
	if len(roots) == 0 {
		roots = allowed(p.More)
	}
	if len(roots) == 0 {
		return decimal.Decimal{}, value.Problem("calculation.no_solution", s.Key(variable))
	}
	if len(roots) == 1 {
		return roots[0], nil
	}
	slices.SortFunc(roots, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	best := roots
	var rest formula.Decimals // what follows best in its memory
	if !s.IsScale(variable) {
		up := func(t decimal.Decimal) bool { return t.Sign() > 0 }
		if first := slices.IndexFunc(roots, up); first >= 0 {
			all := append(append(make(formula.Decimals, 0, len(roots)), roots[first:]...), roots[:first]...)
			best, rest = all[:len(roots)-first], all[len(roots)-first:]
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
	return s.pick(best[:len(best)+len(rest)]), nil
}

// Allowed reports whether a variable may have a value: it is within bounds, and no temperature
// below 0 K.
func (s *Solver) Allowed(variable int, t decimal.Decimal) bool {
	w := &s.Scope.Profiles[variable]
	if w.Min != nil && formula.Compare(s.Context, t, *w.Min) < 0 || w.Max != nil && formula.Compare(s.Context, t, *w.Max) > 0 {
		return false
	}
	if w.Moment && (t.Cmp(formula.Earliest) < 0 || t.Cmp(formula.Latest) >= 0) {
		return false
	}
	return t.Sign() >= 0 || !s.Absolute(variable)
}

// Absolute reports whether a variable is a temperature that cannot be below 0 K.
func (s *Solver) Absolute(variable int) bool {
	w := &s.Scope.Profiles[variable]
	return w.Unit != nil && w.Unit.IsPoint() || variable == s.Target && s.Asked != nil && s.Asked.IsPoint()
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
