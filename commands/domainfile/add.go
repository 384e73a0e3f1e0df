package domainfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"reckon/events"
)

// ErrAsWritten says that a test cannot be put into a file as it is written.
var ErrAsWritten = errors.New("a test cannot be put into the file as it is written")

// HasTest tells whether the file has a test already.
func (f *File) HasTest(test events.Test) bool {
	return slices.ContainsFunc(f.Definition.Tests, func(other events.Test) bool { return sameTest(other, test) })
}

// Text is what the file says.
func (f *File) Text() string { return string(f.data) }

// WithTest is the file with one more test, the rest of its text as it is. Whether it passes the
// test is not known yet, and nothing is written. It fails with ErrAsWritten.
func (f *File) WithTest(test events.Test) (*File, error) {
	text, err := withTest(f.data, test)
	if err != nil {
		return nil, err
	}
	after := f.again(text)
	if !holdsMore(f, after, test) {
		return nil, ErrAsWritten
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s would be longer than the %d KiB that a domain file may have", f.Name, MaxBytes>>10)
	}
	return after, nil
}

// holdsMore tells whether a file is what it was, with one more test.
func holdsMore(before, after *File, test events.Test) bool {
	n := len(before.Definition.Tests)
	if len(after.findings) > 0 || len(after.Definition.Tests) != n+1 || !sameTest(after.Definition.Tests[n], test) {
		return false
	}
	was, is := before.Definition, after.Definition
	is.Tests = is.Tests[:n]
	if n == 0 {
		is.Tests = was.Tests
	}
	a, errA := json.Marshal(was)
	b, errB := json.Marshal(is)
	return errA == nil && errB == nil && bytes.Equal(a, b) && before.Key == after.Key
}

// linewise is a text that is edited in lines that end with a line feed. Lines that all end with a
// carriage return and a line feed go on so.
func linewise(data []byte, edit func([]byte) ([]byte, error)) ([]byte, error) {
	carriage, feed := []byte("\r\n"), []byte("\n")
	if n := bytes.Count(data, carriage); n == 0 || n < bytes.Count(data, feed) {
		return edit(data)
	}
	changed, err := edit(bytes.ReplaceAll(data, carriage, feed))
	return bytes.ReplaceAll(changed, feed, carriage), err
}

// withTest is the text of a domain file with one more test. Lines are put in; where the file's
// tests, or the whole of it, are written in brackets, that part alone is written anew.
func withTest(data []byte, test events.Test) ([]byte, error) {
	return linewise(data, func(data []byte) ([]byte, error) { return withTestLines(data, test) })
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
	if err := yaml.Unmarshal(TestYAML(test), &item); err != nil {
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
		return inserted(lines, lastLine(lines, len(lines), 0), "tests:\n"+indented(string(TestYAML(test)), 2)), nil
	}
	end := len(lines)
	if at+2 < len(root.Content) {
		end = root.Content[at+2].Line - 1
	}
	tests := root.Content[at+1]
	column := root.Content[at].Column - 1
	if tests.Kind == yaml.SequenceNode && tests.Style&yaml.FlowStyle == 0 && len(tests.Content) > 0 {
		column = tests.Column - 1
		return inserted(lines, lastLine(lines, end, column), indented(string(TestYAML(test)), column)), nil
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
