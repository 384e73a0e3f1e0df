package formula

import (
	"math"
	"slices"
	"testing"
)

// intervalLaw is an interval extension beside what it extends, of one argument or of two.
type intervalLaw struct {
	name   string
	of     func(a, b Interval) Interval
	at     func(a, b float64) float64 // NaN where there is no value
	second []float64                  // places of the second argument, nil for one of one argument
	wide   bool                       // it may be wider than the values in it
	steps  bool                       // it is constant but where it jumps
	poles  bool                       // places without a value are no floats
	slack  float64                    // by how much it may be wider than the values
}

var (
	places       = []float64{-8, -3, -2.5, -2, -1, -0.5, -1e-300, 0, 1e-300, 0.25, 0.5, 1, 1.5, 2, 3, 8}
	angles       = []float64{-7 * math.Pi, -2 * math.Pi, -1.5 * math.Pi, -math.Pi, -2, -math.Pi / 2, -1.2, -1, 0, 0.5, 1.4, math.Pi / 2, 2, math.Pi, 4, 4.5, 1.5 * math.Pi, 5, 2 * math.Pi, 7, 30}
	fractions    = []float64{-7.9, -3.1, -2.4, -1.2, -0.3, 0.2, 0.7, 1.1, 2.8, 5.3} // multiples of what is rounded to
	onlyAbove    = []float64{0.5, 1, 3}
	onlyIntegers = []float64{-3, -2, -1, 0, 1, 2, 3}
)

func truthAt(t bool) float64 {
	if t {
		return 1
	}
	return 0
}

func one(f func(float64) float64) func(a, b float64) float64 {
	return func(a, _ float64) float64 { return f(a) }
}

// named is the interval extension that an entry of the table has.
func named(name string) func(a, b Interval) Interval { return StandardFunctions.ByName[name].Interval }

var intervalLaws = []intervalLaw{
	{name: "+", of: IntervalAdd, at: func(a, b float64) float64 { return a + b }, second: places},
	{name: "-", of: intervalSub, at: func(a, b float64) float64 { return a - b }, second: places},
	{name: "*", of: IntervalMul, at: func(a, b float64) float64 { return a * b }, second: places},
	{name: "/", of: IntervalDiv, second: places, at: func(a, b float64) float64 {
		if b == 0 {
			return math.NaN()
		}
		return a / b
	}},
	{name: "^ integers", of: intervalPow, second: onlyIntegers, at: func(a, b float64) float64 {
		if a == 0 && b < 0 {
			return math.NaN()
		}
		return math.Pow(a, b)
	}},
	{name: "^", of: intervalPow, second: []float64{-2.5, -0.5, 0.5, 1.5}, wide: true, at: func(a, b float64) float64 {
		if a == 0 && b < 0 {
			return math.NaN()
		}
		return math.Pow(a, b)
	}},
	{name: "negation", of: intervalNeg, at: func(a, _ float64) float64 { return -a }},
	{name: "%", of: intervalPercent, at: func(a, _ float64) float64 { return a / 100 }},
	{name: "<", of: intervalLt, at: func(a, b float64) float64 { return truthAt(a < b) }, second: places},
	{name: "<=", of: intervalLe, at: func(a, b float64) float64 { return truthAt(a <= b) }, second: places},
	{name: ">", of: intervalGt, at: func(a, b float64) float64 { return truthAt(a > b) }, second: places},
	{name: ">=", of: intervalGe, at: func(a, b float64) float64 { return truthAt(a >= b) }, second: places},
	{name: "==", of: intervalEq, at: func(a, b float64) float64 { return truthAt(a == b) }, second: places},
	{name: "!=", of: intervalNe, at: func(a, b float64) float64 { return truthAt(a != b) }, second: places},
	{name: "not", of: intervalNot, at: func(a, _ float64) float64 { return truthAt(a == 0) }},
	{name: "and", of: intervalAnd, at: func(a, b float64) float64 { return truthAt(a != 0 && b != 0) }, second: places},
	{name: "or", of: intervalOr, at: func(a, b float64) float64 { return truthAt(a != 0 || b != 0) }, second: places},
	{name: "min", of: intervalMin, at: math.Min, second: places},
	{name: "max", of: intervalMax, at: math.Max, second: places},
	{name: "abs", of: named("abs"), at: one(math.Abs)},
	{name: "sign", of: named("sign"), steps: true, at: func(a, _ float64) float64 { return truthAt(a > 0) - truthAt(a < 0) }},
	{name: "sqrt", of: named("sqrt"), at: one(math.Sqrt)},
	{name: "cbrt", of: named("cbrt"), at: one(math.Cbrt)},
	{name: "exp", of: named("exp"), at: one(math.Exp)},
	{name: "ln", of: named("ln"), at: func(a, _ float64) float64 {
		if a == 0 {
			return math.Inf(-1)
		}
		return math.Log(a)
	}},
	{name: "sin", of: named("sin"), at: one(math.Sin), slack: 1e-14},
	{name: "cos", of: named("cos"), at: one(math.Cos), slack: 1e-14},
	{name: "tan", of: named("tan"), at: one(math.Tan), poles: true, slack: 1e-14},
	{name: "asin", of: named("asin"), at: one(math.Asin)},
	{name: "acos", of: named("acos"), at: one(math.Acos)},
	{name: "atan", of: named("atan"), at: one(math.Atan)},
	{name: "sinh", of: named("sinh"), at: one(math.Sinh)},
	{name: "cosh", of: named("cosh"), at: one(math.Cosh)},
	{name: "tanh", of: named("tanh"), at: one(math.Tanh)},
	{name: "atan2", of: named("atan2"), second: places, wide: true, poles: true, at: func(a, b float64) float64 {
		if a == 0 && b == 0 {
			return math.NaN()
		}
		return math.Atan2(a+0, b)
	}},
	{name: "floor", of: named("floor"), steps: true, second: onlyAbove, at: func(a, b float64) float64 { return math.Floor(a/b) * b }},
	{name: "ceil", of: named("ceil"), steps: true, second: onlyAbove, at: func(a, b float64) float64 { return math.Ceil(a/b) * b }},
	{name: "round", of: named("round"), steps: true, second: []float64{-1, 0}, at: func(a, b float64) float64 { return math.Round(a*math.Pow(10, b)) * math.Pow(10, -b) }},
	{name: "trunc", of: named("trunc"), steps: true, at: one(math.Trunc)},
	{name: "mod", of: named("mod"), second: onlyAbove, wide: true, poles: true, at: func(a, b float64) float64 { return a - b*math.Floor(a/b) }},
	{name: "root", of: named("root"), second: []float64{2, 3, 4, 5}, at: func(a, n float64) float64 {
		if a < 0 && math.Mod(n, 2) == 1 {
			return -math.Pow(-a, 1/n)
		}
		return math.Pow(a, 1/n)
	}},
}

// boxes are the intervals between some places.
func boxes(places []float64) (list []Interval) {
	for i, low := range places {
		for _, high := range places[i:] {
			list = append(list, Interval{Lo: low, Hi: high})
		}
	}
	return list
}

// within are places in an interval, among them its ends and those where functions turn.
func within(s Interval) []float64 {
	list := []float64{s.Lo, s.Hi, s.Lo + (s.Hi-s.Lo)/3, s.Lo + (s.Hi-s.Lo)*0.77}
	turns := []float64{-1e-9, 1e-9, -5, 5}
	for k := -14.0; k <= 20; k++ {
		turns = append(turns, k*math.Pi/2)
	}
	for _, p := range slices.Concat(places, turns) {
		if s.Has(p) {
			list = append(list, p)
		}
	}
	return list
}

// far is a number that counts as infinite.
const far = 1e200

// TestIntervalLaws holds each interval extension to the values at places in it: all of them are in
// it, and it goes no further than they do; it is partial, and jumps, where they say so.
func TestIntervalLaws(t *testing.T) {
	for _, l := range intervalLaws {
		first, seconds := boxes(places), []Interval{{}}
		switch {
		case slices.Contains([]string{"sin", "cos", "tan"}, l.name):
			first = boxes(angles)
		case l.steps && l.name != "sign":
			first = boxes(fractions)
			for _, p := range l.second {
				seconds = append(seconds, Interval{Lo: p, Hi: p})
			}
			seconds = seconds[min(1, len(l.second)):] // where there is a second argument, its places alone
		case l.second != nil:
			first = boxes([]float64{-8, -2.5, -1, 0, 0.25, 0.5, 1, 3})
			if seconds = boxes(l.second); len(l.second) <= 7 { // that second argument is a number
				seconds = nil
				for _, p := range l.second {
					seconds = append(seconds, Interval{Lo: p, Hi: p})
				}
			}
		}
		failures := 0
		for _, a := range first {
			for _, b := range seconds {
				if problem := l.broken(a, b); problem != "" && failures < 5 {
					failures++
					t.Errorf("%s of [%g, %g] and [%g, %g] is %+v: %s", l.name, a.Lo, a.Hi, b.Lo, b.Hi, l.of(a, b), problem)
				}
			}
		}
	}
}

// broken says how an interval extension is wrong of two intervals, "" where it is not.
func (l *intervalLaw) broken(a, b Interval) string {
	s := l.of(a, b)
	low, high, values, none := math.Inf(1), math.Inf(-1), 0, 0
	seconds := []float64{0}
	if l.second != nil {
		seconds = within(b)
	}
	for _, x := range within(a) {
		for _, y := range seconds {
			v := l.at(x, y)
			if math.IsNaN(v) {
				none++
				continue
			}
			values++
			low, high = math.Min(low, v), math.Max(high, v)
			if slack := 4e-16 * math.Abs(v); !s.Empty() && (v < s.Lo-slack || v > s.Hi+slack) || s.Empty() && !math.IsInf(v, 0) {
				return "it leaves out a value"
			}
		}
	}
	switch {
	case none > 0 && !s.Partial:
		return "it does not say that there is no value at a place"
	case values == 0 && !s.Empty() && !l.wide:
		return "it has values, and there are none"
	case s.Empty():
		return ""
	case none == 0 && s.Partial && !l.poles:
		return "it is partial, and there are values everywhere"
	case l.steps && s.Jumps != (low != high):
		return "it jumps where values do not, or the other way round"
	case !l.steps && !l.wide && s.Jumps != l.hasPole(a, b):
		return "it jumps where there is no pole, or the other way round"
	case l.wide || s.Jumps && l.hasPole(a, b):
		return ""
	}
	reaches := func(edge, most float64) bool {
		return math.Abs(edge-most) <= 1e-12*math.Abs(most)+l.slack || math.Abs(edge) > far && math.Abs(most) > 1e15 && edge*most > 0 || math.Abs(most) < 1e-200 && math.Abs(edge) < 1e-200
	}
	if !reaches(s.Lo, low) || !reaches(s.Hi, high) {
		return "it is wider than its values"
	}
	return ""
}

// hasPole reports whether a value goes beyond all bounds within two intervals, and comes back from
// the other side.
func (l *intervalLaw) hasPole(a, b Interval) bool {
	switch {
	case l.name == "/":
		return b.Lo < 0 && b.Hi > 0
	case l.name == "^ integers":
		return b.Hi < 0 && a.Lo < 0 && a.Hi > 0 && math.Mod(b.Hi, 2) != 0
	case l.name == "tan":
		turn := func(x float64) float64 { return x/math.Pi - 0.5 }
		return math.Floor(turn(a.Lo)+1e-12) != math.Floor(turn(a.Hi)+1e-12) || math.Abs(turn(a.Lo)-math.Round(turn(a.Lo))) < 1e-12
	}
	return false
}

// TestIntervalMarks hands on what operands say of places without a value.
func TestIntervalMarks(t *testing.T) {
	for _, l := range intervalLaws {
		for side := range 2 {
			if side == 1 && l.second == nil || side == 1 && l.name == "root" {
				continue
			}
			for mark := range 3 {
				args := [2]Interval{{Lo: 0.5, Hi: 0.75}, {Lo: 2, Hi: 2}}
				args[side].Jumps, args[side].Partial, args[side].Sparse = mark == 0, mark == 1, mark == 2
				if s := l.of(args[0], args[1]); !s.Jumps && mark == 0 || !s.Partial && mark == 1 || !s.Sparse && mark == 2 {
					t.Errorf("%s loses mark %d of operand %d: %+v", l.name, mark, side, s)
				}
			}
		}
	}
}

// TestIntervalUnderflow keeps what is too small for a float64 apart from 0.
func TestIntervalUnderflow(t *testing.T) {
	tiny, below := Interval{Lo: 1e-300, Hi: 1e-300}, Interval{Lo: -1e-300, Hi: -1e-300}
	far := Interval{Lo: -1e4, Hi: -1e4}
	for name, s := range map[string]Interval{
		"tiny * tiny": IntervalMul(tiny, tiny), "tiny / 1e300": IntervalDiv(tiny, Interval{Lo: 1e300, Hi: 1e300}),
		"tiny ^ 2": intervalPow(tiny, pointAt(2)), "below ^ 2": intervalPow(below, pointAt(2)), "exp(-10,000)": intervalExp(far, far),
	} {
		if !(s.Hi > 0) || s.Lo > 0 {
			t.Errorf("%s is %+v", name, s)
		}
	}
	for name, s := range map[string]Interval{"below * tiny": IntervalMul(below, tiny), "below ^ 3": intervalPow(below, pointAt(3))} {
		if !(s.Lo < 0) || s.Hi < 0 {
			t.Errorf("%s is %+v", name, s)
		}
	}
	if s := IntervalMul(tiny, Interval{}); s.Lo != 0 || s.Hi != 0 {
		t.Errorf("tiny * 0 is %+v", s)
	}
}

// TestIntervalPrograms refuses what a part of has no intervals.
func TestIntervalPrograms(t *testing.T) {
	x := &Node{Op: OpVariable, Mask: 1}
	without := Called(StandardFunctions.ByName["factorial"], x)
	for _, n := range []*Node{without, Combined(OpAdd, x, without), Combined(OpMul, without, x), Called(StandardFunctions.ByName["max"], x, without)} {
		p := &IntervalProgram{Seen: map[*Node]int{}, Slope: -1}
		if _, ok := p.Add(n, Unknown{Mask: 1}); ok {
			t.Errorf("a program of %d parts has factorial", len(n.Args))
		}
	}
}

// TestIntervalChoice holds an if over intervals to what it may choose.
func TestIntervalChoice(t *testing.T) {
	yes, no := Interval{Lo: 1, Hi: 2}, Interval{Lo: 5, Hi: 7, Partial: true}
	for _, c := range []struct{ condition, yes, no, want Interval }{
		{Interval{Lo: 1, Hi: 1}, yes, no, yes},
		{Interval{Lo: 1, Hi: 1, Partial: true}, yes, no, Interval{Lo: 1, Hi: 2, Partial: true}},
		{Interval{}, yes, no, no},
		{Interval{Jumps: true}, yes, no, Interval{Lo: 5, Hi: 7, Partial: true, Jumps: true}},
		{Interval{Hi: 1}, yes, no, Interval{Lo: 1, Hi: 7, Partial: true, Jumps: true}},
		{Interval{Hi: 1}, yes, yes, Interval{Lo: 1, Hi: 2, Jumps: true}},
		{Interval{Hi: 1}, yes, EmptyInterval, Interval{Lo: 1, Hi: 2, Partial: true, Jumps: true}},
		{Interval{Hi: 1}, EmptyInterval, yes, Interval{Lo: 1, Hi: 2, Partial: true, Jumps: true}},
	} {
		if got := intervalChoice(c.condition, c.yes, c.no); got != c.want {
			t.Errorf("if %+v then %+v else %+v: %+v, want %+v", c.condition, c.yes, c.no, got, c.want)
		}
	}
	if s := intervalChoice(EmptyInterval, yes, no); !s.Empty() {
		t.Errorf("a condition without a value chooses %+v", s)
	}
}
