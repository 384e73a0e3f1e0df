package http

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// answerForm is how answers are written: members of maps by name, lists always as arrays, without
// escaping for HTML. What the engine wrote stands in an answer as it is.
var answerForm = json.JoinOptions(
	json.Deterministic(true),
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.EscapeForJS(true),
	jsontext.PreserveRawStrings(true),
	jsonv1.OmitEmptyWithLegacySemantics(true),
)

// encode writes an answer's body, or a value that stands in one: one line. It is given only values
// that always encode.
func encode(v any) jsontext.Value {
	text, err := json.Marshal(v, answerForm)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return text
}

// stamp is a time that is written as RFC 3339 in UTC with milliseconds.
type stamp time.Time

func (s stamp) AppendText(text []byte) ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(text, "2006-01-02T15:04:05.000Z"), nil
}

// depthLimit is how deep arrays and objects of a body may be nested, the outermost one included.
const depthLimit = 64

// object is a JSON object in its canonical form, with what its members hold.
type object struct {
	text    jsontext.Value
	members map[string]jsontext.Value // by name, quoted as in text; parts of it
}

// canonicalObject reads one JSON object strictly (no duplicate member names, no invalid UTF-8 or
// half surrogate pairs, nothing behind it, no more than depthLimit levels) and returns its
// canonical form, which two texts share exactly when they say the same: no white space, no null
// members, members sorted by name at every level, each string escaped in one way, numbers as they
// were written. Fingerprints of bodies are made of it, so it never changes. The error is a sentence
// that names the place. rest is called every restEvery bytes. Where text has room for one more byte
// behind its end, that is written to.
func canonicalObject(text []byte, rest func()) (object, error) {
	if !utf8.Valid(text) {
		return object{}, errors.New("the text is not valid UTF-8")
	}
	const space = " \t\r\n"
	if !bytes.HasPrefix(bytes.TrimLeft(text, space), []byte("{")) {
		return object{}, errors.New("it must be an object")
	}
	// Text that ends too early is told by the 0 that stands where it should go on.
	ended := append(text, 0)
	c := canonical{Decoder: decoder(ended), out: make(jsontext.Value, 0, len(text)), rest: rest}
	if err := c.value(); err != nil {
		// Of text that is not JSON the decoder says more when it reads all of it.
		if _, syntax := decoder(ended).ReadValue(); syntax != nil {
			err = syntax
		}
		return object{}, explained(err, len(text))
	}
	if rest := bytes.TrimLeft(text[c.InputOffset():], space); len(rest) > 0 {
		return object{}, fmt.Errorf("there is more behind its end, at byte %d", len(text)-len(rest))
	}
	o := object{c.out, make(map[string]jsontext.Value, len(c.members))}
	for _, m := range c.members {
		if m.value < m.end {
			o.members[string(c.out[m.start:m.value-1])] = c.out[m.value:m.end]
		}
	}
	return o, nil
}

// decoder reads text strictly but for names that come twice, which canonical looks for.
func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
}

// restEvery is how many bytes are read between two rests.
const restEvery = 4 << 10

// canonical writes what it reads in its canonical form.
type canonical struct {
	*jsontext.Decoder
	out     jsontext.Value
	members []member // of the objects that are being read, the outermost first; in the end of that one
	scratch []byte
	rest    func()
	rested  int64
}

// member is where a member stands in the canonical form: its name, its value behind a colon, and
// what is behind it. One without a value, which is null, is not written.
type member struct{ start, value, end int }

// value reads the next value.
func (c *canonical) value() error {
	if at := c.InputOffset(); at-c.rested >= restEvery {
		c.rested = at
		c.rest()
	}
	kind := c.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := c.ReadValue()
		if err != nil || kind != '"' {
			c.out = append(c.out, value...)
			return err
		}
		c.out, err = appendText(c.out, value)
		return err
	}
	if _, err := c.ReadToken(); err != nil {
		return err
	}
	if c.StackDepth() > depthLimit {
		return fmt.Errorf("it is nested deeper than %d levels, at byte %d", depthLimit, c.InputOffset()-1)
	}
	if kind == '{' {
		return c.object()
	}
	c.out = append(c.out, '[')
	for first := true; c.PeekKind() != ']'; first = false {
		if !first {
			c.out = append(c.out, ',')
		}
		if err := c.value(); err != nil {
			return err
		}
	}
	c.out = append(c.out, ']')
	_, err := c.ReadToken()
	return err
}

// object reads an object behind its "{".
func (c *canonical) object() error {
	opened, begin, outer := c.InputOffset()-1, len(c.out), len(c.members)
	c.out = append(c.out, '{')
	sorted := true
	for c.PeekKind() != '}' {
		if len(c.out) > begin+1 {
			c.out = append(c.out, ',')
		}
		m := member{start: len(c.out)}
		if err := c.value(); err != nil {
			return err
		}
		c.out = append(c.out, ':')
		m.value = len(c.out)
		if err := c.value(); err != nil {
			return err
		}
		m.end = len(c.out)
		before := c.members[outer:]
		sorted = sorted && c.out[m.value] != 'n' && (len(before) == 0 || c.compare(before[len(before)-1], m) < 0)
		c.members = append(c.members, m)
	}
	c.out = append(c.out, '}')
	_, err := c.ReadToken()
	if err == nil && !sorted {
		err = c.sort(int(opened), begin, c.members[outer:])
	}
	if c.StackDepth() > 0 {
		c.members = c.members[:outer]
	}
	return err
}

// compare orders members by name. With its quotes a name comes before those that it begins, but for
// " " and "!" behind it.
func (c *canonical) compare(a, b member) int {
	return bytes.Compare(c.out[a.start:a.value-1], c.out[b.start:b.value-1])
}

// sort writes the object that begins somewhere anew, its members in order and without null.
func (c *canonical) sort(opened, begin int, members []member) error {
	slices.SortFunc(members, c.compare)
	for i, m := range members[1:] {
		if c.compare(members[i], m) == 0 {
			return fmt.Errorf("the object at byte %d has two members with the name %.100s", opened, c.out[m.start:m.value-1])
		}
	}
	c.scratch = append(c.scratch[:0], c.out[begin:]...)
	c.out = c.out[:begin+1]
	for i, m := range members {
		read := c.scratch[m.start-begin : m.end-begin]
		if read[m.value-m.start] == 'n' {
			members[i] = member{}
			continue
		}
		if len(c.out) > begin+1 {
			c.out = append(c.out, ',')
		}
		start := len(c.out)
		c.out = append(c.out, read...)
		members[i] = member{start, start + m.value - m.start, len(c.out)}
	}
	c.out = append(c.out, '}')
	return nil
}

// appendText escapes a string in one way: quotes and backslashes by a backslash, control characters
// by their number, nothing else.
func appendText(out, value jsontext.Value) (jsontext.Value, error) {
	if bytes.IndexByte(value, '\\') < 0 {
		return append(out, value...), nil
	}
	text, err := jsontext.AppendUnquote(nil, value)
	out = append(out, '"')
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return append(out, '"'), err
}

// refusals are what is told of text that is not JSON, by what the decoder says of it.
var refusals = []struct{ said, told string }{
	{"at start of value", "a value is expected"},
	{"in literal", "a value is expected"},
	{"at start of string", "the name of a member is expected"},
	{"after object name", "a colon is expected"},
	{"after object value", "a comma or the end of the object is expected"},
	{"after array element", "a comma or the end of the array is expected"},
	{"in number", "a digit is expected"},
	{"invalid surrogate pair", "an escape sequence is half a surrogate pair"},
	{"invalid escape sequence", "an escape sequence is not valid"},
	{"exceeded max depth", fmt.Sprintf("it is nested deeper than %d levels", depthLimit)},
	{"expecting non-control character", "a string holds a control character that is not escaped"},
}

// explained is an error as the caller is told it, of a text that is length bytes long.
func explained(err error, length int) error {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	for _, r := range refusals {
		if !strings.Contains(syntax.Err.Error(), r.said) {
			continue
		}
		told := r.told
		if syntax.ByteOffset == int64(length) && r.said == "expecting non-control character" {
			told = "a string does not end"
		}
		return fmt.Errorf("%s, at byte %d", told, syntax.ByteOffset)
	}
	return fmt.Errorf("it cannot be read, at byte %d", syntax.ByteOffset)
}
