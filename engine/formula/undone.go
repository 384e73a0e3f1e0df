package formula

import (
	"cmp"

	"reckon/engine/syntax"
)

// Undone lists what an argument of a call may be where the call has a value, as expressions that a
// person can follow; none where the function's entry does not say it. period is what may be added
// to each any number of times, nil for nothing.
func (t *FunctionTable) Undone(call *syntax.Call, argument int, value syntax.Node) (list []syntax.Node, period syntax.Node) {
	f := t.ByName[call.Function]
	if f == nil || argument >= len(call.Args) {
		return nil, nil
	}
	if f.Choice == anArgument && !f.Lazy {
		return []syntax.Node{value}, nil // the argument that is chosen
	}
	var texts []string
	switch {
	case argument < len(f.Undone) && f.Undone[argument] != nil:
		texts = f.Undone[argument]
	case argument == 0:
		texts = f.Isolated
	}
	for _, text := range texts {
		if f.Name == "" || len(call.Args) > len(f.Params) {
			return nil, nil
		}
		if n := f.written(text, call.Args, value); n != nil {
			list = append(list, n)
		}
	}
	if f.Period > 0 {
		period = &syntax.Name{Text: "pi"}
		if f.Period > 1 {
			period = &syntax.Binary{Op: "*", X: &syntax.Number{Text: "2"}, Y: period}
		}
	}
	return list, period
}

// WrittenOut is a call by the formula of its function, nil for one without.
func (t *FunctionTable) WrittenOut(call *syntax.Call) syntax.Node {
	f := t.ByName[call.Function]
	if f == nil || f.Formula == "" || f.Variadic && len(call.Args) != 2 || !f.Variadic && len(call.Args) > len(f.Params) || f.Tabled != nil {
		return nil
	}
	return f.written(f.Formula, call.Args, nil)
}

// written is an expression in the parameters of a function, and the value t of a call, with the
// arguments of the call in their place.
func (f *Entry) written(text string, args []syntax.Node, value syntax.Node) syntax.Node {
	tree, err := syntax.ParseExpression(text)
	if err != nil {
		return nil
	}
	stand := map[string]syntax.Node{}
	for i, p := range f.Params {
		switch {
		case i < len(args):
			stand[p.name] = args[i]
		case p.value != "":
			if given, err := syntax.ParseExpression(p.value); err == nil {
				stand[p.name] = given
			}
		}
	}
	if f.Variadic && len(args) == 2 {
		stand["x"], stand["y"] = args[0], args[1]
	}
	if value != nil {
		stand["t"] = value
	}
	return syntax.Replaced(tree, func(n syntax.Node) syntax.Node {
		if name, is := n.(*syntax.Name); is {
			return cmp.Or(stand[name.Text], n)
		}
		return n
	})
}

// Meaning is what a function does, as people are told: its parameters, a sentence, and its formula
// in the parameters, "" where it has none; false for a function that is not there.
func (t *FunctionTable) Meaning(function string) (signature, doc, formula string, ok bool) {
	f := t.ByName[function]
	if f == nil {
		return "", "", "", false
	}
	return f.usage(), f.Doc, f.Formula, true
}

// BoundNames are the names that a call binds, such as the index of each, and whether an argument of
// it may use them.
func (t *FunctionTable) BoundNames(call *syntax.Call) (names []string, binds func(argument int) bool) {
	f := t.ByName[call.Function]
	if f == nil || !f.Binds && !syntax.DefinesColumns(call.Function) || len(call.Args) == 0 {
		return nil, func(int) bool { return false }
	}
	for i, a := range call.Args {
		switch a := a.(type) {
		case *syntax.Name:
			if i == 0 {
				names = append(names, a.Text)
			}
		case *syntax.Definition:
			names = append(names, a.Name)
		}
	}
	return names, func(argument int) bool { return argument == 0 || argument > 2 }
}
