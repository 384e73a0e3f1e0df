package domainfile

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/events"
	"reckon/schemas"
)

// CompletionKind is what a completion is the name of.
type CompletionKind string

// What completions are.
const (
	FunctionItem CompletionKind = "function"
	ConstantItem CompletionKind = "constant"
	VariableItem CompletionKind = "variable"
	UnitItem     CompletionKind = "unit"
	MemberItem   CompletionKind = "property"
	ValueItem    CompletionKind = "enum"
)

// Completion is a text that may stand at a place.
type Completion struct {
	Label         string         `json:"label"`
	Kind          CompletionKind `json:"kind"`
	Detail        string         `json:"detail,omitempty"`
	Documentation string         `json:"documentation,omitempty"`
	Insert        string         `json:"insert,omitempty"` // instead of the label
}

// Where the text in front of the cursor ends.
var (
	inUnit   = regexp.MustCompile(`(?:[\d.]\s*\[|\bunit:\s*["']?)([^\]"'{},]*)$`)
	inKind   = regexp.MustCompile(`\bkind:\s*(\w*)$`)
	inSpoken = regexp.MustCompile(`^language:\s*(\w*)$`)
	inState  = regexp.MustCompile(`\bstate:\s*(\w*)$`)
	inMember = regexp.MustCompile(`^\s*(?:-\s+)*(\w*)$`)
	inFlow   = regexp.MustCompile(`[{,]\s*(\w*)$`)
	// memberLine is a line of a mapping, which no line of an equation looks like.
	memberLine = regexp.MustCompile(`^\s*(?:-\s+)*\w+:`)
	section    = regexp.MustCompile(`^(\w+):`)
	block      = regexp.MustCompile(`^(\s*(?:-\s+)*)(?:equation|condition):\s*[|>][+-]?\d?[+-]?\s*(?:#.*)?$`)
	declared   = regexp.MustCompile(`^\s*-\s+\{?\s*key:\s*(\w+)`)
)

// Complete lists what may stand at a place, from line and column 1 on. Known are the variables of
// the file when it could last be read, for one that cannot be.
func (f *File) Complete(line, column int, known []events.Variable) []Completion {
	before := f.before(line, column)
	part := f.section(line)
	switch {
	case inUnit.MatchString(before):
		return unitItems(inUnit.FindStringSubmatch(before)[1])
	case inKind.MatchString(before):
		return valueItems("variable", "kind")
	case inSpoken.MatchString(before):
		return valueItems("", "language")
	case inState.MatchString(before):
		return valueItems("activity", "state")
	case f.inEquation(line, before):
		return append(f.variableItems(known), functionItems()...)
	case inMember.MatchString(before), part != "" && inFlow.MatchString(before) && part != "tests":
		return memberItems(part)
	}
	return f.variableItems(known)
}

// before is the text of a line in front of a column.
func (f *File) before(line, column int) string {
	text := []rune(f.Line(line))
	return string(text[:min(max(column-1, 0), len(text))])
}

// variables are those of the file, those that are known of it where it cannot be read, else the
// keys that its lines declare.
func (f *File) variables(known []events.Variable) []events.Variable {
	switch {
	case len(f.Definition.Variables) > 0:
		return f.Definition.Variables
	case len(known) > 0:
		return known
	}
	var list []events.Variable
	for _, line := range f.cut() {
		if m := declared.FindStringSubmatch(string(line)); m != nil {
			list = append(list, events.Variable{Key: m[1]})
		}
	}
	return list
}

// section is the member of the domain that a line belongs to, "" for the domain itself.
func (f *File) section(line int) string {
	if text := []rune(f.Line(line)); len(text) > 0 && !unicode.IsSpace(text[0]) && text[0] != '-' {
		return ""
	}
	for ; line >= 1; line-- {
		if m := section.FindStringSubmatch(f.Line(line)); m != nil {
			return m[1]
		}
	}
	return ""
}

// inEquation tells whether a line, as far as it goes, is within an equation.
func (f *File) inEquation(line int, before string) bool {
	for _, member := range []string{"equation:", "condition:"} {
		if at := strings.LastIndex(before, member); at >= 0 {
			return !strings.ContainsAny(strings.TrimLeft(before[at+len(member):], ` "'`), "}")
		}
	}
	indent := len(before) - len(strings.TrimLeft(before, " "))
	for line--; line >= 1; line-- {
		text := f.Line(line)
		if m := block.FindStringSubmatch(text); m != nil {
			return indent > len(m[1])
		}
		if memberLine.MatchString(text) {
			return false
		}
	}
	return false
}

func (f *File) variableItems(known []events.Variable) []Completion {
	list := []Completion{}
	for _, v := range f.variables(known) {
		list = append(list, Completion{v.Key, VariableItem, strings.TrimSpace(v.Title + " " + v.Unit), v.Description, ""})
	}
	return list
}

func functionItems() []Completion {
	list := []Completion{}
	for _, fn := range formula.Functions() {
		list = append(list, Completion{fn.Name, FunctionItem, fn.Signature, fn.Doc, ""})
	}
	for name := range formula.Constants {
		list = append(list, Completion{Label: name, Kind: ConstantItem, Detail: "constant"})
	}
	return list
}

// unitItems are the units that begin like what is written, upper and lower case alike.
func unitItems(written string) []Completion {
	at := strings.LastIndexAny(written, "*/·^( ") + 1
	begun := strings.ToLower(written[at:])
	list := []Completion{}
	for e := range units.Standard().All() {
		for _, name := range append(append([]string{e.Symbol}, e.Symbols...), e.Names...) {
			if strings.HasPrefix(strings.ToLower(name), begun) {
				list = append(list, Completion{name, UnitItem, e.Dimension, e.Definition, ""})
			}
		}
	}
	return list
}

// schemaMembers are the members of a definition of the schema of domain files, "" for a domain.
func schemaMembers(definition string) map[string]schemaMember {
	var schema struct {
		Properties map[string]schemaMember `json:"properties"`
		Defs       map[string]struct {
			Properties map[string]schemaMember `json:"properties"`
		} `json:"$defs"`
	}
	if json.Unmarshal(schemas.DomainFile(), &schema) != nil {
		return nil
	}
	if definition == "" {
		return schema.Properties
	}
	return schema.Defs[definition].Properties
}

type schemaMember struct {
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
}

func valueItems(definition, member string) []Completion {
	list := []Completion{}
	for _, value := range schemaMembers(definition)[member].Enum {
		list = append(list, Completion{Label: value, Kind: ValueItem, Detail: member})
	}
	return list
}

// definitions are the parts of the schema that describe the items of a member of the domain.
var definitions = map[string]string{"": "", "variables": "variable", "activities": "activity", "constraints": "constraint", "sources": "source", "tests": "test"}

func memberItems(part string) []Completion {
	list := []Completion{}
	definition, ok := definitions[part]
	if !ok {
		return list
	}
	for name, member := range schemaMembers(definition) {
		list = append(list, Completion{Label: name, Kind: MemberItem, Documentation: member.Description, Insert: name + ": "})
	}
	slices.SortFunc(list, func(a, b Completion) int { return strings.Compare(a.Label, b.Label) })
	return list
}

// WordAt is the word that a place is in or beside, and the columns from and behind it.
func (f *File) WordAt(line, column int) (word string, from, to int) {
	text := []rune(f.Line(line))
	from = min(max(column-1, 0), len(text))
	for to = from; to < len(text) && InWord(text[to]); to++ {
	}
	for from > 0 && InWord(text[from-1]) {
		from--
	}
	return string(text[from:to]), from + 1, to + 1
}

// Explain tells what the variable, function or unit is that a place is in or beside, "" for nothing
// of that, and the columns from and behind its name.
func (f *File) Explain(line, column int, known []events.Variable) (text string, from, to int) {
	word, from, to := f.WordAt(line, column)
	if m := inUnit.FindStringSubmatch(f.before(line, from)); m != nil {
		unit, err := units.Standard().Parse(strings.TrimLeft(m[1], " ") + word)
		if err != nil {
			unit, err = units.Standard().Parse(word)
		}
		if err == nil {
			if r, err := units.Standard().Read(unit); err == nil {
				text = r.String()
			}
		}
	}
	functions, variables := formula.Functions(), f.variables(known)
	i := slices.IndexFunc(variables, func(v events.Variable) bool { return v.Key == word })
	k := slices.IndexFunc(functions, func(fn formula.Function) bool { return fn.Name == word })
	rest := []rune(f.Line(line))[to-1:]
	called := len(rest) > 0 && rest[0] == '('
	switch {
	case text != "" || word == "":
	case i >= 0 && !(called && k >= 0):
		v := variables[i]
		text = strings.TrimSpace(fmt.Sprintf("%s %s\n\n%s", v.Title, v.Unit, v.Description))
	case k >= 0:
		text = functions[k].Explained()
	}
	return text, from, to
}
