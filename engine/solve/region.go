package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// region is an interval in which roots are looked for, and where the search in it starts.
type region struct{ low, high, from float64 }

// regions lists what to search, the best first.
func (bb *branchAndBound) regions() []region {
	v := bb.x.Variable
	low, high := bb.solver.Scope.Profiles[v].Range()
	low, high = low-math.Abs(low)*1e-15, high+math.Abs(high)*1e-15
	near := math.NaN()
	scaled := false
	if bb.aim.preferred {
		if value := bb.solver.Near(v); value != nil {
			near = value.Float64()
		}
		scaled = bb.solver.IsScale(v)
	}
	var list []region
	add := func(a, b, from float64) {
		if a, b = math.Max(a, low), math.Min(b, high); a <= b {
			if !math.IsNaN(near) && !math.IsInf(near, 0) {
				from = near
			}
			list = append(list, region{a, b, from})
		}
	}
	turn := 2 * math.Pi
	switch {
	case bb.periodic() && (bb.aim.all || math.IsNaN(near)):
		add(0, turn*(1+1e-15), 0)
		add(-turn*(1+1e-15), 0, 0)
	case scaled && !math.IsNaN(near):
		add(-farthest, farthest, 0)
	default:
		add(0, farthest, 0)
		add(-farthest, 0, 0)
	}
	return list
}

// periodic reports whether the equation repeats itself after a turn: the unknown stands only in
// whole multiples of itself under functions with a period.
func (bb *branchAndBound) periodic() bool {
	var repeats func(n *formula.Node) bool
	repeats = func(n *formula.Node) bool {
		if !n.Has(bb.x) {
			return true
		}
		switch {
		case n.Op == formula.OpCall && n.Function.Definition != nil && n.Function.Period == 0:
			n = n.Defined()
		case n.Op == formula.OpCall && n.Function.Period > 0:
			if slope, _, ok := linearIn(n.Args[0], bb.x); ok && slope.Op == formula.OpNumber && slope.Value.IsInteger() {
				return true
			}
		}
		return len(n.Args) > 0 && !slices.ContainsFunc(n.Args, func(a *formula.Node) bool { return !repeats(a) })
	}
	return repeats(bb.left) && repeats(bb.right)
}
