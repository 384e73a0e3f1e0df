package units

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckon/engine/decimal"
)

// anyUnit draws a product of up to four known units with prefixes and powers.
func anyUnit(table *Table) *rapid.Generator[*Unit] {
	var symbols []string
	for e := range table.All() {
		symbols = append(symbols, e.Symbol)
		for _, p := range e.Prefixes {
			symbols = append(symbols, p+e.Symbol)
		}
	}
	return rapid.Custom(func(r *rapid.T) *Unit {
		u := One
		for range rapid.IntRange(1, 4).Draw(r, "factors") {
			factor, err := table.Parse(rapid.SampledFrom(symbols).Draw(r, "symbol"))
			if err != nil {
				r.Fatal(err)
			}
			num := rapid.SampledFrom([]int{1, 1, 1, 1, -1, -1, -1, 2, -2, 3}).Draw(r, "power")
			den := rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2}).Draw(r, "root")
			power, ok := factor.Pow(num, den)
			if !ok {
				r.Fatalf("%s^(%d/%d)", factor.Symbol(), num, den)
			}
			u = u.Mul(power)
		}
		return u
	})
}

var someNumber = rapid.Custom(func(r *rapid.T) decimal.Decimal {
	text := rapid.StringMatching(`-?[1-9][0-9]{0,15}(\.[0-9]{1,15})?(e-?[0-9])?`).Draw(r, "number")
	n, err := decimal.Parse(text)
	if err != nil {
		r.Fatal(err)
	}
	return n
})

func TestSymbolParsesBack(t *testing.T) {
	table := countingTable(t)
	units := anyUnit(table)
	rapid.Check(t, func(r *rapid.T) {
		u := units.Draw(r, "unit")
		back, err := table.Parse(u.Symbol())
		if err != nil {
			r.Fatal(err)
		}
		sameUnit(r, u, back)
	})
}

// sameUnit compares units, their factors to 50 digits: products in another order may round
// differently past 60.
func sameUnit(t rapid.TB, a, b *Unit) {
	if a.Symbol() != b.Symbol() || a.Dimension() != b.Dimension() || a.IsPoint() != b.IsPoint() || a.scale.pi != b.scale.pi {
		t.Fatalf("%s of %s is not %s of %s", a.Symbol(), a.Dimension().Name(), b.Symbol(), b.Dimension().Name())
	}
	c := decimal.NewContext(1000)
	near(t, c, apply(c, one, a.scale, b.scale), one)
}

func near(t rapid.TB, c *decimal.Context, got, want decimal.Decimal) {
	tolerance, _ := decimal.Parse("1e-50")
	if c.Sub(got, want).Abs().Cmp(c.Mul(want.Abs(), tolerance)) > 0 {
		t.Fatalf("%s is not %s", got, want)
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
}

func TestProductsAndQuotientsUndoEachOther(t *testing.T) {
	units := anyUnit(countingTable(t))
	rapid.Check(t, func(r *rapid.T) {
		a, b := units.Draw(r, "a"), units.Draw(r, "b")
		product := a.Mul(b)
		if product.Dimension() != a.Dimension().Mul(b.Dimension()) {
			r.Fatalf("%s·%s = %s", a.Symbol(), b.Symbol(), product.Symbol())
		}
		if d := product.Div(b).Dimension(); d != a.Dimension() {
			r.Fatalf("%s·%s/%s has the dimension %s", a.Symbol(), b.Symbol(), b.Symbol(), d.Name())
		}
		if one := product.Div(product); !one.IsOne() {
			r.Fatalf("%s/%s = %s", product.Symbol(), product.Symbol(), one.Symbol())
		}
		square, ok := a.Pow(2, 1)
		if !ok {
			r.Fatalf("%s squared", a.Symbol())
		}
		if !a.IsPoint() {
			sameUnit(r, square, a.Mul(a))
		}
	})
}

func TestConversionsRoundTrip(t *testing.T) {
	table := countingTable(t)
	var lists [][]*Unit
	byDimension := map[Dimension]int{}
	for e := range table.All() {
		u := mustParse(t, table, e.Symbol)
		if u.IsPoint() || u.origin != nil {
			continue
		}
		i, known := byDimension[u.Dimension()]
		if !known {
			i = len(lists)
			byDimension[u.Dimension()] = i
			lists = append(lists, nil)
		}
		lists[i] = append(lists[i], u)
	}
	rapid.Check(t, func(r *rapid.T) {
		list := rapid.SampledFrom(lists).Draw(r, "dimension")
		from, to := rapid.SampledFrom(list).Draw(r, "from"), rapid.SampledFrom(list).Draw(r, "to")
		q := Quantity{someNumber.Draw(r, "number"), from}
		c := decimal.NewContext(1000)
		there, err := Convert(c, q, to)
		if err != nil {
			r.Fatal(err)
		}
		back, err := Convert(c, there, from)
		if err != nil {
			r.Fatal(err)
		}
		near(r, c, back.Number, q.Number)
		near(r, c, there.SI(c), q.SI(c))
		near(r, c, FromSI(c, q.SI(c), to).Number, there.Number)
	})
}

func TestTemperaturesRoundTrip(t *testing.T) {
	table := Standard()
	var scales []*Unit
	for _, symbol := range []string{"K", "degC", "degF", "degR", "mK"} {
		scales = append(scales, mustParse(t, table, symbol))
	}
	rapid.Check(t, func(r *rapid.T) {
		from, to := rapid.SampledFrom(scales).Draw(r, "from"), rapid.SampledFrom(scales).Draw(r, "to")
		q := Quantity{decimal.Int(rapid.Int64Range(-1000, 10000).Draw(r, "number")), from}
		c := decimal.NewContext(1000)
		there, err := Convert(c, q, to)
		if err != nil {
			r.Fatal(err)
		}
		back, err := Convert(c, there, from)
		if err != nil {
			r.Fatal(err)
		}
		if got := back.Number.Shown(); got.Cmp(q.Number) != 0 || c.Err() != nil {
			r.Fatalf("%s comes back as %s (%v)", q, got, c.Err())
		}
	})
}

func TestFuelEconomyRoundTrips(t *testing.T) {
	table := Standard()
	var units []*Unit
	for _, symbol := range []string{"mpg", "imp mpg", "km/L", "L/100km", "gal/100mi", "mi/gal", "L/km"} {
		units = append(units, mustParse(t, table, symbol))
	}
	rapid.Check(t, func(r *rapid.T) {
		from, to := rapid.SampledFrom(units).Draw(r, "from"), rapid.SampledFrom(units).Draw(r, "to")
		q := Quantity{decimal.Int(rapid.Int64Range(1, 10000).Draw(r, "number")), from}
		c := decimal.NewContext(1000)
		there, err := Convert(c, q, to)
		if err != nil {
			r.Fatal(err)
		}
		back, err := Convert(c, there, from)
		if err != nil {
			r.Fatal(err)
		}
		near(r, c, back.Number, q.Number)
	})
}

// A result has the dimension asked for, up to angle, and a symbol that parses back.
func TestResultsFit(t *testing.T) {
	table := countingTable(t)
	units := anyUnit(table)
	rapid.Check(t, func(r *rapid.T) {
		used := rapid.SliceOfN(units, 0, 4).Draw(r, "used")
		d := None
		for _, u := range used {
			d = d.Mul(u.Dimension())
		}
		point := rapid.Bool().Draw(r, "point")
		u := table.ForResult(d, used, point)
		if u.Dimension().WithoutAngle() != d.WithoutAngle() {
			r.Fatalf("%s has the dimension %s, not %s", u.Symbol(), u.Dimension().Name(), d.Name())
		}
		if u.IsPoint() && !point {
			r.Fatalf("%s for a difference", u.Symbol())
		}
		back, err := table.Parse(u.Symbol())
		if err != nil {
			r.Fatal(err)
		}
		sameUnit(r, u, back)
	})
}

func FuzzParse(f *testing.F) {
	table, err := Standard().With("widget", "person")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "m", "kg·m^2/s^3", "W/(m² °C)", "L/100 km", "per cent per year", "sq. ft.", "fl oz", "(m/s)^(1/2)",
		"metres per second squared", "m s-1", "µm", "US$/kWh", "ft-lb", "imperial galon", "Qm^100", "((", "1/s", "degC^-1", "people/h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := table.Parse(text)
		switch err := err.(type) {
		case nil:
		case *SyntaxError:
			if err.Offset < 0 || err.Offset > len([]rune(text)) || err.Reason == "" {
				t.Fatalf("%q: offset %d, reason %q", text, err.Offset, err.Reason)
			}
			return
		case *UnknownError:
			if err.Name == "" || len(err.Nearest) > 3 || strings.TrimSpace(err.Error()) == "" {
				t.Fatalf("%q: %v", text, err)
			}
			for _, near := range err.Nearest {
				if _, err := table.Parse(near); err != nil {
					t.Fatalf("%q: the suggestion %q is no unit: %v", text, near, err)
				}
			}
			return
		default:
			t.Fatalf("%q: %T", text, err)
		}
		back, err := table.Parse(u.Symbol())
		if err != nil {
			t.Fatalf("%q is emitted as %q: %v", text, u.Symbol(), err)
		}
		if back.Symbol() != u.Symbol() || back.Dimension() != u.Dimension() || back.IsPoint() != u.IsPoint() {
			t.Fatalf("%q is %q, which reads as %q", text, u.Symbol(), back.Symbol())
		}
	})
}
