package engine

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// bare is a copy of an expression that keeps no values of parts.
func bare(n *formula.Node) *formula.Node {
	plain := *n
	plain.Args = nil
	for _, a := range n.Args {
		plain.Args = append(plain.Args, bare(a))
	}
	return &plain
}

// TestPropertiesShared evaluates equations whose parts occur more than once: kept values and the
// flat form change nothing.
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
			Variables:  []value.Variable{{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "y"}},
			Activities: []Activity{{Equation: equation}},
		})
		if d == nil {
			t.Fatalf("%s: %v", equation, issues)
		}
		e, m := d.equations[0], d.machines.Take(testEnv)
		m.Floats = make([]float64, len(m.Values))
		plain := bare(e.Right)
		for range 3 {
			for v := range m.Values {
				m.Values[v] = decimal.Int(rapid.Int64Range(-20, 20).Draw(t, "value"))
				m.Floats[v] = m.Values[v].Float64()
			}
			want := m.Eval(plain)
			wantErr := m.Context.Err()
			m.Context.Reset()
			if got := m.Eval(e.Right); got.Cmp(want) != 0 || (m.Context.Err() == nil) != (wantErr == nil) {
				t.Fatalf("%s: %v (%v), without sharing %v (%v)", equation, got, m.Context.Err(), want, wantErr)
			}
			m.Context.Reset()
			x := e.Unknown(0)
			run := m.Run(e, x)
			if run == nil {
				continue
			}
			for _, at := range []float64{-2.5, 0, 1.25, 7} {
				_, got := run.Sides(at)
				m.Floats[0] = at
				if want := m.Float(e.Right); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%s at %v: %v, in the order of the text %v", equation, at, got, want)
				}
			}
			m.Context.Reset()
		}
	})
}
