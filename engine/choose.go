package engine

import (
	"cmp"
	"slices"
	"strings"

	"reckon/engine/decimal"
)

// choose takes one of several roots: within bounds, positive ones first, then the one nearest to the value before, else the
// smallest.
func (v *solver) choose(variable, activity int, p preimage) (decimal.Decimal, *Error) {
	m := v
	allowed := func(list decimals) decimals {
		kept := make(decimals, 0, len(list))
		for _, t := range list {
			if !v.allowed(variable, t) {
				continue
			}
			if !slices.ContainsFunc(kept, func(k decimal.Decimal) bool { return compare(m.c, k, t) == 0 }) {
				kept = append(kept, t)
			}
		}
		return kept
	}
	var roots decimals
	if len(p.roots) != 1 {
		roots = allowed(p.roots)
	} else if t := p.roots[0]; v.allowed(variable, t) {
		return t, nil
	}
	if len(roots) == 0 {
		roots = allowed(p.more)
	}
	if len(roots) == 0 {
		problem := Problem("calculation.no_solution", v.key(variable))
		return decimal.Decimal{}, &problem
	}
	if len(roots) == 1 {
		return roots[0], nil
	}
	slices.SortFunc(roots, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	best := roots
	var rest decimals // what follows best in its memory
	if !v.isScale(variable) {
		up := func(t decimal.Decimal) bool { return t.Sign() > 0 }
		if first := slices.IndexFunc(roots, up); first >= 0 {
			all := append(append(make(decimals, 0, len(roots)), roots[first:]...), roots[:first]...)
			best, rest = all[:len(roots)-first], all[len(roots)-first:]
		}
	}
	if v.strict && len(best) > maxFoundRoots {
		problem := Problem("calculation.multiple_solutions", v.key(variable), "infinitely many")
		return decimal.Decimal{}, &problem
	}
	if v.strict && len(best) > 1 {
		var list []string
		for _, t := range best {
			list = append(list, v.shown(variable, activity, t))
		}
		problem := Problem("calculation.multiple_solutions", v.key(variable), strings.Join(list, ", "))
		return decimal.Decimal{}, &problem
	}
	near := v.near(variable)
	// Without a value to be near to, positive roots come before zero and that before negative ones, the smallest first.
	order := func(a, b decimal.Decimal) int {
		if near != nil {
			return m.c.Sub(a, *near).Abs().Cmp(m.c.Sub(b, *near).Abs())
		}
		return cmp.Or(cmp.Compare(b.Sign(), a.Sign()), a.Abs().Cmp(b.Abs()))
	}
	slices.SortStableFunc(best, order)
	slices.SortStableFunc(rest, order)
	return v.pick(best[:len(best)+len(rest)]), nil
}

// allowed reports whether a variable may have a value: it is within bounds, and no temperature below 0 K.
func (v *solver) allowed(variable int, t decimal.Decimal) bool {
	m, w := v, &v.scope.profiles[variable]
	if w.min != nil && compare(m.c, t, *w.min) < 0 || w.max != nil && compare(m.c, t, *w.max) > 0 {
		return false
	}
	if w.moment && (t.Cmp(earliest) < 0 || t.Cmp(latest) >= 0) {
		return false
	}
	return t.Sign() >= 0 || !v.absolute(variable)
}

// absolute reports whether a variable is a temperature that cannot be below 0 K.
func (v *solver) absolute(variable int) bool {
	w := &v.scope.profiles[variable]
	return w.unit != nil && w.unit.IsPoint() || variable == v.target && v.asked != nil && v.asked.IsPoint()
}

// pick is which of several roots, the best first, is tried this time.
func (v *solver) pick(roots decimals) decimal.Decimal {
	if v.guessing || len(roots) == 1 {
		return roots[0]
	}
	at := len(v.sizes)
	v.sizes = append(v.sizes, len(roots))
	if at < len(v.path) {
		return roots[min(v.path[at], len(roots)-1)]
	}
	return roots[0]
}
