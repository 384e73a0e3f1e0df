package language

import (
	"slices"
	"time"
)

const secondsOfDay = 86400

// whichWeek tells which of the days of a name is meant, by its name in the table.
type whichWeek string

const (
	comingOne whichWeek = ""     // the first behind today
	nextOne   whichWeek = "next" // that, or the one in the week behind this one
	thisOne   whichWeek = "this" // that, or today
	lastOne   whichWeek = "last" // the last before today
)

// What stands behind a word that makes a day of a length of time ("two days ago"), by its name in
// the table.
const (
	fromToday   = ""
	fromWeekday = "weekday"
)

// saidDay is a day as the prompt names it, with every day that it may be.
type saidDay struct {
	days []day
	n    int  // tokens, 0 for none
	sure bool // the words name a day whatever stands around them
	now  bool // it is the present day, which the words only mention
	late int  // the first hour with it that is one after noon, 0 for none; those before are behind midnight
}

func dayOf(seconds int64) day {
	t := time.Unix(seconds, 0).UTC()
	return day{t.Year(), int(t.Month()), t.Day()}
}

// seconds is the midnight of a day since 1970.
func (d day) seconds() int64 {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Unix()
}

// dayOfText is the day at the start of a text, another one where there is none.
func dayOfText(text string, other day) day {
	t, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	if err != nil {
		return other
	}
	return dayOf(t.Unix())
}

// saidDayAt reads a day in any form: a date, a weekday with its date, a weekday, a day told by
// today.
func (s *scanner) saidDayAt(at int) saidDay {
	if days, n := s.daysAt(at); n > 0 {
		return saidDay{days: days, n: n, sure: true}
	}
	t := s.tok(at)
	if t.kind != word {
		return saidDay{}
	}
	if r, n := s.rowAt("days", at); n > 0 {
		ahead := r.number(1)
		return saidDay{days: []day{dayOf(s.today + ahead*secondsOfDay)}, n: n, now: ahead == 0, late: int(r.number(2))}
	}
	if d := s.weekdayAt(at); d.n > 0 {
		return d
	}
	return s.dayOfMonthAt(at)
}

// weekdayAt reads the name of a weekday with what stands before and behind it: next Friday, Friday
// 13 March, Tuesday of next week.
func (s *scanner) weekdayAt(at int) saidDay {
	which := comingOne
	lead, n := s.rowAt("weekday leads", at)
	if n > 0 {
		which = whichWeek(lead[1])
	}
	if week, more := s.weekAt(at); more > 0 {
		next := at + more
		if s.tok(next).is("upon") {
			next++
		}
		if name, short := s.weekday(next); name >= 0 && !short {
			return saidDay{days: s.dayOfWeek(name, week), n: next + 1 - at, sure: true}
		}
	}
	name, short := s.weekday(at + n)
	if s.tok(at - 1).is("not day") {
		return saidDay{}
	}
	if name < 0 || short && !s.shortDay(at+n) {
		return saidDay{}
	}
	end := at + n + 1
	if short && s.tok(end).fold == "." {
		end++
	}
	next := end
	if s.tok(next).fold == "," {
		next++
	}
	if s.tok(next).is("definite") {
		next++
	}
	if days, more := s.daysAt(next); more > 0 && n == 0 {
		return saidDay{days: days, n: next + more - at, sure: true}
	}
	if date, ok := small(s.tok(next).text, 31); ok && n == 0 && s.ordinal(next+1) {
		return saidDay{days: s.weekdayOfMonth(name, date), n: next + 2 - at, sure: true} // Friday the 13th
	}
	next = end
	if s.tok(next).is("partitive") {
		next++
	}
	if week, more := s.weekAt(next); more > 0 && n == 0 {
		return saidDay{days: s.dayOfWeek(name, week), n: next + more - at, sure: true}
	}
	return saidDay{days: s.daysNamed(name, which, at), n: end - at}
}

// weekAt reads "next week" as the days that it lies ahead of this one.
func (s *scanner) weekAt(at int) (ahead int64, n int) {
	r, n := s.rowAt("weeks", at)
	if n > 0 {
		ahead = r.number(1)
	}
	return ahead, n
}

// weekday is the number of a weekday by its name, Monday 0, -1 for none.
func (s *scanner) weekday(at int) (name int, short bool) {
	r := s.tok(at).lex.row("weekdays")
	if r == nil {
		return -1, false
	}
	return int(r.number(1)) - 1, r[2] != ""
}

// shortDay tells the days "Sat", "Sun" and "Wed" from the words: a lead stands before and nothing
// that they could go with behind, or a date or clock time follows.
func (s *scanner) shortDay(at int) bool {
	before := s.tok(at - 1)
	if before.is("article") {
		return false
	}
	next := at + 1
	if t := s.tok(next).fold; t == "." || t == "," {
		next++
	}
	if _, n := s.daysAt(next); n > 0 {
		return true
	}
	if s.tok(next).is("at rate") {
		next++
	}
	if _, n := s.clockTime(next, next > at+1); n > 0 {
		return true
	}
	return before.is("short lead") && !s.nounAt(at+1)
}

// daysNamed lists the days that a weekday may be.
func (s *scanner) daysNamed(name int, which whichWeek, at int) []day {
	weekday := int((s.today/secondsOfDay%7 + 10) % 7) // the first day of 1970 was a Thursday
	ahead := int64((name-weekday+6)%7 + 1)
	coming, later := dayOf(s.today+ahead*secondsOfDay), dayOf(s.today+(ahead+7)*secondsOfDay)
	switch which {
	case nextOne:
		if ahead < 7 && (name > weekday || (name+1)%7 > (weekday+1)%7) { // in this week, be its first day Monday or Sunday
			return []day{coming, later}
		}
	case thisOne:
		if ahead == 7 {
			return []day{dayOf(s.today), coming}
		}
	case lastOne:
		return []day{dayOf(s.today + (ahead-7-7*(ahead/7))*secondsOfDay)}
	default:
		if after := s.since.seconds(); s.since.year > 0 && after > coming.seconds() {
			behind := dayOf(after + ((coming.seconds()-after)/secondsOfDay%7+7)%7*secondsOfDay)
			if s.untilAt(at) {
				return []day{behind} // from Monday to Friday
			}
			return []day{behind, coming}
		}
	}
	return []day{coming}
}

// untilAt is true of a day that ends what another one starts.
func (s *scanner) untilAt(at int) bool {
	t := s.tok(at - 1)
	return s.since.year > 0 && (t.is("until word") || t.is("joining") && s.tok(at-3).is("between"))
}

// dayOfWeek lists the weekday of the week some days from this one, which starts on Monday for some
// and on Sunday for others.
func (s *scanner) dayOfWeek(name int, ahead int64) []day {
	weekday := (s.today/secondsOfDay%7 + 10) % 7
	fromMonday := dayOf(s.today + (ahead+int64(name)-weekday)*secondsOfDay)
	fromSunday := dayOf(s.today + (ahead+int64(name+1)%7-(weekday+1)%7)*secondsOfDay)
	if fromMonday == fromSunday {
		return []day{fromMonday}
	}
	return []day{fromMonday, fromSunday}
}

// weekdayOfMonth is the first day from today on that is both a weekday and a day of the month.
func (s *scanner) weekdayOfMonth(name, date int) []day {
	for d := s.nextDate(s.today, date); d.year > 0; d = s.nextDate(d.seconds()+secondsOfDay, date) {
		if int((d.seconds()/secondsOfDay%7+10)%7) == name {
			return []day{d}
		}
		if d.seconds()-s.today > 30*365*secondsOfDay {
			break
		}
	}
	return nil
}

// nextDate is the first day from a moment on that has a number in its month.
func (s *scanner) nextDate(from int64, date int) day {
	d := dayOf(from)
	for range 12 {
		if date >= d.day && (day{d.year, d.month, date}).valid() {
			return day{d.year, d.month, date}
		}
		d.day = 1
		if d.month++; d.month > 12 {
			d.year, d.month = d.year+1, 1
		}
	}
	return day{}
}

// dayOfMonthAt reads "the 9th" where a word for time stands before or a clock time behind, and no
// noun.
func (s *scanner) dayOfMonthAt(at int) saidDay {
	if !s.tok(at).is("definite") || !s.ordinal(at+2) {
		return saidDay{}
	}
	date, ok := small(s.tok(at+1).text, 31)
	if !ok || date == 0 || s.tok(at+3).is("partitive") || s.tok(at+3).fold == "-" || s.nounAt(at+3) {
		return saidDay{}
	}
	d := s.nextDate(s.today, date)
	if d.year == 0 {
		return saidDay{}
	}
	clocked := s.tok(at + 3).is("at hour")
	if clocked {
		_, n := s.clockTime(at+4, true)
		clocked = n > 0
	}
	if before := s.tok(at - 1); !clocked && !before.is("upon") && !before.is("day lead") {
		return saidDay{}
	}
	return saidDay{days: []day{d}, n: 3}
}

// shiftedAt reads the days that an amount of time leads to: two days ago, 3 weeks from now, a week
// before Friday. It stays a duration as well, and "3 days" of "in 3 days" is one in the first
// place.
func (s *scanner) shiftedAt(q quantity) quantity {
	if len(q.readings) == 0 || q.readings[0].kind != kindDuration {
		return q
	}
	r := q.readings[0]
	count, ok := r.number.Int64()
	by := s.tables.exactly("calendar", r.unit.Symbol())
	if !ok || count < 0 || count > 100_000 || by == nil {
		return q
	}
	shift := s.tok(q.to).lex.row("shifts")
	if shift == nil {
		return s.aheadOf(q, count, by)
	}
	from, end := dayOf(s.today), q.to+1
	if shift[2] == fromWeekday {
		if name, _ := s.weekday(end); r.unit.Symbol() != week || name < 0 || s.tok(q.from-1).is("lasting") {
			return q // a week on Friday
		}
	}
	switch {
	case shift[2] == fromToday:
	case s.tok(end).is("present") && shift.number(1) > 0:
		end++
	default:
		d := s.saidDayAt(end)
		if d.n == 0 || len(d.days) != 1 || d.sure {
			return s.aheadOf(q, count, by)
		}
		from, end = d.days[0], end+d.n
	}
	d := moved(from, shift.number(1)*count, by)
	if d.year < 1 || d.year > 9999 {
		return q
	}
	r.unitTokens = 0
	q.readings = []reading{{kind: kindDate, text: d.text("")}, r}
	q.to, q.moment, q.weak = end, true, false
	return q
}

// aheadOf adds the day that "in 3 days" leads to.
func (s *scanner) aheadOf(q quantity, count int64, by row) quantity {
	if d := moved(dayOf(s.today), count, by); s.tok(q.from-1).is("inside") && d.year <= 9999 {
		q.readings = append(slices.Clip(q.readings), reading{kind: kindDate, text: d.text(""), weak: true})
	}
	return q
}

// moved is the day some units of time from another, by their row of the calendar; where the month
// has no such day, the last one of it.
func moved(from day, count int64, by row) day {
	if days := by.number(1); days != 0 {
		return dayOf(from.seconds() + count*days*secondsOfDay)
	}
	months := int64(from.year)*12 + int64(from.month-1) + count*by.number(2)
	d := day{int(months / 12), int(months%12) + 1, from.day}
	for months > 0 && d.year > 0 && !d.valid() {
		d.day--
	}
	return d
}

// nounAt is true of a word that may be what a number counts or an ordinal orders.
func (s *scanner) nounAt(at int) bool {
	t := s.tok(at)
	return t.kind == word && t.spaced && !t.is("functional") && t.lex.row("numbers") == nil
}
