package formula

import (
	"slices"

	"reckon/engine/decimal"
)

func total(c *decimal.Context, list Decimals) decimal.Decimal {
	var sum decimal.Decimal
	for _, d := range list {
		sum = c.Add(sum, d)
	}
	return Certain(c, sum, list...)
}

func average(c *decimal.Context, list Decimals) decimal.Decimal {
	return c.Quo(total(c, list), decimal.Int(int64(len(list))))
}

// variance divides the squares of the deviations by the count less a number.
func variance(c *decimal.Context, list Decimals, less int) decimal.Decimal {
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

func sorted(list Decimals) Decimals {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b decimal.Decimal) int { return a.Cmp(b) })
	return list
}

// quantile interpolates between the sorted numbers, as spreadsheets' PERCENTILE.INC does; share is
// from 0 to 1.
func quantile(c *decimal.Context, list Decimals, share decimal.Decimal) decimal.Decimal {
	if share.Sign() < 0 || share.Cmp(decimal.Int(1)) > 0 || len(list) == 0 {
		return c.Fail(&decimal.UndefinedError{Function: "percentile", Argument: share})
	}
	return at(c, sorted(list), c.Mul(share, decimal.Int(int64(len(list)-1))))
}

// at is what stands at a place of a list, counted from 0, on straight lines between its numbers.
func at(c *decimal.Context, list Decimals, place decimal.Decimal) decimal.Decimal {
	below := c.Floor(Settled(c, place))
	i, _ := below.Int64()
	if int(i)+1 >= len(list) {
		return list[len(list)-1]
	}
	return c.Add(list[i], c.Mul(c.Sub(place, below), c.Sub(list[i+1], list[i])))
}
