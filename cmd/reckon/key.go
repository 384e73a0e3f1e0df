package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
)

type keyCommands struct {
	Create keyCreate `cmd:"" help:"Create a key and print it, once."`
	List   keyList   `cmd:"" help:"List an account's keys."`
	Rotate keyRotate `cmd:"" help:"Give a key a new secret and print it, once. The one before is invalid at once."`
	Revoke keyRevoke `cmd:"" help:"End a key for ever."`
}

type keyCreate struct {
	directory
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
}

func (*keyCreate) Help() string {
	return "The key alone is on the last line:\n  KEY=$(reckon key create --account acme | tail -n 1)"
}

func (c *keyCreate) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		id, secret, err := a.CreateKey(t, c.Account)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "Key %s of account %q. It is shown only now and kept nowhere:\n%s\n", id, c.Account, secret)
		return nil
	})
}

type keyList struct {
	directory
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

// keyRow is a key as lists show it.
type keyRow struct {
	ID        uuid.UUID  `json:"id"`
	State     string     `json:"state"`
	CreatedAt time.Time  `json:"created_at"`
	RotatedAt *time.Time `json:"rotated_at"`
}

func (c *keyList) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		account, err := a.Account(t, c.Account)
		if err != nil {
			return err
		}
		rows := []keyRow{}
		for _, key := range account.Keys {
			state := "active"
			if key.Revoked {
				state = "revoked"
			}
			rows = append(rows, keyRow{key.ID, state, key.CreatedAt, key.RotatedAt})
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("ID", "STATE", "CREATED", "ROTATED")
		for _, r := range rows {
			rotated := ""
			if r.RotatedAt != nil {
				rotated = r.RotatedAt.Format(time.RFC3339)
			}
			table.add(r.ID.String(), r.State, r.CreatedAt.Format(time.RFC3339), rotated)
		}
		return table.print(t, "The account has no keys yet. Create one with: reckon key create --account "+quoted(c.Account)+" "+c.flags())
	})
}

type keyRotate struct {
	directory
	ID string `arg:"" help:"Id of the key, from 'reckon key list'."`
}

func (c *keyRotate) Run(t terminal) error {
	id, err := keyID(c.ID)
	if err != nil {
		return err
	}
	return c.administer(t, func(a commands.Admin) error {
		secret, err := a.RotateKey(t, id)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "Key %s has a new secret; the one before is invalid. It is shown only now and kept nowhere:\n%s\n", id, secret)
		return nil
	})
}

type keyRevoke struct {
	directory
	ID string `arg:"" help:"Id of the key, from 'reckon key list'."`
}

func (c *keyRevoke) Run(t terminal) error {
	id, err := keyID(c.ID)
	if err != nil {
		return err
	}
	return c.administer(t, func(a commands.Admin) error {
		if err := a.RevokeKey(t, id); err != nil {
			return err
		}
		fmt.Fprintf(t.out, "Key %s is revoked.\n", id)
		return nil
	})
}

// keyID reads the id of a key. A whole API key is refused without being repeated.
func keyID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return uuid.Nil, fmt.Errorf("give the id of the key, not the key itself: 'reckon key list --account NAME' shows the ids")
	}
	return id, nil
}
