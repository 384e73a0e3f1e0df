package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
	"reckon/engine/units"
)

// builder turns a syntax tree into nodes: names become variables, units become factors.
type builder struct {
	scope     *scope // nil for the expressions that define functions
	functions *functionTable
	problem   func(at int, format string, args ...any)
	failed    bool
	order     []int
	literals  []*node
	tables    bool
	locals    []string // names that each binds, innermost last
	args      map[string]*node
}

func (b *builder) fail(at int, format string, args ...any) *node {
	b.failed = true
	b.problem(at, format, args...)
	return &node{op: opNumber, start: at, end: at, size: 1}
}

// binaryOps maps the operators of the syntax to ops.
var binaryOps = map[string]op{
	"+": opAdd, "-": opSub, "*": opMul, "/": opDiv, "^": opPow, "and": opAnd, "or": opOr,
	"==": opEq, "!=": opNe, "<": opLt, "<=": opLe, ">": opGt, ">=": opGe,
}

// maxNodes bounds an equation once its functions are written out.
const maxNodes = 100_000

// build turns a syntax tree into nodes. It reports what is wrong with it and goes on, so that all problems are found.
func (b *builder) build(s syntax.Node) *node {
	n := b.translate(s)
	n.size = 1
	for _, a := range n.args {
		n.size += a.size
	}
	if n.size > maxNodes && !b.failed {
		return b.fail(n.start, "The equation is too long once its functions are written out.")
	}
	return n
}

func (b *builder) translate(s syntax.Node) *node {
	start, end := s.Offset(), s.End()
	switch s := s.(type) {
	case *syntax.Number:
		return b.number(s)
	case *syntax.Name:
		return b.name(s)
	case *syntax.Call:
		return b.call(s)
	case *syntax.Unary:
		x := b.build(s.X)
		switch s.Op {
		case "-":
			return &node{op: opNeg, start: start, end: end, args: []*node{x}}
		case "%":
			return &node{op: opPercent, start: start, end: end, args: []*node{x}}
		case "not":
			return &node{op: opNot, start: start, end: end, args: []*node{x}}
		}
		return x
	case *syntax.Binary:
		o, ok := binaryOps[s.Op]
		if !ok {
			return b.fail(s.OpOffset, "The operator %q is not known.", s.Op)
		}
		return &node{op: o, start: start, end: end, args: []*node{b.build(s.X), b.build(s.Y)}}
	case *syntax.List:
		b.tables = true
		n := &node{op: opList, start: start, end: end}
		for _, item := range s.Items {
			n.args = append(n.args, b.build(item))
		}
		return n
	}
	return b.fail(start, "This cannot be read.")
}

func (b *builder) number(s *syntax.Number) *node {
	value, err := decimal.Parse(s.Text)
	if err != nil {
		return b.fail(s.Start, "The number is too large.")
	}
	n := &node{op: opNumber, start: s.Start, end: s.Stop, value: value}
	if s.Unit != "" {
		table := units.Standard()
		if b.scope != nil {
			table = b.scope.table
		}
		unit, err := table.Parse(s.Unit)
		if err != nil {
			return b.fail(s.UnitStart+max(unitOffset(err), 0), "%s", unitProblem(err))
		}
		ctx := decimal.NewContext(defaultBudget)
		n.value, n.unit = units.Quantity{Number: value, Unit: unit}.SI(ctx), unit
		if ctx.Err() != nil {
			return b.fail(s.Start, "The number is too large.")
		}
		b.literals = append(b.literals, n)
	}
	n.float = n.value.Float64()
	return n
}

func (b *builder) name(s *syntax.Name) *node {
	n := &node{start: s.Start, end: s.End()}
	for i := len(b.locals) - 1; i >= 0; i-- {
		if b.locals[i] == s.Text {
			return &node{op: opLocal, start: s.Start, end: s.End(), variable: i}
		}
	}
	if arg, ok := b.args[s.Text]; ok {
		return arg
	}
	if c, ok := constants[s.Text]; ok {
		n.op, n.value, n.float = c.op, c.value, c.value.Float64()
		return n
	}
	v := -1
	if b.scope != nil {
		v = b.scope.Index(s.Text)
	}
	if v < 0 {
		return b.fail(s.Start, "Unknown variable %q.%s", s.Text, b.scope.nearestKey(s.Text))
	}
	if !slices.Contains(b.order, v) {
		b.order = append(b.order, v)
	}
	n.op, n.variable = opVariable, v
	return n
}

// constants are the names that stand for a value in every equation: a number, or a moment of the calculation.
var constants = map[string]struct {
	op    op
	value decimal.Decimal
}{
	"pi": {value: decimal.Pi()}, "e": {value: decimal.E()}, "true": {value: decimal.Int(1)}, "false": {},
	"today": {op: opToday}, "now": {op: opNow},
}

func (b *builder) call(s *syntax.Call) *node {
	f := b.functions.byName[s.Function]
	if f == nil {
		return b.fail(s.Start, "Unknown function %q.%s", s.Function, b.functions.nearest(s.Function))
	}
	least, most := f.arity()
	if len(s.Args) < least || most >= 0 && len(s.Args) > most {
		return b.fail(s.Start, "%s takes %s, not %d: %s.", f.name, arityText(least, most), len(s.Args), f.usage())
	}
	n := &node{op: opCall, start: s.Start, end: s.Stop, function: f}
	b.tables = b.tables || f.tables
	if f.binds {
		name, ok := s.Args[0].(*syntax.Name)
		if !ok {
			return b.fail(s.Args[0].Offset(), "The first argument of %s is the name that it counts with.", f.name)
		}
		for _, a := range s.Args[1 : len(s.Args)-1] {
			n.args = append(n.args, b.build(a))
		}
		b.locals = append(b.locals, name.Text)
		n.variable = len(b.locals) - 1
		n.args = append(n.args, b.build(s.Args[len(s.Args)-1]))
		b.locals = b.locals[:len(b.locals)-1]
		return n
	}
	for _, a := range s.Args {
		n.args = append(n.args, b.build(a))
	}
	if f.formula != "" && f.eval == nil {
		return b.expand(f, n)
	}
	return n
}

// expand replaces a call by the function's defining formula.
func (b *builder) expand(f *function, call *node) *node {
	tree, err := syntax.ParseExpression(f.formula)
	if err != nil {
		return b.fail(call.start, "%s is not defined well: %v", f.name, err)
	}
	inner := builder{functions: b.functions, problem: b.problem, args: map[string]*node{}}
	for i, p := range f.params {
		if i < len(call.args) {
			inner.args[p.name] = call.args[i]
			continue
		}
		number, err := decimal.Parse(p.value)
		if err != nil {
			return b.fail(call.start, "%s is not defined well: %v", f.name, err)
		}
		inner.args[p.name] = &node{op: opNumber, start: call.start, end: call.end, value: number, float: number.Float64(), size: 1}
	}
	for i, p := range f.params[:len(call.args)] {
		if p.check != "" {
			inner.args[p.name] = inner.checked(f, p, call.args[i])
		}
	}
	n := shorter(inner.build(tree), call.args)
	b.failed = b.failed || inner.failed
	place(n, call.start, call.end, call.args)
	return n
}

// checked is an argument of an expanded function where the parameter's check holds, and undefined elsewhere.
func (b *builder) checked(f *function, p param, arg *node) *node {
	if p.value != "" && arg.op == opNumber && (arg.value.IsZero() || isOne(arg.value)) {
		return arg // a flag: it needs no check when calculating
	}
	tree, err := syntax.ParseExpression("if(" + p.check + ", " + p.name + ", " + p.name + ")")
	if err != nil {
		return b.fail(arg.start, "%s is not defined well: %v", f.name, err)
	}
	n := b.build(tree)
	undefined := &function{
		name: f.name, params: []param{{name: p.name, dimension: "1"}}, result: "1",
		eval: func(c *decimal.Context, a decimals) decimal.Decimal {
			return c.Fail(&decimal.UndefinedError{Function: f.name, Argument: a[0]})
		},
		float: func([]float64) float64 { return math.NaN() },
	}
	n.args[2] = &node{op: opCall, start: arg.start, end: arg.end, function: undefined, args: []*node{arg}}
	return n
}

// shorter is a formula without the sums and products that parameters of 0 and 1 have no effect in.
func shorter(n *node, args []*node) *node {
	if slices.Contains(args, n) {
		return n
	}
	bare := false
	for i, a := range n.args {
		n.args[i] = shorter(a, args)
		bare = bare || n.args[i].op == opNumber && !slices.Contains(args, n.args[i])
	}
	if bare && (n.op == opAdd || n.op == opSub || n.op == opMul) {
		return combined(n.op, n.args...)
	}
	return n
}

// place gives the nodes of an expanded formula the position of the call, arguments aside.
func place(n *node, start, end int, keep []*node) {
	if slices.Contains(keep, n) {
		return
	}
	n.start, n.end = start, end
	for _, a := range n.args {
		place(a, start, end, keep)
	}
}

func arityText(least, most int) string {
	plural := func(n int) string {
		if n == 1 {
			return "1 argument"
		}
		return fmt.Sprintf("%d arguments", n)
	}
	switch {
	case most < 0:
		return "at least " + plural(least)
	case least == most:
		return plural(least)
	}
	return fmt.Sprintf("%d to %s", least, plural(most))
}

// nearestKey is a hint that names the variable spelt most like a name, or nothing.
func (s *scope) nearestKey(name string) string {
	if s == nil {
		return ""
	}
	keys := make([]string, len(s.declared))
	for i, v := range s.declared {
		keys[i] = v.Key
	}
	return hint(name, keys)
}

// parseEquation reads the source of an equation; left stays nil when it cannot be read. What is wrong is reported with its place
// in code points, -1 for none.
func (s *scope) parseEquation(e *equation, functions *functionTable, problem func(at int, format string, args ...any)) {
	tree, err := syntax.ParseEquation(string(e.source))
	if err != nil {
		var wrong *syntax.Error
		if errors.As(err, &wrong) {
			problem(wrong.Offset, "%s", wrong.Message)
		} else {
			problem(-1, "%v", err)
		}
		return
	}
	b := builder{scope: s, functions: functions, problem: problem}
	left, right := b.build(tree.Left), b.build(tree.Right)
	if b.failed {
		return
	}
	if len(b.order) == 0 {
		problem(-1, "The equation names no variable, so that nothing can be calculated with it.")
		return
	}
	e.left, e.right, e.order, e.literals, e.tables = left, right, b.order, b.literals, b.tables
	e.refs = slices.Clone(b.order)
	slices.Sort(e.refs)
	s.shapes(e, problem)
	left.summarize(e)
	right.summarize(e)
	e.count = make([]int, len(e.refs))
	for k, v := range e.refs {
		e.count[k] = left.occurrences(v) + right.occurrences(v)
		e.checkPoints = e.checkPoints || s.profiles[v].point.isPoint() || s.profiles[v].unit == nil
	}
	for _, n := range e.literals {
		e.checkPoints = e.checkPoints || n.unit.IsPoint()
	}
}

// unitProblem says in a sentence what is wrong with a unit.
func unitProblem(err error) string {
	var unknown *units.UnknownError
	var malformed *units.SyntaxError
	switch {
	case errors.As(err, &unknown):
		if len(unknown.Nearest) > 0 {
			return fmt.Sprintf("Unknown unit %q. Did you mean %q?", unknown.Name, unknown.Nearest[0])
		}
		return fmt.Sprintf("Unknown unit %q.", unknown.Name)
	case errors.As(err, &malformed):
		return fmt.Sprintf("The unit %q cannot be read: %s.", malformed.Text, strings.TrimSuffix(malformed.Reason, "."))
	}
	return fmt.Sprintf("The unit cannot be read: %v.", err)
}

// unitOffset is the caret within the text of a unit, -1 when there is none.
func unitOffset(err error) int {
	var malformed *units.SyntaxError
	if errors.As(err, &malformed) {
		return malformed.Offset
	}
	return -1
}
