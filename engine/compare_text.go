package engine

import (
	"encoding/json"
	"strconv"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Shown is a difference and its shares as people read them, with their signs.
type Shown struct {
	Display    json.RawMessage // display object of the difference (schemas/openapi.yaml)
	Difference string
	Shares     []string // in the order of Shares; they add up to Difference, as it stands there
}

// Read is a scalar as people read it: the label of a choice, else as its display object says, where
// asked tells that it is in a unit that was asked for; "" of a table.
func (d *Domain) Read(variable int, v value.Value, asked bool) string {
	q, single := v.Single()
	if !single {
		return ""
	}
	if label := d.Variables[variable].Label(q.Number); label != "" {
		return label
	}
	s := d.series(variable, v, asked)
	shown, err := format.Render(q.String(), s.Kind, s.Format)
	if err != nil {
		return q.String()
	}
	return shown
}

// Show renders a comparison: with the places of the target's format, or so many that the largest
// number has 6 digits; of percentages in percentage points. What rounding leaves is added to the
// largest share here, too.
func (d *Domain) Show(c Comparison) Shown {
	const digits = 6
	s := d.series(c.Of.Variable, c.Second, c.Of.Unit != nil)
	if d.isPlace(c.Of.Variable) {
		if s.Format = "duration_hms"; s.Kind == "date" {
			s.Format = "duration_days"
		}
		s.Kind = "duration"
	}
	x := decimal.NewContext(value.ParseBudget)
	total, parts := c.Difference.Number, make([]decimal.Decimal, len(c.Shares))
	most := total.Abs()
	for i, share := range c.Shares {
		parts[i] = share.Value.Number
		most = formula.Extreme(formula.Decimals{most, parts[i].Abs()}, 1)
	}
	places := 0
	if n, fixed := strings.CutPrefix(s.Format, "decimals_"); fixed && n != "float" {
		places, _ = strconv.Atoi(n)
		if s.Kind == "percent" {
			places += 2
		}
	} else if fixed && !most.IsZero() {
		first, _ := most.Extent()
		places = digits - 1 - first
	}
	total = x.Round(total, places)
	if len(parts) > 0 {
		// The largest share comes first.
		round(x, parts, total, 0, places)
	}
	text := func(n decimal.Decimal) string {
		sign := ""
		if n.Sign() > 0 {
			sign = "+"
		}
		shown, err := format.Render(units.Quantity{Number: n, Unit: c.Difference.Unit}.String(), s.Kind, s.Format)
		if err != nil {
			return sign + n.String()
		}
		if points, percent := strings.CutSuffix(shown, "%"); percent {
			shown = points + " pp"
		}
		return sign + shown
	}
	shown := Shown{Display: format.NumberOf(s), Difference: text(total)}
	for _, n := range parts {
		shown.Shares = append(shown.Shares, text(n))
	}
	return shown
}
