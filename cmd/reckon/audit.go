package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"reckon/http/admin"
)

type auditCommand struct {
	installation
	Account string `help:"Name of an account; all accounts and users without it." placeholder:"NAME"`
	Since   string `help:"How long ago to begin, or when: 30d, 12h, 2026-03-05." placeholder:"TIME"`
	JSON    bool   `help:"Print JSON."`

	Erasures bool `help:"Print the erased conversations alone, as JSON lines that 'reckon restore --erasures' reads."`
}

func (*auditCommand) Help() string {
	return "Examples:\n  reckon audit --account acme --since 30d\n  reckon audit --json\n  reckon audit --erasures > erasures.jsonl"
}

func (c *auditCommand) Run(t terminal) error {
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	query, path := url.Values{}, []string{"audit"}
	if !since.IsZero() {
		query.Set("since", since.UTC().Format(time.RFC3339Nano))
	}
	if c.Account != "" {
		path = []string{"accounts", c.Account, "audit"}
	}
	return c.ask(t, func(a administration) error {
		rows, err := list[admin.Audited](a, query, path...)
		if err != nil {
			return err
		}
		if c.Erasures {
			return printErasures(t, rows)
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("TIME", "BY", "EVENT", "WHAT")
		for _, r := range rows {
			table.add(stamp(r.Time), actorOf(r.ActedAs), r.Event, whatOf(r))
		}
		return table.print(t, "Nothing was administered in that time.")
	})
}

// actorOf says who it was and how.
func actorOf(r admin.ActedAs) string {
	if r.By == nil {
		return "not recorded"
	}
	who := cmp.Or(r.Email, r.By.Name)
	if who == "" && r.By.UserID != nil {
		who = r.By.UserID.String()
	}
	return strings.TrimSpace(who + " (" + r.By.How + ")")
}

// whatOf names the members of the event.
func whatOf(r admin.Audited) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Data)) {
		value := r.Data[name]
		switch value.(type) {
		case map[string]any, []any:
			if text, err := json.Marshal(value); err == nil { // it came as JSON
				value = string(text)
			}
		}
		parts = append(parts, fmt.Sprintf("%s=%v", name, value))
	}
	return strings.Join(parts, " ")
}
