package solve

import (
	"testing"

	"reckon/engine/formula"
)

// A square root in an exponent makes no quotient of surds, whatever stands around it.
func TestSurdsOfWhatIsNone(t *testing.T) {
	root := &formula.Node{Op: formula.OpCall, Function: formula.SquareRoot, Args: []*formula.Node{formula.Integer(2)}}
	power := formula.Combined(formula.OpPow, formula.Integer(3), root)
	for _, n := range []*formula.Node{
		power, formula.Combined(formula.OpNeg, power), formula.Combined(formula.OpPercent, power),
		formula.Combined(formula.OpSub, root, formula.Combined(formula.OpNeg, power)), formula.Combined(formula.OpPow, power, formula.Integer(2)),
	} {
		if q, ok := surds(n, root); ok {
			t.Errorf("%v is %v", n, q)
		}
	}
	if _, ok := surds(formula.Combined(formula.OpNeg, root), root); !ok {
		t.Error("a square root is no surd")
	}
}
