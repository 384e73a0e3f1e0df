package domainfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v4"

	"reckon/events"
)

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
	return yamlSafe(text.Bytes())
}

// yamlSafe is JSON that YAML reads as JSON does: it would take some of what does not print for the
// end of a line.
func yamlSafe(text []byte) []byte {
	var shown strings.Builder
	for _, r := range strings.TrimSpace(string(text)) {
		if r > '~' && r <= '\uffff' && !unicode.IsPrint(r) {
			fmt.Fprintf(&shown, `\u%04x`, r)
			continue
		}
		shown.WriteRune(r)
	}
	return []byte(shown.String())
}

// TestYAML is a test as an item of a YAML list.
func TestYAML(test events.Test) []byte {
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

func sameTest(a, b events.Test) bool {
	a.Prompt, b.Prompt = strings.TrimSpace(a.Prompt), strings.TrimSpace(b.Prompt)
	return bytes.Equal(fileTest(a, ""), fileTest(b, ""))
}
