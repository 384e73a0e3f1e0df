package main

import (
	"errors"
	"fmt"
	"time"

	"reckon/commands"
	"reckon/http/admin"
	"reckon/projections"
)

type userInvite struct {
	installation
	Email     string    `arg:"" help:"E-mail address."`
	Name      string    `help:"What the person is called, where they are not known yet." placeholder:"TEXT"`
	Account   string    `help:"Name of the account that they are invited to." placeholder:"NAME"`
	Role      string    `help:"What they may do there: member, developer or owner. One who is a member already keeps their role without it." placeholder:"ROLE"`
	Operator  bool      `help:"Invite them to run the installation."`
	PublicURL publicURL `help:"Address of the console, as their browser reaches it. Without, that of the server." name:"public-url" placeholder:"URL"`
	JSON      bool      `help:"Print JSON."`
}

func (*userInvite) Help() string {
	return `Prints a link that lets in once, within 24 hours, and sets a password. It alone is on the last line. Whoever forgot their password is given another one so; the link before it ends. An owner gets none for somebody whom another account or the installation knows too: they come in as before.

Examples:
  reckon user invite ada@example.com --account acme --role owner
  reckon user invite ada@example.com
  reckon user invite root@example.com --operator --public-url https://reckon.example.com`
}

// invitationRow is an invitation as programs read it.
type invitationRow struct {
	User      admin.User `json:"user"`
	Link      *string    `json:"link"`       // null for who comes in as before
	ExpiresAt *time.Time `json:"expires_at"` // of the link
}

func (c *userInvite) Run(t terminal) error {
	if c.Role != "" && c.Account == "" {
		return errors.New("a role is one in an account: give --account too")
	}
	public, err := c.public(c.PublicURL)
	if err != nil {
		return err
	}
	path := []string{"invitations"}
	if c.Account != "" {
		path = []string{"accounts", c.Account, "invitations"}
	}
	return c.ask(t, func(a administration) error {
		invite := admin.Invite{Email: c.Email, Name: c.Name, Role: projections.Role(c.Role), Operator: c.Operator}
		invitation, err := command[admin.Invitation](a, invite, path...)
		if err != nil {
			return err
		}
		link := invitation.Link
		if invitation.Secret != "" && (link == nil || c.PublicURL.url != nil) {
			made := commands.LinkURL(public, invitation.Secret)
			link = &made
		}
		switch {
		case c.JSON:
			return printJSON(t, invitationRow{invitation.User, link, invitation.ExpiresAt})
		case link == nil:
			fmt.Fprintf(t.err, "%q is invited, and comes in as before: a link is for an operator to make, since it leads to other accounts too.\n", invitation.User.Email)
			return nil
		}
		fmt.Fprintf(t.out, "%q comes in by this link, once, until %s. It is shown only now and kept nowhere:\n%s\n", invitation.User.Email, stamp(*invitation.ExpiresAt), *link)
		return nil
	})
}

type userSessions struct {
	installation
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userSessions) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Session](a, nil, "users", c.Email, "sessions")
		if err != nil {
			return err
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
	installation
	Email string `arg:"" help:"E-mail address."`
	JSON  bool   `help:"Print JSON."`
}

func (c *userSignOut) Run(t terminal) error {
	return c.become(t, c.JSON, "is signed in nowhere", "POST", "users", c.Email, "sign-out")
}
