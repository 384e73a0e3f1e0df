package main

import (
	"errors"
	"fmt"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
)

type domainVersions struct {
	directory
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Version int    `arg:"" optional:"" help:"One of them."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Source  bool   `help:"Print what the author wrote of the version."`
	JSON    bool   `help:"Print JSON."`
}

func (*domainVersions) Help() string {
	return "Examples:\n  reckon domain versions 'Road trip' --account acme\n  reckon domain versions 'Road trip' 3 --source --account acme"
}

// versionRow is a published version as lists show it.
type versionRow struct {
	Version     int           `json:"version"`
	PublishedAt time.Time     `json:"published_at"`
	Title       string        `json:"title"`
	Variables   int           `json:"variables"`
	Activities  int           `json:"activities"`
	Tests       int           `json:"tests"`
	Comment     string        `json:"comment"`
	HasSource   bool          `json:"has_source"` // what the author wrote was kept
	By          *events.Actor `json:"by"`         // null where it was recorded before actors were
	Email       string        `json:"email"`      // of the user who published it, "" for none
}

func (c *domainVersions) Run(t terminal) error {
	if c.Source && (c.Version == 0 || c.JSON) {
		return errors.New("--source prints what the author wrote of one version: name it, and leave out --json")
	}
	return c.administer(t, func(a commands.Admin) error {
		published, err := publicationsOf(t, a, c.Account, c.Domain)
		if err != nil {
			return err
		}
		emails, err := emailsOf(t, a)
		if err != nil {
			return err
		}
		rows := []versionRow{}
		list := newTable("VERSION", "PUBLISHED", "BY", "TITLE", "VARIABLES", "ACTIVITIES", "TESTS", "COMMENT")
		if c.Version != 0 {
			one, err := publishedVersion(published, c.Version)
			if err != nil {
				return err
			}
			if c.Source {
				return printSource(t, one)
			}
		}
		for _, e := range published {
			data := e.Data.(*events.DomainPublished)
			if c.Version != 0 && data.Version != c.Version {
				continue
			}
			def, by := data.Definition, actedBy(data.By, emails)
			rows = append(rows, versionRow{
				data.Version, e.Time, def.Title, len(def.Variables), len(def.Activities), len(def.Tests),
				data.Comment, data.Source != "", by.By, by.Email,
			})
			list.add(fmt.Sprint(data.Version), stamp(e.Time), by.text(), def.Title, fmt.Sprint(len(def.Variables)), fmt.Sprint(len(def.Activities)), fmt.Sprint(len(def.Tests)), oneLine(data.Comment, 72))
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		return list.print(t, "")
	})
}

// printSource prints what the author of a version wrote.
func printSource(t terminal, version *events.DomainPublished) error {
	if version.Source == "" {
		return fmt.Errorf("what the author of version %d wrote was not kept: 'reckon domain export' makes a file of it", version.Version)
	}
	_, err := fmt.Fprint(t.out, version.Source)
	return err
}

type domainExport struct {
	directory
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Version int    `help:"The version; the newest when absent." placeholder:"N"`
}

func (*domainExport) Help() string {
	return "The file has the domain's key, so that publishing it elsewhere, or under another title, is the same domain. It is made of the version, without the author's comments; 'reckon domain versions DOMAIN N --source' has the author's own text.\n\nExample:\n  reckon domain export 'Road trip' --account acme > trip.yaml"
}

func (c *domainExport) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		published, err := publicationsOf(t, a, c.Account, c.Domain)
		if err != nil {
			return err
		}
		data, err := publishedVersion(published, c.Version)
		if err != nil {
			return err
		}
		text, err := domainfile.Text(data.Key, data.Definition)
		if err == nil {
			_, err = t.out.Write(text)
		}
		return err
	})
}

// publicationsOf lists the published versions of a domain that is named, oldest first.
func publicationsOf(t terminal, a commands.Admin, account, domain string) ([]events.Event, error) {
	d, err := findDomain(t, a, account, domain)
	if err != nil {
		return nil, err
	}
	return publications(t, a, d)
}
