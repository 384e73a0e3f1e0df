package formula

import (
	"fmt"
	"math"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// roundable is an argument that is rounded: only numbers, money and counts mean the same in every
// unit of theirs.
type roundable struct {
	Function  string
	At        int
	dimension Dimension
}

// roundingFits reports whether rounding a quantity of this dimension means something without naming
// a unit: it does for plain numbers, one currency, and one counting unit of the domain.
func roundingFits(s *value.Scope, dim units.Dimension) bool {
	dim = dim.WithoutAngle()
	if dim.IsNone() {
		return true
	}
	for _, name := range append(dim.Currencies(), s.Counting...) {
		if u, err := s.Table.Parse(name); err == nil && u.Dimension() == dim {
			return true
		}
	}
	return false
}

// checker finds the dimensions of one equation's expressions and states what they must satisfy.
type checker struct {
	scope  *value.Scope
	e      *Equation
	solver *Unifier
	err    *DimensionError
	locals []Dimension // of what functions bind, by depth
}

// DimensionError is a place where dimensions do not fit.
type DimensionError struct {
	At       int
	Message  string
	Function string // that rounds what depends on the unit, "" of another error
}

func (c *checker) fail(at int, format string, args ...any) {
	if c.err == nil {
		c.err = &DimensionError{At: at, Message: fmt.Sprintf(format, args...)}
	}
}

// checkEquation states that both sides have one dimension.
func (c *checker) checkEquation() {
	if c.e.Mixes {
		c.handedOn(c.e.Left)
		c.handedOn(c.e.Right)
		c.listed(c.e.Left, c.e.Right)
		c.listed(c.e.Right, c.e.Left)
		return
	}
	left, right := c.of(c.e.Left), c.of(c.e.Right)
	if c.err == nil && !c.e.Left.isZero() && !c.e.Right.isZero() && !c.solver.Equate(left, right) {
		c.fail(c.e.Left.Start, "The two sides have different dimensions: %s, %s.", c.describe(c.e.Left, left), c.describe(c.e.Right, right))
	}
}

// describe names an expression and its dimension.
func (c *checker) describe(n *Node, d Dimension) string {
	return fmt.Sprintf("%q is %s", c.e.Text(n), DimensionText(c.scope, c.solver.Resolve(d)))
}

// DimensionText names a dimension and its SI unit.
func DimensionText(s *value.Scope, dim Dimension) string {
	if !dim.IsKnown() {
		return "of a dimension that is not known yet"
	}
	if dim.Known.IsNone() {
		return "a plain number"
	}
	name, symbol := dim.Known.Name(), s.Table.ForResult(dim.Known, nil, false).String()
	article := "a"
	if strings.ContainsRune("aeiou", rune(name[0])) {
		article = "an"
	}
	if symbol == name {
		return article + " " + name
	}
	return fmt.Sprintf("%s %s (%s)", article, name, symbol)
}

// same states that all of some expressions have one dimension; literal zeros fit everywhere.
func (c *checker) same(n *Node, what string, args []*Node) Dimension {
	var first *Node
	var common Dimension
	for _, a := range args {
		d := c.of(a)
		if a.isZero() {
			continue
		}
		if first == nil {
			first, common = a, d
			continue
		}
		if c.err == nil && !c.solver.Equate(common, d) {
			c.fail(a.Start, "%s needs equal dimensions: %s, %s.", what, c.describe(first, common), c.describe(a, d))
		}
		if resolved := c.solver.Resolve(common); !resolved.IsKnown() {
			common = d
		}
	}
	if first == nil {
		return c.solver.fresh()
	}
	return common
}

// plain states that an expression is a plain number (or an angle).
func (c *checker) plain(n *Node, what string) {
	d := c.of(n)
	if c.err == nil && !c.solver.Equate(d, Dimension{}) {
		c.fail(n.Start, "%s must be a plain number, but %s.", what, c.describe(n, d))
	}
}

// of is the dimension of an expression.
func (c *checker) of(n *Node) Dimension {
	switch n.Op {
	case OpNumber:
		if n.Unit != nil {
			return KnownDimension(n.Unit.Dimension())
		}
		return Dimension{}
	case OpVariable:
		return VariableDimension(c.scope, n.Variable)
	case opToday, opNow:
		return KnownDimension(units.Time)
	case opLocal:
		if n.Variable < len(c.locals) {
			return c.locals[n.Variable]
		}
		return Dimension{}
	case OpPrevious:
		return c.before(n)
	case OpAdd, OpSub:
		what := "Addition"
		if n.Op == OpSub {
			what = "Subtraction"
		}
		return c.same(n, what, n.Args)
	case OpMul, OpDiv:
		sign := 1
		if n.Op == OpDiv {
			sign = -1
		}
		d, ok := c.solver.Resolve(c.of(n.Args[0])).times(c.solver.Resolve(c.of(n.Args[1])), sign, 1)
		if !ok {
			c.fail(n.Start, "The powers of the dimensions are too large.")
		}
		return d
	case OpPow:
		return c.power(n)
	case OpNeg, OpPercent:
		return c.of(n.Args[0])
	case opNot, opAnd, opOr:
		for _, a := range n.Args {
			c.plain(a, "An operand of and, or and not")
		}
		return Dimension{}
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		c.same(n, "A comparison", n.Args)
		return Dimension{}
	case OpList:
		return c.same(n, "A list", n.Args)
	case OpCall:
		return c.call(n)
	}
	return Dimension{}
}

func (c *checker) power(n *Node) Dimension {
	base := c.of(n.Args[0])
	if p, q, ok := smallFraction(n.Args[1]); ok {
		d, fits := Dimension{}.times(c.solver.Resolve(base), p, q)
		if !fits {
			// Only plain numbers have so large a power.
			if d = (Dimension{}); !c.solver.Equate(base, d) {
				c.fail(n.Start, "The dimension of this power cannot be expressed: %s.", c.describe(n.Args[0], base))
			}
		}
		return d
	}
	c.plain(n.Args[1], "An exponent")
	if c.err == nil && !c.solver.Equate(base, Dimension{}) {
		c.fail(n.Args[0].Start, "The base of a power whose exponent is not a constant must be a plain number, but %s.", c.describe(n.Args[0], base))
	}
	return Dimension{}
}

// smallFraction is the value of a constant expression as a small fraction.
func smallFraction(n *Node) (num, den int, ok bool) {
	small := func(num, den int) (int, int, bool) {
		if den == 0 {
			return 0, 0, false
		}
		num, den = units.Lowest(num, den)
		return num, den, num < 10_000 && num > -10_000 && den < 10_000
	}
	switch n.Op {
	case OpNumber:
		if n.Unit != nil || !(math.Abs(n.float) < 1e5) {
			return 0, 0, false
		}
		if i, whole := n.Value.Int64(); whole {
			return small(int(i), 1)
		}
		// Thirds written as decimals, such as 0.3333333333, have no exact fraction.
		const most = 10_000
		parts := math.Round(n.float * most)
		if decimal.FromFloat(parts/most).Cmp(n.Value) == 0 {
			return small(int(parts), most)
		}
	case OpNeg:
		num, den, ok = smallFraction(n.Args[0])
		return -num, den, ok
	case OpAdd, OpSub, OpMul, OpDiv:
		a, b, ok1 := smallFraction(n.Args[0])
		p, q, ok2 := smallFraction(n.Args[1])
		if !ok1 || !ok2 {
			return 0, 0, false
		}
		switch n.Op {
		case OpAdd:
			return small(a*q+p*b, b*q)
		case OpSub:
			return small(a*q-p*b, b*q)
		case OpMul:
			return small(a*p, b*q)
		}
		return small(a*q, b*p)
	}
	return 0, 0, false
}

// call applies the dimension rule of a function.
func (c *checker) call(n *Node) Dimension {
	f := n.Function
	if n.Column != nil {
		for i := 1; i < len(n.Args); i++ {
			c.argument(n, i, c.of(n.Args[i]), Dimension{})
		}
		return ColumnDimension(n.Column)
	}
	if number, ok := n.columnNumber(); ok && n.Args[0].Op == OpList {
		return c.listColumn(n, number)
	} else if ok && n.Args[0].IsSchedule() && number < len(n.Args[0].Columns) {
		c.columns(n.Args[0])
		for i := 1; i < len(n.Args); i++ {
			c.argument(n, i, c.of(n.Args[i]), Dimension{})
		}
		return c.solver.Resolve(n.Args[0].Dimensions[number])
	}
	if f.rule != nil {
		return f.rule(c, n)
	}
	letters := map[byte]Dimension{}
	for i, a := range n.Args {
		rule := f.Param(i).dimension
		if rule == "any" {
			c.of(a)
			continue
		}
		d := c.of(a)
		if a.isZero() && rule != "1" && rule != "round" {
			continue
		}
		if rule == "round" {
			c.e.Deferred = append(c.e.Deferred, roundable{f.Name, a.Start, d})
			if _, ok := letters['a']; !ok {
				letters['a'] = d
			} else if c.err == nil && !c.solver.Equate(letters['a'], d) {
				c.fail(a.Start, "%s needs equal dimensions: %s, %s.", f.Name, c.describe(n.Args[0], letters['a']), c.describe(a, d))
			}
			continue
		}
		c.argument(n, i, d, c.rule(rule, letters))
	}
	return c.solver.Resolve(c.rule(f.Result, letters))
}

// argument states that an argument of a call, which has dimension d, has the one it must have.
func (c *checker) argument(call *Node, i int, d, want Dimension) {
	if a, f := call.Args[i], call.Function; c.err == nil && !c.solver.Equate(d, want) {
		c.fail(a.Start, "Argument %q of %s must be %s, but %s.", f.Param(i).name, f.Name,
			DimensionText(c.scope, c.solver.Resolve(want)), c.describe(a, d))
	}
}

// handedOn checks an expression that hands cells on, each in a dimension of its own: only the
// numbers that say which cells must fit.
func (c *checker) handedOn(n *Node) {
	switch {
	case n.isDate():
		c.of(n)
		return
	case n.IsSchedule():
		c.columns(n)
		return
	}
	for i, a := range n.Args {
		if n.Op == OpCall && n.Function.Param(i).single {
			c.argument(n, i, c.of(a), c.rule(n.Function.Param(i).dimension, nil))
			continue
		}
		c.handedOn(a)
	}
}

// listColumn is the dimension of one column of a list that is written out. The others may have
// others.
func (c *checker) listColumn(n *Node, number int) Dimension {
	for i := 1; i < len(n.Args); i++ {
		c.argument(n, i, c.of(n.Args[i]), Dimension{})
	}
	var column []*Node
	for _, row := range n.Args[0].Args {
		for i, cell := range row.cells() {
			if i == number {
				column = append(column, cell)
			} else {
				c.of(cell)
			}
		}
	}
	return c.same(n, "A list", column)
}

// listed states that the columns of a table have the dimensions of those of the list or schedule
// that it stands for.
func (c *checker) listed(table, list *Node) {
	if table.Op != OpVariable {
		return
	}
	for number, column := range c.scope.Profiles[table.Variable].Columns {
		if column == nil {
			continue
		}
		fits := func(n *Node, d Dimension) {
			if c.err == nil && !n.isZero() && !c.solver.Equate(ColumnDimension(column), d) {
				c.fail(n.Start, "Column %d has different dimensions: %s is expected, but %s.", number+1,
					DimensionText(c.scope, c.solver.Resolve(ColumnDimension(column))), c.describe(n, d))
			}
		}
		switch {
		case list.IsSchedule() && number < len(list.Columns):
			fits(list.Args[2+number], list.Dimensions[number])
		case list.Op == OpList:
			for _, row := range list.Args {
				if cells := row.cells(); number < len(cells) {
					fits(cells[number], c.of(cells[number]))
				}
			}
		}
	}
}

// rule reads a dimension rule: factors joined by * and /, each 1, angle, time, date, or a letter
// with an optional power.
func (c *checker) rule(text string, letters map[byte]Dimension) Dimension {
	var d Dimension
	sign := 1
	for text != "" {
		end := strings.IndexAny(text, "*/")
		factor, next := text, 1
		if end >= 0 {
			factor = text[:end]
			if text[end] == '/' {
				next = -1
			}
			text = text[end+1:]
		} else {
			text = ""
		}
		name, exponent, _ := strings.Cut(factor, "^")
		num := 1
		if exponent != "" {
			num = int(exponent[0] - '0')
		}
		var base Dimension
		switch name {
		case "1":
		case "angle":
			base = KnownDimension(units.Angle)
		case "time", "date":
			base = KnownDimension(units.Time)
		default:
			known, ok := letters[name[0]]
			if !ok {
				known = c.solver.fresh()
				letters[name[0]] = known
			}
			base = known
		}
		if product, ok := d.times(c.solver.Resolve(base), sign*num, 1); ok {
			d = product
		} else {
			c.fail(0, "The powers of the dimensions are too large.")
		}
		sign = next
	}
	return d
}

// VariableDimension is what a variable's unit, kind or default says about its dimension, else its
// unknown.
func VariableDimension(s *value.Scope, v int) Dimension {
	if p := &s.Profiles[v]; p.Declared {
		return KnownDimension(p.Dimension)
	}
	return Dimension{unknown: []power{{v, 1, 1}}}
}

// CheckDimensions checks one equation; what it tells about undeclared variables stays in the
// solver.
func CheckDimensions(s *value.Scope, e *Equation, solver *Unifier) *DimensionError {
	e.Deferred = nil
	c := checker{scope: s, e: e, solver: solver}
	c.checkEquation()
	return c.err
}

// CheckRounding checks arguments that are rounded, once their dimensions are known.
func (e *Equation) CheckRounding(s *value.Scope, solver *Unifier) *DimensionError {
	for _, r := range e.Deferred {
		dim := solver.Resolve(r.dimension)
		if dim.IsKnown() && !roundingFits(s, dim.Known) {
			return &DimensionError{r.At, fmt.Sprintf(
				"%s of %s depends on the unit: divide by a unit first, as in %s(x / 1 [%s]).",
				r.Function, DimensionText(s, dim), r.Function, s.Table.ForResult(dim.Known, nil, false).String()), r.Function}
		}
	}
	return nil
}
