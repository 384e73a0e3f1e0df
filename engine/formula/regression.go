package formula

import "reckon/engine/decimal"

// regressions holds functions of the straight line that fits points best.
var regressions = []*Entry{
	regression("slope", "b/a", "The slope of the straight line that fits points best by least squares, ys first as spreadsheets have it.", "SLOPE",
		[]example{{"slope([2, 4, 6], [1, 2, 3])", "2"}, {"slope([1, 2, 2], [1, 2, 3])", "0.5"}, {"slope([1, 2], [3, 3])", "! calculation.division_by_zero"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Quo(l.xy, l.xx) }).over(lineOver(func(_ []IntervalTable, _, _, xx, xy, _ Interval, _ int) Interval { return IntervalDiv(xy, xx) })),
	regression("intercept", "b", "Where the straight line that fits points best by least squares is at x = 0.", "INTERCEPT",
		[]example{{"intercept([3, 5, 7], [1, 2, 3])", "1"}, {"intercept([2, 4], [2, 3])", "-2"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Sub(l.y, c.Mul(c.Quo(l.xy, l.xx), l.x)) }).over(lineOver(func(_ []IntervalTable, x, y, xx, xy, _ Interval, _ int) Interval {
		return intervalSub(y, IntervalMul(IntervalDiv(xy, xx), x))
	})),
	regression("correlation", "1", "The correlation of pairs, from -1 to 1.", "CORREL PEARSON",
		[]example{{"correlation([2, 4, 6], [1, 2, 3])", "1"}, {"correlation([3, 2, 1], [1, 2, 3])", "-1"}, {"correlation([1, 1], [1, 2])", "! calculation.division_by_zero"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Quo(l.xy, c.Sqrt(c.Mul(l.xx, l.yy))) }).over(lineOver(func(_ []IntervalTable, _, _, xx, xy, yy Interval, _ int) Interval {
		return IntervalDiv(xy, intervalSqrt(IntervalMul(xx, yy), xx)).cut(-1, 1)
	})),
	regression("r_squared", "1", "How much of the variance of ys the straight line that fits points best explains, from 0 to 1.", "RSQ",
		[]example{{"r_squared([2, 4, 6], [1, 2, 3])", "1"}, {"r_squared([1, 2, 2], [1, 2, 3])", "0.75"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Quo(c.Mul(l.xy, l.xy), c.Mul(l.xx, l.yy)) }).over(lineOver(func(_ []IntervalTable, _, _, xx, xy, yy Interval, _ int) Interval {
		return IntervalDiv(intervalPow(xy, pointAt(2)), IntervalMul(xx, yy)).cut(0, 1)
	})),
	{
		Over: lineOver(func(args []IntervalTable, x, y, xx, xy, _ Interval, _ int) Interval {
			return IntervalAdd(y, IntervalMul(IntervalDiv(xy, xx), intervalSub(args[0].Single(), x)))
		}), Name: "forecast", Params: []param{{name: "x", dimension: "a", single: true}, {name: "ys", dimension: "b"}, {name: "xs", dimension: "a"}}, Result: "b", tables: true,
		Doc:      "The value at x of the straight line that fits points best by least squares.",
		Examples: []example{{"forecast(4, [2, 4, 6], [1, 2, 3])", "8"}, {"forecast(0, [3, 5, 7], [1, 2, 3])", "1"}},
		Grid: func(c *decimal.Context, args []Grid) Grid {
			x, ok := args[0].scalar(c)
			l, fits := fitted(c, args[1], args[2])
			if !ok || !fits {
				return Grid{}
			}
			return scalarGrid(c.Add(l.y, c.Mul(c.Quo(l.xy, l.xx), c.Sub(x, l.x))))
		},
		Spreadsheet: "FORECAST FORECAST.LINEAR TREND",
	},
	regression("standard_error", "b", "How far ys are from the straight line that fits points best: the root of the mean square with two degrees of freedom less.",
		"STEYX", []example{{"standard_error([1, 2, 2], [1, 2, 3]) - sqrt(1 / 6)", "0"}, {"standard_error([2, 4, 6], [1, 2, 3])", "0"},
			{"standard_error([1, 2], [1, 2])", "! calculation.division_by_zero"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Sqrt(l.rest(c)) }).over(lineOver(func(_ []IntervalTable, _, _, xx, xy, yy Interval, points int) Interval {
		return intervalSqrt(restOver(xx, xy, yy, points), xx)
	})),
	regression("slope_error", "b/a", "The standard error of the slope of the straight line that fits points best.", "LINEST",
		[]example{{"slope_error([1, 2, 2], [1, 2, 3]) - sqrt(1 / 12)", "0"}, {"slope_error([2, 4, 6], [1, 2, 3])", "0"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Sqrt(c.Quo(l.rest(c), l.xx)) }).over(lineOver(func(_ []IntervalTable, _, _, xx, xy, yy Interval, points int) Interval {
		return intervalSqrt(IntervalDiv(restOver(xx, xy, yy, points), xx), xx)
	})),
	regression("covariance", "a*b", "The mean product of the deviations of pairs from their means, of a sample (divides by n - 1).", "COVARIANCE.S",
		[]example{{"covariance([2, 4, 6], [1, 2, 3])", "2"}, {"covariance([1], [1])", "! calculation.division_by_zero"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Quo(l.xy, decimal.Int(l.points-1)) }).over(lineOver(func(_ []IntervalTable, _, _, _, xy, _ Interval, points int) Interval {
		return IntervalDiv(xy, pointAt(points-1))
	})),
	regression("covariancep", "a*b", "The mean product of the deviations of pairs from their means, of a population (divides by n).", "COVAR COVARIANCE.P",
		[]example{{"covariancep([3, 2, 4, 5, 6], [9, 7, 12, 15, 17])", "5.2"}, {"covariancep([1], [1])", "0"}},
		func(c *decimal.Context, l line) decimal.Decimal { return c.Quo(l.xy, decimal.Int(l.points)) }).over(lineOver(func(_ []IntervalTable, _, _, _, xy, _ Interval, points int) Interval {
		return IntervalDiv(xy, pointAt(points))
	})),
}

// line is what a straight line through points comes from: means, and sums of products of the
// deviations from them.
type line struct {
	x, y, xx, xy, yy decimal.Decimal
	points           int64
}

// rest is the sum of the squares of what the line leaves of ys, by its degrees of freedom.
func (l line) rest(c *decimal.Context) decimal.Decimal {
	if l.points < 3 {
		return c.Fail(decimal.ErrDivisionByZero)
	}
	rest := c.Sub(l.yy, c.Quo(c.Mul(l.xy, l.xy), l.xx))
	return c.Quo(Certain(c, rest, l.yy), decimal.Int(l.points-2))
}

// fitted sums up the points of two tables of one size; where either is empty, the pair does not
// count. It is false where they do not fit or there is none, which fails the context.
func fitted(c *decimal.Context, ys, xs Grid) (l line, ok bool) {
	if !xs.Fits(ys) {
		c.Fail(&GridError{-1, -1})
		return l, false
	}
	var points [][2]decimal.Decimal
	for r, row := range xs.Rows {
		for i, cell := range row {
			if y := ys.Rows[r][i]; !cell.Empty && !y.Empty {
				points = append(points, [2]decimal.Decimal{cell.Number, y.Number})
				l.x, l.y = c.Add(l.x, cell.Number), c.Add(l.y, y.Number)
			}
		}
	}
	l.points = int64(len(points))
	n := decimal.Int(l.points)
	l.x, l.y = c.Quo(l.x, n), c.Quo(l.y, n)
	for _, p := range points {
		dx, dy := c.Sub(p[0], l.x), c.Sub(p[1], l.y)
		l.xx, l.xy, l.yy = c.Add(l.xx, c.Mul(dx, dx)), c.Add(l.xy, c.Mul(dx, dy)), c.Add(l.yy, c.Mul(dy, dy))
	}
	return l, c.Err() == nil
}

// regression makes the entry of a function of the straight line through points.
func regression(name, result, doc, spreadsheet string, examples []example, value func(c *decimal.Context, l line) decimal.Decimal) *Entry {
	return &Entry{
		Name: name, Params: []param{{name: "ys", dimension: "b"}, {name: "xs", dimension: "a"}}, Result: result, tables: true,
		Doc: doc, Examples: examples, Spreadsheet: spreadsheet,
		Grid: func(c *decimal.Context, args []Grid) Grid {
			l, ok := fitted(c, args[0], args[1])
			if !ok {
				return Grid{}
			}
			return scalarGrid(value(c, l))
		},
	}
}
