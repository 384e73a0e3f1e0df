package prompt

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/value"
)

// version is the one parse contract that prompts and parsed_json have.
const version = 2

// plainJSON is RFC 8259 without more: duplicate member names are the schema's concern, and half a
// surrogate pair stands for U+FFFD.
var plainJSON = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// ValidJSON reports whether a prompt is one JSON value. A byte order mark is left aside; invalid
// UTF-8 and nesting deeper than 10,000 are refused.
func ValidJSON(text string) bool {
	return utf8.ValidString(text) && jsontext.Value(strings.TrimPrefix(text, byteOrderMark)).IsValid(plainJSON)
}

// ParseJSON reads a JSON prompt (CONTRACT.md section 3). It is given only what ValidJSON accepts;
// all else does not match the schema. What does not match it is reported alone, each place once;
// else all problems of the statements, in prompt order, at most 20. The request is empty when there
// are any.
func ParseJSON(d *engine.Domain, text string, env value.Env) (engine.Request, []value.Error) {
	if !ValidJSON(text) {
		return engine.Request{}, value.Problems("input.invalid_input_schema", ErrInvalidJSON.Error())
	}
	s := schema{in: jsontext.NewDecoder(bytes.NewBufferString(strings.TrimPrefix(text, byteOrderMark)), plainJSON)}
	s.prompt()
	if len(s.problems) > 0 {
		return engine.Request{}, s.problems
	}
	r := newReader(d, env, s.given)
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
	name  string     // inputs, calculate or scenario
	key   string     // of an input and of the target
	value value.Text // of an input
	text  string     // the target's unit, or the selector
}

func (m *member) read(r *reader) {
	switch m.name {
	case "scenario":
		r.selector(m.text)
		return
	case "calculate":
		if !r.ask() {
			return
		}
	case "inputs":
		if !r.count() {
			return
		}
	}
	variable, problem := r.domain.FindVariable(m.key)
	switch {
	case problem != nil && m.name == "calculate" && isEverything(m.key, problem):
		if m.text == "" {
			r.everything()
		} else {
			r.fail(everythingIn(m.key + " in " + m.text))
		}
	case problem != nil:
		r.fail(problem)
	case m.name == "calculate":
		r.target(variable, m.text)
	case r.once(variable):
		r.input(variable, m.value)
	}
}

// schema reads the tokens of a JSON prompt and checks them as they come: members known and given
// once, types right, nothing missing. Its text is valid JSON, so that reading tokens cannot fail
// before its end.
type schema struct {
	in       *jsontext.Decoder
	members  []member
	given    int // how many of them are inputs
	problems []value.Error
}

func (s *schema) fail(format string, args ...any) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, *value.Problem("input.invalid_input_schema", fmt.Sprintf(format, args...)))
	}
}

// next is the kind of the next token.
func (s *schema) next() jsontext.Kind { return s.in.PeekKind() }

// token reads the next token.
func (s *schema) token() jsontext.Token {
	token, _ := s.in.ReadToken()
	return token
}

func (s *schema) skip() { _ = s.in.SkipValue() }

// each reads an array or object. read gets the number of each element or member, from 0 on, and
// reads it.
func (s *schema) each(read func(i int)) {
	s.token()
	for i := 0; s.next() != ']' && s.next() != '}' && s.next() != jsontext.KindInvalid; i++ {
		read(i)
	}
	s.token()
}

// kindNames are what values are called in problems.
var kindNames = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a string", '0': "a number", 't': "true", 'f': "false", 'n': "null",
}

// refuse reports a value of the wrong type, and skips it.
func (s *schema) refuse(place, wanted string) {
	s.fail("%s must be %s, not %s", place, wanted, kindNames[s.next()])
	s.skip()
}

// object reads an object. read gets the name of each known member once, and reads its value.
func (s *schema) object(place string, required, optional []string, read func(name string)) {
	given := map[string]bool{}
	s.each(func(int) {
		name := s.token().String()
		reported, twice := given[name]
		known := slices.Contains(required, name) || slices.Contains(optional, name)
		switch {
		case !known && !twice:
			s.fail("%s has an unknown member %s", place, strconv.Quote(input.Quoted(name)))
			s.skip()
		case twice:
			if !reported {
				s.fail("%s has the member %s more than once", place, strconv.Quote(input.Quoted(name)))
			}
			s.skip()
		default:
			read(name)
		}
		given[name] = twice
	})
	for _, name := range required {
		if _, ok := given[name]; !ok {
			s.fail("%s has no member %q", place, name)
		}
	}
}

// text reads a string that is not empty where it must not be.
func (s *schema) text(place string, filled bool) string {
	if s.next() != '"' {
		s.refuse(place, "a string")
		return ""
	}
	text := s.token().String()
	if filled && text == "" {
		s.fail("%s must not be empty", place)
	}
	return text
}

func (s *schema) prompt() {
	if s.next() != '{' {
		s.refuse("the prompt", "an object")
		return
	}
	s.object("the prompt", []string{"inputs"}, []string{"calculate", "scenario", "version"}, func(name string) {
		switch name {
		case "inputs":
			s.inputs()
		case "calculate":
			s.calculate()
		case "scenario":
			s.members = append(s.members, member{name: name, text: s.text(name, false)})
		case "version":
			s.version()
		}
	})
}

func (s *schema) version() {
	if s.next() != '0' {
		s.refuse("version", strconv.Itoa(version))
		return
	}
	number := s.token().String()
	if f, err := strconv.ParseFloat(number, 64); err != nil || f != version {
		s.fail("version must be %d, not %s", version, input.Quoted(number))
	}
}

func (s *schema) calculate() {
	const place = "calculate"
	switch s.next() {
	case 'n':
		s.skip()
	case '{':
		s.target(place, "unit", "also")
	case '[':
		s.targets(place)
	default:
		s.refuse(place, "an object, an array of objects or null")
	}
}

// targets reads an array of what is asked for.
func (s *schema) targets(place string) {
	if s.next() != '[' {
		s.refuse(place, "an array")
		return
	}
	count := 0
	s.each(func(i int) {
		count++
		if element := place + "[" + strconv.Itoa(i) + "]"; s.next() == '{' {
			s.target(element, "unit")
		} else {
			s.refuse(element, "an object")
		}
	})
	if count == 0 {
		s.fail("%s must not be empty", place)
	}
}

// target reads one thing that is asked for, and what else is, where that stands in it.
func (s *schema) target(place string, optional ...string) {
	at := len(s.members)
	s.members = append(s.members, member{name: "calculate"})
	s.object(place, []string{"key"}, optional, func(name string) {
		switch kind := s.next(); {
		case name == "key":
			s.members[at].key = s.text(place+".key", true)
		case name == "also":
			s.targets(place + ".also")
		case kind == '"':
			s.members[at].text = strings.TrimSpace(s.token().String())
		case kind == 'n':
			s.skip()
		default:
			s.refuse(place+".unit", "a string or null")
		}
	})
}

func (s *schema) inputs() {
	if s.next() != '[' {
		s.refuse("inputs", "an array")
		return
	}
	s.each(func(i int) {
		place := "inputs[" + strconv.Itoa(i) + "]"
		if s.next() != '{' {
			s.refuse(place, "an object")
			return
		}
		given := member{name: "inputs"}
		s.object(place, []string{"key", "value"}, nil, func(name string) {
			if name == "key" {
				given.key = s.text(place+".key", true)
			} else {
				given.value = s.value(place + ".value")
			}
		})
		s.members = append(s.members, given)
		s.given++
	})
}

// value reads a string, an array of strings, or an array of arrays of strings. The first element
// decides which of the two an array is.
func (s *schema) value(place string) value.Text {
	switch s.next() {
	case '"':
		return value.Scalar(s.token().String())
	case '[':
	default:
		s.refuse(place, "a string, an array of strings, or an array of arrays of strings")
		return value.Text{}
	}
	text := value.Text{Rank: 1}
	wanted := "a string"
	s.each(func(i int) {
		element := place + "[" + strconv.Itoa(i) + "]"
		kind := s.next()
		if i == 0 && kind == '[' {
			text.Rank, wanted = 2, "an array of strings"
		}
		switch {
		case text.Rank == 2 && kind == '[':
			text.Cells = append(text.Cells, s.row(element))
		case text.Rank == 1 && kind == '"':
			text.Cells = append(text.Cells, []string{strings.TrimSpace(s.token().String())})
		case i == 0:
			s.refuse(element, "a string or an array of strings")
		default:
			s.refuse(element, wanted+", as the first element is")
		}
	})
	return text
}

// row reads an array of strings.
func (s *schema) row(place string) []string {
	cells := []string{}
	s.each(func(i int) {
		if s.next() != '"' {
			s.refuse(place+"["+strconv.Itoa(i)+"]", "a string")
			return
		}
		cells = append(cells, strings.TrimSpace(s.token().String()))
	})
	return cells
}
