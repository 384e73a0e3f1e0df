package language

import (
	"slices"
)

// findEnds finds the pairs of variables of one kind and dimension of which one is the start and one
// the end of something.
func (v *Vocabulary) findEnds() {
	named := func(t *term, r string) bool {
		return slices.ContainsFunc(t.names, func(n name) bool {
			return slices.ContainsFunc(n.words, func(w string) bool { return slices.Contains(v.tables.stemRoles[w], r) })
		})
	}
	d := v.domain
	for a, activity := range d.Activities {
		if activity.Disabled {
			continue
		}
		alike := map[int][]int{} // by the one that is named, those of its kind in the equation
		refs := d.References(a)
		for _, i := range refs {
			for _, k := range refs {
				if t, u := &v.terms[i], &v.terms[k]; i != k && t.kind == u.kind && t.dimensional && u.dimensional && !t.dimension.IsNone() && t.dimension == u.dimension {
					alike[i] = append(alike[i], k)
				}
			}
		}
		for i, list := range alike { // "Price last year" has the price as its other end
			if t := &v.terms[i]; len(list) == 1 {
				u := &v.terms[list[0]]
				switch {
				case named(t, "starts") && !named(u, "starts"):
					t.start, u.end = true, true
				case named(t, "ends") && !named(u, "ends"):
					t.end, u.start = true, true
				}
			}
		}
	}
	for i := range v.terms {
		for k := range v.terms {
			a, b := &v.terms[i], &v.terms[k]
			if i != k && a.kind == b.kind && a.dimensional && b.dimensional && a.dimension == b.dimension && named(a, "starts") && named(b, "ends") {
				a.start, b.end = true, true
			}
		}
	}
}
