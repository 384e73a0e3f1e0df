package solve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Bounds of the search for whole numbers.
const (
	maxWholes     = 10_000  // numbers that are tried one by one
	maxWholeBoxes = 100_000 // ranges of numbers that are looked at
	maxWholeFound = 1_000   // solutions that are looked for
	farthestWhole = 1 << 53 // float64 has all whole numbers up to it
)

// nearWhole is how far from a whole number a root may be that stands for it.
var nearWhole = decimal.MustParse("1e-20")

// count is a number in coherent SI in the unit that a variable is counted in.
func (s *Solver) count(v int, si decimal.Decimal) decimal.Decimal {
	return units.FromSI(s.Context, si, s.Scope.Profiles[v].Counts).Number
}

// counted is the inverse of count.
func (s *Solver) counted(v int, n decimal.Decimal) decimal.Decimal {
	return units.Quantity{Number: n, Unit: s.Scope.Profiles[v].Counts}.SI(s.Context).Exactly()
}

// wholeOf is a whole number that float64 has exactly.
func wholeOf(n float64) decimal.Decimal { return decimal.Int(int64(n)) }

// nearest is the whole number that a root of a variable may stand for, in coherent SI.
func (s *Solver) nearest(v int, root decimal.Decimal) (decimal.Decimal, bool) {
	n := s.count(v, root)
	whole := s.Context.Round(n, 0)
	miss := s.Context.Sub(n, whole).Abs()
	if s.Context.Err() != nil || miss.Cmp(s.Context.Mul(nearWhole, formula.Extreme(formula.Decimals{whole.Abs(), decimal.Int(1)}, 1))) > 0 {
		return root, false
	}
	return s.counted(v, whole), true
}

// wouldBe says what a variable would be that is counted.
func (s *Solver) wouldBe(v int, root decimal.Decimal) string {
	q := units.Quantity{Number: s.few(s.count(v, root)), Unit: s.Scope.Profiles[v].Counts}
	return "it would be " + q.String()
}

// few is a number with as many digits behind the point as show what it is near to.
func (s *Solver) few(n decimal.Decimal) decimal.Decimal {
	if n.Abs().Cmp(leastShown) < 0 {
		return n
	}
	return s.Context.Round(n, 4)
}

// leastShown is the least number that is shown to four places.
var leastShown = decimal.MustParse("1e-3")

// Whole is a value of a variable, made exact where the variable is counted. What is no whole number
// is none.
func (s *Solver) Whole(v int, root decimal.Decimal) (decimal.Decimal, *value.Error) {
	if choices := s.Scope.Profiles[v].Choices; choices != nil {
		return s.chosen(v, choices, root)
	}
	if s.Scope.Profiles[v].Counts == nil {
		return root, nil
	}
	whole, ok := s.nearest(v, root)
	if !ok && s.Context.Err() == nil {
		return root, value.Problem("calculation.no_whole_number", s.Key(v), s.wouldBe(v, root))
	}
	return whole, nil
}

// wholeStep finds the whole number of a variable that is counted: among the roots where there are
// some, else among all numbers within the bounds.
func (s *Solver) wholeStep(step Step) *value.Error {
	v, e := step.Variable, s.Equations[step.Activity]
	if at := e.Position(v); !slices.Contains(e.Tried, at) {
		s.aim = aim{all: true}
		p, err := s.solutions(e, v)
		s.aim = aim{}
		if s.Context.Err() != nil {
			return s.Failure(e, v)
		}
		if err == nil && !p.Infinite {
			roots := s.allowedOf(v, slices.Concat(p.Roots, p.More))
			whole := s.wholesOf(e, v, roots)
			s.noteRoots(formula.Preimage{Roots: whole})
			switch {
			case len(whole) > 0:
				return s.takeWhole(step, whole)
			case len(roots) > 0:
				return s.noWhole(step, roots)
			}
			return s.noneOf(v)
		}
		if low, high := s.wholeRange(v); high-low >= maxWholes {
			if p.Infinite {
				err = ErrManySolutions
			}
			return s.Problem(err, e, v)
		}
	}
	found, complete := s.tryWholes(e, v)
	s.note(Tried)
	s.noteRoots(formula.Preimage{Roots: found})
	switch {
	case s.Context.Err() != nil:
		return s.Failure(e, v)
	case len(found) == 0 && !complete:
		return s.Problem(formula.ErrNotConverged, e, v)
	case len(found) == 0:
		return value.Problem("calculation.no_whole_number", s.Key(v))
	case len(found) == 1 || e.StandsAlone(v) || e.StandsOutside(v):
		return s.takeWhole(step, found)
	}
	return value.Problem("calculation.multiple_solutions", s.Key(v), s.listed(v, step.Activity, found, complete))
}

// takeWhole chooses among whole numbers as among roots.
func (s *Solver) takeWhole(step Step, whole formula.Decimals) *value.Error {
	root, problem := s.Choose(step.Variable, step.Activity, formula.Preimage{Roots: whole})
	if problem != nil {
		return problem
	}
	s.Values[step.Variable] = root
	s.Checked = append(s.Checked, step.Activity)
	return s.Failure(s.Equations[step.Activity], step.Variable)
}

// allowedOf leaves the roots within bounds.
func (s *Solver) allowedOf(v int, roots formula.Decimals) formula.Decimals {
	return slices.DeleteFunc(s.distinct(roots), func(t decimal.Decimal) bool { return !s.Allowed(v, t) })
}

// wholesOf lists the whole numbers that roots stand for and that satisfy the equation themselves.
func (s *Solver) wholesOf(e *formula.Equation, v int, roots formula.Decimals) formula.Decimals {
	var list formula.Decimals
	for _, root := range roots {
		if whole, ok := s.nearest(v, root); ok {
			list = append(list, whole)
		}
	}
	return s.keep(e, v, list)
}

// wholeRange is the whole numbers within the bounds of a variable, in the unit that it is counted
// in.
func (s *Solver) wholeRange(v int) (low, high float64) {
	w := &s.Scope.Profiles[v]
	low, high = -farthestWhole, farthestWhole
	if w.Min != nil {
		low = math.Max(low, s.Context.Ceil(s.Context.Sub(s.count(v, *w.Min), nearWhole)).Float64())
	}
	if w.Max != nil {
		high = math.Min(high, s.Context.Floor(s.Context.Add(s.count(v, *w.Max), nearWhole)).Float64())
	}
	return low, high
}

// tryWholes lists the whole numbers of a variable that satisfy an equation, those from 0 up first.
// Ranges over which intervals show that the sides differ are left out; the others are halved until
// a number is left, which is tried in decimal. complete says that there are no others.
func (s *Solver) tryWholes(e *formula.Equation, v int) (found formula.Decimals, complete bool) {
	low, high := s.wholeRange(v)
	s.toFloats(e)
	bb := s.branchAndBound(e, v, &seeker{solver: s, variable: v}, s.searchScale(v), aim{})
	if s.Context.Err() != nil {
		return nil, false
	}
	s.TryErr()
	complete = true
	tried, looked := 0, 0
	var look func(low, high float64)
	look = func(low, high float64) {
		if low > high || s.Context.Err() != nil || !complete {
			return
		}
		s.steps++
		if looked++; looked > maxWholeBoxes || len(found) >= maxWholeFound || !s.Context.Spend(4) {
			complete = false
			return
		}
		if bb != nil && s.apart(bb, v, low, high) {
			return
		}
		if low == high {
			if tried++; tried > maxWholes {
				complete = false
				return
			}
			whole := s.counted(v, wholeOf(low))
			found = append(found, s.keep(e, v, formula.Decimals{whole})...)
			return
		}
		middle := math.Floor(low + (high-low)/2)
		look(low, middle)
		look(middle+1, high)
	}
	look(math.Max(low, 0), high)
	if len(found) == 0 || s.Strict {
		look(low, math.Min(high, -1))
	}
	return found, complete
}

// apart reports whether intervals show that the sides differ at all whole numbers of a range.
func (s *Solver) apart(bb *branchAndBound, v int, low, high float64) bool {
	a, b := s.counted(v, wholeOf(low)).Float64(), s.counted(v, wholeOf(high)).Float64()
	a, b = a-math.Abs(a)*formula.Ulps, b+math.Abs(b)*formula.Ulps
	s.Context.Spend(1 + len(bb.program.Steps)/4)
	difference, _ := bb.program.Over(formula.Interval{Lo: a, Hi: b})
	return difference.Empty() && !difference.Sparse || !difference.Sparse && !difference.Has(0)
}

// noWhole says that no whole number solves an equation, what would, and what the two numbers next
// to it give.
func (s *Solver) noWhole(step Step, roots formula.Decimals) *value.Error {
	v, e := step.Variable, s.Equations[step.Activity]
	guessing := s.guessing
	s.guessing = true
	root, problem := s.Choose(v, step.Activity, formula.Preimage{Roots: roots})
	if s.guessing = guessing; problem != nil {
		return problem // several, each of which would do
	}
	hint := s.wouldBe(v, root)
	n := s.count(v, root)
	var beside []string
	for _, whole := range []decimal.Decimal{s.Context.Floor(n), s.Context.Ceil(n)} {
		if given := s.besides(e, v, step.Activity, s.counted(v, whole)); given != "" {
			beside = append(beside, whole.String()+" gives "+given)
		}
	}
	if s.TryErr(); len(beside) > 0 {
		hint += " (" + strings.Join(beside, ", ") + ")"
	}
	return value.Problem("calculation.no_whole_number", s.Key(v), hint)
}

// besides says what another variable of an equation would be with a whole number of v, "" where
// that is not clear.
func (s *Solver) besides(e *formula.Equation, v, activity int, whole decimal.Decimal) string {
	if !s.Allowed(v, whole) {
		return ""
	}
	for _, o := range e.Order {
		w := &s.Scope.Profiles[o]
		if o == v || w.Table || w.Moment || !e.Solves(o) || slices.Contains(e.Tried, e.Position(o)) {
			continue
		}
		before, of := s.Values[o], s.Values[v]
		s.Values[v] = whole
		p, err := s.solutions(e, o)
		failed := s.TryErr() != nil || err != nil || p.Infinite || len(p.Roots) != 1
		s.Values[o], s.Values[v] = before, of
		if !failed {
			return fmt.Sprintf("%s = %s", s.Key(o), s.rounded(o, activity, p.Roots[0]))
		}
	}
	return ""
}

// rounded shows the value of a variable in its unit with few digits.
func (s *Solver) rounded(v, activity int, si decimal.Decimal) string {
	text, unit, _ := strings.Cut(s.Shown(v, activity, si), " ")
	if n, err := decimal.Parse(text); err == nil {
		text = s.few(n).String()
	}
	return strings.TrimSpace(text + " " + unit)
}

// listed writes whole numbers in ascending order, runs of them as "49 to 60".
func (s *Solver) listed(v, activity int, found formula.Decimals, complete bool) string {
	const most = 10
	slices.SortFunc(found, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	next := func(i int) bool {
		return s.Context.Sub(s.count(v, found[i+1]), s.count(v, found[i])).Cmp(decimal.Int(1)) == 0
	}
	var list []string
	for i := 0; i < len(found); i++ {
		first := i
		for i+1 < len(found) && next(i) {
			i++
		}
		if len(list) == most {
			return strings.Join(append(list, "and more"), ", ")
		}
		text := s.Shown(v, activity, found[first])
		if i > first {
			text += " to " + s.Shown(v, activity, found[i])
		}
		list = append(list, text)
	}
	if !complete {
		list = append(list, "and more")
	}
	return strings.Join(list, ", ")
}
