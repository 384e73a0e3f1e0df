package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"reckon/engine/units"
)

type unitsCommand struct {
	Search string `arg:"" optional:"" help:"A symbol, a part of a name or of a dimension's name, or a unit such as mi/h."`
	JSON   bool   `help:"Print JSON."`
}

func (*unitsCommand) Help() string {
	return "Examples:\n  reckon units\n  reckon units pressure\n  reckon units gallon\n  reckon units mi/h"
}

// unitRow is a unit as lists show it.
type unitRow struct {
	Symbol     string   `json:"symbol"`
	Symbols    []string `json:"symbols,omitempty"`
	Names      []string `json:"names,omitempty"`
	Prefixes   []string `json:"prefixes,omitempty"`
	Dimension  string   `json:"dimension"`
	Definition string   `json:"definition"`
	Source     string   `json:"source"`
}

func (c *unitsCommand) Run(t terminal) error {
	table := units.Standard()
	rows := []unitRow{}
	for e := range table.All() {
		if c.Search == "" || matches(e, c.Search) {
			rows = append(rows, unitRow{e.Symbol, e.Symbols, e.Names, e.Prefixes, e.Dimension, e.Definition, e.Source})
		}
	}
	var reading *units.Reading
	if strings.TrimSpace(c.Search) != "" {
		unit, err := table.Parse(c.Search)
		var unknown *units.UnknownError
		switch {
		case err == nil:
			r, err := table.Read(unit)
			if err != nil {
				return err
			}
			reading = &r
		case len(rows) > 0:
		case errors.As(err, &unknown):
			return fmt.Errorf("there is no unit %q.%s List them with: reckon units", unknown.Name, didYouMean(unknown.Nearest))
		default:
			return fmt.Errorf("nothing is found: %w. List all units with: reckon units", err)
		}
	}
	if c.JSON {
		return printJSON(t, struct {
			Expression *units.Reading `json:"expression,omitempty"`
			Units      []unitRow      `json:"units"`
		}{reading, rows})
	}
	if reading != nil {
		fmt.Fprint(t.out, reading)
		if len(rows) == 0 {
			return nil
		}
		fmt.Fprintln(t.out)
	}
	if len(rows) == 1 {
		printUnit(t, rows[0])
		return nil
	}
	list := newTable("SYMBOL", "NAMES", "DIMENSION", "DEFINITION", "SOURCE")
	for _, r := range rows {
		list.add(r.Symbol, shortened(slices.Concat(r.Names, r.Symbols)), r.Dimension, r.Definition, r.Source)
	}
	return list.print(t, "There are no units.")
}

// matches reports whether a unit has a search text as a symbol or in one of its names or that of
// its dimension. A text of one or two letters, which are in many names, must be all of the name.
func matches(e units.Entry, search string) bool {
	search = strings.ToLower(strings.TrimSpace(search))
	for _, symbol := range append([]string{e.Symbol}, e.Symbols...) {
		if strings.EqualFold(symbol, search) {
			return true
		}
	}
	for _, name := range append([]string{e.Dimension}, e.Names...) {
		name = strings.ToLower(name)
		if name == search || utf8.RuneCountInString(search) > 2 && strings.Contains(name, search) {
			return true
		}
	}
	return false
}

// printUnit prints all that the table has of one unit.
func printUnit(t terminal, r unitRow) {
	for _, line := range [][2]string{
		{"symbol", strings.Join(append([]string{r.Symbol}, r.Symbols...), ", ")},
		{"names", strings.Join(r.Names, ", ")},
		{"prefixes", strings.Join(r.Prefixes, " ")},
		{"dimension", r.Dimension},
		{"definition", r.Definition},
		{"source", r.Source},
	} {
		if line[1] != "" {
			fmt.Fprintf(t.out, "%-10s  %s\n", line[0], line[1])
		}
	}
}

// shortened joins names to a text that fits into a column.
func shortened(names []string) string {
	const width = 44
	text := ""
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			continue
		case text != "" && utf8.RuneCountInString(text)+utf8.RuneCountInString(name) > width:
			return text + ", …"
		case text != "":
			text += ", "
		}
		text += name
	}
	return text
}
