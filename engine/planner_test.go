package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// cheapest tries every plan of single activities for a target, without any bound. ok is false where
// there is none.
func cheapest(d *Domain, g given, target int, remembered bool) (best cost, ok bool) {
	via, used := make([]int, len(d.Profiles)), make([]bool, len(d.equations))
	const open, taken = -1, -2
	for v := range via {
		via[v] = open
	}
	var rests func(from, on int) bool
	rests = func(from, on int) bool {
		return via[from] >= 0 && slices.ContainsFunc(d.equations[via[from]].Refs, func(r int) bool {
			return r != from && (r == on || rests(r, on))
		})
	}
	var try func(need []int, now cost)
	try = func(need []int, now cost) {
		for len(need) > 0 && via[need[0]] != open {
			need = need[1:]
		}
		if len(need) == 0 {
			for a, is := range used {
				if is {
					now.order = append(now.order, a)
				}
			}
			if !ok || now.compare(best) < 0 {
				best, ok = now, true
			}
			return
		}
		v := need[0]
		tier, leaf := g.leafTier(v, remembered)
		if leaf && v != target {
			then := now
			switch tier {
			case Stated:
				then.unstated--
			case Remembered:
				then.remembered++
			case Defaulted:
				then.defaulted++
			}
			via[v] = taken
			try(need[1:], then)
			via[v] = open
		}
		if g.fixed(v) {
			return
		}
		for a, e := range d.equations {
			if used[a] || !e.Solves(v) {
				continue
			}
			via[v], used[a] = a, true
			if !rests(v, v) {
				then := now
				then.activities++
				try(slices.Concat(need[1:], e.Refs), then)
			}
			via[v], used[a] = open, false
		}
	}
	try([]int{target}, cost{})
	return best, ok
}

// TestPlansAreCheapest holds the plans for small graphs that chance has made against all others.
func TestPlansAreCheapest(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	planned := 0
	for range 2000 {
		variables := 3 + chance.IntN(5)
		def := Definition{Title: "Chance", Description: "Generated."}
		for v := range variables {
			def.Variables = append(def.Variables, value.Variable{Key: name("v", v)})
		}
		for range 1 + chance.IntN(6) {
			terms := chance.Perm(variables)[:2+chance.IntN(2)]
			var text []string
			for _, v := range terms[1:] {
				text = append(text, name("v", v))
			}
			// The unknowns of a rounding are calculated forwards alone.
			equation := name("v", terms[0]) + " = " + strings.Join(text, " + ")
			if chance.IntN(4) == 0 {
				equation = name("v", terms[0]) + " = round(" + strings.Join(text, " + ") + ")"
			}
			def.Activities = append(def.Activities, Activity{Equation: equation})
		}
		d := compiledDefinition(t, def)
		g := make(given, variables)
		for v := range variables - 1 {
			if chance.IntN(2) == 0 {
				g[v] = 1 << chance.IntN(4)
			}
		}
		target := variables - 1
		p := d.findPlan(value.Env{}.Metered().Meter, g, target, false, nil)
		var want cost
		ok := false
		for _, remembered := range []bool{false, true} {
			if want, ok = cheapest(d, g, target, remembered); ok {
				break
			}
		}
		if p != nil && slices.ContainsFunc(p.steps, func(s solve.Step) bool { return s.IsBlock() }) {
			continue
		}
		if (p != nil) != ok {
			t.Fatalf("%v, given %v: a plan is %v, and was found: %v", def.Activities, g, ok, p != nil)
		}
		if p == nil {
			continue
		}
		planned++
		var got cost
		for _, l := range p.leaves {
			switch l.tier {
			case Stated:
				got.unstated--
			case Remembered:
				got.remembered++
			case Defaulted:
				got.defaulted++
			}
		}
		for _, s := range p.steps {
			got.activities++
			got.order = append(got.order, s.Activity)
		}
		slices.Sort(got.order)
		if got.compare(want) != 0 {
			t.Errorf("%v, given %v: %s, not %s", def.Activities, g, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
	if planned < 300 {
		t.Error(planned)
	}
}
