package engine

import (
	"slices"

	"reckon/engine/decimal"
	"reckon/engine/solve"
	"reckon/engine/value"
)

// shapley divides the difference from start to end among the players. Without an error of each the
// shares are exact but for rounding.
func (w *comparing) shapley(start, end decimal.Decimal) (parts, errors []decimal.Decimal, errs []value.Error) {
	n := len(w.players)
	switch {
	case n == 0:
		return nil, nil, nil
	case n <= maxExactPlayers && w.cost<<n <= w.env.Meter.Left:
		parts, errs = w.everyCombination(start, end)
		return parts, nil, errs
	}
	return w.sampledOrders(start, end)
}

// combination is the target with some changes, near the value of the first scenario; false where
// it cannot be calculated.
func (w *comparing) combination(changed []bool) (x decimal.Decimal, ok bool, errs []value.Error) {
	v, errs := w.calculate(changed, w.first.value(w.Of.Variable))
	if w.env.Meter.Over() {
		return x, false, []value.Error{*solve.Exceeded(w.env)}
	}
	if len(errs) > 0 {
		w.undefined(changed, errs)
		return x, false, nil
	}
	if x, ok = w.number(v); !ok {
		w.undefined(changed, []value.Error{*value.Problem("input.incompatible_units", v.Quantity().Unit.String(), w.unit.String())})
	}
	return x, ok, nil
}

// everyCombination finds the shares from all combinations of changes. A combination of k changes
// out of n comes before the next one in k! (n-k-1)! of n! orders.
func (w *comparing) everyCombination(start, end decimal.Decimal) ([]decimal.Decimal, []value.Error) {
	n, c := len(w.players), w.context
	values := make([]decimal.Decimal, 1<<n)
	values[0], values[1<<n-1] = start, end
	for set := 1; set < 1<<n-1; set++ {
		changed := make([]bool, n)
		for i := range changed {
			changed[i] = set&(1<<i) != 0
		}
		var errs []value.Error
		if values[set], _, errs = w.combination(changed); len(errs) > 0 {
			return nil, errs
		}
	}
	if w.Reason != "" {
		return nil, nil
	}
	factorial := []int64{1}
	for k := range n {
		factorial = append(factorial, factorial[k]*int64(k+1))
	}
	parts := make([]decimal.Decimal, n)
	for i := range n {
		added := make([]decimal.Decimal, n) // by the number of changes before
		for set, v := range values {
			if set&(1<<i) == 0 {
				k := 0
				for rest := set; rest > 0; rest &= rest - 1 {
					k++
				}
				added[k] = c.Add(added[k], c.Sub(values[set|1<<i], v))
			}
		}
		for k, sum := range added {
			parts[i] = c.Add(parts[i], c.Mul(sum, decimal.Int(factorial[k]*factorial[n-k-1])))
		}
		parts[i] = c.Quo(parts[i], decimal.Int(factorial[n]))
	}
	return parts, nil
}

// sampledOrders finds the shares from some orders, and the standard error of each over the pairs of
// an order with its reverse.
func (w *comparing) sampledOrders(start, end decimal.Decimal) (parts, errors []decimal.Decimal, errs []value.Error) {
	n, c := len(w.players), w.context
	if w.cost*n*2*minOrderPairs > w.env.Meter.Left {
		w.Reason = "too_many"
		return nil, nil, nil
	}
	least := w.env.Meter.Left / 2
	sums, squares := make([]decimal.Decimal, n), make([]decimal.Decimal, n)
	order, chance := make([]int, n), shuffling(n)
	for i := range order {
		order[i] = i
	}
	pairs := 0
	for pairs < maxOrderPairs && (pairs < minOrderPairs || w.env.Meter.Left > least) {
		chance.shuffle(order)
		added := make([]decimal.Decimal, n)
		for range 2 {
			changed, before := make([]bool, n), start
			for k, i := range order {
				changed[i] = true
				next, ok := end, true
				if k < n-1 {
					if next, ok, errs = w.combination(changed); len(errs) > 0 || !ok {
						return nil, nil, errs
					}
				}
				added[i] = c.Add(added[i], c.Sub(next, before))
				before = next
			}
			slices.Reverse(order)
		}
		for i, sum := range added {
			sums[i] = c.Add(sums[i], sum)
			squares[i] = c.Add(squares[i], c.Mul(sum, sum))
		}
		pairs++
	}
	w.Orders = 2 * pairs
	m := decimal.Int(int64(pairs))
	for i, sum := range sums {
		mean := c.Quo(sum, m)
		parts = append(parts, c.Quo(mean, decimal.Int(2)))
		spread := c.Quo(c.Sub(squares[i], c.Mul(sum, mean)), decimal.Int(int64(pairs-1)))
		if spread.Sign() < 0 || spread.Vague() {
			spread = decimal.Decimal{} // what rounding leaves
		}
		errors = append(errors, upTo(c, c.Quo(c.Sqrt(c.Quo(spread, m)), decimal.Int(2)), 2))
	}
	return parts, errors, nil
}

// apportion rounds parts of a total to 34 digits of the largest number among them all, and to no
// fewer places than the total has, and adds what is then missing to the largest part.
func apportion(c *decimal.Context, parts []decimal.Decimal, total decimal.Decimal) {
	const digits = 34
	if len(parts) == 0 {
		return
	}
	largest, place := 0, 0
	for i, p := range parts {
		if p.Abs().Cmp(parts[largest].Abs()) > 0 {
			largest = i
		}
	}
	if first, _ := parts[largest].Extent(); !parts[largest].IsZero() {
		place = digits - 1 - first
	}
	if first, last := total.Extent(); !total.IsZero() {
		place = max(min(place, digits-1-first), -last)
	}
	round(c, parts, total, largest, place)
}

// round rounds parts to so many places, and adds what is then missing to one of them.
func round(c *decimal.Context, parts []decimal.Decimal, total decimal.Decimal, largest, place int) {
	rest := total
	for i, p := range parts {
		parts[i] = c.Round(p.Shifted(place), 0).Shifted(-place).Exactly()
		rest = c.Sub(rest, parts[i])
	}
	parts[largest] = c.Add(parts[largest], rest).Exactly()
}

// shuffling makes orders that look random and are the same each time (Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators, 2014).
type shuffling uint64

func (s *shuffling) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// shuffle puts a list into an order (Fisher and Yates).
func (s *shuffling) shuffle(list []int) {
	for i := len(list) - 1; i > 0; i-- {
		k := int(s.next() % uint64(i+1))
		list[i], list[k] = list[k], list[i]
	}
}
