package engine

import (
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
	domain   *Domain // nil for the expressions that define functions
	problem  func(at int, format string, args ...any)
	failed   bool
	order    []int
	literals []*node
	tables   bool
	locals   []string // names that each binds, innermost last
	args     map[string]*node
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
		if b.domain != nil {
			table = b.domain.table
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
	n := &node{op: opNumber, start: s.Start, end: s.End()}
	for i := len(b.locals) - 1; i >= 0; i-- {
		if b.locals[i] == s.Text {
			return &node{op: opLocal, start: s.Start, end: s.End(), variable: i}
		}
	}
	if arg, ok := b.args[s.Text]; ok {
		return arg
	}
	switch s.Text {
	case "pi":
		n.value = decimal.Pi()
	case "e":
		n.value = decimal.E()
	case "true":
		n.value = decimal.Int(1)
	case "false":
	case "today":
		n.op = opToday
	case "now":
		n.op = opNow
	default:
		v := -1
		if b.domain != nil {
			v = b.domain.Index(s.Text)
		}
		if v < 0 {
			return b.fail(s.Start, "Unknown variable %q.%s", s.Text, b.domain.nearestKey(s.Text))
		}
		if !slices.Contains(b.order, v) {
			b.order = append(b.order, v)
		}
		n.op, n.variable = opVariable, v
	}
	n.float = n.value.Float64()
	return n
}

func (b *builder) call(s *syntax.Call) *node {
	f := findFunction(s.Function)
	if f == nil {
		return b.fail(s.Start, "Unknown function %q.%s", s.Function, nearestFunction(s.Function))
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
	if f.formula != "" {
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
	inner := builder{problem: b.problem, args: map[string]*node{}}
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
func (d *Domain) nearestKey(name string) string {
	if d == nil {
		return ""
	}
	keys := make([]string, len(d.Definition.Variables))
	for i, v := range d.Definition.Variables {
		keys[i] = v.Key
	}
	return hint(name, keys)
}

// hint is " Did you mean …?" with the candidate spelt most like a name, or nothing when none is near.
func hint(name string, candidates []string) string {
	// A typing mistake for every three letters; names of one or two letters have nothing near them but their other case.
	best, least := "", len(name)/3+1
	for _, c := range candidates {
		if n := distance(strings.ToLower(name), strings.ToLower(c)); n < least {
			best, least = c, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string
// alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 200 || len(y) > 200 {
		return 200
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			n := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				n = min(n, rows[i-2][j-2]+1)
			}
			rows[i][j] = n
		}
	}
	return rows[len(x)][len(y)]
}
