package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
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
	directory
	Email   string `arg:"" help:"E-mail address of the user."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

// memberRow is a member as lists show it.
type memberRow struct {
	UserID uuid.UUID        `json:"user_id"`
	Email  string           `json:"email"`
	Name   string           `json:"name"`
	Role   projections.Role `json:"role"`
	Since  time.Time        `json:"since"`
}

func membersOf(t terminal, a commands.Admin, account projections.Account) ([]memberRow, error) {
	users, err := a.Users(t)
	if err != nil {
		return nil, err
	}
	rows := []memberRow{}
	for _, user := range users {
		for _, m := range account.Members {
			if m.UserID == user.ID {
				rows = append(rows, memberRow{user.ID, user.Email, user.Name, m.Role, m.Since})
			}
		}
	}
	return rows, nil
}

// print says what a user is in the account after a change.
func (m membership) print(t terminal, a commands.Admin) error {
	account, err := a.Account(t, m.Account)
	if err != nil {
		return err
	}
	if m.JSON {
		rows, err := membersOf(t, a, account)
		if err != nil {
			return err
		}
		return printJSON(t, rows)
	}
	became := "is not a member"
	if role, is := account.Role(commands.UserID(m.Email)); is {
		became = "has the role " + string(role)
	}
	_, err = fmt.Fprintf(t.out, "%q %s in account %q.\n", m.Email, became, account.Name)
	return err
}

type memberAdd struct {
	membership
	Role string `help:"member (ask and read), developer (and keys and domains) or owner (and members and settings)." required:"" placeholder:"ROLE"`
}

func (c *memberAdd) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.AddMember(t, c.Account, c.Email, projections.Role(c.Role)); err != nil {
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
	return c.administer(t, func(a commands.Admin) error {
		if err := a.ChangeMember(t, c.Account, c.Email, projections.Role(c.Role)); err != nil {
			return err
		}
		return c.print(t, a)
	})
}

type memberRemove struct{ membership }

func (c *memberRemove) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.RemoveMember(t, c.Account, c.Email); err != nil {
			return err
		}
		return c.print(t, a)
	})
}

type memberList struct {
	directory
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (c *memberList) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		account, err := a.Account(t, c.Account)
		if err != nil {
			return err
		}
		rows, err := membersOf(t, a, account)
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
