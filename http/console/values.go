package console

import (
	"encoding/json"
	"slices"
	"strings"

	"reckon/commands"
	"reckon/engine/format"
	"reckon/engine/language"
	"reckon/engine/value"
	"reckon/projections"
)

// valueShown is a value of a variable as pages show it. It is a single value, or a table with a
// chart where its display object asks for one.
type valueShown struct {
	Key, Title, Description string
	Origin                  string   // given, carried, assumed or calculated
	Text                    string   // of a single value, as people read it
	Number, Symbol          string   // the same in two parts, the second one its unit
	Exact                   string   // of a single value, as /v1 has it
	Field                   string   // of a single value, as people change it
	Units                   []string // that a single value can be shown in, its own among them
	Unit                    string   // its own
	Elsewhere               bool     // it is shown in a unit of the reader's choice
	Table                   *tableShown
	Chart                   *chartShown
}

// tableShown is a table: names of columns, where any has one, and rows with a name or none.
type tableShown struct {
	Caption string
	Columns []string
	Rows    []rowShown
	Named   bool // rows have names
	More    int  // rows beyond maxRows
}

type rowShown struct {
	Name  string
	Cells []string
}

// maxRows is how many rows of a table a page shows.
const maxRows = 200

// display is the display object of a result, as schemas/openapi.yaml has it.
type display struct {
	Structure string   `json:"data_type"`
	Kind      string   `json:"kind"`
	Format    *string  `json:"format"`
	StartRow  int      `json:"start_row_index"`
	Columns   []series `json:"columns"`
	Rows      struct {
		Names []string `json:"names"`
	} `json:"rows"`
	SeriesBy string `json:"series_by"`
	Stacked  bool   `json:"stacked"`
	XAxis    struct {
		Title string `json:"title"`
	} `json:"x_axis"`
	Labels struct {
		Source string `json:"source"`
		Start  int    `json:"start_series_index"`
	} `json:"labels"`
	Series []series `json:"series"`
	Slices struct {
		Names []string `json:"names"`
	} `json:"slices"`
}

// series is how a column of a table or a series of a chart is called and shown.
type series struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`
	Format *string `json:"format"`
}

// Origins of values, as pages call them.
const (
	given      = "given"
	carried    = "carried"
	assumed    = "assumed"
	calculated = "calculated"
)

func originOf(source string, historical bool) string {
	switch {
	case source == "default_value":
		return assumed
	case source == "calculated":
		return calculated
	case historical:
		return carried
	}
	return given
}

// drawn is a table with the display object that says how to show it.
type drawn struct {
	title        string
	value        json.RawMessage
	display      json.RawMessage
	scale        json.RawMessage
	unit         string // of the scale
	incompatible []string
	writing      language.Writing
}

// valueOf is a variable of a result as a page shows it. d is the version of the domain that it is
// of, nil where that is not to be had: then choices are shown as their numbers. It is written as
// the language does.
func valueOf(d *commands.Domain, v projections.ResultVariable, w language.Writing) valueShown {
	s := valueShown{Key: v.Key, Title: v.Title, Description: v.Description, Origin: originOf(v.Source, v.Historical)}
	var text value.Text
	if json.Unmarshal(v.Value, &text) != nil {
		return s
	}
	read := rendered(d, v.Key, text, v.Display)
	if text.Rank == 0 {
		s.Exact, s.Text, s.Field = text.Scalar(), read.Scalar(), read.Scalar()
		if !choosable(d, v.Key) {
			s.Text, s.Field = w.Shown(s.Text), w.Field(s.Text)
		}
		s.Number, s.Symbol = parted(s.Text, s.Exact)
		s.Unit, s.Units = unitsFor(s.Exact, s.Symbol != "")
		return s
	}
	s.draw(drawn{v.Title, v.Value, v.Display, v.Scale, v.ScaleUnit, v.ScaleTypes, w}, text, read)
	return s
}

// choosable tells whether the values of a variable are choices, which are shown by their labels.
func choosable(d *commands.Domain, key string) bool {
	return d != nil && slices.ContainsFunc(d.Definition.Variables, func(v projections.Variable) bool { return v.Key == key && len(v.Choices) > 0 })
}

// rendered is a value as people read it, or as it is where its display object does not fit it.
func rendered(d *commands.Domain, key string, text value.Text, display json.RawMessage) value.Text {
	if d != nil {
		if i := d.Compiled().Index(key); i >= 0 {
			if read, err := d.Compiled().Rendered(i, text, display); err == nil {
				return read
			}
		}
	}
	if read, err := format.RenderText(text, display); err == nil {
		return read
	}
	return text
}

// parted divides "1,234.5 USD" where the number ends, if what stands behind it is the unit of the
// exact value.
func parted(text, exact string) (number, symbol string) {
	_, unit, ok := strings.Cut(exact, " ")
	if !ok || !strings.HasSuffix(text, " "+unit) {
		return text, ""
	}
	return strings.TrimSuffix(text, " "+unit), unit
}

// draw adds the table of a value, and its chart where there is one.
func (s *valueShown) draw(w drawn, text, read value.Text) {
	var how display
	if json.Unmarshal(w.display, &how) != nil {
		return
	}
	read.Cells = eachOf(read.Cells, w.writing.Shown)
	switch how.Structure {
	case "bar_chart", "line_chart":
		g := gridOf(how, w, text, read)
		s.Table = g.table()
		if len(w.incompatible) == 0 {
			s.Chart = g.chart(how)
		}
	case "pie_chart":
		p := pieOf(how, w, text, read)
		s.Table = p.table(w.title)
		if len(w.incompatible) == 0 {
			s.Chart = p.chart(w.title)
		}
	default:
		how.Rows.Names = eachOf([][]string{how.Rows.Names}, w.writing.Shown)[0]
		s.Table = plain(how, w.title, read)
	}
}

// eachOf are rows with each of their cells written in another way.
func eachOf(rows [][]string, write func(string) string) [][]string {
	list := make([][]string, len(rows))
	for i, row := range rows {
		list[i] = make([]string, len(row))
		for j, cell := range row {
			list[i][j] = write(cell)
		}
	}
	return list
}

// plain is a table as its columns and rows are called.
func plain(how display, title string, read value.Text) *tableShown {
	t := &tableShown{Caption: title, Named: len(how.Rows.Names) > 0}
	for _, c := range how.Columns {
		t.Columns = append(t.Columns, c.Name)
	}
	if strings.Join(t.Columns, "") == "" {
		t.Columns = nil
	}
	for i, cells := range read.Cells {
		row := rowShown{Cells: cells}
		if i < len(how.Rows.Names) {
			row.Name = how.Rows.Names[i]
		}
		t.Rows = append(t.Rows, row)
	}
	if t.Named && len(t.Columns) > 0 {
		t.Columns = append([]string{""}, t.Columns...)
	}
	return t.cut()
}

// per says what names the rows where that is an input with several values at once.
func (t *tableShown) per(in valueShown) {
	if t == nil || in.Table == nil || !t.Named || len(t.Columns) == 0 || t.Columns[0] != "" || len(t.Rows) != len(in.Table.Rows) {
		return
	}
	for i, row := range in.Table.Rows {
		if len(row.Cells) != 1 || row.Cells[0] != t.Rows[i].Name {
			return
		}
	}
	t.Columns[0] = in.Title
}

// cut leaves the first rows of a table.
func (t *tableShown) cut() *tableShown {
	if t.More = len(t.Rows) - maxRows; t.More > 0 {
		t.Rows = t.Rows[:maxRows]
	}
	t.More = max(t.More, 0)
	return t
}

// Size is how large a table is.
func (s valueShown) Size() string { return count(len(s.Table.Rows)+s.Table.More, "row", "rows") }
