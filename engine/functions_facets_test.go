package engine

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reckon/engine/decimal"
)

// facets are what an entry may say besides what it is, each with the way to tell.
var facets = map[string]func(f *function) bool{
	"float":    func(f *function) bool { return f.float != nil || f.isWritten() },
	"interval": func(f *function) bool { return f.interval != nil || f.formula != "" },
	"slopes": func(f *function) bool {
		return f.formula != "" || len(f.slope) == len(f.params) && !slices.Contains(f.slope, nil)
	},
	"inverse": func(f *function) bool {
		call := f.ofVariables()
		return f.isWritten() || f.grid == nil && slices.ContainsFunc(call.args, func(a *node) bool {
			return call.invertible(unknown{a.variable, a.mask})
		})
	},
	"isolated": func(f *function) bool {
		return f.isWritten() || f.grid == nil && f.ofVariables().isolated(unknown{0, 1}, integer(1)) != nil
	},
}

// ofVariables is a call with a variable for each parameter, the repeated one twice.
func (f *function) ofVariables() *node {
	var list []*node
	for range len(f.params) {
		list = append(list, &node{op: opVariable, variable: len(list), mask: maskOf(len(list))})
	}
	if f.variadic {
		list = append(list, &node{op: opVariable, variable: len(list), mask: maskOf(len(list))})
	}
	return called(f, list...)
}

// isWritten reports whether calls are replaced by the formula.
func (f *function) isWritten() bool { return f.formula != "" && f.eval == nil }

// lacks says which facets functions lack, and why.
var lacks = []struct{ facets, why, functions string }{
	{"float interval slopes inverse isolated", "its value makes steps: no root is searched through it, and a whole range has one value",
		"sign floor ceil round trunc mod gcd lcm factorial choose date year month day hour minute second weekday add_months add_years" +
			" end_of_month workdays years_between"},
	{"float interval slopes inverse isolated", "it is over tables, in which nothing is searched",
		"sum product avg median count stdev stdevp var varp percentile first last cumsum sort reverse range table rows column row cell" +
			" transpose lookup interpolate sumproduct each irr npv xnpv xirr amortization"},
	{"float interval slopes isolated", "its value is itself the root that a search finds", "rate"},
	{"interval slopes isolated", "the engine goes through it as the choice that it is", "if"},
	{"isolated", "the angle is one of endlessly many, which a block cannot go through", "sin cos tan"},
	{"isolated", "the quadrant is lost", "atan2"},
	{"isolated", "a whole range of arguments has one value", "min max clamp"},
}

func TestFacets(t *testing.T) {
	reasons := map[string]map[string]string{}
	for _, l := range lacks {
		for _, name := range strings.Fields(l.functions) {
			if reasons[name] == nil {
				reasons[name] = map[string]string{}
			}
			for _, facet := range strings.Fields(l.facets) {
				if facets[facet] == nil {
					t.Errorf("%s is not a facet", facet)
				}
				reasons[name][facet] = l.why
			}
		}
	}
	for _, f := range standardFunctions.functions() {
		for _, facet := range slices.Sorted(maps.Keys(facets)) {
			switch has, why := facets[facet](f), reasons[f.name][facet]; {
			case !has && why == "":
				t.Errorf("%s lacks %s: fill it, or say why not", f.name, facet)
			case has && why != "":
				t.Errorf("%s has %s, which it is said to lack: %s", f.name, facet, why)
			}
		}
		delete(reasons, f.name)
	}
	for name := range reasons {
		t.Errorf("%s is not a function", name)
	}
}

// samples calls check with functions that have a float, and arguments of theirs.
func samples(check func(f *function, args []float64)) {
	random := rand.New(rand.NewPCG(3, 5))
	for _, f := range standardFunctions.functions() {
		if f.float == nil || f.lazy {
			continue
		}
		for range 400 {
			args := make([]float64, len(f.params), len(f.params)+1)
			for i := range args {
				args[i] = random.NormFloat64() * math.Pow(10, random.Float64()*2-1)
			}
			if f.variadic {
				args = append(args, random.NormFloat64())
			}
			if least, _ := f.arity(); !f.variadic && least < len(args) && random.IntN(2) == 0 {
				args = args[:least]
			}
			check(f, args)
		}
	}
}

// around compares a number with a difference of two values of a function.
func around(got float64, f func(h float64) float64, at float64) bool {
	h := 1e-5 * math.Abs(at)
	slope, wider := (f(h)-f(-h))/(2*h), (f(2*h)-f(-2*h))/(4*h)
	if math.IsNaN(slope) || math.IsNaN(wider) || math.Abs(slope-wider) > 1e-4*(1+math.Abs(slope)) {
		return true // a difference says nothing here
	}
	return math.Abs(got-slope) <= 1e-3*(1+math.Abs(slope))
}

// moved is arguments of which one is moved.
func moved(args []float64, i int, h float64) []float64 {
	args = slices.Clone(args)
	args[i] += h
	return args
}

// jetsOf are arguments of which one is the unknown.
func jetsOf(args []float64, unknown int) []jet {
	list := make([]jet, len(args))
	for i, x := range args {
		list[i].value = x
	}
	list[unknown].slope = 1
	return list
}

// TestSlopes holds slopes, second derivatives and the derivatives of calls to differences.
func TestSlopes(t *testing.T) {
	m := &machine{c: decimal.NewContext(1_000_000)}
	samples(func(f *function, args []float64) {
		if math.IsNaN(f.float(args)) {
			return
		}
		call := called(f, f.ofVariables().args[:len(args)]...)
		for i := range args {
			j, ok := f.jet(jetsOf(args, i), 2)
			if !ok {
				t.Fatalf("%s has no second order by argument %d", f.name, i)
			}
			if !around(j.slope, func(h float64) float64 { return f.float(moved(args, i, h)) }, args[i]) {
				t.Errorf("%s%v has the slope %g by argument %d", f.name, args, j.slope, i)
			}
			bend := func(h float64) float64 { j, _ := f.jet(jetsOf(moved(args, i, h), i), 2); return j.slope }
			if !around(j.bend, bend, args[i]) {
				t.Errorf("%s%v has the second derivative %g by argument %d", f.name, args, j.bend, i)
			}
			derivative := call.derivative(unknown{i, maskOf(i)})
			m.floats = args
			if d := m.float(derivative); math.Abs(d-j.slope) > 1e-9*(1+math.Abs(d)) {
				t.Errorf("%s%v has the derivative %g by argument %d, but the slope %g", f.name, args, d, i, j.slope)
			}
		}
	})
}

// TestIntervals holds interval extensions to values at places in them.
func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	samples(func(f *function, args []float64) {
		for i, at := range args {
			list := make([]*node, len(args))
			for k, x := range args {
				list[k] = number(decimal.FromFloat(x))
			}
			x := unknown{i, 1}
			list[i] = &node{op: opVariable, variable: i, mask: 1}
			p := &intervalProgram{seen: map[*node]int{}, slope: -1}
			var ok bool
			if p.value, ok = p.add(called(f, list...), x); !ok {
				t.Fatalf("%s has no interval", f.name)
			}
			p.slots = make([]interval, len(p.steps))
			width := math.Abs(at) * random.ExpFloat64()
			value, _ := p.over(interval{lo: at, hi: at + width})
			for range 5 {
				args := moved(args, i, width*random.Float64())
				y := f.float(args)
				switch {
				case math.IsNaN(y):
					if !value.empty() && !value.partial {
						t.Errorf("%s%v has no value, which its interval %v does not say", f.name, args, value)
					}
				case !(value.lo <= y && y <= value.hi):
					t.Errorf("%s%v = %g is outside %v", f.name, args, y, value)
				}
			}
		}
	})
}

// TestIsolated puts values through functions and back.
func TestIsolated(t *testing.T) {
	m := &machine{c: decimal.NewContext(1_000_000)}
	samples(func(f *function, args []float64) {
		y := f.float(args)
		if math.IsNaN(y) || math.IsInf(y, 0) || f.isolations == nil || f.period > 0 {
			return
		}
		list := make([]*node, len(args))
		for i, x := range args {
			list[i] = number(decimal.FromFloat(x))
		}
		x := unknown{0, 1}
		list[0] = &node{op: opVariable, mask: 1}
		back := called(f, list...).isolated(x, number(decimal.FromFloat(y)))
		if !slices.ContainsFunc(back, func(n *node) bool {
			again := moved(args, 0, m.float(n)-args[0])
			return math.Abs(f.float(again)-y) <= 1e-9*math.Abs(y)
		}) {
			t.Errorf("%s%v = %g does not go back", f.name, args, y)
		}
	})
}

// TestPeriods holds functions to what they say of repeating themselves.
func TestPeriods(t *testing.T) {
	samples(func(f *function, args []float64) {
		if len(f.params) > 1 || f.variadic || math.IsNaN(f.float(args)) || math.Abs(args[0]) > 10 {
			return
		}
		repeats := true
		for k := 1.; k <= 3; k++ {
			here, there := f.float(args), f.float(moved(args, 0, 2*math.Pi*k))
			repeats = repeats && math.Abs(here-there) <= 1e-9*(1+here*here)
		}
		if repeats != (f.period > 0) {
			t.Errorf("%s%v repeats itself: %v, its period is %d", f.name, args, repeats, f.period)
		}
	})
}

// secants are entries of the secant that say more and more of it.
func secants() []*function {
	entry := func() *function {
		return &function{
			name: "sec", params: unary("x", "angle"), result: "1", doc: "The secant of an angle.",
			eval: func(c *decimal.Context, a decimals) decimal.Decimal { return c.Quo(decimal.Int(1), c.Cos(a[0])) },
		}
	}
	alone, both, facets := entry(), entry(), entry()
	alone.formula, alone.eval = "1 / cos(x)", nil
	both.formula = "1 / cos(x)"
	facets.float = func(a []float64) float64 { return 1 / math.Cos(a[0]) }
	facets.interval = func(a, b interval) interval { return intervalDiv(interval{lo: 1, hi: 1}, intervalCos(a, b)) }
	facets.slopes, facets.isolated, facets.period = []string{"sec(x)^2 * sin(x)"}, []string{"acos(1 / t)", "-acos(1 / t)"}, 2
	return []*function{alone, both, facets}
}

// TestNewFunction adds a function by one entry and nothing else.
func TestNewFunction(t *testing.T) {
	for i, sec := range secants() {
		functions := standardFunctions.with(functionGroup{"More", []*function{sec}})
		for _, c := range []struct{ question, want string }{
			{"y 0.5 -> x", "! calculation.no_solution"},
			{"y 2 -> x", "1.047197551196597746154214461093168 rad"},
			{"x 60 deg -> y", "2"},
			{"w 3 -> x", "1.047197551196597746154214461093168 rad"},
		} {
			d, issues := compile(Definition{
				Title:      "Secants",
				Variables:  []Variable{{Key: "x", Unit: "rad"}, {Key: "y"}, {Key: "w"}},
				Activities: []Activity{{Equation: "y = sec(x)"}, {Equation: "w = sec(x) * (2 + cos(2 * x))"}},
			}, functions)
			if d == nil {
				t.Fatal(issues)
			}
			if got := answer(d, c.question); !strings.HasPrefix(got, c.want) {
				t.Errorf("entry %d: %s is %s, want %s", i, c.question, got, c.want)
			}
		}
	}
	if standardFunctions.byName["sec"] != nil {
		t.Error("the table of all domains has changed")
	}
}

// TestProofs asks what only interval extensions can answer.
func TestProofs(t *testing.T) {
	for _, c := range []struct{ equation, question, want string }{
		{"y = atan2(x, x + 1)", "y 3 -> x", "! calculation.no_solution"},
		{"y = atan2(x, x + 1)", "y 0.5 -> x", "1.204111721167913924"},
		{"y = hypot(x, exp(x))", "y 0.1 -> x", "! calculation.no_solution"},
		{"y = root(-8, x) - x", "y -5 -> x", "3"},
		{"y = (-2)^x - x", "y -11 -> x", "3"},
		{"y = (-2)^x - x", "y -12 -> x", "! calculation.not_converged"},
		{"y = (1 - x)^x", "y -8 -> x", "3"},
		{"y = (1 - x)^x", "y 4 -> x", "! calculation.not_converged"},
		{"y = x^x", "y 0.5 -> x", "! calculation.no_solution"},
	} {
		d, issues := Compile(Definition{
			Title: "Proofs", Variables: []Variable{{Key: "x", Min: "1"}, {Key: "y"}}, Activities: []Activity{{Equation: c.equation}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		if got := answer(d, c.question); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s is %s, want %s", c.equation, c.question, got, c.want)
		}
	}
}
