package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"reckon/commands/domainfile"
)

// editor speaks with a language server in a process of its own.
type editor struct {
	t       *testing.T
	in      io.WriteCloser
	out     *bufio.Reader
	process *exec.Cmd
	asked   int
	said    []map[string]any // notifications of the server, oldest first
}

func openEditor(t *testing.T) *editor {
	t.Helper()
	program, err := exec.LookPath("reckon")
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, process: exec.Command(program, "lsp", "--stdio")}
	if e.in, err = e.process.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := e.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.out = bufio.NewReader(out)
	if err := e.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.process.Process.Kill() })
	return e
}

func (e *editor) write(text string) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(text), text); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) read() (m map[string]any) {
	e.t.Helper()
	body, err := readMessage(e.out)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil {
		e.t.Fatal(err)
	}
	return m
}

// notify tells the server something.
func (e *editor) notify(method string, params any) {
	e.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		e.t.Fatal(err)
	}
	e.write(string(body))
}

// ask returns the answer to a request as JSON, its result or its error.
func (e *editor) ask(method string, params any) string {
	e.t.Helper()
	e.asked++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.asked, "method": method, "params": params})
	if err != nil {
		e.t.Fatal(err)
	}
	e.write(string(body))
	for {
		m := e.read()
		if m["id"] == nil && m["method"] != nil {
			e.said = append(e.said, m)
			continue
		}
		if m["id"] != float64(e.asked) {
			e.t.Fatalf("the answer to %d is %v", e.asked, m)
		}
		answer := m["result"]
		if m["error"] != nil {
			answer = m["error"]
		}
		text, err := json.Marshal(answer)
		if err != nil {
			e.t.Fatal(err)
		}
		return string(text)
	}
}

// diagnostics are the newest ones of a file, as line:from-to message, in the protocol's numbers.
func (e *editor) diagnostics() (list []string) {
	e.t.Helper()
	e.ask("textDocument/hover", on("none", 0, 0)) // whatever was said before it has been read then
	for _, m := range e.said {
		if m["method"] != "textDocument/publishDiagnostics" {
			continue
		}
		list = nil
		for _, d := range m["params"].(map[string]any)["diagnostics"].([]any) {
			d := d.(map[string]any)
			from, to := d["range"].(map[string]any)["start"].(map[string]any), d["range"].(map[string]any)["end"].(map[string]any)
			list = append(list, fmt.Sprintf("%v:%v-%v %v", from["line"], from["character"], to["character"], d["message"]))
		}
	}
	return list
}

func on(uri string, line, character int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": line, "character": character}}
}

const tripURI = "file:///home/ann/my%20trip.yaml"

const tripText = `title: Road trip
description: Driving time.
variables:
  - {key: distance, title: Distance, unit: mi, description: How far you drive.}
  - {key: speed, unit: mi/h}
  - {key: time, unit: h}
activities:
  - title: "\U0001F600 Driving time"
    equation: |
      time =
        distance / speed
tests:
  - prompt: "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"
    expect: {time: 2.5 h}
  - prompt: "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"
    expect: {time: 3 h}
`

func TestLanguageServer(t *testing.T) {
	e := openEditor(t)
	if got := e.ask("textDocument/hover", on(tripURI, 0, 0)); !strings.Contains(got, "initialize") {
		t.Errorf("before initialize: %s", got)
	}
	if got := e.ask("initialize", map[string]any{"processId": nil, "capabilities": map[string]any{}}); !strings.Contains(got, `"renameProvider"`) {
		t.Errorf("initialize: %s", got)
	}
	e.notify("initialized", map[string]any{})
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": tripURI, "languageId": "yaml", "version": 1, "text": tripText}})
	if got := strings.Join(e.diagnostics(), "\n"); got != "15:13-14 Expected 3 h, but it is 2.5 h." && got != "15:19-20 Expected 3 h, but it is 2.5 h." {
		t.Errorf("the file that is opened has\n%s", got)
	}
	change := func(from, to string) {
		text := strings.Replace(tripText, from, to, 1)
		e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": tripURI, "version": 2}, "contentChanges": []any{map[string]any{"text": text}}})
	}
	change("distance / speed", "distance / 3 km")
	if got := strings.Join(e.diagnostics(), "\n"); got != "10:21-23 Expected an operator but found \"km\". A unit stands in brackets: write 3 [km]." {
		t.Errorf("in a block there is\n%s", got)
	}
	change("distance / speed", "distance / \U0001F600")
	if got := strings.Join(e.diagnostics(), "\n"); !strings.HasPrefix(got, "10:19-21 ") {
		t.Errorf("beyond 16 bits there is\n%s", got)
	}
	change("distance / speed", "distance / sp")
	if got := e.ask("textDocument/completion", on(tripURI, 10, 21)); !strings.Contains(got, `"label":"speed"`) || !strings.Contains(got, `"label":"sqrt"`) || !strings.Contains(got, `"label":"pi"`) {
		t.Errorf("completion in an equation: %.300s", got)
	}
	change("distance / speed", "distance / 3 [k")
	if got := e.ask("textDocument/completion", on(tripURI, 10, 23)); !strings.Contains(got, `"label":"kilogram"`) && !strings.Contains(got, `"label":"knot"`) || strings.Contains(got, `"label":"speed"`) {
		t.Errorf("completion of a unit: %.300s", got)
	}
	change("  - {key: time, unit: h}\n", "  - key: time\n    kind: \n    un\n")
	if got := e.ask("textDocument/completion", on(tripURI, 6, 10)); !strings.Contains(got, `"label":"percent"`) {
		t.Errorf("completion of a kind: %.300s", got)
	}
	if got := e.ask("textDocument/completion", on(tripURI, 7, 6)); !strings.Contains(got, `"insertText":"aliases: "`) || !strings.Contains(got, "Other names in prose.") {
		t.Errorf("completion of a member: %.300s", got)
	}
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": tripURI, "version": 3}, "contentChanges": []any{map[string]any{"text": tripText}}})
	for _, c := range []struct {
		line, character int
		want            string
	}{
		{10, 10, "How far you drive."}, {3, 44, "length"}, {0, 0, "null"},
	} {
		if got := e.ask("textDocument/hover", on(tripURI, c.line, c.character)); !strings.Contains(got, c.want) {
			t.Errorf("at %d:%d stands %s, want %q", c.line, c.character, got, c.want)
		}
	}

	for _, c := range []struct {
		line, character int
		want            string
	}{
		{10, 10, `"range":{"end":{"character":18,"line":3},"start":{"character":10,"line":3}}`}, {13, 16, `"start":{"character":10,"line":5}`},
		{3, 12, `"line":3`}, {0, 8, "null"}, {99, 0, "null"},
	} {
		if got := e.ask("textDocument/definition", on(tripURI, c.line, c.character)); !strings.Contains(got, c.want) {
			t.Errorf("what stands at %d:%d is declared at %s, want %s", c.line, c.character, got, c.want)
		}
	}

	// A key is renamed wherever it is named.
	rename := on(tripURI, 10, 10)
	rename["newName"] = "way"
	var edits struct {
		Changes map[string][]lspEdit `json:"changes"`
	}
	if err := json.Unmarshal([]byte(e.ask("textDocument/rename", rename)), &edits); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(tripText, "\n")
	for i := len(edits.Changes[tripURI]) - 1; i >= 0; i-- {
		c := edits.Changes[tripURI][i]
		line := lines[c.Range.Start.Line] // which has ASCII only
		lines[c.Range.Start.Line] = line[:c.Range.Start.Character] + c.NewText + line[c.Range.End.Character:]
	}
	after := strings.Join(lines, "\n")
	if f := domainfile.Parse("trip.yaml", []byte(after)); strings.Contains(after, "distance") || strings.Count(after, "way") != 4 || !f.Readable() {
		t.Errorf("after the renaming it is\n%s", after)
	}
	rename["newName"] = "speed"
	if got := e.ask("textDocument/rename", rename); !strings.Contains(got, "cannot be renamed") {
		t.Errorf("renamed to another's key: %s", got)
	}
	if got := e.ask("textDocument/prepareRename", on(tripURI, 0, 2)); !strings.Contains(got, "Only the key of a variable") {
		t.Errorf("a title is renamed: %s", got)
	}

	// Tests are offered and run.
	if got := e.ask("textDocument/codeLens", on(tripURI, 0, 0)); strings.Count(got, `"title":"Run test"`) != 2 {
		t.Errorf("lenses: %s", got)
	}
	for i, want := range []string{"Test 1 passes.", "Test 2 fails: Expected 3 h, but it is 2.5 h."} {
		got := e.ask("workspace/executeCommand", map[string]any{"command": runTestCommand, "arguments": []any{tripURI, i}})
		if !strings.Contains(got, want) {
			t.Errorf("test %d: %s", i, got)
		}
	}
	if got := e.ask("workspace/executeCommand", map[string]any{"command": runTestCommand, "arguments": []any{tripURI, 7}}); !strings.Contains(got, "no such test") {
		t.Errorf("a test that is not there: %s", got)
	}

	// What is no domain file is left alone, and what is no message is refused.
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///compose.yaml", "text": "services:\n  a: {image: b}\n"}})
	if got := e.diagnostics(); len(got) > 0 {
		t.Errorf("other YAML has %q", got)
	}
	if got := e.ask("textDocument/formatting", on("file:///compose.yaml", 0, 0)); !strings.Contains(got, "errors") {
		t.Errorf("other YAML is formatted: %s", got)
	}
	if got := e.ask("textDocument/nothing", nil); !strings.Contains(got, "-32601") {
		t.Errorf("an unknown method: %s", got)
	}
	e.write("{")
	if m := e.read(); m["error"].(map[string]any)["code"] != float64(rpcParse) {
		t.Errorf("no JSON: %v", m)
	}
	for _, odd := range []string{"[]", "7", `{"method":3}`, `{"id":1,"method":"textDocument/hover","params":[1]}`, `{"id":1,"method":"textDocument/hover","params":{"textDocument":{"uri":"` + tripURI + `"},"position":{"line":-4,"character":9999}}}`} {
		e.write(odd)
		e.read()
	}
	e.notify("textDocument/didClose", on(tripURI, 0, 0))
	if got := e.ask("shutdown", nil); got != "null" {
		t.Errorf("shutdown: %s", got)
	}
	e.notify("exit", nil)
	if err := e.process.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	other := openEditor(t)
	other.in.Close()
	if err := other.process.Wait(); err == nil {
		t.Error("an editor that goes without a word is a success")
	}
}
