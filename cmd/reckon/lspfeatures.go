package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"reckon/commands/domainfile"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/events"
	"reckon/schemas"
)

// languageServer holds the files that an editor has open.
type languageServer struct {
	t        terminal
	out      io.Writer
	open     map[string]*openFile // by URI
	ready    bool                 // initialize was asked
	stopping bool                 // shutdown was asked
	exited   bool
}

// openFile is a file as the editor shows it, saved or not.
type openFile struct {
	*domainfile.File
	lines [][]rune
	// variables are those of the file when it could last be read.
	variables []events.Variable
}

// lspFeatures are the requests about an open file.
var lspFeatures = map[string]func(*languageServer, *openFile, lspParams) (any, error){
	"textDocument/completion":    (*languageServer).complete,
	"textDocument/hover":         (*languageServer).hover,
	"textDocument/definition":    (*languageServer).definition,
	"textDocument/prepareRename": (*languageServer).prepareRename,
	"textDocument/rename":        (*languageServer).rename,
	"textDocument/formatting":    (*languageServer).format,
	"textDocument/codeLens":      (*languageServer).lenses,
}

const runTestCommand = "reckon.runTest"

func (s *languageServer) initialize(json.RawMessage) (any, error) {
	s.ready = true
	return map[string]any{
		"serverInfo": map[string]string{"name": "reckon"},
		"capabilities": map[string]any{
			"positionEncoding":           "utf-16",
			"textDocumentSync":           map[string]any{"openClose": true, "change": 1, "save": true},
			"completionProvider":         map[string]any{"triggerCharacters": []string{"["}},
			"hoverProvider":              true,
			"definitionProvider":         true,
			"renameProvider":             map[string]any{"prepareProvider": true},
			"documentFormattingProvider": true,
			"codeLensProvider":           map[string]any{},
			"executeCommandProvider":     map[string]any{"commands": []string{runTestCommand}},
		},
	}, nil
}

// change takes in the text of a file and tells what is wrong with it. Its tests are run where the
// file was opened or saved.
func (s *languageServer) change(uri, text string, tests bool) error {
	before := s.open[uri]
	f := &openFile{File: unsaved(uri, text)}
	for n := range strings.Count(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + 1 {
		f.lines = append(f.lines, []rune(f.Line(n+1)))
	}
	f.variables = f.Definition.Variables
	if len(f.variables) == 0 && before != nil {
		f.variables = before.variables
	}
	s.open[uri] = f
	if len(text) > domainfile.MaxBytes {
		return s.diagnose(uri, []map[string]any{{
			"range": lspRange{}, "severity": 1, "source": "reckon", "message": fmt.Sprintf("A domain file has at most %d KiB.", domainfile.MaxBytes>>10),
		}})
	}
	// Of other YAML nothing is said, nor of a file that nobody has begun to make a domain.
	if !f.IsDomain() && (before == nil || len(before.variables) == 0) {
		return s.diagnose(uri, nil)
	}
	check := f.Compile
	if tests {
		check = f.Check
	}
	_, report := check()
	var list []map[string]any
	for _, finding := range report.Findings {
		severity := 1
		if finding.Warning {
			severity = 2
		}
		if finding.File != "" {
			finding.Line, finding.Column, finding.Message = f.useOf(finding)
		}
		list = append(list, map[string]any{
			"range": f.word(finding.Line, finding.Column), "severity": severity, "source": "reckon", "message": finding.Message,
		})
	}
	return s.diagnose(uri, list)
}

// unsaved is a file as the editor shows it, with the files beside it where it is on disk.
func unsaved(uri, text string) *domainfile.File {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Path == "":
		return domainfile.Parse(uri, []byte(text))
	case u.Scheme == "file":
		return domainfile.ParseUnsaved(filepath.FromSlash(u.Path), []byte(text))
	}
	return domainfile.Parse(path.Base(u.Path), []byte(text))
}

// useOf is where the file says that it uses the one that a finding is in, which the message names.
func (f *openFile) useOf(finding domainfile.Finding) (line, column int, message string) {
	line, column, ok := f.Place("use")
	if !ok {
		line, column = 1, 1
	}
	return line, column, fmt.Sprintf("%s:%d:%d: %s", finding.File, finding.Line, finding.Column, finding.Message)
}

func (s *languageServer) diagnose(uri string, list []map[string]any) error {
	if list == nil {
		list = []map[string]any{}
	}
	return s.send(rpcMessage{Method: "textDocument/publishDiagnostics", Params: map[string]any{"uri": uri, "diagnostics": list}})
}

// line is a line of the file, numbered from 0.
func (f *openFile) line(n int) []rune {
	if n < 0 || n >= len(f.lines) {
		return nil
	}
	return f.lines[n]
}

// position is a place, counted from 1 in code points, as the protocol counts it.
func (f *openFile) position(line, column int) lspPosition {
	text := f.line(line - 1)
	return lspPosition{line - 1, len(utf16.Encode(text[:min(max(column-1, 0), len(text))]))}
}

// column is how many code points stand in front of a place of the protocol.
func (f *openFile) column(p lspPosition) int {
	units := 0
	for i, r := range f.line(p.Line) {
		if units >= p.Character {
			return i
		}
		units += utf16.RuneLen(r)
	}
	return len(f.line(p.Line))
}

// span is a part of a line, in code points from 1.
func (f *openFile) span(line, from, to int) lspRange {
	return lspRange{f.position(line, from), f.position(line, to)}
}

// word is the range of the word, or the one character, that begins at a place.
func (f *openFile) word(line, column int) lspRange {
	text, end := f.line(line-1), column
	for end-1 < len(text) && inWord(text[end-1]) {
		end++
	}
	if end == column {
		end++
	}
	return f.span(line, column, end)
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordAt is the word that a place is in or beside, and where it is in its line.
func (f *openFile) wordAt(p lspPosition) (word string, from, to int) {
	text := f.line(p.Line)
	from = f.column(p)
	for to = from; to < len(text) && inWord(text[to]); to++ {
	}
	for from > 0 && inWord(text[from-1]) {
		from--
	}
	return string(text[from:to]), from, to
}

// Where the text in front of the cursor ends.
var (
	inUnit   = regexp.MustCompile(`(?:[\d.]\s*\[|\bunit:\s*["']?)([^\]"'{},]*)$`)
	inKind   = regexp.MustCompile(`\bkind:\s*(\w*)$`)
	inState  = regexp.MustCompile(`\bstate:\s*(\w*)$`)
	inMember = regexp.MustCompile(`^\s*(?:-\s+)*(\w*)$`)
	inFlow   = regexp.MustCompile(`[{,]\s*(\w*)$`)
	// memberLine is a line of a mapping, which no line of an equation looks like.
	memberLine = regexp.MustCompile(`^\s*(?:-\s+)*\w+:`)
	section    = regexp.MustCompile(`^(\w+):`)
	block      = regexp.MustCompile(`^(\s*(?:-\s+)*)(?:equation|condition):\s*[|>][+-]?\d?[+-]?\s*(?:#.*)?$`)
)

// Kinds of completion items.
const (
	functionItem = 3
	variableItem = 6
	memberItem   = 10
	unitItem     = 11
	valueItem    = 12
	constantItem = 21
)

func item(label string, kind int, detail, documentation string) map[string]any {
	m := map[string]any{"label": label, "kind": kind, "detail": detail}
	if documentation != "" {
		m["documentation"] = documentation
	}
	return m
}

func (s *languageServer) complete(f *openFile, p lspParams) (any, error) {
	before := string(f.line(p.Position.Line)[:f.column(p.Position)])
	part := f.section(p.Position.Line)
	switch {
	case inUnit.MatchString(before):
		return unitItems(inUnit.FindStringSubmatch(before)[1]), nil
	case inKind.MatchString(before):
		return valueItems("variable", "kind"), nil
	case inState.MatchString(before):
		return valueItems("activity", "state"), nil
	case f.inEquation(p.Position.Line, before):
		return append(f.variableItems(), functionItems()...), nil
	case inMember.MatchString(before), part != "" && inFlow.MatchString(before) && part != "tests":
		return memberItems(part), nil
	}
	return f.variableItems(), nil
}

// section is the member of the domain that a line belongs to, "" for the domain itself.
func (f *openFile) section(line int) string {
	if text := f.line(line); len(text) > 0 && !unicode.IsSpace(text[0]) && text[0] != '-' {
		return ""
	}
	for ; line >= 0; line-- {
		if m := section.FindStringSubmatch(string(f.line(line))); m != nil {
			return m[1]
		}
	}
	return ""
}

// inEquation tells whether a line, as far as it goes, is within an equation.
func (f *openFile) inEquation(line int, before string) bool {
	for _, member := range []string{"equation:", "condition:"} {
		if at := strings.LastIndex(before, member); at >= 0 {
			return !strings.ContainsAny(strings.TrimLeft(before[at+len(member):], ` "'`), "}")
		}
	}
	indent := len(before) - len(strings.TrimLeft(before, " "))
	for line--; line >= 0; line-- {
		text := string(f.line(line))
		if m := block.FindStringSubmatch(text); m != nil {
			return indent > len(m[1])
		}
		if memberLine.MatchString(text) {
			return false
		}
	}
	return false
}

func (f *openFile) variableItems() []map[string]any {
	list := []map[string]any{}
	for _, v := range f.variables {
		list = append(list, item(v.Key, variableItem, strings.TrimSpace(v.Title+" "+v.Unit), v.Description))
	}
	return list
}

func functionItems() []map[string]any {
	list := []map[string]any{}
	for _, fn := range formula.Functions() {
		list = append(list, item(fn.Name, functionItem, fn.Signature, fn.Doc))
	}
	for name := range formula.Constants {
		list = append(list, item(name, constantItem, "constant", ""))
	}
	return list
}

// unitItems are the units that begin like what is written, upper and lower case alike.
func unitItems(written string) []map[string]any {
	at := strings.LastIndexAny(written, "*/·^( ") + 1
	begun := strings.ToLower(written[at:])
	list := []map[string]any{}
	for e := range units.Standard().All() {
		for _, name := range append(append([]string{e.Symbol}, e.Symbols...), e.Names...) {
			if strings.HasPrefix(strings.ToLower(name), begun) {
				list = append(list, item(name, unitItem, e.Dimension, e.Definition))
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

func valueItems(definition, member string) []map[string]any {
	list := []map[string]any{}
	for _, value := range schemaMembers(definition)[member].Enum {
		list = append(list, item(value, valueItem, member, ""))
	}
	return list
}

// definitions are the parts of the schema that describe the items of a member of the domain.
var definitions = map[string]string{"": "", "variables": "variable", "activities": "activity", "constraints": "constraint", "sources": "source", "tests": "test"}

func memberItems(part string) []map[string]any {
	list := []map[string]any{}
	definition, ok := definitions[part]
	if !ok {
		return list
	}
	for name, member := range schemaMembers(definition) {
		entry := item(name, memberItem, "", member.Description)
		entry["insertText"] = name + ": "
		list = append(list, entry)
	}
	slices.SortFunc(list, func(a, b map[string]any) int { return strings.Compare(a["label"].(string), b["label"].(string)) })
	return list
}

func (s *languageServer) hover(f *openFile, p lspParams) (any, error) {
	word, from, to := f.wordAt(p.Position)
	text := ""
	before := string(f.line(p.Position.Line)[:from])
	if m := inUnit.FindStringSubmatch(before); m != nil {
		unit, err := units.Standard().Parse(strings.TrimLeft(m[1], " ") + word)
		if err != nil {
			unit, err = units.Standard().Parse(word)
		}
		if err == nil {
			text = describeUnit(unit)
		}
	}
	functions := formula.Functions()
	i := slices.IndexFunc(f.variables, func(v events.Variable) bool { return v.Key == word })
	k := slices.IndexFunc(functions, func(fn formula.Function) bool { return fn.Name == word })
	called := to < len(f.line(p.Position.Line)) && f.line(p.Position.Line)[to] == '('
	switch {
	case text != "" || word == "":
	case i >= 0 && !(called && k >= 0):
		v := f.variables[i]
		text = strings.TrimSpace(fmt.Sprintf("%s %s\n\n%s", v.Title, v.Unit, v.Description))
	case k >= 0:
		var b strings.Builder
		explainFunction(terminal{out: &b}, functions[k])
		text = b.String()
	}
	if text == "" {
		return nil, nil
	}
	return map[string]any{
		"contents": map[string]string{"kind": "plaintext", "value": text},
		"range":    f.span(p.Position.Line+1, from+1, to+1),
	}, nil
}

// definition is where the variable of a key is declared.
func (s *languageServer) definition(f *openFile, p lspParams) (any, error) {
	word, _, _ := f.wordAt(p.Position)
	i := slices.IndexFunc(f.Definition.Variables, func(v events.Variable) bool { return v.Key == word })
	line, column, ok := f.Place(fmt.Sprintf("variables[%d].key", i))
	if !ok {
		return nil, nil
	}
	return map[string]any{"uri": p.TextDocument.URI, "range": f.word(line, column)}, nil
}

func describeUnit(unit *units.Unit) string {
	var b strings.Builder
	if r, err := read(units.Standard(), unit); err == nil {
		printReading(terminal{out: &b}, r)
	}
	return b.String()
}

func (s *languageServer) prepareRename(f *openFile, p lspParams) (any, error) {
	word, from, to := f.wordAt(p.Position)
	if !slices.ContainsFunc(f.Definition.Variables, func(v events.Variable) bool { return v.Key == word }) {
		return nil, &rpcError{lspRequestFailed, "Only the key of a variable is renamed."}
	}
	return f.span(p.Position.Line+1, from+1, to+1), nil
}

func (s *languageServer) rename(f *openFile, p lspParams) (any, error) {
	word, _, _ := f.wordAt(p.Position)
	changes, err := f.Rename(word, p.NewName)
	if err != nil {
		return nil, err
	}
	edits := []lspEdit{}
	for _, e := range changes {
		edits = append(edits, lspEdit{f.span(e.Line, e.Column, e.End), e.Text})
	}
	return map[string]any{"changes": map[string]any{p.TextDocument.URI: edits}}, nil
}

func (s *languageServer) format(f *openFile, p lspParams) (any, error) {
	after, err := f.Formatted()
	if err != nil {
		return nil, err
	}
	if string(after.Bytes()) == string(f.Bytes()) {
		return []lspEdit{}, nil
	}
	return []lspEdit{{lspRange{End: lspPosition{len(f.lines), 0}}, string(after.Bytes())}}, nil
}

// lenses offer to run each test above it.
func (s *languageServer) lenses(f *openFile, p lspParams) (any, error) {
	list := []map[string]any{}
	for i := range f.Definition.Tests {
		if line, column, ok := f.Place(fmt.Sprintf("tests[%d]", i)); ok {
			list = append(list, map[string]any{
				"range":   f.word(line, column),
				"command": map[string]any{"title": "Run test", "command": runTestCommand, "arguments": []any{p.TextDocument.URI, i}},
			})
		}
	}
	return list, nil
}

// execute runs a test of a file, and says what became of it.
func (s *languageServer) execute(p lspParams) (any, error) {
	var uri string
	var number int
	if p.Command != runTestCommand || len(p.Arguments) != 2 || json.Unmarshal(p.Arguments[0], &uri) != nil || json.Unmarshal(p.Arguments[1], &number) != nil {
		return nil, &rpcError{rpcInvalidParams, "The command is " + runTestCommand + " with the URI of a file and the number of a test in it."}
	}
	f := s.open[uri]
	if f == nil || number < 0 || number >= len(f.Definition.Tests) {
		return nil, &rpcError{rpcInvalidParams, "There is no such test in an open file."}
	}
	d, report := f.Compile()
	passed, said := d != nil, fmt.Sprintf("Test %d passes.", number+1)
	if d == nil {
		i := slices.IndexFunc(report.Findings, func(f domainfile.Finding) bool { return !f.Warning })
		said = "The file has errors: " + report.Findings[i].Message
	} else if _, problems := d.RunTest(d.Definition.Tests[number], time.Now()); len(problems) > 0 {
		passed, said = false, fmt.Sprintf("Test %d fails: %s", number+1, problems[0].Message)
	}
	severity := 3
	if !passed {
		severity = 1
	}
	err := s.send(rpcMessage{Method: "window/showMessage", Params: map[string]any{"type": severity, "message": said}})
	return map[string]any{"passed": passed, "message": said}, err
}
