package engine

import (
	"fmt"
	"testing"

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
			return list, []string{name("v", 0)}, name("v", min(n, 999))
		}},
		{"tree", func(n int) (list, given []string, target string) {
			// Each variable is the sum of two further ones; what is not one is given.
			n = min(n, 499)
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
		for _, n := range []int{10, 100, 1000} {
			equations, given, target := shape.make(min(n, 998))
			if len(equations) < n/3 {
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
