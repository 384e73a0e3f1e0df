package decimal

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the results in testdata")

// unary and binary are the operations by the names that testdata uses.
var unary = map[string]func(*Context, Decimal) Decimal{
	"exp": (*Context).Exp, "ln": (*Context).Ln, "log10": (*Context).Log10, "log2": (*Context).Log2,
	"sqrt": (*Context).Sqrt, "cbrt": (*Context).Cbrt,
	"sin": (*Context).Sin, "cos": (*Context).Cos, "tan": (*Context).Tan,
	"asin": (*Context).Asin, "acos": (*Context).Acos, "atan": (*Context).Atan,
	"sinh": (*Context).Sinh, "cosh": (*Context).Cosh, "tanh": (*Context).Tanh,
	"asinh": (*Context).Asinh, "acosh": (*Context).Acosh, "atanh": (*Context).Atanh,
	"floor": (*Context).Floor, "ceil": (*Context).Ceil, "trunc": (*Context).Trunc,
}

var binary = map[string]func(*Context, Decimal, Decimal) Decimal{
	"add": (*Context).Add, "sub": (*Context).Sub, "mul": (*Context).Mul, "quo": (*Context).Quo, "mod": (*Context).Mod,
	"pow": (*Context).Pow, "atan2": (*Context).Atan2,
}

// TestCases runs testdata/*.txt: on each line an operation, its arguments, " = " and the result or
// "error: " and its text.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runCases(t, file) })
	}
}

func runCases(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		input, want, _ := strings.Cut(line, " =")
		want = strings.TrimPrefix(want, " ")
		got := evaluate(strings.Split(input, " "))
		if got != want && !*update {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", file, i+1, input, got, want)
		}
		lines[i] = input + " = " + got
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func evaluate(words []string) string {
	name, c := words[0], NewContext(1000)
	var args []Decimal
	for _, word := range words[1:] {
		d, err := Parse(strings.Trim(word, `"`))
		if err != nil {
			return "error: " + err.Error()
		}
		args = append(args, d)
	}
	var r Decimal
	switch {
	case name == "parse" && len(args) == 1:
		r = args[0]
	case name == "shown" && len(args) == 1:
		r = args[0].Shown()
	case name == "integer" && len(args) == 1:
		return strconv.FormatBool(args[0].IsInteger())
	case name == "int64" && len(args) == 1:
		i, ok := args[0].Int64()
		if !ok {
			return "none"
		}
		return strconv.FormatInt(i, 10)
	case name == "cmp" && len(args) == 2:
		return strconv.Itoa(args[0].Cmp(args[1]))
	case name == "round" && len(args) == 2:
		places, _ := args[1].Int64()
		r = c.Round(args[0], int(places))
	case name == "pi":
		r = Pi()
	case name == "e":
		r = E()
	case unary[name] != nil && len(args) == 1:
		r = unary[name](c, args[0])
	case binary[name] != nil && len(args) == 2:
		r = binary[name](c, args[0], args[1])
	default:
		return "error: no operation " + name + " of " + strconv.Itoa(len(args)) + " arguments"
	}
	if c.Err() != nil {
		return "error: " + c.Err().Error()
	}
	return r.String()
}
