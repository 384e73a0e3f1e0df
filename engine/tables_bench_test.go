package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// BenchmarkTables calculates with columns of 50,000 cells, and tells what that costs, of 1,000,000
// units, and how much memory it takes at most, the columns included.
func BenchmarkTables(b *testing.B) {
	const rows = 50_000
	random := rand.New(rand.NewPCG(1, 2))
	column := func(unit *units.Unit, number func(i int) decimal.Decimal) value.Value {
		v := value.Value{Rank: 1, Cells: make([][]value.Cell, rows)}
		for i := range v.Cells {
			v.Cells[i] = []value.Cell{{Quantity: units.Quantity{Number: number(i), Unit: unit}}}
		}
		return v
	}
	cents := func(int) decimal.Decimal { return decimal.MustParse(fmt.Sprintf("%.2f", random.Float64()*2000-1000)) }
	for _, equation := range []string{
		"sum(x)", "avg(x)", "median(x)", "stdev(x)", "percentile(x, 0.9)", "max(x)", "sumproduct(x, y)",
		"slope(y, x)", "correlation(y, x)", "npv(0.0001, y)", "irr(y)", "xnpv(0.05, y, d)", "xirr(y, d)",
		"sum((x - avg(x))^2)", "sum(if(x > 0, x, 0))", "last(cumsum(x))", "first(sort(x))", "sum(table(x, y))",
		"sum(lookup(x, range(-1000, 1000, 1), range(1, 2001, 1)))", "sum(each(i, 1, 50000, cell(x, i)))",
	} {
		b.Run(equation, func(b *testing.B) {
			d := compiledDefinition(b, Definition{
				Title: "Tables", Description: "Columns.",
				Variables: []value.Variable{
					{Key: "x", Kind: "table"}, {Key: "y", Kind: "table"}, {Key: "d", Kind: "table"}, {Key: "t"},
				},
				Activities: []Activity{{Equation: "t = " + equation + " + 0 * count(x) + 0 * count(y) + 0 * count(d)"}},
			})
			facts := []Fact{
				{d.Index("x"), Stated, column(units.One, cents)},
				{d.Index("y"), Stated, column(units.One, func(i int) decimal.Decimal {
					if i == 0 {
						return decimal.Int(-50_000_000)
					}
					return cents(i).Abs()
				})},
				{d.Index("d"), Stated, column(d.Table.Lookup("s"), func(i int) decimal.Decimal { return decimal.Int(int64(i) * value.SecondsPerDay) })},
			}
			var cost int
			var most uint64
			for b.Loop() {
				env := value.Env{}.Metered()
				env.Rest = func() {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapAlloc)
				}
				_, errs := d.Derive(env, facts, d.Index("t"), nil, nil, false, nil)
				if len(errs) > 0 {
					b.Fatal(errs)
				}
				cost = env.Limit() - env.Meter.Left
			}
			b.ReportMetric(float64(cost), "units")
			b.ReportMetric(float64(most>>20), "MiB")
		})
	}
}
