package main

import (
	"fmt"
	"io"
	"os"

	"reckon/commands/spreadsheet"
)

type domainImport struct {
	File string `arg:"" help:"A spreadsheet that ends in .xlsx, or a table in .csv."`
	Out  string `help:"Write the domain file here, which must not be there yet; to standard output when absent." placeholder:"FILE" type:"path"`
}

func (*domainImport) Help() string {
	return "A number or formula becomes a variable where a defined name, or a text to its left or above it, says what it is; a unit may stand in brackets behind that text, or in the cell to the right. A formula becomes an equation and a test: what the spreadsheet has calculated. What was not understood is listed on standard error, each with its cell; the rest is a domain that passes its tests.\n\nExamples:\n  reckon domain import offer.xlsx --out offer.yaml\n  reckon domain import offer.csv > offer.yaml"
}

func (c *domainImport) Run(t terminal) error {
	in, err := os.Open(c.File)
	if err != nil {
		return fmt.Errorf("read the spreadsheet: %w", err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, spreadsheet.MaxBytes+1))
	switch {
	case err != nil:
		return fmt.Errorf("read the spreadsheet: %w", err)
	case len(data) > spreadsheet.MaxBytes:
		return fmt.Errorf("%s: a spreadsheet has at most %d MiB", c.File, spreadsheet.MaxBytes>>20)
	}
	made, err := spreadsheet.Import(c.File, data)
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err = t.out.Write(made.Text)
	} else {
		err = writeDomain(c.Out, made.Text)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(t.err, "%s and %s are made of %s.\n", count(made.Cells, "variable"), count(made.Tests, "test"), c.File)
	if len(made.Notes) > 0 {
		fmt.Fprintln(t.err, "Not understood:")
	}
	for _, note := range made.Notes {
		fmt.Fprintf(t.err, "  %s\n", inLine(note))
	}
	return nil
}
