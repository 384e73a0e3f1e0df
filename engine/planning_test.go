package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// tangle is a domain of equations a = b*c + d over variables that chance has chosen.
func tangle(variables, equations int) Definition {
	def := Definition{Title: "Tangle", Description: "Generated."}
	for v := range variables {
		def.Variables = append(def.Variables, value.Variable{Key: name("v", v)})
	}
	chance := rand.New(rand.NewPCG(1, 2))
	for range equations {
		p := chance.Perm(variables)
		def.Activities = append(def.Activities, Activity{Equation: fmt.Sprintf("%s = %s * %s + %s", name("v", p[0]), name("v", p[1]), name("v", p[2]), name("v", p[3]))})
	}
	return def
}

// planned answers a request for a variable with some others given 2, 3, 4 and so on, and tells what
// it cost in cost units.
func planned(t testing.TB, d *Domain, given, target int) (answer string, cost int) {
	t.Helper()
	var facts []Fact
	for v := range given {
		facts = append(facts, Fact{v, Stated, value.ScalarValue(units.Quantity{Number: decimal.Int(int64(v + 2)), Unit: units.One})})
	}
	env := testEnv.Metered()
	s, errs := d.Derive(env, facts, target, nil, nil, false, nil)
	if len(errs) > 0 {
		answer = fmt.Sprint(errs[0].Code, errs[0].Missing)
	} else {
		answer = fmt.Sprint(s.Value.Text(), s.Steps)
	}
	return answer, env.Limit() - env.Meter.Left
}

// TestPlanningEnds asks domains in which everything hangs together: each answer comes at the end of
// the budget at the latest, and is the same, at the same cost, whether its plan is kept or not.
func TestPlanningEnds(t *testing.T) {
	for _, size := range [][2]int{{8, 10}, {12, 60}, {40, 700}} {
		d := compiledDefinition(t, tangle(size[0], size[1]))
		for _, given := range []int{0, 1, 3, 4} {
			target := size[0] - 1
			start := time.Now()
			answer, cost := planned(t, d, given, target)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%v, %d given: %v", size, given, took)
			}
			again, same := planned(t, d, given, target)
			if again != answer || same != cost || cost > value.DefaultBudget {
				t.Errorf("%v, %d given: %s for %d, then %s for %d", size, given, answer, cost, again, same)
			}
		}
	}
}

// TestPlanningIsCounted gives a search less than it takes, twice: it ends in the same way, and with
// more it comes to an end of its own.
func TestPlanningIsCounted(t *testing.T) {
	d := compiledDefinition(t, tangle(40, 700))
	for range 2 {
		env := testEnv
		env.Budget = 1_000
		_, errs := askIn(d, env, "vaaa 2; vaab 3; vaac 4 -> vabj")
		if len(errs) != 1 || errs[0].Code != "calculation.limit_exceeded" || errs[0].Args[0] != "1,000 steps" {
			t.Error(errs)
		}
	}
	if got := answer(d, "vaaa 2; vaab 3; vaac 4; vaad 5 -> vabt"); strings.HasPrefix(got, "! calculation.limit_exceeded") {
		t.Error(got)
	}
}

func compiledDefinition(t testing.TB, def Definition) *Domain {
	t.Helper()
	d, issues := Compile(def)
	if d == nil {
		t.Fatal(issues)
	}
	return d
}
