package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"reckon/http/admin"
)

type accountErase struct {
	installation
	Name   string `arg:"" help:"Name of the account."`
	Reason string `help:"Why, for the audit. It is kept for ever: leave out whatever is to be forgotten." default:"The account was erased." placeholder:"TEXT"`
	Yes    bool   `help:"Do not ask for the name again."`
	JSON   bool   `help:"Print JSON."`
}

func (*accountErase) Help() string {
	return `The account is suspended, its keys are revoked, its drafts are discarded, its domains are retired, all its conversations are erased, as 'reckon conversation erase' does it, and its members leave it. The command asks for the name of the account once more, and returns when nothing of the conversations is in the files of the node of the data directory, or of the one that --server asks. It cannot be taken back. Interrupted, or to erase what was under way, it is given again.

What stays is the name of the account, the definitions of its domains, and who administered it when. Users stay, with what else they are members of; they are signed out.

Examples:
  reckon account erase acme
  reckon account erase acme --reason "Contract ended on 3 May." --yes`
}

func (c *accountErase) Run(t terminal) error {
	return c.askViews(t, func(a administration) error {
		account, err := fetch[admin.Account](a, "accounts", c.Name)
		if err != nil {
			return err
		}
		if !c.Yes {
			if err := c.confirm(t, account.Name); err != nil {
				return err
			}
		}
		erased, err := c.erase(a, account.Name)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, erased)
		}
		where := "is in the files of this node"
		switch {
		case !erased.Forgotten:
			where = "is shown; the node that answers overwrites it in its files now"
		case c.Server != "":
			where = "is in the files of the node that answers"
		}
		_, err = fmt.Fprintf(t.out, "Account %q is erased, and nothing of its conversations %s (keys: %d, members: %d, domains: %d, conversations: %d).\n",
			erased.Name, where, erased.Keys, erased.Members, erased.Domains, erased.Conversations)
		return err
	})
}

// erase erases the account, and asks again until the node has forgotten it. An owner is no member
// any more by then, and sees nothing of the account.
func (c *accountErase) erase(a administration, name string) (admin.ErasedAccount, error) {
	began, why := time.Now(), admin.ErasingAccount{Name: name, Reason: c.Reason}
	erased, err := command[admin.ErasedAccount](a, why, "accounts", name, "erase")
	for err == nil && !erased.Forgotten && time.Since(began) < forgottenPatience {
		later, gone := command[admin.ErasedAccount](a, why, "accounts", name, "erase")
		if gone != nil {
			break
		}
		erased.Forgotten = later.Forgotten
	}
	return erased, err
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
