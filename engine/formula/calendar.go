package formula

import (
	"time"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// Moments are seconds since 1970-01-01 in the proleptic Gregorian calendar, of the years 1 to 9999.
const (
	firstMoment = -62135596800
	lastMoment  = 253402300799
)

// Earliest is the first moment of the calendar, latest the first one behind it.
var Earliest, Latest = decimal.Int(firstMoment), decimal.Int(lastMoment + 1)

// moment reads seconds as a date; false outside the calendar.
func moment(d decimal.Decimal) (time.Time, bool) {
	c := decimal.NewContext(value.DefaultBudget)
	seconds, ok := c.Floor(Settled(c, d)).Int64()
	return time.Unix(seconds, 0).UTC(), ok && seconds >= firstMoment && seconds <= lastMoment
}

// dayOf counts the days from 1970-01-01 to a moment.
func dayOf(t time.Time) int64 {
	return (t.Unix() - value.Mod(t.Unix(), value.SecondsPerDay)) / value.SecondsPerDay
}

func part(name, of, doc string, examples []example, f func(t time.Time) int) *Entry {
	return &Entry{
		Name: name, Params: Unary("date", of), Result: "1", Doc: doc, Examples: examples,
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			t, ok := moment(a[0])
			if !ok {
				return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[0]})
			}
			return decimal.Int(int64(f(t)))
		},
	}
}

// shift makes the entry of a function that moves a date by a whole number.
func shift(name, doc string, examples []example, f func(t time.Time, n int) time.Time) *Entry {
	return &Entry{
		Name: name, Params: []param{{name: "date", dimension: "date"}, {name: "n", dimension: "1"}}, Result: "time",
		Points: PointResult, Doc: doc, Examples: examples, Inverse: shiftedBack(f, lastDays),
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			t, ok := moment(a[0])
			n, whole := Settled(c, a[1]).Int64()
			if !ok {
				return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[0]})
			}
			if !whole || n > 120_000 || n < -120_000 {
				return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[1]})
			}
			if moved := f(t, int(n)).Unix(); moved >= firstMoment && moved <= lastMoment {
				return decimal.Int(moved)
			}
			return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[1]})
		},
	}
}

// addMonths keeps the day of the month, or takes the last one of a shorter month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

func wholeArgs(c *decimal.Context, name string, a Decimals) (n [3]int64, ok bool) {
	for i, d := range a {
		var whole bool
		if n[i], whole = Settled(c, d).Int64(); !whole || n[i] > 100_000 || n[i] < -100_000 {
			c.Fail(&decimal.UndefinedError{Function: name, Argument: d})
			return n, false
		}
	}
	return n, true
}

func plainParams(names ...string) []param {
	var list []param
	for _, n := range names {
		list = append(list, param{name: n, dimension: "1"})
	}
	return list
}

var calendar = []*Entry{
	{
		Rising: inSteps("+"), Name: "date", Params: plainParams("year", "month", "day"), Result: "time", Points: PointResult,
		Doc:      "The date of a year, month and day, which must exist, in the years 1 to 9999.",
		Examples: []example{{"date(2026, 3, 5)", "2026-03-05"}, {"date(2024, 3, 1) - date(2024, 2, 28) == 2 [d]", "1"}, {"date(2025, 2, 29)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			n, ok := wholeArgs(c, "date", a)
			if !ok {
				return decimal.Decimal{}
			}
			t := time.Date(int(n[0]), time.Month(n[1]), int(n[2]), 0, 0, 0, 0, time.UTC)
			if n[0] < 1 || n[0] > 9999 || int64(t.Month()) != n[1] || int64(t.Day()) != n[2] {
				bad := a[2]
				if n[1] < 1 || n[1] > 12 {
					bad = a[1]
				}
				if n[0] < 1 || n[0] > 9999 {
					bad = a[0]
				}
				return c.Fail(&decimal.UndefinedError{Function: "date", Argument: bad})
			}
			return decimal.Int(t.Unix())
		},
	},
	{
		Name: "time", Params: plainParams("hour", "minute", "second"), Result: "time",
		Doc:      "The time that hours, minutes and seconds make, such as a clock time since midnight.",
		Examples: []example{{"time(1, 2, 3)", "3723 s"}, {"time(0, 90, 0) == 1.5 [h]", "1"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			return c.Add(c.Mul(a[0], decimal.Int(3600)), c.Add(c.Mul(a[1], decimal.Int(60)), a[2]))
		},
		Formula: "hour * 3600 + minute * 60 + second",
	},
	part("year", "date", "The year of a date.", []example{{"year(date(2026, 3, 5))", "2026"}, {"year(date(2025, 12, 31) + 1 [d])", "2026"}}, time.Time.Year).rises(inSteps("+")),
	part("month", "date", "The month of a date, from 1 to 12.",
		[]example{{"month(date(2026, 3, 5))", "3"}, {"month(date(2026, 3, 5) - 5 [d])", "2"}}, func(t time.Time) int { return int(t.Month()) }),
	part("day", "date", "The day of the month of a date.",
		[]example{{"day(date(2026, 3, 5))", "5"}, {"day(date(2024, 3, 1) - 1 [d])", "29"}}, time.Time.Day),
	part("hour", "time", "The hour of a date or clock time, from 0 to 23.",
		[]example{{"hour(time(14, 7, 9))", "14"}, {"hour(date(2026, 3, 5) + 25 [h])", "1"}}, time.Time.Hour),
	part("minute", "time", "The minute of a date or clock time, from 0 to 59.",
		[]example{{"minute(time(14, 7, 9))", "7"}, {"minute(0.75 [h])", "45"}}, time.Time.Minute),
	part("second", "time", "The second of a date or clock time, from 0 to 59; fractions are cut.",
		[]example{{"second(time(14, 7, 9))", "9"}, {"second(time(0, 0, 59.9))", "59"}}, time.Time.Second),
	part("weekday", "date", "The day of the week of a date, from 1 for Monday to 7 for Sunday, as ISO 8601 counts.",
		[]example{{"weekday(date(2026, 3, 5))", "4"}, {"weekday(date(2026, 3, 8))", "7"}},
		func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }),
	shift("add_months", "The date n months later, or earlier for a negative n; where the month is too short, its last day. n is whole.",
		[]example{{"add_months(date(2026, 1, 31), 1)", "2026-02-28"}, {"add_months(date(2026, 3, 5), -3)", "2025-12-05"},
			{"add_months(date(2026, 3, 5), 1.5)", "! calculation.domain_error"}}, addMonths).rises(inSteps("+")).inSpreadsheets("EDATE"),
	shift("add_years", "The date n years later, or earlier for a negative n; 29 February becomes the 28th where there is none. n is whole.",
		[]example{{"add_years(date(2024, 2, 29), 1)", "2025-02-28"}, {"add_years(date(2024, 2, 29), -4)", "2020-02-29"},
			{"add_years(date(2026, 3, 5), 8000)", "! calculation.domain_error"}}, func(t time.Time, n int) time.Time { return addMonths(t, 12*n) }).rises(inSteps("+")),
	{
		Rising: inSteps("+"), Name: "end_of_month", Spreadsheet: "EOMONTH", Params: []param{{name: "date", dimension: "time"}, {name: "n", dimension: "1", value: "0"}},
		Result: "time", Points: PointResult,
		Doc: "The last day of the month of a date, or of the month n months later. n is whole.",
		Examples: []example{{"end_of_month(date(2024, 2, 5))", "2024-02-29"}, {"end_of_month(date(2026, 12, 31))", "2026-12-31"},
			{"end_of_month(date(2011, 1, 1), -3)", "2010-10-31"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			t, ok := moment(a[0])
			if !ok {
				return refused(c, "end_of_month", a[0])
			}
			n := int64(0)
			if len(a) > 1 {
				if n, ok = Settled(c, a[1]).Int64(); !ok || n > mostShift || n < -mostShift {
					return refused(c, "end_of_month", a[1])
				}
			}
			if end := time.Date(t.Year(), t.Month()+time.Month(n)+1, 0, 0, 0, 0, 0, time.UTC).Unix(); end >= firstMoment && end <= lastMoment {
				return decimal.Int(end)
			}
			return refused(c, "end_of_month", a[1])
		},
	},
	{
		Name: "iso_week", Spreadsheet: "ISOWEEKNUM", Params: Unary("date", "time"), Result: "1",
		Doc:      "The number of the week of a date, from 1 to 53, as ISO 8601 counts.",
		Examples: []example{{"iso_week(date(2012, 3, 9))", "10"}, {"iso_week(date(2010, 1, 3))", "53"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			t, ok := moment(a[0])
			if !ok {
				return refused(c, "iso_week", a[0])
			}
			_, week := t.ISOWeek()
			return decimal.Int(int64(week))
		},
	},
	between("years_between", "The whole years from one date to another, as ages are counted; negative where the second is earlier."+
		" Years from 29 February are full on the 28th where there is no 29th.",
		[]example{{"years_between(date(2000, 3, 6), date(2026, 3, 5))", "25"}, {"years_between(date(2026, 3, 5), date(2000, 3, 6))", "-25"},
			{"years_between(date(2024, 2, 29), date(2025, 2, 28))", "1"}},
		func(from, to time.Time) int64 {
			years := to.Year() - from.Year()
			if addMonths(from, 12*years).After(to) {
				years--
			}
			return int64(years)
		}).rises(inSteps("-+")).inSpreadsheets("DATEDIF"),
}

func inverted(e *Entry, by inverse) *Entry {
	e.Inverse = by
	return e
}

// between makes the entry of a function that counts something from a date to a later one, and
// negatively to an earlier one.
func between(name, doc string, examples []example, count func(from, to time.Time) int64) *Entry {
	return &Entry{
		Name: name, Params: []param{{name: "from", dimension: "date"}, {name: "to", dimension: "date"}}, Result: "1", Doc: doc, Examples: examples,
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			var at [2]time.Time
			for i, d := range a {
				var ok bool
				if at[i], ok = moment(d); !ok {
					return c.Fail(&decimal.UndefinedError{Function: name, Argument: d})
				}
			}
			if at[1].Before(at[0]) {
				return decimal.Int(-count(at[1], at[0]))
			}
			return decimal.Int(count(at[0], at[1]))
		},
	}
}
