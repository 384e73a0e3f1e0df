package engine

import (
	"strings"
	"testing"
)

// TestFunctions runs the examples of the function table.
func TestFunctions(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range functions() {
		if seen[f.name] {
			t.Errorf("%s stands in the table twice", f.name)
		}
		seen[f.name] = true
		if f.doc == "" || !strings.HasSuffix(f.doc, ".") || len(f.examples) == 0 {
			t.Errorf("%s needs a sentence of documentation and an example", f.name)
		}
		for _, e := range f.examples {
			d, issues := Compile(Definition{
				Title:       "Example",
				Description: "One equation.",
				Variables:   []Variable{{Key: "r"}, {Key: "given", Default: Scalar("1")}},
				Activities:  []Activity{{Equation: "r = (" + e.expression + ") * given"}},
			})
			if d == nil {
				t.Errorf("%s: %v", e.expression, issues)
				continue
			}
			if got := answer(d, "-> r"); got != e.value {
				t.Errorf("%s is %s, want %s", e.expression, got, e.value)
			}
		}
	}
}

// TestInverses puts values through functions and back.
func TestInverses(t *testing.T) {
	for _, f := range functions() {
		if f.inverse == nil || len(f.params) != 1 || f.variadic {
			continue
		}
		d, issues := Compile(Definition{
			Title:      "Inverse",
			Variables:  []Variable{{Key: "x"}, {Key: "y"}},
			Activities: []Activity{{Equation: "y = " + f.name + "(x)"}},
		})
		if d == nil {
			t.Fatal(issues)
		}
		for _, x := range []string{"0.3", "0.9", "1", "1.2"} {
			y := answer(d, "x "+x+" -> y")
			if strings.HasPrefix(y, "!") {
				continue
			}
			s, errs := ask(d, "y "+y+" -> x")
			if len(errs) > 0 {
				t.Errorf("%s(%s) = %s does not go back: %v", f.name, x, y, errs)
				continue
			}
			back, _ := ask(d, "x "+s.Value.Text().scalar()+" -> y")
			if !near(back.Value, y) {
				t.Errorf("%s(%s) = %s goes back to %s", f.name, x, y, s.Value.Text().scalar())
			}
		}
	}
}

// near compares a value with a number to 25 digits.
func near(v Value, text string) bool {
	c := newMachine(testEnv, 0).c
	if len(v.Cells) == 0 {
		return false
	}
	number, _, _ := strings.Cut(text, " ")
	want := mustParse(number)
	miss := c.Sub(v.Quantity().Number, want).Abs()
	return miss.Cmp(c.Mul(want.Abs(), mustParse("1e-25"))) <= 0
}
