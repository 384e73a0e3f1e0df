package main

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"reckon/http/admin"
)

type conversationCommands struct {
	List     conversationList     `cmd:"" help:"List an account's conversations, or find some."`
	Describe conversationDescribe `cmd:"" help:"Give a conversation a title or notes."`
	Erase    conversationErase    `cmd:"" help:"Forget a conversation."`
}

type conversationList struct {
	installation
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Domain  string `help:"Those in which a domain was asked: its title, dm_ key or id." placeholder:"DOMAIN"`
	Text    string `help:"Those with a text in the title or the notes, upper and lower case alike." placeholder:"TEXT"`
	Since   string `help:"Those active since: how long ago, or when (30d, 12h, 2026-03-05)." placeholder:"TIME"`
	Source  string `help:"Those with messages from there: api or chat." enum:"api,chat," default:"" placeholder:"SOURCE"`
	Limit   int    `help:"How many at most (${default})." default:"20" placeholder:"N"`
	JSON    bool   `help:"Print JSON."`
}

func (*conversationList) Help() string {
	return `The one that was active last comes first.

Examples:
  reckon conversation list --account acme
  reckon conversation list --account acme --domain 'Road trip' --text lake --since 30d --json`
}

// shownTitle is how many characters of a title a table of conversations shows.
const shownTitle = 60

func (c *conversationList) Run(t terminal) error {
	if c.Limit < 1 {
		return fmt.Errorf("--limit %d: give 1 or more", c.Limit)
	}
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	query := url.Values{}
	for name, value := range map[string]string{"domain": c.Domain, "text": c.Text, "source": c.Source} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if !since.IsZero() {
		query.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	var rows []admin.Conversation
	err = c.askViews(t, func(a administration) (err error) {
		rows, err = listOf[admin.Conversation](a, c.Limit, query, "accounts", c.Account, "conversations")
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(t, rows)
	}
	table := newTable("TITLE", "DOMAIN", "MESSAGES", "LAST ACTIVE", "ID")
	for _, r := range rows {
		title := ""
		if r.Title != nil {
			title = oneLine(*r.Title, shownTitle)
		}
		table.add(title, r.Domain, fmt.Sprint(r.Messages), stamp(r.LastActivityAt), r.ID.String())
	}
	return table.print(t, "There are no such conversations.")
}

type conversationDescribe struct {
	installation
	ID      string  `arg:"" help:"Id of the conversation."`
	Account string  `help:"Name of the account." required:"" placeholder:"NAME"`
	Title   *string `help:"The title, of at most 200 characters; empty for none." placeholder:"TEXT"`
	Notes   *string `help:"The notes, of at most 4,000 characters; empty for none." placeholder:"TEXT"`
	JSON    bool    `help:"Print JSON."`
}

func (*conversationDescribe) Help() string {
	return `Callers see both at once. The place of the conversation in lists stays what it is.

Example:
  reckon conversation describe 0199c0de-0000-7000-8000-000000000000 --account acme --title 'Trip to the lake' --notes 'Asked for by Ada.'`
}

// describedBody is what was written of a conversation, as programs read it; null is as it was.
type describedBody struct {
	ID    string  `json:"id"`
	Title *string `json:"title"`
	Notes *string `json:"notes"`
}

func (c *conversationDescribe) Run(t terminal) error {
	if c.Title == nil && c.Notes == nil {
		return errors.New("give --title, --notes or both")
	}
	id, err := parseID("the conversation", c.ID)
	if err != nil {
		return err
	}
	return c.ask(t, func(a administration) error {
		described, err := order[describedBody](a, "PATCH", admin.Description{Title: c.Title, Notes: c.Notes}, "accounts", c.Account, "conversations", id.String())
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, described)
		}
		_, err = fmt.Fprintf(t.out, "Conversation %s is described.\n", id)
		return err
	})
}
