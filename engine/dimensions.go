package engine

import (
	"fmt"
	"math"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// roundable is an argument that is rounded: only numbers, money and counts mean the same in every unit of theirs.
type roundable struct {
	function  string
	at        int
	dimension dimension
}

// roundingFits reports whether rounding a quantity of this dimension means something without naming a unit: it does for
// plain numbers, one currency, and one counting unit of the domain.
func (s *scope) roundingFits(dim units.Dimension) bool {
	dim = dim.WithoutAngle()
	if dim.IsNone() {
		return true
	}
	for _, name := range append(dim.Currencies(), s.counting...) {
		if u, err := s.table.Parse(name); err == nil && u.Dimension() == dim {
			return true
		}
	}
	return false
}

// checker finds the dimensions of one equation's expressions and states what they must satisfy.
type checker struct {
	scope  *scope
	e      *equation
	solver *unifier
	err    *dimensionError
}

// dimensionError is a place where dimensions do not fit.
type dimensionError struct {
	at      int
	message string
}

func (c *checker) fail(at int, format string, args ...any) {
	if c.err == nil {
		c.err = &dimensionError{at, fmt.Sprintf(format, args...)}
	}
}

// checkEquation states that both sides have one dimension.
func (c *checker) checkEquation() {
	left, right := c.of(c.e.left), c.of(c.e.right)
	if c.err == nil && !c.e.left.isZero() && !c.e.right.isZero() && !c.solver.equate(left, right) {
		c.fail(c.e.left.start, "The two sides have different dimensions: %s, %s.", c.describe(c.e.left, left), c.describe(c.e.right, right))
	}
}

// describe names an expression and its dimension.
func (c *checker) describe(n *node, d dimension) string {
	return fmt.Sprintf("%q is %s", c.e.text(n), c.scope.dimensionText(c.solver.resolve(d)))
}

// dimensionText names a dimension and its SI unit.
func (s *scope) dimensionText(dim dimension) string {
	if !dim.isKnown() {
		return "of a dimension that is not known yet"
	}
	if dim.known.IsNone() {
		return "a plain number"
	}
	name, symbol := dim.known.Name(), s.symbolOf(dim.known)
	article := "a"
	if strings.ContainsRune("aeiou", rune(name[0])) {
		article = "an"
	}
	if symbol == name {
		return article + " " + name
	}
	return fmt.Sprintf("%s %s (%s)", article, name, symbol)
}

// symbolOf is the unit that stands for a dimension in messages, "1" for none.
func (s *scope) symbolOf(dim units.Dimension) string {
	if symbol := s.table.ForResult(dim, nil, false).Symbol(); symbol != "" {
		return symbol
	}
	return "1"
}

// same states that all of some expressions have one dimension; literal zeros fit everywhere.
func (c *checker) same(n *node, what string, args []*node) dimension {
	var first *node
	var common dimension
	for _, a := range args {
		d := c.of(a)
		if a.isZero() {
			continue
		}
		if first == nil {
			first, common = a, d
			continue
		}
		if c.err == nil && !c.solver.equate(common, d) {
			c.fail(a.start, "%s needs equal dimensions: %s, %s.", what, c.describe(first, common), c.describe(a, d))
		}
		if resolved := c.solver.resolve(common); !resolved.isKnown() {
			common = d
		}
	}
	if first == nil {
		return c.solver.fresh()
	}
	return common
}

// plain states that an expression is a plain number (or an angle).
func (c *checker) plain(n *node, what string) {
	d := c.of(n)
	if c.err == nil && !c.solver.equate(d, dimension{}) {
		c.fail(n.start, "%s must be a plain number, but %s.", what, c.describe(n, d))
	}
}

// of is the dimension of an expression.
func (c *checker) of(n *node) dimension {
	switch n.op {
	case opNumber:
		if n.unit != nil {
			return knownDimension(n.unit.Dimension())
		}
		return dimension{}
	case opVariable:
		return c.scope.variableDimension(n.variable)
	case opToday, opNow:
		return knownDimension(units.Time)
	case opLocal:
		return dimension{}
	case opAdd, opSub:
		what := "Addition"
		if n.op == opSub {
			what = "Subtraction"
		}
		return c.same(n, what, n.args)
	case opMul, opDiv:
		sign := 1
		if n.op == opDiv {
			sign = -1
		}
		d, ok := c.solver.resolve(c.of(n.args[0])).times(c.solver.resolve(c.of(n.args[1])), sign, 1)
		if !ok {
			c.fail(n.start, "The powers of the dimensions are too large.")
		}
		return d
	case opPow:
		return c.power(n)
	case opNeg, opPercent:
		return c.of(n.args[0])
	case opNot, opAnd, opOr:
		for _, a := range n.args {
			c.plain(a, "An operand of and, or and not")
		}
		return dimension{}
	case opEq, opNe, opLt, opLe, opGt, opGe:
		c.same(n, "A comparison", n.args)
		return dimension{}
	case opList:
		return c.same(n, "A list", n.args)
	case opCall:
		return c.call(n)
	}
	return dimension{}
}

func (c *checker) power(n *node) dimension {
	base := c.of(n.args[0])
	if p, q, ok := smallFraction(n.args[1]); ok {
		d, fits := dimension{}.times(c.solver.resolve(base), p, q)
		if !fits {
			// Only plain numbers have so large a power.
			if d = (dimension{}); !c.solver.equate(base, d) {
				c.fail(n.start, "The dimension of this power cannot be expressed: %s.", c.describe(n.args[0], base))
			}
		}
		return d
	}
	c.plain(n.args[1], "An exponent")
	if c.err == nil && !c.solver.equate(base, dimension{}) {
		c.fail(n.args[0].start, "The base of a power whose exponent is not a constant must be a plain number, but %s.", c.describe(n.args[0], base))
	}
	return dimension{}
}

// smallFraction is the value of a constant expression as a small fraction.
func smallFraction(n *node) (num, den int, ok bool) {
	small := func(num, den int) (int, int, bool) {
		if den == 0 {
			return 0, 0, false
		}
		num, den = lowest(num, den)
		return num, den, num < 10_000 && num > -10_000 && den < 10_000
	}
	switch n.op {
	case opNumber:
		if n.unit != nil {
			return 0, 0, false
		}
		if !(math.Abs(n.float) < 1e5) {
			return 0, 0, false
		}
		if i, whole := n.value.Int64(); whole {
			return small(int(i), 1)
		}
		if decimal.FromFloat(n.float).Cmp(n.value) != 0 {
			return 0, 0, false // it has more digits than a small fraction
		}
		text := n.value.String()
		whole, rest, found := strings.Cut(text, ".")
		if strings.ContainsAny(text, "eE") || len(whole) > 5 || len(rest) > 4 {
			// Thirds written as decimals, such as 0.3333333333, have no exact fraction.
			return 0, 0, false
		}
		num, den = 0, 1
		if found {
			for range rest {
				den *= 10
			}
		}
		for _, r := range strings.TrimPrefix(whole, "-") + rest {
			num = num*10 + int(r-'0')
		}
		if strings.HasPrefix(whole, "-") {
			num = -num
		}
		return small(num, den)
	case opNeg:
		num, den, ok = smallFraction(n.args[0])
		return -num, den, ok
	case opAdd, opSub, opMul, opDiv:
		a, b, ok1 := smallFraction(n.args[0])
		p, q, ok2 := smallFraction(n.args[1])
		if !ok1 || !ok2 {
			return 0, 0, false
		}
		switch n.op {
		case opAdd:
			return small(a*q+p*b, b*q)
		case opSub:
			return small(a*q-p*b, b*q)
		case opMul:
			return small(a*p, b*q)
		}
		return small(a*q, b*p)
	}
	return 0, 0, false
}

// call applies the dimension rule of a function.
func (c *checker) call(n *node) dimension {
	f := n.function
	if f.rule != nil {
		return f.rule(c, n)
	}
	letters := map[byte]dimension{}
	for i, a := range n.args {
		rule := f.param(i).dimension
		if rule == "any" {
			c.of(a)
			continue
		}
		d := c.of(a)
		if a.isZero() && rule != "1" && rule != "round" {
			continue
		}
		if rule == "round" {
			c.e.deferred = append(c.e.deferred, roundable{f.name, a.start, d})
			if _, ok := letters['a']; !ok {
				letters['a'] = d
			} else if c.err == nil && !c.solver.equate(letters['a'], d) {
				c.fail(a.start, "%s needs equal dimensions: %s, %s.", f.name, c.describe(n.args[0], letters['a']), c.describe(a, d))
			}
			continue
		}
		want := c.rule(rule, letters)
		if c.err == nil && !c.solver.equate(d, want) {
			c.fail(a.start, "Argument %q of %s must be %s, but %s.", f.param(i).name, f.name,
				c.scope.dimensionText(c.solver.resolve(want)), c.describe(a, d))
		}
	}
	return c.solver.resolve(c.rule(f.result, letters))
}

// rule reads a dimension rule: factors joined by * and /, each 1, angle, time, or a letter with an optional power.
func (c *checker) rule(text string, letters map[byte]dimension) dimension {
	var d dimension
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
		var base dimension
		switch name {
		case "1":
		case "angle":
			base = knownDimension(units.Angle)
		case "time":
			base = knownDimension(units.Time)
		default:
			known, ok := letters[name[0]]
			if !ok {
				known = c.solver.fresh()
				letters[name[0]] = known
			}
			base = known
		}
		if product, ok := d.times(c.solver.resolve(base), sign*num, 1); ok {
			d = product
		} else {
			c.fail(0, "The powers of the dimensions are too large.")
		}
		sign = next
	}
	return d
}

// variableDimension is the declared dimension of a variable, else its unknown.
func (s *scope) variableDimension(v int) dimension {
	if dim, ok := s.declaredDimension(v); ok {
		return knownDimension(dim)
	}
	return dimension{unknown: []power{{v, 1, 1}}}
}

// declaredDimension is what a variable's unit, kind or default says about its dimension.
func (s *scope) declaredDimension(v int) (units.Dimension, bool) {
	if s.profiles[v].declared {
		return s.profiles[v].dimension, true
	}
	return units.Dimension{}, false
}

// checkDimensions checks one equation; what it tells about undeclared variables stays in the solver.
func (s *scope) checkDimensions(e *equation, solver *unifier) *dimensionError {
	e.deferred = nil
	c := checker{scope: s, e: e, solver: solver}
	c.checkEquation()
	return c.err
}

// checkRounding checks arguments that are rounded, once their dimensions are known.
func (e *equation) checkRounding(s *scope, solver *unifier) *dimensionError {
	for _, r := range e.deferred {
		dim := solver.resolve(r.dimension)
		if dim.isKnown() && !s.roundingFits(dim.known) {
			return &dimensionError{r.at, fmt.Sprintf(
				"%s of %s depends on the unit: divide by a unit first, as in %s(x / 1 [%s]).",
				r.function, s.dimensionText(dim), r.function, s.symbolOf(dim.known))}
		}
	}
	return nil
}
