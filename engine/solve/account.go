package solve

import (
	"slices"

	"reckon/engine/formula"
)

// Account is how a step found its values. A solver that has one notes it there.
type Account struct {
	Method   Method
	Roots    formula.Decimals // all values of its variable that were found, in coherent SI
	Brackets []Bracket        // within which roots were refined
	Steps    int              // evaluations that searches took
}

// Bracket is two numbers between which the sides of an equation change places, in coherent SI, and
// how many evaluations it took to find where.
type Bracket struct {
	Low, High float64
	Steps     int
}

// Method is how an unknown was found.
type Method string

const (
	Stated     Method = "stated"     // it stands alone on a side
	Isolated   Method = "isolated"   // it occurs once, and the operations around it were undone
	Collected  Method = "collected"  // its terms were collected into a polynomial
	Searched   Method = "searched"   // a root was searched for
	Tried      Method = "tried"      // the whole numbers, or the choices, were tried
	Linear     Method = "linear"     // several equations, by elimination
	Eliminated Method = "eliminated" // several equations, reduced to one
	Chained    Method = "chained"    // several equations, by a search over one unknown from which the others follow
	Approached Method = "approached" // several equations, by Newton's method
)

// note says how an unknown is found, where somebody wants to know.
func (s *Solver) note(m Method) {
	if s.Account != nil {
		s.Account.Method = m
	}
}

// noteRoots says which values of an unknown were found.
func (s *Solver) noteRoots(p formula.Preimage) {
	if s.Account != nil {
		s.Account.Roots, s.Account.Steps = append(append(s.Account.Roots[:0], p.Roots...), p.More...), s.steps
	}
}

// noteSolutions is noteRoots for a block.
func (s *Solver) noteSolutions(step Step, found []formula.Decimals) {
	if s.Account == nil {
		return
	}
	at := slices.Index(step.Outputs, step.Variable)
	for _, values := range found {
		s.Account.Roots = append(s.Account.Roots, values[at])
	}
}
