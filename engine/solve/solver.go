// Package solve finds unknowns. One equation is isolated, solved as a polynomial, or searched for
// roots, with a proof where interval arithmetic gives one; several are eliminated, solved by
// Newton's method, or torn. The sources of the methods stand where they are used.
package solve

import (
	"cmp"
	"errors"
	"strconv"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Solver finds unknowns of equations over the values that its machine has, for one question.
type Solver struct {
	*formula.Machine
	Question
	Scope     *value.Scope
	Equations []*formula.Equation // by activity

	steps     int              // evaluations that searches took
	proven    bool             // the solutions found last satisfy their equation
	limits    formula.Decimals // those of them that do so in the limit only
	holes     formula.Decimals // where collected terms are 0 ÷ 0
	aim       aim              // which root a search is to find
	furthest  string           // of several equations, the title of the one that was furthest off
	Loose     []int            // variables of the step that its equations leave open: what the machine has of them is one value of many
	Checked   []int            // activities whose equation is known to hold
	Failed    Step             // the step that was tried last
	EveryRoot bool             // steps look for all their roots
	guessing  bool             // a block is followed from a guess: the best root of each step is taken
	refused   string           // why a value of the variable of the step was not allowed last, where there is more to say than bounds
	Path      []int            // which root is tried at each step that has several
	Sizes     []int            // how many there were
	Starts    map[int]float64  // by variable sought through tables: the root that fewer digits showed
	Account   *Account         // how the steps find their values; nil where nobody wants to know
}

// Question is what the choice among several roots depends on.
type Question struct {
	Target    int
	Asked     *units.Unit                                   // the unit that the target is wanted in, nil for none
	Also      map[int]*units.Unit                           // the same of other variables that are asked for
	Strict    bool                                          // several roots are refused
	Near      func(variable int) *decimal.Decimal           // the value that a variable had before, else its default, in coherent SI; nil for none
	Refuses   func(variable int, si decimal.Decimal) string // why a variable cannot have a value within its bounds, "" where it can; nil for never
	Dimension func(variable int) (dim units.Dimension, known bool)
	Shown     func(variable, activity int, si decimal.Decimal) string // a root in the unit that the variable's value would have
}

// AskedIn is the unit that a variable is wanted in, nil for none.
func (q *Question) AskedIn(variable int) *units.Unit {
	if variable == q.Target {
		return q.Asked
	}
	return q.Also[variable]
}

func (s *Solver) Key(variable int) string { return s.Scope.Declared[variable].Key }

// Failure turns an error of the context into a problem; nil where there is none.
func (s *Solver) Failure(e *formula.Equation, variable int) *value.Error {
	return s.Problem(s.Context.Err(), e, variable)
}

// Exceeded says that a calculation has used up its budget.
func Exceeded(env value.Env) *value.Error {
	return value.Problem("calculation.limit_exceeded", thousands(env.Limit())+" steps")
}

// Problem says of an error what a caller is told; nil of none.
func (s *Solver) Problem(err error, e *formula.Equation, variable int) *value.Error {
	if err == nil {
		return nil
	}
	return s.problem(err, e, variable)
}

func (s *Solver) problem(err error, e *formula.Equation, variable int) *value.Error {
	var undefined *decimal.UndefinedError
	var mismatch *formula.GridError
	switch {
	case errors.Is(err, decimal.ErrLimit):
		return Exceeded(s.Env)
	case errors.Is(err, decimal.ErrDivisionByZero):
		return value.Problem("calculation.division_by_zero", e.Title)
	case errors.As(err, &mismatch):
		name := func(r int) string {
			if r < 0 {
				return e.Title
			}
			return s.Key(r)
		}
		return value.Problem("calculation.table_mismatch", name(mismatch.First), name(mismatch.Second))
	case errors.As(err, &undefined):
		return value.Problem("calculation.domain_error", e.Title, undefined.Function, undefined.At())
	case errors.Is(err, formula.ErrNoRate), errors.Is(err, errNoSolution):
		return value.Problem("calculation.no_solution", s.Key(variable))
	case errors.Is(err, ErrManySolutions):
		return value.Problem("calculation.multiple_solutions", s.Key(variable), "infinitely many")
	case errors.Is(err, formula.ErrNotConverged):
		args := []string{s.Key(variable), thousands(max(s.steps, 1))}
		if s.furthest != "" {
			args = append(args, s.furthest)
		}
		return value.Problem("calculation.not_converged", args...)
	}
	return value.Problem("calculation.overflow", e.Title)
}

// thousands writes an integer with commas, as messages show it.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Step finds the value of one step.
func (s *Solver) Step(step Step) *value.Error {
	s.refused, s.Loose = "", nil
	if step.IsBlock() {
		return s.solveBlock(step)
	}
	switch w := &s.Scope.Profiles[step.Variable]; {
	case w.Choices != nil:
		return s.choiceStep(step)
	case w.Counts != nil:
		return s.wholeStep(step)
	}
	e := s.Equations[step.Activity]
	if s.told(e, step.Variable) {
		s.Checked = append(s.Checked, step.Activity)
		return nil
	}
	s.aim = aim{preferred: true, all: s.EveryRoot || s.Strict}
	p, err := s.solutions(e, step.Variable)
	s.aim = aim{}
	if err = cmp.Or(err, s.Context.Err()); err != nil {
		return s.Problem(err, e, step.Variable)
	}
	s.noteRoots(p)
	if p.Infinite {
		s.Unsure = s.Unsure || s.Context.Digits() < ManyDigits
		return s.Problem(ErrManySolutions, e, step.Variable)
	}
	root, problem := s.Choose(step.Variable, step.Activity, p)
	if problem != nil {
		return problem
	}
	s.Values[step.Variable] = root
	if s.proven || s.isLimit(root) {
		s.Checked = append(s.Checked, step.Activity)
	}
	return s.Failure(e, step.Variable)
}

// told sets a variable to what an equation says it is, where it stands alone on a side and the
// value is allowed, without what choosing among roots takes: most steps of models are of this kind.
func (s *Solver) told(e *formula.Equation, variable int) bool {
	at := e.Position(variable)
	if e.Count[at] != 1 {
		return false
	}
	other := e.Right
	if e.Left.Op != formula.OpVariable || e.Left.Variable != variable {
		if other = e.Left; e.Right.Op != formula.OpVariable || e.Right.Variable != variable {
			return false
		}
	}
	t := s.Eval(other)
	if s.Context.Err() != nil || !s.Allowed(variable, t) {
		return false
	}
	s.note(Stated)
	s.proven, s.limits, s.holes = true, nil, nil
	s.Values[variable] = t
	return true
}

// IsScale reports whether a variable's numbers have no natural sign: points on a scale and angles.
func (s *Solver) IsScale(variable int) bool {
	w := &s.Scope.Profiles[variable]
	if w.Point.IsPoint() || s.AskedIn(variable) != nil && s.AskedIn(variable).IsPoint() {
		return true
	}
	dim, _ := s.Dimension(variable)
	return dim == units.Angle
}
