package engine

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// TestStandardSystems solves the systems of testdata/systems.txt, which nothing is given for: no
// value to start from, and only such bounds as the variables have by their nature.
func TestStandardSystems(t *testing.T) {
	file, err := os.Open("testdata/systems.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var def Definition
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "", "#", "source":
		case "system":
			def = Definition{Title: rest, Description: "A standard system."}
		case "var", "eq":
			if err := declare(&def, line); err != nil {
				t.Fatal(err)
			}
		default:
			t.Run(def.Title, func(t *testing.T) { solveSystem(t, def, line) })
		}
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
}

func solveSystem(t *testing.T, def Definition, line string) {
	target, roots, _ := strings.Cut(line, " = ")
	addVariables(&def)
	d := compiledDefinition(t, def)
	s, errs := ask(d, "-> "+target)
	if len(errs) > 0 {
		t.Fatal(errs[0].Filled())
	}
	if got := s.Value.Quantity().Number; !slices.ContainsFunc(strings.Split(roots, " | "), func(root string) bool {
		return isRoot(got.String(), root)
	}) {
		t.Errorf("%s is %s, not %s", target, got.Shown(), roots)
	}
}

// addVariables declares what equations name.
func addVariables(def *Definition) {
	declared := map[string]bool{}
	for _, v := range def.Variables {
		declared[v.Key] = true
	}
	for _, a := range def.Activities {
		for _, match := range variableName.FindAllString(a.Equation, -1) {
			_, isConstant := formula.Constants[match]
			if formula.StandardFunctions.ByName[match] == nil && !isConstant && !declared[match] {
				declared[match] = true
				def.Variables = append(def.Variables, value.Variable{Key: match})
			}
		}
	}
}

var variableName = regexp.MustCompile(`\b[a-z]\w*`)

// isRoot reports whether a number is the one that is written with up to 34 digits.
func isRoot(got, root string) bool {
	a, b := decimal.MustParse(got), decimal.MustParse(root)
	c := decimal.NewContext(1000)
	return c.Sub(a, b).Abs().Cmp(c.Mul(b.Abs(), decimal.MustParse("2e-33"))) <= 0
}
