package solve

import "slices"

// Step solves one activity for a variable, or several activities together, a block, for as many
// variables.
type Step struct {
	Variable   int
	Activity   int   // the first one
	Activities []int // all of them
	Outputs    []int // variables that it yields
	Open       []int // variables of its activities that it leaves open: linear equations determine the one that it yields all the same

	Dependent bool  // the equations of the block were found to follow from one another
	Loose     []int // variables that its equations were found to leave open
}

// IsBlock reports whether several activities are solved together, or leave variables open.
func (s *Step) IsBlock() bool { return len(s.Activities) > 1 || len(s.Open) > 0 }

// targetFirst are the variables of a block, the one that it is solved for before the others.
func (s *Step) targetFirst() []int {
	others := slices.DeleteFunc(slices.Clone(s.Outputs), func(o int) bool { return o == s.Variable })
	return slices.Insert(others, 0, s.Variable)
}
