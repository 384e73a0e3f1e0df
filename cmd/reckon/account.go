package main

import (
	"fmt"
	"strconv"
	"strings"

	"reckon/http/admin"
	"reckon/projections"
)

type accountCommands struct {
	Create accountCreate `cmd:"" help:"Create an account."`
	Set    accountSet    `cmd:"" help:"Change an account's settings."`
	List   accountList   `cmd:"" help:"List accounts."`

	Export  accountExport  `cmd:"" help:"Write what an account has as files that a person can read."`
	Suspend accountSuspend `cmd:"" help:"End the use of an account's keys until it is resumed."`
	Resume  accountResume  `cmd:"" help:"Take a suspended account into use again."`
	Erase   accountErase   `cmd:"" help:"End an account, and forget all its conversations."`
}

type accountCreate struct {
	installation
	Name        string `arg:"" help:"Name of the account."`
	TimeZone    string `help:"Zone that decides 'today' and 'now' where a request names none (${default})." default:"UTC" placeholder:"ZONE"`
	BodyVersion int    `help:"Shape of answers where a request names none: 1 or 2 (${default})." default:"2" placeholder:"N"`
	Language    string `help:"Language that prose is read and answered in where a request names none, such as de; that of each domain when absent." placeholder:"TAG"`
	JSON        bool   `help:"Print JSON."`
}

func (*accountCreate) Help() string {
	return "Examples:\n  reckon account create acme\n  reckon account create acme --time-zone Europe/Berlin"
}

func (c *accountCreate) Run(t terminal) error {
	return c.askNew(t, func(a administration) error {
		account, err := command[admin.Account](a, admin.NewAccount{Name: c.Name, TimeZone: c.TimeZone, BodyVersion: c.BodyVersion, Language: c.Language}, "accounts")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, account)
		}
		fmt.Fprintf(t.out, "Account %q is created. Give it a key with: reckon key create --account %s %s\n%s\n", account.Name, quoted(account.Name), c.flags(), account.ID)
		return nil
	})
}

type accountSet struct {
	installation
	Name        string  `arg:"" help:"Name of the account."`
	Title       *string `name:"name" help:"What people see in place of the name, which goes on leading to the account; empty for nothing else." placeholder:"TEXT"`
	TimeZone    *string `help:"Zone that decides 'today' and 'now' where a request names none." placeholder:"ZONE"`
	BodyVersion *int    `help:"Shape of answers where a request names none (1 or 2)." placeholder:"N"`
	Language    *string `help:"Language that prose is read and answered in where a request names none, such as de; '' for that of each domain." placeholder:"TAG"`
	Retention   *days   `help:"Erase conversations by themselves once the last message is that old, such as 400d; 'off' keeps them for ever." placeholder:"DAYS"`

	limitFlags
	Ceiling limitFlags `embed:"" prefix:"ceiling-" help:"What an operator allows at most."`
	JSON    bool       `help:"Print JSON."`
}

// days reads a number of days.
type days int

func (d *days) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		text = []byte("0")
	}
	number, marked := strings.CutSuffix(string(text), "d")
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || !marked && n != 0 {
		return fmt.Errorf("%q: give days such as 400d, or off", text)
	}
	*d = days(n)
	return nil
}

// limitFlags are limits that are changed.
type limitFlags struct {
	Calculations *int `help:"How many calculations a second are answered, by all nodes together; more are answered 429. 0 is without a limit." placeholder:"N"`
	Reads        *int `help:"The same for what is read." placeholder:"N"`
	Prose        *int `help:"The same for calculations in natural language." placeholder:"N"`

	MonthMessages *int  `help:"How many messages are answered in a month of UTC; more are answered 429 until it ends. 0 is without a limit." placeholder:"N"`
	MonthBytes    *size `help:"How much is stored of them in a month, such as 500MiB or 2GiB. 0 is without a limit." placeholder:"SIZE"`
}

func (f limitFlags) change() admin.LimitsChange {
	return admin.LimitsChange{
		Calculations: f.Calculations, Reads: f.Reads, Prose: f.Prose,
		MonthMessages: f.MonthMessages, MonthBytes: (*int)(f.MonthBytes),
	}
}

func (*accountSet) Help() string {
	return "The limits are the account's own; those that begin with --ceiling are what an operator allows, and of both the lower one holds. What --retention erases cannot be brought back.\n\nExamples:\n  reckon account set acme --name 'Acme Road Trips'\n  reckon account set acme --ceiling-calculations 100 --ceiling-month-bytes 10GiB\n  reckon account set acme --time-zone America/New_York\n  reckon account set acme --language de\n  reckon account set acme --calculations 50 --reads 200 --prose 2\n  reckon account set acme --month-messages 100000 --month-bytes 2GiB\n  reckon account set acme --retention 400d"
}

func (c *accountSet) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		change := admin.AccountChange{
			Title: c.Title, TimeZone: c.TimeZone, BodyVersion: c.BodyVersion, Language: c.Language, Retention: (*int)(c.Retention),
			Limits: c.limitFlags.change(), Ceiling: c.Ceiling.change(),
		}
		account, err := order[admin.Account](a, "PATCH", change, "accounts", c.Name)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, account)
		}
		fmt.Fprintf(t.out, "Account %q: time zone %s, body version %d%s%s%s\n", account.Name, account.TimeZone, account.BodyVersion, languageText(account.Language), limitsText(account.Allowed), retentionText(account.Retention))
		return nil
	})
}

// languageText says what language prose is in, behind a comma.
func languageText(tag string) string {
	if tag == "" {
		return ""
	}
	return ", language " + tag
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

// retentionText says for how long conversations are kept, behind a comma.
func retentionText(days int) string {
	if days == 0 {
		return ""
	}
	return fmt.Sprintf(", conversations erased %d d after their last message", days)
}

type accountList struct {
	installation
	JSON bool `help:"Print JSON."`
}

func (c *accountList) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Account](a, nil, "accounts")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("NAME", "TITLE", "TIME ZONE", "BODY", "KEYS", "STATE", "ID")
		for _, r := range rows {
			table.add(r.Name, r.Title, r.TimeZone, fmt.Sprint(r.BodyVersion), fmt.Sprint(r.ActiveKeys), r.State, r.ID.String())
		}
		empty := "There are no accounts yet. Create one with: reckon account create NAME " + c.flags()
		if c.Server != "" {
			empty = "There are no accounts that you and your token have a part in. An owner of one, or an operator, gives you a role there."
		}
		return table.print(t, empty)
	})
}

type accountSuspend struct {
	installation
	Name   string `arg:"" help:"Name of the account."`
	Reason string `help:"Why, as its members see it." placeholder:"TEXT"`
	JSON   bool   `help:"Print JSON."`
}

func (*accountSuspend) Help() string {
	return "Within a second its keys are refused by all nodes, and nothing is published for it. What it has stays, and can be read by its members.\n\nExample:\n  reckon account suspend acme --reason 'The invoice of October is open.'"
}

func (c *accountSuspend) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		account, err := command[admin.Account](a, admin.Suspension{Reason: c.Reason}, "accounts", c.Name, "suspend")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, account)
		}
		_, err = fmt.Fprintf(t.out, "Account %q is suspended. Take it into use again with: reckon account resume %s %s\n", account.Name, quoted(account.Name), c.flags())
		return err
	})
}

type accountResume struct {
	installation
	Name string `arg:"" help:"Name of the account."`
	JSON bool   `help:"Print JSON."`
}

func (*accountResume) Help() string { return "Example:\n  reckon account resume acme" }

func (c *accountResume) Run(t terminal) error {
	return c.ask(t, func(a administration) error {
		account, err := command[admin.Account](a, nil, "accounts", c.Name, "resume")
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t, account)
		}
		_, err = fmt.Fprintf(t.out, "Account %q is in use.\n", account.Name)
		return err
	})
}
