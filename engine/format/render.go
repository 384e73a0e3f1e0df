package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/value"
)

// Render writes an emitted scalar, such as "1234.5 USD", "0.06" or "9000 s", as people read it:
// "1,234.5 USD", "6%", "2:30:00". The kind "" is number, the format "" the default of the kind, and
// an empty cell renders as "". The text is English, without locale or zone. testdata/formats.txt
// states the rules and has cases for every format; clients that render for themselves follow it.
//
// A value in another unit than its kind is rendered from (none for percent, seconds for the time
// kinds) is a number with decimals_float, as its Display is. So is a moment or a duration in parts
// beyond 8,640,000,000,000 s either way.
//
// Errors: an unknown kind, a format that the kind has not, a value that does not begin with a
// number. Only today and now may stand for the value of a time kind; they render as they are.
func Render(val, kind, format string) (string, error) {
	kind = ScalarKind(kind)
	k := kindOf(kind)
	if k.structure != "number" {
		return "", fmt.Errorf("render %q: %q is not a kind of a single value", val, kind)
	}
	format = cmp.Or(format, k.formats[0])
	if !slices.Contains(k.formats, format) {
		return "", fmt.Errorf("render %q: %q is not a format of kind %s", val, format, kind)
	}
	timed := IsTime(kind)
	if val == "" || timed && value.IsMomentWord(val) {
		return val, nil
	}
	number, unit, _ := strings.Cut(val, " ")
	d, err := decimal.Parse(number)
	if err != nil {
		return "", fmt.Errorf("render %q: read number: %w", val, err)
	}
	n, own := numeralOf(d), unit == "" || timed && unit == "s"
	switch {
	case kind == "percent" && own:
		return renderNumber(n.shifted(2), format, true) + "%", nil
	case kind == "duration" && own:
		if text, ok := renderDuration(n, format); ok {
			return text, nil
		}
	case timed && own:
		if text, ok := renderMoment(n, kind, format); ok {
			return text, nil
		}
	}
	if timed || kind == "percent" {
		format = "decimals_float"
	}
	text := renderNumber(n, format, kind != "no_separator")
	if unit != "" {
		text += " " + unit
	}
	return text, nil
}

// RenderText renders a value with its display object, cell by cell: each column of a table by its
// kind and format, each series of a bar chart by those of the series, all else by the one kind and
// format. Cells that no column or series describes are numbers. The result has the shape of value.
func RenderText(val value.Text, display json.RawMessage) (value.Text, error) {
	var shown struct {
		series
		SeriesBy string   `json:"series_by"`
		Columns  []series `json:"columns"`
		Series   []series `json:"series"`
	}
	if err := json.Unmarshal(display, &shown); err != nil {
		return value.Text{}, fmt.Errorf("read display object: %w", err)
	}
	described := layout{shown.series, append(shown.Columns, shown.Series...), shown.SeriesBy == "rows"}
	rendered := value.Text{Rank: val.Rank, Cells: make([][]string, len(val.Cells))}
	for i, row := range val.Cells {
		rendered.Cells[i] = make([]string, len(row))
		for j, cell := range row {
			s := described.at(i, j)
			format := ""
			if s.Format != nil {
				format = *s.Format
			}
			var err error
			if rendered.Cells[i][j], err = Render(cell, s.Kind, format); err != nil {
				return value.Text{}, err
			}
		}
	}
	return rendered, nil
}
