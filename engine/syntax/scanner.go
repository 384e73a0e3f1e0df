package syntax

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTokens  = 10_000
	maxNesting = 100
	maxDigits  = 1_000
	maxQuoted  = 200 // code points of a part that an error names, as many as a key may have
)

type kind int

const (
	end      kind = iota
	number        // text is the literal, unit what stood in brackets behind it
	name          // text is the name
	quoted        // text is what stands between the quotes
	raised        // raised digits; text is the exponent in plain digits, with "-" in front of a negative one
	operator      // text is the operator in its first spelling; words and punctuation too
)

type token struct {
	kind        kind
	text        string
	start, stop int // code points
	unit        string
	unitStart   int
}

// described is the token as error messages name it.
func (t token) described() string {
	if t.kind == end {
		return "the end"
	}
	text := t.text
	if r := []rune(text); len(r) > maxQuoted {
		text = string(r[:maxQuoted]) + "…"
	}
	return `"` + text + `"`
}

// spellings maps every operator that starts with other than a letter or digit to its first
// spelling, longest first.
var spellings = []struct{ written, means string }{
	{"**", "^"}, {"==", "=="}, {"!=", "!="}, {"<=", "<="}, {">=", ">="},
	{"≤", "<="}, {"≥", ">="}, {"≠", "!="}, {"−", "-"}, {"×", "*"}, {"·", "*"}, {"⋅", "*"}, {"÷", "/"},
	{"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"}, {"^", "^"}, {"%", "%"}, {"<", "<"}, {">", ">"},
	{"=", "="}, {"(", "("}, {")", ")"}, {"[", "["}, {"]", "]"}, {",", ","},
}

// raisedForm matches raised digits with their sign; plainDigits writes them as plain ones.
var (
	raisedForm  = regexp.MustCompile(`^⁻?[⁰¹²³⁴-⁹]*`)
	plainDigits = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
)

// scanner cuts a source into tokens one at a time, so that a source past a limit costs no more than
// the limit.
type scanner struct {
	source string
	at     int // bytes
	offset int // code points
	tokens int
}

// fail throws an error, which recovered catches.
func (s *scanner) fail(offset int, format string, args ...any) {
	panic(&Error{Offset: offset, Message: fmt.Sprintf(format, args...)})
}

func (s *scanner) peek() (rune, int) {
	if s.at >= len(s.source) {
		return -1, 0
	}
	return utf8.DecodeRuneInString(s.source[s.at:])
}

func (s *scanner) byteAt(i int) byte {
	if s.at+i >= len(s.source) {
		return 0
	}
	return s.source[s.at+i]
}

func (s *scanner) skip(size int) {
	s.at += size
	s.offset++
}

// space passes over white space, and over comments, which go from # to the end of their line.
func (s *scanner) space() {
	comment := false
	for {
		r, size := s.peek()
		switch {
		case r == -1, !comment && r != '#' && !unicode.IsSpace(r):
			return
		case r == '#':
			comment = true
		case r == '\n':
			comment = false
		}
		s.skip(size)
	}
}

func (s *scanner) next() token {
	s.space()
	r, size := s.peek()
	if r == -1 {
		return token{kind: end, start: s.offset, stop: s.offset}
	}
	if s.tokens++; s.tokens > maxTokens {
		s.fail(s.offset, "The equation is too long: it has more than 10,000 parts.")
	}
	if isDigit(byte(r)) && size == 1 || r == '.' && isDigit(s.byteAt(1)) {
		return s.number()
	}
	if startsName(r) {
		return s.name()
	}
	if written := raisedForm.FindString(s.source[s.at:]); written != "" {
		return s.raised(written)
	}
	if closing, ok := quotes[r]; ok {
		return s.quoted(closing)
	}
	s.foreign()
	for _, o := range spellings {
		if strings.HasPrefix(s.source[s.at:], o.written) {
			t := token{kind: operator, text: o.means, start: s.offset}
			s.at += len(o.written)
			s.offset += utf8.RuneCountInString(o.written)
			t.stop = s.offset
			return t
		}
	}
	if r == utf8.RuneError && size == 1 {
		s.fail(s.offset, "This is not valid UTF-8 text.")
	}
	switch r {
	case '.':
		s.fail(s.offset, "Expected a digit beside the decimal point.")
	case '!':
		s.fail(s.offset, `Expected "!=": a factorial is factorial(x), a negation "not".`)
	case '{', '}':
		s.fail(s.offset, "Expected round brackets: braces have no meaning here.")
	}
	s.fail(s.offset, "The character %q has no meaning in an equation.", r)
	return token{}
}

func startsName(r rune) bool { return r == '_' || unicode.IsLetter(r) }
func isDigit(b byte) bool    { return '0' <= b && b <= '9' }

func (s *scanner) name() token {
	start, from := s.offset, s.at
	for {
		r, size := s.peek()
		if !startsName(r) && !unicode.IsDigit(r) {
			break
		}
		s.skip(size)
	}
	t := token{kind: name, text: s.source[from:s.at], start: start, stop: s.offset}
	if t.text == "and" || t.text == "or" || t.text == "not" {
		t.kind = operator
	}
	return t
}

// quotes are those that a label may stand in, with the closing ones.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“'}

// quoted reads a label with its quotes.
func (s *scanner) quoted(closing rune) token {
	start := s.offset
	_, size := s.peek()
	s.skip(size)
	for from := s.at; ; {
		r, size := s.peek()
		if r == -1 {
			s.fail(start, "The quote that is opened here is not closed.")
		}
		s.skip(size)
		if r == closing {
			return token{kind: quoted, text: s.source[from : s.at-size], start: start, stop: s.offset}
		}
	}
}

// raised reads raised digits.
func (s *scanner) raised(written string) token {
	t := token{kind: raised, start: s.offset, text: plainDigits.Replace(written)}
	s.at += len(written)
	s.offset += len(t.text)
	switch digits := strings.TrimPrefix(t.text, "-"); {
	case len(digits) > maxDigits:
		s.fail(t.start, "This number has more than 1,000 digits.")
	case digits == "":
		s.fail(s.offset, "Expected raised digits behind the raised minus.")
	}
	t.stop = s.offset
	return t
}

// digits takes a run of digits. It counts them into *count.
func (s *scanner) digits(text *strings.Builder, count *int) {
	for isDigit(s.byteAt(0)) && *count <= maxDigits {
		text.WriteByte(s.byteAt(0))
		s.skip(1)
		*count++
	}
}

func (s *scanner) number() token {
	t := token{kind: number, start: s.offset}
	var text strings.Builder
	count := 0
	s.digits(&text, &count)
	if count == 0 {
		text.WriteByte('0')
	}
	for grouped := false; s.byteAt(0) == '_'; grouped = true {
		if !grouped && count > 3 {
			s.fail(s.offset, `Expected at most three digits in front of the first "_".`)
		}
		s.skip(1)
		before := count
		s.digits(&text, &count)
		if count <= maxDigits && count-before != 3 {
			s.fail(s.offset, `Expected groups of exactly three digits behind "_".`)
		}
	}
	if s.byteAt(0) == '.' {
		if !isDigit(s.byteAt(1)) {
			s.fail(s.offset+1, "Expected a digit behind the decimal point.")
		}
		text.WriteByte('.')
		s.skip(1)
		s.digits(&text, &count)
		if s.byteAt(0) == '_' {
			s.fail(s.offset, `Expected no "_" behind the decimal point.`)
		}
	}
	if b := s.byteAt(0); b == 'e' || b == 'E' {
		text.WriteByte('e')
		s.skip(1)
		if b := s.byteAt(0); b == '+' || b == '-' {
			text.WriteByte(b)
			s.skip(1)
		}
		if !isDigit(s.byteAt(0)) {
			s.fail(s.offset, `Expected digits behind the exponent mark "e".`)
		}
		s.digits(&text, &count)
	}
	if count > maxDigits {
		s.fail(t.start, "This number has more than 1,000 digits.")
	}
	t.text, t.stop = text.String(), s.offset
	if r, _ := s.peek(); r == '.' {
		s.fail(s.offset, "Expected only one decimal point in a number.")
	}
	s.unit(&t)
	return t
}

// unit reads the unit in brackets behind a number, if there is one.
func (s *scanner) unit(t *token) {
	at, offset := s.at, s.offset
	s.space()
	if s.byteAt(0) != '[' {
		s.at, s.offset = at, offset
		return
	}
	open := s.offset
	s.skip(1)
	s.space()
	from := s.at
	t.unitStart = s.offset
	for s.byteAt(0) != ']' {
		r, size := s.peek()
		switch {
		case r == -1:
			s.fail(s.offset, `Expected "]" behind the unit that starts at character %d.`, open)
		case r == '[':
			s.fail(s.offset, `Expected "]" behind the unit.`)
		case r == utf8.RuneError && size == 1:
			s.fail(s.offset, "This is not valid UTF-8 text.")
		}
		s.skip(size)
	}
	t.unit = strings.TrimRightFunc(s.source[from:s.at], unicode.IsSpace)
	if t.unit == "" {
		s.fail(s.offset, "Expected a unit between the brackets.")
	}
	s.skip(1)
	t.stop = s.offset
}
