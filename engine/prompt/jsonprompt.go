package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reckon/engine"
)

// version is the one parse contract that prompts and parsed_json have.
const version = 2

// ValidJSON reports whether a prompt is one JSON value, strictly read (RFC 8259; a byte order mark is left aside, invalid
// UTF-8 and nesting deeper than 10,000 are refused; duplicate member names are the schema's concern, not this function's).
func ValidJSON(text string) bool {
	return utf8.ValidString(text) && json.Valid([]byte(strings.TrimPrefix(text, byteOrderMark)))
}

// ParseJSON reads a JSON prompt (CONTRACT.md section 3). It is given only what ValidJSON accepts; all else does
// not match the schema. What does not match it is reported alone, each place once; else all problems of the statements, in prompt order, at most 20. The request
// is empty when there are any.
func ParseJSON(d *engine.Domain, text string, env engine.Env) (engine.Request, []engine.Error) {
	if !ValidJSON(text) {
		return engine.Request{}, []engine.Error{engine.Problem("input.invalid_input_schema", ErrInvalidJSON.Error())}
	}
	s := schema{decoder: json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, byteOrderMark)))}
	s.decoder.UseNumber()
	s.prompt()
	if len(s.problems) > 0 {
		return engine.Request{}, s.problems
	}
	inputs := 0
	for _, m := range s.members {
		if m.name == "inputs" {
			inputs++
		}
	}
	r := newReader(d, env, inputs)
	for _, m := range s.members {
		if r.full() {
			break
		}
		m.read(r)
	}
	return r.finish()
}

// member is a statement of a JSON prompt.
type member struct {
	name  string      // inputs, calculate or scenario
	key   string      // of an input and of the target
	value engine.Text // of an input
	text  string      // the target's unit, or the selector
}

func (m *member) read(r *reader) {
	switch m.name {
	case "scenario":
		r.selector(m.text)
		return
	case "calculate":
		r.first()
	case "inputs":
		if !r.count() {
			return
		}
	}
	variable, problem := r.domain.FindVariable(m.key)
	switch {
	case problem != nil:
		r.fail(*problem)
	case m.name == "calculate":
		r.target(variable, strings.TrimSpace(m.text))
	case r.once(variable):
		r.input(variable, m.value)
	}
}

// schema reads the tokens of a JSON prompt and checks them as they come: members known and given once, types right, nothing
// missing. Its text is valid JSON, so that reading tokens cannot fail before its end.
type schema struct {
	decoder  *json.Decoder
	members  []member
	problems []engine.Error
}

func (s *schema) fail(format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, engine.Problem("input.invalid_input_schema", fmt.Sprintf(format, args...)))
	}
}

// token is the next one; null is nil.
func (s *schema) token() json.Token {
	token, _ := s.decoder.Token()
	return token
}

// skip reads to the end of the value that a token starts.
func (s *schema) skip(token json.Token) {
	for depth := 0; ; token = s.token() {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth <= 0 {
			return
		}
	}
}

// refuse reports a value of the wrong type, and skips it.
func (s *schema) refuse(token json.Token, place, wanted string) {
	s.fail("%s must be %s, not %s", place, wanted, typeName(token))
	s.skip(token)
}

func typeName(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return "an object"
		}
		return "an array"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return strconv.FormatBool(token)
	}
	return "null"
}

// object reads the members of an object behind its "{". read gets each known member once, with the first token of
// its value, and reads the rest of it.
func (s *schema) object(place string, required, optional []string, read func(name string, token json.Token)) {
	given := map[string]bool{}
	for s.decoder.More() {
		name, _ := s.token().(string)
		token := s.token()
		_, twice := given[name]
		known := slices.Contains(required, name) || slices.Contains(optional, name)
		switch {
		case !known && !twice:
			s.fail("%s has an unknown member %s", place, strconv.Quote(shorten(name)))
			s.skip(token)
		case twice:
			if !given[name] {
				s.fail("%s has the member %s more than once", place, strconv.Quote(shorten(name)))
			}
			given[name] = true
			s.skip(token)
			continue
		default:
			read(name, token)
		}
		given[name] = false
	}
	s.token()
	for _, name := range required {
		if _, ok := given[name]; !ok {
			s.fail("%s has no member %q", place, name)
		}
	}
}

// text reads a string that is not empty where it must not be.
func (s *schema) text(token json.Token, place string, filled bool) string {
	text, ok := token.(string)
	switch {
	case !ok:
		s.refuse(token, place, "a string")
	case filled && text == "":
		s.fail("%s must not be empty", place)
	}
	return text
}

func (s *schema) prompt() {
	token := s.token()
	if token != json.Delim('{') {
		s.refuse(token, "the prompt", "an object")
		return
	}
	s.object("the prompt", []string{"inputs"}, []string{"calculate", "scenario", "version"}, func(name string, token json.Token) {
		switch name {
		case "inputs":
			s.inputs(token)
		case "calculate":
			s.calculate(token)
		case "scenario":
			s.members = append(s.members, member{name: name, text: s.text(token, name, false)})
		case "version":
			s.version(token)
		}
	})
}

func (s *schema) version(token json.Token) {
	number, ok := token.(json.Number)
	if !ok {
		s.refuse(token, "version", strconv.Itoa(version))
		return
	}
	if f, err := number.Float64(); err != nil || f != version {
		s.fail("version must be %d, not %s", version, shorten(number.String()))
	}
}

func (s *schema) calculate(token json.Token) {
	if token == nil {
		return
	}
	const place = "calculate"
	if token != json.Delim('{') {
		s.refuse(token, place, "an object or null")
		return
	}
	target := member{name: place}
	s.object(place, []string{"key"}, []string{"unit"}, func(name string, token json.Token) {
		switch {
		case name == "key":
			target.key = s.text(token, place+".key", true)
		case token != nil:
			unit, ok := token.(string)
			if !ok {
				s.refuse(token, place+".unit", "a string or null")
			}
			target.text = unit
		}
	})
	s.members = append(s.members, target)
}

func (s *schema) inputs(token json.Token) {
	if token != json.Delim('[') {
		s.refuse(token, "inputs", "an array")
		return
	}
	for i := 0; s.decoder.More(); i++ {
		place := "inputs[" + strconv.Itoa(i) + "]"
		token := s.token()
		if token != json.Delim('{') {
			s.refuse(token, place, "an object")
			continue
		}
		input := member{name: "inputs"}
		s.object(place, []string{"key", "value"}, nil, func(name string, token json.Token) {
			if name == "key" {
				input.key = s.text(token, place+".key", true)
			} else {
				input.value = s.value(token, place+".value")
			}
		})
		s.members = append(s.members, input)
	}
	s.token()
}

// value reads a string, an array of strings, or an array of arrays of strings. The first element decides which of the two
// an array is.
func (s *schema) value(token json.Token, place string) engine.Text {
	if text, ok := token.(string); ok {
		return engine.Scalar(text)
	}
	if token != json.Delim('[') {
		s.refuse(token, place, "a string, an array of strings, or an array of arrays of strings")
		return engine.Text{}
	}
	text := engine.Text{Rank: 1}
	wanted := "a string"
	for i := 0; s.decoder.More(); i++ {
		token := s.token()
		element := place + "[" + strconv.Itoa(i) + "]"
		if i == 0 && token == json.Delim('[') {
			text.Rank, wanted = 2, "an array of strings"
		}
		switch c, ok := token.(string); {
		case text.Rank == 2 && token == json.Delim('['):
			text.Cells = append(text.Cells, s.row(element))
		case text.Rank == 1 && ok:
			text.Cells = append(text.Cells, []string{strings.TrimSpace(c)})
		case i == 0:
			s.refuse(token, element, "a string or an array of strings")
		default:
			s.refuse(token, element, wanted+", as the first element is")
		}
	}
	s.token()
	return text
}

// row reads the strings of a row behind its "[".
func (s *schema) row(place string) []string {
	cells := []string{}
	for i := 0; s.decoder.More(); i++ {
		token := s.token()
		if c, ok := token.(string); ok {
			cells = append(cells, strings.TrimSpace(c))
			continue
		}
		s.refuse(token, place+"["+strconv.Itoa(i)+"]", "a string")
	}
	s.token()
	return cells
}
