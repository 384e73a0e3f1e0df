package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/input"
	"reckon/engine/solve"
	"reckon/engine/syntax"
	"reckon/engine/value"
)

// TestExplain explains every answer of testdata/solve that a calculation gives: its steps end in
// the value that is answered, each isolated equation with its numbers put in has the value of its
// step, and what is written for people in every form is well formed.
func TestExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("explaining all examples takes long")
	}
	files, err := filepath.Glob("testdata/solve/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	explained, methods, evaluated := 0, map[solve.Method]int{}, 0
	unsolved := map[solve.Method]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var def Definition
		var d *Domain
		for _, line := range strings.Split(string(data), "\n") {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "domain "):
				def, d = Definition{Title: line[7:], Description: "An example."}, nil
			case strings.Contains(line, "->"):
				if d == nil {
					d, _ = Compile(def)
				}
				question, _, _ := strings.Cut(line, "=>")
				s := keptScenario(d, question)
				if s == nil {
					continue
				}
				e, errs := d.Explain(s, nil, testEnv)
				if len(errs) > 0 || len(e.Unlike) > 0 {
					if len(errs) == 0 || errs[0].Code != "calculation.limit_exceeded" {
						t.Errorf("%s: %s: %v, unlike %v", file, line, errs, e.Unlike)
					}
					continue
				}
				explained++
				for _, step := range e.Steps {
					methods[step.Method]++
					switch {
					case step.Solved == nil:
						unsolved[step.Method]++
					case putIn(t, d, file+": "+line, step):
						evaluated++
					}
				}
				if text := e.Text(); text == "" || strings.Contains(text, "%!") {
					t.Errorf("%s: %s: %s", file, line, text)
				}
				e.TeX("")
				e.MathML("")
			default:
				if d != nil {
					def, d = Definition{Title: def.Title, Variables: def.Variables, Activities: def.Activities, Units: def.Units, StrictRoots: def.StrictRoots}, nil
				}
				if err := declare(&def, line); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d answers explained, %d formulas evaluated, steps %v, without an isolated equation %v", explained, evaluated, methods, unsolved)
	if explained < 1200 || evaluated < 750 {
		t.Errorf("only %d answers explained, %d formulas evaluated", explained, evaluated)
	}
}

// keptScenario is the scenario of a question without carried values, nil where there is no answer.
func keptScenario(d *Domain, question string) *Scenario {
	givens, target, _ := strings.Cut(question, "->")
	if manyDigits.MatchString(givens) {
		return nil // of which a conversation keeps 34
	}
	var r Request
	for _, g := range strings.Split(givens, ";") {
		if g = strings.TrimSpace(g); g == "" {
			continue
		}
		if strings.ContainsAny(g[:1], "~^") {
			return nil
		}
		key, text, _ := strings.Cut(strings.TrimPrefix(g, "-"), " ")
		in := Given{Variable: d.Index(key), Cleared: g[0] == '-' && text == ""}
		if in.Variable < 0 {
			return nil
		}
		if !in.Cleared {
			var errs []value.Error
			if in.Value, _, errs = input.ParseValue(&d.Scope, in.Variable, readText(text), testEnv); len(errs) > 0 {
				return nil
			}
		}
		r.Inputs = append(r.Inputs, in)
	}
	key, unit, asked := strings.Cut(strings.TrimSpace(target), " in ")
	to := Target{Variable: d.Index(key)}
	if asked && to.Variable >= 0 {
		u, err := input.ParseUnit(&d.Scope, to.Variable, unit)
		if err != nil {
			return nil
		}
		to.Unit = u
	}
	if to.Variable < 0 {
		return nil
	}
	r.Targets = []Target{to}
	result, errs := d.Calculate(nil, 0, r, testEnv)
	if len(errs) > 0 {
		return nil
	}
	s := &Scenario{Index: 1, Cleared: result.Cleared, Targets: result.Targets}
	for _, v := range result.Values {
		// As a conversation keeps them: with the digits that are shown.
		kept, _, errs := input.ParseValue(&d.Scope, v.Variable, v.Value.Text(), testEnv)
		if len(errs) > 0 {
			return nil
		}
		v.Value = kept
		s.Values = append(s.Values, v.ScenarioValue)
	}
	return s
}

var manyDigits = regexp.MustCompile(`\d{35}`)

// putIn evaluates a formula with its numbers put in, and tells whether that could be done: what
// names tables cannot.
func putIn(t *testing.T, d *Domain, place string, step ExplainedStep) bool {
	t.Helper()
	named := false
	eachName(step.Numbers.Right, nil, func(n *syntax.Name) { named = named || d.Index(n.Text) >= 0 })
	if named || step.Found[0].Rows > 0 {
		return false
	}
	v := d.Index(step.Found[0].Key)
	e := &formula.Equation{Source: []rune(syntax.String(step.Numbers.Right) + " = " + step.Found[0].Key), Active: true}
	formula.ParseEquation(&d.Scope, e, functions, func(_ int, format string, args ...any) {
		t.Errorf("%s: %s cannot be read: "+format, append([]any{place, step.Numbers}, args...)...)
	})
	if e.Left == nil {
		return false
	}
	e.StepMonths(&d.Scope, functions)
	m := d.machines.Take(testEnv)
	defer d.machines.Release(m)
	if e.Tables {
		return false
	}
	got := m.Eval(e.Left)
	if m.TryErr() != nil {
		t.Errorf("%s: %s has no value", place, step.Numbers)
		return false
	}
	found, _, errs := input.ParseValue(&d.Scope, v, step.Found[0].Value, testEnv)
	if len(errs) > 0 {
		t.Errorf("%s: %v", place, errs)
		return false
	}
	q, _ := found.Single()
	want := d.asDeclared(m.Context, v, q).SI(m.Context)
	// The numbers have 34 digits: what sums and differences of larger ones lose is lost.
	size := formula.Extreme(formula.Decimals{got.Abs(), want.Abs(), m.Size(e.Left)}, 1)
	if m.Context.Sub(got, want).Abs().Cmp(m.Context.Mul(size, decimal.MustParse("1e-28"))) > 0 {
		t.Errorf("%s: %s is %s and not %s", place, step.Numbers, got, want)
	}
	return true
}

// TestIsolation solves equations of random shape for an unknown, and explains that: an isolated
// equation has the value that was found.
func TestIsolation(t *testing.T) {
	isolated := 0
	rapid.Check(t, func(r *rapid.T) {
		text := syntax.String(drawExpression(r, 4))
		d, _ := Compile(Definition{
			Title: "Random", Description: "An equation.",
			Variables:  []value.Variable{{Key: "x"}, {Key: "y"}, {Key: "a"}, {Key: "b"}},
			Activities: []Activity{{Title: "Random", Equation: "y = " + text}},
		})
		if d == nil || !d.Calculable(0, d.Index("y")) || d.equations[0].Position(d.Index("x")) < 0 {
			return
		}
		x := rapid.IntRange(1, 9).Draw(r, "x")
		forward := keptScenario(d, fmt.Sprintf("x %d; a 2; b 3 -> y", x))
		if forward == nil {
			return
		}
		y := forward.Values[0].Value.Text().Scalar()
		given := "a 2; b 3; "
		for _, name := range []string{"a", "b"} {
			if d.equations[0].Position(d.Index(name)) < 0 {
				given = strings.ReplaceAll(given, map[string]string{"a": "a 2; ", "b": "b 3; "}[name], "")
			}
		}
		back := keptScenario(d, given+"y "+y+" -> x")
		if back == nil {
			return
		}
		e, errs := d.Explain(back, nil, testEnv)
		if len(errs) > 0 || len(e.Steps) != 1 {
			r.Fatalf("y = %s, y = %s: %v, %d steps", text, y, errs, len(e.Steps))
		}
		if e.Steps[0].Solved != nil && putIn(t, d, "y = "+text, e.Steps[0]) {
			isolated++
		}
		e.Text()
		e.TeX("")
		e.MathML("")
	})
	t.Logf("%d isolated", isolated)
	if isolated < 20 && !testing.Short() {
		t.Errorf("only %d equations were isolated", isolated)
	}
}

// drawExpression is a random expression in x, a, b and small numbers.
func drawExpression(r *rapid.T, depth int) syntax.Node {
	if depth == 0 || rapid.IntRange(0, 3).Draw(r, "leaf") == 0 {
		return rapid.SampledFrom([]syntax.Node{
			&syntax.Name{Text: "x"}, &syntax.Name{Text: "x"}, &syntax.Name{Text: "a"}, &syntax.Name{Text: "b"},
			numberNode("2"), numberNode("3"), numberNode("0.5"), numberNode("1"),
		}).Draw(r, "value")
	}
	switch op := rapid.SampledFrom(strings.Fields("+ - * / ^ neg % sqrt exp ln abs sin max if pmt")).Draw(r, "op"); op {
	case "neg":
		return &syntax.Unary{Op: "-", X: drawExpression(r, depth-1)}
	case "%":
		return &syntax.Unary{Op: "%", X: drawExpression(r, depth-1)}
	case "sqrt", "exp", "ln", "abs", "sin":
		return callNode(op, drawExpression(r, depth-1))
	case "max":
		return callNode(op, drawExpression(r, depth-1), drawExpression(r, depth-1))
	case "pmt":
		return callNode(op, numberNode("0.01"), numberNode("12"), drawExpression(r, depth-1))
	case "if":
		return callNode(op, &syntax.Binary{Op: ">", X: drawExpression(r, depth-1), Y: numberNode("2")}, drawExpression(r, depth-1), drawExpression(r, depth-1))
	case "^":
		return &syntax.Binary{Op: "^", X: drawExpression(r, depth-1), Y: rapid.SampledFrom([]syntax.Node{numberNode("2"), numberNode("3"), numberNode("0.5"), &syntax.Unary{Op: "-", X: numberNode("2")}, &syntax.Name{Text: "a"}}).Draw(r, "exponent")}
	default:
		return &syntax.Binary{Op: op, X: drawExpression(r, depth-1), Y: drawExpression(r, depth-1)}
	}
}
