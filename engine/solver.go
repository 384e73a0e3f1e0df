package engine

import (
	"errors"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// solver finds unknowns of equations over the values that its machine has, for one question.
type solver struct {
	*machine
	question
	scope     *scope
	equations []*equation // by activity

	steps     int      // evaluations that searches took
	proven    bool     // the solutions found last satisfy their equation
	limits    decimals // those of them that do so in the limit only
	holes     decimals // where collected terms are 0 ÷ 0
	aim       aim      // which root a search is to find
	checked   []int    // activities whose equation is known to hold
	failed    planStep // the step that was tried last
	everyRoot bool     // steps look for all their roots
	guessing  bool     // a block is followed from a guess: the best root of each step is taken
	path      []int    // which root is tried at each step that has several
	sizes     []int    // how many there were
}

// question is what the choice among several roots depends on.
type question struct {
	target    int
	asked     *units.Unit                         // the unit that the target is wanted in, nil for none
	strict    bool                                // several roots are refused
	near      func(variable int) *decimal.Decimal // the value that a variable had before, else its default, in coherent SI; nil for none
	dimension func(variable int) (dim units.Dimension, known bool)
	shown     func(variable, activity int, si decimal.Decimal) string // a root in the unit that the variable's value would have
}

func (v *solver) key(variable int) string { return v.scope.declared[variable].Key }

// failure turns an error of the context into a problem; nil where there is none.
func (v *solver) failure(e *equation, variable int) *Error {
	err := v.c.Err()
	if err == nil {
		return nil
	}
	problem := v.problem(err, e, variable)
	return &problem
}

func (v *solver) problem(err error, e *equation, variable int) Error {
	var undefined *decimal.UndefinedError
	var mismatch *gridError
	switch {
	case errors.Is(err, decimal.ErrLimit):
		return Problem("calculation.limit_exceeded", thousands(v.env.budget())+" steps")
	case errors.Is(err, decimal.ErrDivisionByZero):
		return Problem("calculation.division_by_zero", e.title)
	case errors.As(err, &mismatch):
		name := func(r int) string {
			if r < 0 {
				return e.title
			}
			return v.key(r)
		}
		return Problem("calculation.table_mismatch", name(mismatch.first), name(mismatch.second))
	case errors.As(err, &undefined):
		return Problem("calculation.domain_error", e.title, undefined.Function, undefined.Argument.Shown().String())
	case errors.Is(err, errNoRate):
		return Problem("calculation.no_solution", v.key(variable))
	case errors.Is(err, errNotConverged):
		return Problem("calculation.not_converged", v.key(variable), thousands(max(v.steps, 1)))
	}
	return Problem("calculation.overflow", e.title)
}

// thousands writes an integer with commas, as messages show it.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// step finds the value of one step.
func (v *solver) step(s planStep) *Error {
	if s.block != nil {
		return v.solveBlock(s)
	}
	e := v.equations[s.activity]
	v.aim = aim{preferred: true, all: v.everyRoot || v.strict}
	p, err := v.solutions(e, s.variable)
	v.aim = aim{}
	if err == nil {
		err = v.c.Err()
	}
	if err != nil {
		problem := v.problem(err, e, s.variable)
		return &problem
	}
	if p.infinite {
		problem := Problem("calculation.multiple_solutions", v.key(s.variable), "infinitely many")
		return &problem
	}
	root, problem := v.choose(s.variable, s.activity, p)
	if problem != nil {
		return problem
	}
	v.values[s.variable] = root
	if v.proven || v.isLimit(root) {
		v.checked = append(v.checked, s.activity)
	}
	return v.failure(e, s.variable)
}

// isScale reports whether a variable's numbers have no natural sign: points on a scale and angles.
func (v *solver) isScale(variable int) bool {
	w := &v.scope.profiles[variable]
	if w.point.isPoint() || variable == v.target && v.asked != nil && v.asked.IsPoint() {
		return true
	}
	dim, _ := v.dimension(variable)
	return dim == units.Angle
}
