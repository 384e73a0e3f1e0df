package solve

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// A generated system is right at a solution that is drawn first: fractions, and numbers that end.
func generated(r *rand.Rand, n, perRow int, places int32) (rows []linear, solution []*big.Rat) {
	for range n {
		solution = append(solution, big.NewRat(r.Int64N(2001)-1000, []int64{1, 1, 2, 3, 7, 8, 25}[r.IntN(7)]))
	}
	for i := range n {
		columns := []int{i}
		for len(columns) < min(perRow, n) {
			if c := r.IntN(n); !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
		slices.Sort(columns)
		var row linear
		sum := new(big.Rat)
		for _, c := range columns {
			a := r.Int64N(2001) - 1000
			if a == 0 {
				a = 1
			}
			shift := int(r.Int32N(places + 1))
			row.terms = append(row.terms, entry[decimal.Decimal]{c, decimal.Int(a).Shifted(-shift)})
			factor := new(big.Rat).SetFrac(big.NewInt(a), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(shift)), nil))
			sum.Add(sum, factor.Mul(factor, solution[c]))
		}
		// What is to be 0 may be multiplied by the denominator of the constant.
		den := sum.Denom().Int64()
		for k := range row.terms {
			row.terms[k].value = exact(row.terms[k].value, den)
		}
		scaled := new(big.Rat).Mul(sum, big.NewRat(den, 1))
		row.constant = decimal.MustParse(scaled.Num().String()).Neg()
		rows = append(rows, row)
	}
	return rows, solution
}

func exact(d decimal.Decimal, by int64) decimal.Decimal {
	return decimal.NewContext(1000).Mul(d, decimal.Int(by))
}

func testSolver(budget int) *Solver {
	machines := formula.Machines{Variables: 1}
	return &Solver{Machine: machines.Take(value.Env{Budget: budget}), Scope: &value.Scope{}}
}

// rounded is a fraction as 60 digits show it.
func rounded(x *big.Rat) decimal.Decimal {
	return decimal.NewContext(100_000).Ratio(x.Num(), x.Denom(), 0)
}

func TestExactSolutionsOfLinearEquations(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	for _, size := range []struct {
		n, perRow int
		places    int32
	}{{1, 1, 3}, {2, 2, 0}, {3, 3, 4}, {10, 10, 2}, {10, 3, 6}, {40, 40, 2}, {60, 4, 3}, {144, 4, 2}, {500, 3, 2}} {
		t.Run(fmt.Sprintf("%d with %d in a row", size.n, size.perRow), func(t *testing.T) {
			rows, want := generated(r, size.n, size.perRow, size.places)
			s := testSolver(0)
			got, err, ok := s.exactLinear(rows)
			if !ok || err != nil {
				t.Fatal(err, ok, s.Context.Err())
			}
			for j := range want {
				if w := rounded(want[j]); got[j].Cmp(w) != 0 || got[j].IsExact() != w.IsExact() {
					t.Fatalf("unknown %d is %s, not %s", j, got[j], w)
				}
			}
			about, err := testSolver(100_000_000).eliminate(rows)
			if err != nil {
				t.Fatal(err)
			}
			for j := range want {
				if w := rounded(want[j]); formula.Compare(s.Context, about[j], w) != 0 && !(w.IsZero() && about[j].Vague()) {
					t.Fatalf("by elimination unknown %d is %s, not %s", j, about[j], w)
				}
			}
		})
	}
}

// Equations that follow from one another leave infinitely many solutions, and equations that say
// something else of the same leave none.
func TestDependentLinearEquations(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	for range 100 {
		n := 2 + r.IntN(12)
		rows, _ := generated(r, n, 3, 2)
		last, extra := n-1, decimal.Int(r.Int64N(2))
		sum := map[int]decimal.Decimal{}
		constant := extra
		c := decimal.NewContext(1_000_000)
		for _, row := range rows[:last] {
			by := decimal.Int(r.Int64N(19) - 9)
			constant = c.Add(constant, c.Mul(by, row.constant))
			for _, e := range row.terms {
				sum[e.at] = c.Add(sum[e.at], c.Mul(by, e.value))
			}
		}
		rows[last] = linear{constant: constant}
		for j := range n {
			if !sum[j].IsZero() {
				rows[last].terms = append(rows[last].terms, entry[decimal.Decimal]{j, sum[j]})
			}
		}
		want := ErrManySolutions
		if !extra.IsZero() {
			want = errNoSolution
		}
		if _, err, ok := testSolver(0).exactLinear(rows); !ok || !errors.Is(err, want) {
			t.Fatalf("%d equations: %v, %v, not %v", n, ok, err, want)
		}
		if _, err := testSolver(100_000_000).eliminate(rows); !errors.Is(err, want) {
			t.Fatalf("%d equations by elimination: %v, not %v", n, err, want)
		}
	}
}
