package main

import (
	"fmt"
	"strings"

	"reckon/http/admin"
	"reckon/projections"
)

type memberCommands struct {
	Add    memberAdd    `cmd:"" help:"Give a user a role in an account."`
	Role   memberRole   `cmd:"" help:"Give a member another role."`
	Remove memberRemove `cmd:"" help:"End a membership."`
	List   memberList   `cmd:"" help:"List the members of an account."`
}

// membership is what all commands about a member name.
type membership struct {
	installation
	Email   string `arg:"" help:"E-mail address of the user."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

// print says what a user is in the account after a change.
func (m membership) print(t terminal, a administration) error {
	rows, err := list[admin.Member](a, nil, "accounts", m.Account, "members")
	if err != nil {
		return err
	}
	if m.JSON {
		return printJSON(t, rows)
	}
	became := "is not a member"
	for _, r := range rows {
		if strings.EqualFold(r.Email, m.Email) {
			became = "has the role " + string(r.Role)
		}
	}
	_, err = fmt.Fprintf(t.out, "%q %s in account %q.\n", m.Email, became, m.Account)
	return err
}

type memberAdd struct {
	membership
	Role string `help:"member (ask and read), developer (and keys and domains) or owner (and members and settings)." required:"" placeholder:"ROLE"`
}

func (c *memberAdd) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		if _, err := command[admin.Member](a, admin.NewMember{Email: c.Email, Role: projections.Role(c.Role)}, "accounts", c.Account, "members"); err != nil {
			return err
		}
		return c.print(t, a)
	})
}

type memberRole struct {
	membership
	Role string `arg:"" help:"member, developer or owner."`
}

func (c *memberRole) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		if _, err := order[admin.Member](a, "PATCH", admin.RoleChange{Role: projections.Role(c.Role)}, "accounts", c.Account, "members", c.Email); err != nil {
			return err
		}
		return c.print(t, a)
	})
}

type memberRemove struct{ membership }

func (c *memberRemove) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		if _, err := order[struct{}](a, "DELETE", nil, "accounts", c.Account, "members", c.Email); err != nil {
			return err
		}
		return c.print(t, a)
	})
}

type memberList struct {
	installation
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (c *memberList) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Member](a, nil, "accounts", c.Account, "members")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("EMAIL", "NAME", "ROLE", "SINCE", "USER")
		for _, r := range rows {
			table.add(r.Email, r.Name, string(r.Role), stamp(r.Since), r.UserID.String())
		}
		return table.print(t, "The account has no members yet. Add one with: reckon member add EMAIL --account "+quoted(c.Account)+" --role owner "+c.flags())
	})
}
