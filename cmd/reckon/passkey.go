package main

import (
	"fmt"

	"github.com/google/uuid"

	"reckon/http/admin"
)

type userPasskeys struct {
	installation
	Email  string    `arg:"" help:"E-mail address."`
	Remove uuid.UUID `help:"Let this passkey in no more, and end the sessions that were started by it." placeholder:"ID"`
	JSON   bool      `help:"Print JSON."`
}

func (*userPasskeys) Help() string {
	return "Passkeys are added in the console alone, by their user.\n\nExamples:\n  reckon user passkeys ada@example.com\n  reckon user passkeys ada@example.com --remove 0198f2c4-0000-4000-8000-000000000009"
}

func (c *userPasskeys) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		if c.Remove != uuid.Nil {
			ended, err := order[admin.Ended](a, "DELETE", nil, "users", c.Email, "passkeys", c.Remove.String())
			if err != nil {
				return err
			}
			if c.JSON {
				return printJSON(t, ended)
			}
			_, err = fmt.Fprintf(t.out, "Passkey %s is removed, and what was signed in by it is signed out.\n", ended.ID)
			return err
		}
		rows, err := list[admin.Passkey](a, nil, "users", c.Email, "passkeys")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("NAME", "ADDED", "LAST USED", "ID")
		for _, r := range rows {
			used := ""
			if r.LastUsedAt != nil {
				used = stamp(*r.LastUsedAt)
			}
			table.add(r.Name, stamp(r.CreatedAt), used, r.ID.String())
		}
		return table.print(t, "The user has no passkeys.")
	})
}
