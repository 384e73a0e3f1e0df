package formula

import (
	"slices"

	"reckon/engine/syntax"
	"reckon/engine/value"
)

// sides builds two expressions that have the same value, or are compared: where one of them is a
// variable with choices, the other one may name them.
func (b *builder) sides(x, y syntax.Node) []*Node {
	left := b.labelled(x, b.chooses(y))
	return []*Node{left, b.labelled(y, b.chooses(x))}
}

func (b *builder) labelled(s syntax.Node, labels *value.Variable) *Node {
	b.labels = labels
	n := b.build(s)
	b.labels = nil
	return n
}

// chooses is the variable with choices that an expression is, or that has those of the column that
// it takes; nil for another one.
func (b *builder) chooses(s syntax.Node) *value.Variable {
	if call, ok := s.(*syntax.Call); ok && b.scope != nil {
		return b.columnChooses(call)
	}
	name, ok := s.(*syntax.Name)
	if !ok || b.scope == nil {
		return nil
	}
	v := b.scope.Index(name.Text)
	if v < 0 || !b.scope.Declared[v].IsChoice() {
		return nil
	}
	return &b.scope.Declared[v]
}

// columnChooses is chooses of a call that takes a column, or a cell of one, by its name.
func (b *builder) columnChooses(call *syntax.Call) *value.Variable {
	f := b.functions.ByName[call.Function]
	if f == nil || f.column == 0 || len(call.Args) <= f.column {
		return nil
	}
	table, ok := call.Args[0].(*syntax.Name)
	name, also := call.Args[f.column].(*syntax.Text)
	if !ok || !also {
		return nil
	}
	v := b.scope.Index(table.Text)
	if v < 0 {
		return nil
	}
	return b.scope.ColumnChoices(v, slices.IndexFunc(b.scope.Profiles[v].Names, func(n string) bool { return value.SameLabel(n, name.Text) }))
}

// label is the value that a label stands for.
func (b *builder) label(s *syntax.Text, labels *value.Variable) *Node {
	if labels == nil {
		return b.fail(s.Start, "A label in quotes stands beside == or != with a variable that has it as a choice, or among the keys of lookup_exact.")
	}
	c, ok := labels.Choice(s.Text)
	if !ok {
		return b.fail(s.Start, "%s has no choice %q: choose %s.%s", labels.Key, s.Text, value.OneOf(labels.Labels()), value.DidYouMean(s.Text, labels.ChoiceNames()))
	}
	n := Number(c.Value)
	n.Start, n.End = s.Start, s.Stop
	return n
}

// chooserOf is the key of the first variable that has a choice of a name, "" for none.
func (b *builder) chooserOf(label string) string {
	if b.scope != nil {
		for i := range b.scope.Declared {
			if v := &b.scope.Declared[i]; v.IsChoice() {
				if _, ok := v.Choice(label); ok {
					return v.Key
				}
			}
		}
	}
	return ""
}
