package main

import (
	"errors"
	"fmt"

	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/http/admin"
)

// domainTests has running tests as what is meant without a word.
type domainTests struct {
	Run domainTest    `cmd:"" default:"withargs" help:"Run the tests of domain files, offline."`
	Add domainTestAdd `cmd:"" help:"Make a test of an answered message."`
}

func (*domainTests) Help() string {
	return "The exit status is 1 when a test fails or the file has errors, and 2 when the command itself fails.\n\nExamples:\n  reckon domain test trip.yaml\n  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000 trip.yaml"
}

type domainTest struct{ checking }

func (c *domainTest) Run(t terminal) error { return c.run(t, false) }

type domainTestAdd struct {
	installation
	Message string `help:"The answered message." required:"" placeholder:"ID"`
	File    string `arg:"" optional:"" help:"The domain's file, YAML or JSON; the test is printed when absent." type:"path"`
}

func (*domainTestAdd) Help() string {
	return `Makes a test of an answered message. Of calculated values it is a prompt that states every value that the answer rests on, those of earlier messages and defaults among them. Of errors, and of what only makes sense in its conversation, it is the prompt itself, after as many of the earlier prompts as the answer needs. Moment, time zone and format are stated where the answer depends on them. With a file, the test is added to it once the file passes it; the rest of the file stays as it is.

Examples:
  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000
  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000 trip.yaml
  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000 trip.yaml --server https://reckon.example.com`
}

func (c *domainTestAdd) Run(t terminal) error {
	id, err := parseID("--message", c.Message)
	if err != nil {
		return err
	}
	var made admin.TestOf
	if err := c.ask(t, func(a administration) (err error) {
		made, err = fetch[admin.TestOf](a, "accounts", admin.Whose, "messages", id.String(), "test")
		return err
	}); err != nil {
		return err
	}
	test, ref := made.Test, made.Domain
	if c.File == "" {
		_, err := t.out.Write(domainfile.TestYAML(test))
		return err
	}
	return c.add(t, test, ref)
}

// add writes the test into the file, in one step, unless the file would not pass it.
func (c *domainTestAdd) add(t terminal, test events.Test, ref events.DomainRef) error {
	before, err := domainfile.Read(c.File)
	if err != nil {
		return err
	}
	if _, report := before.Check(); !report.Valid {
		t.showReport(before, report)
		return errors.New("nothing is added: mend the errors above first")
	}
	if before.HasTest(test) {
		fmt.Fprintf(t.out, "%s has this test already.\n", c.File)
		return nil
	}
	after, err := before.WithTest(test)
	switch {
	case errors.Is(err, domainfile.ErrAsWritten):
		return fmt.Errorf("nothing is added: a test cannot be put into %s as it is written. Paste what `reckon domain test add --message %s` prints under tests", c.File, c.Message)
	case err != nil:
		return fmt.Errorf("nothing is added: %w", err)
	}
	if _, report := after.Check(); !report.Valid {
		for _, f := range report.Findings {
			if !f.Warning {
				fmt.Fprintf(t.err, "%s: %s\n", f.Path, f.Message)
			}
		}
		return fmt.Errorf("nothing is added: the file does not pass the test. It was made of an answer of version %d of %q; is this the file of that domain?", ref.Version, ref.Title)
	}
	if err := after.Write(); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s: added a test, %s now\n", c.File, count(len(after.Definition.Tests), "test"))
	return nil
}
