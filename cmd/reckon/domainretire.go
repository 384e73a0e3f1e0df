package main

import (
	"errors"
	"fmt"
	"strconv"

	"reckon/http/admin"
)

// retiring is what retire and restore have in common.
type retiring struct {
	installation
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (c retiring) run(t terminal, verb, said, already string) error {
	return c.ask(t, func(a administration) error {
		before, err := fetch[admin.Domain](a, "accounts", c.Account, "domains", c.Domain)
		if err != nil {
			return err
		}
		after, err := command[admin.Domain](a, nil, "accounts", c.Account, "domains", before.ID.String(), verb)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, after)
		}
		if before.Retired == after.Retired {
			said = already
		}
		fmt.Fprintf(t.out, "%q %s\n", inLine(after.Title), said)
		return nil
	})
}

type domainRetire struct{ retiring }

func (*domainRetire) Help() string {
	return "A retired domain is in no list and answers nothing: requests for it are told that there is no such domain. What it has answered stays, and can be read and computed again.\n\nExample:\n  reckon domain retire 'Road trip' --account acme"
}

func (c *domainRetire) Run(t terminal) error {
	return c.run(t, "retire", "is retired. Take it into use again with: reckon domain restore "+quoted(c.Domain)+" --account "+quoted(c.Account)+" "+c.flags(), "is retired already.")
}

type domainRestore struct {
	retiring
	Version int    `arg:"" optional:"" help:"An earlier version, which becomes the newest one again."`
	Comment string `help:"With a version, what is to be said of it." placeholder:"TEXT"`
}

func (*domainRestore) Help() string {
	return "An earlier version is published again, under a number of its own: what was answered meanwhile stays as it is.\n\nExamples:\n  reckon domain restore 'Road trip' --account acme\n  reckon domain restore 'Road trip' 3 --account acme --comment 'Without tolls again.'"
}

func (c *domainRestore) Run(t terminal) error {
	switch {
	case c.Version < 0:
		return fmt.Errorf("version %d: give 1 or more", c.Version)
	case c.Version == 0 && c.Comment != "":
		return errors.New("--comment is of a version: name one, or leave it out")
	case c.Version == 0:
		return c.run(t, "restore", "is in use again.", "is in use.")
	}
	return c.ask(t, func(a administration) error {
		done, err := command[admin.Published](a, admin.Again{Comment: c.Comment}, "accounts", c.Account, "domains", c.Domain, "versions", strconv.Itoa(c.Version), "restore")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, done)
		}
		what := fmt.Sprintf("version %d is published again as version %d", c.Version, done.Version)
		if done.Unchanged {
			what = fmt.Sprintf("version %d is what stands as version %d", c.Version, done.Version)
		}
		_, err = fmt.Fprintf(t.out, "%q: %s.\n", inLine(done.Title), what)
		return err
	})
}
