package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	clients "reckon/cmd/reckon/clients"
	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/language"
	"reckon/events"
)

// showMessage draws an answer: what was asked for first and largest, then what it rests on. A table
// that was drawn before is not drawn again, unless it is asked for.
func (c *chat) showMessage(m *clients.Message) error {
	r := m.Results
	if r == nil {
		_, err := fmt.Fprintln(c.t.out, "It is being worked on.")
		return err
	}
	out, width := c.t.out, widthOf(c.t.out)
	stated := slices.ContainsFunc(r.Variables, func(v clients.Variable) bool {
		return r.Calculated != nil && v.ID == *r.Calculated && v.Source == string(engine.UserInput)
	})
	if text := m.NaturalLanguage; text != "" && (stated || r.Action == "fetch") {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	if r.Action == "fetch" {
		_, err := fmt.Fprintf(out, "Scenario %d is in focus again.\n", r.Scenario.Current)
		return err
	}
	if language.Compares(m.NaturalLanguage) {
		fmt.Fprintln(out, m.NaturalLanguage)
	}
	key, shown := 0, 0
	for _, v := range r.Variables {
		key, shown = max(key, columns(v.Key)), max(shown, columns(shortValue(v)))
	}
	if shown = min(shown, 40); key+shown+len("   =    calculated earlier") > width {
		shown = 0 // where the values come from stands behind each then
	}
	for _, v := range r.Variables {
		isTarget := r.Calculated != nil && v.ID == *r.Calculated
		from := origin(events.ResultVariable{Source: v.Source, Historical: v.Historical})
		line := fmt.Sprintf("  %s = %s   %s", padded(v.Key, key), padded(shortValue(v), shown), from)
		if isTarget {
			line = fmt.Sprintf("%s = %s", inLine(v.Key), inLine(shortValue(v)))
		}
		line = cutLine(strings.TrimRight(line, " "), width)
		if isTarget && colours(out) {
			fmt.Fprint(raw(out), bold)
			fmt.Fprint(out, line)
			fmt.Fprintln(raw(out), plain)
		} else {
			fmt.Fprintln(out, line)
		}
		if text := v.Value.String(); v.Value.Rank > 0 && (isTarget || c.drawn[v.Key] != text) {
			drawTable(out, &v, width)
			c.drawn[v.Key] = text
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
	across := 1
	for _, row := range v.Value.Cells {
		across = max(across, len(row))
	}
	return fmt.Sprintf("a table of %d × %d", len(v.Value.Cells), across)
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
	lengths, largest := barLengths(v)
	barred := func(j int) bool { return largest != "" && (d.Labels.Source != "first_series" || j > 0) }
	if strings.Join(heading, "") != "" {
		line := []string{""}
		for j, name := range heading {
			if line = append(line, name); barred(j) {
				line = append(line, "")
			}
		}
		lines = append(lines, line)
	}
	bars := map[int]bool{} // the columns that have them
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
			if line = append(line, cell); barred(j) {
				bars[len(line)] = true
				line = append(line, lengths[i][j])
			}
		}
		lines = append(lines, line)
	}
	room := width - len("   ")
	var widths []int
	for _, line := range lines {
		for j, cell := range line {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			if !bars[j] {
				widths[j] = max(widths[j], columns(inLine(cell)))
			}
		}
	}
	for j, taken := range widths {
		if taken > 0 || bars[j] {
			room -= taken + 1
		}
	}
	if room = min(barLength, room/max(1, len(bars))); room < 3 {
		room = 0
	}
	headed := len(lines) > min(len(shown.Cells), answerRows)
	for i, line := range lines {
		text := "   "
		for j, cell := range line {
			if bars[j] && !(headed && i == 0) {
				cell = barOf(cell, largest, room)
				widths[j] = room
			}
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
	const least = 10 // columns of a scenario
	room, left := 40, 0
	if width := widthOf(c.t.out); width != math.MaxInt && len(list) > 0 {
		key := len("SCENARIO")
		for _, s := range list {
			for _, v := range s.Variables {
				key = max(key, columns(v.Key))
			}
		}
		left = max(0, len(list)-max(1, (width-key)/(least+2)))
		list = list[left:]
		room = max(least, (width-key)/len(list)-2) - 1 // and the mark of what is cut
	}
	heading, keys, values := []string{"SCENARIO"}, []string{}, map[string][]string{}
	for i, s := range list {
		heading = append(heading, strconv.Itoa(s.ID))
		for _, v := range s.Variables {
			if values[v.Key] == nil {
				keys, values[v.Key] = append(keys, v.Key), make([]string, len(list))
			}
			text := strings.TrimPrefix(shortValue(v), "a table of ")
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
	if err := rows.print(c.t, "There is no scenario yet."); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(c.t.out, "… %s before, which --json has\n", count(left, "scenario"))
	return err
}
