package formula

import (
	"slices"
	"sort"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

var overTables = []*Entry{
	counter("sum", "a", "a", "The sum of numbers or of all cells of tables; empty ones do not count.",
		[]example{{"sum([1, 2, 3])", "6"}, {"sum(1, [2, 3], 4)", "10"}, {"sum([1 [m], 50 [cm]])", "1.5 m"}}, total).rising("+").of(sumTerms),
	reducer("avg", "a", "The mean of numbers or of all cells of tables; empty ones do not count.",
		[]example{{"avg([1, 2, 6])", "3"}, {"avg(10, 7, 9, 27, 2)", "11"}}, average).rising("+").inSpreadsheets("AVERAGE").of(averageTerms),
	reducer("median", "a", "The middle of all cells when sorted; of an even number the mean of the middle two.",
		[]example{{"median([5, 1, 3])", "3"}, {"median([5, 1, 3, 2])", "2.5"}},
		func(c *decimal.Context, l Decimals) decimal.Decimal { return quantile(c, l, half) }).rising("+"),
	counter("count", "any", "1", "The number of cells that are not empty.", []example{{"count([4, 5])", "2"}, {"count([[1, 2], [3, 4]])", "4"}},
		func(_ *decimal.Context, l Decimals) decimal.Decimal { return decimal.Int(int64(len(l))) }).over(knownOver),
	reducer("stdev", "a", "The standard deviation of a sample (divides by n - 1).",
		[]example{{"stdev([2, 4, 6])", "2"}, {"stdev([5])", "! calculation.division_by_zero"}},
		func(c *decimal.Context, l Decimals) decimal.Decimal { return c.Sqrt(variance(c, l, 1)) }).over(varianceOver(1, true)).inSpreadsheets("STDEV STDEV.S"),
	reducer("stdevp", "a", "The standard deviation of a population (divides by n).", []example{{"stdevp([1, 3])", "1"}, {"stdevp([5])", "0"}},
		func(c *decimal.Context, l Decimals) decimal.Decimal { return c.Sqrt(variance(c, l, 0)) }).over(varianceOver(0, true)).inSpreadsheets("STDEVP STDEV.P"),
	reducer("var", "a^2", "The variance of a sample (divides by n - 1).", []example{{"var([2, 4, 6])", "4"}, {"var([1 [m], 3 [m]])", "2 m^2"}},
		func(c *decimal.Context, l Decimals) decimal.Decimal { return variance(c, l, 1) }).over(varianceOver(1, false)).inSpreadsheets("VAR.S"),
	reducer("varp", "a^2", "The variance of a population (divides by n).", []example{{"varp([1, 3])", "1"}, {"varp([5])", "0"}},
		func(c *decimal.Context, l Decimals) decimal.Decimal { return variance(c, l, 0) }).over(varianceOver(0, false)).inSpreadsheets("VARP VAR.P"),
	reducer("first", "a", "The first cell that is not empty.", []example{{"first([7, 8])", "7"}, {"first([[1, 2], [3, 4]])", "1"}},
		func(_ *decimal.Context, l Decimals) decimal.Decimal { return l[0] }).rising("+"),
	reducer("last", "a", "The last cell that is not empty.", []example{{"last([7, 8])", "8"}, {"last([[1, 2], [3, 4]])", "4"}},
		func(_ *decimal.Context, l Decimals) decimal.Decimal { return l[len(l)-1] }).rising("+"),
	counter("product", "1", "1", "The product of numbers or of all cells of tables, which must be plain numbers; empty ones do not count.",
		[]example{{"product([2, 3, 4])", "24"}, {"product(2, [3, 4])", "24"}},
		func(c *decimal.Context, l Decimals) decimal.Decimal {
			p := decimal.Int(1)
			for _, d := range l {
				p = c.Mul(p, d)
			}
			return p
		}).over(productOver).of(productTerms),
	{
		Name: "each", Params: []param{{name: "i", dimension: "a new name"}, {name: "from", dimension: "1"}, {name: "to", dimension: "1"}, {name: "expression", dimension: "any"}},
		tables: true, shape: shapeTable, Binds: true, Result: "any",
		Doc:      "A column of the values of an expression in i, with i counting from one integer up to another.",
		Examples: []example{{"each(i, 1, 3, i^2)", `["1","4","9"]`}, {"sum(each(i, 1, 4, i^2))", "30"}, {"each(i, 3, 1, i)", "! calculation.domain_error"}},
		rule: func(c *checker, n *Node) Dimension {
			c.plain(n.Args[0], "The start of each")
			c.plain(n.Args[1], "The end of each")
			return c.of(n.Args[2])
		},
	},
	{
		Over: rangeOver, Name: "range", Params: []param{{name: "from", dimension: "a", single: true}, {name: "to", dimension: "a", single: true}, {name: "step", dimension: "a", single: true}},
		Result: "a", tables: true, shape: shapeTable,
		Doc:      "A column of numbers from one to another, which is not passed, in steps.",
		Examples: []example{{"range(1, 7, 2)", `["1","3","5","7"]`}, {"range(3, 2, -0.5)", `["3","2.5","2"]`}, {"range(1, 5, -1)", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			a, ok := scalars(c, args)
			if !ok {
				return Grid{}
			}
			from, to, step := a[0], a[1], a[2]
			n, whole := int64(0), false
			if !step.IsZero() {
				n, whole = c.Floor(Settled(c, c.Quo(c.Sub(to, from), step))).Int64()
			}
			switch {
			case !whole || n < 0:
				c.Fail(&decimal.UndefinedError{Function: "range", Argument: step})
			case n >= value.MaxCells:
				c.Fail(decimal.ErrLimit)
			}
			if c.Err() != nil {
				return Grid{}
			}
			var list Decimals
			for i := range n + 1 {
				list = append(list, c.Add(from, c.Mul(step, decimal.Int(i))))
			}
			return columnGrid(list)
		},
	},
	{
		Over: risingOver("++"), Name: "percentile", Spreadsheet: "PERCENTILE.INC QUARTILE", Params: []param{{name: "values", dimension: "a"}, {name: "share", dimension: "1", single: true}}, Result: "a", tables: true,
		Doc: "The value below which a share of the cells lies, from 0 (the least cell) to 1 (the greatest), on straight lines between" +
			" the cells as the inclusive percentile of spreadsheets.",
		Examples: []example{{"percentile([1, 2, 3, 4], 0.3)", "1.9"}, {"percentile([4, 1, 3, 2], 1)", "4"}, {"percentile([1, 2], 30)", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			share, ok := args[1].scalar(c)
			if !ok {
				return Grid{}
			}
			return scalarGrid(quantile(c, args[0].numbers(), share))
		},
	},
	{
		Over: risingOver("++"), Name: "percentile_exclusive", Spreadsheet: "PERCENTILE.EXC QUARTILE.EXC", Params: []param{{name: "values", dimension: "a"}, {name: "share", dimension: "1", single: true}}, Result: "a", tables: true,
		Doc: "The value below which a share of the cells lies, on straight lines between the cells, where n cells stand at 1/(n + 1) to" +
			" n/(n + 1) of all; a share beyond these has none.",
		Examples: []example{{"percentile_exclusive([6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49], 0.25)", "15"}, {"percentile_exclusive([1, 2, 3, 4], 0.3)", "1.5"},
			{"percentile_exclusive([1, 2, 3, 4], 0.1)", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			share, ok := args[1].scalar(c)
			list := args[0].numbers()
			if !ok {
				return Grid{}
			}
			last := decimal.Int(int64(len(list) - 1))
			inner := Settled(c, c.Sub(c.Mul(share, decimal.Int(int64(len(list)+1))), decimal.Int(1)))
			switch {
			case inner.Sign() < 0 || inner.Cmp(last) > 0 || len(list) == 0:
				return failed(c, &decimal.UndefinedError{Function: "percentile_exclusive", Argument: share})
			case len(list) == 1:
				return scalarGrid(list[0])
			}
			return scalarGrid(at(c, sorted(list), inner))
		},
	},
	{
		Over: sumproductOver, Name: "sumproduct", Params: []param{{name: "a", dimension: "a"}, {name: "b", dimension: "b"}}, Result: "a*b", tables: true, terms: sumproductTerms,
		Doc:      "The sum of the products of the cells of two tables of one size; where either is empty, the pair does not count.",
		Examples: []example{{"sumproduct([1, 2], [3, 4])", "11"}, {"sumproduct([1, 2], [3, 4, 5])", "! calculation.table_mismatch"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			a, b := args[0], args[1]
			if !a.Fits(b) {
				return failed(c, &GridError{-1, -1})
			}
			var sum decimal.Decimal
			for r, row := range a.Rows {
				for i, cell := range row {
					if !cell.Empty && !b.Rows[r][i].Empty {
						sum = c.Add(sum, c.Mul(cell.Number, b.Rows[r][i].Number))
					}
				}
			}
			return scalarGrid(sum)
		},
	},
	reshaper("cumsum", "The running sums of the cells, down the rows of each column.",
		[]example{{"cumsum([1, 2, 3])", `["1","3","6"]`}, {"cumsum([[1, 10], [2, 20]])", `[["1","10"],["3","30"]]`}},
		func(c *decimal.Context, g Grid) Grid {
			result := Grid{Rank: g.Rank}
			sums := make(Decimals, g.width())
			for _, row := range g.Rows {
				cells := slices.Clone(row)
				for i := range cells {
					if !cells[i].Empty {
						sums[i] = c.Add(sums[i], cells[i].Number)
						cells[i].Number = sums[i]
					}
				}
				result.Rows = append(result.Rows, cells)
			}
			return result
		}).rising("+").of(cumsumTerms),
	reshaper("sort", "All cells that are not empty as a column, the least first.",
		[]example{{"sort([3, 1, 2])", `["1","2","3"]`}, {"reverse(sort([3, 1, 2]))", `["3","2","1"]`}},
		func(_ *decimal.Context, g Grid) Grid { return columnGrid(sorted(g.numbers())) }).rising("+"),
	rearranger("reverse", "The rows in the opposite order.", []example{{"reverse([3, 1, 2])", `["2","1","3"]`}, {"reverse([[1, 2], [3, 4]])", `[["3","4"],["1","2"]]`}},
		func(_ *decimal.Context, g Grid) Grid {
			rows := slices.Clone(g.Rows)
			slices.Reverse(rows)
			return Grid{g.Rank, rows}
		}),
	rearranger("transpose", "Rows as columns and columns as rows.",
		[]example{{"transpose([[1, 2], [3, 4]])", `[["1","3"],["2","4"]]`}, {"transpose([1, 2, 3])", `[["1","2","3"]]`}},
		func(_ *decimal.Context, g Grid) Grid {
			result := Grid{Rank: 2}
			for i := range g.width() {
				var row []GridCell
				for r := range g.Rows {
					row = append(row, g.at(r, i))
				}
				result.Rows = append(result.Rows, row)
			}
			return result
		}),
	{
		Name: "table", Params: Unary("columns", "a"), Variadic: true, Result: "a", tables: true, copies: true, shape: shapeTable,
		Doc:      "A table of columns, or of tables, side by side; a number stands in every row.",
		Examples: []example{{"table([1, 2], [3, 4])", `[["1","3"],["2","4"]]`}, {"table([1, 2], 5)", `[["1","5"],["2","5"]]`}, {"table([1, 2], [1, 2, 3])", "! calculation.table_mismatch"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			rows, cells := 1, 0
			for _, a := range args {
				if a.Rank > 0 {
					rows = len(a.Rows)
				}
				cells += a.width()
			}
			if rows*cells > value.MaxCells {
				return failed(c, decimal.ErrLimit)
			}
			result := Grid{Rank: 2, Rows: make([][]GridCell, rows)}
			for _, a := range args {
				if a.Rank > 0 && len(a.Rows) != rows {
					return failed(c, &GridError{-1, -1})
				}
				width := a.width()
				for r := range result.Rows {
					for i := range width {
						result.Rows[r] = append(result.Rows[r], a.at(r*min(a.Rank, 1), i))
					}
				}
			}
			return result
		},
	},
	{
		Over: knownOver, Name: "rows", Params: Unary("values", "any"), Result: "1", tables: true,
		Doc: "The number of rows of a table.", Examples: []example{{"rows([4, 5, 6])", "3"}, {"rows([[1, 2], [3, 4]])", "2"}},
		Grid: func(_ *decimal.Context, args []Grid) Grid { return scalarGrid(decimal.Int(int64(len(args[0].Rows)))) },
	},
	{
		Name: "cell", Spreadsheet: "INDEX", Params: []param{{name: "values", dimension: "a"}, {name: "row", dimension: "1", single: true}, {name: "column", dimension: "1", value: "1", single: true}},
		Result: "a", tables: true, copies: true, column: 2,
		Doc:      "One cell of a table, which must not be empty; rows and columns count from 1.",
		Examples: []example{{"cell([[1, 2], [3, 4]], 2, 1)", "3"}, {"cell([7, 8, 9], 3)", "9"}, {"cell([7, 8, 9], 4)", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			r, ok := args[1].index(c, "cell", len(args[0].Rows))
			i := 0
			if ok && len(args) == 3 {
				i, ok = args[2].index(c, "cell", len(args[0].Rows[r]))
			}
			if !ok {
				return Grid{}
			}
			found := args[0].at(r, i)
			if found.Empty {
				return scalarGrid(c.Fail(&decimal.UndefinedError{Function: "cell", Argument: decimal.Int(int64(r + 1))}))
			}
			return Grid{Rows: [][]GridCell{{found}}}
		},
	},
	{
		Name: "column", Params: []param{{name: "values", dimension: "a"}, {name: "column", dimension: "1", single: true}}, Result: "a", tables: true, copies: true, column: 1, shape: shapeTable,
		Doc:      "One column of a table; columns count from 1.",
		Examples: []example{{"column([[1, 2], [3, 4]], 2)", `["2","4"]`}, {"sum(column([[1, 2], [3, 4]], 2))", "6"}, {"column([1, 2], 2)", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			i, ok := args[1].index(c, "column", args[0].width())
			if !ok {
				return Grid{}
			}
			result := Grid{Rank: 1}
			for r := range args[0].Rows {
				result.Rows = append(result.Rows, []GridCell{args[0].at(r, i)})
			}
			return result
		},
	},
	{
		Name: "row", Params: []param{{name: "values", dimension: "a"}, {name: "row", dimension: "1", single: true}}, Result: "a", tables: true, copies: true, shape: shapeTable,
		Doc:      "The cells of one row of a table, as a column; rows count from 1.",
		Examples: []example{{"row([[1, 2], [3, 4]], 2)", `["3","4"]`}, {"sum(row([[1, 2], [3, 4]], 1))", "3"}, {"row([1, 2], 0)", "! calculation.domain_error"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			r, ok := args[1].index(c, "row", len(args[0].Rows))
			if !ok {
				return Grid{}
			}
			result := Grid{Rank: 1}
			for i := range args[0].Rows[r] {
				result.Rows = append(result.Rows, []GridCell{args[0].at(r, i)})
			}
			return result
		},
	},
	stepwise(finder("lookup", "keys", "values", "The value beside the last key that is not above x; keys ascend.",
		[]example{{"lookup(25, [10, 20, 30], [1, 2, 3])", "2"}, {"lookup([10, 99], [10, 20, 30], [1, 2, 3])", `["1","3"]`},
			{"lookup(5, [10, 20], [1, 2])", "! calculation.domain_error"}},
		func(c *decimal.Context, x decimal.Decimal, keys, values Decimals) (decimal.Decimal, bool) {
			i := sort.Search(len(keys), func(i int) bool { return keys[i].Cmp(x) > 0 })
			if i < len(keys) && Compare(c, keys[i], x) == 0 {
				i++
			}
			if i == 0 {
				return decimal.Decimal{}, false
			}
			return values[i-1], true
		})).over(finderOver(lookupOver)).inSpreadsheets("VLOOKUP HLOOKUP"),
	exactly(stepwise(finder("lookup_exact", "keys", "values", "The value beside the key that x is; keys stand in any order, each once.",
		[]example{{"lookup_exact(2, [3, 1, 2], [30, 10, 20])", "20"}, {"lookup_exact([1, 3], [3, 1, 2], [30, 10, 20])", `["10","30"]`},
			{"lookup_exact(4, [3, 1, 2], [30, 10, 20])", "! calculation.domain_error"}, {"lookup_exact(1, [1, 1], [2, 3])", "! calculation.domain_error"}},
		func(c *decimal.Context, x decimal.Decimal, keys, values Decimals) (found decimal.Decimal, ok bool) {
			for i, k := range keys {
				if Compare(c, k, x) != 0 {
					continue
				}
				if ok {
					return c.Fail(&decimal.UndefinedError{Function: "lookup_exact", Argument: x, Known: "it stands there twice"}), false
				}
				found, ok = values[i], true
			}
			return found, ok
		}))).over(finderOver(exactOver)).inSpreadsheets("XLOOKUP MATCH"),
	{
		Over: countifOver, Name: "countif", Spreadsheet: "COUNTIF COUNTIFS", Params: []param{{name: "condition", dimension: "1"}}, Result: "1", tables: true,
		Doc:      "The number of cells for which a condition holds.",
		Examples: []example{{"countif([4, 7, 9] > 5)", "2"}, {"countif([4, 7, 9] > 5 and [1, 2, 1] == 1)", "1"}},
		Grid: func(_ *decimal.Context, args []Grid) Grid {
			count := int64(0)
			for _, d := range args[0].numbers() {
				if !d.IsZero() {
					count++
				}
			}
			return scalarGrid(decimal.Int(count))
		},
	},
	conditional("sumif", "SUMIF SUMIFS", "The sum of the values in the rows for which a condition holds, 0 where there are none.",
		[]example{{"sumif([1, 2, 1] == 1, [10, 20, 40])", "50"}, {"sumif([1, 2] > 5, [3 [EUR], 4 [EUR]])", "0 EUR"}, {"sumif([1, 2] > 5, [3, 4, 5])", "! calculation.table_mismatch"}},
		total).over(conditionOver(sumifOver)).of(conditionTerms),
	conditional("averageif", "AVERAGEIF AVERAGEIFS", "The mean of the values in the rows for which a condition holds, of which there must be one.",
		[]example{{"averageif([1, 2, 1] == 1, [10, 20, 40])", "25"}, {"averageif([1, 2] > 5, [3, 4])", "! calculation.domain_error"}}, average).over(conditionOver(averageifOver)),
	conditional("minif", "MINIFS", "The least value in the rows for which a condition holds, of which there must be one.",
		[]example{{"minif([1, 2, 1] == 1, [10, 5, 40])", "10"}, {"minif([1, 2] > 5, [3, 4])", "! calculation.domain_error"}},
		func(_ *decimal.Context, list Decimals) decimal.Decimal { return Extreme(list, -1) }).over(conditionOver(leastOver)),
	conditional("maxif", "MAXIFS", "The greatest value in the rows for which a condition holds, of which there must be one.",
		[]example{{"maxif([1, 2, 1] == 1, [10, 50, 40])", "40"}, {"maxif([1, 2] > 5, [3, 4])", "! calculation.domain_error"}},
		func(_ *decimal.Context, list Decimals) decimal.Decimal { return Extreme(list, 1) }).over(conditionOver(greatestOver)),
	finder("interpolate", "xs", "ys", "The value at x on straight lines between the points (xs, ys); xs ascend, and x is between the first and the last.",
		[]example{{"interpolate(15, [10, 20], [1, 2])", "1.5"}, {"interpolate(12, [0, 10, 20], [0, 100, 0])", "80"},
			{"interpolate(25, [10, 20], [1, 2])", "! calculation.domain_error"}},
		func(c *decimal.Context, x decimal.Decimal, xs, ys Decimals) (decimal.Decimal, bool) {
			i := sort.Search(len(xs), func(i int) bool { return x.Cmp(xs[i]) <= 0 })
			switch {
			case i == 0 && len(xs) > 1 && Compare(c, xs[0], x) == 0:
				i = 1
			case i == len(xs) && i > 1 && Compare(c, xs[i-1], x) == 0:
				i--
			}
			if i == 0 || i == len(xs) {
				return decimal.Decimal{}, false
			}
			slope := c.Quo(c.Sub(ys[i], ys[i-1]), c.Sub(xs[i], xs[i-1]))
			return c.Add(ys[i-1], c.Mul(slope, c.Sub(x, xs[i-1]))), true
		}).over(finderOver(interpolateOver)).invertedOver(betweenPoints),
}

var half = decimal.MustParse("0.5")
