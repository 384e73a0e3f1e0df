package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// overTables are equations for y with functions over tables that move with x and z, which are
// written with ± behind them. wide is how much wider than the values that were tried its bounds may
// be, 0 for any.
var overTables = []struct {
	equation, x, z string
	wide           float64
}{
	{"y = sum(each(k, 1, 3, x^k))", "2 ± 0.1", "1 ± 0", 1.001},
	{"y = sum(each(k, 1, z, x^k))", "2 ± 0.1", "4 ± 0", 1.001},
	{"y = npv(z, [x, 2 * x, 3 * x])", "100 ± 5", "0.1 ± 0.01", 1.2},
	{"y = irr([-1000, x, x, x + z])", "400 ± 20", "30 ± 10", 1.2},
	{"y = irr([1000, -x, -x, -z])", "400 ± 20", "400 ± 10", 1.2},
	{"y = irr([-1000, 3 * x, -2 * z])", "800 ± 5", "700 ± 5", 0},
	{"y = xirr([-1000, x, z], [date(2025, 1, 1), date(2025, 9, 1), date(2026, 5, 1)])", "600 ± 20", "550 ± 10", 1.2},
	{"y = xnpv(z, [-1000, x, x], [date(2025, 1, 1), date(2025, 9, 1), date(2026, 5, 1)])", "600 ± 20", "0.1 ± 0.02", 1.2},
	{"y = mirr([-1000, x, -z, x], 0.1, 0.08)", "700 ± 20", "50 ± 10", 1.2},
	{"y = sum(column(amortization(z / 12, 24, x), 2))", "10000 ± 500", "0.06 ± 0.005", 1.5},
	{"y = last(column(amortization(z / 12, 24, x, 0, 1), 1))", "10000 ± 500", "0.06 ± 0.005", 1.5},
	{"y = lookup(x, [0, 10, 20], [1, z, 3])", "12 ± 4", "2 ± 0.5", 1.2},
	{"y = lookup(x, [0, 10, 20], [1, z, 3])", "15 ± 4", "2 ± 0.5", 1.2},
	{"y = lookup_exact(x, [0, 10, 20], [1, z, 3])", "10 ± 0", "2 ± 0.5", 1.2},
	{"y = interpolate(x, [0, 10, 20], [0, z, 5])", "9 ± 3", "40 ± 2", 1.3},
	{"y = interpolate(x, [0, z, 20], [0, 7, 5])", "9 ± 3", "11 ± 1", 0},
	{"y = tiered(x, [0, 100, 500 + z], [0.1, 0.2, 0.05])", "480 ± 60", "5 ± 5", 3},
	{"y = tiered(x, [0, 100, 500], [0.1, z, 0.4])", "480 ± 60", "0.2 ± 0.01", 1.2},
	{"y = last(column(schedule(n, 1, 12, b = previous(b, x) * (1 + z)), 1))", "100 ± 5", "0.05 ± 0.01", 1.2},
	{"y = last(column(schedule(n, 1, 24, i = previous(b, x) * z, b = previous(b, x) + i - 50), \"b\"))", "1000 ± 20", "0.01 ± 0.002", 1.5},
	{"y = max([x, z, 3])", "4 ± 2", "3 ± 1", 1.2},
	{"y = min(each(k, 1, 3, (x - k)^2 + z))", "2.5 ± 1", "3 ± 1", 1.6},
	{"y = median([x, z, 3])", "4 ± 2", "3 ± 1", 1.3},
	{"y = percentile([x, z, 3, 9], 0.3)", "4 ± 2", "3 ± 1", 1.3},
	{"y = percentile_exclusive([x, z, 3, 9], 0.4)", "4 ± 2", "3 ± 1", 1.3},
	{"y = avg([x, z, 3, 9]) + count([x, z])", "4 ± 2", "3 ± 1", 1.3},
	{"y = first(reverse([x, z])) + last(sort([x, z, 3]))", "4 ± 2", "3 ± 1", 1.6},
	{"y = sum(cumsum([x, z, 1])) + cell([x, z], 2)", "4 ± 2", "3 ± 1", 1.3},
	{"y = product([x, z, 2])", "4 ± 2", "3 ± 1", 1.3},
	{"y = sumproduct([x, 2], [z, x])", "4 ± 2", "3 ± 1", 1.3},
	{"y = var([x, z, 5])", "4 ± 2", "3 ± 1", 2},
	{"y = stdev([x, z, 5])", "4 ± 2", "3 ± 1", 2},
	{"y = stdevp([x, z, 5]) + varp([x, 1])", "4 ± 2", "3 ± 1", 3},
	{"y = slope([x, 4, z], [1, 2, 3])", "4 ± 0.2", "5 ± 0.1", 3},
	{"y = intercept([x, 4, z], [1, 2, 3])", "4 ± 0.2", "5 ± 0.1", 3},
	{"y = forecast(z, [x, 4, 6], [1, 2, 3])", "4 ± 0.2", "5 ± 0.1", 3},
	{"y = correlation([x, 4, z], [1, 2, 3])", "3 ± 0.2", "5 ± 0.1", 0},
	{"y = r_squared([x, 4, z], [1, 2, 3])", "3 ± 0.2", "5 ± 0.1", 0},
	{"y = covariance([x, 4, z], [1, 2, 3])", "3 ± 0.2", "5 ± 0.1", 3},
	{"y = covariancep([x, 4, z], [1, 2, 3])", "3 ± 0.2", "5 ± 0.1", 3},
	{"y = standard_error([x, 4, z, 7], [1, 2, 3, 4])", "3 ± 0.2", "6 ± 0.1", 0},
	{"y = slope_error([x, 4, z, 7], [1, 2, 3, 4])", "3 ± 0.2", "6 ± 0.1", 0},
	{"y = countif([x, z, 3] > 3)", "3.5 ± 1", "2 ± 2", 1.2},
	{"y = sumif([x, z, 3] > 3, [x, 10, 20])", "3.5 ± 1", "2 ± 2", 1.5},
	{"y = averageif([x, z, 4] > 3, [x, 10, 20])", "3.5 ± 1", "2 ± 2", 0},
	{"y = minif([x, z, 4] > 3, [x, 10, 20])", "3.5 ± 1", "2 ± 2", 2},
	{"y = maxif([x, z, 4] > 3, [x, 10, 20])", "3.5 ± 1", "2 ± 2", 0},
	{"y = sum(range(x, 20, 5)) * z", "3.5 ± 1", "2 ± 1", 1.3},
	{"y = sum(if([x, 4] > z, [1, x], 0))", "3.5 ± 1", "2 ± 2", 1.3},
	{"y = rows([x, z]) + sum(transpose([x, z])) + sum(row([x, z], 2)) + sum(table([x, z], [z, 1]))", "3.5 ± 1", "2 ± 2", 1.3},
	{"sum(each(k, 1, 4, x / (1 + y)^k)) = 10 * z", "300 ± 10", "100 ± 2", 1.5},
	{"npv(y, [x, x, x]) = z", "300 ± 10", "700 ± 10", 1.5},
	{"x = tiered(y, [0, 100, 500], [0.1, 0.2, 0.4]) + z", "60 ± 5", "3 ± 1", 1.5},
	{"interpolate(y, [0, 10, 20], [0, 5, 20]) = x + z", "6 ± 1", "3 ± 1", 0},
}

// TestBoundsOverTables finds bounds where functions over tables move, which no value that is
// calculated within the limits leaves.
func TestBoundsOverTables(t *testing.T) {
	if testing.Short() {
		t.Skip("large models take long")
	}
	for _, c := range overTables {
		t.Run(c.equation, func(t *testing.T) {
			d := targetsDomain(t, "var x", "var y", "var z", "eq "+c.equation)
			list, errs := propagated(t, d, "", "y", "x: "+c.x+"\nz: "+c.z)
			if len(errs) > 0 {
				t.Fatal(errs[0].Filled())
			}
			p := list[0]
			if !p.bounded() {
				t.Fatalf("no bounds: %s", p.told(d))
			}
			low, high := p.Low.Number.Float64(), p.High.Number.Float64()
			least, most := math.Inf(1), math.Inf(-1)
			random := rand.New(rand.NewPCG(5, 7))
			for i := range 300 {
				place := func(text string) string {
					middle, half, _ := strings.Cut(text, " ± ")
					a, b := decimal.MustParse(middle).Float64(), decimal.MustParse(half).Float64()
					share := 2*random.Float64() - 1
					if i < 8 {
						share = float64(random.IntN(3) - 1)
					}
					return fmt.Sprint(a + share*b)
				}
				r, errs := d.Calculate(nil, 0, asking(t, d, fmt.Sprintf("x %s; z %s -> y", place(c.x), place(c.z))), testEnv)
				if len(errs) > 0 {
					continue
				}
				y := valueOf(r, d.Index("y"))
				least, most = math.Min(least, y), math.Max(most, y)
			}
			slack := 1e-12 * math.Max(math.Abs(low), math.Abs(high))
			if !(least >= low-slack && most <= high+slack) {
				t.Errorf("values from %v to %v leave %s", least, most, p.told(d))
			}
			if c.wide > 0 && high-low > c.wide*(most-least)*1.1+1e-9 {
				t.Errorf("values from %v to %v are much narrower than %s", least, most, p.told(d))
			}
		})
	}
}

// TestBoundsThatAreNone says why a value has no bound, on the side where it has none.
func TestBoundsThatAreNone(t *testing.T) {
	for _, c := range []struct{ lines, uncertain, want string }{
		{"var x; var y; eq y = 1 / x", "x: 0.5 ± 1", "2 in […, …] (it may grow beyond any bound within the limits: a pole lies there, or is not excluded), rough: it may jump, or have no value, within the limits"},
		{"var x; var y; eq y = 1 / x^2", "x: 0.5 ± 1", "4 in [0.444444, …] (it may grow beyond any bound within the limits: a pole lies there, or is not excluded), rough: it may jump, or have no value, within the limits"},
		{"var x; var y; eq y = -1 / x^2", "x: 0.5 ± 1", "-4 in […, -0.444444] (it may grow beyond any bound within the limits: a pole lies there, or is not excluded), rough: it may jump, or have no value, within the limits"},
		{"var x; var y; eq y = sum(each(k, 1, x, k))", "x: 4 ± 1", "10 in […, …] (each has an uncertain number of rows), rough: it does not change smoothly with x"},
		{"var x; var y; eq y = rate(36, x, 10000)", "x: -320 ± 10", "0.007857908987779560499288240223562388 in [0.00605706, 0.00962537], 0.0079 ± 0.0010, x 1"},
		{"var x; var y; eq y = bond_price(date(2025, 1, 15), date(2035, 1, 15), x, 0.05, 100, 2)", "x: 0.04 ± 0.01", "92.20541885717659526743439883375723 in [84.4108, 100.0001], 92.2 ± 4.5, x 1"},
		{"var x; var y; eq y = factorial(round(x))", "x: 4 ± 1", "24 in [5.999, 120.001], rough: it may jump, or have no value, within the limits"},
		{"var x; var y; eq y = round_to(x, 5)", "x: 11 ± 4", "10 in [4.9999, 15.0001], rough: it may jump, or have no value, within the limits"},
		{"var x integer=true; var y; eq y = sum(each(k, 1, x, k))", "x: 4 ± 1", "10 in [5.99999, 15.00001], rough: it does not change smoothly with x"},
		{"var x integer=true; var y; eq y = last(column(schedule(k, 1, x, b = previous(b, 100) * 1.1), 1))", "x: 2 ± 1", "121 in [109.9999, 133.1001], rough: it does not change smoothly with x"},
		{"var x; var flows kind=table; var y; eq flows = each(k, 1, 3, x * k); eq y = sum(flows)", "x: 2 ± 0.5", "12 in [8.99999, 15.00001], 12.0 ± 1.7, x 1"},
		// By halving: at 360 the rate is 0.0394903, at 440 0.1527834.
		{"var x; var flows kind=table; var y; eq flows = each(k, 0, 3, if(k == 0, -1000, x)); eq y = irr(flows)", "x: 400 ± 40",
			"0.09701025740327292625500355325969926 in [0.03949, 0.152784], 0.097 ± 0.033, x 1"},
	} {
		d := targetsDomain(t, strings.Split(c.lines, "; ")...)
		list, errs := propagated(t, d, "", "y", c.uncertain)
		if len(errs) > 0 {
			t.Errorf("%s: %s", c.lines, errs[0].Filled())
		} else if got := list[0].told(d); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.lines, got, c.want)
		}
	}
}

func valueOf(r Result, variable int) float64 {
	for _, v := range r.Values {
		if v.Variable == variable {
			return v.Value.Quantity().SI(decimal.NewContext(value.DefaultBudget)).Float64()
		}
	}
	return math.NaN()
}
