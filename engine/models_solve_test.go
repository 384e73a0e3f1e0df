package engine

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"reckon/engine/value"
)

// models are one of each shape of about as many equations.
func models(equations int, chance *rand.Rand) []*model {
	return []*model{
		cashFlow(max(1, equations/10)), inventory(max(1, equations/5)), loan(max(1, equations/4)), network(equations, chance), tree(equations),
	}
}

// TestModelsForward asks models for what follows from their inputs, at the end, in the middle and
// anywhere, with variables and equations in any order: a plain evaluation gives the same, and it
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

// TestModelsBackward seeks an input that gives the end of a model: the model evaluated plainly with
// it ends there.
func TestModelsBackward(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 10))
	for _, size := range []int{20, 80, 300, 1000} {
		for _, m := range []*model{cashFlow(size / 10), loan(size / 4)} {
			if chance.IntN(2) == 0 {
				m.shuffled(chance)
			}
			d := compiledDefinition(t, m.def)
			for _, sought := range m.given {
				if sought == "total0" || sought == "paid0" {
					continue // one equation after the other tells it
				}
				stated := slices.DeleteFunc(slices.Clone(m.given), func(key string) bool { return key == sought })
				env := testEnv.Metered()
				s, errs := askIn(d, env, m.question(append(stated, m.last()), sought))
				if len(errs) > 0 {
					t.Errorf("%s of %d: %s: %v", m.def.Title, size, sought, errs)
					continue
				}
				got, _, err := big.ParseFloat(s.Value.Text().Scalar(), 10, modelDigits, big.ToNearestEven)
				if err != nil || !agreeing(m.with(sought, got, m.last()), m.values[m.last()], 29) {
					t.Errorf("%s of %d: %s is %v, and was %v", m.def.Title, size, sought, s.Value.Text(), m.values[sought])
				}
				if cost := value.DefaultBudget - env.Meter.Left; cost > 15_000+100*size {
					t.Errorf("%s of %d: %s costs %d", m.def.Title, size, sought, cost)
				}
			}
		}
	}
}
