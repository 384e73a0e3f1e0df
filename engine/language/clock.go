package language

import (
	"fmt"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// timeOfDay measures the words for a part of the day behind a day.
func (s *scanner) timeOfDay(at int) (late, n int) {
	if part := s.tok(at).lex.row("times of day"); part != nil {
		return int(part.number(1)), 1
	}
	if pm, early, n := s.dayPartAt(at); n > 1 {
		if pm {
			return max(early, 1), n
		}
		return 0, n
	}
	return 0, 0
}

// afterNoon moves a clock time to the late part of a day. next tells that it is one behind
// midnight, of the day after.
func afterNoon(clock string, late int) (text string, next bool) {
	if late == 0 || len(clock) < 5 {
		return clock, false
	}
	h, _ := small(clock[:2], 23)
	switch {
	case late > 1 && h == 12:
		return "00" + clock[2:], true
	case h < late:
		return clock, late > 1
	case h < 12:
		return strconv.Itoa(h+12) + clock[2:], false
	}
	return clock, false
}

// clockAt reads a time of day. One with a colon may be a span of hours and minutes as well.
func (s *scanner) clockAt(at int) (quantity, bool) {
	if q, ok := s.paceAt(at); ok {
		return q, true
	}
	if q, ok := s.spanIn(at); ok {
		return q, true
	}
	text, n := s.clockTime(at, false)
	if n == 0 && s.tok(at-1).is("clock lead") {
		if hour, words := s.clockTime(at, true); words > 0 && hour != "" {
			if d, _ := s.dayBehind(at + words); d.n > 0 {
				text, n = hour, words // at 8 on Monday
			}
		}
	}
	if n == 0 {
		if q, ok := s.spanAt(at); ok {
			return q, true
		}
		_, _, _, n := s.colons(at)
		return quantity{from: at, to: at + n, moment: true}, n > 0
	}
	q := quantity{from: at, to: at + n, moment: true}
	if text == "" {
		return q, true
	}
	if d, words := s.dayBehind(q.to); d.n > 0 && !s.tok(at-1).is("span lead") {
		q.to += words
		s.readDays(&q, d, text)
		return q, true
	}
	q.readings = []reading{{kind: kindClock, text: text}}
	if s.tok(q.to-1).is("this night") || s.tok(q.to-2).is("present day") {
		q.readings = nil
		d := saidDay{days: []day{dayOf(s.today)}, now: true}
		if _, early, n := s.dayPartAt(q.to - 1); n == 1 {
			d.late = early
		}
		s.readDays(&q, d, text)
		return q, true
	}
	if span, ok := s.spanAt(at); ok && span.to == q.to {
		q.readings = append(q.readings, span.readings...)
	}
	return q, true
}

// dayBehind reads the day behind a clock time: 6 am on Tuesday, 14:00 tomorrow evening. n counts
// all tokens.
func (s *scanner) dayBehind(at int) (d saidDay, n int) {
	next := at
	if s.tok(next).is("day joint") {
		next++
	}
	if _, n := s.daysAt(next + 1); n > 0 && s.tok(next).is("definite") {
		next++ // 2 pm on the 9th of March
	}
	d = s.saidDayAt(next)
	if d.n == 0 || next > at && !s.tok(at).is("upon") && !d.sure {
		return saidDay{}, 0
	}
	late, n := s.timeOfDay(next + d.n)
	d.late = max(d.late, late)
	return d, next + d.n + n - at
}

// paceAt reads minutes and seconds by what they are for: 8:30 per mile, 8:30 min/mi.
func (s *scanner) paceAt(at int) (quantity, bool) {
	m, sec, _, n := s.colons(at)
	if n != 3 || sec > 59 {
		return quantity{}, false
	}
	for _, f := range s.single(at+n, true) {
		if f.unit.Symbol() == minute {
			n += f.n
			break
		}
	}
	q := quantity{from: at, to: at + n}
	for _, second := range s.parsed(second, 1) {
		for _, f := range s.over(at+n, second) {
			q.readings = append(q.readings, s.reading(amount{value: decimal.Int(int64(60*m + sec))}, f, f.n))
			q.to = at + n + f.n
		}
	}
	return q, len(q.readings) > 0
}

// spanAt reads h:mm and h:mm:ss as a duration.
func (s *scanner) spanAt(at int) (quantity, bool) {
	h, m, sec, n := s.colons(at)
	if n == 0 || m > 59 || sec > 59 {
		return quantity{}, false
	}
	text := fmt.Sprintf("%d:%02d", h, m)
	unit, value := minute, int64(h*60+m)
	if n == 5 {
		text += fmt.Sprintf(":%02d", sec)
		unit, value = second, value*60+int64(sec)
	}
	r := reading{kind: kindDuration, number: decimal.Int(value), text: text}
	for _, f := range s.parsed(unit, 1) {
		r.unit = f.unit
	}
	return quantity{from: at, to: at + n, readings: []reading{r}}, true
}

// spanIn reads 3:30 hours and 3:30 minutes, whose unit says what the first number counts.
func (s *scanner) spanIn(at int) (quantity, bool) {
	first, second, _, n := s.colons(at)
	if n != 3 || second > 59 {
		return quantity{}, false
	}
	for _, f := range s.single(at+n, true) {
		part := s.tables.exactly("parts", f.unit.Symbol())
		if f.unit.Dimension() != units.Time || part == nil {
			continue
		}
		unit := s.parsed(part[1], 1)[0].unit
		whole, err := units.Convert(s.ctx, units.Quantity{Number: decimal.Int(int64(first)), Unit: f.unit}, unit)
		if err != nil {
			continue
		}
		total := amount{value: s.ctx.Add(whole.Number, decimal.Int(int64(second)))}
		return quantity{from: at, to: at + n + f.n, readings: []reading{s.reading(total, found{unit: unit, part: 1}, f.n)}}, true
	}
	return quantity{}, false
}

// colons reads 14:07 and 14:07:09.
func (s *scanner) colons(at int) (h, m, sec, n int) {
	first, colon, second := s.tok(at), s.tok(at+1), s.tok(at+2)
	if first.kind != number || colon.text != ":" || colon.spaced || second.spaced || second.kind != number || len(second.text) != 2 {
		return 0, 0, 0, 0
	}
	h, okH := small(first.text, 9999)
	m, okM := small(second.text, 99)
	if !okH || !okM {
		return 0, 0, 0, 0
	}
	n = 3
	if again, third := s.tok(at+3), s.tok(at+4); again.text == ":" && !again.spaced && third.kind == number && !third.spaced && len(third.text) == 2 {
		if v, ok := small(third.text, 99); ok {
			sec, n = v, 5
		}
	}
	if next := s.tok(at + n); next.kind == number && !next.spaced {
		return 0, 0, 0, 0
	}
	return h, m, sec, n
}

// clockTime reads a time of day as text hh:mm; n is 0 for none, and the text is empty where no day
// has that time. loose takes an hour alone.
func (s *scanner) clockTime(at int, loose bool) (text string, n int) {
	t := s.tok(at)
	if named := t.lex.row("clock"); t.kind == word && named != nil {
		return named[1], 1
	}
	if h, m, sec, n := s.colons(at); n > 0 {
		if n == 3 {
			sec = -1
		}
		h, more := s.half(h, at+n)
		if more == 0 && s.tok(at+n).is("oclock") {
			more = 1
		}
		switch {
		case h >= 0 && h < 24 && m < 60 && sec < 60:
			return clockText(h, m, sec), n + more
		case more > 0:
			return "", n + more
		}
		return "", 0
	}
	if text, n := s.pastHour(at); n > 0 {
		return text, n
	}
	if text, n := s.dottedTime(at); n > 0 {
		return text, n
	}
	h, n := s.hour(at)
	if n == 0 {
		return "", 0
	}
	if named := s.tok(at + n).lex.row("clock"); h == 12 && named != nil {
		return named[1], n + 1
	}
	if h > 24 {
		return "", 0
	}
	end := at + n
	if s.tok(end).is("oclock") {
		hour, more := s.half(h, end+1)
		if hour < 0 || hour > 23 {
			return "", n + 1 + more
		}
		if t := s.tok(end + 1); s.tables.has(hourMinutes) && more == 0 && t.kind == number && !s.unitStarts(end+2) {
			if m, ok := small(t.text, 59); ok {
				return clockText(hour, m, -1), n + 2
			}
		}
		return clockText(hour, 0, -1), n + 1 + more
	}
	m := 0
	if part, v := s.numeral(s.hyphened(end)); t.kind == word && (part == partTen && v < 60 || part == partDigit && v > 9) {
		minutes, more := s.cardinal(s.hyphened(end))
		if _, _, part := s.dayPartAt(s.hyphened(end) + more); minutes < 60 && (part > 0 || loose || s.tok(at-1).is("clock lead") && !s.unitStarts(s.hyphened(end)+more)) {
			end = s.hyphened(end) + more
			m = int(minutes)
			loose = true
		}
	}
	hour, more := s.half(h, end)
	switch {
	case hour < 0 && more > 0:
		return "", end + more - at
	case more > 0 || loose && h < 24 && !s.unitStarts(end) && s.tok(end).fold != "%":
		return clockText(hour, m, -1), end + more - at
	}
	return "", 0
}

// dottedTime reads 8.15am.
func (s *scanner) dottedTime(at int) (text string, n int) {
	t := s.tok(at)
	dot := len(t.text) - 3
	if t.kind != number || dot < 1 || dot > 2 || t.text[dot] != '.' {
		return "", 0
	}
	h, okH := small(t.text[:dot], 23)
	m, okM := small(t.text[dot+1:], 59)
	hour, more := s.half(h, at+1)
	if s.tok(at + 1).is("oclock") {
		hour, more = h, 1
	} else if h > 12 {
		return "", 0
	}
	if !okH || !okM || more == 0 || hour < 0 {
		return "", 0
	}
	return clockText(hour, m, -1), 1 + more
}

// hour reads a whole number that can be an hour, in digits or words.
func (s *scanner) hour(at int) (h, n int) {
	t := s.tok(at)
	if t.kind == number {
		if h, ok := small(t.text, 24); ok && len(t.text) <= 2 {
			return h, 1
		}
		return 0, 0
	}
	if part, v := s.numeral(at); part == partDigit && v > 0 && v < 13 {
		return int(v), 1
	}
	return 0, 0
}

// half moves an hour to the part of the day that stands at a token; it is -1 where the part has no
// such hour.
func (s *scanner) half(h, at int) (hour, n int) {
	pm, early, n := s.dayPartAt(at)
	switch {
	case n == 0:
		return h, 0
	case h == 12 && (!pm || early > 0):
		return 0, n
	case h > 12 && h < 24 && pm:
		return h, n
	case h > 12 || h == 0 && pm:
		return -1, n
	case pm && h < 12 && h >= early:
		return h + 12, n
	}
	return h, n
}

// dayPartAt reads the words for a part of the day: whether it is after noon, and below which hour
// the hours, and twelve, are those behind midnight ("2 at night").
func (s *scanner) dayPartAt(at int) (pm bool, early, n int) {
	r, n := s.rowAt("parts of the day", at)
	if n == 0 {
		return false, 0, 0
	}
	return r[1] != "", int(r.number(2)), n
}

func clockText(h, m, sec int) string {
	if sec >= 0 {
		return fmt.Sprintf("%02d:%02d:%02d", h, m, sec)
	}
	return fmt.Sprintf("%02d:%02d", h, m)
}

// pastHour reads quarter past eight, half past 8, ten to nine. "ten to nine" without a word for
// time before it is a range.
func (s *scanner) pastHour(at int) (text string, n int) {
	minutes, sure, n := s.minutes(at)
	if n == 0 {
		return "", 0
	}
	i := at + n
	if !sure && s.tok(i).is("minute word") {
		i++
	}
	direction := s.tok(i)
	if h, words := s.hour(i); words > 0 && minutes == 30 && i == at+1 && h > 0 && h < 13 {
		if s.tables.has(halfTo) && !s.unitStarts(i+words) {
			hour, more := s.half(h, i+words)
			if hour--; hour == 0 {
				hour = 12
			}
			return clockText(hour, 30, -1), i + words + more - at // halb zehn
		}
		if hour, more := s.half(h, i+words); hour >= 0 && (more > 0 || s.tok(at-1).is("minute lead") && !s.unitStarts(i+words)) {
			return clockText(hour, 30, -1), i + words + more - at // at half eight
		}
	}
	h, words := s.hour(i + 1)
	if words == 0 || h < 1 || h > 12 {
		return "", 0
	}
	end := i + 1 + words
	switch {
	case direction.is("hour past"):
		if direction.is("loosely") && !sure {
			return "", 0
		}
	case direction.is("hour to"):
		if minutes > 29 || direction.is("partitive") || !sure && !s.tok(at-1).is("minute lead") || s.unitStarts(end) {
			return "", 0
		}
		h, minutes = h-1, 60-minutes
		if h == 0 {
			h = 12
		}
	default:
		return "", 0
	}
	if s.tok(end).is("oclock") {
		end++
	}
	hour, more := s.half(h, end)
	if hour < 0 {
		return "", 0
	}
	return clockText(hour, minutes, -1), end + more - at
}

// minutes reads the minutes before "past" and "to": sure of a half and a quarter, else a multiple
// of five.
func (s *scanner) minutes(at int) (minutes int, sure bool, n int) {
	i := at
	if s.tok(i).is("indefinite") {
		i++
	}
	switch part, v := s.numeral(i); {
	case part == partFraction && (v == 2 || v == 4):
		return int(60 / v), true, i + 1 - at
	case i > at:
	case part == partTen && v == 20 || part == partDigit && (v == 5 || v == 10):
		value, words := s.cardinal(i)
		return int(value), false, words
	case s.tok(i).kind == number:
		if value, ok := small(s.tok(i).text, 59); ok && value%5 == 0 && value > 0 {
			return value, false, 1
		}
	}
	return 0, false, 0
}

// hourAlone is the further reading of "at 8".
func (s *scanner) hourAlone(q quantity, a amount) (reading, bool) {
	h, ok := a.value.Int64()
	if before := s.tok(q.from - 2); s.tok(q.from-1).is("amount by") && (before.kind == number || before.lex.row("numbers") != nil || s.tok(q.from-3).kind == number) {
		return reading{}, false // 5 by 5
	}
	if !ok || a.n != 1 || h < 0 || h > 23 || !s.tok(q.from-1).is("clock lead") || a.exact != "" {
		return reading{}, false
	}
	return reading{kind: kindClock, text: clockText(int(h), 0, -1), weak: true}, true
}
