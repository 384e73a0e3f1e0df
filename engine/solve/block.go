package solve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// ErrManySolutions says that equations leave a whole range of values.
var ErrManySolutions = errors.New("infinitely many solutions")

// errCrowded says that equations have so many single solutions that those which are found are a
// chance choice.
var errCrowded = fmt.Errorf("%w, apart from one another", ErrManySolutions)

// maxProved bounds the equations that are eliminated before they are searched: of more it seldom
// leads to one that can be solved.
const maxProved = 5

// errNoSolution says that equations exclude one another.
var errNoSolution = errors.New("no solution")

// solveBlock finds the values of a block's variables.
func (s *Solver) solveBlock(step Step) *value.Error {
	if len(step.Open) > 0 {
		return s.spanStep(step)
	}
	if s.countsAny(step) {
		return s.wholeBlock(step)
	}
	return s.solveReal(step)
}

// solveReal finds the real numbers that solve a block: exactly where all its equations are linear,
// else by a search over one of them from which the others follow.
func (s *Solver) solveReal(step Step) *value.Error {
	// The order in which the domain lists things decides nothing.
	step.Outputs, step.Activities = slices.Clone(step.Outputs), slices.Clone(step.Activities)
	slices.SortStableFunc(step.Outputs, func(a, b int) int { return cmp.Compare(s.Key(a), s.Key(b)) })
	slices.SortStableFunc(step.Activities, func(a, b int) int {
		return slices.Compare(s.Equations[a].Source, s.Equations[b].Source)
	})
	s.furthest = ""
	unsure := s.Unsure
	equations := make([]*formula.Equation, len(step.Activities))
	for i, a := range step.Activities {
		equations[i] = s.Equations[a]
		if spread := s.Spread(equations[i], func(variable int) bool { return slices.Contains(step.Outputs, variable) }); spread != nil {
			equations[i] = spread
		}
	}
	isLinear, long := false, len(equations) >= leastChain
	var found []formula.Decimals
	var err error
	if long {
		found, err = s.chained(step, equations, true)
	}
	chained := len(found) > 0 // as roots where a function changes its sign, which are single ones
	s.note(Chained)
	if len(found) == 0 && err == nil {
		isLinear, err = s.linearSystem(equations, step.Outputs)
		s.note(Linear)
	}
	if !isLinear {
		if s.TryErr(); long && len(found) == 0 && err == nil && !s.Limited() {
			found, err = s.chained(step, equations, false)
			chained = len(found) > 0
			s.note(Chained)
		}
		if len(found) == 0 && err == nil && !s.Limited() {
			s.note(Approached)
			s.Within(maxBorderedCost, func() { found = s.bordered(step, equations) })
		}
		if len(found) == 0 && err == nil && !s.Limited() {
			found, err = s.blockSolutions(step, equations)
			if errors.Is(err, ErrManySolutions) {
				s.manyAt()
				s.Failed.Dependent = !errors.Is(err, errCrowded)
			}
		}
		if !long && err == nil && !s.Limited() {
			found = s.choices(step, equations, found)
		}
		if err == nil && !s.Limited() && s.inHoles(step, equations, found) {
			s.Within(maxLimitCost, func() { found = s.atLimits(step, equations) })
			if len(found) > 0 {
				s.Checked, s.Unsure = append(s.Checked, step.Activities...), unsure
			}
		}
		if len(found) == 0 && err == nil && !s.Limited() {
			found = s.along(step, equations)
		}
		if len(found) > 0 && !s.Limited() {
			if chained {
				return s.chooseValues(step, found)
			}
			var problem *value.Error
			if problem, err = s.chooseAmong(step, equations, found); err == nil {
				return problem
			}
			s.manyAt()
		}
		if err == nil && !s.Limited() {
			s.guessing = true
			defer func() { s.guessing = false }()
			var problem *value.Error
			s.Within(maxTearCost, func() { problem, err = s.tear(step) })
			if err == nil && problem != nil && !s.Limited() {
				return problem
			}
		}
		if s.Limited() {
			err = s.Context.Err()
		}
	}
	if err != nil {
		return s.Problem(err, equations[0], step.Variable)
	}
	for _, o := range step.Outputs {
		root, problem := s.Choose(o, step.Activity, formula.OneRoot(s.Values[o]))
		if problem != nil {
			return problem
		}
		s.Values[o] = root
	}
	if isLinear && s.proven {
		s.Checked = append(s.Checked, step.Activities...)
	}
	return nil
}

// manyAt notes that the equations of the step leave a whole range of values, which more digits are
// to show as well.
func (s *Solver) manyAt() {
	s.Failed.Dependent = true
	s.Unsure = s.Unsure || s.Context.Digits() < ManyDigits
}

// choices adds to the solutions that were found, where none of them has natural signs, those among
// samples of a guess: Newton's method knows only the side of a choice that it starts on.
func (s *Solver) choices(step Step, equations []*formula.Equation, found []formula.Decimals) []formula.Decimals {
	if slices.ContainsFunc(found, func(values formula.Decimals) bool { return s.natural(step, values) }) ||
		!slices.ContainsFunc(equations, func(e *formula.Equation) bool { return e.Left.Choices || e.Right.Choices }) {
		return found
	}
	for _, forward := range []bool{true, false} {
		more, err := s.chained(step, equations, forward)
		if err == nil {
			found = append(found, more...)
		}
	}
	s.TryErr()
	return found
}

// blockSolutions lists the solutions of a block that is not linear, each in the order of the
// block's outputs. Arithmetic alone is eliminated, which can show that there are no others; what
// may have others is searched from many starts too. An error says that there are none, or
// infinitely many; without one and without a solution nothing is known.
func (s *Solver) blockSolutions(step Step, equations []*formula.Equation) ([]formula.Decimals, error) {
	var found []formula.Decimals
	infinite := false // which unknowns are left open shows at solutions
	eliminate := func() (sure bool, err error) {
		var all []formula.Decimals
		s.Within(maxEliminationCost, func() { all, infinite, sure = s.eliminated(step, equations) })
		switch {
		case len(all) > 0:
			found = all
			s.note(Eliminated)
		case sure && !infinite:
			return true, errNoSolution
		}
		return sure && !infinite, nil
	}
	arithmetic := !slices.ContainsFunc(equations, func(e *formula.Equation) bool { return e.Left.Calls() || e.Right.Calls() })
	if arithmetic && len(equations) <= maxProved {
		if sure, err := eliminate(); sure || s.Limited() {
			return found, err
		}
	}
	more, err := s.newton(step, equations)
	if len(found) == 0 && len(more) > 0 {
		s.note(Approached)
	}
	for _, values := range more {
		if !slices.ContainsFunc(found, func(o formula.Decimals) bool { return s.sameValues(o, values) }) {
			found = append(found, values)
		}
	}
	if len(found) == 0 && err == nil && !(arithmetic && len(equations) <= maxProved) && !s.Limited() {
		_, err = eliminate()
	}
	if len(found) == 0 && err == nil && infinite {
		err = ErrManySolutions
	}
	return found, err
}

// chooseValues takes one of several solutions of a block by the rule of choice: that within bounds,
// with positive numbers, and then what choose says of the target and of the other variables in
// domain order.
func (s *Solver) chooseValues(step Step, found []formula.Decimals) *value.Error {
	found = s.preferred(step, found)
	for _, o := range step.targetFirst() {
		at := slices.Index(step.Outputs, o)
		var p formula.Preimage
		for _, values := range found {
			p.Roots = append(p.Roots, values[at])
		}
		t, problem := s.Choose(o, step.Activity, p)
		if problem != nil {
			return problem
		}
		found = slices.DeleteFunc(slices.Clone(found), func(values formula.Decimals) bool { return formula.Compare(s.Context, values[at], t) != 0 })
		s.Values[o] = t
	}
	return nil
}

// preferred leaves the solutions of a block within bounds, and of those the ones with natural
// signs, where there are such.
func (s *Solver) preferred(step Step, found []formula.Decimals) []formula.Decimals {
	better := func(keep func(values formula.Decimals) bool) {
		if kept := slices.DeleteFunc(slices.Clone(found), func(values formula.Decimals) bool { return !keep(values) }); len(kept) > 0 {
			found = kept
		}
	}
	better(func(values formula.Decimals) bool { return s.allAllowed(step, values) })
	better(func(values formula.Decimals) bool { return s.natural(step, values) })
	return found
}

// fits reports whether values of a block's outputs, which it sets, are within bounds and satisfy
// all its equations.
func (s *Solver) fits(step Step, equations []*formula.Equation, values formula.Decimals) bool {
	for j, o := range step.Outputs {
		s.Values[o] = values[j]
	}
	return s.allAllowed(step, values) && s.allHold(equations)
}

// allHold reports whether equations hold with the values that the machine has.
func (s *Solver) allHold(equations []*formula.Equation) bool {
	return !slices.ContainsFunc(equations, func(e *formula.Equation) bool { return !s.Satisfied(e) })
}

// allAllowed reports whether values of a block's outputs are within bounds.
func (s *Solver) allAllowed(step Step, values formula.Decimals) bool {
	for j, o := range step.Outputs {
		if !s.Allowed(o, values[j]) {
			return false
		}
	}
	return true
}

// natural reports whether no value that has a natural sign is negative.
func (s *Solver) natural(step Step, values formula.Decimals) bool {
	for j, o := range step.Outputs {
		if values[j].Sign() < 0 && !s.IsScale(o) {
			return false
		}
	}
	return true
}

// sameValues reports whether two solutions agree.
func (s *Solver) sameValues(a, b formula.Decimals) bool {
	return slices.EqualFunc(a, b, func(x, y decimal.Decimal) bool { return formula.Compare(s.Context, x, y) == 0 })
}
