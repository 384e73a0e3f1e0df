package formula

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
	"reckon/engine/units"
	"reckon/engine/value"
)

// builder turns a syntax tree into nodes: names become variables, units become factors.
type builder struct {
	scope     *value.Scope // nil for the expressions that define functions
	functions *FunctionTable
	problem   func(at int, format string, args ...any)
	failed    bool
	order     []int
	literals  []*Node
	tables    bool
	locals    []local // names that functions bind, innermost last
	args      map[string]*Node
	labels    *value.Variable // whose labels can stand here, nil for none
}

func (b *builder) fail(at int, format string, args ...any) *Node {
	b.failed = true
	b.problem(at, format, args...)
	return &Node{Op: OpNumber, Start: at, End: at, size: 1}
}

// binaryOps maps the operators of the syntax to ops.
var binaryOps = map[string]Op{
	"+": OpAdd, "-": OpSub, "*": OpMul, "/": OpDiv, "^": OpPow, "and": opAnd, "or": opOr,
	"==": OpEq, "!=": OpNe, "<": OpLt, "<=": OpLe, ">": OpGt, ">=": OpGe,
}

var unaryOps = map[string]Op{"-": OpNeg, "%": OpPercent, "not": opNot}

// maxNodes bounds an equation once its functions are written out.
const maxNodes = 100_000

// build turns a syntax tree into nodes. It reports what is wrong with it and goes on, so that all
// problems are found.
func (b *builder) build(s syntax.Node) *Node {
	n := b.translate(s)
	n.size = 1
	for _, a := range n.Args {
		n.size += a.size
	}
	if n.size > maxNodes && !b.failed {
		return b.fail(n.Start, "The equation is too long once its functions are written out.")
	}
	return n
}

func (b *builder) translate(s syntax.Node) *Node {
	start, end := s.Offset(), s.End()
	labels := b.labels
	b.labels = nil // they stand for a value as it is, not in what is computed
	switch s := s.(type) {
	case *syntax.Number:
		return b.number(s)
	case *syntax.Text:
		return b.label(s, labels)
	case *syntax.Name:
		return b.name(s, labels)
	case *syntax.Call:
		return b.call(s, labels)
	case *syntax.Unary:
		x := b.build(s.X)
		if o, ok := unaryOps[s.Op]; ok {
			return &Node{Op: o, Start: start, End: end, Args: []*Node{x}}
		}
		return x
	case *syntax.Binary:
		o, ok := binaryOps[s.Op]
		if !ok {
			return b.fail(s.OpOffset, "The operator %q is not known.", s.Op)
		}
		n := &Node{Op: o, Start: start, End: end}
		if o == OpEq || o == OpNe {
			n.Args = b.sides(s.X, s.Y)
		} else {
			n.Args = []*Node{b.build(s.X), b.build(s.Y)}
		}
		return n
	case *syntax.List:
		b.tables = true
		n := &Node{Op: OpList, Start: start, End: end}
		for _, item := range s.Items {
			n.Args = append(n.Args, b.labelled(item, labels))
		}
		return n
	}
	if d, ok := s.(*syntax.Definition); ok {
		return b.fail(start, "%q cannot be defined here.", d.Name)
	}
	return b.fail(start, "This cannot be read.")
}

func (b *builder) number(s *syntax.Number) *Node {
	val, err := decimal.Parse(s.Text)
	if err != nil {
		return b.fail(s.Start, "The number is too large.")
	}
	n := &Node{Op: OpNumber, Start: s.Start, End: s.Stop, Value: val}
	if s.Unit != "" {
		table := units.Standard()
		if b.scope != nil {
			table = b.scope.Table
		}
		unit, err := table.Parse(s.Unit)
		if err != nil {
			return b.fail(s.UnitStart+max(UnitOffset(err), 0), "%s", UnitProblem(err))
		}
		ctx := decimal.NewContext(value.DefaultBudget)
		n.Value, n.Unit = units.Quantity{Number: val, Unit: unit}.SI(ctx), unit
		if ctx.Err() != nil {
			return b.fail(s.Start, "The number is too large.")
		}
		if !n.Value.IsExact() {
			n.wide = units.Quantity{Number: val, Unit: unit}.SI
		}
		b.literals = append(b.literals, n)
	}
	n.float = n.Value.Float64()
	return n
}

func (b *builder) name(s *syntax.Name, labels *value.Variable) *Node {
	n := &Node{Start: s.Start, End: s.End()}
	if local := b.bound(s); local != nil {
		return local
	}
	if arg, ok := b.args[s.Text]; ok {
		return arg
	}
	v := -1
	if b.scope != nil {
		v = b.scope.Index(s.Text)
	}
	if labels != nil {
		_, constant := Constants[s.Text]
		_, chosen := labels.Choice(s.Text)
		switch {
		case v < 0 && !constant, chosen && (s.Text == "true" || s.Text == "false"):
			return b.label(&syntax.Text{Start: s.Start, Stop: s.End(), Text: s.Text}, labels)
		case chosen:
			return b.fail(s.Start, "%q has two meanings here: as a choice of %s it stands in quotes.", s.Text, labels.Key)
		}
	}
	if c, ok := Constants[s.Text]; ok {
		n.Op, n.Value, n.float, n.wide = c.op, c.value, c.value.Float64(), c.wide
		return n
	}
	if v < 0 {
		if chooser := b.chooserOf(s.Text); chooser != "" {
			return b.fail(s.Start, "%q is a choice of %s: it stands beside == or != with %s, or among the keys of lookup_exact(%s, …).", s.Text, chooser, chooser, chooser)
		}
		return b.fail(s.Start, "Unknown variable %q.%s", s.Text, b.nearestName(s.Text))
	}
	if !slices.Contains(b.order, v) {
		b.order = append(b.order, v)
	}
	n.Op, n.Variable = OpVariable, v
	return n
}

// Constants are the names that stand for a value in every equation: a number, or a moment of the
// calculation.
var Constants = map[string]struct {
	op    Op
	value decimal.Decimal
	wide  func(*decimal.Context) decimal.Decimal
}{
	"pi": {value: decimal.Pi(), wide: (*decimal.Context).Pi}, "e": {value: decimal.E(), wide: (*decimal.Context).E},
	"true": {value: decimal.Int(1)}, "false": {},
	"today": {op: opToday}, "now": {op: opNow},
}

// call builds the call of a function. What if(…) chooses from may be labels, and so may be the keys
// that lookup_exact looks for a choice in.
func (b *builder) call(s *syntax.Call, labels *value.Variable) *Node {
	f := b.functions.ByName[s.Function]
	if f == nil {
		if b.scope != nil && b.scope.Index(s.Function) >= 0 {
			return b.fail(s.Start, `%q is a variable, not a function. Write "*" to multiply: %s * (…).`, s.Function, s.Function)
		}
		return b.fail(s.Start, "Unknown function %q.%s", s.Function, b.functions.nearest(s.Function))
	}
	least, most := f.Arity()
	if len(s.Args) < least || most >= 0 && len(s.Args) > most {
		return b.fail(s.Start, "%s takes %s, not %d: %s.", f.Name, arityText(least, most), len(s.Args), f.usage())
	}
	if f.Tabled != nil {
		if from, _ := f.Tabled.Arity(); len(s.Args) >= from {
			f = f.Tabled
		}
	}
	n := &Node{Op: OpCall, Start: s.Start, End: s.Stop, Function: f}
	if f.brackets != nil {
		if sum := b.unfold(f, s); sum != nil {
			return sum
		}
	}
	b.tables = b.tables || f.tables
	switch {
	case f.Before:
		return b.previous(f, s)
	case syntax.DefinesColumns(f.Name):
		return b.schedule(f, s)
	}
	if f.Binds {
		name, ok := s.Args[0].(*syntax.Name)
		if !ok {
			return b.fail(s.Args[0].Offset(), "The first argument of %s is the name that it counts with.", f.Name)
		}
		for _, a := range s.Args[1 : len(s.Args)-1] {
			n.Args = append(n.Args, b.build(a))
		}
		b.locals = append(b.locals, local{name: name.Text, ready: true})
		n.Variable = len(b.locals) - 1
		n.Args = append(n.Args, b.build(s.Args[len(s.Args)-1]))
		b.locals = b.locals[:len(b.locals)-1]
		return n
	}
	for i, a := range s.Args {
		if name, ok := a.(*syntax.Text); ok && f.column > 0 && i == f.column {
			n.Args = append(n.Args, b.columnNamed(name, s.Args[0]))
			continue
		}
		switch {
		case f.Lazy && i > 0:
			b.labels = labels
		case f.exact && i == 1:
			b.labels = b.chooses(s.Args[0])
		}
		n.Args = append(n.Args, b.build(a))
		b.labels = nil
	}
	if f.Formula != "" && f.Eval == nil {
		return b.expand(f, n)
	}
	return n
}

// columnNamed is the number of a column by its name, in any case.
func (b *builder) columnNamed(name *syntax.Text, table syntax.Node) *Node {
	var names []string
	switch t := table.(type) {
	case *syntax.Name:
		if v := b.scope.Index(t.Text); v >= 0 {
			names = b.scope.Profiles[v].Names
			if defined := b.scope.Profiles[v].Defined; slices.ContainsFunc(defined, func(n string) bool { return value.SameLabel(n, name.Text) }) {
				names = defined
			}
		}
	case *syntax.Call:
		names = columnsOf(t, b.functions)
	}
	i := slices.IndexFunc(names, func(n string) bool { return value.SameLabel(n, name.Text) })
	switch {
	case len(names) == 0:
		return b.fail(name.Start, "The columns of this table have no names: count them from 1, or name them in the variable's display_metadata.")
	case i < 0:
		return b.fail(name.Start, "There is no column %q: the table has %s.%s", name.Text, strings.Join(names, ", "), value.DidYouMean(name.Text, names))
	}
	n := Integer(int64(i + 1))
	n.Start, n.End, n.size = name.Start, name.Stop, 1
	return n
}

// ColumnsOf names the columns of a variable that an equation says to be the value of a function
// which has names for them; "" for the variable where it does not.
func ColumnsOf(source string, functions *FunctionTable) (variable string, names []string) {
	tree, err := syntax.ParseEquation(source)
	if err != nil {
		return "", nil
	}
	for _, sides := range [][2]syntax.Node{{tree.Left, tree.Right}, {tree.Right, tree.Left}} {
		name, ok := sides[0].(*syntax.Name)
		call, also := sides[1].(*syntax.Call)
		if ok && also {
			return name.Text, columnsOf(call, functions)
		}
	}
	return "", nil
}

// expand replaces a call by the function's defining formula.
func (b *builder) expand(f *Entry, call *Node) *Node {
	tree, err := syntax.ParseExpression(f.Formula)
	if err != nil {
		return b.fail(call.Start, "%s is not defined well: %v", f.Name, err)
	}
	inner := builder{functions: b.functions, problem: b.problem, args: map[string]*Node{}}
	for i, p := range f.Params {
		if i < len(call.Args) {
			inner.args[p.name] = call.Args[i]
			continue
		}
		given := Number(decimal.MustParse(p.value))
		given.Start, given.End, given.size = call.Start, call.End, 1
		inner.args[p.name] = given
	}
	for i, p := range f.Params[:len(call.Args)] {
		if p.check != "" {
			inner.args[p.name] = inner.checked(f, p, call.Args[i])
		}
	}
	n := shorter(inner.build(tree), call.Args)
	b.failed = b.failed || inner.failed
	place(n, call.Start, call.End, call.Args)
	return n
}

// checked is an argument of an expanded function where the parameter's check holds, and undefined
// elsewhere.
func (b *builder) checked(f *Entry, p param, arg *Node) *Node {
	if p.value != "" && arg.Op == OpNumber && (arg.Value.IsZero() || IsOne(arg.Value)) {
		return arg // a flag: it needs no check when calculating
	}
	tree, err := syntax.ParseExpression("if(" + p.check + ", " + p.name + ", " + p.name + ")")
	if err != nil {
		return b.fail(arg.Start, "%s is not defined well: %v", f.Name, err)
	}
	n := b.build(tree)
	undefined := &Entry{
		Name: f.Name, Params: []param{{name: p.name, dimension: "a"}}, Result: "a",
		Eval: func(c *decimal.Context, a Decimals) decimal.Decimal {
			return c.Fail(&decimal.UndefinedError{Function: f.Name, Argument: a[0]})
		},
		Float: func([]float64) float64 { return math.NaN() },
	}
	n.Args[2] = &Node{Op: OpCall, Start: arg.Start, End: arg.End, Function: undefined, Args: []*Node{arg}}
	return n
}

// shorter is a formula without the sums and products that parameters of 0 and 1 have no effect in.
func shorter(n *Node, args []*Node) *Node {
	if slices.Contains(args, n) {
		return n
	}
	bare := false
	for i, a := range n.Args {
		n.Args[i] = shorter(a, args)
		bare = bare || n.Args[i].Op == OpNumber && !slices.Contains(args, n.Args[i])
	}
	if bare && (n.Op == OpAdd || n.Op == OpSub || n.Op == OpMul) {
		return Combined(n.Op, n.Args...)
	}
	return n
}

// place gives the nodes of an expanded formula the position of the call, arguments aside.
func place(n *Node, start, end int, keep []*Node) {
	if slices.Contains(keep, n) {
		return
	}
	n.Start, n.End = start, end
	for _, a := range n.Args {
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

// ParseEquation reads the source of an equation; left stays nil when it cannot be read. What is
// wrong is reported with its place in code points, -1 for none.
func ParseEquation(s *value.Scope, e *Equation, functions *FunctionTable, problem func(at int, format string, args ...any)) {
	tree, err := syntax.ParseEquation(string(e.Source))
	if err != nil {
		parseProblem(s, functions, err, problem)
		return
	}
	b := builder{scope: s, functions: functions, problem: problem}
	sides := b.sides(tree.Left, tree.Right)
	left, right := sides[0], sides[1]
	if b.failed {
		return
	}
	if len(b.order) == 0 {
		problem(-1, "The equation names no variable, so that nothing can be calculated with it.")
		return
	}
	e.take(s, &b, left, right, problem)
}

// take makes an equation of two sides.
func (e *Equation) take(s *value.Scope, b *builder, left, right *Node, problem func(at int, format string, args ...any)) {
	e.Left, e.Right, e.Order, e.Literals, e.Tables = left, right, b.order, b.literals, b.tables
	e.Refs = slices.Clone(b.order)
	slices.Sort(e.Refs)
	shapes(s, e, problem)
	left.summarize(e)
	right.summarize(e)
	e.Count = make([]int, len(e.Refs))
	count := func(n *Node) {
		if n.Op == OpVariable {
			k, _ := slices.BinarySearch(e.Refs, n.Variable)
			e.Count[k]++
		}
	}
	left.Walk(count)
	right.Walk(count)
	for _, v := range e.Refs {
		e.CheckPoints = e.CheckPoints || s.Profiles[v].Point.IsPoint() || s.Profiles[v].Unit == nil
	}
	e.Whole = isTable(s, left) || isTable(s, right)
	e.Copies, e.Schedules = len(e.receivers(s)) > 0, e.schedules()
	for _, n := range e.Literals {
		e.CheckPoints = e.CheckPoints || n.Unit.IsPoint()
	}
}

// UnitProblem says in a sentence what is wrong with a unit.
func UnitProblem(err error) string {
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

// UnitOffset is the caret within the text of a unit, -1 when there is none.
func UnitOffset(err error) int {
	var malformed *units.SyntaxError
	if errors.As(err, &malformed) {
		return malformed.Offset
	}
	return -1
}
