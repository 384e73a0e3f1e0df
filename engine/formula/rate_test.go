package formula

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// closeTo reports whether two numbers agree to 34 digits, or differ by less than 1e-34.
func closeTo(c *decimal.Context, a, b decimal.Decimal) bool {
	size := Extreme(Decimals{a.Abs(), decimal.Int(1)}, 1)
	return c.Sub(a, b).Abs().Cmp(c.Mul(size, decimal.MustParse("1e-34"))) <= 0
}

// TestRateGoesBack finds the rate, the periods and the sums of a loan from the others.
func TestRateGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := decimal.NewContext(value.DefaultBudget)
		rate := c.Quo(decimal.Int(rapid.Int64Range(-400, 1000).Draw(t, "rate")), decimal.Int(10_000))
		n := c.Quo(decimal.Int(rapid.Int64Range(4, 400).Draw(t, "halves")), decimal.Int(2))
		pv := decimal.Int(rapid.Int64Range(1, 1_000_000).Draw(t, "pv"))
		fv := decimal.Int(-rapid.Int64Range(0, 1_000).Draw(t, "fv"))
		kind := decimal.Int(rapid.Int64Range(0, 1).Draw(t, "type"))
		payment := newAnnuity(c, rate, n, kind).payment(c, pv, fv)
		args := Decimals{n, payment, pv, fv, kind}
		relative := func(a, to decimal.Decimal) decimal.Decimal {
			return c.Quo(a, Extreme(Decimals{to.Abs(), decimal.Int(1)}, 1))
		}
		for k := range 4 {
			p := invertRate(c, args, k, rate)
			if interestOnly := pv.Cmp(fv.Neg()) == 0 && k == 0; p.Infinite && interestOnly {
				continue
			}
			if len(p.Roots) != 1 || !closeTo(c, relative(p.Roots[0], args[k]), relative(args[k], args[k])) {
				t.Fatalf("argument %d of rate%v at %s: %v, %v", k, args, rate, p.Roots, c.Err())
			}
		}
		if signChanges(Decimals{pv, payment, fv}) != 1 {
			return // the rate need not be the only one
		}
		if found := loanRate(c, args); c.Err() != nil || !closeTo(c, found, rate) {
			t.Fatalf("rate%v is %s, want %s: %v", args, found, rate, c.Err())
		}
	})
}

// TestReturnsAreTheNearest compares irr and xirr with sampling in high precision: the rate is a root,
// no sample shows one that is nearer to 0, and of several none is above 1,000%.
func TestReturnsAreTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.SliceOfN(rapid.Int64Range(-20, 20), 2, 12).Draw(t, "amounts")
		var list Decimals
		var days []int64
		for i, a := range amounts {
			list = append(list, decimal.Int(a))
			days = append(days, int64(i)*365)
		}
		c, d := decimal.NewContext(value.DefaultBudget), decimal.NewContext(value.DefaultBudget)
		found, dated := returnRate(c, slices.Clone(list)), datedRate(d, list, days)
		if (c.Err() == nil) != (d.Err() == nil) || c.Err() == nil && !closeTo(c, c.Quo(found, c.Add(found, decimal.Int(1))), c.Quo(dated, c.Add(dated, decimal.Int(1)))) {
			t.Fatalf("irr %s (%v), xirr %s (%v)", found, c.Err(), dated, d.Err())
		}
		if c.Err() != nil && c.Err() != ErrNoRate {
			return
		}
		value := func(growth *big.Float) *big.Float {
			sum := new(big.Float).SetPrec(400)
			for _, a := range amounts {
				sum.Mul(sum, growth)
				sum.Add(sum, big.NewFloat(float64(a)))
			}
			return sum
		}
		single := signChanges(list) == 1
		if c.Err() == nil && !single && found.Float64() > 10 {
			t.Fatalf("of several rates it is %s", found)
		}
		last := 0
		for i := -400; i <= 400; i++ {
			// Growth from e^-8 to e^8, between rates that people come across.
			g := math.Exp(float64(i)/50 + 0.001)
			sign := value(new(big.Float).SetPrec(400).SetFloat64(g)).Sign()
			before := math.Exp(float64(i-1)/50 + 0.001)
			if sign*last < 0 {
				switch far := max(math.Abs(before-1), math.Abs(g-1)); {
				case c.Err() != nil && (single || far <= 10):
					t.Fatalf("a rate is between %v and %v, but none is found", before-1, g-1)
				case c.Err() == nil && far < math.Abs(found.Float64()):
					t.Fatalf("a rate nearer to 0 is between %v and %v, but it is %s", before-1, g-1, found)
				}
			}
			last = sign
		}
		if c.Err() == nil {
			g, _, err := big.ParseFloat(c.Add(found, decimal.Int(1)).String(), 10, 400, big.ToNearestEven)
			if err != nil {
				t.Fatal(err)
			}
			size := new(big.Float)
			for i, a := range amounts {
				term := big.NewFloat(math.Abs(float64(a)))
				for range len(amounts) - 1 - i {
					term.Mul(term, g)
				}
				size.Add(size, term)
			}
			if miss := value(g); miss.Abs(miss).Cmp(size.Mul(size, big.NewFloat(1e-33))) > 0 {
				t.Fatalf("irr is %s, where the payments are worth %s", found, miss.Text('g', 10))
			}
		}
	})
}

// TestHostilePayments gives irr payments that are as long and as unclear as they may be.
func TestHostilePayments(t *testing.T) {
	long := make(Decimals, value.MaxCells)
	for i := range long {
		long[i] = decimal.Int(int64(1 - 2*(i%2)))
	}
	falling := make(Decimals, value.MaxCells)
	for i := range falling {
		falling[i] = decimal.Int(int64((i*7919)%1000 - 500))
	}
	for i, test := range []struct {
		list Decimals
		want error
	}{
		{long, nil}, // they add up to 0
		{falling, decimal.ErrLimit},
		{Decimals{decimal.MustParse("1e6000"), decimal.MustParse("-1e-6000")}, decimal.ErrTooLarge},
		{Decimals{decimal.MustParse("-1e-3000"), decimal.MustParse("1e3000")}, ErrNotConverged},
	} {
		c := decimal.NewContext(value.DefaultBudget)
		if rate := returnRate(c, test.list); !errors.Is(c.Err(), test.want) {
			t.Errorf("list %d: %s, %v", i, rate, c.Err())
		}
	}
}

func BenchmarkLoanRate(b *testing.B) {
	args := Decimals{decimal.Int(360), decimal.MustParse("-1798.65"), decimal.Int(300_000)}
	for b.Loop() {
		loanRate(decimal.NewContext(value.DefaultBudget), args)
	}
}

func BenchmarkAmortizationSchedule(b *testing.B) {
	var args []Grid
	for _, text := range []string{"0.005", "360", "300000", "0", "0"} {
		args = append(args, scalarGrid(decimal.MustParse(text)))
	}
	for b.Loop() {
		amortization(decimal.NewContext(value.DefaultBudget), args)
	}
}
