package units

import (
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
	case isTimes(r):
		s.add(tokenTimes, length)
	case r == '.':
		s.dot()
	case r == '^':
		return s.exponent(1)
	case superscript(r) != 0:
		return s.superscripts()
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

func isTimes(r rune) bool { return strings.ContainsRune("*·⋅∙•×", r) }

// isWordStart is true of letters, degree and currency signs, percent and permille.
func isWordStart(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '%' || r == '$' || r == '_'
	}
	return unicode.IsLetter(r) && superscript(r) == 0 || unicode.Is(unicode.Sc, r) || strings.ContainsRune("°℃℉‰‱′″℧₂℔", r)
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

func (s *scanner) number() {
	start := s.at
	digits := func() {
		for s.at < len(s.text) && isDigit(s.text[s.at]) {
			s.at++
		}
	}
	digits()
	if s.at+1 < len(s.text) && s.text[s.at] == '.' && isDigit(s.text[s.at+1]) {
		s.at++
		digits()
	}
	if s.at < len(s.text) && s.text[s.at] == 'e' {
		sign := s.at + 1
		if sign < len(s.text) && s.text[sign] == '-' {
			sign++
		}
		if sign < len(s.text) && isDigit(s.text[sign]) {
			s.at = sign
			digits()
		}
	}
	s.tokens = append(s.tokens, token{kind: tokenNumber, text: s.text[start:s.at], start: int16(start)})
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// dot is a product before another factor ("N.m"); elsewhere it ends an abbreviation ("sq. ft.") and
// says nothing.
func (s *scanner) dot() {
	r, _ := utf8.DecodeRuneInString(s.text[s.at+1:])
	spaced := s.at > 0 && s.text[s.at-1] == ' '
	behindWord := len(s.tokens) > 0 && s.tokens[len(s.tokens)-1].kind == tokenWord
	if behindWord && isAbbreviated(s.tokens[len(s.tokens)-1].text) {
		s.at++
		return
	}
	if isWordStart(r) || r == '(' || r == '.' || spaced || !behindWord {
		s.add(tokenTimes, 1)
		return
	}
	s.at++
}

// isAbbreviated is true of words that a dot shortens and never multiplies: "sq.ft." has square
// feet, "fl.oz" fluid ounces.
func isAbbreviated(word string) bool {
	switch strings.ToLower(word) {
	case "sq", "cu", "fl", "imp":
		return true
	}
	return false
}

// hyphen joins words ("light-year") or makes a negative power ("s-1").
func (s *scanner) hyphen(length int) error {
	start := s.at
	before := tokenEnd
	if len(s.tokens) > 0 && !s.spaceBefore() {
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

func (s *scanner) spaceBefore() bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:s.at])
	return unicode.IsSpace(r)
}

// exponent reads "2", "-1", "0.5", "(1/2)" behind a sign of the given length.
func (s *scanner) exponent(length int) error {
	start := s.at
	s.at += length
	s.spaces()
	open := s.take("(")
	negative := s.minus()
	num, den, ok := s.fraction()
	if !ok {
		return s.fail(start, "a number is expected as power")
	}
	if open {
		s.spaces()
		if s.take("/") {
			s.spaces()
			below, belowDen, ok := s.fraction()
			if !ok || below == 0 || belowDen != 1 {
				return s.fail(start, "a number is expected as power")
			}
			den *= below
		}
		s.spaces()
		if !s.take(")") {
			return s.fail(start, "the parenthesis of this power is not closed")
		}
	}
	if negative {
		num = -num
	}
	return s.power(start, num, den)
}

func (s *scanner) power(start, num, den int) error {
	num, den = Lowest(num, den)
	if num > maxExponent*den || num < -maxExponent*den {
		return s.fail(start, "the power is larger than 100")
	}
	if sixtieths%den != 0 {
		return s.fail(start, "the power must be a whole number or a fraction of halves to sixtieths")
	}
	s.tokens = append(s.tokens, token{kind: tokenPower, num: int16(num), den: int16(den), start: int16(start)})
	return nil
}

// fraction reads digits with or without decimals as num/den. Numbers past the limits come back as
// large ones.
func (s *scanner) fraction() (num, den int, ok bool) {
	const most = 1_000_000
	den = 1
	for ; s.at < len(s.text) && isDigit(s.text[s.at]); s.at++ {
		num, ok = min(num*10+int(s.text[s.at]-'0'), most), true
	}
	if ok && s.at+1 < len(s.text) && s.text[s.at] == '.' && isDigit(s.text[s.at+1]) {
		for s.at++; s.at < len(s.text) && isDigit(s.text[s.at]); s.at++ {
			if den < most {
				num, den = num*10+int(s.text[s.at]-'0'), den*10
			}
		}
	}
	return num, den, ok
}

func (s *scanner) spaces() {
	for s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
}

func (s *scanner) take(text string) bool {
	if strings.HasPrefix(s.text[s.at:], text) {
		s.at += len(text)
		return true
	}
	return false
}

// minus takes a sign and reports whether it is a minus.
func (s *scanner) minus() bool {
	return !s.take("+") && (s.take("-") || s.take("−"))
}

// superscripts reads "²", "⁻¹".
func (s *scanner) superscripts() error {
	start, num, negative, digits := s.at, 0, false, 0
	for s.at < len(s.text) {
		r, length := utf8.DecodeRuneInString(s.text[s.at:])
		digit := superscript(r)
		if digit == 0 || digit == '-' && digits > 0 {
			break
		}
		s.at += length
		if digit == '-' {
			if negative {
				break
			}
			negative = true
			continue
		}
		num, digits = min(num*10+int(digit-'0'), 1_000_000), digits+1
	}
	if digits == 0 {
		return s.fail(start, "a number is expected as power")
	}
	if negative {
		num = -num
	}
	return s.power(start, num, 1)
}

// superscript is the digit or minus sign that r stands for, else 0.
func superscript(r rune) byte {
	switch {
	case r == '¹':
		return '1'
	case r == '²':
		return '2'
	case r == '³':
		return '3'
	case r == '⁰', r >= '⁴' && r <= '⁹':
		return '0' + byte(r-'⁰')
	case r == '⁻':
		return '-'
	}
	return 0
}

// cutDigits splits "m2" and "s12" into the word and its trailing digits.
func cutDigits(word string) (rest, digits string, ok bool) {
	i := len(word)
	for i > 0 && isDigit(word[i-1]) {
		i--
	}
	return word[:i], word[i:], i > 0 && i < len(word)
}
