package main

import (
	"errors"
	"fmt"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/projections"
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
	return c.run(t, true, func(commands.Admin, []*domainfile.File) error { return nil })
}

// draftOf is a draft that is named instead of a file.
type draftOf struct {
	directory
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

// file is the draft as a domain file.
func (d draftOf) file(t terminal, a commands.Admin) (*domainfile.File, error) {
	f, _, err := draftFile(t, a, d.Account, d.Draft)
	return f, err
}

// draftFile is the draft of a domain as a domain file, with the domain.
func draftFile(t terminal, a commands.Admin, account, domain string) (*domainfile.File, projections.Domain, error) {
	d, err := findDomain(t, a, account, domain)
	if err != nil {
		return nil, d, err
	}
	if d.Draft == nil {
		return nil, d, fmt.Errorf("%q has no draft: keep one with 'reckon domain draft FILE --account NAME'", inLine(commands.Title(d)))
	}
	text, err := domainfile.Text(d.Key, *d.Draft)
	if err != nil {
		return nil, d, err
	}
	return domainfile.Parse("draft of "+inLine(commands.Title(d)), text), d, nil
}

type draftShow struct {
	directory
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
	return c.administer(t, func(a commands.Admin) error {
		f, d, err := draftFile(t, a, c.Account, c.Domain)
		if err != nil {
			return err
		}
		e, err := a.Draft(t, d)
		if err != nil {
			return err
		}
		draft := e.Data.(*events.DomainDrafted)
		source := draft.Source
		if source == "" {
			source = string(f.Bytes())
		}
		if c.JSON {
			return printJSON(t, draftBody{d.Key, draft.Comment, e.Time, draft.By, source, draft.Definition})
		}
		_, err = fmt.Fprint(t.out, source)
		return err
	})
}

type draftDiscard struct {
	directory
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
}

func (*draftDiscard) Help() string {
	return "Example:\n  reckon domain draft discard 'Road trip' --account acme"
}

func (c *draftDiscard) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		d, err := findDomain(t, a, c.Account, c.Domain)
		if err == nil {
			err = a.Discard(t, d.AccountID, d.ID, 0)
		}
		if err == nil {
			_, err = fmt.Fprintf(t.out, "The draft of %q is discarded.\n", inLine(commands.Title(d)))
		}
		return err
	})
}
