package console

import (
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/language"
	"reckon/engine/units"
)

// offered are units that people choose from, kind by kind. Those of one dimension are offered
// together, in this order.
var offered = []string{
	"mm", "cm", "m", "km", "in", "ft", "yd", "mi", "nmi",
	"cm^2", "m^2", "km^2", "ha", "ft^2", "acre", "mi^2",
	"mL", "L", "m^3", "gal", "ft^3", "in^3",
	"mg", "g", "kg", "t", "oz", "lb",
	"ms", "s", "min", "h", "d", "week", "month", "year",
	"m/s", "km/h", "mi/h", "kn", "ft/s",
	"m/s^2", "ft/s^2",
	"J", "kJ", "MJ", "Wh", "kWh", "MWh", "kcal", "BTU",
	"W", "kW", "MW", "hp", "BTU/h",
	"N", "kN", "lbf",
	"Pa", "kPa", "bar", "psi", "atm",
	"degC", "degF", "K",
	"deg", "rad",
	"L/km", "mi/gal", "km/L",
	"L/min", "L/s", "m^3/h", "gal/min",
	"kg/m^3", "g/cm^3", "lb/ft^3",
	"h/d", "min/d", "h/week",
	"B", "kB", "MB", "GB", "TB", "GiB",
	"MB/s", "Mbit/s", "Gbit/s",
	"V", "mV", "kV", "A", "mA", "ohm", "Hz", "kHz", "MHz",
	"mol", "mmol", "%", "1",
}

// offers are the offered units by dimension.
var offers = func() map[units.Dimension][]string {
	list := map[units.Dimension][]string{}
	for _, symbol := range offered {
		if u, err := units.Standard().Parse(symbol); err == nil && u.Symbol() != "" {
			list[u.Dimension()] = append(list[u.Dimension()], u.Symbol())
		}
	}
	return list
}()

// unitsFor are a value's unit and the units that it can be shown in; of one that is no quantity as
// people read it, such as a date, there are none.
func unitsFor(exact string, quantity bool) (own string, list []string) {
	_, symbol, ok := strings.Cut(exact, " ")
	if !ok || !quantity {
		return "", nil
	}
	u, err := units.Standard().Parse(symbol)
	if err != nil {
		return symbol, nil
	}
	return symbol, unitsLike(u)
}

// unitsLike are the units of the dimension of one, which is first where it is none of those that
// are offered; nil where it is the only one.
func unitsLike(u *units.Unit) []string {
	list := offers[u.Dimension()]
	if !slices.Contains(list, u.Symbol()) {
		list = append([]string{u.Symbol()}, list...)
	}
	if len(list) < 2 || u.IsOne() {
		return nil
	}
	return list
}

// in shows a value in another unit. It stays as it is where that cannot be.
func (s *valueShown) in(symbol string, w language.Writing) {
	number, own, _ := strings.Cut(s.Exact, " ")
	from, err := units.Standard().Parse(own)
	if err != nil || symbol == own || !slices.Contains(s.Units, symbol) {
		return
	}
	to, err := units.Standard().Parse(symbol)
	if err != nil {
		return
	}
	n, err := decimal.Parse(number)
	if err != nil {
		return
	}
	c := decimal.NewContext(10_000)
	q, err := units.Convert(c, units.Quantity{Number: n, Unit: from}, to)
	if err != nil || c.Err() != nil {
		return
	}
	exact := q.String()
	text, err := format.Render(exact, "number", "decimals_float")
	if err != nil {
		return
	}
	text = w.Shown(text)
	s.Exact, s.Text, s.Unit, s.Elsewhere = exact, text, symbol, true
	s.Number, s.Symbol = parted(text, exact)
}
