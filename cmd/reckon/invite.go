package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

// publicURL reads --public-url.
type publicURL struct{ url *url.URL }

func (p *publicURL) UnmarshalText(text []byte) error {
	u, err := url.Parse(string(text))
	if err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%q: give one such as https://reckon.example.com, with nothing behind the host and the port", text)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return fmt.Errorf("%q: give an address with https, which a proxy before the service answers on; http is for this machine alone", text)
	}
	p.url = &url.URL{Scheme: u.Scheme, Host: u.Host}
	return nil
}

// isLoopback tells whether a host is this machine, whichever it is.
func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// publicFile is where a server leaves the address of its console for those who make links beside
// it.
const publicFile = "public-url"

// public is the address that links are made of: the one that is given, else that of the directory's
// server, as it runs or ran last, else the default of serve.
func (d directory) public(given publicURL) (*url.URL, error) {
	if given.url != nil {
		return given.url, nil
	}
	text := []byte("http://127.0.0.1:8080")
	if len(d.NATSURL) == 0 {
		written, err := os.ReadFile(filepath.Join(d.Data, publicFile))
		switch {
		case err == nil:
			text = written
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("read the public address: %w (or give it with --public-url)", err)
		}
	}
	var p publicURL
	if err := p.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		return nil, fmt.Errorf("read the public address: %w", err)
	}
	return p.url, nil
}

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
