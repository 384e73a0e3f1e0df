package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"reckon/engine/value"
)

// metadata is display_metadata of all structures. Exactly one member is there.
type metadata struct {
	Number *numberDisplay `json:"number"`
	Table  *tableDisplay  `json:"table"`
	Bar    *barDisplay    `json:"bar_chart"`
	Pie    *pieDisplay    `json:"pie_chart"`
}

type numberDisplay struct {
	Kind   string  `json:"kind"`
	Format *string `json:"format"`
}

type tableDisplay struct {
	Start   *int     `json:"start_row_index"`
	Columns []series `json:"columns"`
	Rows    names    `json:"rows"`
}

type barDisplay struct {
	SeriesBy string   `json:"series_by"`
	Stacked  bool     `json:"stacked"`
	XAxis    axis     `json:"x_axis"`
	Labels   labels   `json:"labels"`
	Series   []series `json:"series"`
}

type pieDisplay struct {
	Kind   string  `json:"kind"`
	Format *string `json:"format"`
	Slices names   `json:"slices"`
}

// series is a column of a table or a series of a chart.
type series struct {
	Name    string  `json:"name"`
	Kind    string  `json:"kind"`
	Format  *string `json:"format"`
	Unit    string  `json:"unit,omitempty"`    // of a column, as authored
	Choices string  `json:"choices,omitempty"` // of a column, as authored: the variable whose choices its cells are
}

type names struct {
	Names []string `json:"names,omitempty"`
}

type axis struct {
	Title string `json:"title,omitempty"`
}

type labels struct {
	Source string `json:"source,omitempty"`
	Start  *int   `json:"start_series_index,omitempty"`
}

// readMetadata reads display_metadata. Unknown members and wrong types fail.
func readMetadata(data json.RawMessage) (metadata, error) {
	var m metadata
	if len(data) == 0 || string(data) == "null" {
		return m, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m); err != nil {
		return m, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return m, errors.New("there is text behind the object")
	}
	return m, nil
}

// authored is the metadata of a variable that Compile has accepted.
func authored(v *value.Variable) metadata {
	m, err := readMetadata(v.Display)
	if err != nil {
		return metadata{}
	}
	return m
}

// layout says what describes the cells of a table or chart: each column, or row, has a series of
// its own; cells without one are described alike.
type layout struct {
	others series
	list   []series
	byRow  bool
}

func (m *metadata) layout() layout {
	switch {
	case m.Table != nil:
		return layout{list: m.Table.Columns}
	case m.Bar != nil:
		return layout{list: m.Bar.Series, byRow: m.Bar.SeriesBy == "rows"}
	case m.Pie != nil:
		return layout{others: series{Kind: m.Pie.Kind, Format: m.Pie.Format}}
	}
	return layout{}
}

func (l *layout) at(row, column int) series {
	if l.byRow {
		column = row
	}
	if column < len(l.list) {
		return l.list[column]
	}
	return l.others
}

// CellKinds gives the kind of each cell of a table variable: that of its column in a table, of its
// series in a bar chart, of all in a pie chart; "" where the author says nothing.
func CellKinds(def value.Variable) func(row, column int) string {
	m := authored(&def)
	l := m.layout()
	return func(row, column int) string { return l.at(row, column).Kind }
}

// Column is what an author says of a column of a table: its kind, its unit and the key of the
// variable whose choices its cells are, "" for nothing.
type Column struct{ Kind, Unit, Choices string }

// Columns are the columns of a table as authored, none of charts.
func Columns(def *value.Variable) []Column {
	m := authored(def)
	if m.Table == nil {
		return nil
	}
	list := make([]Column, len(m.Table.Columns))
	for i, s := range m.Table.Columns {
		list[i] = Column{s.Kind, s.Unit, s.Choices}
	}
	return list
}

// ColumnNames are the names of a variable's columns as authored, "" where one has none.
func ColumnNames(def *value.Variable) []string {
	m := authored(def)
	l := m.layout()
	if l.byRow {
		return nil
	}
	names := make([]string, len(l.list))
	for i, s := range l.list {
		names[i] = s.Name
	}
	return names
}

// DisplayOf is the display object of a result (schemas/openapi.yaml), normalised: defaults filled,
// empty collections as empty objects. asked tells that the value is shown in another unit than its
// kind's own (then kind is number, format decimals_float). names are those of a table's columns and
// dates tells which of them hold dates, where its author says neither.
func DisplayOf(def *value.Variable, v value.Value, asked bool, names []string, dates func(column int) bool) json.RawMessage {
	m := authored(def)
	foreign := func(kind string) bool { return asked && isForeign(v, kind) }
	scalar := func(kind string, given *string) (string, string) {
		kind = ScalarKind(kind)
		if foreign(kind) {
			return "number", decimalFormats[0]
		}
		_, format := Shape(kind)
		if given != nil {
			format = *given
		}
		return kind, cmp.Or(format, decimalFormats[0])
	}
	shown := func(list []series) []series {
		all := make([]series, len(list))
		for i, s := range list {
			if s.Kind = ScalarKind(s.Kind); foreign(s.Kind) {
				s.Kind, s.Format = "number", &decimalFormats[0]
			}
			s.Unit, s.Choices = "", ""
			all[i] = s
		}
		return all
	}
	switch structure := kindOf(def.Kind).structure; structure {
	case "table":
		t := cmp.Or(m.Table, &tableDisplay{})
		t.Start, t.Columns = orOne(t.Start), shown(named(dated(t.Columns, v, dates), names))
		return encode(structure, t)
	case "bar_chart":
		b := cmp.Or(m.Bar, &barDisplay{})
		b.SeriesBy = cmp.Or(b.SeriesBy, "columns")
		if b.Labels.Source != "" || b.Labels.Start != nil {
			b.Labels = labels{cmp.Or(b.Labels.Source, "index"), orOne(b.Labels.Start)}
		}
		b.Series = shown(b.Series)
		return encode(structure, b)
	case "pie_chart":
		p := cmp.Or(m.Pie, &pieDisplay{})
		kind, format := scalar(p.Kind, p.Format)
		return encode(structure, pieDisplay{kind, &format, p.Slices})
	}
	given := &def.Format
	if *given == "" {
		given = cmp.Or(m.Number, &numberDisplay{}).Format
	}
	kind, format := scalar(def.Kind, given)
	// Kinds and formats are names of tables: nothing in them is escaped.
	return json.RawMessage(`{"data_type":"number","kind":"` + kind + `","format":"` + format + `"}`)
}

// named adds the names of columns where the author has stated none.
func named(list []series, names []string) []series {
	for i, name := range names {
		if i >= len(list) {
			list = append(list, series{})
		}
		list[i].Name = cmp.Or(list[i].Name, name)
	}
	return list
}

// dated adds the kind of columns that hold dates where the author has stated none: datetime where
// one has a clock time.
func dated(list []series, v value.Value, dates func(column int) bool) []series {
	if len(v.Cells) == 0 {
		return list
	}
	for i := range v.Cells[0] {
		if !dates(i) || i < len(list) && list[i].Kind != "" {
			continue
		}
		kind := "date"
		for _, row := range v.Cells {
			seconds, whole := row[i].Quantity.Number.Int64()
			if !row[i].Empty && (!whole || value.Mod(seconds, value.SecondsPerDay) != 0) {
				kind = "datetime"
			}
		}
		list = append(list, make([]series, max(0, i+1-len(list)))...)
		list[i].Kind = kind
	}
	return list
}

// isForeign reports whether a value is in another unit than the one that its kind is rendered from:
// plain numbers of percent, seconds of duration.
func isForeign(v value.Value, kind string) bool {
	own, known := map[string]string{"percent": "", "duration": "s"}[kind]
	if !known {
		return false
	}
	for q := range v.Quantities() {
		if q.Unit.Symbol() != own {
			return true
		}
	}
	return false
}

func orOne(i *int) *int {
	one := 1
	return cmp.Or(i, &one)
}

// encode writes a display object of a type. Structs of strings, numbers and their like cannot fail.
func encode(dataType string, display any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(display); err != nil {
		return json.RawMessage("null")
	}
	members := bytes.TrimSuffix(b.Bytes()[1:], []byte("\n"))
	return slices.Concat([]byte(`{"data_type":"`+dataType+`",`), members)
}

// jsonTypes are what values that Go reads into a kind of its types are called.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "a string", reflect.Int: "a whole number", reflect.Bool: "true or false", reflect.Slice: "a list",
}

// metadataProblem says in a sentence why display_metadata cannot be read.
func metadataProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		expected := cmp.Or(jsonTypes[wrong.Type.Kind()], "an object")
		if wrong.Field == "" {
			return fmt.Sprintf("It is %s, not %s.", wrong.Value, expected)
		}
		return fmt.Sprintf("%q is %s, not %s.", wrong.Field, wrong.Value, expected)
	}
	if member, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Sprintf("The member %s is not known.", member)
	}
	return fmt.Sprintf("It is not valid JSON: %s.", strings.TrimPrefix(err.Error(), "json: "))
}

// displayCheck reports what is wrong with how a variable is shown.
type displayCheck struct {
	value.Variable
	report func(path, message string)
}

func (c displayCheck) fail(path, format string, args ...any) {
	c.report(path, fmt.Sprintf(format, args...))
}

func (c displayCheck) format(path, kind string, format *string) {
	switch k := kindOf(kind); {
	case k.structure != "number":
		c.fail(path+"kind", "%q is not a kind of a single value.", kind)
	case format != nil && !slices.Contains(k.formats, *format):
		c.fail(path+"format", "%q is not a format of kind %s. Its formats are %s.", *format, k.name, strings.Join(k.formats, ", "))
	}
}

func (c displayCheck) series(path string, list []series) {
	for i, s := range list {
		c.format(fmt.Sprintf("%s[%d].", path, i), s.Kind, s.Format)
	}
}

// member checks that the one member there is that of the structure.
func (c displayCheck) member(m metadata, structure string) bool {
	members := 0
	for _, member := range []struct {
		name  string
		there bool
	}{{"number", m.Number != nil}, {"table", m.Table != nil}, {"bar_chart", m.Bar != nil}, {"pie_chart", m.Pie != nil}} {
		if !member.there {
			continue
		}
		members++
		if member.name != structure {
			c.fail("display_metadata."+member.name, "A variable of kind %s is shown as %q.", ScalarKind(c.Kind), structure)
			return false
		}
	}
	if members == 0 && len(c.Display) > 0 && string(c.Display) != "null" {
		c.fail("display_metadata", "It needs the one member %q.", structure)
	}
	return true
}

func (c displayCheck) number(path string, n *numberDisplay) {
	if n.Kind != "" && n.Kind != ScalarKind(c.Kind) {
		c.fail(path+"kind", "The kind %q is not the kind of the variable, %q.", n.Kind, ScalarKind(c.Kind))
	} else {
		c.format(path, c.Kind, n.Format)
	}
	if c.Format != "" && n.Format != nil && *n.Format != c.Format {
		c.fail(path+"format", "The format %q is not the format of the variable, %q.", *n.Format, c.Format)
	}
}

// CheckDisplay reports what is wrong with a variable's kind, format and display_metadata. Paths
// start at the variable: "format", "display_metadata.table.columns[0].kind".
func CheckDisplay(v value.Variable, report func(path, message string)) {
	c := displayCheck{v, report}
	structure := kindOf(v.Kind).structure
	switch {
	case structure == "":
		var all []string
		for _, k := range kinds {
			all = append(all, k.name)
		}
		c.fail("kind", "%q is not a kind. Kinds are %s.", v.Kind, strings.Join(all, ", "))
		return
	case v.Format == "":
	case structure != "number":
		c.fail("format", "A %s has a format for each column or series, not one of its own.", v.Kind)
	default:
		c.format("", v.Kind, &v.Format)
	}
	m, err := readMetadata(v.Display)
	if err != nil {
		c.fail("display_metadata", "%s", metadataProblem(err))
		return
	}
	if !c.member(m, structure) {
		return
	}
	path := "display_metadata." + structure + "."
	switch {
	case m.Number != nil:
		c.number(path, m.Number)
	case m.Table != nil:
		c.series(path+"columns", m.Table.Columns)
	case m.Bar != nil:
		c.series(path+"series", m.Bar.Series)
		if s := m.Bar.SeriesBy; s != "" && s != "columns" && s != "rows" {
			c.fail(path+"series_by", `%q is neither "columns" nor "rows".`, s)
		}
		if s := m.Bar.Labels.Source; s != "" && s != "index" && s != "first_series" {
			c.fail(path+"labels.source", `%q is neither "index" nor "first_series".`, s)
		}
	case m.Pie != nil:
		c.format(path, m.Pie.Kind, m.Pie.Format)
	}
}
