package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type userInvite struct {
	directory
	Email     string    `arg:"" help:"E-mail address."`
	Name      string    `help:"What the person is called, where they are not known yet." placeholder:"TEXT"`
	Account   string    `help:"Name of the account that they are invited to." placeholder:"NAME"`
	Role      string    `help:"What they may do there: member, developer or owner. One who is a member already keeps their role without it." placeholder:"ROLE"`
	Operator  bool      `help:"Invite them to run the installation."`
	PublicURL publicURL `help:"Address of the console, as their browser reaches it. Without, that of the directory's server." name:"public-url" placeholder:"URL"`
	JSON      bool      `help:"Print JSON."`
}

func (*userInvite) Help() string {
	return `Prints a link that lets in once, within 24 hours, and sets a password. It alone is on the last line. Whoever forgot their password is given another one so; the link before it ends.

Examples:
  reckon user invite ada@example.com --account acme --role owner
  reckon user invite ada@example.com
  reckon user invite root@example.com --operator --public-url https://reckon.example.com`
}

// invitationRow is an invitation as programs read it.
type invitationRow struct {
	User      userRow   `json:"user"`
	Link      string    `json:"link"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (c *userInvite) Run(t terminal) error {
	if c.Role != "" && c.Account == "" {
		return errors.New("a role is one in an account: give --account too")
	}
	public, err := c.public(c.PublicURL)
	if err != nil {
		return err
	}
	return c.administer(t, func(a commands.Admin) error {
		invitation, err := a.Invite(t, commands.Invite{
			Email: c.Email, Name: c.Name, Account: c.Account, Role: projections.Role(c.Role), Operator: c.Operator,
		})
		if err != nil {
			return err
		}
		link := commands.LinkURL(public, invitation.Secret)
		if c.JSON {
			return printJSON(t, invitationRow{rowOfUser(invitation.User), link, invitation.ExpiresAt})
		}
		fmt.Fprintf(t.out, "%q comes in by this link, once, until %s. It is shown only now and kept nowhere:\n%s\n", invitation.User.Email, stamp(invitation.ExpiresAt), link)
		return nil
	})
}

type userSessions struct {
	directory
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

// sessionRow is a session as lists show it.
type sessionRow struct {
	ID        uuid.UUID `json:"id"`
	Way       string    `json:"way"`
	StartedAt time.Time `json:"started_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (c *userSessions) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		user, err := a.User(t, c.Email)
		if err != nil {
			return err
		}
		rows, now := []sessionRow{}, time.Now()
		for _, s := range user.Sessions {
			if !s.Expired(now) {
				rows = append(rows, sessionRow{s.ID, s.Way, s.StartedAt, s.ExpiresAt})
			}
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("SIGNED IN", "BY", "EXPIRES", "ID")
		for _, r := range rows {
			table.add(stamp(r.StartedAt), r.Way, stamp(r.ExpiresAt), r.ID.String())
		}
		return table.print(t, "The user is signed in nowhere.")
	})
}

type userSignOut struct {
	directory
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userSignOut) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		if err := a.EndSessions(t, c.Email); err != nil {
			return err
		}
		return printUser(t, a, c.Email, c.JSON, "is signed in nowhere")
	})
}
