package formula

import (
	"time"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// shiftedBack finds the date, or the number of times, that a function moves to a moment. It never
// moves a later date, or by more, to an earlier moment. The dates that lead to one lie around that
// which it leads back to, by so many days at most.
func shiftedBack(f func(t time.Time, n int) time.Time, around int) inverse {
	return func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) (p Preimage) {
		to, ok := moment(t)
		if !ok || !Settled(c, t).IsInteger() {
			return p
		}
		if k == 1 {
			from, ok := moment(a[0])
			if !ok || !Settled(c, a[0]).IsInteger() {
				return p
			}
			// The first number that leads as far as that is no more than the days between.
			days := int(dayOf(to) - dayOf(from))
			low, high := max(min(days, 0)-1, -mostShift), min(max(days, 0)+1, mostShift)
			for low < high {
				if mid := low + (high-low)/2; f(from, mid).Before(to) {
					low = mid + 1
				} else {
					high = mid
				}
			}
			if f(from, low).Equal(to) {
				p.Roots = append(p.Roots, decimal.Int(int64(low)))
			}
			return p
		}
		n, whole := Settled(c, a[1]).Int64()
		if !whole || n > mostShift || n < -mostShift {
			return p
		}
		// Several days at the end of a month may lead to the last day of a shorter one, and several that
		// are free to the same working day.
		back := f(to, -int(n))
		for i := -around; i <= around && c.Err() == nil; i++ {
			if from := back.AddDate(0, 0, i); f(from, int(n)).Equal(to) && from.Unix() >= firstMoment && from.Unix() <= lastMoment {
				p.Roots = append(p.Roots, decimal.Int(from.Unix()))
			}
		}
		return p
	}
}

const (
	mostShift = 120_000
	lastDays  = 3  // by which months differ
	freeDays  = 20 // that are free one after the other, at most
)

// countedFrom finds the date that is so many days from another one as count says: of all that are,
// the one nearest to it, so that the date itself is counted.
func countedFrom(count func(from, to time.Time) int64) inverse {
	return func(c *decimal.Context, a Decimals, k int, t decimal.Decimal) (p Preimage) {
		other, ok := moment(a[1-k])
		n, whole := Settled(c, t).Int64()
		if !ok || !whole || n == 0 || n > mostDays || n < -mostDays {
			return p
		}
		sign := int(1)
		if (n < 0) != (k == 0) {
			sign = -1 // the date is the earlier one
		}
		size := max(n, -n)
		reached := func(days int) int64 {
			date := other.AddDate(0, 0, sign*days)
			if sign < 0 {
				return count(date, other)
			}
			return count(other, date)
		}
		low, high := 0, 1
		for high < 3*mostDays && reached(high) < size && c.Err() == nil {
			high *= 2
		}
		for low < high && c.Err() == nil {
			if mid := low + (high-low)/2; reached(mid) < size {
				low = mid + 1
			} else {
				high = mid
			}
		}
		date := other.AddDate(0, 0, sign*low)
		if at := date.Unix() - value.Mod(date.Unix(), value.SecondsPerDay); reached(low) == size && at >= firstMoment && at <= lastMoment {
			p.Roots = append(p.Roots, decimal.Int(at))
		}
		return p
	}
}

const mostDays = 2_000_000
