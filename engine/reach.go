package engine

import (
	"slices"

	"reckon/engine/value"
)

// reach is what follows from known variables, activity by activity and by systems of them. It looks
// at each edge of the graph twice at most, and at the edges between unknowns once for each system
// that follows from another one.
type reach struct {
	domain    *Domain
	meter     *value.Meter
	disabled  bool // disabled activities take part
	backwards bool // activities are solved one by one for what they do not yield, too
	known     []bool
	missing   []int32 // by activity: how many of its variables are not known
	queue     []int32 // activities that may yield a variable, those at the front first
	goal      int     // a variable at which it stops, -1 for none
	tried     bool    // what is learnt is noted, to be forgotten again
	learnt    []int

	banned func(activities []int, variable int) bool // nil for none
	follow func(o *block)                            // is told how variables follow, in order; nil
}

// reach is what follows from known variables, which it adds what follows to.
func (d *Domain) reach(m *value.Meter, known []bool, disabled bool) *reach {
	r := &reach{domain: d, meter: m, disabled: disabled, known: known, goal: -1, missing: make([]int32, len(d.equations))}
	looks := 0
	for a, e := range d.equations {
		looks += 1 + len(e.Refs)
		for _, v := range e.Refs {
			if !known[v] {
				r.missing[a]++
			}
		}
		if r.missing[a] == 1 {
			r.queue = append(r.queue, int32(a))
		}
	}
	m.Look(looks)
	return r
}

// learn makes a variable known.
func (r *reach) learn(v int) {
	r.known[v] = true
	if r.tried {
		r.learnt = append(r.learnt, v)
	}
	for _, a := range r.domain.users[v] {
		if r.missing[a]--; r.missing[a] == 1 {
			r.queue = append(r.queue, int32(a))
		}
	}
}

// singly goes on with one activity after the other.
func (r *reach) singly() {
	looks := 0
	for at := 0; at < len(r.queue) && (r.goal < 0 || !r.known[r.goal]); at++ {
		a := int(r.queue[at])
		e := r.domain.equations[a]
		if r.missing[a] != 1 || !e.Active && !r.disabled {
			continue
		}
		looks += len(e.Refs)
		for i, v := range e.Refs {
			if r.known[v] || !e.Calculable[i] && !r.backwards || r.banned != nil && r.banned(r.domain.ids[a:a+1], v) {
				continue
			}
			looks += len(r.domain.users[v])
			if r.learn(v); r.follow != nil {
				r.follow(r.domain.option(a, v))
			}
		}
	}
	r.queue = r.queue[:0]
	r.meter.Look(looks)
}

// option is an activity as what yields a variable.
func (d *Domain) option(activity, variable int) *block {
	return &block{activities: d.ids[activity : activity+1], outputs: d.ids[variable : variable+1], inputs: d.equations[activity].Refs}
}

// leads reports whether more variables lead to the goal, one activity after the other. It goes back
// to what was known before.
func (r *reach) leads(more []int) (reached bool) {
	r.suppose(more, func() { reached = r.known[r.goal] })
	return reached
}

// suppose goes on with more variables, one activity after the other, calls look, and goes back to
// what was known before.
func (r *reach) suppose(more []int, look func()) {
	r.tried = true
	looks := 0
	for _, v := range more {
		if !r.known[v] {
			r.learn(v)
		}
	}
	r.singly()
	look()
	for _, v := range r.learnt {
		r.known[v] = false
		looks += len(r.domain.users[v])
		for _, a := range r.domain.users[v] {
			r.missing[a]++
		}
	}
	r.learnt, r.tried = r.learnt[:0], false
	r.meter.Look(looks)
}

// all goes on by single activities and systems until nothing more follows. It returns the systems.
func (r *reach) all() []*block {
	var found []*block
	for r.singly(); !r.meter.Over(); {
		before := len(found)
		blocks := r.squareBlocks()
		if len(blocks) == 0 {
			if b := r.triedBlock(); b != nil {
				blocks = append(blocks, b)
			}
		}
		for _, b := range blocks {
			// What follows singly from the systems before it is no part of a system any more.
			if slices.ContainsFunc(b.outputs, func(v int) bool { return r.known[v] }) ||
				slices.ContainsFunc(b.inputs, func(v int) bool { return !r.known[v] }) || r.banned != nil && r.banned(b.activities, -1) {
				continue
			}
			for _, v := range b.outputs {
				r.learn(v)
			}
			if found = append(found, b); r.follow != nil {
				r.follow(b)
			}
			r.singly()
		}
		if len(found) == before {
			break
		}
	}
	return found
}

// squareBlocks are the systems that what is known leads to. Where one is banned, so are those
// without one of its activities, as another one that is left over may take its place.
func (r *reach) squareBlocks() []*block {
	blocks := r.domain.squareBlocks(r.meter, r.known, r.disabled, -1)
	if r.banned == nil {
		return blocks
	}
	allowed := func(b *block) bool { return !r.banned(b.activities, -1) }
	for _, b := range blocks {
		for _, a := range b.activities {
			if allowed(b) || r.meter.Over() {
				break
			}
			if others := r.domain.squareBlocks(r.meter, r.known, r.disabled, a); slices.ContainsFunc(others, allowed) {
				return append(blocks, others...)
			}
		}
	}
	return blocks
}

// closure adds to known all variables that follow from it, one activity at a time.
func (d *Domain) closure(m *value.Meter, known []bool, disabled bool) {
	d.reach(m, known, disabled).singly()
}

// closeBlocks goes on with what is known by blocks and single activities until nothing more
// follows. It returns the blocks.
func (d *Domain) closeBlocks(m *value.Meter, known []bool, disabled bool) []*block {
	return d.reach(m, known, disabled).all()
}

// reachable reports whether a target follows from what is known, which excludes the target itself.
func (d *Domain) reachable(m *value.Meter, known []bool, target int, disabled bool) bool {
	known = slices.Clone(known)
	known[target] = false
	r := d.reach(m, known, disabled)
	if r.singly(); !known[target] {
		r.all()
	}
	return known[target]
}
