package formula

import (
	"slices"
	"time"

	"reckon/engine/decimal"
)

// holidays and weekend are the parameters for days that are no working days.
var (
	holidays = param{name: "holidays", dimension: "time", value: "0"}
	weekend  = param{name: "weekend", dimension: "1", value: "0"}
)

// workingDays are the functions of days from Monday to Friday. A call without holidays is inverted;
// one with a table of them is another entry.
var workingDays = []*Entry{
	withHolidays(inverted(between("workdays", "The days from Monday to Friday from one date to another, both counted, less those of a table of holidays, 0 for none; a weekend of other days is a table of their numbers from 1 for Monday to 7;"+
		" negative where the second is earlier. Where a date is asked for, it is such a day.",
		[]example{{"workdays(date(2026, 3, 5), date(2026, 3, 9))", "3"}, {"workdays(date(2026, 3, 9), date(2026, 3, 5))", "-3"},
			{"workdays(date(2026, 3, 7), date(2026, 3, 8))", "0"}, {"workdays(date(2012, 10, 1), date(2013, 3, 1), [date(2012, 11, 22)])", "109"},
			{"workdays(date(2026, 3, 5), date(2026, 3, 9), 0, [5, 6])", "3"}, {"workdays(date(2026, 3, 5), date(2026, 3, 9), [date(2026, 3, 8)], 7)", "4"},
			{"workdays(date(1969, 12, 31), date(1970, 1, 2), 0, 7)", "3"}, {"workdays(date(2026, 3, 5), date(2026, 3, 9), 0, 8)", "! calculation.domain_error"}},
		workdays), countedFrom(workdays)).inSpreadsheets("NETWORKDAYS NETWORKDAYS.INTL"), workdaysBack,
		func(c *decimal.Context, a Decimals, off []int64) decimal.Decimal {
			from, to := datesOf(c, "workdays", a)
			sign := int64(1)
			if to.Before(from) {
				from, to, sign = to, from, -1
			}
			count := workdays(from, to)
			for _, day := range off {
				if day >= dayOf(from) && day <= dayOf(to) {
					count--
				}
			}
			return decimal.Int(sign * count)
		}, countDays),
	withHolidays(shift("add_workdays", "The date n working days, from Monday to Friday, after a date, or before it for a negative n, without the days of"+
		" a table of holidays, 0 for none; a weekend of other days is a table of their numbers from 1 for Monday to 7. n is whole.",
		[]example{{"add_workdays(date(2026, 3, 5), 10)", "2026-03-19"}, {"add_workdays(date(2026, 3, 7), -1)", "2026-03-06"},
			{"add_workdays(date(2008, 10, 1), 151, [date(2008, 11, 26), date(2008, 12, 4), date(2009, 1, 21)])", "2009-05-05"},
			{"add_workdays(date(2026, 3, 5), 2, [date(2026, 3, 8)], [5, 6])", "2026-03-10"}},
		addWorkdays).inSpreadsheets("WORKDAY WORKDAY.INTL"), addWorkdaysBack,
		func(c *decimal.Context, a Decimals, off []int64) decimal.Decimal {
			from, ok := moment(a[0])
			n, whole := Settled(c, a[1]).Int64()
			switch {
			case !ok:
				return refused(c, "add_workdays", a[0])
			case !whole || n > mostShift || n < -mostShift:
				return refused(c, "add_workdays", a[1])
			}
			to := addWorkdays(from, int(n))
			// What is off between pushes the end on, which may take in what is off further on.
			for start := from; ; {
				more := 0
				for _, day := range off {
					if n > 0 && day > dayOf(start) && day <= dayOf(to) {
						more++
					} else if n < 0 && day < dayOf(start) && day >= dayOf(to) {
						more--
					}
				}
				if more == 0 {
					return decimal.Int(to.Unix())
				}
				start, to = to, addWorkdays(to, more)
			}
		}, stepDays),
}

// withHolidays adds holidays and a weekend of other days to an entry. f is about holidays alone,
// which are days from Monday to Friday, sorted, each once; step goes on day by day. back is the
// inverse of what both calculate.
func withHolidays(e *Entry, back func(value func(a ...decimal.Decimal) decimal.Decimal) inverse, f func(c *decimal.Context, a Decimals, off []int64) decimal.Decimal,
	step func(c *decimal.Context, a Decimals, off func(day int64) bool) decimal.Decimal) *Entry {
	params := slices.Clone(e.Params)
	for i := range params {
		params[i].single = true
	}
	tabled := *e
	required, optional := holidays, weekend
	required.value = ""
	required.Lost, optional.Lost = true, true
	tabled.Params = append(params, required, optional)
	tabled.Eval, tabled.Inverse, tabled.tables = nil, nil, true
	tabled.InverseOver = func(c *decimal.Context, args []Grid, k int, t decimal.Decimal) Preimage {
		known, ok := args[1-k].scalar(c)
		if !ok {
			return Preimage{}
		}
		at := make(Decimals, len(params))
		at[1-k] = known
		return back(func(a ...decimal.Decimal) decimal.Decimal {
			all := slices.Concat([]Grid{scalarGrid(a[0]), scalarGrid(a[1])}, args[len(params):])
			value, _ := tabled.Grid(c, all).scalar(c)
			return value
		})(c, at, k, t)
	}
	tabled.Grid = func(c *decimal.Context, args []Grid) Grid {
		a, ok := scalars(c, args[:len(params)])
		if !ok {
			return Grid{}
		}
		var days []int64
		listed := args[len(params)]
		for _, d := range listed.numbers() {
			if listed.Rank == 0 && d.IsZero() {
				break // 0 stands for no holidays
			}
			t, ok := moment(d)
			if !ok {
				return failed(c, &decimal.UndefinedError{Function: e.Name, Argument: d})
			}
			days = append(days, dayOf(t))
		}
		slices.Sort(days)
		days = slices.Compact(days)
		if len(args) > len(params)+1 {
			free, ok := weekendOf(c, e.Name, args[len(params)+1])
			if !ok {
				return Grid{}
			}
			return scalarGrid(step(c, a, func(day int64) bool {
				_, holiday := slices.BinarySearch(days, day)
				return holiday || free[weekdayOf(day)]
			}))
		}
		return scalarGrid(f(c, a, slices.DeleteFunc(days, func(day int64) bool { return !isWorkday(day) })))
	}
	e.Params = append(slices.Clone(e.Params), holidays, weekend)
	e.Tabled = &tabled
	return e
}

// workdaysBack is the inverse of workdays as value calculates it.
func workdaysBack(value func(a ...decimal.Decimal) decimal.Decimal) inverse {
	return countedFrom(func(from, to time.Time) int64 {
		n, _ := value(decimal.Int(from.Unix()), decimal.Int(to.Unix())).Int64()
		return n
	})
}

// addWorkdaysBack is the inverse of add_workdays as value calculates it.
func addWorkdaysBack(value func(a ...decimal.Decimal) decimal.Decimal) inverse {
	return shiftedBack(func(t time.Time, n int) time.Time {
		seconds, _ := value(decimal.Int(t.Unix()), decimal.Int(int64(n))).Int64()
		return time.Unix(seconds, 0).UTC()
	}, freeDays)
}

// weekendOf are the days of the week, from 0 for Monday, that a table of numbers from 1 to 7 takes
// for free; 0 alone is none of them.
func weekendOf(c *decimal.Context, function string, g Grid) (free [7]bool, ok bool) {
	list := g.numbers()
	for _, d := range list {
		n, whole := Settled(c, d).Int64()
		switch {
		case whole && n == 0 && len(list) == 1:
		case !whole || n < 1 || n > 7:
			c.Fail(&decimal.UndefinedError{Function: function, Argument: d, Known: "a weekend is of days from 1 for Monday to 7 for Sunday"})
		default:
			free[n-1] = true
		}
	}
	if free == [7]bool{true, true, true, true, true, true, true} {
		c.Fail(&decimal.UndefinedError{Function: function, Argument: decimal.Int(7), Known: "a week has a working day"})
	}
	return free, c.Err() == nil
}

// stepDays is add_workdays day by day.
func stepDays(c *decimal.Context, a Decimals, off func(day int64) bool) decimal.Decimal {
	from, ok := moment(a[0])
	n, whole := Settled(c, a[1]).Int64()
	switch {
	case !ok:
		return refused(c, "add_workdays", a[0])
	case !whole || n > mostShift || n < -mostShift:
		return refused(c, "add_workdays", a[1])
	}
	sign := int64(1)
	if n < 0 {
		sign, n = -1, -n
	}
	day, left := int64(0), n
	for left > 0 && c.Spend(1) {
		if day += sign; !off(dayOf(from) + day) {
			left--
		}
	}
	to := from.AddDate(0, 0, int(day))
	if to.Unix() < firstMoment || to.Unix() > lastMoment {
		return refused(c, "add_workdays", a[1])
	}
	return decimal.Int(to.Unix())
}

// countDays is workdays day by day.
func countDays(c *decimal.Context, a Decimals, off func(day int64) bool) decimal.Decimal {
	from, to := datesOf(c, "workdays", a)
	if c.Err() != nil {
		return decimal.Decimal{}
	}
	sign := int64(1)
	if to.Before(from) {
		from, to, sign = to, from, -1
	}
	count := int64(0)
	for day := dayOf(from); day <= dayOf(to) && c.Spend(1); day++ {
		if !off(day) {
			count++
		}
	}
	return decimal.Int(sign * count)
}

// isWorkday reports whether a day, counted from Thursday 1970-01-01, is none of a weekend.
func isWorkday(day int64) bool { return weekdayOf(day) < 5 }

// weekdayOf is the day of the week of such a day, from 0 for Monday.
func weekdayOf(day int64) int64 { return ((day+3)%7 + 7) % 7 }

// addWorkdays goes on, or back, by days from Monday to Friday. A week has five of them wherever it
// begins.
func addWorkdays(t time.Time, n int) time.Time {
	if n == 0 {
		return t
	}
	sign := 1
	if n < 0 {
		sign = -1
	}
	day := dayOf(t) + int64(n/5*7)
	rest := sign * (n % 5)
	if rest == 0 {
		for !isWorkday(day) {
			day -= int64(sign)
		}
	}
	for rest > 0 {
		if day += int64(sign); isWorkday(day) {
			rest--
		}
	}
	return t.AddDate(0, 0, int(day-dayOf(t)))
}

func workdays(from, to time.Time) int64 {
	days := dayOf(to) - dayOf(from) + 1
	count := days / 7 * 5
	for i := range days % 7 {
		if isWorkday(dayOf(from) + i) {
			count++
		}
	}
	return count
}
