package http

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// depthLimit is how deep arrays and objects of a body may be nested, the outermost one included.
const depthLimit = 64

// encode writes an answer's body: one line, without escaping for HTML.
func encode(body any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// raw writes a value that stands inside an answer, members of maps by name. A value that cannot be written is null.
func raw(v any) json.RawMessage {
	text, err := encode(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// canonicalObject reads one JSON object strictly (no duplicate member names, no invalid UTF-8 or half surrogate pairs, nothing
// behind it, no more than depthLimit levels) and returns its canonical form, which two texts share exactly when they say the
// same: no white space, no null members, members sorted by name at every level, each string escaped in one way,
// numbers as they were written. The error is a sentence that names the place.
func canonicalObject(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("the text is not valid UTF-8")
	}
	c := canonicalizer{text: text, out: make([]byte, 0, len(text))}
	c.space()
	if c.peek() != '{' {
		return nil, fmt.Errorf("it must be an object")
	}
	if err := c.value(1); err != nil {
		return nil, err
	}
	c.space()
	if c.at != len(text) {
		return nil, fmt.Errorf("there is more behind its end, at byte %d", c.at)
	}
	return c.out, nil
}

// eachMember gives the members of an object in canonical form: what stands between the quotes of the name, and the value.
func eachMember(canonical []byte, do func(name, value []byte)) error {
	c := canonicalizer{text: canonical, out: make([]byte, 0, len(canonical))}
	if c.peek() != '{' {
		return c.errorf("an object is expected")
	}
	for c.at++; c.peek() != '}'; {
		if c.peek() == ',' {
			c.at++
		}
		begin := c.at
		m, err := c.member(1)
		if err != nil {
			return err
		}
		colon := begin + m.colon - m.start
		do(canonical[begin+1:colon-1], canonical[colon+1:c.at])
	}
	return nil
}

// canonicalizer reads text from at on and writes its canonical form to out.
type canonicalizer struct {
	text []byte
	at   int
	out  []byte
}

// member is where an object's member stands in out, from its name to its value, and where its name ends.
type member struct {
	start, colon, end int
	null              bool
}

func (c *canonicalizer) errorf(format string, args ...any) error {
	return fmt.Errorf(format+", at byte %d", append(args, c.at)...)
}

// peek is the next byte, 0 at the end. A 0 in the text is an error wherever peek is asked.
func (c *canonicalizer) peek() byte {
	if c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

func (c *canonicalizer) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// value reads one value. depth is the level that it would open.
func (c *canonicalizer) value(depth int) error {
	next := c.peek()
	if (next == '{' || next == '[') && depth > depthLimit {
		return c.errorf("it is nested deeper than %d levels", depthLimit)
	}
	switch {
	case next == '{':
		return c.object(depth)
	case next == '[':
		return c.array(depth)
	case next == '"':
		return c.str()
	case next == '-' || digit(next):
		return c.number()
	}
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(c.text[c.at:], []byte(word)) {
			c.at += len(word)
			c.out = append(c.out, word...)
			return nil
		}
	}
	return c.errorf("a value is expected")
}

func (c *canonicalizer) array(depth int) error {
	c.at++
	c.out = append(c.out, '[')
	for first := true; ; first = false {
		c.space()
		if c.peek() == ']' && first {
			break
		}
		if err := c.value(depth + 1); err != nil {
			return err
		}
		c.space()
		if c.peek() == ']' {
			break
		}
		if c.peek() != ',' {
			return c.errorf("a comma or the end of the array is expected")
		}
		c.at++
		c.out = append(c.out, ',')
	}
	c.at++
	c.out = append(c.out, ']')
	return nil
}

func (c *canonicalizer) object(depth int) error {
	opened := c.at
	c.at++
	begin := len(c.out)
	var members []member
	for first := true; ; first = false {
		c.space()
		if c.peek() == '}' && first {
			break
		}
		m, err := c.member(depth)
		if err != nil {
			return err
		}
		members = append(members, m)
		c.space()
		if c.peek() == '}' {
			break
		}
		if c.peek() != ',' {
			return c.errorf("a comma or the end of the object is expected")
		}
		c.at++
	}
	c.at++
	read := slices.Clone(c.out[begin:])
	name := func(m member) []byte { return read[m.start-begin : m.colon-begin] }
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(name(a), name(b)) })
	c.out = append(c.out[:begin], '{')
	for i, m := range members {
		if i > 0 && bytes.Equal(name(m), name(members[i-1])) {
			return fmt.Errorf("the object at byte %d has two members with the name %.100s", opened, name(m))
		}
		if m.null {
			continue
		}
		if len(c.out) > begin+1 {
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, read[m.start-begin:m.end-begin]...)
	}
	c.out = append(c.out, '}')
	return nil
}

// member reads one member of an object.
func (c *canonicalizer) member(depth int) (member, error) {
	m := member{start: len(c.out)}
	if c.peek() != '"' {
		return m, c.errorf("the name of a member is expected")
	}
	if err := c.str(); err != nil {
		return m, err
	}
	m.colon = len(c.out)
	c.space()
	if c.peek() != ':' {
		return m, c.errorf("a colon is expected")
	}
	c.at++
	c.out = append(c.out, ':')
	c.space()
	m.null = c.peek() == 'n'
	err := c.value(depth + 1)
	m.end = len(c.out)
	return m, err
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

func (c *canonicalizer) number() error {
	start := c.at
	digits := func() bool {
		from := c.at
		for digit(c.peek()) {
			c.at++
		}
		return c.at > from
	}
	if c.peek() == '-' {
		c.at++
	}
	if c.peek() == '0' {
		c.at++
	} else if !digits() {
		return c.errorf("a digit is expected")
	}
	if c.peek() == '.' {
		c.at++
		if !digits() {
			return c.errorf("a digit is expected")
		}
	}
	if c.peek() == 'e' || c.peek() == 'E' {
		c.at++
		if c.peek() == '+' || c.peek() == '-' {
			c.at++
		}
		if !digits() {
			return c.errorf("a digit is expected")
		}
	}
	c.out = append(c.out, c.text[start:c.at]...)
	return nil
}

// str reads a string.
func (c *canonicalizer) str() error {
	c.at++
	c.out = append(c.out, '"')
	for {
		if c.at == len(c.text) {
			return c.errorf("a string does not end")
		}
		b := c.text[c.at]
		switch {
		case b == '"':
			c.at++
			c.out = append(c.out, '"')
			return nil
		case b < ' ':
			return c.errorf("a string holds a control character that is not escaped")
		case b != '\\':
			c.at++
			c.out = append(c.out, b)
			continue
		}
		r, err := c.escape()
		if err != nil {
			return err
		}
		switch {
		case r == '"' || r == '\\':
			c.out = append(c.out, '\\', byte(r))
		case r < ' ':
			c.out = fmt.Appendf(c.out, `\u%04x`, r)
		default:
			c.out = utf8.AppendRune(c.out, r)
		}
	}
}

// escape reads an escape sequence, or the two of a surrogate pair, and returns the character that it stands for.
func (c *canonicalizer) escape() (rune, error) {
	const short, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c.at++
	letter := c.peek()
	if i := bytes.IndexByte([]byte(short), letter); i >= 0 {
		c.at++
		return rune(meaning[i]), nil
	}
	if letter != 'u' {
		return 0, c.errorf("an escape sequence is not valid")
	}
	c.at--
	r, err := c.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if bytes.HasPrefix(c.text[c.at:], []byte(`\u`)) {
		low, err := c.hex()
		if err != nil {
			return 0, err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, nil
		}
	}
	return 0, c.errorf("an escape sequence is half a surrogate pair")
}

// hex reads an escape of four hexadecimal digits.
func (c *canonicalizer) hex() (rune, error) {
	c.at += len(`\u`)
	var r rune
	for range 4 {
		b := c.peek()
		switch {
		case digit(b):
			r = r<<4 | rune(b-'0')
		case 'a' <= b && b <= 'f':
			r = r<<4 | rune(b-'a'+10)
		case 'A' <= b && b <= 'F':
			r = r<<4 | rune(b-'A'+10)
		default:
			return 0, c.errorf("an escape sequence needs four hexadecimal digits")
		}
		c.at++
	}
	return r, nil
}
