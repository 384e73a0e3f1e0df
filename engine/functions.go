package engine

import (
	"fmt"
	"slices"
	"strings"

	"reckon/engine/decimal"
)

// function is an entry of the function table: all that the engine and its readers know of a function.
type function struct {
	name     string
	params   []param
	variadic bool   // the last parameter repeats
	result   string // dimension rule, see checker.rule
	doc      string
	examples []example

	eval    func(c *decimal.Context, args []decimal.Decimal) decimal.Decimal
	float   func(args []float64) float64 // for root search; nil where none may be searched through it
	inverse inverse                      // nil where the function cannot be inverted exactly
	rule    func(c *checker, n *node) dimension
	grid    func(c *decimal.Context, args []grid) grid // over tables; then no eval
	formula string                                     // an expression in the parameters that the call stands for; then no eval

	points  pointRule
	choice  bool // its value is that of one of its arguments, or that with the sign changed
	lazy    bool // the first argument decides which of the others is evaluated
	binds   bool // the first argument is a name that the last argument may use
	tables  bool // it takes or gives tables
	reduces bool // given one table, it is the value over all its cells
}

// param is a parameter with its dimension rule: 1 for plain numbers, a letter for any one dimension that the function's
// letters share, products and powers of those, time, angle, round (what can be rounded in any unit), or any.
type param struct {
	name      string
	dimension string
	value     string // what stands for it when it is left out; "" when it must be given
}

// example is an expression and its value.
type example struct{ expression, value string }

// pointRule says what a function makes of points on a scale.
type pointRule int

const (
	absolute    pointRule = iota // they count as absolute
	alikeResult                  // all arguments and the result are points, or none
	pointResult                  // the result is a date
)

// preimage is what a function's argument may be: roots, further ones that only count where none of the roots does, or
// every value of a range.
type preimage struct {
	roots, more []decimal.Decimal
	infinite    bool
}

// inverse finds argument k of a function from its value t; args[k] is not set.
type inverse func(c *decimal.Context, args []decimal.Decimal, k int, t decimal.Decimal) preimage

func one(d decimal.Decimal) preimage { return preimage{roots: []decimal.Decimal{d}} }

// functions lists the function table, file by file.
func functions() []*function {
	return functionTable
}

// functionTable is put together once and never changed.
var functionTable = slices.Concat(algebra, trigonometry, overTables, finance, calendar)

// findFunction is the function of a name, or nil.
func findFunction(name string) *function {
	for _, f := range functions() {
		if f.name == name {
			return f
		}
	}
	return nil
}

func nearestFunction(name string) string {
	var names []string
	for _, f := range functions() {
		names = append(names, f.name)
	}
	return hint(name, names)
}

// param is the parameter that the i-th argument belongs to.
func (f *function) param(i int) param { return f.params[min(i, len(f.params)-1)] }

// arity is the least and the greatest number of arguments, -1 for no greatest.
func (f *function) arity() (least, most int) {
	for _, p := range f.params {
		if p.value == "" {
			least++
		}
	}
	if f.variadic {
		return least, -1
	}
	return least, len(f.params)
}

// usage shows how the function is written: "log(x, base = 10)".
func (f *function) usage() string {
	var parts []string
	for _, p := range f.params {
		if p.value == "" {
			parts = append(parts, p.name)
		} else {
			parts = append(parts, fmt.Sprintf("%s = %s", p.name, p.value))
		}
	}
	text := strings.Join(parts, ", ")
	if f.variadic {
		text += ", …"
	}
	return f.name + "(" + text + ")"
}
