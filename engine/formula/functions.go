package formula

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
	"reckon/engine/units"
)

// Entry is an entry of the function table: all that the engine and its readers know of a
// function. Nothing else in the engine knows a function by its name, so that a new function is one
// entry in one of the lists algebra, trigonometry, overTables, tiers, finance and calendar.
//
// An entry needs a name, parameters, a dimension rule (result, or rule where that cannot say it),
// documentation, two examples, which run as tests, and what it is: a formula, eval (over numbers)
// or grid (over tables).
//
// A formula alone is enough, as in {name: "sec", …, formula: "1 / cos(x)"}: the call stands for it,
// and is searched, proved and inverted as what it stands for. An entry that has an eval besides
// stays what it is in an equation, and the engine goes by the formula wherever the entry does not
// say more.
//
// An entry with an eval and without a formula says facet by facet what the engine may do with it.
// With float a root is searched through it; with interval the search can prove that there is none;
// with slopes it can prove that there is only one, Newton's method goes through it, and its second
// derivatives are known too; with isolated an unknown that occurs once is found exactly, and a
// block is reduced through it; with period no more than a turn is searched. Tests check each facet
// against float, and want a reason for each one that is lacking.
type Entry struct {
	Name     string
	Params   []param
	Variadic bool   // the last parameter repeats
	Result   string // dimension rule, see checker.rule
	Doc      string
	Examples []example

	// Tabled is the entry of a call with as many arguments as it must have, of which the last ones may
	// be tables; it has a grid, and the same parameters.
	Tabled *Entry

	Spreadsheet string // what spreadsheets call it, where that is another name; several with spaces between

	// Expressions are in the parameters. The formula and the interval extension of a variadic
	// function are those of two arguments, x and y.
	Eval    func(c *decimal.Context, args []decimal.Decimal) decimal.Decimal
	Grid    func(c *decimal.Context, args []Grid) Grid // over tables; then no eval
	Formula string

	Float    func(args []float64) float64 // nil where no root may be searched through it
	Interval func(a, b Interval) Interval // the interval extension

	Rising    rising                         // how it goes with its arguments, of one without an extension
	Intervals func(args []Interval) Interval // the same over all arguments, also of more than two
	Slopes    []string                       // the derivative by each parameter, "" for not known
	Isolated  []string                       // what the first argument may be, in the others and the value t
	Inverse   inverse                        // for the other arguments too
	Undone    [][]string                     // by parameter: what it may be, in the others and the value t; of the first Isolated may say it
	Period    int64                          // in half turns of its argument, 1 or 2; 0 for none
	Choice    choice
	Plain     bool // a power, an exponential or a logarithm, see seeker.quick

	// InverseOver is the inverse of a function over tables, for those arguments, a number each, that
	// are not lost.
	InverseOver func(c *decimal.Context, args []Grid, k int, t decimal.Decimal) Preimage

	rule    func(c *checker, n *Node) Dimension
	Points  pointRule
	Lazy    bool     // the first argument decides which of the others is evaluated
	Steps   bool     // the first argument decides which cell is taken
	Binds   bool     // the first argument is a name that the arguments behind the next two may use
	Before  bool     // its value is that of a column of a schedule some rows before
	tables  bool     // it takes or gives tables
	copies  bool     // its value is made of cells of the arguments that are not single numbers
	adds    bool     // its value is a sum of cells, each times a factor above 0
	exact   bool     // it looks for the first argument as it is
	column  int      // the parameter that says which column of the first argument is taken; 0 for none
	Columns []string // names of the columns of its value
	shape   shape
	reduces bool                       // given one table, it is the value over all its cells
	terms   func(args []*Terms) *Terms // over tables of expressions, nil where there is no such form
	Over    overIntervals              // over tables of intervals, of a function with a grid that does not only hand cells on

	// brackets is the part of the i-th of some brackets in the value, where starts and rates are
	// written out: of x, the starts from_0, from_1… and the rates rate_0, rate_1….
	brackets func(i, of int) string

	// The expressions of the entry, and the numbers that stand for arguments left out.
	Definition *Node   // the formula, where there is an eval too
	Slope      []*Node // by parameter, nil for not known
	Isolations []*Node
	defaults   []*Node // by parameter; none for a variadic function
}

// param is a parameter with its dimension rule: 1 for plain numbers, a letter for any one dimension
// that the function's letters share, products and powers of those, time, date (a moment), angle,
// round (what can be rounded in any unit), or any.
type param struct {
	name      string
	dimension string
	value     string // what stands for it when it is left out; "" when it must be given
	check     string // with a formula: where this is false a call is not defined; "" for always
	single    bool   // of a function over tables: it takes a number only
	moves     bool   // of a function that makes a table: its cells move with it, and not their number
	Lost      bool   // the inverse cannot find this argument
}

// Inverts reports whether a function over tables is inverted for an argument.
func (f *Entry) Inverts(argument int) bool { return f.InverseOver != nil && !f.Param(argument).Lost }

// example is an expression and its value: a number with its unit, a date, a table as JSON, or "! "
// and the code of an error.
type example struct{ Expression, Value string }

// pointRule says what a function makes of points on a scale.
type pointRule int

const (
	absolute    pointRule = iota // they count as absolute
	alikeResult                  // all arguments and the result are points, or none
	PointResult                  // the result is a date
)

// choice says whether a function's value is that of one of its arguments.
type choice int

const (
	NoChoice   choice = iota
	anArgument        // the value of one of them, of a lazy function not of the first
	EitherSign        // the value of the argument, or that with the sign changed
)

// Preimage is what a function's argument may be: roots, further ones that only count where none of
// the roots does, or every value of a range.
type Preimage struct {
	Roots, More []decimal.Decimal
	Infinite    bool
}

// Add puts what another one may be to what p may be.
func (p *Preimage) Add(q Preimage) {
	p.Roots, p.More = append(p.Roots, q.Roots...), append(p.More, q.More...)
	p.Infinite = p.Infinite || q.Infinite
}

// inverse finds argument k of a function from its value t; args[k] is not set.
type inverse func(c *decimal.Context, args []decimal.Decimal, k int, t decimal.Decimal) Preimage

func OneRoot(d decimal.Decimal) Preimage { return Preimage{Roots: []decimal.Decimal{d}} }

// FunctionGroup is a part of the function table, a file each.
type FunctionGroup struct {
	Title   string
	Entries []*Entry
}

// FunctionTable is the functions that equations may use. It never changes.
type FunctionTable struct {
	groups []FunctionGroup
	ByName map[string]*Entry
}

// StandardFunctions are the functions of all domains.
var StandardFunctions = FunctionTable{}.With(
	FunctionGroup{"Numbers", algebra},
	FunctionGroup{"Angles and hyperbolas", trigonometry},
	FunctionGroup{"Special functions", special},
	FunctionGroup{"Distributions", distributions},
	FunctionGroup{"Tables", slices.Concat(overTables, schedules, tiers, regressions)},
	FunctionGroup{"Money", slices.Concat(finance, depreciations)},
	FunctionGroup{"Dates", slices.Concat(calendar, workingDays, dayCounting)},
	FunctionGroup{"Bonds", slices.Concat(bonds, bills)},
)

// With is a table with further functions, whose expressions may call one another and those of the
// table.
func (t FunctionTable) With(groups ...FunctionGroup) *FunctionTable {
	all := &FunctionTable{append(slices.Clip(t.groups), groups...), map[string]*Entry{}}
	for _, f := range all.Functions() {
		all.ByName[f.Name] = f
	}
	for _, g := range groups {
		for _, f := range g.Entries {
			all.complete(f)
			if f.Tabled != nil {
				all.complete(f.Tabled)
			}
		}
	}
	return all
}

func (t *FunctionTable) Functions() []*Entry {
	var list []*Entry
	for _, g := range t.groups {
		list = append(list, g.Entries...)
	}
	return list
}

// complete reads the expressions of an entry.
func (t *FunctionTable) complete(f *Entry) {
	names := make([]string, len(f.Params), len(f.Params)+1)
	for i, p := range f.Params {
		names[i] = p.name
		if !f.Variadic {
			f.defaults = append(f.defaults, Number(decimal.MustParse(cmp.Or(p.value, "0"))))
		}
	}
	if f.Formula != "" && f.Eval != nil {
		f.Definition = t.template(f, f.Formula, names)
		if f.Float == nil {
			f.Float = f.definedFloat
		}
	}
	for _, text := range f.Slopes {
		f.Slope = append(f.Slope, t.template(f, text, names))
	}
	for _, text := range f.Isolated {
		f.Isolations = append(f.Isolations, t.template(f, text, append(names, "t")))
	}
}

// template is an expression in some names, which stand in it as locals by their position; nil for
// "".
func (t *FunctionTable) template(f *Entry, text string, names []string) *Node {
	if text == "" {
		return nil
	}
	fail := func(_ int, format string, args ...any) {
		panic(fmt.Sprintf("engine: function %s: %s: ", f.Name, text) + fmt.Sprintf(format, args...))
	}
	tree, err := syntax.ParseExpression(text)
	if err != nil {
		fail(0, "%v", err)
	}
	b := builder{functions: t, problem: fail, args: map[string]*Node{}}
	if f.Variadic {
		names = []string{"x", "y"}
	}
	for i, name := range names {
		b.args[name] = &Node{Op: opLocal, Variable: i}
	}
	return b.build(tree)
}

// Function describes an entry of the function table, for listings.
type Function struct {
	Name       string      `json:"name"`
	Group      string      `json:"group"`
	Signature  string      `json:"signature"` // "log(x, base = 10)"
	Parameters []Parameter `json:"parameters"`
	Result     string      `json:"result"` // its dimension
	Doc        string      `json:"documentation"`
	Examples   []Example   `json:"examples"`

	Spreadsheet []string `json:"spreadsheet,omitempty"` // names that spreadsheets have for it
}

// Parameter is a parameter of a function. A dimension is named in words, or by a letter that stands
// for any one dimension, the same wherever a function has it, with its powers and products.
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
	for _, g := range StandardFunctions.groups {
		for _, f := range g.Entries {
			list = append(list, f.describe(g.Title))
		}
	}
	return list
}

// NearestFunctions lists the names of functions that are spelt most like a name, best first; none
// where nothing is near.
func NearestFunctions(name string) []string {
	type near struct {
		name     string
		distance int
	}
	var list []near
	for _, f := range StandardFunctions.Functions() {
		if n := units.EditDistance(strings.ToLower(name), f.Name, len(name)); n <= len(name)/3 || strings.HasPrefix(f.Name, strings.ToLower(name)) {
			list = append(list, near{f.Name, n})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return a.distance - b.distance })
	var names []string
	for _, n := range list[:min(len(list), 3)] {
		names = append(names, n.name)
	}
	return names
}

func (f *Entry) describe(group string) Function {
	d := Function{Name: f.Name, Group: group, Signature: f.usage(), Result: ruleText(f.Result), Doc: f.Doc, Spreadsheet: strings.Fields(f.Spreadsheet)}
	for i, p := range f.Params {
		d.Parameters = append(d.Parameters, Parameter{
			Name: p.name, Dimension: ruleText(p.dimension), Default: p.value, Repeats: f.Variadic && i == len(f.Params)-1,
		})
	}
	for _, e := range f.Examples {
		if code, failed := strings.CutPrefix(e.Value, "! "); failed {
			d.Examples = append(d.Examples, Example{Expression: e.Expression, Error: code})
		} else {
			d.Examples = append(d.Examples, Example{Expression: e.Expression, Value: e.Value})
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

// inSpreadsheets is the entry with the names that spreadsheets have for it.
func (f *Entry) inSpreadsheets(names string) *Entry {
	f.Spreadsheet = names
	return f
}

// Param is the parameter that the i-th argument belongs to.
func (f *Entry) Param(i int) param { return f.Params[min(i, len(f.Params)-1)] }

// Arity is the least and the greatest number of arguments, -1 for no greatest.
func (f *Entry) Arity() (least, most int) {
	for _, p := range f.Params {
		if p.value == "" {
			least++
		}
	}
	if f.Variadic {
		return least, -1
	}
	return least, len(f.Params)
}

// usage shows how the function is written: "log(x, base = 10)".
func (f *Entry) usage() string {
	var parts []string
	for _, p := range f.Params {
		if p.value == "" {
			parts = append(parts, p.name)
		} else {
			parts = append(parts, fmt.Sprintf("%s = %s", p.name, p.value))
		}
	}
	text := strings.Join(parts, ", ")
	if f.Variadic {
		text += ", …"
	}
	return f.Name + "(" + text + ")"
}
