package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// maxHostile is the memory that an answer to any input may take.
const maxHostile = 32 << 20

// allocated is how much memory work takes, garbage included.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostileTexts are inputs that aim at time and memory.
var hostileTexts = []struct{ name, text string }{
	{"huge exponent", "1e999999999"},
	{"huge negative exponent", "1e-999999999"},
	{"tower of powers", "9^9^9^9"},
	{"power in parentheses", "(((9^9)^9)^9)^9^9"},
	{"parentheses", strings.Repeat("(", 1_000_000) + "1" + strings.Repeat(")", 1_000_000)},
	{"open parentheses", strings.Repeat("(", 1_000_000)},
	{"signs", strings.Repeat("-", 1_000_000) + "1"},
	{"unit power", "2 m^1000000000"},
	{"literal", strings.Repeat("7", 50_000)},
	{"fraction literal", "0." + strings.Repeat("7", 50_000)},
	{"sum", strings.Repeat("1+", 200_000) + "1"},
	{"product of literals", strings.Repeat(strings.Repeat("7", 900)+"*", 200) + "1"},
	{"units", "1 " + strings.Repeat("m·", 50_000) + "m"},
}

func TestHostileValues(t *testing.T) {
	d := compiledGraph(t, []string{"y = x + 1"})
	for _, h := range hostileTexts {
		var errs []value.Error
		if got := allocated(func() { _, _, errs = input.ParseValue(&d.Scope, 0, value.Scalar(h.text), testEnv) }); got > maxHostile {
			t.Errorf("%s: %d bytes", h.name, got)
		}
		if len(errs) == 0 && h.name != "product of literals" {
			t.Errorf("%s is read", h.name)
		}
	}
}

func TestHostileTable(t *testing.T) {
	d, issues := Compile(Definition{Title: "Table", Variables: []value.Variable{{Key: "x", Kind: "table"}, {Key: "y"}}, Activities: []Activity{{Equation: "y = sum(x)"}}})
	if d == nil {
		t.Fatal(issues)
	}
	row := make([]string, 1000)
	for i := range row {
		row[i] = "1"
	}
	table := value.Text{Rank: 2}
	for range 1000 {
		table.Cells = append(table.Cells, row)
	}
	var errs []value.Error
	got := allocated(func() { _, _, errs = input.ParseValue(&d.Scope, 0, table, testEnv) })
	if got > maxHostile || len(errs) == 0 {
		t.Errorf("%d bytes, %v", got, errs)
	}
}

func TestHostileEquations(t *testing.T) {
	for _, h := range hostileTexts {
		for _, equation := range []string{"y = x + " + h.text, "y = x * (" + h.text + ")", "y = x + 1 [" + h.text + "]"} {
			def := Definition{Title: "Hostile", Variables: []value.Variable{{Key: "x"}, {Key: "y"}}, Activities: []Activity{{Equation: equation}}}
			if got := allocated(func() {
				if d, _ := Compile(def); d != nil {
					answer(d, "x 1 -> y")
					answer(d, "y 1 -> x")
				}
			}); got > maxHostile {
				t.Errorf("%.40s: %d bytes", equation, got)
			}
		}
	}
}

// TestHostileSolving asks for roots that are hard to find, or not there. What a search may cost is
// counted, so that its end does not depend on the machine; none of the answers is a number that is
// not a root.
func TestHostileSolving(t *testing.T) {
	for _, c := range []struct{ equation, given, want string }{
		{"y = sin(1/x) + 0*x", "y 0.5", "! calculation.multiple_solutions x | infinitely many"},
		{"y = x*sin(1/x)^2", "y 1e-20", "! calculation.multiple_solutions x | infinitely many"},
		{"y = 1/x + 0*x", "y 0", "! calculation.no_solution x"},
		{"y = 1/x", "y 0", "! calculation.no_solution x"},
		{"y = x*tan(1/x)", "y 7", "! calculation.multiple_solutions x | infinitely many"},
		{"y = x^x^x", "y -1", ""},
		{"y = exp(exp(exp(x))) + x", "y 1e6000", ""},
		{"y = exp(exp(x)) - exp(exp(-x))", "y 1e300", ""},
		{"y = x^99 + x^98", "y 2", "1"},
		{"y = sin(x^2) + sin(exp(x))", "y 3", ""},
		{"y = " + strings.Repeat("sin(x + ", 60) + "x" + strings.Repeat(")", 60), "y 5", ""},
		{"y = " + strings.Repeat("sqrt(x + ", 60) + "x" + strings.Repeat(")", 60), "y 5", ""},
		{"y = " + strings.Repeat("x^2 + (", 60) + "exp(x)" + strings.Repeat(")", 60), "y 5", ""},
		{"y = x^12 - 3*x^11 + 7*x^10 - 2*x^9 + x^8 - 4*x^7 + x", "y -1e-9", ""},
		{"y = min(" + strings.Repeat("x^3 - x, sin(x), ", 20) + "x)", "y -0.5", ""},
	} {
		d, issues := Compile(Definition{Title: "Hostile", Variables: []value.Variable{{Key: "x"}, {Key: "y"}}, Activities: []Activity{{Equation: c.equation}}})
		if d == nil {
			t.Fatal(issues)
		}
		var got string
		if bytes := allocated(func() { got = answer(d, c.given+" -> x") }); bytes > maxHostile {
			t.Errorf("%.60s: %d bytes", c.equation, bytes)
		}
		if c.want != "" && got != c.want {
			t.Errorf("%.60s %s: %s", c.equation, c.given, got)
		}
		if c.want == "" && !strings.HasPrefix(got, "!") {
			back := answer(d, fmt.Sprintf("x %s -> y", got))
			given := strings.TrimPrefix(c.given, "y ")
			if !near(mustValue(t, d, back), mustValue(t, d, given).Quantity().Number.String()) {
				t.Errorf("%.60s %s: %s gives %s", c.equation, c.given, got, back)
			}
		}
	}
}

func mustValue(t *testing.T, d *Domain, text string) value.Value {
	t.Helper()
	v, _, errs := input.ParseValue(&d.Scope, 1, value.Scalar(text), testEnv)
	if len(errs) > 0 {
		t.Fatal(text, errs)
	}
	return v
}
