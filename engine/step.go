package engine

// planStep solves one activity for a variable, or several activities together for as many variables.
type planStep struct {
	variable int
	activity int
	block    []int // activities solved together, nil for a single one
	outputs  []int // variables that a block yields

	dependent bool // the equations of the block were found to follow from one another
}

// activities are those that a step solves.
func (s *planStep) activities() []int {
	if s.block != nil {
		return s.block
	}
	return []int{s.activity}
}

// yields are the variables that a step finds.
func (s *planStep) yields() []int {
	if s.outputs != nil {
		return s.outputs
	}
	return []int{s.variable}
}
