package formula

import (
	"time"

	"reckon/engine/decimal"
)

// Day counts by the number that spreadsheets have for them.
const (
	thirty360         = iota // 30/360 of the United States (NASD)
	actualActual             // by the average year of those that it goes over
	actual360                //
	actual365                //
	thirty360European        // 30E/360
	dayCounts
)

// dayNumber is a date by year, month and day.
type dayNumber struct{ year, month, day int64 }

func numbered(t time.Time) dayNumber {
	return dayNumber{int64(t.Year()), int64(t.Month()), int64(t.Day())}
}

func (d dayNumber) time() time.Time {
	return time.Date(int(d.year), time.Month(d.month), int(d.day), 0, 0, 0, 0, time.UTC)
}

func isLeap(year int64) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// endsFebruary reports whether it is the last day of February.
func (d dayNumber) endsFebruary() bool {
	return d.month == 2 && (d.day == 29 || d.day == 28 && !isLeap(d.year))
}

// days360 are the days between dates in a year of twelve months of 30 days. february says that the
// ends of two Februaries count as their 30th days, as in YEARFRAC and unlike DAYS360.
func days360(from, to dayNumber, european, february bool) int64 {
	a, b := from.day, to.day
	switch {
	case european:
		a, b = min(a, 30), min(b, 30)
	default:
		if from.endsFebruary() {
			if a = 30; february && to.endsFebruary() {
				b = 30
			}
		}
		if a = min(a, 30); b == 31 && a == 30 && !(february && from.endsFebruary()) {
			b = 30
		}
	}
	return 360*(to.year-from.year) + 30*(to.month-from.month) + b - a
}

// yearFraction is the part of a year between two dates by a day count, as YEARFRAC has it, as days
// over the days of years.
func yearFraction(basis int64, first, last time.Time) (days, num, years int64) {
	if last.Before(first) {
		first, last = last, first
	}
	from, to := numbered(first), numbered(last)
	days = dayOf(last) - dayOf(first)
	switch basis {
	case thirty360:
		return days360(from, to, false, true), 360, 1
	case thirty360European:
		return days360(from, to, true, false), 360, 1
	case actual360:
		return days, 360, 1
	case actual365:
		return days, 365, 1
	}
	within := from.year == to.year || from.year+1 == to.year && (from.month > to.month || from.month == to.month && from.day >= to.day)
	if !within {
		start, end := dayNumber{from.year, 1, 1}.time(), dayNumber{to.year + 1, 1, 1}.time()
		return days, dayOf(end) - dayOf(start), to.year - from.year + 1
	}
	year := int64(365)
	if from.year == to.year && isLeap(from.year) || goesOverLeapDay(from.year, first, last) || goesOverLeapDay(to.year, first, last) || to.month == 2 && to.day == 29 {
		year = 366
	}
	return days, year, 1
}

// goesOverLeapDay reports whether a leap day of the year lies from one date up to another.
func goesOverLeapDay(year int64, first, last time.Time) bool {
	march := dayNumber{year, 3, 1}.time()
	return isLeap(year) && first.Before(march) && !last.Before(march)
}

// basisOf reads the optional argument i as a day count.
func basisOf(c *decimal.Context, name string, a Decimals, i int) int64 {
	if i >= len(a) {
		return thirty360
	}
	basis, ok := Settled(c, a[i]).Int64()
	if !ok || basis < 0 || basis >= dayCounts {
		refused(c, name, a[i])
	}
	return basis
}

// datesOf reads the first two arguments as dates.
func datesOf(c *decimal.Context, name string, a Decimals) (first, second time.Time) {
	var at [2]time.Time
	for i := range at {
		var ok bool
		if at[i], ok = moment(a[i]); !ok {
			refused(c, name, a[i])
		}
	}
	return at[0], at[1]
}

var basisParam = param{name: "basis", dimension: "1", value: "0"}

// dayCounting holds functions that count days as contracts do.
var dayCounting = []*Entry{
	{
		Name: "year_fraction", Params: []param{{name: "from", dimension: "time"}, {name: "to", dimension: "time"}, basisParam}, Result: "1",
		Doc: "The part of a year between two dates, in either order, by a day count: 0 for 30/360 of the United States, 1 for actual/actual, 2 for" +
			" actual/360, 3 for actual/365, 4 for European 30/360.",
		Examples: []example{{"round(year_fraction(date(2012, 1, 1), date(2012, 7, 30)), 8)", "0.58055556"},
			{"round(year_fraction(date(2012, 1, 1), date(2012, 7, 30), 1), 8)", "0.57650273"},
			{"round(year_fraction(date(2012, 1, 1), date(2012, 7, 30), 3), 8)", "0.57808219"},
			{"year_fraction(date(2012, 1, 1), date(2012, 7, 30), 5)", "! calculation.domain_error"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			from, to := datesOf(c, "year_fraction", a)
			basis := basisOf(c, "year_fraction", a, 2)
			if c.Err() != nil {
				return decimal.Decimal{}
			}
			days, year, years := yearFraction(basis, from, to)
			return c.Quo(decimal.Int(days*years), decimal.Int(year))
		},
		Spreadsheet: "YEARFRAC",
	},
	{
		Name: "days360", Params: []param{{name: "from", dimension: "time"}, {name: "to", dimension: "time"}, {name: "european", dimension: "1", value: "0"}}, Result: "1",
		Doc: "The days from one date to another in a year of twelve months of 30 days; negative where the second is earlier. With 1 as the last" +
			" argument both 31sts count as 30ths, as in Europe.",
		Examples: []example{{"days360(date(2011, 1, 30), date(2011, 2, 1))", "1"}, {"days360(date(2011, 1, 1), date(2011, 12, 31))", "360"},
			{"days360(date(2011, 1, 1), date(2011, 12, 31), 1)", "359"}},
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			from, to := datesOf(c, "days360", a)
			european := len(a) > 2 && !Certain(c, a[2]).IsZero()
			if c.Err() != nil {
				return decimal.Decimal{}
			}
			return decimal.Int(days360(numbered(from), numbered(to), european, false))
		},
		Spreadsheet: "DAYS360",
	},
	between("days_between", "The whole days from one date to another, as a plain number; negative where the second is earlier.",
		[]example{{"days_between(date(2026, 3, 5), date(2026, 5, 1))", "57"}, {"days_between(date(2026, 3, 5), date(2025, 3, 5))", "-365"}},
		func(from, to time.Time) int64 { return dayOf(to) - dayOf(from) }).rises(inSteps("-+")).inSpreadsheets("DAYS"),
	between("months_between", "The whole months from one date to another; negative where the second is earlier. A month that begins on a day that"+
		" the last one lacks is full on its last day.",
		[]example{{"months_between(date(2026, 3, 5), date(2027, 5, 4))", "13"}, {"months_between(date(2026, 3, 5), date(2026, 1, 5))", "-2"},
			{"months_between(date(2026, 1, 31), date(2026, 2, 28))", "1"}},
		monthsBetween).rises(inSteps("-+")).inSpreadsheets("DATEDIF"),
}

func monthsBetween(from, to time.Time) int64 {
	months := 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
	if addMonths(from, months).After(to) {
		months--
	}
	return int64(months)
}
