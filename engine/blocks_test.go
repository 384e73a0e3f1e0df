package engine

import (
	"fmt"
	"math/big"
	"testing"

	"reckon/engine/value"
)

// plate is a square plate of n × n nodes, each the mean of its neighbours, with numbers around it.
func plate(n int, edge func(x, y int) int) Definition {
	def := Definition{Title: "Plate", Description: "Temperatures."}
	at := func(x, y int) string {
		if x < 1 || y < 1 || x > n || y > n {
			return fmt.Sprint(edge(x, y))
		}
		return fmt.Sprintf("t_%d_%d", x, y)
	}
	for x := 1; x <= n; x++ {
		for y := 1; y <= n; y++ {
			def.Variables = append(def.Variables, value.Variable{Key: at(x, y)})
			def.Activities = append(def.Activities, Activity{Equation: fmt.Sprintf("%s = (%s + %s + (%s) + (%s)) / 4", at(x, y), at(x-1, y), at(x+1, y), at(x, y-1), at(x, y+1))})
		}
	}
	return def
}

// A polynomial like this one is the mean of its neighbours everywhere.
func harmonic(x, y int) int { return 500 + x*x*x - 3*x*y*y + 7*x*y - 2*x + y }

func TestPlates(t *testing.T) {
	for _, n := range []int{2, 5, 12, 22} {
		d := compiledDefinition(t, plate(n, harmonic))
		x, y := (n+1)/2, n/3+1
		if got, want := answer(d, fmt.Sprintf("-> t_%d_%d", x, y)), fmt.Sprint(harmonic(x, y)); got != want {
			t.Errorf("%d × %d: %s, not %s", n, n, got, want)
		}
	}
}

// solved are the values of all variables that a block has, to 34 digits.
func solved(t *testing.T, def Definition, target string) map[string]*big.Float {
	t.Helper()
	d := compiledDefinition(t, def)
	s, errs := ask(d, "-> "+target)
	if len(errs) > 0 {
		t.Fatal(errs[0].Filled())
	}
	values := map[string]*big.Float{}
	for _, step := range s.Steps {
		x, _, err := big.ParseFloat(step.Value.Quantity().Number.Shown().String(), 10, 200, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		values[d.Definition.Variables[step.Variable].Key] = x
	}
	return values
}

// balances checks that sums of terms are 0 as far as 34 digits of the unknowns tell.
func balances(t *testing.T, what string, terms ...*big.Float) {
	t.Helper()
	sum, size := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200)
	for _, x := range terms {
		sum.Add(sum, x)
		size.Add(size, new(big.Float).Abs(x))
	}
	if sum.Abs(sum).Cmp(size.Mul(size, big.NewFloat(1e-32))) > 0 {
		t.Fatalf("%s misses by %v", what, sum)
	}
}

func product(factors ...*big.Float) *big.Float {
	p := big.NewFloat(1).SetPrec(200)
	for _, f := range factors {
		p.Mul(p, f)
	}
	return p
}

// A ring in which each unknown is tied to the next two.
func TestNonlinearRings(t *testing.T) {
	for _, n := range []int{6, 13, 100, 200} {
		def := Definition{Title: "Ring", Description: "Generated."}
		key := func(i int) string { return fmt.Sprintf("x%d", (i+n)%n) }
		for i := range n {
			def.Variables = append(def.Variables, value.Variable{Key: key(i)})
			def.Activities = append(def.Activities, Activity{Equation: fmt.Sprintf("%s * (1 + %s / 10) + %s^2 - %d = 0", key(i), key(i+1), key(i+2), 5+i%7)})
		}
		x := solved(t, def, "x0")
		for i := range n {
			a, b, c := x[key(i)], x[key(i+1)], x[key(i+2)]
			balances(t, fmt.Sprintf("equation %d of %d", i, n), a, product(a, b, big.NewFloat(0.1).SetPrec(200).Quo(big.NewFloat(1).SetPrec(200), big.NewFloat(10))), product(c, c), big.NewFloat(float64(-5-i%7)))
		}
	}
}

// A plate that loses heat by radiation.
func TestRadiatingPlates(t *testing.T) {
	const edge = 400
	for _, n := range []int{3, 8, 14} {
		def := Definition{Title: "Plate", Description: "Temperatures."}
		at := func(x, y int) string {
			if x < 1 || y < 1 || x > n || y > n {
				return fmt.Sprint(edge + 10*x)
			}
			return fmt.Sprintf("t_%d_%d", x, y)
		}
		for x := 1; x <= n; x++ {
			for y := 1; y <= n; y++ {
				def.Variables = append(def.Variables, value.Variable{Key: at(x, y)})
				def.Activities = append(def.Activities, Activity{Equation: fmt.Sprintf("%s + %s + %s + %s - 4 * %s = 0.0000000001 * (%s^4 - 300^4)", at(x-1, y), at(x+1, y), at(x, y-1), at(x, y+1), at(x, y), at(x, y))})
			}
		}
		found := solved(t, def, at(1, 1))
		number := func(x, y int) *big.Float {
			if v, ok := found[at(x, y)]; ok {
				return v
			}
			return big.NewFloat(float64(edge + 10*x)).SetPrec(200)
		}
		tiny := new(big.Float).SetPrec(200).Quo(big.NewFloat(1).SetPrec(200), big.NewFloat(1e10))
		for x := 1; x <= n; x++ {
			for y := 1; y <= n; y++ {
				v := number(x, y)
				balances(t, at(x, y), number(x-1, y), number(x+1, y), number(x, y-1), number(x, y+1), product(v, big.NewFloat(-4)),
					product(v, v, v, v, tiny, big.NewFloat(-1)), product(big.NewFloat(8100000000), tiny))
			}
		}
	}
}
