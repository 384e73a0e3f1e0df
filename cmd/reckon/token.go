package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type tokenCommands struct {
	Create tokenCreate `cmd:"" help:"Create a token of a user and print it, once."`
	List   tokenList   `cmd:"" help:"List a user's tokens."`
	Revoke tokenRevoke `cmd:"" help:"End a token for ever."`
}

type tokenCreate struct {
	directory
	Email   string   `arg:"" help:"E-mail address of the user."`
	Name    string   `help:"What the token is for, as lists show it." placeholder:"TEXT"`
	Scope   []string `help:"What the token is limited to: read, account:ID; several add up, none is all that the user may." placeholder:"SCOPE"`
	Expires string   `help:"When the token ends by itself: a date, which begins in UTC, or a moment as RFC 3339." placeholder:"TIME"`
	JSON    bool     `help:"Print JSON."`
}

func (*tokenCreate) Help() string {
	return `The token alone is on the last line:
  reckon token create ada@example.com --name laptop --expires 2027-01-01`
}

// tokenSecret is a token with its secret, as programs read it.
type tokenSecret struct {
	ID    uuid.UUID `json:"id"`
	Token string    `json:"token"`
}

func (c *tokenCreate) Run(t terminal) error {
	expires, err := parseExpires(c.Expires)
	if err != nil {
		return err
	}
	return c.administer(t, func(a commands.Admin) error {
		id, secret, err := a.CreateToken(t, c.Email, commands.KeyTerms{Name: c.Name, Scopes: c.Scope, ExpiresAt: expires})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, tokenSecret{id, secret})
		}
		fmt.Fprintf(t.out, "Token %s of user %q. It is shown only now and kept nowhere:\n%s\n", id, c.Email, secret)
		return nil
	})
}

type tokenList struct {
	directory
	Email string `arg:"" help:"E-mail address of the user."`
	JSON  bool   `help:"Print JSON."`
}

// tokenRow is a token as lists show it.
type tokenRow struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	Hint      string     `json:"hint"`
	State     string     `json:"state"`
	Scopes    []string   `json:"scopes"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

func rowOfToken(token projections.Token, now time.Time) tokenRow {
	row := tokenRow{token.ID, token.Name, token.Hint, "active", token.Scopes, token.CreatedAt, token.ExpiresAt}
	switch {
	case token.Revoked:
		row.State = "revoked"
	case token.Expired(now):
		row.State = "expired"
	}
	if row.Scopes == nil {
		row.Scopes = []string{}
	}
	return row
}

func (c *tokenList) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		user, err := a.User(t, c.Email)
		if err != nil {
			return err
		}
		rows, now := []tokenRow{}, time.Now()
		for _, token := range user.Tokens {
			rows = append(rows, rowOfToken(token, now))
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("ID", "NAME", "TOKEN", "STATE", "SCOPES", "CREATED", "EXPIRES")
		for _, r := range rows {
			expires := ""
			if r.ExpiresAt != nil {
				expires = stamp(*r.ExpiresAt)
			}
			table.add(r.ID.String(), r.Name, "…"+r.Hint, r.State, strings.Join(r.Scopes, " "), stamp(r.CreatedAt), expires)
		}
		return table.print(t, "The user has no tokens yet. Create one with: reckon token create "+quoted(c.Email)+" "+c.flags())
	})
}

type tokenRevoke struct {
	directory
	ID   string `arg:"" help:"Id of the token, from 'reckon token list'."`
	User string `help:"E-mail address of the user." required:"" placeholder:"EMAIL"`
	JSON bool   `help:"Print JSON."`
}

func (c *tokenRevoke) Run(t terminal) error {
	id, err := uuid.Parse(c.ID)
	if err != nil || len(c.ID) != 36 {
		return fmt.Errorf("give the id of the token, not the token itself: 'reckon token list EMAIL' shows the ids")
	}
	return c.administer(t, func(a commands.Admin) error {
		if err := a.RevokeToken(t, c.User, id); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, keyEnd{id, "revoked"})
		}
		fmt.Fprintf(t.out, "Token %s is revoked.\n", id)
		return nil
	})
}
