package formula

import "slices"

// Definition is an equation that says what a table is.
type Definition struct {
	Variable int
	Equation *Equation
}

// Defines reports whether an equation says what a table is: by an expression on the other side, in
// which the table does not stand.
func (e *Equation) Defines(variable int) bool {
	return e.Left != nil && e.Active && e.Solves(variable) && e.StandsAlone(variable)
}

// Through is an equation over tables that are defined by other equations, written as one over what
// those tables are made of, so that it can be solved for an unknown behind them. It is nil where
// that is too long.
func (e *Equation) Through(definitions []Definition) *Equation {
	w := through{equation: *e, definitions: definitions}
	out := &w.equation
	out.Literals, out.Schedules = slices.Clone(e.Literals), slices.Clone(e.Schedules)
	out.Left, out.Right = w.copied(e.Left), w.copied(e.Right)
	if w.size > maxNodes {
		return nil
	}
	out.Order, out.slots, out.flat, out.Tables, out.Tried = w.order, 0, nil, true, nil
	out.Refs = slices.Clone(w.order)
	slices.Sort(out.Refs)
	out.Left.summarize(out)
	out.Right.summarize(out)
	out.Count = make([]int, len(out.Refs))
	for _, side := range []*Node{out.Left, out.Right} {
		side.Walk(func(n *Node) {
			if n.Op == OpVariable {
				out.Count[out.Position(n.Variable)]++
			}
		})
	}
	return out
}

// through copies an equation, with the definitions of tables in their place.
type through struct {
	equation    Equation
	definitions []Definition
	order       []int
	size        int
}

func (w *through) copied(n *Node) *Node {
	if w.size++; w.size > maxNodes {
		return n
	}
	c := *n
	c.slot, c.self = 0, nil
	if n.Op == OpVariable {
		at := slices.IndexFunc(w.definitions, func(d Definition) bool { return d.Variable == n.Variable })
		if at < 0 {
			if !slices.Contains(w.order, n.Variable) {
				w.order = append(w.order, n.Variable)
			}
			return &c
		}
		d := w.definitions[at].Equation
		c.Op, c.Args = OpDefined, []*Node{w.copied(d.source(n.Variable))}
		w.equation.Literals = append(w.equation.Literals, d.Literals...)
		w.equation.CheckPoints = w.equation.CheckPoints || d.CheckPoints
		return &c
	}
	c.Args = make([]*Node, len(n.Args))
	for i, a := range n.Args {
		c.Args[i] = w.copied(a)
	}
	return &c
}

// definedGrid is a table as an equation defines it, found once for each set of values. What
// functions bind within it has nothing to do with what they bind around it.
func (m *Machine) definedGrid(n *Node) Grid {
	if k, ok := m.defined[n.Variable]; ok && k.at >= m.since {
		return k.grid
	}
	since, locals, past := m.since, m.locals, m.past
	m.locals, m.past = nil, nil
	g := m.Grid(n.Args[0])
	m.since, m.locals, m.past = since, locals, past
	m.clock++
	m.inner = m.clock
	if m.Context.Err() != nil {
		return Grid{}
	}
	if m.defined == nil {
		m.defined = map[int]keptGrid{}
	}
	m.defined[n.Variable] = keptGrid{m.clock, g}
	return g
}

// keptGrid is a table and when it was found.
type keptGrid struct {
	at   uint64
	grid Grid
}
