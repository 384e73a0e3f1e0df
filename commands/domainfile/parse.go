package domainfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"reckon/engine/language"
	"reckon/engine/syntax"

	"go.yaml.in/yaml/v4"

	"reckon/events"
)

// wayOut says what to do about what is no YAML, by a part of what the reader of YAML says.
var wayOut = []struct{ says, way string }{
	{"expected ',' or '}'", "Within { } put a text that has brackets, commas or quotes in it between quotes."},
	{"expected ',' or ']'", "Within [ ] put a text that has brackets, commas or quotes in it between quotes."},
	{"mapping values are not allowed", `Put a text that has ": " in it between quotes.`},
	{"tab", "Indent with spaces."},
	{"cannot start any token", "Put a text that begins with such a character between quotes, and indent with spaces."},
	{"unknown escape character", "Between double quotes a backslash is written twice; between single quotes it is itself."},
	{"unexpected end of stream", "A quote or a bracket that is opened must be closed."},
	{"did not find expected key", "Members of one mapping stand equally far in, and a text that begins with a quote ends with it."},
	{"'-' indicator", "Items of one list stand equally far in."},
	{"could not find expected ':'", `A member is a name, ":" and a value.`},
}

func (f *File) parse(data []byte) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	var document yaml.Node
	if err == nil {
		err = loader.Load(&document)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		f.unreadable(err)
		return
	}
	if len(document.Content) == 0 {
		f.findings = append(f.findings, Finding{Line: 1, Column: 1, Message: "The file is empty. A domain has a title, variables and activities."})
		return
	}
	var second yaml.Node
	switch err := loader.Load(&second); {
	case err == nil:
		f.findings = append(f.findings, Finding{Line: second.Line, Column: second.Column, Message: "A second document begins here. A file has one domain: put the other one into a file of its own."})
	case !errors.Is(err, io.EOF):
		f.unreadable(err)
		return
	}
	f.cells, f.owners = map[string]string{}, map[string]*File{}
	f.domain(document.Content[0])
	f.joined()
	if !f.part {
		f.embedCards()
	}
}

func (f *File) unreadable(err error) {
	finding := Finding{Line: 1, Column: 1, Message: strings.TrimPrefix(err.Error(), "yaml: ")}
	var stopped *yaml.LoadError
	if errors.As(err, &stopped) {
		finding.Message = stopped.Message
		if at := stopped.Mark; at.Line > 0 {
			finding.Line, finding.Column = at.Line, max(at.Column, 1)
		} else if i := bytes.IndexFunc(f.data, notYAML); i >= 0 { // whose place the reader of YAML does not know
			line := f.data[bytes.LastIndexByte(f.data[:i], '\n')+1 : i]
			finding.Line, finding.Column = bytes.Count(f.data[:i], []byte("\n"))+1, utf8.RuneCount(line)+1
		}
	}
	for _, known := range wayOut {
		if strings.Contains(finding.Message, known.says) {
			finding.Message += ". " + known.way
			break
		}
	}
	finding.Message = "This is not YAML: " + finding.Message
	f.findings = append(f.findings, finding)
}

// notYAML is true of control characters that cannot stand in YAML, and of bytes that are no UTF-8.
func notYAML(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' && r != '\u0085'
}

func (f *File) report(path string, n *yaml.Node, message string, args ...any) {
	f.findings = append(f.findings, Finding{Line: n.Line, Column: n.Column, Path: path, Message: fmt.Sprintf(message, args...)})
}

// member is what a mapping may hold under a name, and what reads it.
type member struct {
	name string
	read func(path string, n *yaml.Node)
}

// mapping reads the members of a mapping, each at most once and none that is not in the list.
func (f *File) mapping(path string, n *yaml.Node, what string, members []member) {
	n = resolved(n)
	f.places[path] = n
	if n.Kind != yaml.MappingNode {
		f.report(path, n, "%s is a mapping with %s.", what, memberNames(members))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(path+"."+name.Value, ".")
		k := slices.IndexFunc(members, func(m member) bool { return m.name == name.Value })
		switch {
		case k < 0:
			f.report(at, name, "Unknown member %q. %s has %s.", name.Value, what, memberNames(members))
		case seen[name.Value]:
			f.report(at, name, "%q stands here a second time.", name.Value)
		default:
			seen[name.Value] = true
			f.places[at] = resolved(value)
			if !isNull(value) {
				members[k].read(at, resolved(value))
			}
		}
	}
}

func memberNames(members []member) string {
	list := make([]string, len(members))
	for i, m := range members {
		list[i] = m.name
	}
	return strings.Join(list, ", ")
}

func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = resolved(n)
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// list reads each item of a sequence.
func (f *File) list(path string, n *yaml.Node, read func(path string, n *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		f.report(path, n, "A list is expected here.")
		return
	}
	for i, item := range n.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		f.places[at] = resolved(item)
		read(at, resolved(item))
	}
}

// text reads a scalar as it is written, so that 0.06 and 2026-01-01 need no quotes.
func (f *File) text(to *string) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		if n.Kind != yaml.ScalarNode {
			f.report(path, n, "Text is expected here.")
			return
		}
		*to = n.Value
	}
}

// Limits of what people read, in characters.
const (
	maxTitle       = 200
	maxDescription = 4000
	maxMessage     = 500
)

// title reads the name of something.
func (f *File) title(to *string) func(string, *yaml.Node) { return f.line(to, maxTitle, "title") }

// line reads one line of text, which stands in lists and on terminals.
func (f *File) line(to *string, limit int, what string) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		f.text(to)(path, n)
		if i := strings.IndexFunc(*to, steers); i >= 0 {
			r, _ := utf8.DecodeRuneInString((*to)[i:])
			f.report(path, n, "A %s is one line of text: it cannot have U+%04X, which is its character %d.", what, r, utf8.RuneCountInString((*to)[:i])+1)
		}
		f.atMost(limit, what, path, n)
	}
}

func (f *File) description(to *string) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		f.text(to)(path, n)
		f.atMost(maxDescription, "description", path, n)
	}
}

func (f *File) atMost(limit int, what, path string, n *yaml.Node) {
	if length := utf8.RuneCountInString(n.Value); length > limit {
		f.report(path, n, "A %s has at most %d characters, this one has %d.", what, limit, length)
	}
}

// steers is true of control characters, and of those that turn the order of letters around.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// flag reads true or false.
func (f *File) flag(name string, to *bool) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		if err := n.Decode(to); err != nil {
			f.report(path, n, "%s is true or false.", name)
		}
	}
}

func (f *File) texts(to *[]string) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		f.list(path, n, func(path string, n *yaml.Node) {
			var s string
			f.text(&s)(path, n)
			*to = append(*to, s)
		})
	}
}

// value reads a string, a column of strings or rows of strings, and keeps it as JSON.
func (f *File) value(to *json.RawMessage) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		switch n.Kind {
		case yaml.ScalarNode:
			*to, _ = json.Marshal(n.Value) // texts and lists of them always encode
		case yaml.SequenceNode:
			var cells []any
			f.list(path, n, func(path string, n *yaml.Node) {
				if n.Kind == yaml.SequenceNode {
					var row []string
					f.texts(&row)(path, n)
					cells = append(cells, append([]string{}, row...))
					return
				}
				var cell string
				f.text(&cell)(path, n)
				cells = append(cells, cell)
			})
			*to, _ = json.Marshal(append([]any{}, cells...))
		default:
			f.report(path, n, "A value is text, a list of texts, or a list of rows of texts.")
		}
	}
}

func (f *File) domain(n *yaml.Node) {
	d := &f.Definition
	d.Variables, d.Activities = []events.Variable{}, []events.Activity{}
	f.mapping("", n, "A domain", []member{
		{"title", f.title(&d.Title)},
		{"description", f.description(&d.Description)},
		{"language", f.language},
		{"key", f.domainKey},
		{"units", f.texts(&d.Units)},
		{"strict_roots", f.flag("strict_roots", &d.StrictRoots)},
		{"use", f.use},
		{"variables", func(path string, n *yaml.Node) { f.list(path, n, f.variable) }},
		{"activities", func(path string, n *yaml.Node) { f.list(path, n, f.activity) }},
		{"constraints", f.constraints},
		{"tests", func(path string, n *yaml.Node) { f.list(path, n, f.test) }},
		{"examples", f.texts(&d.Examples)},
		{"sources", func(path string, n *yaml.Node) { f.list(path, n, f.source) }},
	})
	if !f.part && strings.TrimSpace(d.Title) == "" && resolved(n).Kind == yaml.MappingNode {
		f.report("title", resolved(n), "A domain needs a title.")
	}
}

var domainKeyForm = regexp.MustCompile(`^dm_[0-9a-f]{8,64}$`)

func (f *File) domainKey(path string, n *yaml.Node) {
	f.text(&f.Key)(path, n)
	if !domainKeyForm.MatchString(f.Key) {
		f.report(path, n, "A domain's key is dm_ and 8 to 64 hex digits, as the service gave it. Leave it out to get one.")
	}
}

// language is the tag of a language that prose is read in.
func (f *File) language(path string, n *yaml.Node) {
	f.text(&f.Definition.Language)(path, n)
	if known := language.Languages(); !slices.Contains(known, f.Definition.Language) {
		f.report(path, n, "A domain's language is one of %s.", strings.Join(known, ", "))
	}
}

func (f *File) variable(path string, n *yaml.Node) {
	v := events.Variable{DefaultValue: json.RawMessage(`""`)}
	f.mapping(path, n, "A variable", []member{
		{"key", f.text(&v.Key)},
		{"title", f.title(&v.Title)},
		{"description", f.description(&v.Description)},
		{"unit", f.text(&v.Unit)},
		{"kind", f.text(&v.Kind)},
		{"format", f.text(&v.Format)},
		{"default_value", f.value(&v.DefaultValue)},
		{"aliases", f.texts(&v.Aliases)},
		{"min", f.text(&v.Min)},
		{"max", f.text(&v.Max)},
		{"integer", f.flag("integer", &v.Integer)},
		{"hidden", f.flag("hidden", &v.Hidden)},
		{"group", f.line(&v.Group, maxTitle, "group")},
		{"choices", f.choices(&v.Choices)},
		{"table", f.card(&v)},
		{"display_metadata", func(path string, n *yaml.Node) {
			var metadata any
			err := n.Decode(&metadata)
			if err == nil {
				v.DisplayMetadata, err = json.Marshal(metadata)
			}
			if err != nil {
				f.report(path, n, "display_metadata cannot be kept as JSON: %v", err)
			}
		}},
	})
	if v.Title == "" {
		v.Title = v.Key
	}
	if v.Kind == "" {
		v.Kind = "number"
	}
	f.Definition.Variables = append(f.Definition.Variables, v)
}

// choices reads a list of labels, which stand for 1, 2, 3…, or a mapping of labels to numbers, or
// to numbers with aliases.
func (f *File) choices(to *[]events.Choice) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		switch n.Kind {
		case yaml.SequenceNode:
			if i := slices.IndexFunc(n.Content, func(item *yaml.Node) bool { return resolved(item).Kind != yaml.ScalarNode }); i >= 0 {
				f.report(path, n.Content[i], "A list of choices has labels alone. Choices with numbers or aliases are a mapping: {EU: 2, World: {value: 3, aliases: [abroad]}}.")
				return
			}
			var labels []string
			f.texts(&labels)(path, n)
			for i, label := range labels {
				*to = append(*to, events.Choice{Label: label, Value: strconv.Itoa(i + 1)})
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				at := fmt.Sprintf("%s[%d]", path, i/2)
				label := resolved(n.Content[i])
				f.places[at] = label
				c := events.Choice{Label: label.Value}
				if value := resolved(n.Content[i+1]); value.Kind == yaml.MappingNode {
					f.mapping(at, value, "A choice", []member{{"value", f.text(&c.Value)}, {"aliases", f.texts(&c.Aliases)}})
				} else {
					f.text(&c.Value)(at, value)
				}
				*to = append(*to, c)
			}
		default:
			f.report(path, n, "Choices are a list of labels, or a mapping of labels to numbers.")
			return
		}
		if len(*to) == 0 {
			f.report(path, n, "There is nothing to choose from: leave the member out, or name labels.")
		}
	}
}

func (f *File) activity(path string, n *yaml.Node) {
	a := events.Activity{State: "active"}
	f.mapping(path, n, "An activity", []member{
		{"title", f.title(&a.Title)},
		{"description", f.description(&a.Description)},
		{"equation", f.text(&a.Equation)},
		{"calculable", func(path string, n *yaml.Node) {
			a.Calculable = []string{}
			f.texts(&a.Calculable)(path, n)
		}},
		{"state", func(path string, n *yaml.Node) {
			f.text(&a.State)(path, n)
			if a.State != "active" && a.State != "disabled" {
				f.report(path, n, "state is active or disabled.")
			}
		}},
	})
	if a.Title == "" {
		a.Title = syntax.OneLine(a.Equation)
	}
	f.Definition.Activities = append(f.Definition.Activities, a)
}

func (f *File) test(path string, n *yaml.Node) {
	t := events.Test{Expect: map[string]json.RawMessage{}}
	f.mapping(path, n, "A test", slices.Concat([]member{
		{"after", func(path string, n *yaml.Node) {
			f.list(path, n, func(path string, n *yaml.Node) { t.After = append(t.After, f.turn(path, n)) })
		}},
	}, f.asked(&t.Prompt, &t.InputFormat, &t.Now, &t.TimeZone), []member{
		{"expect", func(path string, n *yaml.Node) {
			if n.Kind != yaml.MappingNode {
				f.report(path, n, "expect is a mapping of variable keys to values.")
				return
			}
			for i := 0; i+1 < len(n.Content); i += 2 {
				at := path + "." + n.Content[i].Value
				f.places[at] = resolved(n.Content[i+1])
				var value json.RawMessage
				f.value(&value)(at, resolved(n.Content[i+1]))
				if _, twice := t.Expect[n.Content[i].Value]; twice {
					f.report(at, n.Content[i], "%q stands here a second time.", n.Content[i].Value)
				}
				t.Expect[n.Content[i].Value] = value
			}
		}},
		{"errors", func(path string, n *yaml.Node) {
			if n.Kind == yaml.ScalarNode {
				n = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{n}, Line: n.Line, Column: n.Column}
			}
			f.texts(&t.Errors)(path, n)
		}},
	}))
	switch values, errors := len(t.Expect) > 0, len(t.Errors) > 0; {
	case t.Prompt == "" || !values && !errors:
		f.report(path, n, "A test has a prompt, and at least one value under expect, or the code of an error under errors.")
	case values && errors:
		f.report(path+".errors", f.places[path+".errors"], "A prompt is answered with values or with errors: leave out expect or errors.")
	}
	f.Definition.Tests = append(f.Definition.Tests, t)
}

// turn reads what came before the prompt of a test; a text is a prompt.
func (f *File) turn(path string, n *yaml.Node) (t events.Turn) {
	if n.Kind == yaml.ScalarNode {
		t.Prompt = n.Value
	} else {
		f.mapping(path, n, "A turn", append(f.asked(&t.Prompt, &t.InputFormat, &t.Now, &t.TimeZone), member{"other_domain", func(path string, n *yaml.Node) {
			if err := n.Decode(&t.OtherDomain); err != nil || t.OtherDomain < 1 {
				f.report(path, n, "other_domain is the number of a scenario of another domain, from 1.")
			}
		}}))
	}
	if only := (events.Turn{OtherDomain: t.OtherDomain}); t.Prompt == "" && t.OtherDomain == 0 || t.OtherDomain != 0 && t != only {
		f.report(path, n, "A turn has a prompt, or nothing but other_domain: the number of a scenario of another domain.")
	}
	return t
}

// asked are the members that say what was asked, and how.
func (f *File) asked(prompt, format *string, now **time.Time, zone *string) []member {
	return []member{
		{"prompt", f.text(prompt)},
		{"input_format", f.text(format)},
		{"now", func(path string, n *yaml.Node) {
			at, err := time.Parse(time.RFC3339, n.Value)
			if err != nil {
				f.report(path, n, "now is a time such as 2026-03-05T14:07:00Z.")
				return
			}
			at = at.UTC()
			*now = &at
		}},
		{"time_zone", f.text(zone)},
	}
}
