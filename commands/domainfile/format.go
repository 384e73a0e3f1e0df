package domainfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ErrUnformatted says that a file cannot be written anew without losing a comment or changing what
// it says.
var ErrUnformatted = errors.New("the file cannot be formatted without changing what it says")

// Formatted is the file written evenly: two columns further in for each level, no space at the ends
// of lines, at most one blank line. Comments, the order of members, quotes, brackets and blank
// lines between entries stay. It fails with ErrUnformatted, and for a file that is not Readable.
func (f *File) Formatted() (*File, error) {
	if !f.Readable() {
		return nil, errors.New("the file has errors")
	}
	text, err := formatted(bytes.ReplaceAll(f.data, []byte("\r\n"), []byte("\n")))
	if err != nil {
		return nil, err
	}
	if bytes.Contains(f.data, []byte("\r\n")) {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	after := f.again(text)
	was, errWas := json.Marshal(f.Definition)
	is, errIs := json.Marshal(after.Definition)
	same := errWas == nil && errIs == nil && bytes.Equal(was, is) && f.Key == after.Key
	if !same || !after.Readable() || bytes.Count(f.data, []byte("#")) != bytes.Count(text, []byte("#")) {
		return nil, ErrUnformatted
	}
	return after, nil
}

// Bytes is the text of the file.
func (f *File) Bytes() []byte { return f.data }

func formatted(data []byte) ([]byte, error) {
	if json.Valid(data) {
		var text bytes.Buffer
		if err := json.Indent(&text, bytes.TrimSpace(data), "", "  "); err != nil {
			return nil, fmt.Errorf("format the domain file: %w", err)
		}
		return append(text.Bytes(), '\n'), nil
	}
	var before, after yaml.Node
	if err := yaml.Unmarshal(data, &before); err != nil {
		return nil, fmt.Errorf("read the domain file: %w", err)
	}
	text, err := yaml.Dump(&before, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	if err == nil {
		err = yaml.Unmarshal(text, &after)
	}
	if err != nil {
		return nil, fmt.Errorf("format the domain file: %w", err)
	}
	// The blank lines of the file, which are in no node, go before the same entries.
	was, is := entries(&before), entries(&after)
	if len(was) != len(is) {
		return nil, ErrUnformatted
	}
	lines, written := strings.Split(string(data), "\n"), strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	var blank []int
	for i, n := range was {
		if at := firstLine(lines, n.Line); at > 1 && strings.TrimSpace(lines[at-2]) == "" {
			blank = append(blank, firstLine(written, is[i].Line))
		}
	}
	slices.Sort(blank)
	var b strings.Builder
	for i, line := range written {
		if i > 0 && slices.Contains(blank, i+1) && strings.TrimSpace(written[i-1]) != "" {
			b.WriteString("\n")
		}
		b.WriteString(line + "\n")
	}
	return []byte(b.String()), nil
}

// firstLine is the line, from 1, at which the comment lines above a line begin.
func firstLine(lines []string, line int) int {
	for line > 1 && strings.HasPrefix(strings.TrimSpace(lines[line-2]), "#") {
		line--
	}
	return line
}

// entries lists the members and items of a document that stand on lines of their own, in order.
func entries(n *yaml.Node) (list []*yaml.Node) {
	switch {
	case n.Style&yaml.FlowStyle != 0:
		return nil
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			list = append(append(list, n.Content[i]), entries(n.Content[i+1])...)
		}
	default:
		for _, item := range n.Content {
			if n.Kind == yaml.SequenceNode {
				list = append(list, item)
			}
			list = append(list, entries(item)...)
		}
	}
	return list
}
