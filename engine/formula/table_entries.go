package formula

import (
	"strings"

	"reckon/engine/decimal"
)

// reducer makes an entry of a function from tables and numbers, of which there is at least one, to
// a number.
func reducer(name, result, doc string, examples []example, f func(c *decimal.Context, list Decimals) decimal.Decimal) *Entry {
	return counter(name, "a", result, doc, examples, func(c *decimal.Context, list Decimals) decimal.Decimal {
		if len(list) == 0 {
			return c.Fail(&decimal.UndefinedError{Function: name})
		}
		return f(c, list)
	})
}

// counter is the same for a function that has a value over nothing too.
func counter(name, dimension, result, doc string, examples []example, f func(c *decimal.Context, list Decimals) decimal.Decimal) *Entry {
	return &Entry{
		Name: name, Params: Unary("values", dimension), Variadic: true, Result: result, tables: true, Doc: doc, Examples: examples,
		Grid: func(c *decimal.Context, args []Grid) Grid { return scalarGrid(f(c, flatten(args))) },
	}
}

// rearranger makes an entry of a function that hands the cells of a table on in another order.
func rearranger(name, doc string, examples []example, f func(c *decimal.Context, g Grid) Grid) *Entry {
	e := reshaper(name, doc, examples, f)
	e.copies = true
	return e
}

func reshaper(name, doc string, examples []example, f func(c *decimal.Context, g Grid) Grid) *Entry {
	return &Entry{
		Name: name, Params: Unary("values", "a"), Result: "a", tables: true, shape: shapeTable, Doc: doc, Examples: examples,
		Grid: func(c *decimal.Context, args []Grid) Grid { return f(c, args[0]) },
	}
}

// finder makes an entry of a function of x, cell by cell, and two tables of one size: what it looks
// in, which ascends where the entry is no exact one, and what it finds there.
func finder(name, keys, values, doc string, examples []example, find func(c *decimal.Context, x decimal.Decimal, keys, values Decimals) (decimal.Decimal, bool)) *Entry {
	e := &Entry{
		Name: name, Params: []param{{name: "x", dimension: "a"}, {name: keys, dimension: "a"}, {name: values, dimension: "b"}}, Result: "b",
		tables: true, shape: shapeFirst, Doc: doc, Examples: examples,
	}
	e.Grid = func(c *decimal.Context, args []Grid) Grid {
		keys, values, ok := pairs(c, args[1], args[2])
		if !ok {
			return Grid{}
		}
		for i := 1; i < len(keys) && !e.exact; i++ {
			if keys[i].Cmp(keys[i-1]) <= 0 {
				return failed(c, &decimal.UndefinedError{Function: name, Argument: keys[i], Known: "what is looked in must ascend"})
			}
		}
		return args[0].mapped(func(x decimal.Decimal) decimal.Decimal {
			if y, ok := find(c, x, keys, values); ok || c.Err() != nil {
				return y
			}
			return c.Fail(&decimal.UndefinedError{Function: name, Argument: x, Known: e.known(keys)})
		})
	}
	return e
}

// invertedOver adds an inverse for the first argument.
func (f *Entry) invertedOver(by func(c *decimal.Context, args []Grid, k int, t decimal.Decimal) Preimage) *Entry {
	for i := range f.Params[1:] {
		f.Params[i+1].Lost = true
	}
	f.InverseOver = by
	return f
}

// betweenPoints finds where the straight lines between points have a value: one place on each line
// that goes through it, and the ends of one that stays there.
func betweenPoints(c *decimal.Context, args []Grid, _ int, t decimal.Decimal) (p Preimage) {
	xs, ys, ok := pairs(c, args[1], args[2])
	if !ok {
		return p
	}
	for i := 1; i < len(xs) && c.Err() == nil; i++ {
		low, high := c.Sub(t, ys[i-1]), c.Sub(t, ys[i])
		switch {
		case low.IsZero() && high.IsZero():
			p.Roots = append(p.Roots, xs[i-1], xs[i])
		case low.IsZero():
			p.Roots = append(p.Roots, xs[i-1])
		case high.IsZero():
			p.Roots = append(p.Roots, xs[i])
		case low.Sign() != high.Sign():
			slope := c.Quo(c.Sub(xs[i], xs[i-1]), c.Sub(ys[i], ys[i-1]))
			p.Roots = append(p.Roots, c.Add(xs[i-1], c.Mul(slope, low)))
		}
	}
	return p
}

// pairs are the cells of two tables of one size, row by row, without what is empty in both.
func pairs(c *decimal.Context, a, b Grid) (keys, values Decimals, ok bool) {
	keys, values = a.numbers(), b.numbers()
	if a.Fits(b) {
		for r, row := range a.Rows {
			for i, cell := range row {
				if cell.Empty != b.Rows[r][i].Empty {
					c.Fail(&GridError{-1, -1})
				}
			}
		}
	} else if len(keys) != len(values) {
		c.Fail(&GridError{-1, -1})
	}
	return keys, values, c.Err() == nil
}

// mostKnown is how many keys an error names.
const mostKnown = 8

// known says which keys there are.
func (e *Entry) known(keys Decimals) string {
	if len(keys) == 0 {
		return "there are none"
	}
	if !e.exact {
		return "they go from " + keys[0].Shown().String() + " to " + keys[len(keys)-1].Shown().String()
	}
	var list []string
	for i, k := range keys {
		if i == mostKnown {
			list = append(list, "…")
			break
		}
		list = append(list, k.Shown().String())
	}
	return "there are " + strings.Join(list, ", ")
}

// conditional makes an entry of a function of the cells for which a condition holds.
func conditional(name, spreadsheet, doc string, examples []example, f func(c *decimal.Context, list Decimals) decimal.Decimal) *Entry {
	return &Entry{
		Name: name, Params: []param{{name: "condition", dimension: "1"}, {name: "values", dimension: "a"}}, Result: "a",
		tables: true, Doc: doc, Examples: examples, Spreadsheet: spreadsheet,
		Grid: func(c *decimal.Context, args []Grid) Grid {
			condition, values := args[0], args[1]
			if !condition.Fits(values) {
				return failed(c, &GridError{-1, -1})
			}
			var list Decimals
			for r, row := range values.Rows {
				for i, cell := range row {
					if met := condition.Rows[r][i]; !cell.Empty && !met.Empty && !met.Number.IsZero() {
						list = append(list, cell.Number)
					}
				}
			}
			if name != "sumif" && len(list) == 0 {
				return failed(c, &decimal.UndefinedError{Function: name, Known: "no row meets the condition"})
			}
			return scalarGrid(f(c, list))
		},
	}
}

// of is an entry with its form over tables of expressions.
func (e *Entry) of(terms func(args []*Terms) *Terms) *Entry {
	e.terms = terms
	return e
}

// stepwise is an entry whose value stays the same between some of its first arguments.
func stepwise(e *Entry) *Entry {
	e.Steps = true
	return e
}

// exactly is an entry that looks for what x is, in keys of any order.
func exactly(e *Entry) *Entry {
	e.exact = true
	return e
}
