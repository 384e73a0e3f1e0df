package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/value"
)

// floatTree is an expression with its value in float64, kept apart from the engine's own
// evaluation.
type floatTree struct {
	text string
	eval func(values map[string]float64) (value, size float64)
}

// floatExpression draws an expression in some of the names.
func floatExpression(t *rapid.T, names []string, depth int) floatTree {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		if rapid.IntRange(0, 3).Draw(t, "constant") == 0 {
			n := rapid.IntRange(1, 9).Draw(t, "number")
			return floatTree{fmt.Sprint(n), func(map[string]float64) (float64, float64) { return float64(n), float64(n) }}
		}
		name := rapid.SampledFrom(names).Draw(t, "name")
		return floatTree{name, func(v map[string]float64) (float64, float64) { return v[name], math.Abs(v[name]) }}
	}
	a := floatExpression(t, names, depth-1)
	unary := map[string]func(float64) float64{"sqrt": math.Sqrt, "exp": math.Exp, "ln": math.Log, "sin": math.Sin, "abs": math.Abs, "cbrt": math.Cbrt}
	if f := rapid.SampledFrom([]string{"", "", "", "", "", "sqrt", "exp", "ln", "sin", "abs", "cbrt"}).Draw(t, "function"); f != "" {
		return floatTree{f + "(" + a.text + ")", func(v map[string]float64) (float64, float64) {
			x, size := a.eval(v)
			y := unary[f](x)
			// What the argument lacks in digits the value lacks too, times the slope.
			slope := map[string]float64{"sqrt": 0.5 / y, "exp": y, "ln": 1 / math.Abs(x), "sin": 1, "abs": 1, "cbrt": 1 / (3 * y * y)}[f]
			return y, math.Abs(y) + slope*size
		}}
	}
	b := floatExpression(t, names, depth-1)
	switch op := rapid.SampledFrom([]string{"+", "-", "*", "/", "^2"}).Draw(t, "operator"); op {
	case "^2":
		return floatTree{"(" + a.text + ")^2", func(v map[string]float64) (float64, float64) {
			x, size := a.eval(v)
			return x * x, size * size
		}}
	default:
		return floatTree{"(" + a.text + " " + op + " " + b.text + ")", func(v map[string]float64) (float64, float64) {
			x, size := a.eval(v)
			y, other := b.eval(v)
			switch op {
			case "+":
				return x + y, size + other
			case "-":
				return x - y, size + other
			case "*":
				return x * y, size * other
			}
			return x / y, size / math.Abs(y) * (other / math.Abs(y))
		}}
	}
}

// TestDomainsHold solves random small domains: whenever there is an answer, the equations that it
// rests on hold in float64, bounds hold, and neither the order of the activities nor that of the
// variables changes the values.
func TestDomainsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkDomain(t) })
}

// FuzzDomains is TestDomainsHold for the fuzzer.
func FuzzDomains(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(checkDomain))
}

func checkDomain(t *rapid.T) {
	names := []string{"a", "b", "c", "d", "f"}[:rapid.IntRange(2, 5).Draw(t, "variables")]
	def := Definition{Title: "Random", Description: "Random equations."}
	var sides [][2]floatTree
	for range rapid.IntRange(1, 4).Draw(t, "equations") {
		left, right := floatExpression(t, names, 1), floatExpression(t, names, 2)
		sides = append(sides, [2]floatTree{left, right})
		def.Activities = append(def.Activities, Activity{Title: fmt.Sprint(len(sides)), Equation: left.text + " = " + right.text})
	}
	bounded := rapid.Bool().Draw(t, "bounded")
	for _, n := range names {
		v := value.Variable{Key: n}
		if bounded {
			v.Min, v.Max = "-50", "50"
		}
		def.Variables = append(def.Variables, v)
	}
	d, _ := Compile(def)
	if d == nil {
		return
	}
	target := rapid.SampledFrom(names).Draw(t, "target")
	var givens []string
	values := map[string]float64{}
	for _, n := range names {
		if n != target && rapid.IntRange(0, 2).Draw(t, "given") > 0 {
			i := rapid.IntRange(-40, 80).Draw(t, n)
			givens = append(givens, fmt.Sprintf("%s %d", n, i))
			values[n] = float64(i)
		}
	}
	question := strings.Join(givens, "; ") + " -> " + target
	solution, errs := ask(d, question)
	if len(errs) > 0 {
		return
	}
	for _, s := range solution.Steps {
		key, x := d.Variables[s.Variable].Key, s.Value.Quantity().Number.Float64()
		if bounded && (x < -50.0001 || x > 50.0001) {
			t.Fatalf("%v %s: %s = %g is out of bounds", equationsOf(def), question, key, x)
		}
		values[key] = x
	}
	for _, s := range solution.Steps {
		for _, a := range s.Activities {
			if slices.ContainsFunc(d.equations[a].Refs, func(v int) bool { _, is := values[d.Variables[v].Key]; return !is }) {
				continue // linear equations that determine the step together leave others of their unknowns open
			}
			left, size := sides[a][0].eval(values)
			right, other := sides[a][1].eval(values)
			if scale := size + other; math.Abs(left-right) > 1e-12*scale && !math.IsInf(left, 0) && !math.IsInf(scale, 0) {
				t.Fatalf("%v %s => %s: %g is not %g (%v)", equationsOf(def), question, plain(solution.Value.Text()), left, right, values)
			}
		}
	}
	turned := def
	turned.Variables = slices.Clone(def.Variables)
	slices.Reverse(turned.Variables)
	if again := answerOf(turned, question); again != answer(d, question) {
		t.Fatalf("%v %s: %s, with the variables in another order %s", equationsOf(def), question, answer(d, question), again)
	}
}

func equationsOf(def Definition) []string {
	var list []string
	for _, a := range def.Activities {
		list = append(list, a.Equation)
	}
	return list
}

func answerOf(def Definition, question string) string {
	d, issues := Compile(def)
	if d == nil {
		return fmt.Sprint(issues)
	}
	return answer(d, question)
}
