package input

import (
	"regexp"
	"strings"

	"reckon/engine/units"
	"reckon/engine/value"
)

// marks are the characters that stand for feet and inches, or for minutes and seconds of an angle.
const marks = `'"’‘′″ʹʺ”“`

var (
	feetMarks    = strings.NewReplacer("’", "'", "‘", "'", "ʹ", "'", "”", `"`, "“", `"`, "ʺ", `"`)
	primes       = strings.NewReplacer("′", "'", "″", `"`)
	angleMarks   = strings.NewReplacer("'", "′", `"`, "″", "’", "′", "”", "″")
	doubled      = regexp.MustCompile(`([0-9]\s*)''`)
	joinedInches = regexp.MustCompile(`('\s*)-([0-9][0-9 ./]*")`)
	spacedInches = regexp.MustCompile(`'\s+-\s+([0-9][0-9 ./]*")`)
	openInches   = regexp.MustCompile(`^(-?[0-9]+' ?[0-9]+(?:\.[0-9]+)?)\s*$`)
	compass      = regexp.MustCompile(`^(.*[°′″'"])\s*([NSEW])$`)
)

// readMarks writes marks as the arithmetic has them: 5’11”, 5'11”, 5'-11" and 5'11 as 5' 11", and
// primes as minutes and seconds where an angle is asked for or degrees stand in front. S and W make
// an angle negative. 5' - 11" could be a difference as well.
func (r *reading) readMarks(text string) (string, *value.Error) {
	angle := r.asks != nil && r.asks.Dimension() == units.Angle
	if !angle && !strings.ContainsAny(text, marks) && !strings.Contains(text, "°") {
		return text, nil
	}
	if angle || strings.Contains(text, "°") {
		if !strings.ContainsAny(text, "°") {
			text = angleMarks.Replace(doubled.ReplaceAllString(text, "$1″"))
		}
		m := compass.FindStringSubmatch(strings.TrimSpace(text))
		switch {
		case m == nil:
			return text, nil
		case m[2] == "N" || m[2] == "E":
			return m[1], nil
		case strings.HasPrefix(m[1], "-"):
			return text, r.invalid(text)
		}
		return "-" + m[1], nil
	}
	plain := feetMarks.Replace(text)
	if r.asks != nil && r.asks.Dimension() == units.Length {
		plain = primes.Replace(plain)
	}
	plain = doubled.ReplaceAllString(plain, `$1" `)
	if spacedInches.MatchString(plain) {
		together, apart := spacedInches.ReplaceAllString(plain, "' $1"), strings.NewReplacer("'", " ft", `"`, " in").Replace(plain)
		return text, value.Problem("input.ambiguous_number", Quoted(text), Quoted(together), Quoted(apart))
	}
	plain = joinedInches.ReplaceAllString(plain, "$1 $2")
	if m := openInches.FindStringSubmatch(plain); m != nil {
		plain = m[1] + `"`
	}
	return plain, nil
}
