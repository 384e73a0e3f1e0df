package main

import (
	"fmt"
	"io"
	"strings"

	"reckon/commands"
	"reckon/engine"
	"reckon/engine/format"
	"reckon/engine/value"
	"reckon/events"
	"reckon/projections"
)

// answerRows is how many rows of a table an answer shows.
const answerRows = 50

// showAnswer writes the answer of a completed message for reading: what was asked first, then what
// it rests on and what was found besides, with where each value came from.
func showAnswer(t terminal, d *commands.Domain, m projections.Message) error {
	r := m.Completed.Results
	where := fmt.Sprintf("scenario %d", r.Scenario.Current)
	if r.Scenario.Original != 0 && r.Scenario.Original != r.Scenario.Current {
		where += fmt.Sprintf(", branched off from %d", r.Scenario.Original)
	}
	fmt.Fprintf(t.out, "%s, %s\n", inLine(m.Domain.Title), where)
	if r.Action == "fetch" {
		_, err := fmt.Fprintln(t.out, "The scenario is in focus again.")
		return err
	}
	type line struct {
		name, value, remark string
		names               []string // of the columns of a table
		rows                []string // the names of its rows
		table               [][]string
	}
	var lines []line
	name, width := 0, 0
	for _, v := range r.Variables {
		i := d.Compiled().Index(v.Key)
		if i < 0 || d.Definition.Variables[i].Hidden && v.Source != string(engine.UserInput) {
			continue
		}
		l := line{name: v.Key, remark: origin(v)}
		if v.Title != v.Key {
			l.remark = strings.TrimSuffix(v.Title+", "+l.remark, ", ")
		}
		shown, err := readable(d, i, v)
		if err != nil {
			return err
		}
		if l.value = shown.Scalar(); shown.Rank > 0 {
			across := 1
			for _, row := range shown.Cells {
				across = max(across, len(row))
			}
			l.value, l.names, l.table = fmt.Sprintf("a table of %d × %d", len(shown.Cells), across), d.Compiled().Profiles[i].Names, shown.Cells
			l.rows = format.RowNames(v.Display)
		}
		name, width = max(name, columns(l.name)), max(width, columns(l.value))
		lines = append(lines, l)
	}
	for _, l := range lines {
		text := fmt.Sprintf("  %s = %s   %s", padded(l.name, name), padded(l.value, min(width, 40)), inLine(l.remark))
		fmt.Fprintln(t.out, strings.TrimRight(text, " "))
		if len(l.names) > 0 {
			fmt.Fprintf(t.out, "    | %s |\n", inLine(strings.Join(l.names, " | ")))
		}
		for i, row := range l.table {
			if i == answerRows {
				fmt.Fprintf(t.out, "    … %s more, which --json has\n", count(len(l.table)-i, "row"))
				break
			}
			if i < len(l.rows) {
				row = append([]string{l.rows[i]}, row...)
			}
			fmt.Fprintf(t.out, "    | %s |\n", inLine(strings.Join(row, " | ")))
		}
	}
	for _, v := range r.Variables {
		if v.ScaleIncompatible {
			fmt.Fprintf(t.out, "warning: the cells of %s have no common unit (%s), so that no chart can be drawn of them\n", v.Key, strings.Join(v.ScaleTypes, ", "))
		}
	}
	return nil
}

// origin says where a value of a result came from, "" of one that was calculated for it.
func origin(v events.ResultVariable) string {
	switch {
	case v.Source == string(engine.UserInput) && v.Historical:
		return "given earlier"
	case v.Source == string(engine.UserInput):
		return "given"
	case v.Source == string(engine.DefaultValue):
		return "default"
	case v.Historical:
		return "calculated earlier"
	}
	return ""
}

// readable is a value of a result as its display says: rounded, with labels in the place of
// choices.
func readable(d *commands.Domain, variable int, v events.ResultVariable) (value.Text, error) {
	var text value.Text
	if err := text.UnmarshalJSON(v.Value); err != nil {
		return text, fmt.Errorf("read the value of %s: %w", v.Key, err)
	}
	return d.Compiled().Rendered(variable, text, v.Display)
}

// showErrors writes errors in words.
func showErrors(w io.Writer, errs []value.Error) {
	for _, e := range errs {
		fmt.Fprintf(w, "%s (%s)\n", e.Filled(), e.Code)
		var sets []string
		for _, set := range e.Missing {
			var names []string
			for _, v := range set.Variables {
				names = append(names, v.Key)
			}
			sets = append(sets, strings.Join(names, " and "))
		}
		switch {
		case len(sets) == 0:
		case e.Code == "input.missing_calculate": // each of them is a candidate
			fmt.Fprintf(w, "  It can be %s.\n", strings.Join(sets, ", "))
		default:
			fmt.Fprintf(w, "  Give %s.\n", strings.Join(sets, ",\n  or "))
		}
	}
}
