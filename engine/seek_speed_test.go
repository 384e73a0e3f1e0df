package engine

import (
	"testing"

	"reckon/engine/value"
)

// hard has many optima alike, so that a seek uses up its budget.
var hard = Definition{
	Title: "Waves",
	Variables: []value.Variable{
		{Key: "a", Min: "0", Max: "100"}, {Key: "b", Min: "0", Max: "100"}, {Key: "c", Min: "0", Max: "100"},
		{Key: "x", Min: "0", Max: "100"}, {Key: "y", Min: "0", Max: "100"}, {Key: "z", Min: "0", Max: "100"}, {Key: "w"},
	},
	Activities: []Activity{{Equation: "w = sin(x * a) * cos(y - b) + sin(y * z / 10 - c) + ln(1 + x + c) * sqrt(z + a * b) / 10 - sin(a + b * c)"}},
}

// BenchmarkSeekToTheEnd seeks until the budget is used up.
func BenchmarkSeekToTheEnd(b *testing.B) {
	d := compiled(b, hard)
	for b.Loop() {
		ask, o, errs := sought{"", "w", "", "x;y;z;a;b;c", ""}.run(b, d)
		if len(errs) > 0 {
			b.Fatal(errs)
		}
		if !o.Exhausted || o.Proof == ProofOptimal {
			b.Fatal(o.told(d, ask))
		}
		b.ReportMetric(float64(o.Intervals), "intervals/op")
	}
}
