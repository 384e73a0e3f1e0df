package main

import (
	"fmt"

	"github.com/google/uuid"

	"reckon/commands"
)

type domainList struct {
	directory
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

// domainRow is a domain as lists show it.
type domainRow struct {
	ID       uuid.UUID `json:"id"`
	Key      string    `json:"key"`
	Title    string    `json:"title"`
	Version  int       `json:"version"` // 0 when it is not published
	HasDraft bool      `json:"has_draft"`
	Retired  bool      `json:"retired"`
}

func (c *domainList) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		account, err := a.Account(t, c.Account)
		if err != nil {
			return err
		}
		domains, err := a.Domains(t, account.ID)
		if err != nil {
			return err
		}
		rows := []domainRow{}
		for _, d := range domains {
			rows = append(rows, domainRow{d.ID, d.Key, commands.Title(d), d.Version, d.Draft != nil, d.Retired})
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
