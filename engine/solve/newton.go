package solve

import (
	"math"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of Newton's method for systems.
const (
	maxNewtonSize  = 12 // unknowns
	maxNewtonNodes = 4000
	maxNewtonSteps = 40
	maxHalvings    = 8
	maxRepeats     = 10 // starts in a row that lead to no new solution end a phase that has some
	maxUnsettled   = 8  // solutions that are taken for all where that many starts were not reached
	maxCorrections = 12 // steps in decimal
	leastPivot     = 1e-10
	poorPivot      = 1e-7 // a step is the least one from here down
	leastLoose     = 3    // places where the equations do not fix the unknowns show that there are very many
)

// phase is a part of the starts of Newton's method.
type phase struct {
	starts  int
	decades float64 // how far the starts lie from the scale of an unknown, on both sides
	signed  bool    // of all signs
}

// phases are the starts in order: near the scales of the unknowns, far from them, and those of all
// signs.
var phases = []phase{{30, 2, false}, {40, 8, false}, {40, 3, true}}

// newton finds solutions of a block by damped Newton steps from many fixed starts in float64, each
// refined in decimal. The list holds the different solutions that pass all equations and are within
// bounds, in the order of the block's outputs. Angles are looked for within one turn first, since
// every turn repeats it. The error says that there are infinitely many, or more than can be told
// apart.
func (s *Solver) newton(step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	z := s.system(step, equations)
	if z == nil {
		return nil, nil
	}
	anywhere, turned := slices.Clone(z.ranges), false
	for j, r := range z.ranges {
		if r.angle && math.IsInf(r.low, 0) && math.IsInf(r.high, 0) {
			z.ranges[j].low, z.ranges[j].high, turned = -math.Pi, math.Pi, true
		}
	}
	found, err := s.approached(z, step, equations)
	if len(found) == 0 && err == nil && turned && !s.Limited() {
		z.ranges = anywhere
		return s.approached(z, step, equations)
	}
	return found, err
}

// approached lists the solutions that some start leads to. Those with a negative number are looked
// for where there is none without.
func (s *Solver) approached(z *system, step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	var found []formula.Decimals
	var seen [][]float64 // places in float64, those that were refused among them
	at, loose := 0, 0
	for _, p := range phases {
		repeats := 0
		for range p.starts {
			at++
			x := z.start(p, at)
			arrived := z.approach(x, !p.signed, at%2 == 1)
			if z.solver.Limited() {
				return nil, nil
			}
			if !arrived {
				continue
			}
			if slices.ContainsFunc(seen, func(o []float64) bool { return alike(o, x) }) {
				if repeats++; repeats >= maxRepeats && len(found) > 0 {
					break
				}
				continue
			}
			seen, repeats = append(seen, x), 0
			if weakest := z.weakestPivot(x); weakest.size < leastPivot {
				// With any value of one unknown all equations hold.
				if values, ok := z.refine(x, &weakest); ok && len(found) == 0 && s.fits(step, equations, values) {
					if loose++; loose >= leastLoose {
						return nil, errManySolutions
					}
				}
				continue
			}
			values, ok := z.refine(x, nil)
			if ok && s.fits(step, equations, values) && !slices.ContainsFunc(found, func(o formula.Decimals) bool { return z.solver.sameValues(o, values) }) {
				found = append(found, values)
			}
		}
		if slices.ContainsFunc(found, func(values formula.Decimals) bool { return s.natural(step, values) }) {
			// Where new solutions keep coming, those that were found are a chance choice.
			if repeats < maxRepeats && len(found) >= maxUnsettled {
				return nil, errCrowded
			}
			break
		}
	}
	return found, nil
}

// alike reports whether two solutions in float64 are the same but for rounding, that of double
// roots included.
func alike(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*(math.Abs(x)+math.Abs(y)) })
}

// start is a place to start from: powers of ten around the scales, spread evenly; of an unknown
// with bounds on both sides, and of angles, a value between them.
func (z *system) start(p phase, k int) []float64 {
	x := make([]float64, len(z.ranges))
	for j, r := range z.ranges {
		share := spread(k, j)
		if k == 1 && !r.angle && r.scale > r.low && r.scale < r.high {
			x[j] = r.scale
			continue
		}
		low, high := r.low, r.high
		if r.angle {
			low, high = math.Max(low, -math.Pi), math.Min(high, math.Pi)
			if k%4 < 2 && !p.signed {
				low = math.Max(low, 0)
			}
		}
		even := !math.IsInf(low, 0) && !math.IsInf(high, 0) && low < high
		if even && (r.angle || low < 0 || high <= 1e3*math.Max(low, r.scale) || k%2 == 0) {
			x[j] = low + share*(high-low)
			continue
		}
		x[j] = r.scale * math.Pow(10, (2*share-1)*p.decades)
		if p.signed && math.Mod(float64(k)*math.Cbrt(float64(2+j)), 1) < 0.5 {
			x[j] = -x[j]
		}
		if x[j] <= low {
			x[j] = low + math.Abs(x[j])
		}
		if x[j] >= high {
			x[j] = high - (high-math.Max(low, 0))*share
		}
	}
	return x
}

// approach moves x to a solution; false where it comes to none. Unknowns of a natural sign move by
// factors where positive says that they stay positive.
func (z *system) approach(x []float64, positive, ratios bool) bool {
	logs := make([]bool, len(x))
	for j, r := range z.ranges {
		logs[j] = x[j] > 0 && !r.angle && (positive && !r.free || r.low == 0)
	}
	miss := z.miss(x, ratios)
	next := make([]float64, len(x))
	for range maxNewtonSteps {
		if math.IsNaN(miss) {
			return false
		}
		if miss < 1e-24 {
			return true
		}
		step, weakest := gauss(z.matrix(x, logs, ratios))
		if weakest.size < poorPivot {
			if step, weakest = gauss(normalEquations(z.matrix(x, logs, ratios))); weakest.size == 0 {
				return false
			}
		}
		// No number moves by more than a factor of a hundred at once, no angle by more than one radian.
		most := 1.0
		for j := range x {
			switch {
			case logs[j]:
				most = math.Max(most, math.Abs(step[j])/4.6)
			case z.ranges[j].angle:
				most = math.Max(most, math.Abs(step[j]))
			}
		}
		better := false
		for h := range maxHalvings {
			part := math.Pow(0.5, float64(h)) / most
			for j := range x {
				next[j] = z.moved(j, x[j], -part*step[j], logs[j])
			}
			if less := z.miss(next, ratios); less < miss {
				copy(x, next)
				miss, better = less, true
				break
			}
			if z.solver.Limited() {
				return false
			}
		}
		if !better {
			return miss < 1e-16
		}
	}
	return miss < 1e-16
}

// moved is an unknown a step further, kept within its bounds.
func (z *system) moved(j int, x, step float64, log bool) float64 {
	next := x + step
	if log {
		next = x * math.Exp(step)
	}
	r := &z.ranges[j]
	switch {
	case next < r.low:
		return x + 0.9*(r.low-x)
	case next > r.high:
		return x + 0.9*(r.high-x)
	}
	return next
}

// refine goes on in decimal; false where it comes to no solution. Without an equation and an
// unknown, that unknown stays as it is: fixed is nil for all of them.
func (z *system) refine(start []float64, fixed *pivot) (formula.Decimals, bool) {
	solver := z.solver
	x := make(formula.Decimals, len(start))
	for j := range start {
		x[j] = decimal.FromFloat(start[j])
	}
	for range maxCorrections {
		for j, o := range z.outputs {
			solver.Suppose(o, x[j])
		}
		solver.Renew()
		var rows []linear
		for i := range z.rows {
			if fixed != nil && i == fixed.row {
				continue
			}
			r := &z.rows[i]
			value := solver.Context.Sub(solver.Value(r.left), solver.Value(r.right))
			row := linear{constant: value}
			for j, slope := range r.slopes {
				at := j
				if fixed != nil && j >= fixed.column {
					at--
				}
				if fixed != nil && j == fixed.column {
					continue
				}
				if by := solver.Context.Sub(solver.Value(slope[0]), solver.Value(slope[1])); !by.IsZero() || !by.IsExact() {
					row.terms = append(row.terms, entry[decimal.Decimal]{at, by})
				}
			}
			rows = append(rows, row)
		}
		if solver.TryErr() != nil {
			return nil, false
		}
		step, err := solver.eliminate(rows)
		if err != nil || solver.TryErr() != nil {
			return nil, false
		}
		rest := true
		for j := range x {
			if fixed != nil && j == fixed.column {
				continue
			}
			move := step[0]
			step = step[1:]
			// What is next to nothing is 0; whether the equations hold with that is checked.
			if x[j] = solver.Context.Add(x[j].Exactly(), move); x[j].Abs().Cmp(solver.Context.Epsilon(-30)) < 0 {
				x[j] = decimal.Decimal{}
				continue
			}
			rest = rest && move.Abs().Cmp(solver.Context.Mul(x[j].Abs(), solver.Context.Epsilon(22))) <= 0
		}
		if rest {
			return x, solver.TryErr() == nil
		}
	}
	return nil, false
}
