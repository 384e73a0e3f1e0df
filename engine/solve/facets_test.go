package solve

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// facets are what an entry may say besides what it is, each with the way to tell.
var facets = map[string]func(f *formula.Entry) bool{
	"float":    func(f *formula.Entry) bool { return f.Float != nil || isWritten(f) },
	"interval": func(f *formula.Entry) bool { return f.Interval != nil || f.Intervals != nil || f.Formula != "" },
	"slopes": func(f *formula.Entry) bool {
		return f.Formula != "" || len(f.Slope) == len(f.Params) && !slices.Contains(f.Slope, nil)
	},
	"inverse": func(f *formula.Entry) bool {
		call := ofVariables(f)
		return isWritten(f) || f.Grid == nil && slices.ContainsFunc(call.Args, func(a *formula.Node) bool {
			return invertible(call, formula.Unknown{Variable: a.Variable, Mask: a.Mask})
		})
	},
	"isolated": func(f *formula.Entry) bool {
		return isWritten(f) || f.Grid == nil && isolated(ofVariables(f), formula.Unknown{Variable: 0, Mask: 1}, formula.Integer(1)) != nil
	},
}

// ofVariables is a call with a variable for each parameter, the repeated one twice.
func ofVariables(f *formula.Entry) *formula.Node {
	var list []*formula.Node
	for range len(f.Params) {
		list = append(list, &formula.Node{Op: formula.OpVariable, Variable: len(list), Mask: formula.MaskOf(len(list))})
	}
	if f.Variadic {
		list = append(list, &formula.Node{Op: formula.OpVariable, Variable: len(list), Mask: formula.MaskOf(len(list))})
	}
	return formula.Called(f, list...)
}

// isWritten reports whether calls are replaced by the formula.
func isWritten(f *formula.Entry) bool { return f.Formula != "" && f.Eval == nil }

// lacks says which facets functions lack, and why.
var lacks = []struct{ facets, why, functions string }{
	{"float interval slopes inverse isolated", "its value makes steps: no root is searched through it, and a whole range has one value",
		"round_to gcd lcm factorial choose date year month day hour minute second weekday" +
			" end_of_month years_between months_between days_between days360 year_fraction iso_week coupon_count coupon_days coupon_days_over" +
			" coupon_days_left next_coupon previous_coupon"},
	{"float slopes inverse isolated", "its value makes steps, through which whole numbers alone are searched, over intervals",
		"floor ceil round trunc mod"},
	{"float interval slopes isolated", "its value makes steps, and the dates and numbers that lead to it are counted", "add_months add_years workdays add_workdays"},
	{"inverse isolated", "a whole range has one value", "sign"},
	{"float interval slopes inverse isolated", "it is over tables, in which nothing is searched",
		"tiered sum product avg median count stdev stdevp var varp percentile percentile_exclusive first last cumsum sort reverse range table rows column row cell" +
			" transpose lookup interpolate lookup_exact countif sumif averageif minif maxif sumproduct each schedule previous irr npv xnpv xirr amortization mirr slope intercept correlation" +
			" r_squared forecast standard_error slope_error covariance covariancep"},
	{"float interval slopes isolated", "its value is itself the root that a search finds", "rate"},
	{"float interval slopes inverse isolated", "it goes from period to period", "vdb bond_duration"},
	{"float interval slopes isolated", "its dates are steps, and what is a number of it is inverted", "bond_price bond_yield"},
	{"interval slopes isolated", "the engine goes through it as the choice that it is", "if"},
	{"isolated", "the angle is one of endlessly many, which a block cannot go through", "sin cos tan"},
	{"isolated", "the quadrant is lost", "atan2"},
	{"slopes", "its slope by a parameter, which is no place, is no expression",
		"gamma_p gamma_q gamma_p_inverse gamma_q_inverse t_cdf t_quantile f_cdf f_tail f_quantile f_tail_quantile beta_cdf beta_quantile"},
	{"slopes inverse isolated", "its slope is a function that is not in the table, and it has two inverses", "gamma ln_gamma"},
	{"float interval slopes inverse isolated", "its value makes steps: no root is searched through it, and a whole range has one value",
		"poisson_quantile binomial_quantile"},
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
	for _, f := range formula.StandardFunctions.Functions() {
		for _, facet := range slices.Sorted(maps.Keys(facets)) {
			switch has, why := facets[facet](f), reasons[f.Name][facet]; {
			case !has && why == "":
				t.Errorf("%s lacks %s: fill it, or say why not", f.Name, facet)
			case has && why != "":
				t.Errorf("%s has %s, which it is said to lack: %s", f.Name, facet, why)
			}
		}
		delete(reasons, f.Name)
	}
	for name := range reasons {
		t.Errorf("%s is not a function", name)
	}
}

// samples calls check with functions that have a float, and arguments of theirs.
func samples(check func(f *formula.Entry, args []float64)) {
	random := rand.New(rand.NewPCG(3, 5))
	for _, f := range formula.StandardFunctions.Functions() {
		if f.Float == nil || f.Lazy {
			continue
		}
		for range 400 {
			args := make([]float64, len(f.Params), len(f.Params)+1)
			for i := range args {
				args[i] = random.NormFloat64() * math.Pow(10, random.Float64()*2-1)
			}
			if f.Variadic {
				args = append(args, random.NormFloat64())
			}
			if least, _ := f.Arity(); !f.Variadic && least < len(args) && random.IntN(2) == 0 {
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
func jetsOf(args []float64, unknown int) []formula.Jet {
	list := make([]formula.Jet, len(args))
	for i, x := range args {
		list[i].Value = x
	}
	list[unknown].Slope = 1
	return list
}

// TestSlopes holds slopes, second derivatives and the derivatives of calls to differences.
func TestSlopes(t *testing.T) {
	m := &formula.Machine{Context: decimal.NewContext(1_000_000)}
	var unsloped []string
	for _, l := range lacks {
		if strings.Contains(l.facets, "slopes") {
			unsloped = append(unsloped, strings.Fields(l.functions)...)
		}
	}
	samples(func(f *formula.Entry, args []float64) {
		if y := f.Float(args); math.IsNaN(y) || y == 0 && f.Float(moved(args, 0, 1)) != 0 {
			return // it has no value, or one too small for float64
		}
		call := formula.Called(f, ofVariables(f).Args[:len(args)]...)
		for i := range args {
			j, ok := f.Jet(jetsOf(args, i), 2)
			if !ok && slices.Contains(unsloped, f.Name) {
				continue
			}
			if !ok {
				t.Fatalf("%s has no second order by argument %d", f.Name, i)
			}
			if !around(j.Slope, func(h float64) float64 { return f.Float(moved(args, i, h)) }, args[i]) {
				t.Errorf("%s%v has the slope %g by argument %d", f.Name, args, j.Slope, i)
			}
			bend := func(h float64) float64 { j, _ := f.Jet(jetsOf(moved(args, i, h), i), 2); return j.Slope }
			if !around(j.Bend, bend, args[i]) {
				t.Errorf("%s%v has the second derivative %g by argument %d", f.Name, args, j.Bend, i)
			}
			derivative := call.Derivative(formula.Unknown{Variable: i, Mask: formula.MaskOf(i)})
			m.Floats = args
			if d := m.Float(derivative); math.Abs(d-j.Slope) > 1e-9*(1+math.Abs(d)) {
				t.Errorf("%s%v has the derivative %g by argument %d, but the slope %g", f.Name, args, d, i, j.Slope)
			}
		}
	})
}

// TestIntervals holds interval extensions to values at places in them.
func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	samples(func(f *formula.Entry, args []float64) {
		for i, at := range args {
			list := make([]*formula.Node, len(args))
			for k, x := range args {
				list[k] = formula.Number(decimal.FromFloat(x))
			}
			x := formula.Unknown{Variable: i, Mask: 1}
			list[i] = &formula.Node{Op: formula.OpVariable, Variable: i, Mask: 1}
			p := &formula.IntervalProgram{Seen: map[*formula.Node]int{}, Slope: -1}
			var ok bool
			if p.Value, ok = p.Add(formula.Called(f, list...), x); !ok {
				t.Fatalf("%s has no interval", f.Name)
			}
			p.Slots = make([]formula.Interval, len(p.Steps))
			width := math.Abs(at) * random.ExpFloat64()
			value, _ := p.Over(formula.Interval{Lo: at, Hi: at + width})
			for range 5 {
				args := moved(args, i, width*random.Float64())
				y := f.Float(args)
				switch {
				case math.IsNaN(y):
					if !value.Empty() && !value.Partial {
						t.Errorf("%s%v has no value, which its interval %v does not say", f.Name, args, value)
					}
				case !(value.Lo <= y && y <= value.Hi):
					t.Errorf("%s%v = %g is outside %v", f.Name, args, y, value)
				}
			}
		}
	})
}

// TestIsolated puts values through functions and back.
func TestIsolated(t *testing.T) {
	m := &formula.Machine{Context: decimal.NewContext(1_000_000)}
	samples(func(f *formula.Entry, args []float64) {
		y := f.Float(args)
		if math.IsNaN(y) || math.IsInf(y, 0) || f.Isolations == nil || f.Period > 0 {
			return
		}
		list := make([]*formula.Node, len(args))
		for i, x := range args {
			list[i] = formula.Number(decimal.FromFloat(x))
		}
		x := formula.Unknown{Variable: 0, Mask: 1}
		list[0] = &formula.Node{Op: formula.OpVariable, Mask: 1}
		back := isolated(formula.Called(f, list...), x, formula.Number(decimal.FromFloat(y)))
		if !slices.ContainsFunc(back, func(n *formula.Node) bool {
			again := moved(args, 0, m.Float(n)-args[0])
			return math.Abs(f.Float(again)-y) <= 1e-9*math.Abs(y)
		}) {
			t.Errorf("%s%v = %g does not go back", f.Name, args, y)
		}
	})
}

// TestPeriods holds functions to what they say of repeating themselves.
func TestPeriods(t *testing.T) {
	samples(func(f *formula.Entry, args []float64) {
		if len(f.Params) > 1 || f.Variadic || math.IsNaN(f.Float(args)) || math.Abs(args[0]) > 10 {
			return
		}
		same := func(step float64) bool {
			here, there := f.Float(args), f.Float(moved(args, 0, step))
			return math.Abs(here-there) <= 1e-9*(1+here*here)
		}
		repeats := !same(1) // what stays the same says nothing
		for k := 1.; k <= 3; k++ {
			repeats = repeats && same(2*math.Pi*k)
		}
		if repeats != (f.Period > 0) {
			t.Errorf("%s%v repeats itself: %v, its period is %d", f.Name, args, repeats, f.Period)
		}
	})
}
