package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// month is how long a month is as a duration, in seconds: a twelfth of a Julian year.
const month = 2629800

// calendarSteps refuses to find a date from months or years: they have no length in days, and their
// average would lead to half past seven in the morning. Equations step the calendar by add_months
// and add_years.
func (v *derivation) calendarSteps(s solve.Step) *value.Error {
	moment := func(r int) bool { return v.domain.Profiles[r].Moment }
	if !slices.ContainsFunc(s.Outputs, moment) {
		return nil
	}
	for _, a := range s.Activities {
		e := v.domain.equations[a]
		if !slices.ContainsFunc(e.Refs, moment) {
			continue
		}
		for _, r := range e.Refs {
			if moment(r) || slices.Contains(s.Outputs, r) || v.Units[r] == nil {
				continue
			}
			q := units.FromSI(v.Machine.Context, v.Machine.Values[r], v.Units[r])
			if v.domain.Variables[r].Kind == "duration" && wholeMonths(q) {
				q = units.FromSI(v.Machine.Context, v.Machine.Values[r], v.domain.Table.Lookup("mo"))
			}
			if inMonths(q.Unit) {
				return monthsProblem(e, q)
			}
		}
		for _, n := range e.Literals {
			if inMonths(n.Unit) {
				return monthsProblem(e, units.Quantity{Number: decimal.Int(1), Unit: n.Unit})
			}
		}
	}
	return nil
}

func monthsProblem(e *formula.Equation, q units.Quantity) *value.Error {
	return value.Problem("calculation.domain_error", e.Title, "a date ± months", q.String())
}

// inMonths is true of months, years and their multiples, standing alone.
func inMonths(u *units.Unit) bool {
	return u != nil && u.Dimension() == units.Time && wholeMonths(units.Quantity{Number: decimal.Int(1), Unit: u})
}

// wholeMonths is true of a duration that months or years were written for; one held in seconds does
// not say so itself.
func wholeMonths(q units.Quantity) bool {
	c := decimal.NewContext(value.DefaultBudget)
	n := c.Quo(q.SI(c), decimal.Int(month))
	return n.IsInteger() && !n.IsZero() && c.Err() == nil
}
