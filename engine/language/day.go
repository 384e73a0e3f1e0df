package language

import (
	"slices"
	"time"
)

const secondsOfDay = 86400

// spokenDay is a day that is told by the present one.
type spokenDay struct {
	words   string // spellings, separated by ", "
	ahead   int64  // days from today
	late    int    // the first hour with it that is one after noon, 0 for none; those before are behind midnight
	example string
	means   string // on Thursday, 2026-03-05
}

var spokenDays = []spokenDay{
	{"today", 0, 0, "today", "today"},
	{"tonight", 0, 6, "tonight at 8", "2026-03-05T20:00, 20:00"},
	{"this evening, this afternoon", 0, 1, "this afternoon at 3", "2026-03-05T15:00, 15:00"},
	{"this morning", 0, 0, "this morning at 8", "2026-03-05T08:00, 08:00"},
	{"tomorrow, tomorow, tommorow, tommorrow, tmrw", 1, 0, "tomorrow", "2026-03-06"},
	{"yesterday", -1, 0, "yesterday", "2026-03-04"},
	{"the day after tomorrow, day after tomorrow, the day after tmrw", 2, 0, "the day after tomorrow", "2026-03-07"},
	{"the day before yesterday, day before yesterday", -2, 0, "the day before yesterday", "2026-03-03"},
}

// weekdays are the days of the week, Monday first. The short words count only where the form makes them days.
var weekdays = []struct{ words, short, example, means string }{
	{"monday", "mon", "on Monday", "2026-03-09"},
	{"tuesday tueday", "tue tues", "on Tues", "2026-03-10"},
	{"wednesday wensday wednsday", "wed weds", "Wednesday", "2026-03-11"},
	{"thursday thurday", "thu thur thurs", "next Thursday", "2026-03-12"},
	{"friday", "fri", "next Friday", "2026-03-06, 2026-03-13"},
	{"saturday saterday", "sat", "last Saturday", "2026-02-28"},
	{"sunday", "sun", "Sun at 6 pm", "2026-03-08T18:00"},
}

// weekdayLeads tell which of the days of a name is meant.
var weekdayLeads = []struct {
	words   string // spellings, separated by ", "
	which   whichWeek
	example string
	means   string
}{
	{"next, the next", nextOne, "next Monday", "2026-03-09"},
	{"this, this coming, coming, the coming", thisOne, "this Saturday", "2026-03-07"},
	{"last, this past, this last", lastOne, "last Thursday", "2026-02-26"},
}

type whichWeek int

const (
	comingOne whichWeek = iota // the first behind today
	nextOne                    // that, or the one in the week behind this one
	thisOne                    // that, or today
	lastOne                    // the last before today
)

// units of time that move a day, in days and in months.
var (
	unitDays   = map[string]int64{"d": 1, "wk": 7, "fortnight": 14}
	unitMonths = map[string]int64{"mo": 1, "yr": 12, "decade": 120}
)

// dayLeads make a day without a clock time one that is meant; "on Saturday" may only tell a story.
var dayLeads = words("by until till before after from since between starting beginning due")

// shortLeads do so for the short names of weekdays, which are words of their own.
var shortLeads = words("on by until till next this last coming past")

// notDays stand before the name of a weekday that is no day of its own: every Friday, Black Friday.
var notDays = words("every each black good cyber ash easter palm holy super shrove maundy")

// saidDay is a day as the prompt names it, with every day that it may be.
type saidDay struct {
	days []day
	n    int  // tokens, 0 for none
	sure bool // the words name a day whatever stands around them
	now  bool // it is the present day, which the words only mention
	late int  // as that of spokenDay
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
	if len(text) < 10 || text[4] != '-' {
		return other
	}
	year, okYear := small(text[:4], 9999)
	month, okMonth := small(text[5:7], 12)
	date, okDate := small(text[8:10], 31)
	if !okYear || !okMonth || !okDate {
		return other
	}
	return day{year, month, date}
}

// saidDayAt reads a day in any form: a date, a weekday with its date, a weekday, a day told by today.
func (s *scanner) saidDayAt(at int) saidDay {
	if days, n := s.daysAt(at); n > 0 {
		return saidDay{days: days, n: n, sure: true}
	}
	t := s.tok(at)
	if t.kind != word {
		return saidDay{}
	}
	for _, p := range s.spokenDayPhrases[t.fold] {
		if s.follows(at, p.words) {
			return saidDay{days: []day{dayOf(s.today + p.row.ahead*secondsOfDay)}, n: len(p.words), now: p.row.ahead == 0, late: p.row.late}
		}
	}
	if d := s.weekdayAt(at); d.n > 0 {
		return d
	}
	return s.dayOfMonthAt(at)
}

// weekdayAt reads the name of a weekday with what stands before and behind it: next Friday, Friday 13 March, Tuesday of next week.
func (s *scanner) weekdayAt(at int) saidDay {
	which, n := comingOne, 0
	for i := range weekdayLeads {
		for _, p := range s.leadPhrases[i] {
			if len(p) > n && s.follows(at, p) {
				which, n = weekdayLeads[i].which, len(p)
			}
		}
	}
	if week, more := s.weekAt(at); more > 0 {
		next := at + more
		if s.tok(next).fold == "on" {
			next++
		}
		if name, short := s.weekday(next); name >= 0 && !short {
			return saidDay{days: s.dayOfWeek(name, week), n: next + 1 - at, sure: true}
		}
	}
	name, short := s.weekday(at + n)
	if notDays()[s.tok(at-1).fold] {
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
	if s.tok(next).fold == "the" {
		next++
	}
	if days, more := s.daysAt(next); more > 0 && n == 0 {
		return saidDay{days: days, n: next + more - at, sure: true}
	}
	if date, ok := small(s.tok(next).text, 31); ok && n == 0 && s.ordinal(next+1) {
		return saidDay{days: s.weekdayOfMonth(name, date), n: next + 2 - at, sure: true} // Friday the 13th
	}
	next = end
	if s.tok(next).fold == "of" {
		next++
	}
	if week, more := s.weekAt(next); more > 0 && n == 0 {
		return saidDay{days: s.dayOfWeek(name, week), n: next + more - at, sure: true}
	}
	return saidDay{days: s.daysNamed(name, which, at), n: end - at}
}

// weekAt reads "next week" as the days that it lies ahead of this one.
func (s *scanner) weekAt(at int) (ahead int64, n int) {
	if s.tok(at+1).fold != "week" {
		return 0, 0
	}
	switch s.tok(at).fold {
	case "this":
		return 0, 2
	case "next":
		return 7, 2
	case "last":
		return -7, 2
	}
	return 0, 0
}

// weekday is the number of a weekday by its name, Monday 0, -1 for none.
func (s *scanner) weekday(at int) (name int, short bool) {
	t := s.tok(at)
	if t.kind != word {
		return -1, false
	}
	w, ok := s.weekdays[t.fold]
	if !ok {
		return -1, false
	}
	return w.name, w.short
}

// shortDay tells the days "Sat", "Sun" and "Wed" from the words: a lead stands before and nothing that they could go with
// behind, or a date or clock time follows.
func (s *scanner) shortDay(at int) bool {
	before := s.tok(at - 1).fold
	if before == "the" || before == "a" || before == "an" {
		return false
	}
	next := at + 1
	if t := s.tok(next).fold; t == "." || t == "," {
		next++
	}
	if _, n := s.daysAt(next); n > 0 {
		return true
	}
	if t := s.tok(next).fold; t == "at" || t == "@" {
		next++
	}
	if _, n := s.clockTime(next, next > at+1); n > 0 {
		return true
	}
	return shortLeads()[before] && !s.nounAt(at+1)
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
	t := s.tok(at - 1).fold
	return s.since.year > 0 && (t == "to" || t == "until" || t == "till" || t == "through" || t == "-" || t == "and" && s.tok(at-3).fold == "between")
}

// dayOfWeek lists the weekday of the week some days from this one, which starts on Monday for some and on Sunday for others.
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

// dayOfMonthAt reads "the 9th" where a word for time stands before or a clock time behind, and no noun.
func (s *scanner) dayOfMonthAt(at int) saidDay {
	if s.tok(at).fold != "the" || !s.ordinal(at+2) {
		return saidDay{}
	}
	date, ok := small(s.tok(at+1).text, 31)
	if !ok || date == 0 || s.tok(at+3).fold == "of" || s.tok(at+3).fold == "-" || s.nounAt(at+3) {
		return saidDay{}
	}
	d := s.nextDate(s.today, date)
	if d.year == 0 {
		return saidDay{}
	}
	clocked := s.tok(at+3).fold == "at"
	if clocked {
		_, n := s.clockTime(at+4, true)
		clocked = n > 0
	}
	if before := s.tok(at - 1).fold; !clocked && before != "on" && !dayLeads()[before] {
		return saidDay{}
	}
	return saidDay{days: []day{d}, n: 3}
}

// shiftedAt reads the days that an amount of time leads to: two days ago, 3 weeks from now, a week before Friday. It stays a
// duration as well, and "3 days" of "in 3 days" is one in the first place.
func (s *scanner) shiftedAt(q quantity) quantity {
	if len(q.readings) == 0 || q.readings[0].kind != kindDuration {
		return q
	}
	r := q.readings[0]
	count, ok := r.number.Int64()
	symbol := r.unit.Symbol()
	if !ok || count < 0 || count > 100_000 || unitDays[symbol] == 0 && unitMonths[symbol] == 0 {
		return q
	}
	from, end, sign := dayOf(s.today), q.to+1, int64(1)
	switch s.tok(q.to).fold {
	case "ago":
		sign = -1
	case "hence":
	case "before", "from", "after", "on":
		if name, _ := s.weekday(end); s.tok(q.to).fold == "on" && (symbol != "wk" || name < 0 || s.tok(q.from-1).fold == "for") {
			return q // a week on Friday
		}
		if s.tok(q.to).fold == "before" {
			sign = -1
		}
		if s.tok(end).fold == "now" && sign > 0 {
			end++
			break
		}
		d := s.saidDayAt(end)
		if d.n == 0 || len(d.days) != 1 || d.sure {
			return s.aheadOf(q, count, symbol)
		}
		from, end = d.days[0], end+d.n
	default:
		return s.aheadOf(q, count, symbol)
	}
	d := moved(from, sign*count, symbol)
	if d.year < 1 || d.year > 9999 {
		return q
	}
	r.unitTokens = 0
	q.readings = []reading{{kind: kindDate, text: d.text("")}, r}
	q.to, q.moment, q.weak = end, true, false
	return q
}

// aheadOf adds the day that "in 3 days" leads to.
func (s *scanner) aheadOf(q quantity, count int64, symbol string) quantity {
	if d := moved(dayOf(s.today), count, symbol); s.tok(q.from-1).fold == "in" && d.year <= 9999 {
		q.readings = append(slices.Clip(q.readings), reading{kind: kindDate, text: d.text(""), weak: true})
	}
	return q
}

// moved is the day some units of time from another; where the month has no such day, the last one of it.
func moved(from day, count int64, symbol string) day {
	if days := unitDays[symbol]; days != 0 {
		return dayOf(from.seconds() + count*days*secondsOfDay)
	}
	months := int64(from.year)*12 + int64(from.month-1) + count*unitMonths[symbol]
	d := day{int(months / 12), int(months%12) + 1, from.day}
	for months > 0 && d.year > 0 && !d.valid() {
		d.day--
	}
	return d
}

// functionWords are the words that are no nouns: what stands before one of them is complete.
var functionWords = words(`a an and are as at away be been being but by can could did do does deep due each either else ever every extra flat for from
 given had has have he her high his how i if in instead into is it its just later less like long make makes may me might minus more my no not now
 of off on once only onto or our out over per please plus rather same she should since so some tall than thanks that the their them then there these
 they this those though through till times to today together tomorrow tonight too total under until up using versus via vs was we were what
 when where whether which while who whose why wide will with within without would you your`)

// nounAt is true of a word that may be what a number counts or an ordinal orders.
func (s *scanner) nounAt(at int) bool {
	t := s.tok(at)
	return t.kind == word && t.spaced && !functionWords()[t.fold] && s.numbers[t.fold] == nil
}
