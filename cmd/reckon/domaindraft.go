package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/http/admin"
)

// draftCommands has keeping a draft as what is meant without a word.
type draftCommands struct {
	Keep    domainDraft  `cmd:"" default:"withargs" help:"Keep domain files as drafts."`
	Show    draftShow    `cmd:"" help:"Print a draft as its author wrote it."`
	Discard draftDiscard `cmd:"" help:"End a draft that is not to be published."`
}

func (*draftCommands) Help() string {
	return `A draft can be tried, tested, compared and published: 'reckon calculate --draft', 'reckon domain test --draft', 'reckon domain diff --draft', 'reckon domain publish --draft'.

Examples:
  reckon domain draft trip.yaml --account acme --comment 'With tolls.'
  reckon domain draft show 'Road trip' --account acme
  reckon domain draft discard 'Road trip' --account acme`
}

type domainDraft struct{ publishing }

func (c *domainDraft) Run(t terminal) error {
	return c.run(t, "draft", admin.Publication{}, nil)
}

// draftOf is a draft that is named instead of a file.
type draftOf struct {
	installation
	Draft   string `help:"The account's draft of a domain, by its title, dm_ key or id, instead of a file." placeholder:"DOMAIN"`
	Account string `help:"With --draft, name of the account." placeholder:"NAME"`
}

// check says what does not go together.
func (d draftOf) check(files int) error {
	switch {
	case d.Draft == "" && files == 0:
		return errors.New("name a domain file, or a draft with --draft and --account")
	case d.Draft != "" && files > 0:
		return errors.New("--draft is in place of files: leave one of them out")
	case d.Draft != "" && d.Account == "":
		return errors.New("--draft needs --account too")
	}
	return nil
}

// draft is the draft of a domain as a domain file, with all that is known of it.
func (a administration) draft(account, domain string) (*domainfile.File, admin.Draft, error) {
	d, err := fetch[admin.Draft](a, "accounts", account, "domains", domain, "draft")
	if err != nil {
		return nil, d, err
	}
	return domainfile.Parse("draft of "+inLine(d.Domain.Title), []byte(d.File)), d, nil
}

type draftShow struct {
	installation
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (*draftShow) Help() string {
	return "Where what the author wrote was not kept, the file is made of the draft, without comments.\n\nExample:\n  reckon domain draft show 'Road trip' --account acme > trip.yaml"
}

// draftBody is a draft as programs read it.
type draftBody struct {
	Key       string            `json:"key"`
	Comment   string            `json:"comment"`
	DraftedAt time.Time         `json:"drafted_at"`
	By        *events.Actor     `json:"by"`
	Source    string            `json:"source"` // the file
	Draft     events.Definition `json:"definition"`
}

func (c *draftShow) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		_, d, err := a.draft(c.Account, c.Domain)
		if err != nil {
			return err
		}
		source := cmp.Or(d.Source, d.File)
		if c.JSON {
			return printJSON(t, draftBody{d.Domain.Key, d.Comment, d.DraftedAt, d.By, source, d.Definition})
		}
		_, err = fmt.Fprint(t.out, source)
		return err
	})
}

type draftDiscard struct {
	installation
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print the domain as JSON."`
}

func (*draftDiscard) Help() string {
	return "Example:\n  reckon domain draft discard 'Road trip' --account acme"
}

func (c *draftDiscard) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		d, err := fetch[admin.Domain](a, "accounts", c.Account, "domains", c.Domain)
		if err == nil {
			_, err = order[struct{}](a, "DELETE", nil, "accounts", c.Account, "domains", d.ID.String(), "draft")
		}
		if err == nil && c.JSON {
			d.HasDraft = false
			return printJSON(t, d)
		}
		if err == nil {
			_, err = fmt.Fprintf(t.out, "The draft of %q is discarded.\n", inLine(d.Title))
		}
		return err
	})
}
