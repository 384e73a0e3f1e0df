package solve

import (
	"math"
	"slices"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/formula"
)

// Bounds of Newton's method for systems.
const (
	maxNewtonSize  = 1000 // unknowns
	maxNewtonNodes = 60_000
	maxRepeats     = 10 // starts in a row that lead to no new solution end a phase that has some
	maxUnsettled   = 8  // solutions that are taken for all where that many starts were not reached
	maxCorrections = 12 // steps in decimal
	maxNewtonCost  = 300_000
	maxPhaseCost   = 80_000
	manyUnknowns   = 8
	patience       = 3
	enoughCost     = 100_000 // from which on no further solutions are looked for where there is one
	leastPivot     = 1e-10
	plainPivot     = 1e-4 // from which down the slopes hardly fix an unknown
	plainDigits    = 3    // of an unknown where the slopes do not fix it
	plainPart      = 1e-3 // of the scale of an unknown that is next to nothing
	middleStart    = 2    // the start between the bounds of the unknowns
	leastLoose     = 2    // places where the equations do not fix the unknowns, one of them looked at beside itself, show that there are very many
)

// phase is a part of the starts of Newton's method.
type phase struct {
	starts  int
	decades float64 // how far the starts lie from the scale of an unknown, on both sides
	signed  bool    // of all signs
	defined bool    // every other one gives unknowns what the others make them
}

// phases are the starts in order: near the scales of the unknowns, a few of them of all signs, far
// from the scales, and those of all signs.
var phases = []phase{{30, 2, false, false}, {10, 0.5, true, false}, {40, 8, false, true}, {40, 3, true, false}}

// plainStarts are the first ones of all signs, as parts of the scales of the unknowns.
var plainStarts = []float64{-1, 0, 1}

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
		found, err = s.approached(z, step, equations)
	}
	if z.closest.row >= 0 {
		s.furthest = equations[z.closest.row].Title
	}
	return found, err
}

// approached lists the solutions that some start leads to. Those with a negative number are looked
// for where there is none without.
func (s *Solver) approached(z *system, step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	var found []formula.Decimals
	var seen [][]float64 // places in float64, those that were refused among them
	at, loose, enough := 0, 0, maxRepeats
	if len(step.Outputs) > manyUnknowns {
		enough /= 2 // each takes much longer
	}
	z.allowed = maxPhaseCost
	for _, p := range phases {
		repeats, began := 0, s.Context.Cost()
		for i := range p.starts {
			if s.Context.Cost()-began > maxPhaseCost {
				break
			}
			if cost := s.Context.Cost() - z.began; cost > maxNewtonCost || cost > enoughCost && len(found) > 0 {
				return found, nil
			}
			at++
			x := z.start(p, at)
			if p.signed && i < len(plainStarts) {
				for j, r := range z.ranges {
					x[j] = math.Max(r.low, math.Min(r.high, plainStarts[i]*r.scale))
				}
			}
			if at == middleStart && z.between() || p.defined && at%2 == 0 {
				z.define(x)
			}
			before := s.Context.Cost()
			arrived := z.approach(x, !p.signed, at%2 == 1)
			if z.solver.Limited() {
				return nil, nil
			}
			if !arrived {
				continue
			}
			// What takes much longer than what led to a solution seldom leads to another one.
			z.allowed = min(z.allowed, patience*(s.Context.Cost()-before))
			if slices.ContainsFunc(seen, func(o []float64) bool { return alike(o, x) }) {
				if repeats++; repeats >= enough && len(found) > 0 {
					break
				}
				continue
			}
			seen, repeats = append(seen, x), 0
			weakest := z.weakestPivot(x)
			if weakest.size < plainPivot {
				if values, ok := z.plain(x); ok && s.fits(step, equations, values) {
					found = append(found, values)
					continue
				}
			}
			if weakest.size < leastPivot {
				// With any value of some unknowns all equations hold. Whether the one that is asked for
				// is among them shows when one solution is taken. Where several roots lie close together
				// no unknown is open, and what the slopes do not fix is not known to its digits.
				values, ok := z.corrected(decimals(x), z.fixture(x))
				if ok && s.fits(step, equations, values) && (loose > 0 || len(z.loose(step, equations, values)) > 0) {
					found = append(found, values)
					if loose++; loose >= leastLoose {
						return found, nil
					}
				}
				continue
			}
			values, ok := z.refine(x)
			if ok && s.fits(step, equations, values) && !slices.ContainsFunc(found, func(o formula.Decimals) bool { return z.solver.sameValues(o, values) }) {
				found = append(found, values)
			}
		}
		if slices.ContainsFunc(found, func(values formula.Decimals) bool { return s.natural(step, values) }) {
			// Where new solutions keep coming turn by turn, those that were found are a chance choice.
			if repeats < enough && len(found) >= maxUnsettled && z.repeats() {
				return nil, errCrowded
			}
			break
		}
	}
	return found, nil
}

// repeats reports whether a solution is one of infinitely many since an unknown without bounds
// stands under a function with a period.
func (z *system) repeats() bool {
	return slices.ContainsFunc(z.code, func(o formula.Instruction) bool {
		if o.Node.Op != formula.OpCall || o.Node.Function.Period == 0 {
			return false
		}
		for j, v := range z.outputs {
			if r := &z.ranges[j]; (math.IsInf(r.low, 0) || math.IsInf(r.high, 0) || r.angle) && o.Node.Occurrences(v) > 0 {
				return true
			}
		}
		return false
	})
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
		if k == middleStart && !p.signed && z.between() && (!r.angle || r.isBetween()) {
			if x[j] = math.Max(low, math.Min(high, r.scale)); even && (low < 0 || high <= 1e3*math.Max(low, r.scale)) {
				x[j] = (low + high) / 2
			}
			continue
		}
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

// isBetween reports whether there are bounds on both sides, of an angle within a turn.
func (r *unknownRange) isBetween() bool {
	return !math.IsInf(r.low, 0) && !math.IsInf(r.high, 0) && (!r.angle || r.low > -math.Pi && r.high < math.Pi)
}

// between reports whether some unknown has bounds on both sides, so that there is a middle.
func (z *system) between() bool {
	return slices.ContainsFunc(z.ranges, func(r unknownRange) bool { return r.isBetween() })
}

// plain is the place of few digits next to x, where all equations hold exactly there. To a solution
// where the slopes say nothing Newton's method comes too slowly to tell its digits.
func (z *system) plain(x []float64) (formula.Decimals, bool) {
	solver := z.solver
	values := make(formula.Decimals, len(x))
	for j, f := range x {
		if math.Abs(f) < plainPart*z.ranges[j].scale {
			f = 0
		}
		values[j], _ = decimal.Parse(strconv.FormatFloat(f, 'e', plainDigits-1, 64))
		solver.Suppose(z.outputs[j], values[j])
	}
	solver.Renew()
	for i := range z.rows {
		left, right := solver.Value(z.rows[i].left), solver.Value(z.rows[i].right)
		if miss := solver.Context.Sub(left, right); solver.TryErr() != nil || !miss.IsZero() || !miss.IsExact() {
			return nil, false
		}
	}
	return values, true
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

// refine goes on in decimal; false where it comes to no solution.
func (z *system) refine(start []float64) (formula.Decimals, bool) {
	if x, ok := z.refined(start); ok || z.solver.Limited() {
		return x, ok
	}
	return z.corrected(decimals(start), fixture{})
}

func decimals(x []float64) formula.Decimals {
	list := make(formula.Decimals, len(x))
	for j := range x {
		list[j] = decimal.FromFloat(x[j])
	}
	return list
}

// corrected is refine with the slopes evaluated in decimal at each step, without the equations of a
// fixture, whose unknowns stay as they are.
func (z *system) corrected(start formula.Decimals, fixed fixture) (formula.Decimals, bool) {
	solver := z.solver
	x := slices.Clone(start)
	place := make([]int, len(x)) // among the unknowns that move
	for j, moving := 0, 0; j < len(x); j++ {
		if place[j] = moving; slices.Contains(fixed.columns, j) {
			place[j] = -1
			continue
		}
		moving++
	}
	for range maxCorrections {
		for j, o := range z.outputs {
			solver.Suppose(o, x[j])
		}
		solver.Renew()
		var rows []linear
		for i := range z.rows {
			if slices.Contains(fixed.rows, i) {
				continue
			}
			r := &z.rows[i]
			value := solver.Context.Sub(solver.Value(r.left), solver.Value(r.right))
			row := linear{constant: value}
			for k, slope := range r.slopes {
				at := place[r.columns[k]]
				if at < 0 {
					continue
				}
				if by := solver.Context.Sub(solver.Value(slope[0]), solver.Value(slope[1])); !by.IsZero() || !by.IsExact() {
					row.terms = append(row.terms, entry[decimal.Decimal]{at, by})
				}
			}
			slices.SortFunc(row.terms, func(a, b entry[decimal.Decimal]) int { return a.at - b.at })
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
			if place[j] < 0 {
				continue
			}
			move := step[0]
			step = step[1:]
			// What is next to nothing, or no more than what rounding has left of the terms of the equations,
			// is 0; whether they hold with that is checked.
			if x[j] = solver.Context.Add(x[j].Exactly(), move); x[j].Vague() || x[j].Abs().Cmp(solver.Context.Epsilon(-30)) < 0 {
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
