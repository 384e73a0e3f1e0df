package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"reckon/engine/value"
)

// TestModelsMissing states some of the inputs of models: what is said to be missing is enough for an
// answer, no value of it is too many in small models, and to say so is cheap.
func TestModelsMissing(t *testing.T) {
	if testing.Short() {
		t.Skip("large models take long")
	}
	chance := rand.New(rand.NewPCG(11, 12))
	for _, size := range []int{12, 40, 100, 1000} {
		for _, m := range models(size, chance) {
			d := compiledDefinition(t, m.def)
			for _, keep := range []int{0, 1, len(m.given) - 1} {
				stated := slices.Clone(m.given)
				chance.Shuffle(len(stated), func(i, j int) { stated[i], stated[j] = stated[j], stated[i] })
				stated = stated[:keep]
				if missing := lacks(t, d, m, stated); len(missing) > 0 {
					for _, set := range missing[:min(3, len(missing))] {
						all := slices.Clone(stated)
						for _, v := range set.Variables {
							all = append(all, v.Key)
						}
						if more := lacks(t, d, m, all); more != nil {
							t.Errorf("%s of %d: with %v, %v lacks %v", m.def.Title, size, set, stated, more)
						}
						for i := keep; i < len(all) && size <= 40; i++ {
							if lacks(t, d, m, slices.Delete(slices.Clone(all), i, i+1)) == nil {
								t.Errorf("%s of %d: %v is too many in %v", m.def.Title, size, all[i], set)
							}
						}
					}
				}
			}
		}
	}
}

// lacks is what is said to be missing for the end of a model, nil where there is an answer.
func lacks(t *testing.T, d *Domain, m *model, stated []string) []value.Alternative {
	t.Helper()
	env := testEnv.Metered()
	s, errs := askIn(d, env, m.question(stated, m.last()))
	cost := value.DefaultBudget - env.Meter.Left
	switch {
	case len(errs) == 0:
		if !m.right(m.last(), s.Value.Text().Scalar(), 20) {
			t.Errorf("%s: %v gives %v", m.def.Title, stated, s.Value.Text())
		}
	case errs[0].Code == "calculation.multiple_solutions" && m.def.Title == "Inventory":
		// What is cut off by a least or a greatest value may have been anything.
	case errs[0].Code != "calculation.missing_inputs" || len(errs[0].Missing) == 0:
		t.Errorf("%s: %v gives %v", m.def.Title, stated, errs)
	case cost > value.DefaultBudget/4:
		t.Errorf("%s: that something is missing costs %d", m.def.Title, cost)
	default:
		return errs[0].Missing
	}
	return nil
}
