package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/http/admin"
)

type keyCommands struct {
	Create keyCreate `cmd:"" help:"Create a key and print it, once."`
	List   keyList   `cmd:"" help:"List an account's keys."`
	Rotate keyRotate `cmd:"" help:"Give a key a new secret and print it, once."`
	Revoke keyRevoke `cmd:"" help:"End a key for ever."`
}

type keyCreate struct {
	installation
	Account string   `help:"Name of the account." required:"" placeholder:"NAME"`
	Name    string   `help:"What the key is for, as lists show it." placeholder:"TEXT"`
	Scope   []string `help:"What the key may do: calculate (and read), read, domain:ID; several add up, none is everything." placeholder:"SCOPE"`
	Expires string   `help:"When the key ends by itself: a date, which begins in UTC, or a moment as RFC 3339." placeholder:"TIME"`
	JSON    bool     `help:"Print JSON."`
}

func (*keyCreate) Help() string {
	return `The key alone is on the last line:
  KEY=$(reckon key create --account acme | tail -n 1)

A key for a dashboard, one for a single domain until the end of the year:
  reckon key create --account acme --name dashboard --scope read
  reckon key create --account acme --name shop --scope domain:06997cbc-3d9f-5c93-aad8-649b70c0e31a --expires 2027-01-01`
}

func (c *keyCreate) Run(t terminal) error {
	terms := admin.Terms{Name: c.Name, Scopes: c.Scope}
	var err error
	if terms.ExpiresAt, err = parseExpires(c.Expires); err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		made, err := command[admin.KeySecret](a, terms, "accounts", c.Account, "keys")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, made)
		}
		fmt.Fprintf(t.out, "Key %s of account %q. It is shown only now and kept nowhere:\n%s\n", made.ID, c.Account, made.Key)
		return nil
	})
}

// parseExpires reads when something ends by itself; "" is never.
func parseExpires(text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse(time.DateOnly, text)
	}
	if err != nil {
		return nil, fmt.Errorf("--expires %q is neither a date as 2027-01-31 nor a moment as 2027-01-31T18:00:00Z", text)
	}
	at = at.UTC()
	return &at, nil
}

type keyList struct {
	installation
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (*keyList) Help() string {
	return "Last used is when a key was last used for a calculation, to the hour.\n\nExample:\n  reckon key list --account acme"
}

func (c *keyList) Run(t terminal) error {
	ask := c.askViews // for when a key was used last
	if len(c.NATSURL) > 0 && c.there() != nil {
		ask = c.ask
	}
	path := []string{"accounts", c.Account, "keys"}
	if c.JSON {
		return ask(t, func(a administration) error {
			rows, err := list[json.RawMessage](a, nil, path...) // which tell never from not known
			if err == nil {
				err = printJSON(t, rows)
			}
			return err
		})
	}
	var rows []admin.Key
	err := ask(t, func(a administration) (err error) {
		rows, err = list[admin.Key](a, nil, path...)
		return err
	})
	if err != nil {
		return err
	}
	table := newTable("ID", "NAME", "KEY", "STATE", "SCOPES", "CREATED", "EXPIRES", "ROTATED", "OVERLAP UNTIL", "LAST USED")
	moment := func(at *time.Time) string {
		if at == nil {
			return ""
		}
		return at.Format(time.RFC3339)
	}
	for _, r := range rows {
		shown, used := "", ""
		if r.LastUsed != nil {
			used = moment(*r.LastUsed)
		}
		if r.Hint != "" {
			shown = "…" + r.Hint
		}
		table.add(r.ID.String(), r.Name, shown, r.State, strings.Join(r.Scopes, " "), moment(&r.CreatedAt), moment(r.ExpiresAt), moment(r.RotatedAt), moment(r.Overlap), used)
	}
	return table.print(t, "The account has no keys yet. Create one with: reckon key create --account "+quoted(c.Account)+" "+c.flags())
}

type keyRotate struct {
	installation
	ID      string  `arg:"" help:"Id of the key, from 'reckon key list'."`
	Overlap lasting `help:"How long the secret before it goes on being valid, such as 24h, at most 7d." default:"0" placeholder:"DURATION"`
	JSON    bool    `help:"Print JSON."`
}

// lasting reads a duration, in days too.
type lasting time.Duration

func (l *lasting) UnmarshalText(text []byte) error {
	var d days
	if bytes.HasSuffix(text, []byte("d")) && d.UnmarshalText(text) == nil && d <= 1e5 {
		*l = lasting(d) * lasting(24*time.Hour)
		return nil
	}
	duration, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q: give a duration such as 24h or 7d", text)
	}
	*l = lasting(duration)
	return nil
}

func (l lasting) String() string { return time.Duration(l).String() }

func (*keyRotate) Help() string {
	return `The new key alone is on the last line.

A day to bring the new key to all who use it:
  reckon key rotate 0d3f0b6e-6c1c-4f5e-9d0e-2f6f6d3c7a10 --overlap 24h`
}

func (c *keyRotate) Run(t terminal) error {
	id, err := keyID(c.ID)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		made, err := command[admin.KeySecret](a, admin.Rotation{Overlap: c.Overlap.String()}, "accounts", admin.Whose, "keys", id.String(), "rotate")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, made)
		}
		before := "the one before is invalid"
		if c.Overlap > 0 {
			before = "the one before is valid for another " + c.Overlap.String()
		}
		fmt.Fprintf(t.out, "Key %s has a new secret; %s. It is shown only now and kept nowhere:\n%s\n", id, before, made.Key)
		return nil
	})
}

type keyRevoke struct {
	installation
	ID   string `arg:"" help:"Id of the key, from 'reckon key list'."`
	JSON bool   `help:"Print JSON."`
}

func (c *keyRevoke) Run(t terminal) error {
	id, err := keyID(c.ID)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		ended, err := command[admin.Ended](a, nil, "accounts", admin.Whose, "keys", id.String(), "revoke")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, ended)
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
