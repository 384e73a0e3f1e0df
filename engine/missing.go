package engine

import (
	"cmp"
	"slices"
	"sync"

	"reckon/engine/solve"
	"reckon/engine/value"
)

// Bounds of the search for alternatives. The smallest that are found by then are told.
const (
	maxAlternatives = 10
	maxMissingSets  = 500
	maxMissingLooks = 2_000_000
	maxSlopeLooks   = 8_000_000
	maxMissingSize  = 100 // of a set that is looked at
	maxTogether     = 60  // activities of a domain in which sets may suffice by systems too
	maxSpans        = 20  // sets that may suffice by rectangular systems
	maxSpansCost    = 5000
)

// alternatives lists the minimal sets of variables that, added to the facts, make the target
// solvable: shortest first, then domain order, at most 10, never with the target in one. Sets with
// hidden variables are told only where there are no others.
func (d *Domain) alternatives(env value.Env, facts []Fact, target int) []value.Alternative {
	g := d.givenOf(facts, target)
	given := g.leaves(true)
	given[target] = false
	l := &lacking{domain: d, env: env, facts: facts, target: target, given: given, tangent: d.tangent(env.Meter), meter: env.Meter, slopes: maxSlopeLooks}
	l.last = l.meter.Looks() - maxMissingLooks
	l.known = slices.Clone(given)
	d.closure(l.meter, l.known, false)
	for v, is := range l.known {
		l.known[v] = is && (given[v] || l.fixes(nil, v))
	}
	if l.known[target] {
		return nil
	}
	l.reach = d.reach(l.meter, l.known, false)
	l.reach.goal = target
	l.reach.queue = l.reach.queue[:0] // what follows from what is known is known
	sets := l.sets()
	if open := slices.DeleteFunc(slices.Clone(sets), func(set []int) bool {
		return slices.ContainsFunc(set, func(v int) bool { return d.Variables[v].Hidden })
	}); len(open) > 0 {
		sets = open
	}
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
	env     value.Env
	facts   []Fact
	meter   *value.Meter
	target  int
	given   []bool
	known   []bool              // what follows from that
	reach   *reach              // of known
	tangent *solve.TangentSpace // nil where it is not known
	slopes  int                 // the looks that tangent may still take
	spanned int                 // how many sets were tried by rectangular systems
	last    int                 // the looks that are left of the budget at its end
}

// fixes reports whether what is given and a set fix a variable, as far as slopes tell in time.
func (l *lacking) fixes(set []int, variable int) bool {
	if l.tangent == nil || l.slopes < 0 {
		return true
	}
	all := slices.Clone(l.given)
	for _, v := range set {
		all[v] = true
	}
	cost := l.tangent.Cost(all)
	l.slopes, l.last = l.slopes-cost, l.last-cost
	return l.meter.Look(cost) && l.tangent.Fixes(all, variable)
}

// spans reports whether linear equations determine the target with a set, though they leave others
// of their unknowns open. Slopes tell before that whether anything does.
func (l *lacking) spans(set []int) bool {
	if l.tangent == nil || l.spanned >= maxSpans || !l.fixes(set, l.target) {
		return false
	}
	l.spanned++
	found, _ := l.domain.findSpanWith(l.env, maxSpansCost, l.facts, set, l.target, nil)
	return found != nil
}

// missingSet is a set of unknown variables that suffices, and the way back from the target to it.
type missingSet struct {
	variables  []int
	activities []int
	derived    []int
}

// sets walks backwards from the target: a set of unknown variables that suffices becomes another
// one when an activity derives a member of it from others.
func (l *lacking) sets() [][]int {
	d := l.domain
	var found [][]int
	// One variable alone may do by a way that no step backwards shows in time.
	for v := range d.Profiles {
		if v != l.target && !l.known[v] && len(found) < maxAlternatives && l.meter.Looks() > l.last &&
			(l.reach.leads([]int{v}) && l.fixes([]int{v}, l.target) || l.spans([]int{v})) {
			found = append(found, []int{v})
		}
	}
	// The smallest sets go first, as they are the likeliest to become small ones.
	seen := map[string]bool{}
	waiting := make([][]missingSet, maxMissingSize+1) // by size
	waiting[1] = []missingSet{{variables: []int{l.target}}}
	for steps := 0; steps < maxMissingSets && (len(found) == 0 || l.meter.Looks() > l.last); steps++ {
		at := slices.IndexFunc(waiting, func(list []missingSet) bool { return len(list) > 0 })
		if at < 0 || l.meter.Over() {
			break
		}
		s := waiting[at][0]
		waiting[at] = waiting[at][1:]
		for _, v := range s.variables {
			for _, a := range d.users[v] {
				if len(found) > 0 && l.meter.Looks() < l.last || !l.meter.Look(8*len(s.variables)) {
					break
				}
				next, ok := l.before(s, v, a)
				if !ok || seen[fingerprint(next.variables)] {
					continue
				}
				seen[fingerprint(next.variables)] = true
				waiting[len(next.variables)] = append(waiting[len(next.variables)], next)
				if minimal := l.shrink(next.variables); minimal != nil {
					found = append(found, minimal)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	return slices.CompactFunc(found, slices.Equal[[]int])
}

// before is a set with what an activity derives a member of it from in the place of the member;
// false where the activity cannot, or goes in a circle.
func (l *lacking) before(s missingSet, member, activity int) (missingSet, bool) {
	e := l.domain.equations[activity]
	if !e.Active || !e.Solves(member) || slices.Contains(s.activities, activity) {
		return s, false
	}
	next := missingSet{
		variables:  slices.DeleteFunc(slices.Clone(s.variables), func(v int) bool { return v == member }),
		activities: append(slices.Clone(s.activities), activity),
		derived:    append(slices.Clone(s.derived), member),
	}
	for _, r := range e.Refs {
		switch {
		case l.known[r] || r == member:
		case slices.Contains(next.derived, r) || r == l.target:
			return s, false
		case !slices.Contains(next.variables, r):
			next.variables = append(next.variables, r)
		}
	}
	slices.Sort(next.variables)
	return next, len(next.variables) <= maxMissingSize
}

// shrink leaves out what a sufficient set does not need, nil where it does not suffice.
func (l *lacking) shrink(set []int) []int {
	suffices := func(set []int) bool {
		if !l.reach.leads(set) {
			if len(l.domain.equations) > maxTogether {
				return false
			}
			all := slices.Clone(l.known)
			for _, v := range set {
				all[v] = true
			}
			if !l.domain.reachable(l.meter, all, l.target, false) {
				return l.spans(set)
			}
		}
		return l.fixes(set, l.target)
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

// tangentBudget bounds the search for a place where all equations hold.
const tangentBudget = 200_000

// keptTangent is what the equations of a domain say about small changes of the variables, found
// once.
type keptTangent struct {
	once  sync.Once
	space *solve.TangentSpace // nil where it is not known
	cost  int
}

// tangent is what the equations say about small changes, nil where that is not known. Each
// calculation pays for it.
func (d *Domain) tangent(m *value.Meter) *solve.TangentSpace {
	t := &d.slopes
	t.once.Do(func() {
		env := value.Env{Budget: tangentBudget}.Metered()
		machine := d.machines.Take(env)
		s := solve.Solver{Machine: machine, Scope: &d.Scope, Equations: d.equations}
		t.space = s.Tangent()
		d.machines.Release(machine)
		t.cost = tangentBudget - env.Meter.Left
	})
	m.Spend(t.cost)
	return t.space
}
