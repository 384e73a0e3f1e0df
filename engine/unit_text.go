package engine

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/units"
)

// unit reads the unit at hand, if there is one: the longest text that can belong to a unit and that the table knows.
// code is the currency that stood in front of the number: alone, or as the numerator of what stands behind ($0.30/kWh).
func (a *arithmetic) unit(code string) (*units.Unit, *Error) {
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
		prefix = "1"
		if code != "" {
			prefix = code
		}
	case strings.HasPrefix(s, "per ") && code != "":
		prefix = code
	case strings.HasPrefix(s, "per "): // "per second", but "per cent" is a unit
	case code != "":
		unit, size, err := a.resolve("", from, run, shorter)
		if err != nil {
			return nil, err
		}
		if codes := unit.Dimension().Currencies(); len(codes) != 1 || codes[0] != code {
			return nil, problem("input.incompatible_units", code, symbolOf(unit))
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

// resolve looks up the unit that starts at from: the first run bytes, else one of the shorter texts, longest last. It
// returns the bytes that the unit took.
func (a *arithmetic) resolve(prefix string, from, run int, shorter []int) (*units.Unit, int, *Error) {
	size := run
	for i := len(shorter); ; i-- {
		text := strings.TrimRightFunc(a.text[from:from+size], unicode.IsSpace)
		var unit *units.Unit
		var err error
		if utf8.RuneCountInString(text) > maxUnitLength {
			err = &units.UnknownError{Name: text}
		} else {
			unit, err = a.scope.parseUnit(prefix, text)
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

// parseUnit looks up a unit in the domain's table, currency signs read as codes. prefix is a numerator in front of it.
func (s *scope) parseUnit(prefix, text string) (*units.Unit, error) {
	if prefix != "" {
		if rest, found := strings.CutPrefix(text, "per "); found {
			text = "/" + rest
		}
	}
	return s.table.Parse(prefix + withCodes(text))
}

// unknownUnit is input.unknown_unit with the nearest spelling, where there is one.
func unknownUnit(text string, err error) *Error {
	var unknown *units.UnknownError
	if !errors.As(err, &unknown) {
		return problem("input.unknown_unit", quoted(text))
	}
	if len(unknown.Nearest) == 0 {
		return problem("input.unknown_unit", quoted(unknown.Name))
	}
	if unknown.Ambiguous {
		return problem("input.unknown_unit", quoted(unknown.Name), strings.Join(unknown.Nearest, `" or "`))
	}
	return problem("input.unknown_unit", quoted(unknown.Name), unknown.Nearest[0])
}

func incompatible(a, b *units.Unit) *Error {
	return problem("input.incompatible_units", symbolOf(a), symbolOf(b))
}

// symbolOf is a unit as errors name it: "1" for none.
func symbolOf(u *units.Unit) string {
	if symbol := u.Symbol(); symbol != "" {
		return symbol
	}
	return "1"
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

// scanUnit measures the longest text at the start of s that can be a unit, in bytes, 0 for none, and the shorter texts,
// ascending, that end where a number or a parenthesis could belong to the arithmetic as well: "ft" of "ft11in", "L" of
// "L/100km".
func scanUnit(s string) (end int, shorter []int) {
	at := 0
	if strings.HasPrefix(s, "1/") {
		at = 1 // "1/s" as it is emitted
	}
	last := rune(0) // the character in front, white space left out
	spaced := false
	ahead := func(i int) (rune, int) {
		i += len(s[i:]) - len(strings.TrimLeftFunc(s[i:], unicode.IsSpace))
		r, _ := utf8.DecodeRuneInString(s[i:])
		return r, i
	}
	for at < len(s) && len(shorter) <= maxShorter && at < maxUnitLength*8 {
		r, size := utf8.DecodeRuneInString(s[at:])
		raised := false
		if r >= utf8.RuneSelf {
			_, raised = raisedDigits[r]
		}
		switch {
		case unicode.IsSpace(r):
			at += size
			spaced = true
			continue
		case inUnit(r):
		case raised || r == '⁻':
			if last == 0 || spaced {
				return end, shorter
			}
		case '0' <= r && r <= '9':
			if before, found := strings.CutSuffix(s[:end], " per"); found && spaced && strings.HasPrefix(s[at:], "100") {
				if next, _ := ahead(at + 3); !unicode.IsLetter(next) {
					return end, shorter
				}
				shorter = append(shorter, len(strings.TrimRightFunc(before, unicode.IsSpace)))
				size, r = 3, '/'
				break
			}
			if last == 0 || spaced && last != '^' {
				return end, shorter
			}
			if inUnit(last) {
				shorter = append(shorter, at)
			}
		case r == '.':
			next, _ := utf8.DecodeRuneInString(s[at+1:])
			if last == 0 || spaced || unicode.IsDigit(last) != unicode.IsDigit(next) {
				return end, shorter
			}
		case r == '^':
			if last == 0 {
				return end, shorter
			}
			if next, i := ahead(at + 1); strings.ContainsRune("+-−", next) && i < len(s) {
				at, size = i, utf8.RuneLen(next)
				r = '^'
			} else if next == '(' {
				closing := strings.IndexByte(s[i:], ')')
				if closing < 0 {
					return end, shorter
				}
				at, size = i, closing+1
				r = ')'
			}
		case r == '-':
			next, _ := utf8.DecodeRuneInString(s[at+1:])
			_, power := raisedDigits[last]
			switch {
			case spaced || !unicode.IsLetter(last) && !unicode.IsDigit(last) && !power:
				return end, shorter
			case unicode.IsLetter(next) || next == '°':
			case '1' <= next && next <= '9' && unicode.IsLetter(last) && powersOnly(s[at:]):
				return at + len(strings.TrimRightFunc(s[at:], unicode.IsSpace)), shorter
			default:
				return end, shorter
			}
		case r == '(':
			closing := closingParenthesis(s[at:])
			inner, _ := ahead(at + 1)
			if closing < 0 || !inUnit(inner) && inner != '(' && !isQualifier(s[at+1:at+closing]) {
				return end, shorter
			}
			if last != 0 {
				shorter = append(shorter, end)
			}
			size = closing + 1
			r = ')'
		case r == '*' && strings.HasPrefix(s[at:], "**") && last != 0:
			next, _ := ahead(at + 2)
			if !unicode.IsDigit(next) {
				return end, shorter
			}
			size = 2
			r = '^'
		case strings.ContainsRune("*·⋅×/÷", r):
			next, i := ahead(at + size)
			switch {
			case last == 0 && r != '/' && r != '÷':
				return end, shorter
			case next != utf8.RuneError && inUnit(next):
			case next == '(':
				closing := closingParenthesis(s[i:])
				if inner, _ := ahead(i + 1); closing < 0 || !inUnit(inner) && inner != '(' {
					return end, shorter
				}
				if last != 0 {
					shorter = append(shorter, end)
				}
				at, size = i, closing+1
				r = ')'
			case r == '/' && last != 0 && strings.HasPrefix(s[i:], "100"):
				if next, _ := ahead(i + 3); !unicode.IsLetter(next) {
					return end, shorter
				}
				shorter = append(shorter, end)
				at, size = i, 3
				r = '/'
			default:
				return end, shorter
			}
		default:
			return end, shorter
		}
		at += size
		end, last, spaced = at, r, false
	}
	return end, shorter
}

// powersOnly reports whether all that follows are negative powers and units that have them, as in "m-2 K-1": behind a unit, a
// minus and a number without one are no difference.
func powersOnly(s string) bool {
	return negativePowers.MatchString(s)
}

var negativePowers = regexp.MustCompile(`^-[1-9]([ .·*]\pL+-[1-9])*\s*$`)

// isQualifier reports whether what is in parentheses behind a unit only says which one it is: "20 °C" of a calorie.
func isQualifier(inner string) bool {
	return qualifier.MatchString(inner)
}

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
