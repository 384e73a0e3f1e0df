package engine

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
)

// bare is a copy of an expression that keeps no values of parts.
func bare(n *node) *node {
	plain := *n
	plain.slot, plain.args = 0, nil
	for _, a := range n.args {
		plain.args = append(plain.args, bare(a))
	}
	return &plain
}

// TestPropertiesShared evaluates equations whose parts occur more than once: kept values and the flat form change nothing.
func TestPropertiesShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := expressionOf(t, []string{"a", "b"})
		other := expressionOf(t, []string{"b", "c"})
		equation := fmt.Sprintf("y = if(%s > %s, %s * %s, %s - 2*%s) + sum(each(i, 1, 3, i^2 + %s + exp(i^2/10)))/3", part, other, part, other, part, part, other)
		if rapid.Bool().Draw(t, "no table") {
			equation = fmt.Sprintf("y = if(%s > %s, %s * %s, %s - 2*%s) + pmt(%s, 5, %s)", part, other, part, other, part, part, other, part)
		}
		d, issues := Compile(Definition{
			Title: "Shared", Description: "Parts that occur twice.",
			Variables:  []Variable{{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "y"}},
			Activities: []Activity{{Equation: equation}},
		})
		if d == nil {
			t.Fatalf("%s: %v", equation, issues)
		}
		e, m := d.equations[0], d.machines.take(testEnv)
		m.floats = make([]float64, len(m.values))
		plain := bare(e.right)
		for range 3 {
			for v := range m.values {
				m.values[v] = decimal.Int(rapid.Int64Range(-20, 20).Draw(t, "value"))
				m.floats[v] = m.values[v].Float64()
			}
			want := m.eval(plain)
			wantErr := m.c.Err()
			m.c.Reset()
			if got := m.eval(e.right); got.Cmp(want) != 0 || (m.c.Err() == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v (%v), without sharing %v (%v)", equation, got, m.c.Err(), want, wantErr)
			}
			m.c.Reset()
			x := e.unknown(0)
			run := m.flatRun(e, x)
			if run == nil {
				continue
			}
			for _, at := range []float64{-2.5, 0, 1.25, 7} {
				_, got := run.sides(at)
				m.floats[0] = at
				if want := m.float(e.right); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%s at %v: %v, in the order of the text %v", equation, at, got, want)
				}
			}
			m.c.Reset()
		}
	})
}
