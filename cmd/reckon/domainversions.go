package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"reckon/http/admin"
)

type domainVersions struct {
	installation
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Version int    `arg:"" optional:"" help:"One of them."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Source  bool   `help:"Print what the author wrote of the version."`
	JSON    bool   `help:"Print JSON."`
}

func (*domainVersions) Help() string {
	return "Examples:\n  reckon domain versions 'Road trip' --account acme\n  reckon domain versions 'Road trip' 3 --source --account acme"
}

func (c *domainVersions) Run(t terminal) error {
	if c.Source && (c.Version == 0 || c.JSON) {
		return errors.New("--source prints what the author wrote of one version: name it, and leave out --json")
	}
	return c.ask(t, func(a administration) error {
		var rows []admin.Version
		if c.Version == 0 {
			all, err := list[admin.Version](a, nil, "accounts", c.Account, "domains", c.Domain, "versions")
			if err != nil {
				return err
			}
			rows = all
		} else {
			one, err := a.version(c.Account, c.Domain, c.Version)
			if err != nil {
				return err
			}
			if c.Source {
				return printSource(t, one)
			}
			rows = append(rows, one.Version)
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("VERSION", "PUBLISHED", "BY", "TITLE", "VARIABLES", "ACTIVITIES", "TESTS", "COMMENT")
		for _, r := range rows {
			table.add(fmt.Sprint(r.Version), stamp(r.PublishedAt), actorOf(r.ActedAs), r.Title, fmt.Sprint(r.Variables), fmt.Sprint(r.Activities), fmt.Sprint(r.Tests), oneLine(r.Comment, 72))
		}
		return table.print(t, "")
	})
}

// printSource prints what the author of a version wrote.
func printSource(t terminal, version admin.VersionSource) error {
	if version.Source == "" {
		return fmt.Errorf("what the author of version %d wrote was not kept: 'reckon domain export' makes a file of it", version.Version.Version)
	}
	_, err := io.WriteString(t.out, version.Source)
	return err
}

type domainExport struct {
	installation
	Domain  string `arg:"" help:"Title, dm_ key or id of the domain."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Version int    `help:"The version; the newest when absent." placeholder:"N"`
}

func (*domainExport) Help() string {
	return "The file has the domain's key, so that publishing it elsewhere, or under another title, is the same domain. It is made of the version, without the author's comments; 'reckon domain versions DOMAIN N --source' has the author's own text.\n\nExample:\n  reckon domain export 'Road trip' --account acme > trip.yaml"
}

func (c *domainExport) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		version, err := a.version(c.Account, c.Domain, c.Version)
		if err == nil {
			_, err = io.WriteString(t.out, version.File)
		}
		return err
	})
}

// version is a published version of a domain, the newest for 0.
func (a administration) version(account, domain string, number int) (admin.VersionSource, error) {
	name := "newest"
	if number != 0 {
		name = strconv.Itoa(number)
	}
	return fetch[admin.VersionSource](a, "accounts", account, "domains", domain, "versions", name)
}
