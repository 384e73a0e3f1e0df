package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	clients "reckon/cmd/reckon/clients"
	"reckon/engine/decimal"
	"reckon/events"
)

// widthOf is how many characters a line of a terminal has; no limit where it is none.
func widthOf(w io.Writer) int {
	if file, ok := raw(w).(*os.File); ok && isTerminalFile(file) {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return math.MaxInt
}

// cutLine is a line as far as there is room for it.
func cutLine(text string, width int) string {
	if width == math.MaxInt || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

// coloured tells whether a terminal is to show more than plain text.
func coloured(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// showMessage draws an answer: what was asked for first and largest, then what it rests on.
func (c *chat) showMessage(m *clients.Message) error {
	r := m.Results
	if r == nil {
		_, err := fmt.Fprintln(c.t.out, "It is being worked on.")
		return err
	}
	out, width := c.t.out, widthOf(c.t.out)
	if r.Action == "fetch" {
		_, err := fmt.Fprintf(out, "Scenario %d is in focus again.\n", r.Scenario.Current)
		return err
	}
	key, shown := 0, 0
	for _, v := range r.Variables {
		key, shown = max(key, utf8.RuneCountInString(v.Key)), max(shown, utf8.RuneCountInString(shortValue(v)))
	}
	for _, v := range r.Variables {
		isTarget := r.Calculated != nil && v.ID == *r.Calculated
		from := origin(events.ResultVariable{Source: v.Source, Historical: v.Historical})
		line := fmt.Sprintf("  %s = %s   %s", padded(v.Key, key), padded(shortValue(v), min(shown, 40)), from)
		if isTarget {
			line = fmt.Sprintf("%s = %s", inLine(v.Key), inLine(shortValue(v)))
		}
		line = cutLine(strings.TrimRight(line, " "), width)
		if isTarget && coloured(out) {
			fmt.Fprint(raw(out), "\x1b[1m")
			fmt.Fprint(out, line)
			fmt.Fprintln(raw(out), "\x1b[0m")
		} else {
			fmt.Fprintln(out, line)
		}
		if v.Value.Rank > 0 {
			drawTable(out, &v, width)
		}
	}
	where := fmt.Sprintf("scenario %d", r.Scenario.Current)
	if r.Scenario.Original != 0 && r.Scenario.Original != r.Scenario.Current {
		where += fmt.Sprintf(", branched off from %d", r.Scenario.Original)
	}
	_, err := fmt.Fprintln(out, where)
	return err
}

// shortValue is a value within a line, a table by its size.
func shortValue(v clients.Variable) string {
	if v.Value.Rank == 0 {
		return v.Shown().Scalar()
	}
	columns := 1
	for _, row := range v.Value.Cells {
		columns = max(columns, len(row))
	}
	return fmt.Sprintf("a table of %d × %d", len(v.Value.Cells), columns)
}

// drawTable draws a table with the names of its rows and columns, and a chart with a bar beside
// each number.
func drawTable(out io.Writer, v *clients.Variable, width int) {
	shown, d := v.Shown(), v.Display
	var lines [][]string
	var heading []string
	for _, s := range append(d.Columns, d.Series...) {
		heading = append(heading, s.Name)
	}
	if d.SeriesBy == "rows" {
		heading = nil
	}
	if strings.Join(heading, "") != "" {
		lines = append(lines, append([]string{""}, heading...))
	}
	lengths, largest := barLengths(v)
	for i, row := range shown.Cells {
		if i == answerRows {
			break
		}
		name := ""
		switch names := append(d.Rows.Names, d.Slices.Names...); {
		case i < len(names):
			name = names[i]
		case d.SeriesBy == "rows" && i < len(d.Series):
			name = d.Series[i].Name
		}
		line := []string{name}
		for j, cell := range row {
			line = append(line, cell)
			if largest != "" && lengths[i][j] != "" && (d.Labels.Source != "first_series" || j > 0) {
				line = append(line, barOf(lengths[i][j], largest))
			}
		}
		lines = append(lines, line)
	}
	var widths []int
	for _, line := range lines {
		for j, cell := range line {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		text := "   "
		for j, cell := range line {
			if widths[j] > 0 {
				text += " " + padded(cell, widths[j])
			}
		}
		fmt.Fprintln(out, cutLine(strings.TrimRight(text, " "), width))
	}
	if more := len(shown.Cells) - answerRows; more > 0 {
		fmt.Fprintf(out, "    … %s more, which --json has\n", count(more, "row"))
	}
}

// barLengths are the numbers that a chart draws, in one unit, and the largest of them; "" for a
// table, and for a chart that has no common unit.
func barLengths(v *clients.Variable) (lengths [][]string, largest string) {
	lengths = make([][]string, len(v.Value.Cells))
	scale, most := scaleOf(v), decimal.Decimal{}
	for i, row := range v.Value.Cells {
		lengths[i] = make([]string, len(row))
		for j, cell := range row {
			if scale != nil {
				cell = ""
				if i < len(scale) && j < len(scale[i]) {
					cell = scale[i][j]
				}
			}
			lengths[i][j] = cell
			if v.Display.Labels.Source == "first_series" && j == 0 {
				continue
			}
			if n := magnitude(cell).Abs(); n.Cmp(most) > 0 {
				largest, most = cell, n
			}
		}
	}
	if v.Display.DataType != "bar_chart" && v.Display.DataType != "pie_chart" || v.ScaleIncompatible {
		return lengths, ""
	}
	return lengths, largest
}

// scaleOf reads the cells in their common unit, "" for an empty one; nil where there is none.
func scaleOf(v *clients.Variable) (scale [][]string) {
	var rows []json.RawMessage
	if len(v.Scale) == 0 || json.Unmarshal(v.Scale, &rows) != nil {
		return nil
	}
	for _, row := range rows {
		var cells []*json.Number
		if json.Unmarshal(row, &cells) != nil {
			var cell *json.Number
			if json.Unmarshal(row, &cell) != nil {
				return nil
			}
			cells = []*json.Number{cell}
		}
		texts := make([]string, len(cells))
		for i, cell := range cells {
			if cell != nil {
				texts[i] = cell.String()
			}
		}
		scale = append(scale, texts)
	}
	return scale
}

// showScenarios puts the values of scenarios beside one another.
func (c *chat) showScenarios(list []clients.Scenario) error {
	room := 40
	if width := widthOf(c.t.out); width != math.MaxInt && len(list) > 0 {
		room = max(8, (width-20)/len(list)-2)
	}
	heading, keys, values := []string{"SCENARIO"}, []string{}, map[string][]string{}
	for i, s := range list {
		heading = append(heading, strconv.Itoa(s.ID))
		for _, v := range s.Variables {
			if values[v.Key] == nil {
				keys, values[v.Key] = append(keys, v.Key), make([]string, len(list))
			}
			text := shortValue(v)
			if v.Source == "default_value" {
				text += " (default)"
			}
			values[v.Key][i] = oneLine(text, room)
		}
	}
	rows := newTable(heading...)
	for _, key := range keys {
		rows.add(append([]string{key}, values[key]...)...)
	}
	return rows.print(c.t, "There is no scenario yet.")
}
