package main

import (
	"fmt"

	"reckon/http/admin"
)

type userCommands struct {
	Create  userCreate  `cmd:"" help:"Make a person known by an e-mail address."`
	Invite  userInvite  `cmd:"" help:"Print a link by which a person comes in and sets a password."`
	List    userList    `cmd:"" help:"List the people of the installation."`
	Disable userDisable `cmd:"" help:"End all memberships of a person and take from them the use of everything."`
	Enable  userEnable  `cmd:"" help:"Let a person who was disabled in again, without memberships."`

	Sessions userSessions `cmd:"" help:"List where a person is signed in."`
	Passkeys userPasskeys `cmd:"" help:"List the passkeys of a person, or remove one."`
	SignOut  userSignOut  `cmd:"" help:"Sign a person out everywhere."`
}

type userCreate struct {
	installation
	Email string `arg:"" help:"E-mail address, which is unique without regard to case."`
	Name  string `help:"What the person is called." placeholder:"TEXT"`
	JSON  bool   `help:"Print JSON."`
}

func (*userCreate) Help() string {
	return "Examples:\n  reckon user create ada@example.com --name 'Ada Lovelace'\n  reckon member add ada@example.com --account acme --role developer"
}

func (c *userCreate) Run(t terminal) error {
	return c.askNew(t, func(a administration) error {
		user, err := command[admin.User](a, admin.NewUser{Email: c.Email, Name: c.Name}, "users")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, user)
		}
		fmt.Fprintf(t.out, "User %q is created. Give them a role with: reckon member add %s --account NAME --role ROLE %s\n%s\n", user.Email, quoted(user.Email), c.flags(), user.ID)
		return nil
	})
}

type userList struct {
	installation
	JSON bool `help:"Print JSON."`
}

func (c *userList) Run(t terminal) error { return c.list(t, c.JSON, "users") }

// list prints the users, or the operators among them.
func (i installation) list(t terminal, asJSON bool, which string) error {
	return i.ask(t, func(a administration) error {
		rows, err := list[admin.User](a, nil, which)
		if err != nil {
			return err
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
		if which == "operators" {
			return table.print(t, "There are no operators yet. Add a user with: reckon operator add EMAIL "+i.flags())
		}
		return table.print(t, "There are no users yet. Create one with: reckon user create EMAIL "+i.flags())
	})
}

// become changes a user, and says in a sentence or as JSON what they are then.
func (i installation) become(t terminal, asJSON bool, became, method string, path ...string) error {
	return i.ask(t, func(a administration) error {
		user, err := order[admin.User](a, method, nil, path...)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(t, user)
		}
		_, err = fmt.Fprintf(t.out, "User %q %s.\n", user.Email, became)
		return err
	})
}

type userDisable struct {
	installation
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userDisable) Run(t terminal) error {
	return c.become(t, c.JSON, "is disabled and a member of no account", "POST", "users", c.Email, "disable")
}

type userEnable struct {
	installation
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userEnable) Run(t terminal) error {
	return c.become(t, c.JSON, "is active", "POST", "users", c.Email, "enable")
}

type operatorCommands struct {
	Add    operatorAdd    `cmd:"" help:"Make a user an operator."`
	Remove operatorRemove `cmd:"" help:"Let a user be an operator no more."`
	List   operatorList   `cmd:"" help:"List the operators."`
}

type operatorAdd struct {
	installation
	Email string `arg:"" help:"E-mail address of the user."`
	JSON  bool   `help:"Print JSON."`
}

func (c *operatorAdd) Run(t terminal) error {
	return c.become(t, c.JSON, "is an operator", "PUT", "operators", c.Email)
}

type operatorRemove struct {
	installation
	Email string `arg:"" help:"E-mail address of the user."`
	JSON  bool   `help:"Print JSON."`
}

func (c *operatorRemove) Run(t terminal) error {
	return c.become(t, c.JSON, "is not an operator", "DELETE", "operators", c.Email)
}

type operatorList struct {
	installation
	JSON bool `help:"Print JSON."`
}

func (c *operatorList) Run(t terminal) error { return c.list(t, c.JSON, "operators") }
