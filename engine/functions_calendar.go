package engine

import (
	"time"

	"reckon/engine/decimal"
)

// Moments are seconds since 1970-01-01 in the proleptic Gregorian calendar, of the years 1 to 9999.
const (
	firstMoment = -62135596800
	lastMoment  = 253402300799
)

// moment reads seconds as a date; false outside the calendar.
func moment(d decimal.Decimal) (time.Time, bool) {
	c := decimal.NewContext(defaultBudget)
	seconds, ok := c.Floor(settled(c, d)).Int64()
	return time.Unix(seconds, 0).UTC(), ok && seconds >= firstMoment && seconds <= lastMoment
}

// part makes the entry of a part of a date.
func part(name, doc string, ex example, f func(t time.Time) int) *function {
	return &function{
		name: name, params: unary("date", "time"), result: "1", doc: doc, examples: []example{ex},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			t, ok := moment(a[0])
			if !ok {
				return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[0]})
			}
			return decimal.Int(int64(f(t)))
		},
	}
}

// shift makes the entry of a function that moves a date by a whole number.
func shift(name, doc string, ex example, f func(t time.Time, n int) time.Time) *function {
	return &function{
		name: name, params: []param{{name: "date", dimension: "time"}, {name: "n", dimension: "1"}}, result: "time",
		points: pointResult, doc: doc, examples: []example{ex},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			t, ok := moment(a[0])
			n, whole := a[1].Int64()
			if !ok {
				return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[0]})
			}
			if !whole || n > 120_000 || n < -120_000 {
				return c.Fail(&decimal.UndefinedError{Function: name, Argument: a[1]})
			}
			return seconds(c, name, f(t, int(n)))
		},
	}
}

func seconds(c *decimal.Context, name string, t time.Time) decimal.Decimal {
	if s := t.Unix(); s >= firstMoment && s <= lastMoment {
		return decimal.Int(s)
	}
	return c.Fail(&decimal.UndefinedError{Function: name, Argument: decimal.Int(t.Unix())})
}

// addMonths keeps the day of the month, or takes the last one of a shorter month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}

func wholeArgs(c *decimal.Context, name string, a decimals) (n [3]int64, ok bool) {
	for i, d := range a {
		var whole bool
		if n[i], whole = d.Int64(); !whole || n[i] > 100_000 || n[i] < -100_000 {
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

var calendar = []*function{
	{
		name: "date", params: plainParams("year", "month", "day"), result: "time", points: pointResult,
		doc: "The date of a year, month and day, which must exist.", examples: []example{{"date(1970, 1, 2)", "86400 s"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
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
				return c.Fail(&decimal.UndefinedError{Function: "date", Argument: bad})
			}
			return seconds(c, "date", t)
		},
	},
	{
		name: "time", params: plainParams("hour", "minute", "second"), result: "time",
		doc: "The clock time of an hour, minute and second, as seconds from midnight.", examples: []example{{"time(1, 2, 3)", "3723 s"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			return c.Add(c.Mul(a[0], decimal.Int(3600)), c.Add(c.Mul(a[1], decimal.Int(60)), a[2]))
		},
	},
	part("year", "The year of a date.", example{"year(date(2026, 3, 5))", "2026"}, time.Time.Year),
	part("month", "The month of a date, from 1 to 12.", example{"month(date(2026, 3, 5))", "3"}, func(t time.Time) int { return int(t.Month()) }),
	part("day", "The day of the month of a date.", example{"day(date(2026, 3, 5))", "5"}, time.Time.Day),
	part("hour", "The hour of a date or clock time.", example{"hour(time(14, 7, 9))", "14"}, time.Time.Hour),
	part("minute", "The minute of a date or clock time.", example{"minute(time(14, 7, 9))", "7"}, time.Time.Minute),
	part("second", "The second of a date or clock time.", example{"second(time(14, 7, 9))", "9"}, time.Time.Second),
	part("weekday", "The day of the week of a date, from 1 for Monday to 7 for Sunday.", example{"weekday(date(2026, 3, 5))", "4"},
		func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 }),
	shift("add_months", "The date n months later; where the month is too short, its last day.",
		example{"add_months(date(2026, 1, 31), 1) == date(2026, 2, 28)", "1"}, addMonths),
	shift("add_years", "The date n years later; 29 February becomes the 28th where there is none.",
		example{"add_years(date(2024, 2, 29), 1) == date(2025, 2, 28)", "1"}, func(t time.Time, n int) time.Time { return addMonths(t, 12*n) }),
	{
		name: "end_of_month", params: unary("date", "time"), result: "time", points: pointResult,
		doc: "The last day of the month of a date.", examples: []example{{"day(end_of_month(date(2024, 2, 5)))", "29"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			t, ok := moment(a[0])
			if !ok {
				return c.Fail(&decimal.UndefinedError{Function: "end_of_month", Argument: a[0]})
			}
			return seconds(c, "end_of_month", time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC))
		},
	},
	{
		name: "workdays", params: []param{{name: "from", dimension: "time"}, {name: "to", dimension: "time"}}, result: "1",
		doc: "The days from Monday to Friday from one date to another, both counted.", examples: []example{{"workdays(date(2026, 3, 5), date(2026, 3, 9))", "3"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			from, ok1 := moment(a[0])
			to, ok2 := moment(a[1])
			if !ok1 || !ok2 {
				return c.Fail(&decimal.UndefinedError{Function: "workdays", Argument: a[0]})
			}
			sign := int64(1)
			if to.Before(from) {
				from, to, sign = to, from, -1
			}
			days := to.Unix()/86400 - from.Unix()/86400 + 1
			count := days / 7 * 5
			for i := range days % 7 {
				if d := from.AddDate(0, 0, int(i)).Weekday(); d != time.Saturday && d != time.Sunday {
					count++
				}
			}
			return decimal.Int(sign * count)
		},
	},
	{
		name: "years_between", params: []param{{name: "from", dimension: "time"}, {name: "to", dimension: "time"}}, result: "1",
		doc: "The whole years from one date to a later one, as ages are counted.", examples: []example{{"years_between(date(2000, 3, 6), date(2026, 3, 5))", "25"}},
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			from, ok1 := moment(a[0])
			to, ok2 := moment(a[1])
			if !ok1 || !ok2 {
				return c.Fail(&decimal.UndefinedError{Function: "years_between", Argument: a[0]})
			}
			years := to.Year() - from.Year()
			if addMonths(from, 12*years).After(to) {
				years--
			}
			return decimal.Int(int64(years))
		},
	},
}
