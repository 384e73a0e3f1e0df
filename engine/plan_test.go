package engine

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine/value"
)

// definition makes a domain of undeclared variables from equations.
func definition(equations ...string) Definition {
	def := Definition{Title: "Graph", Description: "Generated."}
	seen := map[string]bool{}
	for _, e := range equations {
		def.Activities = append(def.Activities, Activity{Equation: e})
		for _, name := range strings.FieldsFunc(e, func(r rune) bool { return strings.ContainsRune(" =+-*/()0123456789.", r) }) {
			if !seen[name] {
				seen[name] = true
				def.Variables = append(def.Variables, value.Variable{Key: name})
			}
		}
	}
	return def
}

// name spells an index in letters.
func name(prefix string, i int) string {
	return prefix + strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%03d", i))
}

func compiledGraph(t *testing.T, equations []string) *Domain {
	t.Helper()
	d, issues := Compile(definition(equations...))
	if d == nil {
		t.Fatal(issues)
	}
	return d
}

// TestDerivePlansLarge plans over graphs with very many ways to go; the counted steps keep that
// short.
func TestDerivePlansLarge(t *testing.T) {
	t.Run("chain", func(t *testing.T) {
		var equations []string
		for i := range 900 {
			equations = append(equations, fmt.Sprintf("%s = %s + 1", name("v", i+1), name("v", i)))
		}
		d := compiledGraph(t, equations)
		if got := answer(d, "vaaa 1 -> vjaa"); got != "901" {
			t.Error(got)
		}
		if got := answer(d, "vjaa 901 -> vaaa"); got != "1" {
			t.Error(got)
		}
		if got := answer(d, "vaaa 1 -> "+name("v", 450)); got != "451" {
			t.Error(got)
		}
	})
	t.Run("ladder", func(t *testing.T) {
		// Two ways at each of fifty rungs: 2^50 plans.
		var equations []string
		for i := range 50 {
			equations = append(equations,
				fmt.Sprintf("%s = %s + 1", name("l", i+1), name("l", i)), fmt.Sprintf("%s = %s + 1", name("r", i+1), name("r", i)),
				fmt.Sprintf("%s = %s + 0", name("l", i), name("r", i)))
		}
		d := compiledGraph(t, equations)
		if got := answer(d, "laaa 1 -> lafa"); got != "51" {
			t.Error(got)
		}
	})
	t.Run("complete", func(t *testing.T) {
		// Every three of twelve variables are tied together.
		var equations []string
		for i := range 12 {
			for j := range i {
				for k := range j {
					equations = append(equations, fmt.Sprintf("%s = %s + %s - %s", name("v", i), name("v", j), name("v", k), name("v", k)))
				}
			}
		}
		d := compiledGraph(t, equations)
		if got := answer(d, "vaaa 5; vaab 5 -> "+name("v", 11)); got != "5" {
			t.Error(got)
		}
	})
	t.Run("missing", func(t *testing.T) {
		var equations []string
		for i := range 100 {
			equations = append(equations, fmt.Sprintf("%s = %s + %s", name("v", i+2), name("v", i+1), name("v", i)))
		}
		d := compiledGraph(t, equations)
		got := answer(d, "vaab 1 -> vbaa")
		if !strings.HasPrefix(got, "! calculation.missing_inputs vbaa {vaac} {vaaa}") {
			t.Error(got)
		}
	})
}
