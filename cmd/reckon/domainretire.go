package main

import (
	"fmt"

	"reckon/commands"
)

// retiring is what retire and restore have in common.
type retiring struct {
	directory
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
}

func (c retiring) run(t terminal, retired bool, said, already string) error {
	return c.administer(t, func(a commands.Admin) error {
		d, err := findDomain(t, a, c.Account, c.Domain)
		if err != nil {
			return err
		}
		if d.Retired == retired {
			said = already
		} else if err := a.Retire(t, d.AccountID, d.ID, retired); err != nil {
			return err
		}
		fmt.Fprintf(t.out, "%q %s\n", inLine(commands.Title(d)), said)
		return nil
	})
}

type domainRetire struct{ retiring }

func (*domainRetire) Help() string {
	return "A retired domain is in no list and answers nothing: requests for it are told that there is no such domain. What it has answered stays, and can be read and computed again.\n\nExample:\n  reckon domain retire 'Road trip' --account acme"
}

func (c *domainRetire) Run(t terminal) error {
	return c.run(t, true, "is retired. Take it into use again with: reckon domain restore "+quoted(c.Domain)+" --account "+quoted(c.Account)+" "+c.flags(), "is retired already.")
}

type domainRestore struct{ retiring }

func (*domainRestore) Help() string {
	return "Example:\n  reckon domain restore 'Road trip' --account acme"
}

func (c *domainRestore) Run(t terminal) error {
	return c.run(t, false, "is in use again.", "is in use.")
}
