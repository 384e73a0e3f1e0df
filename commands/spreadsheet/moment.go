package spreadsheet

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Spreadsheets count moments in days, dates from 30 December 1899 (as if 1900 had been a leap year,
// which counts from March 1900 on). A domain has them as moments, so that in a formula each is
// turned into days, and the result of a cell that shows a moment back.

// moment says what of a moment a cell shows.
type moment int

const (
	noMoment moment = iota
	dateMoment
	datetimeMoment
	timeMoment // of the day, or a span
)

// momentOf tells it from the format of a number.
func momentOf(format string) moment {
	format = strings.ToLower(format)
	day, clock := strings.Contains(format, "yy") || strings.Contains(format, "dd"), strings.Contains(format, "h:") || strings.Contains(format, "mm:ss")
	switch {
	case day && clock:
		return datetimeMoment
	case day:
		return dateMoment
	case clock:
		return timeMoment
	}
	return noMoment
}

// firstDay is the day 0 of spreadsheets, maxDay the last that they have.
var firstDay = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

const (
	leastDay = 61
	maxDay   = 2_958_465
)

// kind is the kind of a variable, one that is given or one that a formula makes.
func (m moment) kind(calculated bool) string {
	switch {
	case m == dateMoment:
		return "date"
	case m == datetimeMoment:
		return "datetime"
	case calculated:
		return "duration"
	}
	return "time"
}

// text is a number of days as a prompt has it, "" where it is none that has one.
func (m moment) text(days float64) string {
	if m != timeMoment && (days < leastDay || days > maxDay) || m == timeMoment && (days < 0 || days >= 1) {
		return ""
	}
	whole, part := math.Modf(days)
	at := firstDay.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	switch {
	case m == timeMoment:
		return at.Format("15:04:05")
	case m == dateMoment && part == 0:
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02T15:04:05")
}

// In a translated formula a date stands between these, and a time between the others.
const (
	dateOpen, dateClose = "⟦", "⟧"
	timeOpen, timeClose = "⟨", "⟩"
)

var (
	dateAlone  = regexp.MustCompile(`^⟦([^⟦⟧⟨⟩]+)⟧$`)
	timeAlone  = regexp.MustCompile(`^⟨([^⟦⟧⟨⟩]+)⟩$`)
	difference = regexp.MustCompile(`^[⟦⟨](\w+)[⟧⟩] - [⟦⟨](\w+)[⟧⟩]$`)
	moved      = regexp.MustCompile(`^⟦([^⟦⟧⟨⟩]+)⟧ ([+-]) ([^⟦⟧⟨⟩<>=]+)$`)
	inDays     = strings.NewReplacer(dateOpen, "((", dateClose, " - date(1899, 12, 30)) / 1 [d])", timeOpen, "((", timeClose, ") / 1 [d])")
)

// moments writes a translated formula, whose moments are between marks, for a cell that shows one,
// or a number.
func moments(expression string, shows moment) string {
	if m := difference.FindStringSubmatch(expression); m != nil && (shows == noMoment || shows == timeMoment) {
		if shows == timeMoment {
			return m[1] + " - " + m[2]
		}
		return "(" + m[1] + " - " + m[2] + ") / 1 [d]"
	}
	switch shows {
	case noMoment:
		return inDays.Replace(expression)
	case timeMoment:
		if m := timeAlone.FindStringSubmatch(expression); m != nil {
			return m[1]
		}
		return "(" + inDays.Replace(expression) + ") * 1 [d]"
	}
	if m := dateAlone.FindStringSubmatch(expression); m != nil {
		return m[1]
	}
	if m := moved.FindStringSubmatch(expression); m != nil {
		if m[2] == "-" {
			m[3] = "-" + m[3]
		}
		return m[1] + " + (" + m[3] + ") * 1 [d]"
	}
	return "date(1899, 12, 30) + (" + inDays.Replace(expression) + ") * 1 [d]"
}

var (
	dateForm  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?$`)
	clockForm = regexp.MustCompile(`^\d{1,2}:\d{2}(?::\d{2})?$`)
)

// written reads a moment of a table as the number and format that a workbook would have.
func written(text string) (number, format string, ok bool) {
	layouts, format := []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05"}, "yyyy-mm-dd"
	from := firstDay
	switch {
	case dateForm.MatchString(text):
		text = strings.Replace(text, " ", "T", 1)
		if strings.Contains(text, "T") {
			format = "yyyy-mm-dd hh:mm"
		}
	case clockForm.MatchString(text):
		layouts, format = []string{"15:04", "15:04:05"}, "hh:mm"
		from = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)
	default:
		return "", "", false
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return strconv.FormatFloat(float64(at.Unix()-from.Unix())/86400, 'g', 15, 64), format, true
		}
	}
	return "", "", false
}
