package domainfile

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
)

// scalars lists the scalars of a document.
func scalars(n *yaml.Node) (list []*yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		list = append(list, n)
	}
	for _, below := range n.Content {
		list = append(list, scalars(below)...)
	}
	return list
}

// inPlace fails unless each code point of each scalar of a text stands at its place in the text, or
// an escape does.
func inPlace(t interface {
	Fatalf(string, ...any)
	Errorf(string, ...any)
}, text string) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	f := &File{data: []byte(text)}
	for _, n := range scalars(&document) {
		for i, r := range []rune(n.Value) {
			if unicode.IsSpace(r) {
				continue // which may be that of a fold
			}
			line, column := f.within(n, i)
			source := []rune(f.Line(line))
			if column < 1 || column > len(source) {
				t.Fatalf("%q: character %d of %q is at %d:%d", text, i, n.Value, line, column)
			}
			escaped := n.Style&yaml.DoubleQuotedStyle != 0 && source[column-1] == '\\'
			if source[column-1] != r && !escaped {
				t.Errorf("%q: character %d of %q is at %d:%d, where %q stands", text, i, n.Value, line, column, source[column-1])
			}
		}
		line, column := f.within(n, len([]rune(n.Value))+3)
		if line < 1 || column < 1 || line > len(f.cut()) || column > len([]rune(f.Line(line)))+1 {
			t.Errorf("%q: the end of %q is at %d:%d", text, n.Value, line, column)
		}
	}
}

func TestCharactersHaveTheirPlaces(t *testing.T) {
	for _, text := range []string{
		"a: bcd = e * 2\n",
		"a: b =\n    c\n\n\n    + d\n",
		"a: 'b''c = \"d\"\n\n   e'\n",
		`a: "b\"c\\ = \u00e9\x41\U0001F600 z\td"` + "\n",
		"a: \"b = \\\n   c + \\\n\n   d\n   e\"\n",
		"a: |\n  b =\n    c\n\n   d\nb: c\n",
		"a: |2-\n    b\n  c\n",
		"a: >\n  b =\n  c +\n\n  d\n\n\n  e\n    f\n    g\n  h\nb: c\n",
		"a: >-  # why\n\n\n     b\n     c\n",
		"- >2\n\n     b\n   c\n",
		"a: !!str |\n  b\n", "a: &b !!str >-\n  b\n  c\n", "a: !!str\n  'b'\n", "a: &b c\nd: *b\n",
		"{\"a\": [\"b = c\", \"d\\n= e\", {\"f\": 'g'}]}",
		"a: |\r\n  b\r\n\r\n  c = d\r\nb: \"c\r\n  d\"\r\n",
		"\ufeffa: b\n", "é: {ü: é = b, größe: \"é\\u00e9 = b\"}\n",
		"a:\n  |\n   b\n", "? |\n  a\n: |\n  b\n", "a: |+\n  b\n\n\n", "a: ''\nb: \"\"\nc: |\nd:\n",
		"a: b\u0085c: d\u2028e: f\n",
	} {
		inPlace(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.RuneFrom([]rune("ab =+'\"\\\t\n\n  é€\U0001f600:#-{[%\u0007")), 0, 60, -1).Draw(t, "value")
		for _, style := range []yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle} {
			item := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Style: style}
			data, err := yaml.Dump(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "equation"}, item}}}},
				yaml.WithIndent(rapid.SampledFrom([]int{2, 4}).Draw(t, "indent")), yaml.WithLineWidth(30))
			var back []map[string]string
			if err != nil || yaml.Unmarshal(data, &back) != nil || len(back) != 1 {
				continue // what this library does not write in a way that it reads
			}
			inPlace(t, string(data))
		}
	})
	for _, text := range []string{"a: |\n", "a: >", "a: \"b", "a: 'b\n", "a: &b", "a: \"\\"} {
		f := &File{data: []byte(text)}
		for _, style := range []yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle} {
			for offset := range 6 {
				f.within(&yaml.Node{Kind: yaml.ScalarNode, Line: 1, Column: 4, Style: style, Value: strings.Repeat("b", 3)}, offset)
			}
		}
	}
	if lines := (&File{data: []byte("a\r\nb\rc\n")}).cut(); !slices.EqualFunc(lines, []string{"a", "b", "c", ""}, func(a []rune, b string) bool { return string(a) == b }) {
		t.Errorf("the lines are %q", lines)
	}
}
