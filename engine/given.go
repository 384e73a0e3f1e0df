package engine

// given says which facts there are: for each variable a set of tiers.
type given []uint8

func (g given) has(v int, t Tier) bool { return g[v]&(1<<t) != 0 }

// fixed reports whether a variable has a value that is never recomputed.
func (g given) fixed(v int) bool { return g.has(v, Stated) || g.has(v, Carried) }

// leafTier is the tier in which a variable may be used as it is, and whether there is one. A
// variable that was calculated in the base is never taken from its default.
func (g given) leafTier(v int, remembered bool) (Tier, bool) {
	switch {
	case g.has(v, Stated):
		return Stated, true
	case g.has(v, Carried):
		return Carried, true
	case g.has(v, Remembered):
		return Remembered, remembered
	case g.has(v, Defaulted):
		return Defaulted, true
	}
	return 0, false
}

// givenOf sorts facts by variable; those of the target do not count.
func (d *Domain) givenOf(facts []Fact, target int) given {
	g := make(given, len(d.Profiles))
	for _, f := range facts {
		if f.Variable != target {
			g[f.Variable] |= 1 << f.Tier
		}
	}
	return g
}

// leaves marks the variables that can be used as they are.
func (g given) leaves(remembered bool) []bool {
	known := make([]bool, len(g))
	for v := range g {
		_, known[v] = g.leafTier(v, remembered)
	}
	return known
}
