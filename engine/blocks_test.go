package engine

import (
	"fmt"
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
