package engine

import (
	"slices"

	"reckon/engine/decimal"
)

// reducer makes an entry of a function from a table to a number.
func reducer(name, result, doc string, ex example, f func(c *decimal.Context, list decimals) decimal.Decimal) *function {
	return &function{
		name: name, params: unary("values", "a"), result: result, tables: true, doc: doc, examples: []example{ex},
		grid: func(c *decimal.Context, args []grid) grid {
			list := args[0].numbers()
			if len(list) == 0 && name != "sum" && name != "count" {
				return scalarGrid(c.Fail(&decimal.UndefinedError{Function: name}))
			}
			return scalarGrid(f(c, list))
		},
	}
}

// reshaper makes an entry of a function from a table to a table.
func reshaper(name, doc string, ex example, f func(c *decimal.Context, g grid) grid) *function {
	return &function{
		name: name, params: unary("values", "a"), result: "a", tables: true, doc: doc, examples: []example{ex},
		grid: func(c *decimal.Context, args []grid) grid { return f(c, args[0]) },
	}
}

func total(c *decimal.Context, list decimals) decimal.Decimal {
	var sum decimal.Decimal
	for _, d := range list {
		sum = c.Add(sum, d)
	}
	return sum
}

func average(c *decimal.Context, list decimals) decimal.Decimal {
	return c.Quo(total(c, list), decimal.Int(int64(len(list))))
}

// variance divides the squares of the deviations by the count less a number.
func variance(c *decimal.Context, list decimals, less int) decimal.Decimal {
	if len(list) <= less {
		return c.Fail(decimal.ErrDivisionByZero)
	}
	mean := average(c, list)
	var sum decimal.Decimal
	for _, d := range list {
		deviation := c.Sub(d, mean)
		sum = c.Add(sum, c.Mul(deviation, deviation))
	}
	return c.Quo(sum, decimal.Int(int64(len(list)-less)))
}

func sorted(list decimals) decimals {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	return list
}

// quantile interpolates between the sorted numbers, as spreadsheets' PERCENTILE.INC does; share is from 0 to 1.
func quantile(c *decimal.Context, list decimals, share decimal.Decimal) decimal.Decimal {
	if share.Sign() < 0 || share.Cmp(decimal.Int(1)) > 0 || len(list) == 0 {
		return c.Fail(&decimal.UndefinedError{Function: "percentile", Argument: share})
	}
	list = sorted(list)
	place := c.Mul(share, decimal.Int(int64(len(list)-1)))
	below := c.Floor(settled(c, place))
	i, _ := below.Int64()
	if int(i)+1 >= len(list) {
		return list[len(list)-1]
	}
	return c.Add(list[i], c.Mul(c.Sub(place, below), c.Sub(list[i+1], list[i])))
}

var overTables = []*function{
	reducer("sum", "a", "The sum of all cells; empty ones do not count.", example{"sum([1, 2, 3])", "6"}, total),
	reducer("avg", "a", "The mean of all cells.", example{"avg([1, 2, 6])", "3"}, average),
	reducer("median", "a", "The middle of all cells when sorted.", example{"median([5, 1, 3, 2])", "2.5"},
		func(c *decimal.Context, l decimals) decimal.Decimal { return quantile(c, l, mustParse("0.5")) }),
	reducer("count", "1", "The number of cells that are not empty.", example{"count([4, 5])", "2"},
		func(_ *decimal.Context, l decimals) decimal.Decimal { return decimal.Int(int64(len(l))) }),
	reducer("stdev", "a", "The standard deviation of a sample (divides by n - 1).", example{"stdev([2, 4, 6])", "2"},
		func(c *decimal.Context, l decimals) decimal.Decimal { return c.Sqrt(variance(c, l, 1)) }),
	reducer("stdevp", "a", "The standard deviation of a population (divides by n).", example{"stdevp([1, 3])", "1"},
		func(c *decimal.Context, l decimals) decimal.Decimal { return c.Sqrt(variance(c, l, 0)) }),
	reducer("var", "a^2", "The variance of a sample (divides by n - 1).", example{"var([2, 4, 6])", "4"},
		func(c *decimal.Context, l decimals) decimal.Decimal { return variance(c, l, 1) }),
	reducer("varp", "a^2", "The variance of a population (divides by n).", example{"varp([1, 3])", "1"},
		func(c *decimal.Context, l decimals) decimal.Decimal { return variance(c, l, 0) }),
	reducer("first", "a", "The first cell that is not empty.", example{"first([7, 8])", "7"},
		func(_ *decimal.Context, l decimals) decimal.Decimal { return l[0] }),
	reducer("last", "a", "The last cell that is not empty.", example{"last([7, 8])", "8"},
		func(_ *decimal.Context, l decimals) decimal.Decimal { return l[len(l)-1] }),
	{
		name: "product", params: unary("values", "1"), result: "1", tables: true,
		doc: "The product of all cells, which must be plain numbers.", examples: []example{{"product([2, 3, 4])", "24"}},
		grid: func(c *decimal.Context, args []grid) grid {
			p := decimal.Int(1)
			for _, d := range args[0].numbers() {
				p = c.Mul(p, d)
			}
			return scalarGrid(p)
		},
	},
	{
		name: "each", params: []param{{name: "i", dimension: "any"}, {name: "from", dimension: "1"}, {name: "to", dimension: "1"}, {name: "expression", dimension: "any"}},
		tables: true, binds: true,
		doc:      "A column of the values of an expression in i, with i counting from one integer to another.",
		examples: []example{{"sum(each(i, 1, 4, i^2))", "30"}},
		rule: func(c *checker, n *node) dimension {
			c.plain(n.args[0], "The start of each")
			c.plain(n.args[1], "The end of each")
			return c.of(n.args[2])
		},
	},
	{
		name: "range", params: []param{{name: "from", dimension: "a"}, {name: "to", dimension: "a"}, {name: "step", dimension: "a"}}, result: "a", tables: true,
		doc: "A column of numbers from one up to another in steps.", examples: []example{{"sum(range(1, 7, 2))", "16"}},
		grid: func(c *decimal.Context, args []grid) grid {
			from, to, step := args[0].rows[0][0].number, args[1].rows[0][0].number, args[2].rows[0][0].number
			steps, ok := decimal.Decimal{}, !step.IsZero()
			if ok {
				steps = c.Floor(settled(c, c.Quo(c.Sub(to, from), step)))
			}
			n, whole := steps.Int64()
			if !ok || !whole || n < 0 || n >= maxCells {
				c.Fail(&decimal.UndefinedError{Function: "range", Argument: step})
				return grid{}
			}
			var list decimals
			for i := range n + 1 {
				list = append(list, c.Add(from, c.Mul(step, decimal.Int(i))))
			}
			return columnGrid(list)
		},
	},
	{
		name: "percentile", params: []param{{name: "values", dimension: "a"}, {name: "share", dimension: "1"}}, result: "a", tables: true,
		doc:      "The value below which a share of the cells lies, from 0 to 1, interpolated as spreadsheets do.",
		examples: []example{{"percentile([1, 2, 3, 4], 0.3)", "1.9"}},
		grid: func(c *decimal.Context, args []grid) grid {
			return scalarGrid(quantile(c, args[0].numbers(), args[1].rows[0][0].number))
		},
	},
	{
		name: "sumproduct", params: []param{{name: "a", dimension: "a"}, {name: "b", dimension: "b"}}, result: "a*b", tables: true,
		doc: "The sum of the products of the cells of two tables of one size.", examples: []example{{"sumproduct([1, 2], [3, 4])", "11"}},
		grid: func(c *decimal.Context, args []grid) grid {
			a, b := args[0], args[1]
			if !a.fits(b) {
				c.Fail(&gridError{-1, -1})
				return grid{}
			}
			var sum decimal.Decimal
			for r, row := range a.rows {
				for i, cell := range row {
					if !cell.empty && !b.rows[r][i].empty {
						sum = c.Add(sum, c.Mul(cell.number, b.rows[r][i].number))
					}
				}
			}
			return scalarGrid(sum)
		},
	},
	reshaper("cumsum", "The running sums of the cells, down the rows of each column.", example{"last(cumsum([1, 2, 3]))", "6"},
		func(c *decimal.Context, g grid) grid {
			result := grid{rank: g.rank}
			sums := make(decimals, g.width())
			for _, row := range g.rows {
				cells := slices.Clone(row)
				for i := range cells {
					if !cells[i].empty {
						sums[i] = c.Add(sums[i], cells[i].number)
						cells[i].number = sums[i]
					}
				}
				result.rows = append(result.rows, cells)
			}
			return result
		}),
	reshaper("sort", "All cells as a column, the least first.", example{"first(sort([3, 1, 2]))", "1"},
		func(_ *decimal.Context, g grid) grid { return columnGrid(sorted(g.numbers())) }),
	reshaper("reverse", "The rows in the opposite order.", example{"first(reverse([3, 1, 2]))", "2"},
		func(_ *decimal.Context, g grid) grid {
			rows := slices.Clone(g.rows)
			slices.Reverse(rows)
			return grid{g.rank, rows}
		}),
	reshaper("transpose", "Rows as columns.", example{"cell(transpose([[1, 2], [3, 4]]), 1, 2)", "3"},
		func(_ *decimal.Context, g grid) grid {
			result := grid{rank: 2}
			for i := range g.width() {
				var row []gridCell
				for r := range g.rows {
					row = append(row, g.at(r, i))
				}
				result.rows = append(result.rows, row)
			}
			return result
		}),
	{
		name: "rows", params: unary("values", "a"), result: "1", tables: true,
		doc: "The number of rows of a table.", examples: []example{{"rows([4, 5, 6])", "3"}},
		grid: func(_ *decimal.Context, args []grid) grid { return scalarGrid(decimal.Int(int64(len(args[0].rows)))) },
	},
	{
		name: "cell", params: []param{{name: "values", dimension: "a"}, {name: "row", dimension: "1"}, {name: "column", dimension: "1", value: "1"}},
		result: "a", tables: true,
		doc: "One cell of a table; rows and columns count from 1.", examples: []example{{"cell([[1, 2], [3, 4]], 2, 1)", "3"}},
		grid: func(c *decimal.Context, args []grid) grid {
			row, column := args[1].rows[0][0].number, decimal.Int(1)
			if len(args) == 3 {
				column = args[2].rows[0][0].number
			}
			r, _ := row.Int64()
			i, _ := column.Int64()
			found := args[0].at(int(r)-1, int(i)-1)
			if found.empty {
				return scalarGrid(c.Fail(&decimal.UndefinedError{Function: "cell", Argument: row}))
			}
			return scalarGrid(found.number)
		},
	},
	{
		name: "column", params: []param{{name: "values", dimension: "a"}, {name: "column", dimension: "1"}}, result: "a", tables: true,
		doc: "One column of a table; columns count from 1.", examples: []example{{"sum(column([[1, 2], [3, 4]], 2))", "6"}},
		grid: func(c *decimal.Context, args []grid) grid {
			number := args[1].rows[0][0].number
			i, ok := number.Int64()
			if !ok || i < 1 || int(i) > args[0].width() {
				c.Fail(&decimal.UndefinedError{Function: "column", Argument: number})
				return grid{}
			}
			result := grid{rank: 1}
			for r := range args[0].rows {
				result.rows = append(result.rows, []gridCell{args[0].at(r, int(i)-1)})
			}
			return result
		},
	},
	{
		name:   "lookup",
		params: []param{{name: "x", dimension: "a"}, {name: "keys", dimension: "a"}, {name: "values", dimension: "b"}}, result: "b", tables: true,
		doc:      "The value beside the last key that is not above x; keys ascend.",
		examples: []example{{"lookup(25, [10, 20, 30], [1, 2, 3])", "2"}},
		grid: func(c *decimal.Context, args []grid) grid {
			x, keys, values := args[0].rows[0][0].number, args[1].numbers(), args[2].numbers()
			if len(keys) != len(values) {
				c.Fail(&gridError{-1, -1})
				return grid{}
			}
			for i := len(keys) - 1; i >= 0; i-- {
				if compare(c, keys[i], x) <= 0 {
					return scalarGrid(values[i])
				}
			}
			return scalarGrid(c.Fail(&decimal.UndefinedError{Function: "lookup", Argument: x}))
		},
	},
	{
		name:   "interpolate",
		params: []param{{name: "x", dimension: "a"}, {name: "xs", dimension: "a"}, {name: "ys", dimension: "b"}}, result: "b", tables: true,
		doc:      "The value at x on straight lines between the points (xs, ys); xs ascend.",
		examples: []example{{"interpolate(15, [10, 20], [1, 2])", "1.5"}},
		grid: func(c *decimal.Context, args []grid) grid {
			x, xs, ys := args[0].rows[0][0].number, args[1].numbers(), args[2].numbers()
			if len(xs) != len(ys) {
				c.Fail(&gridError{-1, -1})
				return grid{}
			}
			for i := range len(xs) - 1 {
				if compare(c, xs[i], x) <= 0 && compare(c, x, xs[i+1]) <= 0 {
					slope := c.Quo(c.Sub(ys[i+1], ys[i]), c.Sub(xs[i+1], xs[i]))
					return scalarGrid(c.Add(ys[i], c.Mul(slope, c.Sub(x, xs[i]))))
				}
			}
			return scalarGrid(c.Fail(&decimal.UndefinedError{Function: "interpolate", Argument: x}))
		},
	},
	{
		name: "npv", params: []param{{name: "rate", dimension: "1"}, {name: "values", dimension: "a"}}, result: "a", tables: true,
		doc:      "The present value of payments at the ends of periods, at a rate per period.",
		examples: []example{{"round(npv(0.1, [-10000, 3000, 4200, 6800]), 2)", "1188.44"}},
		grid: func(c *decimal.Context, args []grid) grid {
			growth := c.Add(decimal.Int(1), args[0].rows[0][0].number)
			var sum decimal.Decimal
			list := args[1].numbers()
			for i := len(list) - 1; i >= 0; i-- {
				sum = c.Quo(c.Add(sum, list[i]), growth)
			}
			return scalarGrid(sum)
		},
	},
}
