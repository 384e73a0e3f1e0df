package formula

import (
	"math"
	"slices"
)

// days are the dates of payments as days after the first one; false where they move.
func days(dates []Interval) ([]float64, bool) {
	list := make([]float64, len(dates))
	for i, d := range dates {
		if !d.isPoint() || d.Lo < dates[0].Lo {
			return nil, false
		}
		list[i] = math.Floor(d.Lo/86400) - math.Floor(dates[0].Lo/86400)
	}
	return list, len(list) > 0
}

// discount is what 1 is worth some periods earlier at a growth.
func discount(growth Interval, periods, year float64) Interval {
	if periods == 0 {
		return pointAt(1)
	}
	exponent := IntervalDiv(Interval{Lo: periods, Hi: periods}, Interval{Lo: year, Hi: year})
	return IntervalDiv(pointAt(1), intervalPow(growth, exponent))
}

// npvOver is what payments at the ends of periods are worth: where the rate is one number by its
// ends, else as a sum.
func npvOver(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool) {
	if args[0].isPoint() {
		return m.corners(f, ".+", args)
	}
	growth := IntervalAdd(pointAt(1), args[0].Single())
	var list []Interval
	for _, a := range args[1:] {
		list = append(list, a.list()...)
	}
	sum := Interval{}
	for _, s := range slices.Backward(list) {
		sum = IntervalDiv(IntervalAdd(sum, s), growth)
	}
	return SingleInterval(sum), true
}

// xnpvOver is what payments on dates are worth.
func xnpvOver(_ *IntervalMachine, _ *Entry, args []IntervalTable) (IntervalTable, bool) {
	amounts, dates, ok := pairsOver(args[1], args[2])
	times, known := days(dates)
	if !ok || !known {
		return IntervalTable{}, false
	}
	growth := IntervalAdd(pointAt(1), args[0].Single())
	if !(growth.Lo > 0) {
		growth = intervalMax(growth, Interval{})
		growth.Partial = true
	}
	sum := Interval{}
	for i, s := range amounts {
		sum = IntervalAdd(sum, IntervalMul(s, discount(growth, times[i], 365)))
	}
	return SingleInterval(sum), true
}

// irrOver is the rate of payments at equal intervals.
func irrOver(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool) {
	list := args[0].list()
	times := make([]float64, len(list))
	for i := range times {
		times[i] = float64(i)
	}
	return m.rateOver(f, args, list, times, 1)
}

func xirrOver(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool) {
	list, dates, ok := pairsOver(args[0], args[1])
	times, known := days(dates)
	if !ok || !known || !slices.IsSorted(times) {
		return IntervalTable{}, false
	}
	return m.rateOver(f, args, list, times, 365)
}

// rateOver encloses a rate of return. Payments that are of one sign first and of the other one from
// some time on, whatever they are, have a single rate, at which what they are worth crosses 0 one
// way: the rate moves one way with each of them (the implicit function theorem), so that it is
// enclosed by the ends. Of others it is one of the rates at which they may be worth nothing.
func (m *IntervalMachine) rateOver(e *Entry, args []IntervalTable, list []Interval, times []float64, year float64) (IntervalTable, bool) {
	changes, first, last := 0, 0, 0
	for _, s := range list {
		sign := 0
		switch {
		case s.isZero():
			continue
		case s.Lo >= 0:
			sign = 1
		case s.Hi <= 0:
			sign = -1
		}
		if sign == 0 {
			changes = math.MaxInt
			break
		}
		if first == 0 {
			first = sign
		}
		if last == -sign {
			changes++
		}
		last = sign
	}
	if changes == 1 {
		signs := "+."
		if first > 0 {
			signs = "-."
		}
		if t, ok := m.corners(e, signs, args); ok {
			return t, true
		}
	}
	return SingleInterval(m.ratesOver(list, times, year)), true
}

// ratesOver is the hull of all rates at which payments may be worth nothing: what interval
// arithmetic shows to be worth more or less is left out, by the growth up to 1, and by its inverse.
func (m *IntervalMachine) ratesOver(list []Interval, times []float64, year float64) Interval {
	end := times[len(times)-1]
	worth := func(back bool) func(low, high float64) Interval {
		return func(low, high float64) Interval {
			m.Cost += len(list)
			sum := Interval{}
			for i, s := range list {
				t := times[i]
				if back {
					t = end - t
				}
				power := pointAt(1)
				if t > 0 {
					power = intervalPow(Interval{Lo: low, Hi: high}, IntervalDiv(Interval{Lo: t, Hi: t}, Interval{Lo: year, Hi: year})).cut(0, 1)
				}
				sum = IntervalAdd(sum, IntervalMul(s, power))
			}
			return sum
		}
	}
	hull := EmptyInterval
	if s := rootsWithin(worth(true)); !s.Empty() { // by the growth
		hull = intervalSub(s, pointAt(1))
	}
	if s := rootsWithin(worth(false)); !s.Empty() { // by its inverse
		growth := Interval{Lo: 1, Hi: math.Inf(1)}
		if s.Lo > 0 {
			growth = IntervalDiv(pointAt(1), s)
		} else if s.Hi < 1 {
			growth.Lo = 1 / s.Hi
		}
		rates := intervalSub(growth.wider(1), pointAt(1))
		if hull.Empty() {
			hull = rates
		} else {
			hull = hull.union(rates)
		}
	}
	hull.Partial, hull.Jumps = true, true
	return hull
}

// rootsWithin is the hull of where a function may be 0 from 0 to 1.
func rootsWithin(at func(low, high float64) Interval) Interval {
	const parts = 256
	hull := EmptyInterval
	for i := range parts {
		low, high := float64(i)/parts, float64(i+1)/parts
		if s := at(low, high); s.Has(0) {
			if part := (Interval{Lo: low, Hi: high}); hull.Empty() {
				hull = part
			} else {
				hull.Hi = high
			}
		}
	}
	return hull
}

// amortizationOver follows a loan from period to period.
func amortizationOver(m *IntervalMachine, f *Entry, args []IntervalTable) (IntervalTable, bool) {
	of := func(i int) Interval {
		if i < len(args) {
			return args[i].Single()
		}
		return Interval{}
	}
	rate, periods, pv, fv, kind := of(0), of(1), of(2), of(3), of(4)
	if !periods.isPoint() || periods.Lo != math.Trunc(periods.Lo) || periods.Lo < 1 || periods.Lo > maxIntervalRows || !kind.isPoint() {
		return IntervalTable{}, false
	}
	growth := IntervalAdd(pointAt(1), rate)
	worth, power := annuityOver(rate, int(periods.Lo))
	payment := intervalNeg(IntervalDiv(IntervalAdd(pv, IntervalMul(fv, power)), worth), rate)
	if !kind.isZero() {
		payment = IntervalDiv(payment, growth)
	}
	t := IntervalTable{Rank: 2}
	balance := pv
	for i := range int(periods.Lo) {
		interest := intervalNeg(IntervalMul(balance, rate), rate)
		if i == 0 && !kind.isZero() {
			interest = Interval{}
		}
		principal := intervalSub(payment, interest)
		balance = IntervalAdd(balance, principal)
		if i == int(periods.Lo)-1 {
			balance = intervalNeg(fv, fv)
			if !kind.isZero() {
				balance = IntervalDiv(balance, growth)
			}
		}
		t.Rows = append(t.Rows, []IntervalCell{{Interval: payment}, {Interval: interest}, {Interval: principal}, {Interval: balance}})
	}
	return t, true
}

// annuityOver is what payments of 1 at the ends of some periods are worth, which falls with the
// rate and so is enclosed by the ends, and what 1 behind the last of them is worth.
func annuityOver(rate Interval, periods int) (worth, power Interval) {
	at := func(rate float64) (worth, power Interval) {
		discount := IntervalDiv(pointAt(1), IntervalAdd(pointAt(1), Interval{Lo: rate, Hi: rate}))
		power = pointAt(1)
		for range periods {
			power = IntervalMul(power, discount)
			worth = IntervalAdd(worth, power)
		}
		return worth, power
	}
	if !(rate.Lo > -1) || math.IsInf(rate.Hi, 1) {
		return unknownInterval, unknownInterval
	}
	most, nearest := at(rate.Lo)
	least, farthest := at(rate.Hi)
	worth = Interval{Lo: least.Lo, Hi: most.Hi}.marked(rate, rate)
	return worth, Interval{Lo: farthest.Lo, Hi: nearest.Hi}.marked(rate, rate)
}

// rateRises is how the rate of a loan goes with its payments, which are of one sign at the start
// and of the other one behind that.
func rateRises(args []Interval) (signs string, smooth bool) {
	pmt, pv, fv := args[1], args[2], args[3]
	switch {
	case pv.Lo >= 0 && pmt.Hi <= 0 && fv.Hi <= 0:
		return ".---.", true
	case pv.Hi <= 0 && pmt.Lo >= 0 && fv.Lo >= 0:
		return ".+++.", true
	}
	return "", false
}
