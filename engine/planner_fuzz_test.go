package engine

import (
	"math/rand/v2"
	"testing"

	"reckon/engine/value"
)

// FuzzPlanning plans over graphs that chance has made from a seed. Whatever follows from what is
// given has a plan, whose steps stand in an order in which they can be taken, and it costs no more
// than the graph and the bound of the search allow.
func FuzzPlanning(f *testing.F) {
	for seed, size := range [][3]uint8{{4, 3, 2}, {8, 10, 3}, {40, 60, 5}, {40, 250, 9}, {250, 240, 30}, {250, 120, 200}} {
		f.Add(uint64(seed), size[0], size[1], size[2])
	}
	// A system that follows from what is stated alone has a part that does not follow from all facts.
	f.Add(uint64(101), uint8(96), uint8(64), uint8(58))
	f.Fuzz(func(t *testing.T, seed uint64, variables, equations, given uint8) {
		n := 2 + int(variables)
		chance := rand.New(rand.NewPCG(seed, 1))
		def := Definition{Title: "Chance", Description: "Generated."}
		for v := range n {
			def.Variables = append(def.Variables, value.Variable{Key: name("v", v)})
		}
		for range 1 + int(equations) {
			text := name("v", chance.IntN(n)) + " = "
			if chance.IntN(4) == 0 {
				text += "round(" + name("v", chance.IntN(n)) + ") + "
			}
			for range chance.IntN(3) {
				text += name("v", chance.IntN(n)) + " + "
			}
			def.Activities = append(def.Activities, Activity{Equation: text + name("v", chance.IntN(n)), Disabled: chance.IntN(9) == 0})
		}
		d := compiledDefinition(t, def)
		g := make(map[int]bool)
		var facts []Fact
		for range given {
			if v := 1 + chance.IntN(n-1); !g[v] {
				g[v] = true
				facts = append(facts, Fact{Variable: v, Tier: Tier(chance.IntN(4))})
			}
		}
		have := d.givenOf(facts, 0)
		env := value.Env{}.Metered()
		p := d.findPlan(env.Meter, have, 0, false, nil)
		if follows := d.reachable(nil, have.leaves(true), 0, false); follows != (p != nil) {
			t.Fatalf("%v: it follows is %v, and a plan was found: %v", def.Activities, follows, p != nil)
		}
		if cost := env.Limit() - env.Meter.Left; cost > 100_000 {
			t.Errorf("it costs %d", cost)
		}
		if p == nil {
			return
		}
		known, used := make([]bool, n), map[int]bool{}
		for _, l := range p.leaves {
			known[l.variable] = have.has(l.variable, l.tier)
		}
		for _, s := range p.steps {
			for _, v := range s.Outputs {
				known[v] = true
			}
			for _, a := range s.Activities {
				e := d.equations[a]
				if used[a] || !e.Active {
					t.Errorf("activity %d is used twice, or does not take part", a)
				}
				used[a] = true
				for _, v := range e.Refs {
					if !known[v] {
						t.Errorf("activity %d needs variable %d, which is not known then", a, v)
					}
				}
			}
		}
		if !known[0] {
			t.Error("it does not come to the target")
		}
	})
}
