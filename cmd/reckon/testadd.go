package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v4"

	"reckon/commands"
	"reckon/commands/history"
	"reckon/events"
)

type domainTestAdd struct {
	directory
	Message string `help:"The answered message." required:"" placeholder:"ID"`
	File    string `arg:"" optional:"" help:"The domain's file, YAML or JSON; the test is printed when absent." type:"path"`
}

func (*domainTestAdd) Help() string {
	return `Makes a test of an answered message. Of calculated values it is a prompt that states every value that the answer rests on, those of earlier messages and defaults among them. Of errors, and of what only makes sense in its conversation, it is the prompt itself, after as many of the earlier prompts as the answer needs. Moment, time zone and format are stated where the answer depends on them. With a file, the test is added to it once the file passes it; the rest of the file stays as it is.

Examples:
  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000
  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000 trip.yaml`
}

func (c *domainTestAdd) Run(t terminal) error {
	id, err := parseID("--message", c.Message)
	if err != nil {
		return err
	}
	var test events.Test
	var ref events.DomainRef
	if err := c.administer(t, func(a commands.Admin) (err error) {
		test, ref, err = history.TestOf(t, a.Log, id)
		return err
	}); err != nil {
		return err
	}
	if c.File == "" {
		_, err := t.out.Write(testYAML(test))
		return err
	}
	return c.add(t, test, ref)
}

// add writes the test into the file, in one step, unless the file would not pass it.
func (c *domainTestAdd) add(t terminal, test events.Test, ref events.DomainRef) error {
	before, err := readDomainFile(c.File)
	if err != nil {
		return err
	}
	if _, report := before.check(); !report.Valid {
		showFindings(terminal{out: t.err}, report)
		return errors.New("nothing is added: mend the errors above first")
	}
	if slices.ContainsFunc(before.definition.Tests, func(other events.Test) bool { return sameTest(other, test) }) {
		fmt.Fprintf(t.out, "%s has this test already.\n", c.File)
		return nil
	}
	data, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	changed, err := withTest(data, test)
	if err != nil {
		return err
	}
	after := parseDomainFile(c.File, changed)
	if !holdsMore(before, after, test) {
		return fmt.Errorf("nothing is added: a test cannot be put into %s as it is written. Paste what `reckon domain test add --message %s` prints under tests", c.File, c.Message)
	}
	if _, report := after.check(); !report.Valid {
		report.Findings = slices.DeleteFunc(report.Findings, func(f finding) bool { return f.Warning })
		for _, f := range report.Findings {
			fmt.Fprintf(visible{t.err}, "%s: %s\n", f.Path, f.Message)
		}
		return fmt.Errorf("nothing is added: the file does not pass the test. It was made of an answer of version %d of %q; is this the file of that domain?", ref.Version, ref.Title)
	}
	if len(changed) > maxDomainFile {
		return fmt.Errorf("nothing is added: %s would be longer than the %d KiB that a domain file may have", c.File, maxDomainFile>>10)
	}
	if err := replaceFile(c.File, changed); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: added a test, %s now\n", c.File, count(len(after.definition.Tests), "test"))
	return nil
}

func sameTest(a, b events.Test) bool {
	a.Prompt, b.Prompt = strings.TrimSpace(a.Prompt), strings.TrimSpace(b.Prompt)
	return bytes.Equal(fileTest(a, ""), fileTest(b, ""))
}

// holdsMore tells whether a file is what it was, with one more test.
func holdsMore(before, after *domainFile, test events.Test) bool {
	n := len(before.definition.Tests)
	if len(after.findings) > 0 || len(after.definition.Tests) != n+1 || !sameTest(after.definition.Tests[n], test) {
		return false
	}
	was, is := before.definition, after.definition
	is.Tests = is.Tests[:n]
	if n == 0 {
		is.Tests = was.Tests
	}
	a, errA := json.Marshal(was)
	b, errB := json.Marshal(is)
	return errA == nil && errB == nil && bytes.Equal(a, b) && before.key == after.key
}

// replaceFile gives a file new content, all at once, with the permissions that it has.
func replaceFile(name string, data []byte) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = next.Write(data)
	err = errors.Join(err, next.Chmod(info.Mode().Perm()), next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(next.Name()))
	}
	return nil
}

// fileTest is a test as JSON, as a domain file has it: what there is nothing of is left out, and an
// earlier turn of which there is only the prompt is a text. Lines are indented unless indent is "".
func fileTest(test events.Test, indent string) []byte {
	after := []any{}
	for _, turn := range test.After {
		if turn == (events.Turn{Prompt: turn.Prompt}) {
			after = append(after, turn.Prompt)
			continue
		}
		after = append(after, turn)
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if indent != "" {
		e.SetIndent(indent+indent, indent)
	}
	if err := e.Encode(struct {
		After       []any                      `json:"after,omitempty"`
		Prompt      string                     `json:"prompt"`
		InputFormat string                     `json:"input_format,omitempty"`
		Now         *time.Time                 `json:"now,omitempty"`
		TimeZone    string                     `json:"time_zone,omitempty"`
		Expect      map[string]json.RawMessage `json:"expect,omitempty"`
		Errors      []string                   `json:"errors,omitempty"`
	}{after, test.Prompt, test.InputFormat, test.Now, test.TimeZone, test.Expect, test.Errors}); err != nil {
		return nil // values of this shape always encode
	}
	// YAML would take some of what does not print for the end of a line.
	var shown strings.Builder
	for _, r := range strings.TrimSpace(text.String()) {
		if r > '~' && r <= '\uffff' && !unicode.IsPrint(r) {
			fmt.Fprintf(&shown, `\u%04x`, r)
			continue
		}
		shown.WriteRune(r)
	}
	return []byte(shown.String())
}

// testYAML is a test as an item of a YAML list.
func testYAML(test events.Test) []byte {
	var document yaml.Node
	if err := yaml.Unmarshal(fileTest(test, ""), &document); err != nil {
		return nil // JSON is YAML
	}
	item := document.Content[0]
	style(item, 0)
	if at := memberAt(item, "expect"); at >= 0 {
		style(item.Content[at+1], yaml.DoubleQuotedStyle)
	}
	data, err := yaml.Dump(&yaml.Node{Kind: yaml.SequenceNode, Content: document.Content}, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false))
	if err != nil {
		return nil // nodes of this shape always encode
	}
	return data
}

// style has a node written as a person would: mappings in lines, texts of several lines as they are
// where that reads back, other texts in a style. Within expect and errors lists are written in
// brackets.
func style(n *yaml.Node, text yaml.Style) {
	switch n.Kind {
	case yaml.MappingNode:
		n.Style = 0
		for i := 0; i+1 < len(n.Content); i += 2 {
			n.Content[i].Style = 0
			style(n.Content[i+1], text)
			if n.Content[i].Value == "errors" {
				n.Content[i+1].Style = yaml.FlowStyle
			}
		}
	case yaml.SequenceNode:
		n.Style = 0
		if text != 0 {
			n.Style = yaml.FlowStyle
		}
		for _, item := range n.Content {
			style(item, text)
		}
	case yaml.ScalarNode:
		switch {
		case n.Tag != "!!str":
			n.Style = 0
		case unclearText(n.Value):
			n.Style = yaml.DoubleQuotedStyle
		case strings.Contains(n.Value, "\n"):
			n.Style = yaml.LiteralStyle
		default:
			n.Style = text
		}
	}
}

// unclearText is true of a text that does not show what it holds: characters that do not print, or
// space at the ends of lines.
func unclearText(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != line || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return true
		}
	}
	return strings.HasSuffix(text, "\n")
}

// withTest is the text of a domain file with one more test. Lines are put in; where the file's
// tests, or the whole of it, are written in brackets, that part alone is written anew. Lines that
// all end with a carriage return and a line feed go on so.
func withTest(data []byte, test events.Test) ([]byte, error) {
	carriage, feed := []byte("\r\n"), []byte("\n")
	if n := bytes.Count(data, carriage); n == 0 || n < bytes.Count(data, feed) {
		return withTestLines(data, test)
	}
	changed, err := withTestLines(bytes.ReplaceAll(data, carriage, feed), test)
	return bytes.ReplaceAll(changed, feed, carriage), err
}

// withTestLines is withTest for lines that end with a line feed.
func withTestLines(data []byte, test events.Test) ([]byte, error) {
	if json.Valid(data) {
		return withTestJSON(data, test)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil || len(document.Content) == 0 {
		return nil, fmt.Errorf("read the domain file: %w", err)
	}
	root := document.Content[0]
	var item yaml.Node
	if err := yaml.Unmarshal(testYAML(test), &item); err != nil {
		return nil, fmt.Errorf("write the test: %w", err)
	}
	at := memberAt(root, "tests")
	if root.Style&yaml.FlowStyle != 0 {
		if at < 0 {
			root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "tests"}, &yaml.Node{Kind: yaml.SequenceNode})
			at = len(root.Content) - 2
		}
		appendItem(root.Content[at+1], item.Content[0].Content[0])
		return yaml.Dump(&document, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false))
	}
	lines := strings.SplitAfter(string(data), "\n")
	if at < 0 {
		return inserted(lines, lastLine(lines, len(lines), 0), "tests:\n"+indented(string(testYAML(test)), 2)), nil
	}
	end := len(lines)
	if at+2 < len(root.Content) {
		end = root.Content[at+2].Line - 1
	}
	tests := root.Content[at+1]
	column := root.Content[at].Column - 1
	if tests.Kind == yaml.SequenceNode && tests.Style&yaml.FlowStyle == 0 && len(tests.Content) > 0 {
		column = tests.Column - 1
		return inserted(lines, lastLine(lines, end, column), indented(string(testYAML(test)), column)), nil
	}
	// What is written in brackets, or is nothing yet, becomes a list of lines.
	end = lastLine(lines, end, column)
	comment := cmp.Or(tests.LineComment, root.Content[at].LineComment)
	appendItem(tests, item.Content[0].Content[0])
	tests.LineComment = ""
	tests.Style, tests.Tag, tests.Value, tests.Kind = 0, "", "", yaml.SequenceNode
	list, err := yaml.Dump(tests, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false))
	if err != nil {
		return nil, fmt.Errorf("write the tests: %w", err)
	}
	start := root.Content[at].Line - 1
	head := strings.Repeat(" ", column) + "tests:"
	if comment != "" {
		head += "   " + comment
	}
	head += "\n"
	return []byte(strings.Join(lines[:start], "") + head + indented(string(list), column+2) + strings.Join(lines[end:], "")), nil
}

// memberAt is the place of a member's name in a mapping, -1 for none.
func memberAt(mapping *yaml.Node, name string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return i
		}
	}
	return -1
}

func appendItem(list, item *yaml.Node) {
	list.Kind = yaml.SequenceNode
	list.Content = append(list.Content, item)
}

// lastLine is the end of a part that ends before a line, without the blank lines and the comments
// behind it: those no further in than a column belong to what follows.
func lastLine(lines []string, end, column int) int {
	for end > 0 {
		line := strings.TrimRight(lines[end-1], "\r\n")
		text := strings.TrimLeft(line, " \t")
		comment := strings.HasPrefix(text, "#") && len(line)-len(text) <= column
		if text != "" && !comment && !strings.HasPrefix(line, "...") && !strings.HasPrefix(line, "---") {
			return end
		}
		end--
	}
	return end
}

// inserted is the lines with a text before one of them.
func inserted(lines []string, at int, text string) []byte {
	before := strings.Join(lines[:at], "")
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return []byte(before + text + strings.Join(lines[at:], ""))
}

// indented is a text further in by some columns; blank lines stay so.
func indented(text string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", columns))
		}
		b.WriteString(line)
	}
	return b.String()
}

// jsonIndent finds how far in the first member of an object on lines of its own is.
var jsonIndent = regexp.MustCompile(`^\s*\{[ \t]*\n([ \t]+)"`)

// withTestJSON puts a test behind the last one of a JSON file, as far in as the file's own lines
// are, or on the line that the file is.
func withTestJSON(data []byte, test events.Test) ([]byte, error) {
	var indent, line string
	if m := jsonIndent.FindSubmatch(data); m != nil {
		indent, line = string(m[1]), "\n"
	}
	item := slices.Concat([]byte(line+indent+indent), fileTest(test, indent), []byte(line+indent+"]"))
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("read the domain file: %w", err)
	}
	empty, end := true, d.InputOffset()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("read the domain file: %w", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("read the domain file: %w", err)
		}
		empty, end = false, d.InputOffset()
		if name != "tests" {
			continue
		}
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return nil, fmt.Errorf("read the tests: %w", err)
		}
		separator := ","
		if len(list) == 0 {
			separator = ""
		}
		inside := bytes.TrimRight(data[:end-1], " \t\r\n") // without the closing bracket
		return slices.Concat(inside, []byte(separator), item, data[end:]), nil
	}
	separator := ","
	if empty {
		separator = ""
	}
	return slices.Concat(data[:end], []byte(separator+line+indent+`"tests": [`), item, data[end:]), nil
}
