package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
)

// searched says how a root was found.
func (x *explainer) searched(s *ExplainedStep, v, activity int, account solve.Account) {
	s.Search = &ExplainedSearch{Evaluations: account.Steps}
	at := x.Values[v].Float64()
	for _, b := range account.Brackets {
		if b.Low <= at && at <= b.High {
			s.Search.Low, s.Search.High = x.roughly(v, b.Low), x.roughly(v, b.High)
			s.Search.Iterations = b.Steps
		}
	}
}

// Why one of several roots was taken, and why another was not.
const (
	whyAllowed  = "It is the only one within the bounds of the variable."
	whyPositive = "It is the only positive one."
	whyNear     = "It is the nearest to the default."
	whyLeast    = "It is the smallest."
	whyFits     = "The other values of the scenario, or the value before, leave this one."

	notAllowed  = "out of bounds"
	notPositive = "not positive"
	notNear     = "further from the default"
	notLeast    = "larger"
	notFitting  = "does not fit the other values"
)

// maxOthers is how many other roots are listed, those nearest to the one that was taken.
const maxOthers = 4

// choice says why a root was taken, where there were several.
func (x *explainer) choice(s *ExplainedStep, v, activity int, account solve.Account) {
	found := x.Values[v]
	var others formula.Decimals
	for _, r := range account.Roots {
		if !alike(r, found) && !slices.ContainsFunc(others, func(o decimal.Decimal) bool { return alike(o, r) }) {
			others = append(others, r)
		}
	}
	if len(others) == 0 {
		return
	}
	slices.SortStableFunc(others, func(a, b decimal.Decimal) int {
		return x.Context.Sub(a, found).Abs().Cmp(x.Context.Sub(b, found).Abs())
	})
	near, scale := x.domain.Profiles[v].Hint, x.IsScale(v)
	distance := func(r decimal.Decimal) decimal.Decimal {
		if near != nil {
			return x.Context.Sub(r, *near).Abs()
		}
		return r.Abs()
	}
	why := map[string]bool{}
	for _, r := range others {
		reason := notFitting
		switch {
		case !x.Allowed(v, r):
			reason = notAllowed
		case r.Sign() <= 0 && found.Sign() > 0 && !scale:
			reason = notPositive
		case distance(r).Cmp(distance(found)) > 0 && near != nil:
			reason = notNear
		case distance(r).Cmp(distance(found)) > 0:
			reason = notLeast
		}
		why[reason] = true
		if len(s.Others) < maxOthers {
			s.Others = append(s.Others, ExplainedRoot{x.inUnitOf(v, r), reason})
		}
	}
	x.TryErr()
	switch {
	case why[notFitting]:
		s.Chosen = whyFits
	case why[notNear]:
		s.Chosen = whyNear
	case why[notLeast]:
		s.Chosen = whyLeast
	case why[notPositive]:
		s.Chosen = whyPositive
	default:
		s.Chosen = whyAllowed
	}
}
