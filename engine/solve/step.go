package solve

import "slices"

// Step solves one activity for a variable, or several activities together for as many variables.
type Step struct {
	Variable int
	Activity int
	Block    []int // activities solved together, nil for a single one
	Outputs  []int // variables that a block yields

	Dependent bool // the equations of the block were found to follow from one another
}

// Activities are those that a step solves.
func (s *Step) Activities() []int {
	if s.Block != nil {
		return s.Block
	}
	return []int{s.Activity}
}

// Yields are the variables that a step finds.
func (s *Step) Yields() []int {
	if s.Outputs != nil {
		return s.Outputs
	}
	return []int{s.Variable}
}

// targetFirst are the variables of a block, the one that it is solved for before the others.
func (s *Step) targetFirst() []int {
	others := slices.DeleteFunc(slices.Clone(s.Outputs), func(o int) bool { return o == s.Variable })
	return slices.Insert(others, 0, s.Variable)
}
