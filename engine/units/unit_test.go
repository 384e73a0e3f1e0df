package units

import (
	"math"
	"testing"

	"reckon/engine/decimal"
)

func TestUnitAlgebra(t *testing.T) {
	table := countingTable(t)
	unit := func(text string) *Unit { return mustParse(t, table, text) }
	pow := func(u *Unit, num, den int) *Unit {
		p, ok := u.Pow(num, den)
		if !ok {
			t.Fatalf("%s to the power %d/%d", u.Symbol(), num, den)
		}
		return p
	}
	for _, test := range []struct {
		got  *Unit
		want string
	}{
		{unit("mi/h").Mul(unit("h")), "mi"},
		{unit("mi/h").Mul(unit("min")), "mi·min/h"},
		{unit("m").Mul(unit("m")), "m^2"},
		{unit("m").Div(unit("m")), ""},
		{unit("m").Mul(One), "m"},
		{One.Mul(unit("m")), "m"},
		{(*Unit)(nil).Mul(unit("m")), "m"},
		{unit("m").Div(nil), "m"},
		{One.Div(unit("s")), "1/s"},
		{(*Unit)(nil).Div(nil), ""},
		{unit("USD/kWh").Mul(unit("kWh")), "USD"},
		{unit("kg").Div(unit("m")).Div(pow(unit("s"), 2, 1)), "kg/(m·s^2)"},
		{unit("degC"), "degC"},
		{unit("degC").Mul(One), "degC"},
		{unit("degC").Mul(unit("m")), "degC·m"},
		{unit("degC").Mul(unit("m")).Div(unit("m")), "delta_degC"},
		{unit("W").Div(unit("degC")), "W/degC"},
		{unit("W").Div(unit("delta_degC")), "W/degC"},
		{pow(unit("m^2"), 1, 2), "m"},
		{pow(unit("m"), 1, 2), "m^(1/2)"},
		{pow(unit("m/s"), -1, 1), "s/m"},
		{pow(unit("m"), 0, 1), ""},
		{pow(unit("degC"), 2, 2), "degC"},
		{pow(unit("degC"), 2, 1), "degC^2"},
		{pow(unit("m"), -2, -4), "m^(1/2)"},
		{pow(nil, 3, 1), ""},
		{unit("degC").Difference(), "delta_degC"},
		{unit("delta_degF").Point(), "degF"},
		{unit("K").Point(), "K"},
		{unit("K").Difference(), "K"},
	} {
		if test.got.Symbol() != test.want {
			t.Errorf("%q, want %q", test.got.Symbol(), test.want)
		}
	}
	for _, bad := range [][2]int{{1, 0}, {1, 7}, {1000, 1}, {math.MaxInt, 1}, {1, math.MaxInt}, {math.MinInt, 1}, {1, math.MinInt}} {
		if u, ok := unit("m").Pow(bad[0], bad[1]); ok {
			t.Errorf("m to the power %d/%d is %s", bad[0], bad[1], u.Symbol())
		}
		if d, ok := Length.Pow(bad[0], bad[1]); ok {
			t.Errorf("length to the power %d/%d is %s", bad[0], bad[1], d.Name())
		}
	}
}

func TestTerms(t *testing.T) {
	table := Standard()
	km, h := mustParse(t, table, "km"), mustParse(t, table, "h")
	u := km.Div(h)
	terms := u.Terms()
	if len(terms) != 2 || terms[0].Unit.Symbol() != "km" || terms[0].Num != 1 || terms[1].Unit != h || terms[1].Num != -1 || terms[1].Den != 1 {
		t.Errorf("terms %v", terms)
	}
	terms[0].Num = 5
	if u.Symbol() != "km/h" || u.Terms()[0].Num != 1 {
		t.Error("a caller can change a unit through its terms")
	}
	if alone := h.Terms(); len(alone) != 1 || alone[0] != (Term{h, 1, 1}) {
		t.Errorf("terms of h: %v", alone)
	}
	if len(One.Terms()) != 0 || len((*Unit)(nil).Terms()) != 0 {
		t.Error("One has terms")
	}
}

// A factor too large for a decimal is an error of the arithmetic, never a wrong number.
func TestFactorOutOfRange(t *testing.T) {
	u := mustParse(t, Standard(), "Qm^100")
	for range 6 {
		u = u.Mul(u)
	}
	c := decimal.NewContext(1000)
	if Quantity.SI(Quantity{decimal.Int(1), u}, c); c.Err() != decimal.ErrTooLarge {
		t.Errorf("error %v", c.Err())
	}
}

func TestDimensionNames(t *testing.T) {
	table := countingTable(t)
	for text, want := range map[string]string{
		"": "number", "%": "number", "m": "length", "J": "energy", "N·m": "energy", "km/h": "speed", "USD": "money", "EUR": "money",
		"USD/gal": "money/volume", "USD/kWh": "money/energy", "USD/h": "money/time", "USD/(kg·s)": "money/(mass·time)", "h/USD": "time/money",
		"widget/h": "widget/time", "person/km^2": "person/area", "USD/(widget·h)": "money/(time·widget)", "m^(1/2)": "length^(1/2)",
		"kg^2": "mass^2", "s^-3": "1/time^3", "kg·K/m": "mass·temperature/length", "USD·m/widget": "length·money/widget", "rad": "angle",
		"rpm": "angular speed", "mpg": "fuel economy",
	} {
		if got := mustParse(t, table, text).Dimension().Name(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestDimensionLimits(t *testing.T) {
	big, ok := Length.Pow(546, 1)
	if !ok {
		t.Fatal("the power 546")
	}
	if big.Mul(Length) != big || None.Div(big).Div(Length) != None.Div(big) {
		t.Error("exponents do not stop at 546")
	}
	money := other("$USD")
	if d, ok := money.Pow(1, 60); !ok || d.Name() != "money^(1/60)" {
		t.Errorf("money^(1/60) is %q", d.Name())
	}
	if _, ok := money.Pow(1, 61); ok {
		t.Error("money^(1/61) is accepted")
	}
	if money.Mul(other("widget")).Div(money) != other("widget") || !money.Div(money).IsNone() {
		t.Error("currencies do not cancel")
	}
	if Angle.Mul(Length).WithoutAngle() != Length {
		t.Error("WithoutAngle")
	}
}
