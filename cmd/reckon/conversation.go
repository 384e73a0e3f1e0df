package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type conversationCommands struct {
	List     conversationList     `cmd:"" help:"List an account's conversations, or find some."`
	Describe conversationDescribe `cmd:"" help:"Give a conversation a title or notes."`
	Erase    conversationErase    `cmd:"" help:"Forget a conversation."`
}

type conversationList struct {
	directory
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

// conversationRow is a conversation as lists show it.
type conversationRow struct {
	ID             uuid.UUID  `json:"id"`
	Title          *string    `json:"title"`
	Notes          *string    `json:"notes"`
	DomainID       *uuid.UUID `json:"domain_id"` // of the first message
	Domain         string     `json:"domain"`    // its title then
	Messages       int        `json:"messages"`
	Sources        []string   `json:"sources"`
	LastActivityAt time.Time  `json:"last_activity_at"`
}

func rowOfConversation(c projections.Conversation) conversationRow {
	row := conversationRow{ID: c.ID, Title: c.Title, Notes: c.Notes, Messages: c.Messages, Sources: c.Sources, LastActivityAt: c.LastActivityAt}
	if c.Domain != nil {
		row.DomainID, row.Domain = &c.Domain.ID, c.Domain.Title
	}
	return row
}

// shownTitle is how many characters of a title a table of conversations shows.
const shownTitle = 60

func (c *conversationList) Run(t terminal) error {
	if c.Limit < 1 {
		return fmt.Errorf("--limit %d: give 1 or more", c.Limit)
	}
	search := projections.Search{Text: c.Text, Source: c.Source}
	var err error
	if search.Since, err = parseSince(c.Since); err != nil {
		return err
	}
	var account uuid.UUID
	err = c.administer(t, func(a commands.Admin) error {
		of, err := a.Account(t, c.Account)
		account = of.ID
		if err == nil && c.Domain != "" {
			var d projections.Domain
			d, err = findDomain(t, a, c.Account, c.Domain)
			search.Domain = d.ID
		}
		return err
	})
	if err != nil {
		return err
	}
	rows := []conversationRow{}
	// pages takes pages until there are enough.
	pages := func(find func(limit int, after *uuid.UUID) (projections.Page, error)) error {
		for after := (*uuid.UUID)(nil); ; {
			page, err := find(min(c.Limit-len(rows), 1000), after)
			if err != nil {
				return err
			}
			for _, found := range page.Conversations {
				rows = append(rows, rowOfConversation(found))
			}
			if after = page.Next; after == nil || len(rows) == c.Limit {
				return nil
			}
		}
	}
	err = c.withViews(t, func(v *projections.Views) error {
		if err := v.CaughtUp(t); err != nil {
			return err
		}
		return pages(func(limit int, after *uuid.UUID) (projections.Page, error) {
			return v.Find(t, account, search, limit, after)
		})
	}, func(r projections.Remote) error {
		return pages(func(limit int, after *uuid.UUID) (projections.Page, error) {
			return r.Find(t, account, search, limit, after)
		})
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
	directory
	ID      string  `arg:"" help:"Id of the conversation."`
	Account string  `help:"Name of the account." required:"" placeholder:"NAME"`
	Title   *string `help:"The title, of at most 200 characters; '' for none." placeholder:"TEXT"`
	Notes   *string `help:"The notes, of at most 4,000 characters; '' for none." placeholder:"TEXT"`
	JSON    bool    `help:"Print JSON."`
}

func (*conversationDescribe) Help() string {
	return `Callers see both at once. The place of the conversation in lists stays what it is.

Example:
  reckon conversation describe 0199c0de-0000-7000-8000-000000000000 --account acme --title 'Trip to the lake' --notes 'Asked for by Ada.'`
}

// describedBody is what was written of a conversation, as programs read it; null is as it was.
type describedBody struct {
	ID    uuid.UUID `json:"id"`
	Title *string   `json:"title"`
	Notes *string   `json:"notes"`
}

func (c *conversationDescribe) Run(t terminal) error {
	if c.Title == nil && c.Notes == nil {
		return errors.New("give --title, --notes or both")
	}
	id, err := parseID("the conversation", c.ID)
	if err != nil {
		return err
	}
	return c.administer(t, func(a commands.Admin) error {
		if err := a.Describe(t, c.Account, id, commands.Description{Title: c.Title, Notes: c.Notes}); err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, describedBody{id, c.Title, c.Notes})
		}
		_, err := fmt.Fprintf(t.out, "Conversation %s is described.\n", id)
		return err
	})
}
