package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
)

type auditCommand struct {
	directory
	Account string `help:"Name of an account; all accounts and users without it." placeholder:"NAME"`
	Since   string `help:"How long ago to begin, or when: 30d, 12h, 2026-03-05." placeholder:"TIME"`
	JSON    bool   `help:"Print JSON."`
}

func (*auditCommand) Help() string {
	return "Examples:\n  reckon audit --account acme --since 30d\n  reckon audit --json"
}

// auditRow is something that was administered.
type auditRow struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Event    string    `json:"event"` // wire name
	Subject  string    `json:"subject"`
	actedAs
	Data map[string]any `json:"data"`
}

// actedAs is who administered, as lists show it.
type actedAs struct {
	By    *events.Actor `json:"by"`    // null where it was recorded before actors were
	Email string        `json:"email"` // of the user who did it, "" for none
}

func actedBy(by *events.Actor, emails map[uuid.UUID]string) actedAs {
	is := actedAs{By: by}
	if by != nil && by.UserID != nil {
		is.Email = emails[*by.UserID]
	}
	return is
}

// emailsOf are the addresses of all users.
func emailsOf(t terminal, a commands.Admin) (map[uuid.UUID]string, error) {
	users, err := a.Users(t)
	emails := map[uuid.UUID]string{}
	for _, user := range users {
		emails[user.ID] = user.Email
	}
	return emails, err
}

// notShown are members of events that audit leaves out: what is shown already, what is of use only
// to find a secret, and what is too long.
var notShown = []string{"by", "hash", "definition", "source"}

func (c *auditCommand) Run(t terminal) error {
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	return c.administer(t, func(a commands.Admin) error {
		list, err := a.Audit(t, c.Account, since)
		if err != nil {
			return err
		}
		emails, err := emailsOf(t, a)
		if err != nil {
			return err
		}
		rows := []auditRow{}
		for _, e := range list {
			row, err := audited(e, emails)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("TIME", "BY", "EVENT", "WHAT")
		for _, r := range rows {
			table.add(stamp(r.Time), r.text(), r.Event, r.what())
		}
		return table.print(t, "Nothing was administered in that time.")
	})
}

func audited(e events.Event, emails map[uuid.UUID]string) (auditRow, error) {
	row := auditRow{Sequence: e.Sequence, Time: e.Time, Subject: e.Subject.String(), Event: events.Name(e.Data)}
	text, err := events.Marshal(e.Data)
	if err == nil {
		err = events.Unmarshal(text, &row.Data)
	}
	if err != nil {
		return row, fmt.Errorf("read event %d: %w", e.Sequence, err)
	}
	if definition, is := row.Data["definition"].(map[string]any); is {
		row.Data["title"] = definition["title"]
	}
	for _, name := range notShown {
		delete(row.Data, name)
	}
	row.actedAs = actedBy(e.Data.(events.Administration).Actor(), emails)
	return row, nil
}

// text says who it was and how.
func (r actedAs) text() string {
	if r.By == nil {
		return "not recorded"
	}
	who := cmp.Or(r.Email, r.By.Name)
	if who == "" && r.By.UserID != nil {
		who = r.By.UserID.String()
	}
	return strings.TrimSpace(who + " (" + r.By.How + ")")
}

// what names the members of the event.
func (r auditRow) what() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Data)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, r.Data[name]))
	}
	return strings.Join(parts, " ")
}
