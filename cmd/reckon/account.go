package main

import (
	"fmt"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

type accountCommands struct {
	Create accountCreate `cmd:"" help:"Create an account."`
	Set    accountSet    `cmd:"" help:"Change an account's settings."`
	List   accountList   `cmd:"" help:"List accounts."`
}

type accountCreate struct {
	directory
	Name        string `arg:"" help:"Name of the account."`
	TimeZone    string `help:"Zone that decides 'today' and 'now' where a request names none (${default})." default:"UTC" placeholder:"ZONE"`
	BodyVersion int    `help:"Shape of answers where a request names none: 1 or 2 (${default})." default:"2" placeholder:"N"`
	JSON        bool   `help:"Print JSON."`
}

func (*accountCreate) Help() string {
	return "Examples:\n  reckon account create acme\n  reckon account create acme --time-zone Europe/Berlin"
}

func (c *accountCreate) Run(t terminal) error {
	return c.begin(t, func(a commands.Admin) error {
		account, err := a.CreateAccount(t, commands.CreateAccount{Name: c.Name, TimeZone: c.TimeZone, BodyVersion: c.BodyVersion})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rowOfAccount(account))
		}
		fmt.Fprintf(t.out, "Account %q is created. Give it a key with: reckon key create --account %s %s\n%s\n", account.Name, quoted(account.Name), c.flags(), account.ID)
		return nil
	})
}

type accountSet struct {
	directory
	Name        string  `arg:"" help:"Name of the account."`
	TimeZone    *string `help:"Zone that decides 'today' and 'now' where a request names none." placeholder:"ZONE"`
	BodyVersion *int    `help:"Shape of answers where a request names none (1 or 2)." placeholder:"N"`

	Calculations *int `help:"How many calculations a second are answered, by all nodes together; more are answered 429. 0 is without a limit." placeholder:"N"`
	Reads        *int `help:"The same for what is read." placeholder:"N"`
	Prose        *int `help:"The same for calculations in natural language." placeholder:"N"`

	MonthMessages *int  `help:"How many messages are answered in a month of UTC; more are answered 429 until it ends. 0 is without a limit." placeholder:"N"`
	MonthBytes    *size `help:"How much is stored of them in a month, such as 500MiB or 2GiB. 0 is without a limit." placeholder:"SIZE"`
	JSON          bool  `help:"Print JSON."`
}

func (*accountSet) Help() string {
	return "Examples:\n  reckon account set acme --time-zone America/New_York\n  reckon account set acme --calculations 50 --reads 200 --prose 2\n  reckon account set acme --month-messages 100000 --month-bytes 2GiB"
}

func (c *accountSet) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		change := commands.ChangeAccount{Name: c.Name, TimeZone: c.TimeZone, BodyVersion: c.BodyVersion}
		change.Limits.Calculations, change.Limits.Reads, change.Limits.Prose = c.Calculations, c.Reads, c.Prose
		change.Limits.MonthMessages, change.Limits.MonthBytes = c.MonthMessages, (*int)(c.MonthBytes)
		account, err := a.ChangeAccount(t, change)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rowOfAccount(account))
		}
		fmt.Fprintf(t.out, "Account %q: time zone %s, body version %d%s\n", account.Name, account.TimeZone, account.BodyVersion, limitsText(account.Limits))
		return nil
	})
}

// limitsText says what limits there are, behind a comma.
func limitsText(l projections.Limits) (text string) {
	for _, limit := range []struct {
		n    int
		what string
	}{
		{l.Calculations, "calculations a second"}, {l.Reads, "reads a second"}, {l.Prose, "calculations in natural language a second"},
		{l.MonthMessages, "messages a month"}, {l.MonthBytes, "bytes a month"},
	} {
		if limit.n > 0 {
			text += fmt.Sprintf(", %d %s", limit.n, limit.what)
		}
	}
	return text
}

type accountList struct {
	directory
	JSON bool `help:"Print JSON."`
}

// accountRow is an account as lists show it.
type accountRow struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	TimeZone    string    `json:"time_zone"`
	BodyVersion int       `json:"body_version"`
	ActiveKeys  int       `json:"active_keys"`

	Limits projections.Limits `json:"limits,omitzero"`
}

func rowOfAccount(a projections.Account) accountRow {
	return accountRow{a.ID, a.Name, a.TimeZone, a.BodyVersion, len(active(a)), a.Limits}
}

func (c *accountList) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		accounts, err := a.Accounts(t)
		if err != nil {
			return err
		}
		rows := []accountRow{}
		for _, account := range accounts {
			rows = append(rows, rowOfAccount(account))
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("NAME", "TIME ZONE", "BODY", "KEYS", "ID")
		for _, r := range rows {
			table.add(r.Name, r.TimeZone, fmt.Sprint(r.BodyVersion), fmt.Sprint(r.ActiveKeys), r.ID.String())
		}
		return table.print(t, "There are no accounts yet. Create one with: reckon account create NAME "+c.flags())
	})
}

// active lists the keys of an account that are not revoked.
func active(account projections.Account) []projections.Key {
	var keys []projections.Key
	for _, key := range account.Keys {
		if !key.Revoked {
			keys = append(keys, key)
		}
	}
	return keys
}
