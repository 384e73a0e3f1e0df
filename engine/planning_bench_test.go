package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// BenchmarkPlanning searches plans that are not kept, and tells what they cost, of 1,000,000 units.
func BenchmarkPlanning(b *testing.B) {
	shapes := []struct {
		name string
		make func(activities int) (equations []string, given []string, target string)
	}{
		{"chain", func(n int) (list, given []string, target string) {
			for i := range n {
				list = append(list, fmt.Sprintf("%s = %s + 1", name("v", i+1), name("v", i)))
			}
			return list, []string{name("v", 0)}, name("v", n)
		}},
		{"tree", func(n int) (list, given []string, target string) {
			// Each variable is the sum of two further ones; what is not one is given.
			n = min(n, 4500)
			for i := range n {
				list = append(list, fmt.Sprintf("%s = %s + %s", name("v", i), name("v", 2*i+1), name("v", 2*i+2)))
			}
			for i := n; i <= 2*n; i++ {
				given = append(given, name("v", i))
			}
			return list, given, name("v", 0)
		}},
		{"clique", func(n int) (list, given []string, target string) {
			// All of so many variables that threes of them make up the activities.
			for i := 0; len(list) < n; i++ {
				for j := range i {
					for k := range j {
						if len(list) < n {
							list = append(list, fmt.Sprintf("%s = %s + %s", name("v", i), name("v", j), name("v", k)))
							target = name("v", i)
						}
					}
				}
			}
			return list, []string{name("v", 0), name("v", 1)}, target
		}},
		{"alternatives", func(n int) (list, given []string, target string) {
			// Two ways at each rung.
			for i := range n / 2 {
				list = append(list, fmt.Sprintf("%s = %s + 1", name("v", i+1), name("v", i)), fmt.Sprintf("%s = %s * 2", name("v", i+1), name("v", i)))
			}
			return list, []string{name("v", 0)}, name("v", n/2)
		}},
	}
	for _, shape := range shapes {
		for _, n := range []int{10, 100, 1000, 9000} {
			equations, given, target := shape.make(n)
			if len(equations) < n {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d", shape.name, len(equations)), func(b *testing.B) {
				d := compiledDefinition(b, definition(equations...))
				var facts []Fact
				for _, key := range given {
					facts = append(facts, Fact{Variable: d.Index(key), Tier: Stated})
				}
				g, at := d.givenOf(facts, d.Index(target)), d.Index(target)
				cost := 0
				for b.Loop() {
					env := value.Env{}.Metered()
					if d.findPlan(env.Meter, g, at, false, nil) == nil && !env.Meter.Over() {
						b.Fatal("no plan")
					}
					cost = env.Limit() - env.Meter.Left
				}
				b.ReportMetric(float64(cost), "units")
			})
		}
	}
}

// BenchmarkModels answers models: forward with a plan that is kept, forward with one that is
// searched, backward for the first of the inputs, and with nothing given.
func BenchmarkModels(b *testing.B) {
	for _, size := range []int{80, 600, 5000} {
		for _, m := range []*model{cashFlow(size / 10), inventory(size / 5), loan(size / 4), network(size, rand.New(rand.NewPCG(1, 2))), tree(size)} {
			d := compiledDefinition(b, m.def)
			run := func(name, question string, kept bool) {
				b.Run(fmt.Sprintf("%s/%d/%s", m.def.Title, len(m.terms), name), func(b *testing.B) {
					facts, target := factsOf(b, d, question)
					cost := 0
					for b.Loop() {
						if !kept {
							d.plans = planCache{}
						}
						env := testEnv.Metered()
						d.Derive(env, facts, target, nil, nil, false, nil)
						cost = env.Limit() - env.Meter.Left
					}
					b.ReportMetric(float64(cost), "units")
				})
			}
			run("kept", m.question(m.given, m.last()), true)
			run("planned", m.question(m.given, m.last()), false)
			if sought := m.given[0]; m.def.Title == "Cash flow" || m.def.Title == "Loan" {
				run("goal", m.question(append(slices.Clone(m.given[1:]), m.last()), sought), false)
			}
			run("missing", m.question(nil, m.last()), false)
		}
	}
}

// factsOf reads a question whose values have no mistake.
func factsOf(b *testing.B, d *Domain, question string) (facts []Fact, target int) {
	givens, key, _ := strings.Cut(question, " -> ")
	for _, g := range strings.Split(givens, "; ") {
		if key, text, ok := strings.Cut(g, " "); ok {
			parsed, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(text), testEnv)
			if len(errs) > 0 {
				b.Fatal(errs)
			}
			facts = append(facts, Fact{d.Index(key), Stated, parsed})
		}
	}
	return facts, d.Index(key)
}
