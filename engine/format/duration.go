package format

import (
	"fmt"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// counts are the formats of a duration as one decimal count of a unit.
var counts = map[string]struct {
	seconds int64
	word    string
}{
	"duration_days":    {value.SecondsPerDay, "day"},
	"duration_hours":   {3600, "hour"},
	"duration_minutes": {60, "minute"},
	"duration_seconds": {1, "second"},
}

// renderDuration writes a span of n seconds, rounded to what the format shows, a negative one with
// one sign in front. It is false for one in parts beyond maxMilliseconds.
func renderDuration(n numeral, format string) (string, bool) {
	if count, found := counts[format]; found {
		return counted(n.over(count.seconds), count.word), true
	}
	span := n.abs()
	if _, ok := milliseconds(span); !ok {
		return "", false
	}
	text := ""
	seconds := span.rounded(0).magnitude()
	minutes := (span.magnitude() + 30) / 60
	some := seconds != 0 // something but zeros is shown
	switch format {
	case "duration_hms":
		text = clockText(seconds/3600, seconds/60%60, seconds%60)
	case "duration_hm":
		text, some = clockText(minutes/60, minutes%60), minutes != 0
	case "duration_ms":
		text = clockText(seconds/60, seconds%60)
	case "duration_dhms":
		text = clockText(seconds/value.SecondsPerDay, seconds/3600%24, seconds/60%60, seconds%60)
	case "duration_human":
		text, some = humanDuration(span), !span.isZero()
	case "duration_iso":
		thousandths := span.rounded(3)
		text, some = isoDuration(thousandths), !thousandths.isZero()
	}
	if n.negative && some {
		text = "-" + text
	}
	return text, true
}

// clockText writes 2:05:09, all numbers but the first with two digits.
func clockText(first int64, others ...int64) string {
	text := fmt.Sprint(first)
	for _, number := range others {
		text += fmt.Sprintf(":%02d", number)
	}
	return text
}

// humanDuration writes "2 hours, 30 minutes": the parts that are not 0, in whole seconds from a
// minute on, below with the decimals of a count.
func humanDuration(span numeral) string {
	if span.rounded(countPlaces).magnitude() < 60 {
		return counted(span, "second")
	}
	seconds := span.rounded(0).magnitude()
	var parts []string
	for _, part := range []struct {
		number int64
		word   string
	}{{seconds / value.SecondsPerDay, "day"}, {seconds / 3600 % 24, "hour"}, {seconds / 60 % 60, "minute"}, {seconds % 60, "second"}} {
		if part.number != 0 {
			parts = append(parts, counted(numeralOfInt(part.number), part.word))
		}
	}
	return strings.Join(parts, ", ")
}

// isoDuration writes P1DT2H30M, with days of 24 hours, for a span in whole thousandths of a second.
func isoDuration(span numeral) string {
	total := span.magnitude()
	seconds := span.plain(0, false)
	if _, fraction, found := strings.Cut(seconds, "."); found {
		seconds = fmt.Sprintf("%d.%s", total%60, fraction)
	} else {
		seconds = fmt.Sprint(total % 60)
	}
	text := "P"
	if days := total / value.SecondsPerDay; days != 0 {
		text += fmt.Sprintf("%dD", days)
	}
	clock := ""
	if hours := total / 3600 % 24; hours != 0 {
		clock += fmt.Sprintf("%dH", hours)
	}
	if minutes := total / 60 % 60; minutes != 0 {
		clock += fmt.Sprintf("%dM", minutes)
	}
	if seconds != "0" || span.isZero() {
		clock += seconds + "S"
	}
	if clock != "" {
		text += "T" + clock
	}
	return text
}

// counted writes a count with its word: "1 hour", "2.5 hours", "0 hours".
func counted(n numeral, word string) string {
	number := n.floating(countDigits, countPlaces, true)
	if number != "1" && number != "-1" {
		word += "s"
	}
	return number + " " + word
}

func numeralOfInt(i int64) numeral { return numeralOf(decimal.Int(i)) }
