package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"reckon/commands/domainfile"
	"reckon/events"
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
	return f.span(line, column, f.WordEnd(line, column))
}

// wordAt is the word that a place is in or beside, and where it is in its line.
func (f *openFile) wordAt(p lspPosition) (word string, from, to int) {
	return f.WordAt(p.Line+1, f.column(p)+1)
}

// itemKinds are the numbers of completions' kinds in the protocol.
var itemKinds = map[domainfile.CompletionKind]int{
	domainfile.FunctionItem: 3, domainfile.VariableItem: 6, domainfile.MemberItem: 10, domainfile.UnitItem: 11, domainfile.ValueItem: 12, domainfile.ConstantItem: 21,
}

func (s *languageServer) complete(f *openFile, p lspParams) (any, error) {
	list := []map[string]any{}
	for _, c := range f.Complete(p.Position.Line+1, f.column(p.Position)+1, f.variables) {
		item := map[string]any{"label": c.Label, "kind": itemKinds[c.Kind], "detail": c.Detail}
		if c.Documentation != "" {
			item["documentation"] = c.Documentation
		}
		if c.Insert != "" {
			item["insertText"] = c.Insert
		}
		list = append(list, item)
	}
	return list, nil
}

func (s *languageServer) hover(f *openFile, p lspParams) (any, error) {
	text, from, to := f.Explain(p.Position.Line+1, f.column(p.Position)+1, f.variables)
	if text == "" {
		return nil, nil
	}
	return map[string]any{
		"contents": map[string]string{"kind": "plaintext", "value": text},
		"range":    f.span(p.Position.Line+1, from, to),
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

func (s *languageServer) prepareRename(f *openFile, p lspParams) (any, error) {
	word, from, to := f.wordAt(p.Position)
	if !slices.ContainsFunc(f.Definition.Variables, func(v events.Variable) bool { return v.Key == word }) {
		return nil, &rpcError{lspRequestFailed, "Only the key of a variable is renamed."}
	}
	return f.span(p.Position.Line+1, from, to), nil
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
