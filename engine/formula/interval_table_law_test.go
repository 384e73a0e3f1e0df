package formula

import (
	"math"
	"math/rand/v2"
	"testing"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// tableLaws are expressions over tables of x, z and w, which are eighths from low to high.
var tableLaws = []struct {
	expression string
	low, high  float64
	wide       float64 // how much wider than the values that were tried the bounds may be, 0 for any
	steps      bool    // it is constant but where it jumps
	open       bool    // it may have no bounds
}{
	{"sum([x, z, w]) + avg([x, 2 * w]) + count([x, z])", -4, 4, 1.1, false, false},
	{"product([x, z, 2])", -4, 4, 1.3, false, false},
	{"product([x, z])", 0, 4, 1.2, false, false},
	{"max([x, z, 1])", -4, 4, 1.2, false, false},
	{"min([x, z, 1])", -4, 4, 1.2, false, false},
	{"median([x, z, w])", -4, 4, 1.4, false, false},
	{"percentile([x, z, w, 1], 0.3)", -4, 4, 1.5, false, false},
	{"percentile_exclusive([x, z, w, 1], 0.4)", -4, 4, 1.5, false, false},
	{"last(sort([x, z, w])) - first(sort([3, 1]))", -4, 4, 1.2, false, false},
	{"first(reverse([x, z])) + last([w, 1, x])", -4, 4, 1.5, false, false},
	{"sum(cumsum([x, z, 1]))", -4, 4, 1.2, false, false},
	{"sumproduct([x, 2, w], [z, x, 1])", 0, 4, 1.3, false, false},
	{"sum([x, z] * [w, 2]) + sum([x, z] - 1)", 0, 4, 1.3, false, false},
	{"varp([x, z, 5])", -4, 4, 0, false, false},
	{"var([x, 5])", -4, 4, 2.2, false, false},
	{"stdev([x, 5])", -4, 4, 2.2, false, false},
	{"stdevp([x, z])", -4, 4, 4, false, false},
	{"slope([x, 4, z], [1, 2, 3])", -4, 4, 6, false, false},
	{"intercept([x, 4, z], [1, 2, 3])", -4, 4, 6, false, false},
	{"forecast(w, [x, 4, z], [1, 2, 3])", 0, 4, 0, false, false},
	{"covariance([x, 4, z], [1, 2, 3])", -4, 4, 6, false, false},
	{"covariancep([x, 4], [1, 2])", -4, 4, 2.2, false, false},
	{"correlation([x, 4, z], [1, 2, 3])", -4, 3, 0, false, false},
	{"r_squared([x, 4, z], [1, 2, 3])", -4, 3, 0, false, false},
	{"standard_error([x, 4, z, 7], [1, 2, 3, 4])", -4, 4, 0, false, false},
	{"slope_error([x, 4, z, 7], [1, 2, 3, 4])", -4, 4, 0, false, false},
	{"countif([x, z, 1] > 1)", -2, 4, 1.1, true, false},
	{"countif([x, z, 1] >= w)", -2, 4, 1.1, true, false},
	{"countif(not ([x, z] == 1))", 0, 2, 0, true, false},
	{"sumif([x, z, 3] > 1, [x, 10, 20])", -2, 4, 1.5, false, false},
	{"sumif([x, z] > 1, [-5, 10])", -2, 4, 1.1, true, false},
	{"averageif([x, z, 4] > 3, [x, 10, 20])", -2, 8, 0, false, false},
	{"averageif([4, 5, x] > 3, [w, z, 20])", 4, 8, 1.3, false, false},
	{"averageif([x, z] > 3, [1, 2])", -2, 8, 0, false, false},
	{"minif([x, z] > 3, [5, w])", -2, 8, 0, false, false},
	{"maxif([x, z] > 3, [5, w])", -2, 8, 0, false, false},
	{"minif([x, z, 4] > 3, [x, 10, 20])", -2, 8, 0, false, false},
	{"minif([4, x] > 3, [10, 5])", -2, 8, 1.1, true, false},
	{"minif([x, 5, 6] > 3, [z, 1, 9])", -2, 8, 0, false, false},
	{"maxif([x, z, 4] > 3, [x, 10, 20])", -2, 8, 0, false, false},
	{"maxif([4, x] > 3, [10, 25])", -2, 8, 1.1, true, false},
	{"maxif([x, 5, 6] > 3, [z, 1, 9])", -2, 8, 0, false, false},
	{"lookup(x, [0, 1, 2.5], [1, z, 3])", -1, 4, 1.5, false, false},
	{"lookup(x, [0, 1, 2.5], [1, -2, 3])", -1, 4, 1.1, true, false},
	{"lookup(x, [0, 1, 2.5, 3], [4, 4, 3, 3])", 0, 4, 1.1, false, false},
	{"lookup(2, [0, z, 4], [1, -2, 3])", 0.5, 3.5, 1.1, true, false},
	{"sum(lookup([x, 3], [0, 1, 2.5], [1, -2, 3]))", 0, 4, 1.1, true, false},
	{"lookup_exact(x, [0, 1, 2], [1, z, 3])", 0, 2, 0, false, false},
	{"lookup_exact(2, [z, 2, 3], [w, x, 3])", 2.5, 4, 1.2, false, false},
	{"interpolate(x, [0, 1, 2.5], [0, 2, -3])", -1, 3, 1.2, false, false},
	{"interpolate(x, [0, 1, 2.5], [0, z, 5])", 0, 2.5, 1.6, false, false},
	{"interpolate(1, [0, z, 4], [0, 2, 5])", 0.5, 3, 0, false, false},
	{"tiered(x, [0, 1, 2.5], [0.1, 0.2, 0.05])", -1, 4, 1.1, false, false},
	{"tiered(x, [0, 1, 2.5], [0.5, z, -0.25])", -1, 4, 2.5, false, false},
	{"tiered(x, [0, z, 4], [0.5, 0.25, 1])", 0.5, 3.5, 0, false, false},
	{"npv(z, [x, 2 * x, 3])", 0, 4, 3, false, false},
	{"npv(0.5, [x, -z, w])", -4, 4, 1.2, false, false},
	{"irr([-x, z, w])", 1, 4, 0, false, true},
	{"irr([x, -z, -w])", 1, 4, 0, false, true},
	{"irr([-1, x, z])", 0.5, 4, 1.3, false, true},
	{"mirr([-x, z, w], 0.1, 0.08)", 1, 4, 1.3, false, true},
	{"xirr([-x, z, w], [date(2025, 1, 1), date(2025, 9, 1), date(2026, 5, 1)])", 1, 2, 1.3, false, true},
	{"xnpv(z, [x, w], [date(2025, 1, 1), date(2026, 1, 1)])", 0, 4, 2, false, false},
	{"xnpv(z, [x, w], [date(2025, 1, 1), date(2026, 1, 1)])", -4, 4, 0, false, true},
	{"rate(12, -x, 10 * z)", 1, 4, 1.3, false, true},
	{"rate(12, x, -10 * z)", 1, 4, 1.3, false, true},
	{"sum(each(k, 1, 3, x^k + z))", 0, 4, 1.2, false, false},
	{"sum(each(k, 1, 3, sum(each(i, 1, k, x * i + z))))", 0, 4, 1.2, false, false},
	{"last(column(schedule(n, 1, 5, b = previous(b, x) * z), 1))", 0, 2, 1.2, false, false},
	{"last(column(schedule(n, 1, 5, i = previous(b, x) * 0.5, b = previous(b, x) + i - w), \"b\"))", 0, 2, 2, false, false},
	{"last(column(schedule(n, 1, 6, f = previous(f, x) + previous(f, z, 2)), 1))", 0, 2, 1.2, false, false},
	{"last(column(schedule(n, 1, 4, f = previous(f, x) + sum(column(schedule(k, 1, 3, g = previous(g, z) * 2), 1))), 1))", 0, 2, 1.2, false, false},
	{"last(column(schedule(n, 1, 4, f = previous(f, x) + sum(each(k, 1, n, k * z))), 1))", 0, 2, 1.2, false, false},
	{"sum(range(x, x + 1, 0.5)) * z", 0, 2, 2, false, true},
	{"sum(range(1, x, 1))", 1, 4, 0, true, true},
	{"sum(range(z, x, 0.5))", 1, 4, 0, false, true},
	{"sum(if([x, 4] > z, [1, x], 0))", -2, 4, 0, false, false},
	{"if(sum([x, z]) > 1, x, 10 + z)", -2, 4, 0, false, false},
	{"rows([x, z]) + sum(transpose([x, z])) + sum(row([x, z], 2)) + sum(table([x, z], [z, 1]))", -2, 4, 1.5, false, false},
	{"cell([x, z, w], 2) + sum(column([[x, 1], [z, w]], 2))", -2, 4, 1.2, false, false},
	{"cell([1, 5, 3], round(x))", 1, 3, 0, false, false},
	{"sum(amortization(0.125, 4, x))", 1, 4, 0, false, true},
	{"max(column(amortization(z / 8, 4, x), 2))", 1, 4, 0, false, true},
	{"bond_price(date(2025, 1, 15), date(2035, 1, 15), x / 32, z / 32, 100, 2)", 1, 4, 1.5, false, true},
	{"factorial(round(x))", 1, 4, 0, false, true},
	{"round_to(x, 0.5)", -3, 4, 1.1, true, true},
	{"round_to(x, w)", 1, 4, 0, false, true},
}

// tableLaw is the expression of a law over x, z and w.
func tableLaw(t *testing.T, text string) *Node {
	s := &value.Scope{Positions: map[string]int{}}
	for i, key := range []string{"y", "x", "z", "w"} {
		s.Declared, s.Positions[key] = append(s.Declared, value.Variable{Key: key}), i
	}
	s.Profiles = make([]value.Profile, len(s.Declared))
	e := &Equation{Source: []rune("y = " + text), Active: true}
	ParseEquation(s, e, StandardFunctions, func(at int, format string, args ...any) {
		t.Fatalf("%s: "+format, append([]any{text}, args...)...)
	})
	return e.Right
}

func tableMachine() *Machine {
	return &Machine{Context: decimal.NewContext(100_000_000), Values: make([]decimal.Decimal, 4), Units: make([]*units.Unit, 4)}
}

// TestTableLaws holds expressions over tables of intervals to values at places in them.
func TestTableLaws(t *testing.T) {
	const tables, values = 24, 40
	for _, l := range tableLaws {
		random := rand.New(rand.NewPCG(11, 13))
		n := tableLaw(t, l.expression)
		eighth := func(low, high float64) float64 {
			return low + float64(random.IntN(int((high-low)*8)+1))/8
		}
		told, problems := 0, 0
		for i := range tables {
			box := make([]Interval, 4)
			for v := 1; v < 4; v++ {
				a, b := eighth(l.low, l.high), eighth(l.low, l.high)
				switch random.IntN(4) {
				case 0:
					b = a
				case 1:
					b = min(a+0.25, l.high)
				}
				box[v] = Interval{Lo: math.Min(a, b), Hi: math.Max(a, b)}
			}
			m := &IntervalMachine{Machine: tableMachine(), Box: box, Moves: func(int) bool { return true }}
			s := m.Of(n).Single()
			if !s.Empty() && !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) {
				told++
			} else if !l.open && !s.Partial {
				t.Errorf("%s in %v has no bounds: %s", l.expression, box[1:], m.Reason)
			}
			low, high := math.Inf(1), math.Inf(-1)
			for k := range values {
				at := tableMachine()
				for v := 1; v < 4; v++ {
					x := eighth(box[v].Lo, box[v].Hi)
					switch {
					case k < 8: // the corners
						if x = box[v].Lo; k>>(v-1)&1 == 1 {
							x = box[v].Hi
						}
					case k < 24 && box[v].Lo < box[v].Hi:
						x = box[v].Lo + (box[v].Hi-box[v].Lo)*random.Float64()
					}
					at.Values[v] = decimal.FromFloat(x)
				}
				g := at.Grid(n)
				if at.TryErr() != nil {
					if !s.Empty() && !s.Partial && problems < 3 {
						problems++
						t.Errorf("%s in %v is %+v, and has no value at %v", l.expression, box[1:], s, at.Values[1:])
					}
					continue
				}
				y := g.Rows[0][0].Number.Float64()
				low, high = math.Min(low, y), math.Max(high, y)
				if slack := 1e-14 * math.Abs(y); (s.Empty() || y < s.Lo-slack || y > s.Hi+slack) && problems < 3 {
					problems++
					t.Errorf("%s in %v is %+v, and %g at %v", l.expression, box[1:], s, y, at.Values[1:])
				}
			}
			if low > high || s.Empty() || problems >= 3 {
				continue
			}
			switch {
			case l.steps && !s.Jumps && low != high:
				t.Errorf("%s in %v jumps from %g to %g, and does not say so", l.expression, box[1:], low, high)
			case l.steps && s.Jumps && s.Lo == s.Hi:
				t.Errorf("%s in %v jumps, and is %g", l.expression, box[1:], s.Lo)
			case l.wide > 0 && i < tables/2 && s.Hi-s.Lo > l.wide*(high-low)*1.25+1e-9 && !s.Partial && !math.IsInf(s.Hi-s.Lo, 0):
				problems++
				t.Errorf("%s in %v is %+v, much wider than %g to %g", l.expression, box[1:], s, low, high)
			}
		}
		if told < tables/4 && !l.open {
			t.Errorf("%s has bounds in %d of %d tables", l.expression, told, tables)
		}
	}
}
