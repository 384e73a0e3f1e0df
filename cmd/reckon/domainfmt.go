package main

import (
	"bytes"
	"fmt"

	"reckon/commands/domainfile"
)

type domainFmt struct {
	Files []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
	Check bool     `help:"Write nothing, list the files that are not formatted; the exit status is then 1."`
}

func (*domainFmt) Help() string {
	return "Writes each file with two columns for each level and no more than one blank line between entries. Comments, the order of members, quotes and brackets stay. A file with errors is left as it is.\n\nExamples:\n  reckon domain fmt trip.yaml\n  reckon domain fmt --check trip.yaml"
}

func (c *domainFmt) Run(t terminal) error {
	unformatted := false
	for _, name := range c.Files {
		f, err := domainfile.Read(name)
		if err != nil {
			return err
		}
		if !f.Readable() {
			_, report := f.Compile()
			t.showReport(f, report)
			return fmt.Errorf("%s is not formatted: mend the errors above first", name)
		}
		after, err := f.Formatted()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if bytes.Equal(f.Bytes(), after.Bytes()) {
			continue
		}
		unformatted = true
		fmt.Fprintln(t.out, name)
		if !c.Check {
			if err := after.Write(); err != nil {
				return err
			}
		}
	}
	if c.Check && unformatted {
		return exit(1)
	}
	return nil
}
