package units

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenNumber
	tokenTimes
	tokenOver
	tokenPower // an exponent: "^2", "²", "-1" directly behind a word
	tokenOpen
	tokenClose
)

type token struct {
	text     string // of words (µ, Ω and the like in one spelling) and numbers
	kind     tokenKind
	hyphen   bool  // a word joined to what stands before by a hyphen
	glued    bool  // a word directly behind a power
	start    int16 // bytes
	num, den int16 // of powers, in lowest terms
}

const (
	maxText     = 200 // code points
	maxExponent = 100
	maxNesting  = 20
)

// scanner splits a unit expression into tokens.
type scanner struct {
	text   string
	at     int
	tokens []token
}

// scan appends the tokens of text, at most maxText long, to buffer, the last one a tokenEnd. It
// fails with *SyntaxError.
func scan(text string, buffer []token) ([]token, error) {
	if strings.Contains(text, ".") {
		text = countries.Replace(text)
	}
	s := scanner{text: text, tokens: buffer}
	for s.at < len(text) {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	return append(s.tokens, token{kind: tokenEnd, start: int16(len(text))}), nil
}

// countries writes the abbreviations of countries without dots.
var countries = strings.NewReplacer("U.S.", "US", "u.s.", "us", "U.K.", "UK", "u.k.", "uk")

func (s *scanner) fail(at int, reason string) error { return syntaxError(s.text, at, reason) }

func (s *scanner) add(kind tokenKind, length int) {
	s.tokens = append(s.tokens, token{kind: kind, start: int16(s.at)})
	s.at += length
}

func (s *scanner) next() error {
	r, length := utf8.DecodeRuneInString(s.text[s.at:])
	switch {
	case isWordStart(r):
		s.word(false)
	case r >= '0' && r <= '9':
		s.number()
	case unicode.IsSpace(r):
		s.at += length
	case r == '/' || r == '÷' || r == '∕' || r == '⁄':
		s.add(tokenOver, length)
	case r == '*' && strings.HasPrefix(s.text[s.at:], "**"):
		return s.exponent(2)
	case strings.ContainsRune("*·⋅∙•×", r):
		s.add(tokenTimes, length)
	case r == '.':
		s.dot()
	case r == '^':
		return s.exponent(1)
	case strings.ContainsRune("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", r):
		return s.raised()
	case r == '-' || r == '−' || r == '‐' || r == '‑':
		return s.hyphen(length)
	case r == '(':
		s.add(tokenOpen, length)
	case r == ')':
		s.add(tokenClose, length)
	case r == utf8.RuneError && length <= 1:
		return s.fail(s.at, "this is no UTF-8 text")
	case !unicode.IsPrint(r):
		return s.fail(s.at, "a control character is not part of a unit")
	default:
		return s.fail(s.at, "the character "+string(r)+" is not part of a unit")
	}
	return nil
}

// isWordStart is true of letters, degree and currency signs, percent and permille.
func isWordStart(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '%' || r == '$' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) || strings.ContainsRune("°℃℉‰‱′″℧₂℔", r)
}

// word reads letters and digits; powers written as trailing digits are the parser's business.
func (s *scanner) word(hyphen bool) {
	start, plain := s.at, true
	for s.at < len(s.text) {
		r, length := utf8.DecodeRuneInString(s.text[s.at:])
		if r == '\'' || r == '’' {
			// gunter's chain, apothecaries' ounce
			if next, _ := utf8.DecodeRuneInString(s.text[s.at+length:]); s.at > start && (unicode.IsLetter(next) || s.text[s.at-1] == 's' && next == ' ') {
				plain = false
				s.at += length
				continue
			}
		}
		if !isWordStart(r) && (r < '0' || r > '9') || r == '°' && s.at > start && s.beforeDegrees(start) {
			break
		}
		plain = plain && r < utf8.RuneSelf
		s.at += length
		if r == '%' || r == '‰' || r == '‱' {
			break
		}
	}
	text := s.text[start:s.at]
	if !plain {
		text = oneSpelling.Replace(text)
	}
	glued := len(s.tokens) > 0 && !hyphen && s.tokens[len(s.tokens)-1].kind == tokenPower && start > 0 && s.text[start-1] != ' ' ||
		start > 0 && strings.HasPrefix(text, "°") && len(text) > len("°") && unicode.IsLetter(s.runeBefore(start))
	s.tokens = append(s.tokens, token{kind: tokenWord, hyphen: hyphen, glued: glued, text: text, start: int16(start)})
}

// beforeDegrees reports whether the word since start ends before a degree sign: kg°C is kg and °C,
// but Δ°C one word.
func (s *scanner) beforeDegrees(start int) bool {
	r := s.runeBefore(s.at)
	next, _ := utf8.DecodeRuneInString(s.text[s.at+len("°"):])
	return r != 'Δ' && r != '∆' && r != '_' && unicode.IsLetter(next)
}

func (s *scanner) runeBefore(at int) rune {
	r, _ := utf8.DecodeLastRuneInString(s.text[:at])
	return r
}

// oneSpelling maps characters that look alike to the one that the table uses.
var oneSpelling = strings.NewReplacer(
	"μ", "µ", // U+03BC to U+00B5
	"\u2126", "Ω", // ohm sign to omega
	"\u212B", "Å", // angstrom sign to letter
	"\u212A", "K", // kelvin sign
	"℃", "°C", "℉", "°F", "º", "°", "ℓ", "L",
	"₂", "2", "'", "", "’", "", "∆", "Δ", "￥", "¥", "＄", "$", "￡", "£",
)

// The forms of numbers and powers. Decimals of a power beyond the sixth are dropped.
var (
	numberForm   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(e-?[0-9]+)?`)
	exponentForm = regexp.MustCompile(`^ *(\(?)([+−-]?)([0-9]+(?:\.[0-9]{1,6})?)[0-9]*`)
	closingForm  = regexp.MustCompile(`^ *(?:(/) *([0-9]*(?:\.[0-9]+)?))? *(\)?)`)
	raisedForm   = regexp.MustCompile(`^⁻?[⁰¹²³⁴-⁹]+`)
)

func (s *scanner) number() {
	text := numberForm.FindString(s.text[s.at:])
	s.tokens = append(s.tokens, token{kind: tokenNumber, text: text, start: int16(s.at)})
	s.at += len(text)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// dot is a product before another factor ("N.m"); elsewhere it ends an abbreviation ("sq. ft.") and
// says nothing.
func (s *scanner) dot() {
	r, _ := utf8.DecodeRuneInString(s.text[s.at+1:])
	if n := len(s.tokens); n > 0 && s.tokens[n-1].kind == tokenWord {
		multiplies := isWordStart(r) || r == '(' || r == '.' || s.text[s.at-1] == ' '
		if !multiplies || slices.Contains(abbreviated, strings.ToLower(s.tokens[n-1].text)) {
			s.at++
			return
		}
	}
	s.add(tokenTimes, 1)
}

// abbreviated are words that a dot shortens and never multiplies: "sq.ft." has square feet,
// "fl.oz" fluid ounces.
var abbreviated = []string{"sq", "cu", "fl", "imp"}

// hyphen joins words ("light-year") or makes a negative power ("s-1").
func (s *scanner) hyphen(length int) error {
	start := s.at
	before := tokenEnd
	if len(s.tokens) > 0 && !unicode.IsSpace(s.runeBefore(s.at)) {
		before = s.tokens[len(s.tokens)-1].kind
	}
	joined := before == tokenWord || before == tokenPower
	r, _ := utf8.DecodeRuneInString(s.text[s.at+length:])
	switch {
	case joined && isWordStart(r):
		s.at += length
		s.word(true)
		return nil
	case before == tokenWord && r >= '0' && r <= '9':
		return s.exponent(0)
	}
	return s.fail(start, "a minus sign stands only in a power such as s^-1")
}

// exponent reads "2", "-1", "0.5", "(1/2)" behind a sign of the given length.
func (s *scanner) exponent(length int) error {
	start := s.at
	m := exponentForm.FindStringSubmatch(s.text[start+length:])
	if m == nil {
		return s.fail(start, "a number is expected as power")
	}
	s.at += length + len(m[0])
	power, _ := new(big.Rat).SetString(m[3])
	if m[1] != "" {
		rest := closingForm.FindStringSubmatch(s.text[s.at:])
		s.at += len(rest[0])
		if rest[1] != "" {
			below, ok := new(big.Rat).SetString(rest[2])
			if !ok || below.Sign() == 0 || strings.Contains(rest[2], ".") {
				return s.fail(start, "a number is expected as power")
			}
			power.Quo(power, below)
		}
		if rest[3] == "" {
			return s.fail(start, "the parenthesis of this power is not closed")
		}
	}
	if m[2] != "" && m[2] != "+" {
		power.Neg(power)
	}
	return s.power(start, power)
}

func (s *scanner) power(start int, power *big.Rat) error {
	if new(big.Rat).Abs(power).Cmp(big.NewRat(maxExponent, 1)) > 0 {
		return s.fail(start, "the power is larger than 100")
	}
	num, den := power.Num().Int64(), power.Denom().Int64()
	if !power.Denom().IsInt64() || sixtieths%den != 0 {
		return s.fail(start, "the power must be a whole number or a fraction of halves to sixtieths")
	}
	s.tokens = append(s.tokens, token{kind: tokenPower, num: int16(num), den: int16(den), start: int16(start)})
	return nil
}

// plainDigits writes raised digits as plain ones.
var plainDigits = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// raised reads "²", "⁻¹".
func (s *scanner) raised() error {
	start, text := s.at, raisedForm.FindString(s.text[s.at:])
	power, ok := new(big.Rat).SetString(plainDigits.Replace(text))
	if !ok {
		return s.fail(start, "a number is expected as power")
	}
	s.at += len(text)
	return s.power(start, power)
}

// cutDigits splits "m2" and "s12" into the word and its trailing digits.
func cutDigits(word string) (rest, digits string, ok bool) {
	rest = strings.TrimRight(word, "0123456789")
	return rest, word[len(rest):], rest != "" && rest != word
}
