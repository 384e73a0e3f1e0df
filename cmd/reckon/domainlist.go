package main

import (
	"fmt"

	"reckon/http/admin"
)

type domainList struct {
	installation
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (c *domainList) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Domain](a, nil, "accounts", c.Account, "domains")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("TITLE", "VERSION", "DRAFT", "ID", "KEY")
		for _, r := range rows {
			version, draft := "-", "-"
			if r.Version > 0 {
				version = fmt.Sprint(r.Version)
			}
			if r.HasDraft {
				draft = "yes"
			}
			if r.Retired {
				version += " retired"
			}
			table.add(r.Title, version, draft, r.ID.String(), r.Key)
		}
		return table.print(t, "The account has no domains yet. Publish one with: reckon domain publish FILE --account "+quoted(c.Account)+" "+c.flags())
	})
}
