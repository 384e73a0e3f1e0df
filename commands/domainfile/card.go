package domainfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"reckon/engine/units"
	"reckon/engine/value"
	"reckon/events"
)

// card reads a table from a file beside this one, which is then the default of the variable: as
// many rows as there are below the names of the columns. Units stand in brackets behind the names.
func (f *File) card(v *events.Variable) func(string, *yaml.Node) {
	return func(at string, n *yaml.Node) {
		var name string
		f.mapping(at, n, "A table", []member{{"file", f.text(&name)}})
		if n.Kind != yaml.MappingNode {
			return
		}
		_, data, err := f.readBeside(name)
		if err != nil {
			f.report(at, n, "%s.", strings.TrimSuffix(err.Error(), "."))
			return
		}
		c, err := readCard(data)
		if err != nil {
			f.report(at, n, "%s: %v.", name, err)
			return
		}
		f.cards = append(f.cards, cardOf{f, len(f.Definition.Variables), name, at, n, c})
	}
}

// cardOf is the table of a variable, kept until the whole of the file is read and of the files that
// it uses: its cells may be labels of choices that another one has.
type cardOf struct {
	file     *File // that has the variable
	variable int
	name     string
	path     string
	node     *yaml.Node
	card     card
}

// card is a table with the names of its columns above it.
type card struct {
	names []string
	rows  [][]string
}

// readCard reads a table of at most value.MaxCells cells. What separates the cells, a comma, a
// semicolon or a tab, is told from the first line. The error names row and column, counted from 1
// with the row of names.
func readCard(data []byte) (c card, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	for _, separator := range []rune{';', '\t'} {
		if strings.Count(string(first), string(separator)) > strings.Count(string(first), string(r.Comma)) {
			r.Comma = separator
		}
	}
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	cells := 0
	for row := 1; ; row++ {
		record, err := r.Read()
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			if len(c.rows) == 0 {
				return c, errors.New("a table has a row of names, and rows of values below it")
			}
			return c, nil
		case errors.As(err, &wrong):
			return c, fmt.Errorf("line %d, character %d: %w", wrong.Line, wrong.Column, wrong.Err)
		case err != nil:
			return c, err
		}
		for i := range record {
			record[i] = strings.TrimSpace(record[i])
		}
		if c.names == nil {
			c.names = record
			continue
		}
		if len(record) != len(c.names) {
			return c, fmt.Errorf("row %d is not as wide as the names, which are %d", row, len(c.names))
		}
		if cells += len(record); cells > value.MaxCells {
			return c, fmt.Errorf("a table has at most %d cells", value.MaxCells)
		}
		c.rows = append(c.rows, record)
	}
}

// Names of columns end in a unit; in square brackets it can be nothing else.
var (
	unitBehind = regexp.MustCompile(`^(.*?)\s*[(\[]([^()\[\]]+)[)\]]$`)
	isoDate    = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

// cardColumn is a column as display_metadata has it.
type cardColumn struct {
	Choices string `json:"choices,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Name    string `json:"name"`
	Unit    string `json:"unit,omitempty"`
}

// reportCard reports what is wrong with a table, in the file that has its variable.
func (f *File) reportCard(c cardOf, message string, args ...any) {
	f.report(c.path, c.node, message, args...)
	if c.file != f {
		f.findings[len(f.findings)-1].File = c.file.Name
	}
}

// embedCards makes the tables that were read the defaults of their variables.
func (f *File) embedCards() {
	if len(f.cards) == 0 {
		return
	}
	table := units.Standard()
	if own, err := table.With(f.Definition.Units...); err == nil {
		table = own
	}
	for _, c := range f.cards {
		v := &f.Definition.Variables[c.variable]
		switch {
		case v.Kind == "number" && f.places[fmt.Sprintf("variables[%d].kind", c.variable)] == nil:
			v.Kind = "table"
		case v.Kind != "table":
			f.reportCard(c, "A variable with a table from a file is of kind table, not %s.", v.Kind)
			continue
		}
		if string(v.DefaultValue) != `""` {
			f.reportCard(c, "The table of %s is its default: leave out default_value.", v.Key)
			continue
		}
		columns, foreign := make([]cardColumn, len(c.card.names)), false
		for i, name := range c.card.names {
			column, err := newCardColumn(name, i, c.card.rows, table)
			if err != nil {
				f.reportCard(c, "%s, row 1, column %d: %v", c.name, i+1, err)
			}
			if column.Unit == "" && column.Kind == "" {
				column.Choices = f.labelledBy(c, i)
				foreign = column.Choices == "" && f.foreignLabel(c, i) || foreign
			}
			columns[i] = column
		}
		v.DisplayMetadata = f.withColumns(c, v.DisplayMetadata, columns)
		if foreign {
			continue
		}
		var cells any = c.card.rows
		if len(columns) == 1 {
			list := make([]string, len(c.card.rows))
			for i, row := range c.card.rows {
				list[i] = row[0]
			}
			cells = list
		}
		v.DefaultValue, _ = json.Marshal(cells) // texts always encode
		at := fmt.Sprintf("variables[%d].default_value", c.variable)
		f.places[at] = c.node
		f.cells[at] = c.name
		if c.file != f {
			f.owners[at] = c.file
		}
	}
}

// newCardColumn tells the name, the unit and the kind of a column from its head and its cells:
// dates where all are, a percentage where all have the sign.
func newCardColumn(head string, number int, rows [][]string, table *units.Table) (c cardColumn, err error) {
	c.Name = head
	if m := unitBehind.FindStringSubmatch(head); m != nil {
		_, err = table.Parse(m[2])
		switch {
		case err == nil:
			c.Name, c.Unit = m[1], m[2]
		case !strings.HasSuffix(head, "]"):
			err = nil // a remark in brackets
		default:
			return c, fmt.Errorf("%q is not a unit: %w", m[2], err)
		}
	}
	dates, percents, some := true, true, false
	for _, row := range rows {
		if cell := row[number]; cell != "" {
			some = true
			dates, percents = dates && isoDate.MatchString(cell), percents && strings.HasSuffix(cell, "%")
		}
	}
	switch {
	case !some || c.Unit != "":
	case dates:
		c.Kind = "date"
	case percents:
		c.Kind = "percent"
	}
	return c, nil
}

// labelledBy is the key of the first variable whose choices all cells of a column are by name, ""
// for none: one of the file that has the table, else one of another.
func (f *File) labelledBy(c cardOf, number int) string {
	another := ""
	for i, v := range f.Definition.Variables {
		if !labels(v.Choices, c.card.rows, number) {
			continue
		}
		if owner := f.owners[fmt.Sprintf("variables[%d].key", i)]; owner == c.file || owner == nil && c.file == f {
			return v.Key
		}
		if another == "" {
			another = v.Key
		}
	}
	return another
}

// foreignLabel reports the first cell of a column that no choice has as its name, where other cells
// of the column are choices by name, or all are words.
func (f *File) foreignLabel(c cardOf, number int) bool {
	for _, v := range f.Definition.Variables {
		is := func(row []string) bool { return row[number] == "" || labels(v.Choices, [][]string{row}, number) }
		wrong := slices.IndexFunc(c.card.rows, func(row []string) bool { return !is(row) })
		if wrong < 0 || !slices.ContainsFunc(c.card.rows, func(row []string) bool { return row[number] != "" && is(row) }) {
			continue
		}
		var names []string
		for _, choice := range v.Choices {
			names = append(names, choice.Label)
		}
		f.reportCard(c, "%s, row %d, column %d: %q is none of the choices of %s: %s.",
			c.name, wrong+2, number+1, c.card.rows[wrong][number], v.Key, strings.Join(names, ", "))
		return true
	}
	words := 0
	for _, row := range c.card.rows {
		switch cell := row[number]; {
		case cell == "":
		case !strings.ContainsFunc(cell, unicode.IsLetter), strings.ContainsFunc(cell, unicode.IsDigit):
			return false
		default:
			words++
		}
	}
	if words > 0 {
		f.reportCard(c, "%s, column %d has words where numbers stand: declare a variable whose choices they are.", c.name, number+1)
	}
	return words > 0
}

// labels tells whether all cells of a column are choices by name, and there is one.
func labels(choices []events.Choice, rows [][]string, number int) bool {
	names := map[string]bool{}
	for _, c := range choices {
		for _, name := range append([]string{c.Label}, c.Aliases...) {
			names[value.FoldLabel(name)] = true
		}
	}
	some := false
	for _, row := range rows {
		if cell := row[number]; cell != "" {
			if !names[value.FoldLabel(cell)] {
				return false
			}
			some = true
		}
	}
	return some
}

// withColumns is display_metadata with the columns of a table, where its author has not named them.
func (f *File) withColumns(c cardOf, written json.RawMessage, columns []cardColumn) json.RawMessage {
	metadata := map[string]map[string]json.RawMessage{}
	if len(written) > 0 && json.Unmarshal(written, &metadata) != nil {
		return written // which the check of display_metadata refuses
	}
	if metadata["table"] == nil {
		metadata["table"] = map[string]json.RawMessage{}
	}
	if named := metadata["table"]["columns"]; named != nil {
		var list []any
		if json.Unmarshal(named, &list) == nil && len(list) != len(columns) {
			f.reportCard(c, "%s has %d columns, display_metadata %d.", c.name, len(columns), len(list))
		}
		return written
	}
	metadata["table"]["columns"], _ = json.Marshal(columns) // texts always encode
	text, _ := json.Marshal(metadata)
	return text
}
