package main

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"reckon/http/admin"
	"reckon/projections"
)

type usageCommand struct {
	installation
	Account    string `help:"Name of the account." required:"" placeholder:"NAME"`
	By         string `help:"What to count by: ${enum} (${default}). Errors are counted by their codes, a message once by each of its." enum:"day,domain,key,code" default:"day" placeholder:"WHAT"`
	Since      string `help:"How far back, by days of UTC, at most 400: how long ago, or a date (${default})." default:"30d" placeholder:"TIME"`
	Unanswered bool   `help:"List the questions with words that nobody understood instead, the newest 200 at most."`
	JSON       bool   `help:"Print JSON."`
}

func (*usageCommand) Help() string {
	return `Counts messages that were answered, those of them with errors, and bytes that are stored of them.

Examples:
  reckon usage --account acme
  reckon usage --account acme --by domain --since 2026-01-01
  reckon usage --account acme --unanswered --since 7d --json`
}

func (c *usageCommand) Run(t terminal) error {
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	query := url.Values{"since": {since.UTC().Format(time.RFC3339Nano)}}
	if c.Unanswered {
		var rows []projections.Unanswered
		err := c.askViews(t, func(a administration) (err error) {
			rows, err = list[projections.Unanswered](a, query, "accounts", c.Account, "unanswered")
			return err
		})
		if err != nil {
			return err
		}
		return c.printUnanswered(t, rows)
	}
	query.Set("by", c.By)
	var rows []admin.Used
	err = c.askViews(t, func(a administration) (err error) {
		rows, err = list[admin.Used](a, query, "accounts", c.Account, "usage")
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(t, rows)
	}
	table := newTable(strings.ToUpper(c.By), "MESSAGES", "ERRORS", "BYTES")
	if c.By == "code" {
		table = newTable("CODE", "MESSAGES")
	}
	for _, r := range rows {
		name := cmp.Or(r.Day, r.Code, r.Name, r.DomainID.String())
		if c.By == "key" {
			name = cmp.Or(r.Name, r.KeyID.String())
		}
		cells := []string{name, grouped(uint64(r.Messages))}
		if c.By != "code" {
			cells = append(cells, grouped(uint64(r.Errors)), grouped(uint64(r.Bytes)))
		}
		table.add(cells...)
	}
	return table.print(t, "The account has calculated nothing in that time.")
}

func (c *usageCommand) printUnanswered(t terminal, list []projections.Unanswered) error {
	if c.JSON {
		return printJSON(t, list)
	}
	table := newTable("TIME", "DOMAIN", "CODE", "WORDS", "MESSAGE")
	for _, u := range list {
		table.add(stamp(u.At), u.Domain, u.Code, oneLine(u.Words, 60), u.MessageID.String())
	}
	return table.print(t, "There are no such questions in that time.")
}
