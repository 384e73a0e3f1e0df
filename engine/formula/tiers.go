package formula

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/syntax"
)

// tiers are functions of amounts that are charged by brackets.
var tiers = []*Entry{tiered()}

func tiered() *Entry {
	e := finder("tiered", "from", "rates", "What brackets make of x: each rate times the part of x between the start of its bracket"+
		" and the next one. The starts ascend; what lies below the first one has no rate.",
		[]example{{"tiered(30000, [0, 10000, 25000], [0, 0.2, 0.4])", "5000"}, {"tiered(5, [10], [2])", "0"},
			{"tiered(120 [kWh], [0 [kWh], 100 [kWh]], [0.3 [EUR/kWh], 0.25 [EUR/kWh]])", "35 EUR"}, {"tiered(1, [2, 1], [1, 1])", "! calculation.domain_error"}},
		func(c *decimal.Context, x decimal.Decimal, from, rates Decimals) (decimal.Decimal, bool) {
			reached := sort.Search(len(from), func(i int) bool { return Compare(c, from[i], x) >= 0 })
			var sum decimal.Decimal
			for i := range reached {
				end := x
				if i+1 < reached {
					end = from[i+1]
				}
				sum = c.Add(sum, c.Mul(rates[i], c.Sub(end, from[i])))
			}
			return sum, true
		})
	e.Result = "a*b"
	e.Over = finderOver(tieredOver)
	e.brackets = func(i, of int) string {
		if i+1 == of {
			return fmt.Sprintf("rate_%d * max(x - from_%[1]d, from_%[1]d - from_%[1]d)", i)
		}
		return fmt.Sprintf("rate_%d * max(min(x, from_%d) - from_%[1]d, from_%[1]d - from_%[1]d)", i, i+1)
	}
	return e
}

// maxUnfolded is how many brackets are written out as an expression.
const maxUnfolded = 100

// unfold writes a call out as an expression without tables, in which unknowns are found as in any
// other; nil where its brackets are not written out as numbers that ascend, and rates beside them.
func (b *builder) unfold(f *Entry, s *syntax.Call) *Node {
	starts, ok := s.Args[1].(*syntax.List)
	rates, also := s.Args[2].(*syntax.List)
	of := 0
	if ok && also && len(starts.Items) == len(rates.Items) {
		of = len(starts.Items)
	}
	list := func(n syntax.Node) bool { _, is := n.(*syntax.List); return is }
	if of == 0 || of > maxUnfolded || b.scope == nil || slices.ContainsFunc(rates.Items, list) {
		return nil
	}
	inner := builder{functions: b.functions, problem: b.problem, args: map[string]*Node{}}
	var parts []string
	var last *Node
	for i, item := range starts.Items {
		if number, is := item.(*syntax.Number); is {
			n := b.build(number)
			if last != nil && n.Value.Cmp(last.Value) <= 0 {
				return nil
			}
			last = n
			inner.args[fmt.Sprintf("from_%d", i)] = n
			parts = append(parts, f.brackets(i, of))
			continue
		}
		return nil
	}
	before := b.tables
	args := []*Node{b.build(s.Args[0])}
	for i, item := range rates.Items {
		rate := b.build(item)
		inner.args[fmt.Sprintf("rate_%d", i)] = rate
		args = append(args, rate)
	}
	if b.failed {
		return &Node{Op: OpNumber, Start: s.Start, End: s.Stop, size: 1}
	}
	if b.tables != before || slices.ContainsFunc(args, func(n *Node) bool { return isTable(b.scope, n) }) {
		return nil
	}
	inner.args["x"] = args[0]
	tree, err := syntax.ParseExpression(strings.Join(parts, " + "))
	if err != nil {
		return b.fail(s.Start, "%s is not defined well: %v", f.Name, err)
	}
	for _, start := range inner.args {
		args = append(args, start)
	}
	n := inner.build(tree)
	b.failed = b.failed || inner.failed
	place(n, s.Start, s.Stop, args)
	return n
}
