package main

import (
	"fmt"

	"reckon/commands/history"
	"reckon/http/admin"
)

type domainBisect struct {
	installation
	Message string `help:"The message." required:"" placeholder:"ID"`
	JSON    bool   `help:"Print JSON."`
}

func (*domainBisect) Help() string {
	return `Computes an answered message with each published version of its domain, on the scenario that it was based on, and says which versions changed the answer, and what they changed.

Example:
  reckon domain bisect --message 0199c0de-0000-7000-8000-000000000000`
}

func (c *domainBisect) Run(t terminal) error {
	id, err := parseID("--message", c.Message)
	if err != nil {
		return err
	}
	var b history.Bisected
	err = c.ask(t, func(a administration) (err error) {
		b, err = fetch[history.Bisected](a, "accounts", admin.Whose, "messages", id.String(), "bisect")
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(t, b)
	}
	fmt.Fprintf(t.out, "%s\nanswered %s by version %d of %q\n\n", oneLine(b.Prompt, 100), stamp(b.Time), b.Answered, b.Domain)
	versions := newTable("VERSION", "PUBLISHED", "ANSWER")
	changed := 0
	for _, v := range b.Versions {
		answer := v.Target + " = " + valueText(v.Value)
		if v.Value == nil {
			answer = "a scenario, no value"
		}
		if len(v.Errors) > 0 {
			answer = "error " + v.Errors[0].Code
		}
		if v.Shift != nil {
			changed++
			answer += "  (" + effectWords[v.Shift.Effect] + ")"
		}
		versions.add(fmt.Sprint(v.Version), stamp(v.PublishedAt), answer)
	}
	if err := versions.print(t, "The domain has no published versions."); err != nil {
		return err
	}
	if changed == 0 {
		fmt.Fprintln(t.out, "\nNo version changed the answer.")
	}
	for _, v := range b.Versions {
		if v.Shift == nil {
			continue
		}
		fmt.Fprintf(t.out, "\nVersion %d changed the answer:\n", v.Version)
		showShifted(t.out, *v.Shift)
		fmt.Fprintln(t.out, "and is another definition:")
		for _, change := range v.Definition {
			fmt.Fprintf(t.out, "  %s\n", changeText(change, 100))
		}
	}
	return nil
}
