package format

import (
	"encoding/json"

	"reckon/engine/value"
)

// Series is how the cells of a column are shown.
type Series struct{ Name, Kind, Format string }

func described(list []Series) []series {
	all := make([]series, len(list))
	for i, s := range list {
		all[i] = series{Name: s.Name, Kind: s.Kind, Format: &s.Format}
	}
	return all
}

// TableOf is the display object of a table with such columns.
func TableOf(columns []Series) json.RawMessage {
	return encode("table", tableDisplay{Start: orOne(nil), Columns: described(columns)})
}

// ListOf is the display object of a table of one column, with names of its rows.
func ListOf(column Series, rows []string) json.RawMessage {
	return encode("table", tableDisplay{Start: orOne(nil), Columns: described([]Series{column}), Rows: names{rows}})
}

// LineOf is the display object of lines over what the first column holds, one for each further
// column. It has the members of that of a bar chart.
func LineOf(axisTitle string, columns []Series) json.RawMessage {
	return encode("line_chart", barDisplay{
		SeriesBy: "columns", XAxis: axis{axisTitle},
		Labels: labels{"first_series", orOne(nil)}, Series: described(columns),
	})
}

// LineScale is the chart scaling of what is shown by LineOf.
func LineScale(v value.Value) Scale {
	return ChartScale(&value.Variable{Kind: "bar_chart", Display: lineMetadata}, v)
}

var lineMetadata = json.RawMessage(`{"bar_chart": {"labels": {"source": "first_series"}}}`)

// NumberOf is the display object of a single value.
func NumberOf(s Series) json.RawMessage {
	return encode("number", numberDisplay{s.Kind, &s.Format})
}

// RowNames are the names of the rows of a table in its display object, nil where it has none.
func RowNames(display json.RawMessage) []string {
	var d tableDisplay
	if json.Unmarshal(display, &d) != nil {
		return nil
	}
	return d.Rows.Names
}
