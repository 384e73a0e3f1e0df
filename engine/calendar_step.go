package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/solve"
	"reckon/engine/units"
	"reckon/engine/value"
)

// calendarSteps refuses to find a date from months or years: they have no length in days, and their
// average would lead to half past seven in the morning. How many months there are is a plain
// number, as of term / 1 [mo], and leads to no date. Whole months that an equation itself names
// beside a date step the calendar (formula.StepMonths); others do by add_months and add_years.
func (v *derivation) calendarSteps(s *solve.Step) *value.Error {
	if !slices.ContainsFunc(s.Outputs, func(o int) bool { return v.isMoment(o, s.Activities) }) {
		return nil
	}
	for _, a := range s.Activities {
		e := v.domain.equations[a]
		if !slices.ContainsFunc(e.Refs, func(r int) bool { return v.isMoment(r, s.Activities) }) {
			continue
		}
		moving, literals := e.Durations()
		for _, r := range moving {
			if v.domain.Profiles[r].Moment || slices.Contains(s.Outputs, r) || v.Units[r] == nil {
				continue
			}
			q := units.FromSI(v.Machine.Context, v.Machine.Values[r], v.Units[r])
			days := units.FromSI(v.Machine.Context, v.Machine.Values[r], v.domain.Table.Lookup("d"))
			written := v.domain.Variables[r].Kind == "duration" || !days.Number.IsInteger()
			if q.Unit.Dimension() == units.Time && !formula.InMonths(q.Unit) && written && inCalendar(q) {
				q = units.FromSI(v.Machine.Context, v.Machine.Values[r], v.domain.Table.Lookup("mo"))
			}
			if formula.InMonths(q.Unit) {
				return monthsProblem(e, q)
			}
		}
		for _, n := range literals {
			if formula.InMonths(n.Unit) {
				return monthsProblem(e, units.FromSI(v.Machine.Context, n.Value, n.Unit))
			}
		}
	}
	return nil
}

// isMoment is true of a variable that is a date, be it that some activities alone say so.
func (v *derivation) isMoment(variable int, activities []int) bool {
	p := &v.domain.Profiles[variable]
	if p.Moment || p.Declared {
		return p.Moment
	}
	return slices.ContainsFunc(activities, func(a int) bool {
		e := v.domain.equations[a]
		if !e.CheckPoints || e.Position(variable) < 0 {
			return false
		}
		if dim, known := v.dimensionOf(variable); !known || dim != units.Time {
			return false
		}
		switch formula.PointnessOf(e, variable, v.weightOf) {
		case formula.IsPoint:
			return true
		case formula.Unclear:
			return v.takesSeconds(e)
		}
		return false
	})
}

// takesSeconds reports whether an equation takes cells that were given in seconds, which dates are
// and durations beside months hardly.
func (v *derivation) takesSeconds(e *formula.Equation) bool {
	seconds := func(u *units.Unit) bool { return u != nil && u.Dimension() == units.Time && u.IsSI() }
	return slices.ContainsFunc(e.Refs, func(r int) bool {
		return v.domain.Profiles[r].Table && (seconds(v.Units[r]) || slices.ContainsFunc(v.columns[r], seconds))
	})
}

func monthsProblem(e *formula.Equation, q units.Quantity) *value.Error {
	return value.Problem("calculation.domain_error", e.Title, "a date ± months", q.String())
}

// mostDays is how many days may stand behind months: 1 month 3 days.
const mostDays = 31

// inCalendar is true of a duration that months or years were written for, be it parts of them or
// days behind them; one held in seconds does not say so itself. A month has 487 × 5400 seconds: no
// other unit has that factor.
func inCalendar(q units.Quantity) bool {
	c := decimal.NewContext(value.DefaultBudget)
	si := q.SI(c)
	if c.Quo(si, decimal.Int(86400)).IsInteger() {
		return formula.WholeMonths(q)
	}
	if hundredths := c.Quo(c.Mul(si, decimal.Int(100)), decimal.Int(formula.Month)); hundredths.IsInteger() && c.Err() == nil {
		return true
	}
	for days := int64(-mostDays); days <= mostDays; days++ {
		rest := c.Sub(si, decimal.Int(days*86400))
		if n := c.Quo(rest, decimal.Int(formula.Month)); n.IsInteger() && !n.IsZero() && c.Err() == nil {
			return true
		}
	}
	return false
}
