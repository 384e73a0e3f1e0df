package main

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type usageCommand struct {
	directory
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

// usedRow is what was used, as lists show it; of the members that name it one is there.
type usedRow struct {
	Day      string    `json:"day,omitempty"`
	DomainID uuid.UUID `json:"domain_id,omitzero"`
	KeyID    uuid.UUID `json:"key_id,omitzero"`
	Code     string    `json:"code,omitempty"`
	Name     string    `json:"name"` // of the domain or the key; "others" of all that were too many to count one by one
	projections.Count
}

func (c *usageCommand) Run(t terminal) error {
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	var account projections.Account
	names := map[uuid.UUID]string{}
	err = c.administer(t, func(a commands.Admin) (err error) {
		if account, err = a.Account(t, c.Account); err != nil {
			return err
		}
		domains, err := a.Domains(t, account.ID)
		for _, d := range domains {
			names[d.ID] = commands.Title(d)
		}
		for _, k := range account.Keys {
			names[k.ID] = strings.TrimSpace(k.Name + " …" + k.Hint)
		}
		return err
	})
	if err != nil {
		return err
	}
	used, err := c.used(t, account.ID, since)
	switch {
	case err != nil:
		return err
	case c.Unanswered:
		return c.printUnanswered(t, used.Unanswered)
	}
	rows := usedRows(used.Days, c.By, names)
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

// used asks the views for what an account has used.
func (d directory) used(t terminal, account uuid.UUID, since time.Time) (used projections.AccountUsed, err error) {
	err = d.withViews(t, func(v *projections.Views) error {
		err := v.CaughtUp(t)
		if err == nil {
			used, err = v.AccountUsed(t, account, since)
		}
		return err
	}, func(r projections.Remote) (err error) {
		used, err = r.AccountUsed(t, account, since)
		return err
	})
	return used, err
}

// usedRows adds days up: by day in order, by others the most first.
func usedRows(days []projections.DayUsed, by string, names map[uuid.UUID]string) []usedRow {
	rows := []usedRow{}
	ids, codes := map[uuid.UUID]projections.Count{}, map[string]int{}
	for _, d := range days {
		of := map[uuid.UUID]projections.Count{}
		switch by {
		case "day":
			rows = append(rows, usedRow{Day: d.Day, Count: d.Count})
		case "domain":
			of = d.Domains
		case "key":
			of = d.Keys
		case "code":
			for code, n := range d.Codes {
				codes[code] += n
			}
		}
		for id, c := range of {
			ids[id] = ids[id].Plus(c)
		}
	}
	for id, c := range ids {
		row := usedRow{Name: names[id], Count: c}
		switch {
		case id == uuid.Nil:
			row.Name = "others"
		case by == "domain":
			row.DomainID = id
		default:
			row.KeyID = id
		}
		rows = append(rows, row)
	}
	for code, n := range codes {
		rows = append(rows, usedRow{Code: code, Count: projections.Count{Messages: n, Errors: n}, Name: ""})
	}
	if by != "day" {
		slices.SortFunc(rows, func(a, b usedRow) int {
			return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code), cmp.Compare(a.KeyID.String(), b.KeyID.String()), cmp.Compare(a.DomainID.String(), b.DomainID.String()))
		})
	}
	return rows
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
