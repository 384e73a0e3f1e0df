package input

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/units"
	"reckon/engine/value"
)

// unit reads the unit at hand, if there is one: the longest text that can belong to a unit and that
// the table knows. code is the currency that stood in front of the number: alone, or as the
// numerator of what stands behind ($0.30/kWh).
func (a *arithmetic) unit(code string) (*units.Unit, *value.Error) {
	end := a.at
	a.space()
	from, s := a.at, a.rest()
	run, shorter := scanUnit(s)
	if run == 0 {
		a.at = end
		if code == "" {
			return nil, nil
		}
		unit, _, err := a.resolve(code, from, 0, nil)
		return unit, err
	}
	prefix := ""
	switch {
	case s[0] == '/' || strings.HasPrefix(s, "÷"):
		prefix = cmp.Or(code, "1")
	case strings.HasPrefix(s, "per "): // "per second", but "per cent" is a unit
		prefix = code
	case code != "":
		unit, size, err := a.resolve("", from, run, shorter)
		if err != nil {
			return nil, err
		}
		if codes := unit.Dimension().Currencies(); len(codes) != 1 || codes[0] != code {
			return nil, value.Problem("input.incompatible_units", code, unit.String())
		}
		a.at = from + size
		return unit, nil
	}
	unit, size, err := a.resolve(prefix, from, run, shorter)
	if err != nil {
		return nil, err
	}
	a.at = from + size
	return unit, nil
}

// resolve looks up the unit that starts at from: the first run bytes, else one of the shorter
// texts, longest last. It returns the bytes that the unit took.
func (a *arithmetic) resolve(prefix string, from, run int, shorter []int) (*units.Unit, int, *value.Error) {
	size := run
	for i := len(shorter); ; i-- {
		text := strings.TrimRightFunc(a.text[from:from+size], unicode.IsSpace)
		var unit *units.Unit
		var err error
		if utf8.RuneCountInString(text) > maxUnitLength {
			err = &units.UnknownError{Name: text}
		} else {
			unit, err = parseUnit(a.scope, prefix, text)
		}
		if err == nil {
			return unit, size, nil
		}
		if i == 0 {
			var malformed *units.SyntaxError
			if errors.As(err, &malformed) && prefix == "" && malformed.Text == text {
				at := from
				for range malformed.Offset {
					_, width := utf8.DecodeRuneInString(a.text[at:])
					at += width
				}
				return nil, 0, a.syntax(at)
			}
			return nil, 0, unknownUnit(text, err)
		}
		size = shorter[i-1]
	}
}

// parseUnit looks up a unit in the domain's table, currency signs read as codes. prefix is a
// numerator in front of it.
func parseUnit(s *value.Scope, prefix, text string) (*units.Unit, error) {
	if prefix != "" {
		if rest, found := strings.CutPrefix(text, "per "); found {
			text = "/" + rest
		}
	}
	return s.Table.Parse(prefix + withCodes(text))
}

// unknownUnit is input.unknown_unit with the nearest spelling, where there is one.
func unknownUnit(text string, err error) *value.Error {
	args := []string{Quoted(text)}
	if unknown := (*units.UnknownError)(nil); errors.As(err, &unknown) {
		args[0] = Quoted(unknown.Name)
		cases := 0 // spellings that differ by case alone: nobody knows which one is meant
		for cases < len(unknown.Nearest) && strings.EqualFold(unknown.Nearest[cases], unknown.Name) {
			cases++
		}
		if unknown.Ambiguous {
			cases = len(unknown.Nearest)
		}
		if cases > 0 {
			args = append(args, strings.Join(unknown.Nearest[:cases], `" or "`))
		} else if len(unknown.Nearest) > 0 {
			args = append(args, unknown.Nearest[0])
		}
	}
	return value.Problem("input.unknown_unit", args...)
}

func incompatible(a, b *units.Unit) *value.Error {
	return value.Problem("input.incompatible_units", a.String(), b.String())
}

// inUnit reports whether a character can stand in the name of a unit.
func inUnit(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' || r == '%' || r == '$' || r == '\'' || r == '"'
	}
	return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Sc, r) || strings.ContainsRune("_°%‰‱'\"’′″℃℉℧₂℔", r)
}

// maxShorter bounds the readings of a text as a unit; every unit with digits in it has fewer.
const maxShorter = 8

// scanUnit measures the longest text at the start of s that can be a unit, in bytes, 0 for none,
// and the shorter texts, ascending, that end where a number or a parenthesis could belong to the
// arithmetic as well: "ft" of "ft11in", "L" of "L/100km".
func scanUnit(s string) (end int, shorter []int) {
	u := unitScan{text: s}
	if strings.HasPrefix(s, "1/") {
		u.at = 1 // "1/s" as it is emitted
	}
	for u.at < len(s) && len(u.shorter) <= maxShorter && u.at < maxUnitLength*8 && u.next() {
	}
	return u.end, u.shorter
}

// unitScan is how far scanUnit has read.
type unitScan struct {
	text    string
	at      int   // what is read next
	end     int   // of what can be a unit so far
	last    rune  // the character that ends it, 0 for none
	spaced  bool  // white space stands between it and what is read next
	shorter []int // ends of shorter units
}

// take reads a part of the unit; as stands for its last character.
func (u *unitScan) take(at, size int, as rune) bool {
	u.at = at + size
	u.end, u.last, u.spaced = u.at, as, false
	return true
}

// ahead is the next character that is not white space, and its place.
func (u *unitScan) ahead(i int) (rune, int) {
	i += len(u.text[i:]) - len(strings.TrimLeftFunc(u.text[i:], unicode.IsSpace))
	r, _ := utf8.DecodeRuneInString(u.text[i:])
	return r, i
}

// next reads on. It reports whether what is there belongs to the unit.
func (u *unitScan) next() bool {
	r, size := utf8.DecodeRuneInString(u.text[u.at:])
	switch {
	case unicode.IsSpace(r):
		u.at += size
		u.spaced = true
		return true
	case inUnit(r):
		return u.take(u.at, size, r)
	case isRaised(r):
		return u.last != 0 && !u.spaced && u.take(u.at, size, r)
	case '0' <= r && r <= '9':
		return u.digit(r)
	case r == '.':
		next, _ := utf8.DecodeRuneInString(u.text[u.at+1:])
		return u.last != 0 && !u.spaced && unicode.IsDigit(u.last) == unicode.IsDigit(next) && u.take(u.at, size, r)
	case r == '^':
		return u.last != 0 && u.power()
	case r == '-':
		return u.minus()
	case r == '(':
		return u.parenthesis(u.at, true)
	case strings.HasPrefix(u.text[u.at:], "**") && u.last != 0:
		next, _ := u.ahead(u.at + 2)
		return unicode.IsDigit(next) && u.take(u.at, 2, '^')
	case strings.ContainsRune("*·⋅×/÷", r):
		return u.operator(r, size)
	}
	return false
}

// isRaised reports whether a character is a digit or the sign of a raised power.
func isRaised(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	_, digit := raisedDigits[r]
	return digit || r == '⁻'
}

// digit reads a digit of a power, or the 100 of "per 100 km".
func (u *unitScan) digit(r rune) bool {
	if before, found := strings.CutSuffix(u.text[:u.end], " per"); found && u.spaced && strings.HasPrefix(u.text[u.at:], "100") {
		return u.hundred(u.at, len(strings.TrimRightFunc(before, unicode.IsSpace)))
	}
	if u.last == 0 || u.spaced && u.last != '^' {
		return false
	}
	if inUnit(u.last) {
		u.shorter = append(u.shorter, u.at)
	}
	return u.take(u.at, 1, r)
}

// hundred reads the 100 at a place, where a unit follows on it. Without it the unit ends at another
// place.
func (u *unitScan) hundred(at, without int) bool {
	if next, _ := u.ahead(at + 3); !unicode.IsLetter(next) {
		return false
	}
	u.shorter = append(u.shorter, without)
	return u.take(at, 3, '/')
}

// power reads the sign of a power with what stands between it and its digits.
func (u *unitScan) power() bool {
	next, i := u.ahead(u.at + 1)
	switch {
	case strings.ContainsRune("+-−", next) && i < len(u.text):
		return u.take(i, utf8.RuneLen(next), '^')
	case next == '(':
		closing := strings.IndexByte(u.text[i:], ')')
		return closing >= 0 && u.take(i, closing+1, ')')
	}
	return u.take(u.at, 1, '^')
}

// minus reads a hyphen within a name, or the sign of a power behind one, where all that follows are
// such powers.
func (u *unitScan) minus() bool {
	next, _ := utf8.DecodeRuneInString(u.text[u.at+1:])
	_, power := raisedDigits[u.last]
	switch {
	case u.spaced || !unicode.IsLetter(u.last) && !unicode.IsDigit(u.last) && !power:
		return false
	case unicode.IsLetter(next) || next == '°':
		return u.take(u.at, 1, '-')
	case '1' <= next && next <= '9' && unicode.IsLetter(u.last) && negativePowers.MatchString(u.text[u.at:]):
		u.end = u.at + len(strings.TrimRightFunc(u.text[u.at:], unicode.IsSpace))
	}
	return false
}

// parenthesis reads a unit in parentheses, or what only says which unit the name in front of it is.
func (u *unitScan) parenthesis(at int, qualifies bool) bool {
	closing := closingParenthesis(u.text[at:])
	inner, _ := u.ahead(at + 1)
	if closing < 0 || !inUnit(inner) && inner != '(' && !(qualifies && qualifier.MatchString(u.text[at+1:at+closing])) {
		return false
	}
	if u.last != 0 {
		u.shorter = append(u.shorter, u.end)
	}
	return u.take(at, closing+1, ')')
}

// operator reads a sign of multiplication or division with a parenthesis or the 100 behind it; a
// name is read next.
func (u *unitScan) operator(r rune, size int) bool {
	next, i := u.ahead(u.at + size)
	switch {
	case u.last == 0 && r != '/' && r != '÷':
		return false
	case next != utf8.RuneError && inUnit(next):
		return u.take(u.at, size, r)
	case next == '(':
		return u.parenthesis(i, false)
	case r == '/' && u.last != 0 && strings.HasPrefix(u.text[i:], "100"):
		return u.hundred(i, u.end)
	}
	return false
}

// negativePowers match where all that follows are negative powers and units that have them, as in
// "m-2 K-1": behind a unit, a minus and a number without one are no difference.
var negativePowers = regexp.MustCompile(`^-[1-9]([ .·*]\pL+-[1-9])*\s*$`)

// qualifier matches what in parentheses behind a unit only says which one it is: "20 °C" of a
// calorie.
var qualifier = regexp.MustCompile(`^\d+ ?°?[CF]$`)

// closingParenthesis finds the one that closes the parenthesis at the start of s, -1 for none.
func closingParenthesis(s string) int {
	depth := 0
	for i := 0; i < len(s) && i < maxUnitLength*8; i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
