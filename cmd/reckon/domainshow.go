package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reckon/engine/syntax"

	"reckon/commands"
	"reckon/engine/value"
)

type domainShow struct {
	File string `arg:"" help:"Domain file, YAML or JSON."`
	JSON bool   `help:"Print JSON."`
}

func (*domainShow) Help() string {
	return "Outputs are the variables that an equation states by itself on a side; the others are inputs. What an equation solves for can be asked for, inputs too.\n\nExample:\n  reckon domain show trip.yaml"
}

func (c *domainShow) Run(t terminal) error {
	d, err := compiledDomain(t, c.File)
	if err != nil {
		return err
	}
	o := d.Outline()
	if c.JSON {
		return printJSON(t, o)
	}
	fmt.Fprintln(t.out, inLine(o.Title))
	if o.Description != "" {
		fmt.Fprintln(t.out, strings.TrimSpace(o.Description))
	}
	for _, part := range []struct {
		title  string
		groups []commands.VariableGroup
	}{{"INPUTS", o.Inputs()}, {"OUTPUTS", o.Outputs()}, {"HIDDEN", o.Hidden()}} {
		if err := showVariables(t, part.title, part.groups); err != nil {
			return err
		}
	}
	fmt.Fprintln(t.out, "\nEQUATIONS")
	for _, e := range o.Equations {
		if e.Title != syntax.OneLine(e.Equation) {
			fmt.Fprintln(t.out, inLine(e.Title))
		}
		fmt.Fprintf(t.out, "  %s\n  %s\n", syntax.OneLine(e.Equation), directions(e))
	}
	if len(o.Constraints) > 0 {
		fmt.Fprintln(t.out, "\nCONSTRAINTS")
	}
	for _, c := range o.Constraints {
		fmt.Fprintf(t.out, "  %s\n  %s\n", syntax.OneLine(c.Condition), inLine(c.Message))
	}
	if len(o.Sources) > 0 {
		fmt.Fprintln(t.out, "\nSOURCES")
	}
	for _, s := range o.Sources {
		fmt.Fprintln(t.out, "  "+inLine(strings.Join(slices.DeleteFunc([]string{s.Title, s.URL, s.Licence}, func(part string) bool { return part == "" }), ", ")))
	}
	return nil
}

// showVariables prints a table of variables for each group; nothing of no hidden ones.
func showVariables(t terminal, title string, groups []commands.VariableGroup) error {
	if len(groups) == 0 && title != "HIDDEN" {
		fmt.Fprintf(t.out, "\n%s\nnone\n", title)
	}
	for _, g := range groups {
		heading := title
		if g.Title != "" {
			heading += ": " + inLine(g.Title)
		}
		list := newTable(heading, "TITLE", "UNIT", "KIND", "DEFAULT", "BOUNDS")
		for _, v := range g.Variables {
			list.add(v.Key, v.Title, v.Unit, v.Kind, defaultText(v), bounds(v))
		}
		fmt.Fprintln(t.out)
		if err := list.print(t, ""); err != nil {
			return err
		}
	}
	return nil
}

// directions says in a phrase which way an equation goes.
func directions(e commands.OutlineEquation) string {
	switch {
	case !e.Active:
		return "disabled"
	case len(e.SolvesFor) == 0:
		return "solves for nothing: it is only checked"
	case e.OneWay():
		return "can only be calculated forwards, to " + e.States
	case len(e.SolvesFor) == len(e.Variables):
		return "solves for " + strings.Join(e.SolvesFor, ", ")
	}
	var not []string
	for _, key := range e.Variables {
		if !strings.Contains(" "+strings.Join(e.SolvesFor, " ")+" ", " "+key+" ") {
			not = append(not, key)
		}
	}
	return "solves for " + strings.Join(e.SolvesFor, ", ") + ", not for " + strings.Join(not, ", ")
}

// bounds are those of a variable, as a person reads them.
func bounds(v commands.OutlineVariable) string {
	var list []string
	for _, c := range v.Choices {
		list = append(list, c.Label)
	}
	switch {
	case v.Choices != nil:
		return oneLine(value.OneOf(list), 100)
	case v.Min != "" && v.Max != "":
		list = append(list, v.Min+" to "+v.Max)
	case v.Min != "":
		list = append(list, "at least "+v.Min)
	case v.Max != "":
		list = append(list, "at most "+v.Max)
	}
	if v.Integer {
		list = append(list, "whole numbers")
	}
	return strings.Join(list, ", ")
}

// defaultText is a default value on a line, "" for none.
func defaultText(v commands.OutlineVariable) string { return lineText(v.Default) }

// cellText is a value on a line, "" for none.
func cellText(data json.RawMessage) string {
	var text value.Text
	if text.UnmarshalJSON(data) != nil {
		return ""
	}
	return lineText(text)
}

func lineText(text value.Text) string {
	if text.IsEmpty() {
		return ""
	}
	return oneLine(strings.Trim(string(commands.Encode(text)), `"`), 60)
}
