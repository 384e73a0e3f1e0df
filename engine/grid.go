package engine

type gridError struct{ first, second string }

func (e *gridError) Error() string { return "tables of different sizes" }

func (d *Domain) needsTables(s planStep) bool { return false }
func (v *derivation) runTables() *Error {
	p := Problem("input.not_calculable", v.key(v.target))
	return &p
}
