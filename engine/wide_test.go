package engine

import (
	"fmt"
	"strings"
	"testing"

	"reckon/engine/value"
)

// wide is a domain of so many variables, whose equations name all of them, joined and called in one
// way.
func wide(variables int, kind, call, join string) Definition {
	def := Definition{Title: "Wide", Description: "Generated."}
	for v := range variables {
		def.Variables = append(def.Variables, value.Variable{Key: name("v", v), Kind: kind})
	}
	for v := 1; v < variables; v++ {
		var others []string
		for i := range variables {
			if i != v {
				others = append(others, strings.ReplaceAll(call, "x", name("v", i)))
			}
		}
		equation := strings.Join(others, join)
		if join == "," {
			equation = "table(" + equation + ")"
		}
		def.Activities = append(def.Activities, Activity{Equation: name("v", v) + " = " + equation})
	}
	return def
}

// BenchmarkCompileWide compiles domains in which each equation names every variable. An operation is
// a variable in an equation: what it takes is the same however wide they are.
func BenchmarkCompileWide(b *testing.B) {
	for _, shape := range []struct{ name, kind, call, join string }{
		{"tables", "bar_chart", "x", ","}, {"sums", "number", "x", "+"}, {"rounded", "number", "floor(x)", "+"}, {"choices", "number", "if(x > 1, x, 2)", "*"},
	} {
		for _, variables := range []int{50, 100, 200, 400} {
			def := wide(variables, shape.kind, shape.call, shape.join)
			b.Run(fmt.Sprintf("%s/%d", shape.name, variables), func(b *testing.B) {
				for b.Loop() {
					if d, issues := Compile(def); d == nil {
						b.Fatal(issues[0])
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*variables*variables), "ns/name")
			})
		}
	}
}
