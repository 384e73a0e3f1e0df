package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"reckon/engine/value"
)

// maxMilliseconds bounds the moments that have a date, as it bounds JavaScript's Date: 100,000,000
// days either way of 1970.
const maxMilliseconds = 8_640_000_000_000_000

// milliseconds is the millisecond that a moment of n seconds lies in; false beyond maxMilliseconds.
func milliseconds(n numeral) (int64, bool) {
	if n.point > 13 {
		return 0, false
	}
	ms := n.shifted(3).floor()
	return ms, -maxMilliseconds <= ms && ms <= maxMilliseconds
}

// momentLayouts are the texts of moments, as package time spells layouts. Those of a name that
// Luxon has are what its preset of the name gives for en-US, without the zone.
var momentLayouts = map[string]string{
	"date_short":            "1/2/2006",
	"date_med":              "Jan 2, 2006",
	"date_med_with_weekday": "Mon, Jan 2, 2006",
	"date_full":             "January 2, 2006",
	"date_huge":             "Monday, January 2, 2006",
	"date_iso":              "2006-01-02",

	"datetime_short":              "1/2/2006, 3:04 PM",
	"datetime_med":                "Jan 2, 2006, 3:04 PM",
	"datetime_full":               "January 2, 2006 at 3:04 PM",
	"datetime_huge":               "Monday, January 2, 2006 at 3:04 PM",
	"datetime_short_with_seconds": "1/2/2006, 3:04:05 PM",
	"datetime_med_with_seconds":   "Jan 2, 2006, 3:04:05 PM",
	"datetime_full_with_seconds":  "January 2, 2006 at 3:04:05 PM",
	"datetime_iso":                "2006-01-02T15:04:05",

	"time_simple":          "3:04 PM",
	"time_with_seconds":    "3:04:05 PM",
	"time_24_simple":       "15:04",
	"time_24_with_seconds": "15:04:05",
}

// renderMoment writes a date, datetime or time. It shows the second, minute or day that the moment
// lies in: a clock does not round up.
func renderMoment(n numeral, kind, format string) (string, bool) {
	ms, ok := milliseconds(n)
	if !ok {
		return "", false
	}
	layout := momentLayouts[format]
	t := time.UnixMilli(ms).UTC()
	if format == "datetime_iso" && value.Mod(ms, 1000) != 0 {
		layout += ".000"
	}
	if kind == "time" {
		const day = value.SecondsPerDay * 1000
		return t.Format(layout) + dayNote((ms-value.Mod(ms, day))/day), true
	}
	before, after, _ := strings.Cut(layout, "2006")
	year := yearText(t.Year())
	if strings.HasSuffix(format, "_iso") {
		year = isoYear(t.Year())
	}
	if before != "" {
		before = t.Format(before)
	}
	return before + year + t.Format(after), true
}

// yearText writes a year of the Gregorian calendar, the one before AD 1 being 1 BC.
func yearText(year int) string {
	if year < 1 {
		return strconv.Itoa(1-year) + " BC"
	}
	return strconv.Itoa(year)
}

// isoYear writes a year as ISO 8601 does: with a sign and six digits outside 0 to 9999, where 0 is
// the year before 1.
func isoYear(year int) string {
	if year < 0 || year > 9999 {
		return fmt.Sprintf("%+07d", year)
	}
	return fmt.Sprintf("%04d", year)
}

// dayNote tells that a clock time belongs to another day than the one it counts from.
func dayNote(days int64) string {
	if days == 0 {
		return ""
	}
	text := counted(numeralOfInt(days), "day")
	if days > 0 {
		text = "+" + text
	}
	return " (" + text + ")"
}
