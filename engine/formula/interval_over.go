package formula

import (
	"math"
	"slices"
)

// overIntervals is what a function over tables may be over tables of intervals; false where it does
// not tell.
type overIntervals func(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool)

// over is an entry with its interval extension.
func (e *Entry) over(by overIntervals) *Entry {
	e.Over = by
	return e
}

// rising is an entry whose value never falls with the cells of an argument where its sign is +,
// never rises where it is -, and needs single numbers where it is . so that it is enclosed by its
// values at two corners. The last sign stands for all further arguments.
func (e *Entry) rising(signs string) *Entry { return e.over(risingOver(signs)) }

func risingOver(signs string) overIntervals {
	return func(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool) {
		return m.corners(f, signs, args)
	}
}

// corners encloses a function by its values where all arguments are at the ends where it is least
// and where it is greatest. It does not tell where it has no value at one of them.
func (m *IntervalMachine) corners(e *Entry, signs string, args []IntervalTable) (IntervalTable, bool) {
	var ends [2]Grid
	marks := Interval{}
	for k := range ends {
		grids := make([]Grid, len(args))
		for i, a := range args {
			sign := signs[min(i, len(signs)-1)]
			if sign == '.' && !a.isPoint() {
				return IntervalTable{}, false
			}
			var ok bool
			if grids[i], ok = a.end((k == 1) == (sign != '-')); !ok {
				return IntervalTable{}, false
			}
			for _, s := range a.list() {
				marks = marks.marked(s, s)
			}
		}
		ends[k] = e.Grid(m.Context, grids)
		if m.TryErr() != nil {
			return IntervalTable{}, false
		}
	}
	low, high := EncloseTable(ends[0]), EncloseTable(ends[1])
	if low.Rank != high.Rank || !low.fits(high) {
		return IntervalTable{}, false
	}
	for r, row := range low.Rows {
		for c := range row {
			row[c].Interval = Interval{Lo: row[c].Lo, Hi: high.Rows[r][c].Hi}.wider(1).marked(marks, marks)
		}
	}
	return low, true
}

func pointAt(n int) Interval { return Interval{Lo: float64(n), Hi: float64(n)} }

func sumOver(list []Interval) Interval {
	sum := Interval{}
	for _, s := range list {
		sum = IntervalAdd(sum, s)
	}
	return sum
}

// productOver is the product of all cells.
func productOver(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
	product := pointAt(1)
	for _, a := range args {
		for _, s := range a.list() {
			product = IntervalMul(product, s)
		}
	}
	return SingleInterval(product), true
}

// pairsOver are the cells of two tables side by side, without pairs of which one is empty.
func pairsOver(a, b IntervalTable) (xs, ys []Interval, ok bool) {
	if !a.fits(b) {
		x, y := a.list(), b.list()
		return x, y, len(x) == len(y)
	}
	for r, row := range a.Rows {
		for i, x := range row {
			if y := b.Rows[r][i]; !x.Blank && !y.Blank {
				xs, ys = append(xs, x.Interval), append(ys, y.Interval)
			}
		}
	}
	return xs, ys, true
}

func sumproductOver(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
	xs, ys, ok := pairsOver(args[0], args[1])
	sum := Interval{}
	for i := range xs {
		sum = IntervalAdd(sum, IntervalMul(xs[i], ys[i]))
	}
	return SingleInterval(sum), ok
}

// momentsOver are the mean of some intervals, and the sum of the products of the deviations of two
// lists from their means.
func momentsOver(xs, ys []Interval) (x, y, products Interval) {
	n := pointAt(len(xs))
	x, y = IntervalDiv(sumOver(xs), n), IntervalDiv(sumOver(ys), n)
	same := &xs[0] == &ys[0]
	for i := range xs {
		dx := intervalSub(xs[i], x)
		if same {
			products = IntervalAdd(products, intervalPow(dx, pointAt(2)))
		} else {
			products = IntervalAdd(products, IntervalMul(dx, intervalSub(ys[i], y)))
		}
	}
	return x, y, products
}

// varianceOver divides the squares of the deviations by the count less a number, and takes the
// root.
func varianceOver(less int, root bool) overIntervals {
	return func(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
		var all []Interval
		for _, a := range args {
			all = append(all, a.list()...)
		}
		if len(all) <= less {
			return IntervalTable{}, false
		}
		_, _, squares := momentsOver(all, all)
		s := IntervalDiv(squares, pointAt(len(all)-less))
		if root {
			s = intervalSqrt(s, s)
		}
		return SingleInterval(s), true
	}
}

// lineOver is the interval extension of a function of the straight line through points, of which it
// gets means and sums of products.
func lineOver(value func(args []IntervalTable, x, y, xx, xy, yy Interval, points int) Interval) overIntervals {
	return func(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
		ys, xs, ok := pairsOver(args[len(args)-2], args[len(args)-1])
		if !ok || len(xs) == 0 {
			return IntervalTable{}, false
		}
		x, y, xy := momentsOver(xs, ys)
		_, _, xx := momentsOver(xs, xs)
		_, _, yy := momentsOver(ys, ys)
		return SingleInterval(value(args, x, y, xx, xy, yy, len(xs))), true
	}
}

// cut is the part of an interval in another one that its values cannot leave.
func (s Interval) cut(low, high float64) Interval {
	if !s.Empty() {
		s.Lo, s.Hi = math.Min(math.Max(s.Lo, low), high), math.Max(math.Min(s.Hi, high), low)
	}
	return s
}

// restOver is what a line leaves of ys, by its degrees of freedom.
func restOver(xx, xy, yy Interval, points int) Interval {
	if points < 3 {
		return EmptyInterval
	}
	rest := intervalSub(yy, IntervalDiv(intervalPow(xy, pointAt(2)), xx)).cut(0, math.Inf(1))
	return IntervalDiv(rest, pointAt(points-2))
}

// truths are how many conditions hold for sure, and how many may.
func truths(t IntervalTable) (sure, may int) {
	for _, s := range t.list() {
		if s.Has(0) || s.Empty() {
			if !s.isZero() {
				may++
			}
			continue
		}
		sure, may = sure+1, may+1
	}
	return sure, may
}

func countifOver(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
	sure, may := truths(args[0])
	return SingleInterval(Interval{Lo: float64(sure), Hi: float64(may), Jumps: sure < may}), true
}

// conditionOver is a function of the cells for which a condition holds, of which it gets those that
// count for sure and those that may.
func conditionOver(value func(sure, may []Interval) Interval) overIntervals {
	return func(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
		if !args[0].fits(args[1]) {
			return IntervalTable{}, false
		}
		var sure, may []Interval
		for r, row := range args[1].Rows {
			for i, v := range row {
				met := args[0].Rows[r][i]
				switch {
				case v.Blank || met.Blank || met.isZero() && !met.Empty():
				case met.Has(0) || met.Empty():
					may = append(may, v.Interval)
				default:
					sure = append(sure, v.Interval)
				}
			}
		}
		s := value(sure, may)
		s.Jumps = s.Jumps || len(may) > 0
		return SingleInterval(s), true
	}
}

func sumifOver(sure, may []Interval) Interval {
	sum := sumOver(sure)
	for _, s := range may {
		sum = IntervalAdd(sum, s.union(Interval{}))
	}
	return sum
}

// amongOver is what is between the cells that count, such as their mean or one of them.
func amongOver(sure, may []Interval) Interval {
	s := EmptyInterval
	for i, c := range slices.Concat(sure, may) {
		if s = s.union(c); i == 0 {
			s = c
		}
	}
	s.Partial = s.Partial || len(sure) == 0
	return s
}

func averageifOver(sure, may []Interval) Interval {
	if len(may) == 0 && len(sure) > 0 {
		return IntervalDiv(sumOver(sure), pointAt(len(sure)))
	}
	return amongOver(sure, may).wider(1)
}

// leastOver is the least of the cells that count: not above one that counts for sure.
func leastOver(sure, may []Interval) Interval {
	s := amongOver(sure, may)
	for _, c := range sure {
		s.Hi = math.Min(s.Hi, c.Hi)
	}
	return s
}

func greatestOver(sure, may []Interval) Interval {
	s := amongOver(sure, may)
	for _, c := range sure {
		s.Lo = math.Max(s.Lo, c.Lo)
	}
	return s
}

// finderOver is the interval extension of a function of x, cell by cell, and two tables of one
// size.
func finderOver(find func(x Interval, keys, values []Interval) Interval) overIntervals {
	return func(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
		keys, values, ok := pairsOver(args[1], args[2])
		if !ok || len(keys) == 0 {
			return IntervalTable{}, false
		}
		t := IntervalTable{Rank: args[0].Rank}
		for _, row := range args[0].Rows {
			cells := slices.Clone(row)
			for i, c := range cells {
				if !c.Blank {
					cells[i].Interval = find(c.Interval, keys, values).marked(c.Interval, c.Interval)
				}
			}
			t.Rows = append(t.Rows, cells)
		}
		return t, true
	}
}

// lookupOver is the hull of the values beside the keys that may be the last one not above x.
func lookupOver(x Interval, keys, values []Interval) Interval {
	s, some := EmptyInterval, false
	for i, k := range keys {
		if k.Lo > x.Hi || i+1 < len(keys) && keys[i+1].Hi <= x.Lo {
			continue
		}
		if s = s.union(values[i]); !some {
			s = values[i]
		} else {
			s.Jumps = true
		}
		some = true
	}
	s.Partial = s.Partial || keys[0].Hi > x.Lo
	return s
}

// exactOver is the hull of the values beside the keys that x may be.
func exactOver(x Interval, keys, values []Interval) Interval {
	s, some := EmptyInterval, false
	for i, k := range keys {
		if k.Lo > x.Hi || k.Hi < x.Lo {
			continue
		}
		if s = s.union(values[i]); !some {
			s = values[i]
		}
		some = true
	}
	s.Jumps, s.Partial = s.Jumps || !x.isPoint(), s.Partial || !x.isPoint()
	return s
}

// interpolateOver is the hull of the lines between points that x may be on. A line is between its
// ends, and where the places of these are known it is followed.
func interpolateOver(x Interval, xs, ys []Interval) Interval {
	s, some := EmptyInterval, false
	add := func(part Interval) {
		if s = s.union(part); !some {
			s = part
		}
		some = true
	}
	for i := 1; i < len(xs); i++ {
		low, high := xs[i-1], xs[i]
		if low.Lo > x.Hi || high.Hi < x.Lo {
			continue
		}
		if !low.isPoint() || !high.isPoint() {
			add(ys[i-1].union(ys[i]))
			continue
		}
		for _, at := range []float64{math.Max(x.Lo, low.Lo), math.Min(x.Hi, high.Lo)} {
			place := Interval{Lo: at, Hi: at}
			share := IntervalDiv(intervalSub(place, low), intervalSub(high, low)).cut(0, 1)
			rest := intervalSub(pointAt(1), share).cut(0, 1)
			add(IntervalAdd(IntervalMul(rest, ys[i-1]), IntervalMul(share, ys[i])))
		}
	}
	s.Partial = s.Partial || xs[0].Hi > x.Lo || xs[len(xs)-1].Lo < x.Hi
	return s
}

// tieredOver adds up the brackets.
func tieredOver(x Interval, from, rates []Interval) Interval {
	sum := Interval{}
	for i, start := range from {
		end := x
		if i+1 < len(from) {
			end = intervalMin(x, from[i+1])
		}
		part := intervalMax(intervalSub(end, start), Interval{})
		sum = IntervalAdd(sum, IntervalMul(rates[i], part))
	}
	return sum
}

// rangeOver counts from one number to another in steps, of which the number is the same at all
// corners.
func rangeOver(m *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
	from, to, step := args[0].Single(), args[1].Single(), args[2].Single()
	count := intervalFloor(IntervalDiv(intervalSub(to, from), step), pointAt(1))
	if count.Jumps || count.Partial || !count.isPoint() || count.Lo < 0 || count.Lo > maxIntervalRows {
		return IntervalTable{}, false
	}
	t := IntervalTable{Rank: 1}
	for i := range int(count.Lo) + 1 {
		t.Rows = append(t.Rows, []IntervalCell{{Interval: IntervalAdd(from, IntervalMul(pointAt(i), step))}})
	}
	return t, true
}

// knownOver is the value of a function that does not depend on what is in the cells.
func knownOver(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool) {
	grids := make([]Grid, len(args))
	for i, a := range args {
		grids[i] = Grid{Rank: a.Rank}
		for _, row := range a.Rows {
			cells := make([]GridCell, len(row))
			for c := range row {
				cells[c].Empty = row[c].Blank
			}
			grids[i].Rows = append(grids[i].Rows, cells)
		}
	}
	g := f.Grid(m.Context, grids)
	return EncloseTable(g), m.TryErr() == nil
}
