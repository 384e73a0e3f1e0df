package engine

import (
	"cmp"
	"slices"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// Bounds of the search for alternatives.
const (
	maxAlternatives = 10
	maxMissingSets  = 500
	maxMissingSize  = 20 // of a set that is looked at
)

// alternatives lists the minimal sets of variables that, added to the facts, make the target solvable: shortest first,
// then domain order, at most 10, never with the target in one.
func (d *Domain) alternatives(facts []Fact, target int) []value.Alternative {
	g := d.givenOf(facts, target)
	given := g.leaves(true)
	given[target] = false
	l := &lacking{domain: d, target: target, given: given, tangent: d.tangent()}
	l.known = slices.Clone(given)
	d.closure(l.known, false)
	for v, is := range l.known {
		l.known[v] = is && (given[v] || l.fixes(nil, v))
	}
	if l.known[target] {
		return nil
	}
	sets := l.sets()
	var alternatives []value.Alternative
	for _, set := range sets[:min(len(sets), maxAlternatives)] {
		var a value.Alternative
		for _, v := range set {
			a.Variables = append(a.Variables, d.name(v))
		}
		alternatives = append(alternatives, a)
	}
	return alternatives
}

// lacking is the search for what a target needs.
type lacking struct {
	domain  *Domain
	target  int
	given   []bool
	known   []bool              // what follows from that
	tangent *solve.TangentSpace // nil where it is not known
}

// fixes reports whether what is given and a set fix a variable, as far as slopes tell.
func (l *lacking) fixes(set []int, variable int) bool {
	if l.tangent == nil {
		return true
	}
	all := slices.Clone(l.given)
	for _, v := range set {
		all[v] = true
	}
	return l.tangent.Fixes(all, variable)
}

// sets walks backwards from the target: a set of unknown variables that suffices becomes another one when an activity derives
// a member of it from others.
func (l *lacking) sets() [][]int {
	d, known, target := l.domain, l.known, l.target
	type state struct {
		set  []int
		used []int // activities
		done []int // variables derived
	}
	var found [][]int
	seen := map[string]bool{}
	// One variable alone may do by a way that no step backwards shows in time.
	for v := range d.Profiles {
		if v != target && !known[v] && len(found) < maxAlternatives {
			all := slices.Clone(known)
			all[v] = true
			if d.closure(all, false); all[target] && l.fixes([]int{v}, target) {
				found = append(found, []int{v})
			}
		}
	}
	queue := []state{{set: []int{target}}}
	for steps := 0; len(queue) > 0 && steps < maxMissingSets; steps++ {
		s := queue[0]
		queue = queue[1:]
		for _, v := range s.set {
			for _, a := range d.users[v] {
				e := d.equations[a]
				if !e.Active || !e.Solves(v) || slices.Contains(s.used, a) {
					continue
				}
				next := state{used: append(slices.Clone(s.used), a), done: append(slices.Clone(s.done), v)}
				for _, u := range s.set {
					if u != v {
						next.set = append(next.set, u)
					}
				}
				fits := true
				for _, r := range e.Refs {
					if known[r] || r == v {
						continue
					}
					if slices.Contains(next.done, r) || r == target {
						fits = false
						break
					}
					if !slices.Contains(next.set, r) {
						next.set = append(next.set, r)
					}
				}
				if !fits {
					continue
				}
				slices.Sort(next.set)
				id := fingerprint(next.set)
				if seen[id] || len(next.set) > maxMissingSize {
					continue
				}
				seen[id] = true
				queue = append(queue, next)
				if minimal := l.shrink(next.set); minimal != nil {
					found = append(found, minimal)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	return slices.CompactFunc(found, func(a, b []int) bool { return slices.Equal(a, b) })
}

// shrink leaves out what a sufficient set does not need, nil where it does not suffice.
func (l *lacking) shrink(set []int) []int {
	suffices := func(set []int) bool {
		all := slices.Clone(l.known)
		for _, v := range set {
			all[v] = true
		}
		return l.domain.reachable(all, l.target, false) && l.fixes(set, l.target)
	}
	if len(set) == 0 || !suffices(set) {
		return nil
	}
	minimal := slices.Clone(set)
	for i := len(minimal) - 1; i >= 0 && len(minimal) > 1; i-- {
		if without := slices.Delete(slices.Clone(minimal), i, i+1); suffices(without) {
			minimal = without
		}
	}
	return minimal
}

func fingerprint(set []int) string {
	b := make([]byte, 0, 2*len(set))
	for _, v := range set {
		b = append(b, byte(v), byte(v>>8))
	}
	return string(b)
}

// tangent is what the equations say about small changes of the variables, nil where that is not known.
func (d *Domain) tangent() *solve.TangentSpace {
	m := d.machines.Take(value.Env{})
	defer d.machines.Release(m)
	s := solve.Solver{Machine: m, Scope: &d.Scope, Equations: d.equations}
	return s.Tangent()
}
