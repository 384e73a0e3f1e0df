package prompt

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"reckon/engine"
	"reckon/engine/format"
	"reckon/engine/input"
	"reckon/engine/value"
)

// maxInline is the longest inline table, in code points, that a value line has; longer ones are
// written in rows.
const maxInline = 80

// Text is the result as structured text (CONTRACT.md section 2, last point). Posting it gives the
// same answer: the selector as resolved, a line for each value taken as given, an empty one for
// each variable that is stated to have none, comments for the others, and a line for each target
// with its unit.
// A fetched scenario is its selector alone.
func Text(d *engine.Domain, res engine.Result) string {
	w := writer{domain: d}
	if selector := res.Selector.String(); selector != "" {
		w.entry(scenarioName, selector, "")
	}
	if res.Calculated < 0 {
		return w.text.String()
	}
	for _, v := range res.Values {
		if !isGiven(v) {
			continue
		}
		comment := ""
		if !v.Stated {
			comment = "carried"
		}
		w.value(v, comment)
	}
	for _, variable := range res.Cleared {
		w.entry(d.Variables[variable].Key, "", "")
	}
	targets := append([]engine.Target{{Variable: res.Calculated, Unit: res.Unit}}, res.Also...)
	if res.Everything {
		targets = nil
	}
	for _, v := range res.Values {
		switch {
		case isGiven(v) || d.Variables[v.Variable].Hidden || slices.ContainsFunc(targets, func(t engine.Target) bool { return t.Variable == v.Variable }):
		case v.Source == engine.DefaultValue:
			w.comment(v, "default")
		default:
			w.comment(v, "calculated")
		}
	}
	for _, t := range targets {
		w.target(res, t)
	}
	if res.Everything {
		w.entry(calculateName, engine.Everything, "")
	}
	return w.text.String()
}

// isGiven is true of a value that the result rests on: a user input, or one calculated in the base
// and copied.
func isGiven(v engine.ResultValue) bool {
	return v.Source == engine.UserInput || v.Source == engine.Calculated && v.Historical
}

// writer writes lines of structured text.
type writer struct {
	domain *engine.Domain
	text   strings.Builder
}

func (w *writer) key(variable int) string { return w.domain.Variables[variable].Key }

func (w *writer) entry(name, value, comment string) {
	w.text.WriteString(name)
	w.text.WriteByte(':')
	if value != "" {
		w.text.WriteByte(' ')
		w.text.WriteString(value)
	}
	if comment != "" {
		w.text.WriteString("  # ")
		w.text.WriteString(comment)
	}
	w.text.WriteByte('\n')
}

// form is a value's text in the form that parsed_json has, so that dates and percentages read as
// such. A value in a unit that was asked for stays as it is.
func (w *writer) form(v engine.ResultValue, text value.Text) value.Text {
	if v.Asked {
		return text
	}
	read, normal, problems := input.ParseResult(&w.domain.Scope, v.Variable, text, value.Env{})
	if len(problems) > 0 || !read.Equal(v.Value) {
		return text
	}
	return normal
}

// readsAsIs is true of the kinds of numbers without a form of their own: all digits and the unit
// are what parsed_json has.
func readsAsIs(kind string) bool { return kind == "" || kind == "number" || kind == "no_separator" }

// shown is a value with the digits that results have.
func (w *writer) shown(v engine.ResultValue) string { return inline(w.form(v, v.Value.Text())) }

// allDigits is a value with all its digits: what follows from it could differ in the last one shown
// otherwise.
func allDigits(v value.Value) value.Text {
	text := v.Text()
	for i, row := range text.Cells {
		for j := range row {
			if cell := v.Cells[i][j]; !cell.Empty {
				row[j] = cell.Quantity.Exact()
			}
		}
	}
	return text
}

// value writes a value on one line, or a table that is long or has two dimensions in rows where
// rows can show it.
func (w *writer) value(v engine.ResultValue, comment string) {
	name, text := w.key(v.Variable), allDigits(v.Value)
	if def := &w.domain.Variables[v.Variable]; def.IsChoice() || !readsAsIs(def.Kind) {
		text = w.form(v, text)
	}
	line := inline(text)
	if !fitsRows(text) || text.Rank == 1 && utf8.RuneCountInString(line) <= maxInline {
		w.entry(name, line, comment)
		return
	}
	w.entry(name, "", comment)
	w.rows(text, header(&w.domain.Variables[v.Variable], len(text.Cells[0])))
}

// fitsRows is true of a table that reads back from rows with the same dimensions.
func fitsRows(t value.Text) bool {
	if t.Rank == 0 || len(t.Cells) == 0 {
		return false
	}
	for _, row := range t.Cells {
		if len(row) != len(t.Cells[0]) || t.Rank == 2 && len(row) < 2 {
			return false
		}
	}
	return true
}

// header is the names of a variable's columns, nil where they are not as many as the table has or
// cannot stand in a row.
func header(v *value.Variable, width int) []string {
	names := format.ColumnNames(v)
	if len(names) != width {
		return nil
	}
	for _, name := range names {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "|#\"\r\n") {
			return nil
		}
	}
	return names
}

// rows writes a table in aligned rows, below a Markdown header unless that is nil.
func (w *writer) rows(t value.Text, header []string) {
	rows := t.Cells
	if header != nil {
		rows = append([][]string{header}, rows...)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for n, row := range rows {
		if n == 1 && header != nil {
			for _, width := range widths {
				w.text.WriteString("|" + strings.Repeat("-", width+2))
			}
			w.text.WriteString("|\n")
		}
		for i, c := range row {
			w.text.WriteString("| " + c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+1))
		}
		w.text.WriteString("|\n")
	}
}

func (w *writer) comment(v engine.ResultValue, source string) {
	w.text.WriteString("# ")
	w.entry(w.key(v.Variable), w.shown(v)+" ("+source+")", "")
}

// target writes a calculate line, with the value found behind it. A key is quoted where the line
// would read as the title of a variable.
func (w *writer) target(res engine.Result, asked engine.Target) {
	key := w.key(asked.Variable)
	target := key
	if asked.Unit != nil {
		unit := asked.Unit.String()
		target += " in " + unit
		if variable, problem := w.domain.NamedVariable(target); variable >= 0 || problem != nil {
			target = `"` + key + `" in ` + unit
		}
	}
	comment := ""
	for _, v := range res.Values {
		if v.Variable == asked.Variable {
			comment = w.shown(v)
		}
	}
	w.entry(calculateName, target, comment)
}

// inline is a value on one line.
func inline(t value.Text) string {
	if t.Rank == 0 {
		return t.Scalar()
	}
	rows := make([]string, len(t.Cells))
	for i, row := range t.Cells {
		cells := slices.Clone(row)
		for j, c := range cells {
			cells[j] = cmp.Or(c, `""`)
		}
		rows[i] = strings.Join(cells, ", ")
		if t.Rank == 2 {
			rows[i] = "[" + rows[i] + "]"
		}
	}
	return "[" + strings.Join(rows, ", ") + "]"
}
