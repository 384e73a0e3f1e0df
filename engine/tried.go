package engine

import "slices"

// triedBlock is a system in which the values of a choice or of what is counted are tried: with one
// of them the other unknowns follow one activity after the other, and an activity is left that
// tells which value fits. Other than in a square block that activity need not be solvable for what
// it has, as a rounding is not. It is nil where there is none.
func (r *reach) triedBlock() *block {
	for v := range r.domain.Profiles {
		if w := &r.domain.Profiles[v]; r.known[v] || !w.Discrete() || w.Table {
			continue
		}
		if b := r.tries(v); b != nil || r.meter.Over() {
			return b
		}
	}
	return nil
}

// tries is the system that follows from the values of one variable, nil where none does. It goes
// back to what was known before.
func (r *reach) tries(v int) (found *block) {
	d, follow := r.domain, r.follow
	by := map[int]int{v: -1} // the activity that yields a variable
	r.follow = func(o *block) { by[o.outputs[0]] = o.activities[0] }
	r.suppose([]int{v}, func() {
		looks, told := 0, -1
		for _, o := range r.learnt {
			for _, a := range d.users[o] {
				looks++
				if e := d.equations[a]; r.missing[a] == 0 && !d.isConstraint(a) && (e.Active || r.disabled) && (told < 0 || a < told) && !slices.ContainsFunc(e.Refs, func(u int) bool {
					via, open := by[u]
					return open && via == a
				}) {
					told = a
				}
			}
		}
		r.meter.Look(looks)
		if told >= 0 {
			found = d.systemOf(told, by)
		}
	})
	r.follow = follow
	if found != nil && r.banned != nil && r.banned(found.activities, -1) {
		return nil
	}
	return found
}

// systemOf is an activity with those that yield its unknowns; nil where a table is among these.
func (d *Domain) systemOf(activity int, by map[int]int) *block {
	b := &block{activities: []int{activity}}
	for at := 0; at < len(b.activities); at++ {
		for _, u := range d.equations[b.activities[at]].Refs {
			via, open := by[u]
			if !open {
				b.inputs = append(b.inputs, u)
				continue
			}
			if d.Profiles[u].Table {
				return nil
			}
			b.outputs = append(b.outputs, u)
			if via >= 0 && !slices.Contains(b.activities, via) {
				b.activities = append(b.activities, via)
			}
		}
	}
	for _, list := range []*[]int{&b.activities, &b.outputs, &b.inputs} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(b.activities) != len(b.outputs) || len(b.activities) < 2 {
		return nil
	}
	return b
}
