package main

import (
	"fmt"
	"slices"
	"strings"

	"reckon/engine/formula"
)

type functionsCommand struct {
	Name string `arg:"" optional:"" help:"The function to explain; all are listed when absent."`
	JSON bool   `help:"Print JSON."`
}

func (*functionsCommand) Help() string {
	return "Examples:\n  reckon functions\n  reckon functions pmt"
}

func (c *functionsCommand) Run(t terminal) error {
	list := formula.Functions()
	if c.Name == "" {
		if c.JSON {
			return printJSON(t, list)
		}
		return listFunctions(t, list)
	}
	called := func(f formula.Function) bool { return strings.EqualFold(f.Name, c.Name) }
	if !slices.ContainsFunc(list, called) {
		called = func(f formula.Function) bool { return slices.Contains(f.Spreadsheet, strings.ToUpper(c.Name)) }
	}
	i := slices.IndexFunc(list, called)
	if way := formula.Elsewhere(c.Name); i < 0 && way != "" {
		return fmt.Errorf("there is no function %q. %s", c.Name, way)
	}
	if i < 0 {
		return fmt.Errorf("there is no function %q.%s List them with: reckon functions", c.Name, didYouMean(formula.NearestFunctions(c.Name)))
	}
	if c.JSON {
		return printJSON(t, list[i])
	}
	fmt.Fprint(t.out, list[i].Explained())
	// Spreadsheets have one name for what are several functions here, such as a density.
	for _, f := range list[i+1:] {
		if called(f) {
			fmt.Fprintln(t.out)
			fmt.Fprint(t.out, f.Explained())
		}
	}
	return nil
}

// didYouMean is a question that names what is spelt most alike, "" for nothing.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(` Did you mean "%s"?`, strings.Join(names, `" or "`))
}

// listFunctions prints a line for each function, under the headings of their groups.
func listFunctions(t terminal, list []formula.Function) error {
	const width = 36 // longer signatures push their line to the right
	group := ""
	for _, f := range list {
		if f.Group != group {
			if group != "" {
				fmt.Fprintln(t.out)
			}
			group = f.Group
			fmt.Fprintln(t.out, group)
		}
		first, _, _ := strings.Cut(f.Doc, ". ")
		if _, err := fmt.Fprintf(t.out, "  %-*s  %s.\n", width, f.Signature, strings.TrimSuffix(first, ".")); err != nil {
			return err
		}
	}
	return nil
}
