package solve

import (
	"math"
	"slices"

	"reckon/engine/formula"
)

// maxDefining bounds how often the equations are evaluated to give unknowns what others make them.
const maxDefining = 12

// definition is an equation that says what an unknown is.
type definition struct {
	unknown int
	place   int32 // of the side that it is, in the code
	level   int   // how many definitions it rests on, one behind the other
}

// definitions lists which unknowns of a system follow from others, by the equations in which they
// stand alone on a side. Where such equations go in a circle, some of them are left out.
func (z *system) definitions() []definition {
	type candidate struct {
		unknown int
		place   int32
		needs   []int
	}
	var open []candidate
	defined := make([]bool, len(z.outputs))
	for i := range z.rows {
		row := &z.rows[i]
		for k, side := range []*formula.Node{row.left, row.right} {
			other := row.sides[1-k]
			if side.Op != formula.OpVariable {
				continue
			}
			j := slices.Index(z.outputs, side.Variable)
			needs := slices.DeleteFunc(slices.Clone(row.columns), func(c int) bool { return c == j })
			if j < 0 || defined[j] || len(needs) == len(row.columns) || []*formula.Node{row.right, row.left}[k].Occurrences(side.Variable) > 0 {
				continue
			}
			defined[j] = true
			open = append(open, candidate{j, other, needs})
			break
		}
	}
	var list []definition
	level := make([]int, len(z.outputs)) // 0 for what is started from
	for len(open) > 0 {
		before := len(open)
		open = slices.DeleteFunc(open, func(c candidate) bool {
			if slices.ContainsFunc(c.needs, func(j int) bool { return defined[j] }) {
				return false
			}
			for _, j := range c.needs {
				level[c.unknown] = max(level[c.unknown], level[j]+1)
			}
			defined[c.unknown] = false
			list = append(list, definition{c.unknown, c.place, level[c.unknown]})
			return true
		})
		if len(open) == before {
			defined[open[0].unknown] = false
			open = open[1:]
		}
	}
	return list
}

// define gives the unknowns that follow from others at a start their values, so that a start fits
// as many equations as it can: of p = -load a load that is guessed tells the sign.
func (z *system) define(x []float64) {
	for level := 1; level <= maxDefining; level++ {
		evaluated := false
		for _, d := range z.defined {
			if d.level != level {
				continue
			}
			if !evaluated {
				if !z.solver.Context.Spend(4 + len(z.code)/4) {
					return
				}
				z.evaluate(x)
				evaluated = true
			}
			r := &z.ranges[d.unknown]
			if value := z.run.Values[d.place]; value >= r.low && value <= r.high && math.Abs(value) < farthest {
				x[d.unknown] = value
			}
		}
		if !evaluated {
			break
		}
	}
	z.current = false
}
