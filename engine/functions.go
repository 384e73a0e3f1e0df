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
	shape   shape
	reduces bool // given one table, it is the value over all its cells
}

// param is a parameter with its dimension rule: 1 for plain numbers, a letter for any one dimension that the function's
// letters share, products and powers of those, time, angle, round (what can be rounded in any unit), or any.
type param struct {
	name      string
	dimension string
	value     string // what stands for it when it is left out; "" when it must be given
	check     string // of a function with a formula: what holds for the arguments, else the call is not defined; "" for nothing
	single    bool   // of a function over tables: it takes a number only
}

// example is an expression and its value: a number with its unit, a date, a table as JSON, or "! " and the code of an error.
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

// functionGroups are the parts of the function table, a file each.
var functionGroups = []struct {
	title   string
	entries []*function
}{
	{"Numbers", algebra},
	{"Angles and hyperbolas", trigonometry},
	{"Tables", overTables},
	{"Money", finance},
	{"Dates", calendar},
}

// functionTable is put together once and never changed.
var functionTable = slices.Concat(algebra, trigonometry, overTables, finance, calendar)

// Function describes an entry of the function table, for listings.
type Function struct {
	Name       string      `json:"name"`
	Group      string      `json:"group"`
	Signature  string      `json:"signature"` // "log(x, base = 10)"
	Parameters []Parameter `json:"parameters"`
	Result     string      `json:"result"` // its dimension
	Doc        string      `json:"documentation"`
	Examples   []Example   `json:"examples"`
}

// Parameter is a parameter of a function. A dimension is named in words, or by a letter that stands for any one dimension, the
// same wherever a function has it, with its powers and products.
type Parameter struct {
	Name      string `json:"name"`
	Dimension string `json:"dimension"`
	Default   string `json:"default,omitempty"` // "" where the argument must be given
	Repeats   bool   `json:"repeats,omitempty"`
}

// Example is an expression with its value, or with the code of the error that it is.
type Example struct {
	Expression string `json:"expression"`
	Value      string `json:"value,omitempty"`
	Error      string `json:"error,omitempty"`
}

// Functions lists the functions of equations, group by group.
func Functions() []Function {
	var list []Function
	for _, g := range functionGroups {
		for _, f := range g.entries {
			list = append(list, f.describe(g.title))
		}
	}
	return list
}

// NearestFunctions lists the names of functions that are spelt most like a name, best first; none where nothing is near.
func NearestFunctions(name string) []string {
	type near struct {
		name     string
		distance int
	}
	var list []near
	for _, f := range functions() {
		if n := distance(strings.ToLower(name), f.name); n <= len(name)/3 || strings.HasPrefix(f.name, strings.ToLower(name)) {
			list = append(list, near{f.name, n})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return a.distance - b.distance })
	var names []string
	for _, n := range list[:min(len(list), 3)] {
		names = append(names, n.name)
	}
	return names
}

func (f *function) describe(group string) Function {
	d := Function{Name: f.name, Group: group, Signature: f.usage(), Result: ruleText(f.result), Doc: f.doc}
	for i, p := range f.params {
		d.Parameters = append(d.Parameters, Parameter{
			Name: p.name, Dimension: ruleText(p.dimension), Default: p.value, Repeats: f.variadic && i == len(f.params)-1,
		})
	}
	for _, e := range f.examples {
		if code, failed := strings.CutPrefix(e.value, "! "); failed {
			d.Examples = append(d.Examples, Example{Expression: e.expression, Error: code})
		} else {
			d.Examples = append(d.Examples, Example{Expression: e.expression, Value: e.value})
		}
	}
	return d
}

// ruleText is a dimension rule in words.
func ruleText(rule string) string {
	switch rule {
	case "1":
		return "a plain number"
	case "round":
		return "a plain number, money or a count"
	case "any":
		return "any dimension"
	}
	return rule
}

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
