package language

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// monthOf is the month that a token names, 0 for none.
func monthOf(t token) int {
	if r := t.lex.row("months"); r != nil {
		return int(r.number(1))
	}
	return 0
}

// momentAt reads a date, a date with a clock time on either side, or a clock time. ok is true for
// what names a moment that cannot be expressed, too; that has no readings.
func (s *scanner) momentAt(at int) (q quantity, ok bool) {
	t := s.tok(at)
	switch {
	case t.kind == number:
		if unicode.IsDigit(rune(t.text[0])) {
			if q, ok := s.dateAt(at); ok {
				return q, true
			}
			if s.inName(at) {
				return q, false
			}
			return s.clockAt(at)
		}
	case t.is("indefinite"):
		return s.clockAt(at)
	case t.kind == word:
		if t.is("present") {
			return quantity{from: at, to: at + 1, weak: true, moment: true, readings: []reading{
				{kind: kindDatetime, text: present, weak: true}, {kind: kindClock, text: present, weak: true},
			}}, true
		}
		if q, ok := s.dateAt(at); ok {
			return q, true
		}
		return s.clockAt(at)
	}
	return q, false
}

// How structured text writes the present moment, the present day, and a clock time behind a date
// with and without year.
const (
	present   = "now"
	today     = "today"
	clockMark = "T"
	clockLink = " at "
)

// day is a date as it is said; the year is 0 where none is.
type day struct{ year, month, day int }

func (d day) valid() bool {
	if d.year == 0 {
		d.year = 2000 // a leap year
	}
	return d.year > 0 && dayOf(d.seconds()) == d
}

func (d day) text(clock string) string {
	if d.year == 0 {
		text := time.Month(d.month).String() + " " + strconv.Itoa(d.day)
		if clock != "" {
			text += clockLink + clock
		}
		return text
	}
	text := fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day)
	if clock != "" {
		text += clockMark + clock
	}
	return text
}

// dateAt reads a day and the clock time behind it.
func (s *scanner) dateAt(at int) (quantity, bool) {
	d := s.saidDayAt(at)
	if d.n == 0 {
		return quantity{}, false
	}
	q := quantity{from: at, to: at + d.n, moment: true, weak: !d.sure && !s.tok(at-1).is("day lead") && !s.untilAt(at)}
	late, n := s.timeOfDay(q.to)
	d.late = max(d.late, late)
	q.to += n
	next := q.to
	if s.tok(next).fold == "," && s.tok(next+1).is("at hour") {
		next++
	}
	joint := s.tok(next)
	if joint.is("clock joint") || joint.fold == "," && s.tok(next+1).spaced {
		next++
	}
	clock, more := s.clockTime(next, joint.is("at hour"))
	if more > 0 && (next == q.to || joint.fold != "," || s.tok(next).kind == number) {
		q.to = next + more
	} else {
		clock = ""
	}
	s.readDays(&q, d, clock)
	return q, true
}

// inheritDays gives the day of one end of a stretch of time to the other end, which has a clock
// time only: from 9 am to 5 pm tomorrow.
func (s *scanner) inheritDays(list []quantity) {
	for i := 1; i < len(list); i++ {
		a, b := &list[i-1], &list[i]
		switch joint := s.tok(a.to); {
		case b.from != a.to+1 || !a.moment || !b.moment || len(a.readings) == 0 || len(b.readings) == 0:
		case !joint.is("until word") && (!joint.is("joining") || !s.tok(a.from-1).is("between") && !s.tok(a.from+1).is("between")):
		case a.readings[0].kind == kindClock && b.readings[0].kind == kindDatetime:
			a.readings = dated(b.readings, a.readings)
		case a.readings[0].kind == kindDatetime && b.readings[0].kind == kindClock:
			b.readings = dated(a.readings, b.readings)
		}
	}
}

// dated puts the days of some readings before the clock times of others.
func dated(days, clocks []reading) []reading {
	var list []reading
	for _, d := range days {
		if d.kind != kindDatetime {
			continue
		}
		text := clocks[0].text
		if day, _, ok := strings.Cut(d.text, clockMark); ok && isDigit(day[0]) {
			text = day + clockMark + text
		} else if day, _, ok := strings.Cut(d.text, clockLink); ok {
			text = day + clockLink + text
		} else {
			continue
		}
		list = append(list, reading{kind: kindDatetime, text: text})
	}
	return append(list, clocks...)
}

// readDays adds the readings of a day, with its clock time if it has one. Midnight may be the
// start or the end of a day that has no date.
func (s *scanner) readDays(q *quantity, d saidDay, clock string) {
	clock, next := afterNoon(clock, d.late)
	if clock != "" {
		q.weak = false
	}
	midnight := !next && !d.sure && strings.HasPrefix(clock, "00:00") && anyIs(s.tokens[q.from:q.to], "midnight")
	for _, on := range d.days {
		if !on.valid() {
			continue
		}
		after := on
		if on.year > 0 {
			after = dayOf(on.seconds() + secondsOfDay)
		}
		if next {
			on = after
		}
		switch {
		case clock != "":
			q.readings = append(q.readings, reading{kind: kindDatetime, text: on.text(clock)})
			if midnight && after != on {
				q.readings = append(q.readings, reading{kind: kindDatetime, text: after.text(clock)})
			}
		case d.now:
			q.weak = true
			q.readings = append(q.readings, reading{kind: kindDate, text: today, weak: true})
		default:
			q.readings = append(q.readings, reading{kind: kindDate, text: on.text("")})
		}
	}
	if d.now && clock != "" {
		q.readings = append(q.readings, reading{kind: kindClock, text: clock})
	}
}

// daysAt reads a date in one of its forms, with both readings where day and month could be either;
// n is 0 for none. Days that no calendar has come back as they are.
func (s *scanner) daysAt(at int) (days []day, n int) {
	if s.tok(at).kind != number {
		return s.monthFirst(at)
	}
	if days, n := s.numericDays(at); n > 0 {
		return days, n
	}
	dom, ok := small(s.tok(at).text, 31)
	if !ok {
		return nil, 0
	}
	i := at + 1
	ordinal := s.ordinal(i)
	if ordinal || s.tables.has(dayFirst) && s.tok(i).fold == "." && monthOf(s.tok(i+1)) > 0 {
		i++
	}
	if s.tok(i).is("partitive") || s.tok(i).fold == "-" && !s.tok(i).spaced {
		i++
	}
	name := s.tok(i)
	month := monthOf(name)
	if month == 0 || !name.spaced && s.tok(i-1).kind == number || !ordinal && name.is("maybe month") && s.tok(i+1).is("verb of may") {
		return nil, 0
	}
	i++
	if s.tok(i).fold == "." && s.tok(i+1).kind == number && len(name.fold) < 5 {
		i++
	}
	year, more := s.yearAt(i)
	return []day{{year, month, dom}}, i + more - at
}

// monthFirst reads March 5 and March 5th, 2026.
func (s *scanner) monthFirst(at int) (days []day, n int) {
	t := s.tok(at)
	month := monthOf(t)
	if month == 0 {
		return nil, 0
	}
	i := at + 1
	if s.tok(i).fold == "." && len(t.fold) < 5 {
		i++
	}
	if s.tok(i).is("definite") {
		i++
	}
	if year, n := s.yearAt(i); n > 0 && s.tok(i).kind == number {
		return []day{{year, month, 0}}, i + n - at // a month is no date
	}
	dom, ok := small(s.tok(i).text, 31)
	if s.tok(i).kind != number || !ok {
		return nil, 0
	}
	i++
	if s.ordinal(i) {
		i++
	} else if next := s.tok(i); next.kind == sign || next.kind == word && (!next.spaced || s.unitStarts(i)) || next.fold == "-" && !next.spaced || next.fold == ":" && !next.spaced && !s.tok(i+1).spaced {
		return nil, 0 // "may 10 miles", "march 5 %"
	}
	year, more := s.yearAt(i)
	return []day{{year, month, dom}}, i + more - at
}

// yearAt reads the year behind a date, and the comma before it.
func (s *scanner) yearAt(at int) (year, n int) {
	i := at
	if s.tok(i).fold == "," || s.tok(i).fold == "-" && !s.tok(i).spaced || s.tok(i).is("of in") {
		i++
	}
	t := s.tok(i)
	if t.kind != number || len(t.text) != 4 {
		return 0, 0
	}
	year, ok := small(t.text, 2199)
	if next := s.tok(i + 1); !ok || year < 1800 || next.kind == word && !next.spaced || next.kind == sign {
		return 0, 0
	}
	return year, i + 1 - at
}

// numericDays reads three numbers with the same mark between them: 2026-03-05, 3/4/2026,
// 05.03.2026. One of them has to have the four digits of a year: with two it is a date that cannot
// be expressed, or no date.
func (s *scanner) numericDays(at int) (days []day, n int) {
	parts, joint := strings.Split(s.tok(at).text, "."), "."
	if n = 1; len(parts) != 3 {
		parts, joint, n = nil, s.tok(at+1).fold, 5
		for i := range 3 {
			p, before := s.tok(at+2*i), s.tok(at+2*i-1)
			if p.kind != number || i > 0 && (p.spaced || before.spaced || before.fold != joint) {
				return nil, 0
			}
			parts = append(parts, p.text)
		}
		if joint != "-" && joint != "/" {
			return nil, 0
		}
	}
	var p [3]int
	for i, part := range parts {
		v, ok := small(part, 9999)
		if !ok || len(part) > 2 && len(part) != 4 || len(part) == 4 && i == 1 {
			return nil, 0
		}
		p[i] = v
	}
	switch {
	case len(parts[0]) == 4:
		return []day{{p[0], p[1], p[2]}}, n
	case len(parts[2]) != 4 && joint == "-":
		return nil, 0
	case len(parts[2]) != 4:
		return nil, n
	case p[0] == p[1]:
		return []day{{p[2], p[0], p[1]}}, n
	}
	if s.tables.has(dayFirst) || joint == "." { // nobody writes the month first with points
		return []day{{p[2], p[1], p[0]}}, n
	}
	return []day{{p[2], p[0], p[1]}, {p[2], p[1], p[0]}}, n
}

// small reads a whole number up to a limit, in four digits at most.
func small(text string, limit int) (int, bool) {
	v, err := strconv.ParseUint(text, 10, 16)
	return int(v), err == nil && len(text) <= 4 && int(v) <= limit
}
