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

// canonicalObject reads one JSON object strictly (no duplicate member names, no invalid UTF-8 or
// half surrogate pairs, nothing behind it, no more than depthLimit levels) and returns its
// canonical form, which two texts share exactly when they say the same: no white space, no null
// members, members sorted by name at every level, each string escaped in one way, numbers as they
// were written. Fingerprints of bodies are made of it, so it never changes. The error is a sentence
// that names the place.
func canonicalObject(text []byte) (jsontext.Value, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("the text is not valid UTF-8")
	}
	const space = " \t\r\n"
	if !bytes.HasPrefix(bytes.TrimLeft(text, space), []byte("{")) {
		return nil, errors.New("it must be an object")
	}
	// Text that ends too early is told by the 0 that stands where it should go on.
	ended := append(slices.Clip(text), 0)
	d := decoder(ended)
	out, err := appendCanonical(make([]byte, 0, len(text)), d)
	if err != nil {
		// Of text that is not JSON the decoder says more when it reads all of it.
		if _, syntax := decoder(ended).ReadValue(); syntax != nil {
			err = syntax
		}
		return nil, explained(err, len(text))
	}
	if rest := bytes.TrimLeft(text[d.InputOffset():], space); len(rest) > 0 {
		return nil, fmt.Errorf("there is more behind its end, at byte %d", len(text)-len(rest))
	}
	return out, nil
}

// decoder reads text strictly but for names that come twice, which appendMembers looks for.
func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
}

// appendCanonical reads the next value of a text, and appends its canonical form.
func appendCanonical(out jsontext.Value, d *jsontext.Decoder) (jsontext.Value, error) {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		value, err := d.ReadValue()
		if err != nil || kind != '"' {
			return append(out, value...), err
		}
		return appendText(out, value)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	if d.StackDepth() > depthLimit {
		return nil, fmt.Errorf("it is nested deeper than %d levels, at byte %d", depthLimit, d.InputOffset()-1)
	}
	if kind == '{' {
		return appendMembers(out, d)
	}
	out = append(out, '[')
	for first := true; ; first = false {
		if d.PeekKind() == ']' {
			_, err := d.ReadToken()
			return append(out, ']'), err
		}
		if !first {
			out = append(out, ',')
		}
		var err error
		if out, err = appendCanonical(out, d); err != nil {
			return nil, err
		}
	}
}

// appendMembers reads an object behind its "{".
func appendMembers(out jsontext.Value, d *jsontext.Decoder) (jsontext.Value, error) {
	type member struct{ start, value, end int } // of its name, of its value, behind it
	var members []member
	opened, begin := d.InputOffset()-1, len(out)
	for d.PeekKind() != '}' {
		m := member{start: len(out)}
		var err error
		if out, err = appendCanonical(out, d); err != nil {
			return nil, err
		}
		m.value = len(out)
		if out, err = appendCanonical(out, d); err != nil {
			return nil, err
		}
		m.end = len(out)
		members = append(members, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	read := bytes.Clone(out[begin:])
	name := func(m member) []byte { return read[m.start-begin : m.value-begin] }
	// With its quotes a name comes before those that it begins, but for " " and "!" behind it.
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(name(a), name(b)) })
	out = append(out[:begin], '{')
	for i, m := range members {
		if i > 0 && bytes.Equal(name(m), name(members[i-1])) {
			return nil, fmt.Errorf("the object at byte %d has two members with the name %.100s", opened, name(m))
		}
		value := read[m.value-begin : m.end-begin]
		if value[0] == 'n' {
			continue
		}
		if len(out) > begin+1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name(m)...), ':'), value...)
	}
	return append(out, '}'), nil
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
