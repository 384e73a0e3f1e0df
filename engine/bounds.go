package engine

import (
	"encoding/json"
	"errors"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/units"
	"reckon/engine/value"
)

// brokenLimit says which of the variable's declared min and max a cell of a value is beyond, or
// that it is a point on a scale of temperature or pressure below 0 in SI; "" where none is. A bound
// of another dimension than the value does not apply. The context is for this alone: each bound has
// the default budget.
func (d *Domain) brokenLimit(c *decimal.Context, variable int, v value.Value) string {
	if d.belowZero(c, variable, v) {
		return "it is below absolute zero"
	}
	for i, edge := range d.prepared[variable].limits {
		if edge == nil {
			continue
		}
		c.Restart(value.DefaultBudget)
		for q := range v.Quantities() {
			if q = d.asDeclared(c, variable, q); q.Unit.Dimension() != edge.dimension {
				continue
			}
			if r := q.SI(c).Cmp(edge.si); c.Err() == nil && (i == 0 && r < 0 || i == 1 && r > 0) {
				return [...]string{"it must be at least ", "it must be at most "}[i] + edge.text
			}
		}
	}
	return ""
}

// notWhole reports whether a cell of a value is no whole number where only these are values. A cell
// of another dimension is not counted.
func (d *Domain) notWhole(c *decimal.Context, variable int, v value.Value) bool {
	counts := d.Profiles[variable].Counts
	if counts == nil {
		return false
	}
	c.Restart(value.DefaultBudget)
	for q := range v.Quantities() {
		if n, err := units.Convert(c, q, counts); err == nil && c.Round(n.Number, 0).Shown().Cmp(n.Number.Shown()) != 0 {
			return true
		}
	}
	return false
}

// belowZero reports whether a cell of a value is a temperature below 0 K: written as a point on a
// scale, or in any unit where the variable is declared as one.
func (d *Domain) belowZero(c *decimal.Context, variable int, v value.Value) bool {
	declared := d.Profiles[variable].Unit
	c.Restart(value.DefaultBudget)
	for q := range v.Quantities() {
		point := q.Unit.IsAbsolute() || declared.IsAbsolute() && q.Unit.Dimension() == declared.Dimension()
		if point && q.SI(c).Sign() < 0 {
			return true
		}
	}
	return false
}

// defaultValue is the value of a variable's default, resolved now; false when it has none.
func (d *Domain) defaultValue(variable int, env value.Env) (value.Value, bool) {
	if d.prepared != nil && d.prepared[variable].text {
		return d.prepared[variable].value, true
	}
	text := d.Variables[variable].Default
	if text.IsEmpty() {
		return value.Value{}, false
	}
	v, _, errs := input.ParseValue(&d.Scope, variable, text, env)
	return v, len(errs) == 0
}

// DefaultText is a variable's default as it is emitted: seconds of the time kinds, the fraction of
// a percent, a bare number with the unit it is read in, the words today and now as they are.
func (d *Domain) DefaultText(variable int) value.Text {
	if d.defaultMoves(variable) {
		return value.Scalar(strings.ToLower(d.Variables[variable].Default.Cells[0][0]))
	}
	if v, ok := d.defaultValue(variable, value.Env{}); ok {
		return v.Text()
	}
	return d.Variables[variable].Default
}

// defaultMoves reports whether a default means the moment of the calculation.
func (d *Domain) defaultMoves(variable int) bool {
	text := d.Variables[variable].Default
	return text.Rank == 0 && value.IsMomentWord(text.Scalar())
}

// convert shows a value in another unit.
func convert(v value.Value, to *units.Unit) (value.Value, *value.Error) {
	c := decimal.NewContext(1_000_000)
	var undefined *decimal.UndefinedError
	out := value.Value{Rank: v.Rank}
	for _, row := range v.Cells {
		cells := make([]value.Cell, len(row))
		for i, cell := range row {
			cells[i] = cell
			if cell.Empty {
				continue
			}
			q, err := units.Convert(c, cell.Quantity, to)
			switch {
			case err != nil:
				return value.Value{}, value.Problem("input.incompatible_units", cell.Quantity.Unit.String(), to.String())
			case errors.As(c.Err(), &undefined):
				return value.Value{}, value.Problem("calculation.domain_error", to.String(), undefined.Function, undefined.Argument.Shown().String())
			case c.Err() != nil:
				return value.Value{}, value.Problem("calculation.limit_exceeded", "the size of a number")
			}
			cells[i].Quantity = q
		}
		out.Cells = append(out.Cells, cells)
	}
	return out, nil
}

// plain is a value's text in one line, as args of errors show it.
func plain(t value.Text) string {
	if t.Rank == 0 {
		return t.Scalar()
	}
	data, err := json.Marshal(t)
	if err != nil {
		return ""
	}
	return string(data)
}
