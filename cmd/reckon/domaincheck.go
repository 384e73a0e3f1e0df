package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/engine/value"
)

type domainCheck struct{ checking }

func (*domainCheck) Help() string {
	return "Prints FILE:LINE:COLUMN for each finding, and the line with a caret under the place, in colour on a terminal unless NO_COLOR is set. Errors stop a publish, warnings do not. Each equation is also asked in prose, by the titles of its variables: a warning says where that is read as something else. The exit status is 1 when there are errors, and 2 when the command itself fails.\n\nExample:\n  reckon domain check trip.yaml"
}

func (c *domainCheck) Run(t terminal) error { return c.run(t, true) }

// checking is what check and test have in common.
type checking struct {
	Files []string `arg:"" optional:"" name:"file" help:"Domain files, YAML or JSON."`
	draftOf
	JSON bool `help:"Print JSON."`
}

// read reads the files, or the draft.
func (c checking) read(t terminal) (files []*domainfile.File, err error) {
	if err := c.check(len(c.Files)); err != nil {
		return nil, err
	}
	if c.Draft != "" {
		err = c.ask(t, func(a administration) error {
			f, _, err := a.draft(c.Account, c.Draft)
			files = append(files, f)
			return err
		})
		return files, err
	}
	for _, name := range c.Files {
		f, err := domainfile.Read(name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// run prints findings and a verdict for each file, and fails where one is invalid.
func (c checking) run(t terminal, warnings bool) error {
	var reports []domainfile.Report
	invalid := false
	files, err := c.read(t)
	if err != nil {
		return err
	}
	for _, f := range files {
		d, r := f.Check()
		if d != nil && warnings {
			f.Probe(d, &r, value.Env{Now: time.Now().UTC(), Zone: time.UTC})
		}
		if !warnings {
			r.Findings = slices.DeleteFunc(r.Findings, func(f domainfile.Finding) bool { return f.Warning })
		}
		reports, invalid = append(reports, r), invalid || !r.Valid
		if c.JSON {
			continue
		}
		showFindings(t.out, f, r.Findings)
		if r.Valid {
			fmt.Fprintf(t.out, "%s: ok, %s\n", r.File, count(r.Tests, "test"))
		}
	}
	if c.JSON {
		if err := printJSON(t, reports); err != nil {
			return err
		}
	}
	if invalid {
		return exit(1)
	}
	return nil
}

// compiledDomain reads a domain file and compiles it, whatever its tests say. What stops that is
// shown, place by place.
func compiledDomain(t terminal, path string) (*commands.Domain, error) {
	f, err := domainfile.Read(path)
	if err != nil {
		return nil, err
	}
	domain, report := f.Compile()
	if domain == nil {
		t.showReport(f, report)
		return nil, errors.New("the domain file has the errors above")
	}
	return domain, nil
}
