package main

import (
	"fmt"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
)

type domainVersions struct {
	directory
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

func (*domainVersions) Help() string {
	return "Example:\n  reckon domain versions 'Road trip' --account acme"
}

// versionRow is a published version as lists show it.
type versionRow struct {
	Version     int       `json:"version"`
	PublishedAt time.Time `json:"published_at"`
	Title       string    `json:"title"`
	Variables   int       `json:"variables"`
	Activities  int       `json:"activities"`
	Tests       int       `json:"tests"`
}

func (c *domainVersions) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		published, err := publicationsOf(t, a, c.Account, c.Domain)
		if err != nil {
			return err
		}
		rows := []versionRow{}
		list := newTable("VERSION", "PUBLISHED", "TITLE", "VARIABLES", "ACTIVITIES", "TESTS")
		for _, e := range published {
			data := e.Data.(*events.DomainPublished)
			def := data.Definition
			rows = append(rows, versionRow{data.Version, e.Time, def.Title, len(def.Variables), len(def.Activities), len(def.Tests)})
			list.add(fmt.Sprint(data.Version), stamp(e.Time), def.Title, fmt.Sprint(len(def.Variables)), fmt.Sprint(len(def.Activities)), fmt.Sprint(len(def.Tests)))
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		return list.print(t, "")
	})
}

type domainExport struct {
	directory
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Version int    `help:"The version; the newest when absent." placeholder:"N"`
}

func (*domainExport) Help() string {
	return "The file has the domain's key, so that publishing it elsewhere, or under another title, is the same domain. The author's comments are not kept by publishing.\n\nExample:\n  reckon domain export 'Road trip' --account acme > trip.yaml"
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
