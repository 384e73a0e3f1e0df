package main

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type userCommands struct {
	Create  userCreate  `cmd:"" help:"Make a person known by an e-mail address."`
	Invite  userInvite  `cmd:"" help:"Print a link by which a person comes in and sets a password."`
	List    userList    `cmd:"" help:"List the people of the installation."`
	Disable userDisable `cmd:"" help:"End all memberships of a person and take from them the use of everything."`
	Enable  userEnable  `cmd:"" help:"Let a person who was disabled in again, without memberships."`

	Sessions userSessions `cmd:"" help:"List where a person is signed in."`
	SignOut  userSignOut  `cmd:"" help:"Sign a person out everywhere."`
}

type userCreate struct {
	directory
	Email string `arg:"" help:"E-mail address, which is unique without regard to case."`
	Name  string `help:"What the person is called." placeholder:"TEXT"`
	JSON  bool   `help:"Print JSON."`
}

func (*userCreate) Help() string {
	return "Examples:\n  reckon user create ada@example.com --name 'Ada Lovelace'\n  reckon member add ada@example.com --account acme --role developer"
}

func (c *userCreate) Run(t terminal) error {
	return c.begin(t, func(a commands.Admin) error {
		user, err := a.CreateUser(t, c.Email, c.Name)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rowOfUser(user))
		}
		fmt.Fprintf(t.out, "User %q is created. Give them a role with: reckon member add %s --account NAME --role ROLE %s\n%s\n", user.Email, quoted(user.Email), c.flags(), user.ID)
		return nil
	})
}

// userRow is a user as lists show it.
type userRow struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"`
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Operator  bool      `json:"operator"`
	CreatedAt time.Time `json:"created_at"`
}

func rowOfUser(u projections.User) userRow {
	state := "active"
	if u.Disabled {
		state = "disabled"
	}
	return userRow{u.ID, u.Email, u.Name, state, u.Operator, u.CreatedAt}
}

type userList struct {
	directory
	JSON bool `help:"Print JSON."`
}

func (c *userList) Run(t terminal) error { return c.list(t, c.JSON, false) }

// list prints the users, or the operators among them.
func (d directory) list(t terminal, asJSON, operators bool) error {
	return d.administer(t, func(a commands.Admin) error {
		users, err := a.Users(t)
		if err != nil {
			return err
		}
		rows := []userRow{}
		for _, user := range users {
			if user.Operator || !operators {
				rows = append(rows, rowOfUser(user))
			}
		}
		if asJSON {
			return printJSON(t, rows)
		}
		table := newTable("EMAIL", "NAME", "STATE", "OPERATOR", "CREATED", "ID")
		for _, r := range rows {
			operator := ""
			if r.Operator {
				operator = "yes"
			}
			table.add(r.Email, r.Name, r.State, operator, stamp(r.CreatedAt), r.ID.String())
		}
		if operators {
			return table.print(t, "There are no operators yet. Add a user with: reckon operator add EMAIL "+d.flags())
		}
		return table.print(t, "There are no users yet. Create one with: reckon user create EMAIL "+d.flags())
	})
}

// printUser prints a user after a change, in a sentence or as JSON.
func printUser(t terminal, a commands.Admin, email string, asJSON bool, became string) error {
	user, err := a.User(t, email)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(t, rowOfUser(user))
	}
	_, err = fmt.Fprintf(t.out, "User %q %s.\n", user.Email, became)
	return err
}

type userDisable struct {
	directory
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userDisable) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.DisableUser(t, c.Email); err != nil {
			return err
		}
		return printUser(t, a, c.Email, c.JSON, "is disabled and a member of no account")
	})
}

type userEnable struct {
	directory
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userEnable) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.EnableUser(t, c.Email); err != nil {
			return err
		}
		return printUser(t, a, c.Email, c.JSON, "is active")
	})
}

type operatorCommands struct {
	Add    operatorAdd    `cmd:"" help:"Make a user an operator."`
	Remove operatorRemove `cmd:"" help:"Let a user be an operator no more."`
	List   operatorList   `cmd:"" help:"List the operators."`
}

type operatorAdd struct {
	directory
	Email string `arg:"" help:"E-mail address of the user."`
	JSON  bool   `help:"Print JSON."`
}

func (c *operatorAdd) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.SetOperator(t, c.Email, true); err != nil {
			return err
		}
		return printUser(t, a, c.Email, c.JSON, "is an operator")
	})
}

type operatorRemove struct {
	directory
	Email string `arg:"" help:"E-mail address of the user."`
	JSON  bool   `help:"Print JSON."`
}

func (c *operatorRemove) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.SetOperator(t, c.Email, false); err != nil {
			return err
		}
		return printUser(t, a, c.Email, c.JSON, "is not an operator")
	})
}

type operatorList struct {
	directory
	JSON bool `help:"Print JSON."`
}

func (c *operatorList) Run(t terminal) error { return c.list(t, c.JSON, true) }
