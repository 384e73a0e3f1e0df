package formula

import "reckon/engine/value"

// Bare calls f on each variable, column and cell that an expression takes for true or false as it
// stands, without a comparison: the condition of an if and of functions such as sumif, and what
// and, or and not have beside them.
func (n *Node) Bare(f func(*Node)) {
	n.Walk(func(part *Node) {
		list := part.Args
		switch {
		case part.Op == opNot || part.Op == opAnd || part.Op == opOr:
		case part.Op == OpCall && len(list) > 0 && (part.Function.Lazy || part.Function.Params[0].name == "condition"):
			list = list[:1]
		default:
			return
		}
		for _, a := range list {
			if a.Op == OpVariable || a.Op == OpCall && a.Function.column > 0 {
				f(a)
			}
		}
	})
}

// Chosen is the variable whose choices the values of a variable, of a column or of a cell are, nil
// where they are none.
func (n *Node) Chosen(s *value.Scope) *value.Variable {
	switch {
	case n.Op == OpVariable && s.Declared[n.Variable].IsChoice():
		return &s.Declared[n.Variable]
	case n.Op == OpCall && n.Function.column > 0 && n.Args[0].Op == OpVariable && len(n.Args) > n.Function.column:
		if at := n.Args[n.Function.column]; at.Op == OpNumber {
			if i, ok := at.Value.Int64(); ok {
				return s.ColumnChoices(n.Args[0].Variable, int(i)-1)
			}
		}
	}
	return nil
}
