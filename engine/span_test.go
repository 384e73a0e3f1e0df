package engine

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reckon/engine/input"
	"reckon/engine/value"
)

// inRowSpace reports whether integer rows, the last column of which is the target's, determine it.
func inRowSpace(rows [][]int64) bool {
	var m [][]*big.Rat
	for _, row := range rows {
		var r []*big.Rat
		for _, x := range row {
			r = append(r, big.NewRat(x, 1))
		}
		m = append(m, r)
	}
	last, used := len(rows[0])-1, 0
	for column := 0; column < last; column++ {
		for i := used; i < len(m); i++ {
			if m[i][column].Sign() == 0 {
				continue
			}
			m[used], m[i] = m[i], m[used]
			for k := used + 1; k < len(m); k++ {
				by := new(big.Rat).Quo(m[k][column], m[used][column])
				for j := range m[k] {
					m[k][j].Sub(m[k][j], new(big.Rat).Mul(by, m[used][j]))
				}
			}
			used++
			break
		}
	}
	for _, row := range m[used:] {
		if row[last].Sign() != 0 {
			return true
		}
	}
	return false
}

// TestRectangular asks for unknowns of systems with as many equations as there happen to be, with
// coefficients that are written into them or given: there is an answer where rational arithmetic
// says that the equations determine it, and it is the value that they were made with.
func TestRectangular(t *testing.T) {
	chance := rand.New(rand.NewPCG(21, 22))
	told, open := 0, 0
	for range 1500 {
		unknowns, equations := 2+chance.IntN(6), 1+chance.IntN(6)
		def := Definition{Title: "Rows", Description: "Generated."}
		var given []string
		parameter := func(x int64) string {
			key := fmt.Sprintf("p%d", len(given))
			def.Variables = append(def.Variables, value.Variable{Key: key})
			given = append(given, fmt.Sprintf("%s %d", key, x))
			return key
		}
		values := make([]int64, unknowns)
		for j := range values {
			values[j] = int64(chance.IntN(19) + 1)
			def.Variables = append(def.Variables, value.Variable{Key: fmt.Sprintf("x%d", j)})
		}
		var rows [][]int64
		for range equations {
			row, sum, text := make([]int64, unknowns), int64(0), "0"
			for j := range row {
				if chance.IntN(2) == 0 {
					row[j] = int64(chance.IntN(5) - 2)
				}
				sum += row[j] * values[j]
				switch {
				case chance.IntN(3) == 0:
					text += fmt.Sprintf(" + %s*x%d", parameter(row[j]), j)
				case row[j] != 0:
					text += fmt.Sprintf(" + (%d)*x%d", row[j], j)
				}
			}
			def.Activities = append(def.Activities, Activity{Equation: text + " = " + parameter(sum)})
			rows = append(rows, row)
		}
		d := compiledDefinition(t, def)
		got := answer(d, strings.Join(given, "; ")+fmt.Sprintf(" -> x%d", unknowns-1))
		want := fmt.Sprint(values[unknowns-1])
		switch determined := inRowSpace(rows); {
		case determined && got != want:
			t.Errorf("%v of %v is %s, not %s", rows, def.Activities, got, want)
		case determined:
			told++
		case !strings.HasPrefix(got, "! calculation.missing_inputs") && !strings.HasPrefix(got, "! calculation.multiple_solutions") && !strings.HasPrefix(got, "! input.not_calculable"):
			t.Errorf("%v of %v is %s, and anything would do", rows, def.Activities, got)
		default:
			open++
		}
	}
	if t.Logf("%d told, %d open", told, open); told < 200 || open < 200 {
		t.Error("too few of a kind")
	}
}

// TestRectangularConflict states what equations exclude though they determine the target in one way
// or another.
func TestRectangularConflict(t *testing.T) {
	d := compiledDefinition(t, withFunctions("a + b = p", "2*a + 2*b = q", "a + b + c = s"))
	for _, c := range []struct{ stated, want string }{
		{"p 4; q 8; s 10", "6"},
		{"p 4.67; q 9.33; s 10", "5.33"},
		{"p 4; q 9; s 10", "calculation.conflicting_inputs p, q, s"},
		{"p 4; q 9; s 10.5", "calculation.conflicting_inputs p, q, s"},
	} {
		req := Request{Targets: []Target{{Variable: d.Index("c")}}}
		for _, g := range strings.Split(c.stated, "; ") {
			key, val, _ := strings.Cut(g, " ")
			v, _, errs := input.ParseValue(&d.Scope, d.Index(key), value.Scalar(val), testEnv)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			req.Inputs = append(req.Inputs, Given{Variable: d.Index(key), Value: v})
		}
		r, errs := d.Calculate(nil, 1, req, testEnv)
		var got string
		if len(errs) > 0 {
			got = errs[0].Code + " " + errs[0].Args[0]
		} else {
			at := slices.IndexFunc(r.Values, func(v ResultValue) bool { return v.Variable == d.Index("c") })
			got = r.Values[at].Value.Text().Scalar()
		}
		if got != c.want {
			t.Errorf("%s: %s, not %s", c.stated, got, c.want)
		}
	}
}
