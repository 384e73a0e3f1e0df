package solve

import (
	"iter"
	"math"
	"slices"
	"sync"

	"reckon/engine/units"
)

// Where samples lie.
const (
	searchDecades = 16 // on both sides of the scale of the unknown
	searchDensity = 6  // samples a decade, and eight times as many when they show nothing
	searchLinear  = 400
)

// grids are the samples to look at, the likeliest first.
func (s *seeker) grids() iter.Seq[[]float64] {
	w := &s.solver.Scope.Profiles[s.variable]
	low, high := w.Range()
	scale := s.solver.searchScale(s.variable)
	within := func(grid []float64) []float64 {
		grid = slices.DeleteFunc(grid, func(x float64) bool { return x < low || x > high })
		for _, edge := range []float64{low, high} {
			if !math.IsInf(edge, 0) {
				grid = append(grid, edge)
			}
		}
		slices.Sort(grid)
		return slices.Compact(grid)
	}
	return func(yield func([]float64) bool) {
		if w.Hint != nil {
			if h := w.Hint.Float64(); h != 0 && !math.IsInf(h, 0) {
				if !yield(within(evenly(h-math.Abs(h)/2, h+math.Abs(h), searchLinear))) {
					return
				}
			}
		}
		if w.Known && w.Resolved == units.Angle {
			// Every turn repeats the first one.
			for _, n := range []int{searchLinear, 8 * searchLinear} {
				if !yield(within(evenly(max(low, -math.Pi), min(high, math.Pi), n))) || !yield(within(evenly(low, high, n))) {
					return
				}
			}
			return
		}
		for _, density := range []int{searchDensity, 8 * searchDensity} {
			up := decades(scale, density)
			if s.tables {
				up = thinned(up, density)
			}
			up = append(up, evenly(low, high, density*searchLinear/searchDensity)...)
			mirrored := func() []float64 {
				down := []float64{0}
				for _, x := range up {
					down = append(down, -x)
				}
				return down
			}
			if w.Point.IsPoint() {
				if !yield(within(slices.Concat(up, mirrored()))) {
					return
				}
				continue
			}
			positive := slices.DeleteFunc(slices.Clone(up), func(x float64) bool { return x <= 0 })
			if !yield(within(positive)) {
				return
			}
			negative := slices.DeleteFunc(slices.Concat(up, mirrored()), func(x float64) bool { return x > 0 })
			if !yield(within(append(negative, scale*math.Pow(10, -searchDecades)))) {
				return
			}
		}
	}
}

func decades(scale float64, density int) []float64 {
	powers := coarse()
	if density != searchDensity {
		powers = powersOfTen(searchDecades, density)
	}
	grid := make([]float64, 0, len(powers)+2)
	for _, p := range powers {
		grid = append(grid, scale*p)
	}
	return grid
}

// nearDecades and middleDecades are how far from the scale samples through tables, each of which
// takes all the cells, stand close together, and less so.
const (
	nearDecades   = 3
	middleDecades = 8
)

// thinned leaves two samples a decade, and further out one, of those that are not near the scale.
func thinned(grid []float64, density int) (list []float64) {
	for k, x := range grid {
		i := k - searchDecades*density
		every := density
		switch far := max(i, -i); {
		case far <= nearDecades*density:
			every = 1
		case far <= middleDecades*density:
			every = density / 2
		}
		if i%every == 0 {
			list = append(list, x)
		}
	}
	return list
}

// coarse is what the first samples are made of.
var coarse = sync.OnceValue(func() []float64 { return powersOfTen(searchDecades, searchDensity) })

// powersOfTen are the numbers whose logarithms are a density-th apart, over a count of decades on
// both sides of 1.
func powersOfTen(count, density int) []float64 {
	list := make([]float64, 0, 2*count*density+1)
	for i := -count * density; i <= count*density; i++ {
		list = append(list, math.Pow(10, float64(i)/float64(density)))
	}
	return list
}

func evenly(low, high float64, n int) []float64 {
	if math.IsInf(low, 0) || math.IsInf(high, 0) || low >= high {
		return nil
	}
	grid := make([]float64, 0, n+1)
	for i := 0; i <= n; i++ {
		grid = append(grid, low+(high-low)*float64(i)/float64(n))
	}
	return grid
}
