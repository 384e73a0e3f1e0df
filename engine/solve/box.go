package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// cell finds the roots in a box whose ends are of one size.
func (bb *branchAndBound) cell(b searchBox) formula.Decimals {
	if b.low == 0 || b.high == 0 || math.Abs(b.high) > mostScale*bb.scale*2 || math.Abs(b.low) > mostScale*bb.scale*2 {
		bb.open = true
		return nil
	}
	limit := maxCell
	if bb.unresolved > 4 {
		limit = unresolvedCell
	}
	var found formula.Decimals
	var clusters []searchBox
	stack := []searchBox{b}
	for steps := 0; len(stack) > 0; steps++ {
		box := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		value, slope := bb.over(box.low, box.high)
		if bb.solver.Limited() {
			return nil
		}
		if value.Empty() || !value.Has(0) {
			bb.sparse = bb.sparse || value.Sparse
			continue
		}
		roots, done := bb.rising(box, value, slope)
		if done {
			found = append(found, roots...)
			continue
		}
		size := math.Max(math.Abs(box.low), math.Abs(box.high))
		if box.high-box.low <= narrowest*size {
			if k := len(clusters) - 1; k >= 0 && clusters[k].high >= box.low-narrowest*size {
				clusters[k].high = box.high
			} else {
				clusters = append(clusters, box)
			}
			continue
		}
		if steps > limit {
			bb.unresolved++
			bb.open = true
			return append(found, bb.undecided(b)...)
		}
		mid := box.low + (box.high-box.low)/2
		stack = append(stack, searchBox{low: mid, high: box.high}, searchBox{low: box.low, high: mid})
	}
	for _, c := range clusters {
		found = append(found, bb.cluster(c.low, c.high)...)
	}
	return found
}

// undecided looks at samples of a box that intervals do not decide.
func (bb *branchAndBound) undecided(b searchBox) formula.Decimals {
	// What oscillating in float64 may only be its own rounding.
	if grid := evenly(b.low, b.high, 64); oscillating(grid, bb.seek.at) && oscillating(grid, bb.seek.wide) {
		bb.crowded = math.Min(bb.crowded, b.distance)
		return nil
	}
	var roots formula.Decimals
	half := (b.high - b.low) / 2
	place, limit := bb.seek.limitWithin(bb.e, decimal.FromFloat(b.low+half), half*(1+1e-9), math.Max(math.Abs(b.low), math.Abs(b.high)))
	last, from := 0, 0.0
	for _, x := range evenly(b.low, b.high, 8) {
		sign, ok := bb.sign(x)
		if !ok || sign == 0 {
			last = 0
			continue
		}
		if sign*last < 0 {
			if t, ok := bb.seek.between(decimal.FromFloat(from), decimal.FromFloat(x), last, bb.seek.difference); ok {
				roots = append(roots, t)
			}
		}
		last, from = sign, x
	}
	roots = bb.solver.keep(bb.e, bb.x.Variable, roots)
	if limit {
		roots = append(roots, place)
	}
	return roots
}

// oscillating reports whether a function changes its sign or its direction so often that its roots
// crowd.
func oscillating(grid []float64, f func(float64) float64) bool {
	changes, turns, last, direction := 0, 0, math.NaN(), 0.0
	for _, x := range grid {
		y := f(x)
		if math.IsNaN(y) {
			continue
		}
		if y*last < 0 {
			changes++
		}
		if (y-last)*direction < 0 {
			turns++
		}
		direction, last = y-last, y
	}
	return changes > 6 || turns > 12
}

// scanned lists the roots within limits that samples show.
func (bb *branchAndBound) scanned(grid []float64, low, high float64) formula.Decimals {
	bb.seek.found, bb.seek.crowded = nil, false
	bb.seek.scan(grid)
	return slices.DeleteFunc(bb.solver.keep(bb.e, bb.x.Variable, bb.seek.found), func(t decimal.Decimal) bool {
		f := t.Float64()
		return f < low || f > high || f == 0
	})
}

// sample looks at samples of a region that is too much for intervals.
func (bb *branchAndBound) sample(r region) formula.Decimals {
	var grid []float64
	for _, x := range decades(bb.scale, searchDensity) {
		for _, x := range []float64{-x, x} {
			if x >= r.low && x <= r.high {
				grid = append(grid, x)
			}
		}
	}
	slices.Sort(grid)
	return bb.scanned(grid, r.low, r.high)
}

// cluster finds the roots in a narrow interval where the difference of the sides hardly has a
// slope, or jumps: as the signs of its derivatives show, or else at the shortest number.
func (bb *branchAndBound) cluster(low, high float64) formula.Decimals {
	solver := bb.solver
	slack := 2 * (high - low)
	mid := decimal.FromFloat(low + (high-low)/2)
	if place, ok := bb.seek.limit(bb.e, mid, bb.scale); ok {
		return formula.Decimals{place}
	}
	inside := func(x decimal.Decimal) bool {
		f := x.Float64()
		return f >= low-slack && f <= high+slack
	}
	found, all := bb.seek.crossings(bb.e, decimal.FromFloat(low-slack), decimal.FromFloat(high+slack))
	if kept := solver.keep(bb.e, bb.x.Variable, found); len(kept) > 0 || all && len(found) == 0 {
		return kept
	}
	if x, ok := shortest(low, high); ok {
		if kept := solver.keep(bb.e, bb.x.Variable, formula.Decimals{x}); len(kept) > 0 {
			return kept
		}
	}
	var roots formula.Decimals
	for _, x := range []decimal.Decimal{decimal.FromFloat(low), mid, decimal.FromFloat(high)} {
		if r, ok := bb.seek.secant(x, bb.seek.difference); ok && inside(r) {
			roots = append(roots, r)
		}
	}
	if solver.TryErr() != nil && solver.Limited() {
		return nil
	}
	if roots = solver.keep(bb.e, bb.x.Variable, roots); len(roots) == 0 {
		bb.open = true
	}
	return roots
}

// shortest is the number with the fewest digits in an interval.
func shortest(low, high float64) (decimal.Decimal, bool) {
	if low <= 0 && high >= 0 {
		return decimal.Decimal{}, true
	}
	mid := low + (high-low)/2
	c := decimal.NewContext(value.DefaultBudget)
	exponent := int(math.Floor(math.Log10(math.Abs(mid))))
	for digits := range 16 {
		x := c.Round(decimal.FromFloat(mid), digits-exponent)
		if f := x.Float64(); c.Err() == nil && f >= low && f <= high {
			return x, true
		}
	}
	return decimal.Decimal{}, false
}

// nodeCount counts n and all nodes below it, each as often as it stands there, up to a bound.
func nodeCount(n *formula.Node) int {
	count := 1
	for _, a := range n.Args {
		if count += nodeCount(a); count > 10_000 {
			break
		}
	}
	return count
}
