package engine

import (
	"cmp"
	"strings"

	"reckon/engine/value"
)

// forwards says that a target cannot be found since an activity cannot be solved for what the way
// to it needs; nil where something else is behind that.
func (d *Domain) forwards(m *value.Meter, g given, target int) *value.Error {
	known := g.leaves(true)
	known[target] = false
	r := d.reach(m, known, false)
	r.goal, r.backwards = target, true
	via := make([]*block, len(known))
	r.follow = func(o *block) {
		for _, v := range o.outputs {
			via[v] = o
		}
	}
	r.all()
	if !known[target] || m.Over() {
		return nil
	}
	var against func(v int) (activity, variable int)
	seen := make([]bool, len(known))
	against = func(v int) (int, int) {
		o := via[v]
		if o == nil || seen[v] {
			return -1, -1
		}
		seen[v] = true
		for _, in := range o.inputs {
			if a, of := against(in); a >= 0 {
				return a, of
			}
		}
		if a := o.activities[0]; len(o.activities) == 1 && !d.equations[a].Solves(v) && d.told(g, via, a) {
			return a, v
		}
		return -1, -1
	}
	activity, variable := against(target)
	if activity < 0 {
		return nil
	}
	return value.Problem("calculation.forwards_only", d.Variables[target].Key, d.activityName(activity), d.yields(activity), d.Variables[variable].Key)
}

// told reports whether what an activity yields is known other than by a default.
func (d *Domain) told(g given, via []*block, activity int) bool {
	for _, v := range d.equations[activity].Refs {
		if d.equations[activity].Solves(v) && (g.fixed(v) || via[v] != nil) {
			return true
		}
	}
	return false
}

// yields names the variables that an activity can be solved for.
func (d *Domain) yields(activity int) string {
	var keys []string
	for _, v := range d.equations[activity].Refs {
		if d.equations[activity].Solves(v) {
			keys = append(keys, d.Variables[v].Key)
		}
	}
	return strings.Join(keys, " or ")
}

// activityName is the title of an activity, else its equation.
func (d *Domain) activityName(activity int) string {
	a := &d.Activities[activity]
	return cmp.Or(a.Title, a.Equation)
}

// notCalculable is the problem of a target that no activity can be solved for, with an active one
// that names it where there is one.
func (d *Domain) notCalculable(target int) *value.Error {
	key := d.Variables[target].Key
	for _, a := range d.users[target] {
		if to := d.yields(a); d.equations[a].Active && to != "" {
			return value.Problem("input.not_calculable", key, d.activityName(a), to)
		}
	}
	return value.Problem("input.not_calculable", key)
}
