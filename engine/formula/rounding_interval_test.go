package formula

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"reckon/engine/decimal"
)

// TestRoundingIntervals holds the intervals of roundings to values at places within.
func TestRoundingIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	m := &Machine{Context: decimal.NewContext(100_000_000)}
	number := func() float64 {
		return []float64{math.Trunc(random.NormFloat64() * 20), random.NormFloat64() * 20, math.Trunc(random.NormFloat64()*200) / 8}[random.IntN(3)]
	}
	names := []string{"floor", "ceil", "round", "trunc", "mod"}
	for _, f := range StandardFunctions.Functions() {
		name := f.Name
		if !slices.Contains(names, name) {
			continue
		}
		for range 4000 {
			a := Interval{Lo: number()}
			a.Hi = a.Lo + math.Abs(number())*float64(random.IntN(2))
			at := a.Lo + (a.Hi-a.Lo)*random.Float64()
			if random.IntN(2) == 0 {
				at = math.Min(a.Hi, math.Max(a.Lo, math.Round(at)))
			}
			args := []*Node{Number(decimal.FromFloat(at))}
			second := Interval{Lo: 1, Hi: 1}
			switch name {
			case "round":
				second = Interval{Lo: float64(random.IntN(4) - 2)}
			case "trunc":
			default:
				second = Interval{Lo: []float64{1, 2, 5, 0.5, 0.1, 3}[random.IntN(6)]}
			}
			if second.Hi = second.Lo; name != "trunc" {
				args = append(args, Number(decimal.FromFloat(second.Lo)))
			}
			got := m.Eval(Called(f, args...)).Float64()
			if err := m.TryErr(); err != nil {
				t.Fatalf("%s(%v, %v): %v", name, at, second.Lo, err)
			}
			if s := f.Interval(a.wider(1), second); !s.Has(got) {
				t.Fatalf("%s(%v, %v) = %v is not within %+v of %+v", name, at, second.Lo, got, s, a)
			}
		}
	}
}
