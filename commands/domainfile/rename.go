package domainfile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"reckon/engine/syntax"
	"reckon/events"
)

// Edit replaces a part of a line. Lines and columns count from 1, columns in code points.
type Edit struct {
	Line, Column, End int
	Text              string
}

// Rename lists what to change so that a variable has another key: in its declaration, in equations,
// and in tests. It fails where the key is not there, where the other one cannot be a key, and where
// the file would have errors that it does not have now.
func (f *File) Rename(key, to string) ([]Edit, error) {
	at := slices.IndexFunc(f.Definition.Variables, func(v events.Variable) bool { return v.Key == key })
	switch {
	case at < 0:
		return nil, fmt.Errorf("there is no variable %q", key)
	case !syntax.IsName(to):
		return nil, fmt.Errorf("%q cannot be a key: a key has letters, digits and underscores only and does not start with a digit", to)
	}
	if owner := f.owners[fmt.Sprintf("variables[%d].key", at)]; owner != nil {
		return nil, fmt.Errorf("%q is declared in %s: rename it there, and where that file is used", key, owner.Name)
	}
	var edits []Edit
	replace := func(n *yaml.Node, offset int) {
		line, column := f.within(n, offset)
		edits = append(edits, Edit{line, column, column + utf8.RuneCountInString(key), to})
	}
	replace(f.places[fmt.Sprintf("variables[%d].key", at)], 0)
	for i := range f.Definition.Variables {
		at := fmt.Sprintf("variables[%d].display_metadata", i)
		if n := f.places[at]; n != nil && f.owners[at] == nil {
			for _, chosen := range columnChoices(n) {
				if chosen.Value == key {
					replace(chosen, 0)
				}
			}
		}
	}
	for i, a := range f.Definition.Activities {
		if f.owners[fmt.Sprintf("activities[%d].equation", i)] != nil {
			continue
		}
		n := f.places[fmt.Sprintf("activities[%d].equation", i)]
		for _, offset := range names(a.Equation, key) {
			replace(n, offset)
		}
		for k, named := range a.Calculable {
			if named == key {
				replace(f.places[fmt.Sprintf("activities[%d].calculable[%d]", i, k)], 0)
			}
		}
	}
	for i, c := range f.Definition.Constraints {
		if f.owners[fmt.Sprintf("constraints[%d].condition", i)] != nil {
			continue
		}
		for _, offset := range names(c.Condition, key) {
			replace(f.places[fmt.Sprintf("constraints[%d].condition", i)], offset)
		}
	}
	asked := regexp.MustCompile(`(?m)^[ \t]*(` + key + `)[ \t]*(?:[:\[]|$)|(?i:^[ \t]*calculate)[ \t]*:(?:[^\n]*,)?[ \t]*(` + key + `)(?:[\s,]|$)|"key"\s*:\s*"(` + key + `)"`)
	for path, n := range f.places {
		switch {
		case strings.HasPrefix(path, "tests[") && (strings.HasSuffix(path, ".prompt") || strings.Contains(path, ".after[")) && n.Kind == yaml.ScalarNode:
			for _, m := range asked.FindAllStringSubmatchIndex(n.Value, -1) {
				for group := 2; group < len(m); group += 2 {
					if m[group] >= 0 {
						replace(n, utf8.RuneCountInString(n.Value[:m[group]]))
					}
				}
			}
		case strings.HasPrefix(path, "tests[") && strings.HasSuffix(path, ".expect") && n.Kind == yaml.MappingNode:
			for k := 0; k < len(n.Content); k += 2 {
				if n.Content[k].Value == key {
					replace(n.Content[k], 0)
				}
			}
		}
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	edits = slices.Compact(edits) // an alias stands for what its anchor has
	before, _ := f.Compile()
	after, report := f.again(f.edited(edits)).Compile()
	if before != nil && after == nil {
		i := slices.IndexFunc(report.Findings, func(f Finding) bool { return !f.Warning })
		return nil, fmt.Errorf("%q cannot be renamed to %q: %s", key, to, report.Findings[i].Message)
	}
	return edits, nil
}

// columnChoices are the keys by which the columns of a table name variables with choices.
func columnChoices(n *yaml.Node) (keys []*yaml.Node) {
	for i, item := range n.Content {
		if named := n.Kind == yaml.MappingNode && i%2 == 1; named && n.Content[i-1].Value == "choices" {
			keys = append(keys, resolved(item))
		}
		keys = append(keys, columnChoices(item)...)
	}
	return keys
}

// edited is the text with edits, which are in order.
func (f *File) edited(edits []Edit) []byte {
	lines := slices.Clone(f.cut())
	for _, e := range slices.Backward(edits) {
		line := lines[e.Line-1]
		lines[e.Line-1] = slices.Concat(line[:min(e.Column-1, len(line))], []rune(e.Text), line[min(e.End-1, len(line)):])
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(string(line))
	}
	return []byte(b.String())
}

// names lists where an equation or a condition names a key, in code points.
func names(source, key string) (offsets []int) {
	var sides []syntax.Node
	if tree, err := syntax.ParseEquation(source); err == nil {
		sides = []syntax.Node{tree.Left, tree.Right}
	} else if tree, err := syntax.ParseExpression(source); err == nil {
		sides = []syntax.Node{tree}
	}
	var look func(syntax.Node)
	look = func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.Name:
			if n.Text == key {
				offsets = append(offsets, n.Start)
			}
		case *syntax.Unary:
			look(n.X)
		case *syntax.Binary:
			look(n.X)
			look(n.Y)
		case *syntax.Call:
			for _, arg := range n.Args {
				look(arg)
			}
		case *syntax.Definition:
			look(n.X)
		case *syntax.List:
			for _, item := range n.Items {
				look(item)
			}
		}
	}
	for _, side := range sides {
		look(side)
	}
	return offsets
}

// Place is where a path such as "tests[2]" stands, false where the file does not have it.
func (f *File) Place(path string) (line, column int, ok bool) {
	n := f.places[path]
	if n == nil {
		return 0, 0, false
	}
	return n.Line, n.Column, true
}

// IsDomain tells whether the file has what only domain files have, whatever else is wrong with it.
func (f *File) IsDomain() bool { return f.places["variables"] != nil || f.places["activities"] != nil }
