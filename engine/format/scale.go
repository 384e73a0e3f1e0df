package format

import (
	"encoding/json"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Scale is the chart scaling of a value, with nil for each field that is not present.
type Scale struct {
	Scale        json.RawMessage // numbers of the decimals' own digits, same shape as the value, null for empty cells
	Unit         string
	Incompatible bool
	Types        []string
}

// ChartScale computes the chart scaling of schemas/openapi.yaml for bar_chart and pie_chart
// variables: the zero Scale for others, and for values in one unit. A first series that supplies
// labels takes no part; its cells keep their numbers.
func ChartScale(def *value.Variable, v value.Value) Scale {
	if structure := kindOf(def.Kind).structure; structure != "bar_chart" && structure != "pie_chart" {
		return Scale{}
	}
	b := authored(def).Bar
	labels := func(row, column int) bool {
		if b == nil || b.Labels.Source != "first_series" {
			return false
		}
		return b.SeriesBy == "rows" && row == 0 || b.SeriesBy != "rows" && column == 0
	}
	var unit *units.Unit
	several := false
	var dimensions []units.Dimension
	for i, row := range v.Cells {
		for j, cell := range row {
			if cell.Empty || labels(i, j) {
				continue
			}
			u := cell.Quantity.Unit
			several = several || unit != nil && u.Symbol() != unit.Symbol()
			if unit == nil || unit.Symbol() == "" {
				unit = u // plain numbers beside percent are shown in percent: an axis of several units needs one
			}
			if dimension := u.Dimension(); !slices.Contains(dimensions, dimension) {
				dimensions = append(dimensions, dimension)
			}
		}
	}
	switch {
	case len(dimensions) > 1:
		return incompatibleScale(dimensions)
	case !several:
		return Scale{}
	}
	c := decimal.NewContext(value.ParseBudget)
	rows := make([]string, len(v.Cells))
	for i, row := range v.Cells {
		cells := make([]string, len(row))
		for j, cell := range row {
			switch {
			case cell.Empty:
				cells[j] = "null"
				continue
			case !labels(i, j):
				q, err := units.Convert(c, cell.Quantity, unit)
				if err != nil || c.Err() != nil {
					return incompatibleScale(dimensions)
				}
				cell.Quantity = q
			}
			cells[j] = cell.Quantity.Number.Shown().String()
		}
		rows[i] = strings.Join(cells, ",")
		if v.Rank == 2 {
			rows[i] = "[" + rows[i] + "]"
		}
	}
	scale := strings.Join(rows, ",")
	if v.Rank > 0 {
		scale = "[" + scale + "]"
	}
	return Scale{Scale: json.RawMessage(scale), Unit: unit.Symbol()}
}

// incompatibleScale names the dimensions that have no common axis, in the order of their first
// cells. Those that differ in their currency alone would have one name; each then bears its
// currencies too: "money (USD)", "money/volume (EUR)".
func incompatibleScale(dimensions []units.Dimension) Scale {
	s := Scale{Incompatible: true}
	named := map[string]int{}
	for _, dimension := range dimensions {
		named[dimension.Name()]++
	}
	for _, dimension := range dimensions {
		name := dimension.Name()
		if codes := dimension.Currencies(); named[name] > 1 && len(codes) > 0 {
			name += " (" + strings.Join(codes, ", ") + ")"
		}
		s.Types = append(s.Types, name)
	}
	return s
}
