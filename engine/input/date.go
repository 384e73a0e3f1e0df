package input

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"reckon/engine/value"
)

// Forms of dates and clock times, in lower case with single spaces.
var (
	clock24     = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2}))?$`)
	clock12     = regexp.MustCompile(`^(\d{1,2})(?::(\d{2})(?::(\d{2}))?)? ?([ap])\.?m\.?$`)
	span        = regexp.MustCompile(`^([-+−]?)(\d{1,9}):(\d{2})(?::(\d{2}))?$`)
	isoDate     = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:(?:t| )(.+))?$`)
	dayMonth    = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?(?: of |\. ?|[ -])?([a-z]+)\.?(?:(?:, ?|[ -])(\d{4}))?(?:(?:,? at |, ?| )(.+))?$`)
	monthDay    = regexp.MustCompile(`^([a-z]+)\.?[ -]?(\d{1,2})(?:st|nd|rd|th)?(?:(?:, ?|[ -])(\d{4}))?(?:(?:,? at |, ?| )(.+))?$`)
	yearMonth   = regexp.MustCompile(`^(\d{4})[ -]([a-z]+)\.?[ -](\d{1,2})(?:(?:,? at |, ?| )(.+))?$`)
	numericDate = regexp.MustCompile(`^(\d{1,2})([/.-])(\d{1,2})([/.-])(\d{4})(?:,? .+)?$`)
)

// namedDays are the forms of a day whose month has a name, with the places of year, month and day.
var namedDays = []struct {
	form             *regexp.Regexp
	year, month, day int
}{{dayMonth, 3, 2, 1}, {monthDay, 3, 1, 2}, {yearMonth, 1, 2, 3}}

// month is the number of a month by its name, three letters of it, or "sept"; 0 for none.
func month(name string) time.Month {
	if name == "sept" {
		name = "sep"
	}
	for _, layout := range []string{"January", "Jan"} {
		if t, err := time.Parse(layout, name); err == nil {
			return t.Month()
		}
	}
	return 0
}

// folded is a text in lower case with single spaces.
func folded(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// looksLikeMoment reports whether a text is a clock time or an ISO date in form, which arithmetic
// would misread.
func looksLikeMoment(text string) bool {
	if len(text) > 40 || !strings.ContainsAny(text, ":-") {
		return false
	}
	text = folded(text)
	return isoDate.MatchString(text) || span.MatchString(text) || clock12.MatchString(text)
}

// wordMoment is what today and now mean to a kind. A date has no clock time, so that now is the
// day, and a clock time no date, so that today is midnight.
func wordMoment(kind, text string, env value.Env) (seconds int64, ok bool) {
	if !value.IsMomentWord(text) {
		return 0, false
	}
	seconds = env.Moment()
	if strings.EqualFold(text, "today") || kind == "date" {
		seconds = env.Today()
	}
	if kind == "time" {
		seconds -= env.Today()
	}
	return seconds, true
}

// scanSpan reads a duration h:mm or h:mm:ss. The normal form is in minutes where there are no
// seconds.
func scanSpan(text string) (seconds int64, normal string, ok bool) {
	m := span.FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	hours, minutes, rest := whole(m[2]), whole(m[3]), whole(m[4])
	if minutes > 59 || rest > 59 {
		return 0, "", false
	}
	sign := int64(1)
	if m[1] == "-" || m[1] == "−" {
		sign = -1
	}
	seconds = sign * (hours*3600 + minutes*60 + rest)
	if m[4] == "" {
		return seconds, fmt.Sprintf("%d min", seconds/60), true
	}
	return seconds, fmt.Sprintf("%d s", seconds), true
}

// whole reads digits that a form has matched; "" is 0.
func whole(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// scanClock reads a clock time: 14:07, 14:07:09, 2 pm, 2:07 pm.
func scanClock(text string) (seconds int64, ok bool) {
	if m := clock24.FindStringSubmatch(text); m != nil {
		return clock(whole(m[1]), m[2], m[3])
	}
	m := clock12.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	hours := whole(m[1])
	if hours < 1 || hours > 12 {
		return 0, false
	}
	hours %= 12
	if m[4] == "p" {
		hours += 12
	}
	return clock(hours, m[2], m[3])
}

func clock(hours int64, minutes, seconds string) (int64, bool) {
	m, s := whole(minutes), whole(seconds)
	return hours*3600 + m*60 + s, hours < 24 && m < 60 && s < 60
}

// date is the midnight of a day as seconds since the epoch; false where the calendar has no such
// day.
func date(year, month, day int64) (int64, bool) {
	t := time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC)
	ok := year >= 1 && year <= 9999 && t.Month() == time.Month(month) && t.Day() == int(day)
	return t.Unix(), ok
}

// scanDay reads a date and returns the clock time behind it as text, "" for none. matched tells
// whether the text has the form of a date, ok whether the calendar has the day.
func scanDay(text string, env value.Env) (day int64, rest string, matched, ok bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		day, ok = date(whole(m[1]), whole(m[2]), whole(m[3]))
		return day, m[4], true, ok
	}
	for _, f := range namedDays {
		m := f.form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		number, year := month(m[f.month]), whole(m[f.year])
		if number == 0 {
			break
		}
		if m[f.year] == "" {
			year = int64(time.Unix(env.Today(), 0).UTC().Year())
		}
		day, ok = date(year, int64(number), whole(m[f.day]))
		return day, m[4], true, ok
	}
	return 0, "", false, false
}

// scanMoment reads a text in one of the forms for a date, datetime or time. matched is false where
// it has none of them. It fails with input.invalid_date where the form does not suit the kind or
// names no moment, and with input.ambiguous_date where day and month could be either.
func scanMoment(kind, text string, env value.Env) (seconds int64, matched bool, err *value.Error) {
	if len(text) > maxQuotedRunes {
		return 0, false, nil
	}
	form := folded(text)
	invalid := value.Problem("input.invalid_date", Quoted(text))
	if clock24.MatchString(form) || clock12.MatchString(form) {
		seconds, ok := scanClock(form)
		switch {
		case !ok || kind == "date":
			return 0, true, invalid
		case kind == "datetime":
			seconds += env.Today()
		}
		return seconds, true, nil
	}
	if m := numericDate.FindStringSubmatch(form); m != nil {
		return 0, true, numericProblem(m, invalid)
	}
	day, rest, matched, ok := scanDay(form, env)
	switch {
	case !matched:
		return 0, false, nil
	case !ok || kind == "time" || kind == "date" && rest != "":
		return 0, true, invalid
	case rest == "":
		return day, true, nil
	}
	seconds, ok = scanClock(rest)
	if !ok {
		return 0, true, invalid
	}
	return day + seconds, true, nil
}

// momentKind is the kind of a cell whose author says nothing of it: a date where it is written with
// its year, else a number. Where dates are expected, it is one in any form.
func (r *reading) momentKind(text string, expected bool) string {
	if len(text) > maxQuotedRunes {
		return "number"
	}
	if expected && value.IsMomentWord(strings.TrimSpace(text)) {
		return "datetime"
	}
	if !expected && !mayBeDate(text) {
		return "number"
	}
	form := folded(text)
	if !expected && !writtenWithYear(form) || clock24.MatchString(form) || clock12.MatchString(form) {
		return "number"
	}
	seconds, matched, _ := scanMoment("datetime", text, r.env)
	switch {
	case !matched:
		return "number"
	case value.Mod(seconds, value.SecondsPerDay) == 0:
		return "date"
	}
	return "datetime"
}

// mayBeDate tells most numbers from dates without their forms: a hyphen within, or the name of a
// month.
func mayBeDate(text string) bool {
	if strings.LastIndexByte(text, '-') > 3 {
		return true
	}
	isLetter := func(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	from := strings.IndexFunc(text, isLetter)
	if from < 0 {
		return false
	}
	word := text[from:]
	if end := strings.IndexFunc(word, func(c rune) bool { return !isLetter(c) }); end >= 0 {
		word = word[:end]
	}
	// Of "3rd of May 2024" it is not the first word.
	return len(text) >= len("1 May 2024") && (month(strings.ToLower(word)) != 0 || from > 0 && len(word) == 2)
}

// writtenWithYear reports whether a text has the form of a date with its year, the month first or
// named.
func writtenWithYear(form string) bool {
	if isoDate.MatchString(form) {
		return true
	}
	for _, f := range namedDays {
		if m := f.form.FindStringSubmatch(form); m != nil && m[f.year] != "" && month(m[f.month]) != 0 {
			return true
		}
	}
	return false
}

// numericProblem is what is wrong with a date in digits whose year comes last: which number is the
// day is not said.
func numericProblem(m []string, invalid *value.Error) *value.Error {
	year, first, second := whole(m[5]), whole(m[1]), whole(m[3])
	_, monthFirst := date(year, first, second)
	_, dayFirst := date(year, second, first)
	if !monthFirst || !dayFirst || m[2] != m[4] || first == second {
		return invalid
	}
	return value.Problem("input.ambiguous_date", m[0],
		fmt.Sprintf("%04d-%02d-%02d", year, first, second), fmt.Sprintf("%04d-%02d-%02d", year, second, first))
}

// momentText is the normal form of a moment of a kind, "" where it has none but its seconds:
// outside the years 1 to 9999, a date that is no midnight, a clock time outside a day.
func momentText(kind string, seconds int64) string {
	t := time.Unix(seconds, 0).UTC()
	clockForm := "15:04"
	if t.Second() != 0 {
		clockForm = "15:04:05"
	}
	switch clock := value.Mod(seconds, value.SecondsPerDay); {
	case kind == "time" && clock == seconds:
		return t.Format(clockForm)
	case kind == "time" || t.Year() < 1 || t.Year() > 9999 || kind == "date" && clock != 0:
		return ""
	case kind == "date":
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02T" + clockForm)
}
