package engine

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"reckon/engine/value"
)

// TestTiers holds brackets against sums of their own, forwards and back, with brackets that are
// written out and with those of tables.
func TestTiers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 60 {
		n := 1 + random.IntN(6)
		var from, rates []int64 // in EUR and percent
		for i := range n {
			start := int64(random.IntN(1000))
			if i > 0 {
				start += from[i-1] + 1
			}
			from, rates = append(from, start), append(rates, int64(1+random.IntN(90)))
		}
		written := func(list []int64, unit string) string {
			parts := make([]string, len(list))
			for i, x := range list {
				parts[i] = fmt.Sprint(x) + unit
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		gross := from[0] + int64(1+random.IntN(5000))
		tax := new(big.Rat)
		for i := range n {
			end := gross
			if i+1 < n {
				end = min(end, from[i+1])
			}
			if end > from[i] {
				tax.Add(tax, big.NewRat((end-from[i])*rates[i], 100))
			}
		}
		net := new(big.Rat).Sub(new(big.Rat).SetInt64(gross), tax)
		of := map[string]string{"gross": fmt.Sprint(gross), "tax": tax.FloatString(2), "net": net.FloatString(2)}
		for _, equation := range []string{
			fmt.Sprintf("tax = tiered(gross, %s, %s)", written(from, " [EUR]"), written(rates, "%")),
			"tax = tiered(gross, starts, shares)",
		} {
			tables := []value.Variable{}
			if strings.Contains(equation, "starts") {
				tables = append(tables, value.Variable{Key: "starts", Unit: "EUR", Kind: "table"}, value.Variable{Key: "shares", Kind: "table"})
			}
			d, issues := Compile(Definition{
				Title: "Tax", Description: "By brackets.",
				Variables:  append([]value.Variable{{Key: "gross", Unit: "EUR"}, {Key: "tax", Unit: "EUR"}, {Key: "net", Unit: "EUR"}}, tables...),
				Activities: []Activity{{Title: "Tax", Equation: equation}, {Title: "Net", Equation: "net = gross - tax"}},
			})
			if d == nil {
				t.Fatal(issues)
			}
			given := ""
			if len(tables) > 0 {
				given = fmt.Sprintf("starts %s; shares %s; ", written(from, " EUR"), written(rates, "%"))
			}
			for _, q := range [][2]string{{"gross", "net"}, {"gross", "tax"}, {"tax", "gross"}, {"net", "gross"}, {"net", "tax"}} {
				question := fmt.Sprintf("%s%s %s EUR -> %s", given, q[0], of[q[0]], q[1])
				solution, errs := ask(d, question)
				want, _ := new(big.Rat).SetString(of[q[1]])
				if len(errs) > 0 {
					t.Errorf("%s: %s: %s, want %s", equation, question, errs[0].Filled(), of[q[1]])
					continue
				}
				got, _ := new(big.Rat).SetString(solution.Value.Quantity().Number.Shown().String())
				if got.Cmp(want) != 0 {
					t.Errorf("%s: %s: %s, want %s", equation, question, plain(solution.Value.Text()), of[q[1]])
				}
			}
		}
	}
}
