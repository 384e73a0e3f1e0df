package engine

import (
	"math/rand/v2"
	"testing"

	"reckon/engine/value"
)

// models are one of each shape of about as many equations.
func models(equations int, chance *rand.Rand) []*model {
	return []*model{
		cashFlow(max(1, equations/10)), inventory(max(1, equations/5)), loan(max(1, equations/4)), network(equations, chance), tree(equations),
	}
}

// TestModelsForward asks models for what follows from their inputs, near the start, in the middle and
// at the end, with variables and equations in any order: a plain evaluation gives the same, and it
// costs in proportion to the equations.
func TestModelsForward(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 8))
	for _, size := range []int{10, 80, 300, 1000} {
		for _, m := range models(size, chance) {
			if chance.IntN(2) == 0 {
				m.shuffled(chance)
			}
			d := compiledDefinition(t, m.def)
			defined := m.keys[len(m.given):]
			for _, target := range []string{m.last(), defined[len(defined)/2], defined[chance.IntN(len(defined))]} {
				env := testEnv.Metered()
				s, errs := askIn(d, env, m.question(m.given, target))
				if len(errs) > 0 || !m.right(target, s.Value.Text().Scalar(), 33) {
					t.Errorf("%s of %d: %s is %v, not %s: %v", m.def.Title, len(defined), target, s.Value.Text(), m.values[target].Text('g', 34), errs)
				}
				if cost := value.DefaultBudget - env.Meter.Left; cost > 1000+100*len(defined) {
					t.Errorf("%s of %d: %s costs %d", m.def.Title, len(defined), target, cost)
				}
			}
		}
	}
}
