package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events/log"
	"reckon/projections"
)

type accountErase struct {
	directory
	Name   string `arg:"" help:"Name of the account."`
	Reason string `help:"Why, for the audit. It is kept for ever: leave out whatever is to be forgotten." default:"The account was erased." placeholder:"TEXT"`
	Yes    bool   `help:"Do not ask for the name again."`
	JSON   bool   `help:"Print JSON."`
}

func (*accountErase) Help() string {
	return `The account is suspended, its keys are revoked, its members leave it, its drafts are discarded, its domains are retired and all its conversations are erased, as 'reckon conversation erase' does it. The command asks for the name of the account once more, and returns when nothing of the conversations is in the files of the node of the data directory. It cannot be taken back. Interrupted, or to erase what was under way, it is given again.

What stays is the name of the account, the definitions of its domains, and who administered it when. Users stay, with what else they are members of; they are signed out.

Examples:
  reckon account erase acme
  reckon account erase acme --reason "Contract ended on 3 May." --yes`
}

// erasedAccount is what an account had that was erased.
type erasedAccount struct {
	ID            uuid.UUID `json:"id"`
	Name          string    `json:"name"`
	Keys          int       `json:"keys"`    // that were revoked
	Members       int       `json:"members"` // that left
	Domains       int       `json:"domains"` // that were retired
	Conversations int       `json:"conversations"`
}

func (c *accountErase) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		account, err := a.Account(t, c.Name)
		if err != nil {
			return err
		}
		if !c.Yes {
			if err := c.confirm(t, account.Name); err != nil {
				return err
			}
		}
		erased, err := a.EraseAccount(t, account.Name, c.Reason)
		if err != nil {
			return fmt.Errorf("account %q is not erased yet, give the command again: %w", account.Name, err)
		}
		if erased.Erased > 0 {
			if err := c.forgotten(t, a.Log, erased.Erased); err != nil {
				return fmt.Errorf("account %q is erased, and what was said is not overwritten yet, which goes on by itself while a server runs: %w", account.Name, err)
			}
		}
		row := erasedAccount{erased.ID, erased.Name, erased.Revoked, erased.Left, erased.Retired, erased.Conversations}
		if c.JSON {
			return printJSON(t, row)
		}
		_, err = fmt.Fprintf(t.out, "Account %q is erased, and nothing of its conversations is in the files of this node (keys: %d, members: %d, domains: %d, conversations: %d).\n",
			row.Name, row.Keys, row.Members, row.Domains, row.Conversations)
		return err
	})
}

// confirm asks for the name of the account.
func (c *accountErase) confirm(t terminal, name string) error {
	fmt.Fprintf(t.err, "This ends account %q and forgets all its conversations, and cannot be taken back. Type its name: ", name)
	line, _ := bufio.NewReader(io.LimitReader(t.in, 4<<10)).ReadString('\n') // the end is another name
	if strings.TrimRight(line, "\r\n") != name {
		return fmt.Errorf("nothing is erased: type %q when asked, or give --yes", name)
	}
	return nil
}

// forgotten waits until everything that was erased up to an event is overwritten on the node of the
// data directory: by its server, or here where none runs.
func (c *accountErase) forgotten(t terminal, l *log.Log, sequence uint64) error {
	ctx, cancel := context.WithTimeout(t, forgottenPatience)
	defer cancel()
	if !l.Local() {
		return projections.RemoteOf(l).Forgotten(ctx, sequence)
	}
	views, err := projections.Open(t, l, c.Data, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(views.Forgotten(ctx, sequence), views.Close())
}
