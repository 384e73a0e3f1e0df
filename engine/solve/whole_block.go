package solve

import (
	"slices"

	"reckon/engine/formula"
	"reckon/engine/value"
)

// countsAny reports whether one of a block's unknowns is counted.
func (s *Solver) countsAny(step Step) bool {
	return slices.ContainsFunc(step.Outputs, func(o int) bool { return s.Scope.Profiles[o].Discrete() })
}

// wholeBlock solves a block of which one unknown is counted at least. Where the block has solutions
// in real numbers, those in whole ones are among them; else the whole numbers of one unknown are
// tried, and the others follow.
func (s *Solver) wholeBlock(step Step) *value.Error {
	equations := make([]*formula.Equation, len(step.Activities))
	tried := false
	for i, a := range step.Activities {
		equations[i] = s.Equations[a]
		tried = tried || slices.ContainsFunc(step.Outputs, func(o int) bool {
			at := equations[i].Position(o)
			return at >= 0 && (!equations[i].Calculable[at] || slices.Contains(equations[i].Tried, at))
		})
	}
	var real *value.Error
	if !tried {
		if real = s.solveReal(step); real == nil {
			if real = s.wholeOutputs(step, equations); real == nil {
				return nil
			}
		}
		if s.Limited() {
			return real
		}
		s.TryErr()
	}
	over, values, plan := s.fewest(step)
	if values.count > maxWholes || plan == nil {
		if real == nil {
			real = s.Problem(formula.ErrNotConverged, equations[0], step.Variable)
		}
		return real
	}
	found := s.tryBlock(step, plan, over, values)
	switch {
	case s.Limited():
		return s.Failure(equations[0], step.Variable)
	case len(found) > 0:
		if problem := s.manyChoices(step, found); problem != nil {
			return problem
		}
		if problem := s.manyWholes(step, equations, found); problem != nil {
			return problem
		}
		return s.chooseValues(step, found)
	case real != nil:
		return real
	}
	if values.choices != nil {
		return s.noneOf(over)
	}
	return value.Problem("calculation.no_whole_number", s.Key(over))
}

// wholeOutputs makes the values found exact where they are counted, and says which of them is no
// whole number.
func (s *Solver) wholeOutputs(step Step, equations []*formula.Equation) *value.Error {
	values := make(formula.Decimals, len(step.Outputs))
	for i, o := range step.Outputs {
		var problem *value.Error
		if values[i], problem = s.Whole(o, s.Values[o]); problem != nil {
			return problem
		}
	}
	if !s.fits(step, equations, values) {
		return value.Problem("calculation.no_whole_number", s.Key(step.Variable))
	}
	return nil
}

// manyWholes is the error where the solutions of a block differ in what is counted, and an equation
// holds for a whole range of its unknowns, as with a rounding around all of them; else nil.
func (s *Solver) manyWholes(step Step, equations []*formula.Equation, found []formula.Decimals) *value.Error {
	if len(found) < 2 || !slices.ContainsFunc(equations, func(e *formula.Equation) bool { return s.holdsInRanges(step, e) }) {
		return nil
	}
	for _, o := range step.targetFirst() {
		at := slices.Index(step.Outputs, o)
		var list formula.Decimals
		for _, solution := range found {
			list = append(list, solution[at])
		}
		switch list = s.distinct(list); {
		case len(list) < 2 && o == s.Question.Target:
			return nil
		case len(list) > 1 && s.Scope.Profiles[o].Counts != nil:
			return value.Problem("calculation.multiple_solutions", s.Key(o), s.listed(o, step.Activity, list, len(found) < maxFoundRoots))
		}
	}
	return nil
}

// holdsInRanges reports whether the unknowns of a block stand in an equation, and all of them in
// functions, of which one is not solved for.
func (s *Solver) holdsInRanges(step Step, e *formula.Equation) (rounded bool) {
	for _, o := range step.Outputs {
		at := e.Position(o)
		if at < 0 {
			continue
		}
		if e.StandsAlone(o) || e.StandsOutside(o) {
			return false
		}
		rounded = rounded || !e.Calculable[at] || slices.Contains(e.Tried, at)
	}
	return rounded
}

// values are those that an unknown can have: choices, or whole numbers from low on.
type values struct {
	choices formula.Decimals
	low     float64
	count   float64
}

// fewest is the discrete unknown of a block from which the others follow one by one, of several the
// one that has the fewest values, these, and how the others follow from one; no plan where they
// follow from none.
func (s *Solver) fewest(step Step) (over int, few values, plan []Step) {
	over = -1
	surely := false
	for _, o := range step.Outputs {
		w := &s.Scope.Profiles[o]
		of := values{choices: w.Choices, count: float64(len(w.Choices))}
		switch {
		case !w.Discrete():
			continue
		case w.Choices == nil:
			low, high := s.wholeRange(o)
			of = values{low: low, count: high - low + 1}
		}
		follows, sure := s.following(step, o)
		sure = sure && of.count <= maxWholes
		if follows != nil && (over < 0 || sure && !surely || sure == surely && of.count < few.count) {
			over, few, plan, surely = o, of, follows, sure
		}
	}
	return over, few, plan
}

// following orders the equations of a block by what follows once one of its unknowns is known; what
// is left over after that is checked. It is nil where not all unknowns follow; surely says that
// numbers are tried for none of them, of which several may do.
func (s *Solver) following(step Step, over int) (plan []Step, surely bool) {
	open := slices.DeleteFunc(slices.Clone(step.Outputs), func(o int) bool { return o == over })
	left := slices.Clone(step.Activities)
	next := func(tried bool) bool {
		for i, a := range left {
			e := s.Equations[a]
			unknown := slices.DeleteFunc(slices.Clone(open), func(o int) bool { return e.Position(o) < 0 })
			if len(unknown) == 1 && e.Solves(unknown[0]) && slices.Contains(e.Tried, e.Position(unknown[0])) == tried {
				plan = append(plan, Step{Variable: unknown[0], Activity: a, Activities: []int{a}, Outputs: unknown})
				open = slices.DeleteFunc(open, func(o int) bool { return o == unknown[0] })
				left = slices.Delete(left, i, i+1)
				return true
			}
		}
		return false
	}
	surely = true
	for len(open) > 0 {
		if next(false) {
			continue
		}
		// The others follow together from those equations that can be solved for all of them.
		together := slices.DeleteFunc(slices.Clone(left), func(a int) bool {
			e := s.Equations[a]
			return slices.ContainsFunc(open, func(o int) bool { return e.Position(o) >= 0 && !e.Solves(o) })
		})
		if len(together) >= len(open) && len(open) > 1 {
			together = together[:len(open)]
			block := Step{Variable: open[0], Activity: together[0], Activities: together, Outputs: open}
			return append(plan, block), surely && !s.countsAny(block)
		}
		if surely = false; !next(true) {
			return nil, false
		}
	}
	return plan, surely
}

// tryBlock lists the solutions of a block with each of the values of one unknown.
func (s *Solver) tryBlock(step Step, plan []Step, over int, of values) (found []formula.Decimals) {
	equations := make([]*formula.Equation, len(step.Activities))
	for i, a := range step.Activities {
		equations[i] = s.Equations[a]
	}
	guessing, checked := s.guessing, len(s.Checked)
	s.guessing = true
	defer func() { s.guessing, s.Checked = guessing, s.Checked[:checked] }()
next:
	for n := 0.0; n < of.count && len(found) < maxFoundRoots && s.Context.Err() == nil; n++ {
		if of.choices != nil {
			s.Values[over] = of.choices[int(n)]
		} else {
			s.Values[over] = s.counted(over, wholeOf(of.low+n))
		}
		for _, p := range plan {
			if problem := s.Step(p); problem != nil {
				if s.Limited() {
					return nil
				}
				s.TryErr()
				continue next
			}
		}
		if !s.allHold(equations) {
			continue
		}
		values := make(formula.Decimals, len(step.Outputs))
		for i, o := range step.Outputs {
			values[i] = s.Values[o]
		}
		found = append(found, values)
	}
	return found
}
