package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/http/admin"
)

type tokenCommands struct {
	Create tokenCreate `cmd:"" help:"Create a token of a user and print it, once."`
	List   tokenList   `cmd:"" help:"List a user's tokens."`
	Revoke tokenRevoke `cmd:"" help:"End a token for ever."`
}

type tokenCreate struct {
	installation
	Email   string   `arg:"" optional:"" help:"E-mail address of the user; without it you, with --server."`
	Name    string   `help:"What the token is for, as lists show it." placeholder:"TEXT"`
	Scope   []string `help:"What the token is limited to: read, account:ID; several add up, none is all that the user may." placeholder:"SCOPE"`
	Expires string   `help:"When the token ends by itself: a date, which begins in UTC, or a moment as RFC 3339." placeholder:"TIME"`
	JSON    bool     `help:"Print JSON."`
}

func (*tokenCreate) Help() string {
	return `The token alone is on the last line:
  reckon token create ada@example.com --name laptop --expires 2027-01-01
  reckon token create --name ci --scope read --server https://reckon.example.com`
}

func (c *tokenCreate) Run(t terminal) error {
	expires, err := parseExpires(c.Expires)
	if err != nil {
		return err
	}
	path, err := c.tokensOf(c.Email)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		made, err := command[admin.TokenSecret](a, admin.Terms{Name: c.Name, Scopes: c.Scope, ExpiresAt: expires}, path...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, made)
		}
		of := "of yours"
		if c.Email != "" {
			of = fmt.Sprintf("of user %q", c.Email)
		}
		fmt.Fprintf(t.out, "Token %s %s. It is shown only now and kept nowhere:\n%s\n", made.ID, of, made.Token)
		return nil
	})
}

// tokensOf is the path of a user's tokens, without an address of those of who asks a server.
func (i installation) tokensOf(email string) ([]string, error) {
	switch {
	case email != "":
		return []string{"users", email, "tokens"}, nil
	case i.Server == "":
		return nil, errors.New("name the user by the e-mail address ('reckon user list' shows it), or give --server for tokens of your own")
	}
	return []string{"tokens"}, nil
}

type tokenList struct {
	installation
	Email string `arg:"" optional:"" help:"E-mail address of the user; without it you, with --server."`
	JSON  bool   `help:"Print JSON."`
}

func (*tokenList) Help() string {
	return "Examples:\n  reckon token list ada@example.com\n  reckon token list --server https://reckon.example.com"
}

func (c *tokenList) Run(t terminal) error {
	path, err := c.tokensOf(c.Email)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Token](a, nil, path...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("ID", "NAME", "TOKEN", "STATE", "SCOPES", "CREATED", "EXPIRES", "LAST USED")
		for _, r := range rows {
			expires := ""
			if r.ExpiresAt != nil {
				expires = stamp(*r.ExpiresAt)
			}
			used := "never"
			if r.LastUsed != nil {
				used = r.LastUsed.Format(time.DateOnly)
			}
			table.add(r.ID.String(), r.Name, "…"+r.Hint, r.State, strings.Join(r.Scopes, " "), stamp(r.CreatedAt), expires, used)
		}
		return table.print(t, "The user has no tokens yet. Create one with: reckon token create "+quoted(c.Email)+" "+c.flags())
	})
}

type tokenRevoke struct {
	installation
	ID   string `arg:"" help:"Id of the token, from 'reckon token list'."`
	User string `help:"E-mail address of the user; without it you, with --server." placeholder:"EMAIL"`
	JSON bool   `help:"Print JSON."`
}

func (c *tokenRevoke) Run(t terminal) error {
	id, err := uuid.Parse(c.ID)
	if err != nil || len(c.ID) != 36 {
		return fmt.Errorf("give the id of the token, not the token itself: 'reckon token list EMAIL' shows the ids")
	}
	path, err := c.tokensOf(c.User)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		ended, err := command[admin.Ended](a, nil, append(path, id.String(), "revoke")...)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, ended)
		}
		fmt.Fprintf(t.out, "Token %s is revoked.\n", id)
		return nil
	})
}
