package units

import (
	"fmt"
	"strings"

	"reckon/engine/decimal"
)

// Reading is what a unit means in coherent SI.
type Reading struct {
	Symbol    string `json:"symbol"`
	Dimension string `json:"dimension"`
	Factor    string `json:"factor"`         // to the SI unit; of a point that of its differences
	SI        string `json:"si_unit"`        // "" for plain numbers
	Zero      string `json:"zero,omitempty"` // of a point: the SI value of 0
}

// Read finds the factor of a unit to coherent SI.
func (t *Table) Read(unit *Unit) (Reading, error) {
	c := decimal.NewContext(100_000)
	dimension := unit.Dimension()
	r := Reading{Symbol: unit.Symbol(), Dimension: dimension.Name()}
	base := t.ForResult(dimension, nil, false)
	in := func(u *Unit, n int64) string {
		si := Quantity{Number: decimal.Int(n), Unit: u}.SI(c)
		return FromSI(c, si, base).Number.Shown().String()
	}
	r.SI, r.Factor = base.Symbol(), in(unit.Difference(), 1)
	if unit.IsPoint() {
		r.Zero = in(unit, 0)
	}
	if c.Err() != nil {
		return r, fmt.Errorf("the factor of %s: %w", unit.Symbol(), c.Err())
	}
	return r, nil
}

// String is the reading in lines for a terminal or a tooltip.
func (r Reading) String() string {
	symbol := r.Symbol
	if symbol == "" {
		symbol = "1"
	}
	text := fmt.Sprintf("%s = %s (%s)\n", symbol, strings.TrimSpace(r.Factor+" "+r.SI), r.Dimension)
	if r.Zero != "" {
		text += fmt.Sprintf("That is for differences; as a point, 0 %s = %s %s.\n", r.Symbol, r.Zero, r.SI)
	}
	return text
}
