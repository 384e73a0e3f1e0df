package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/history"
	"reckon/events"
	"reckon/projections"
)

// TestNothingSentSteersATerminal: prompts stand in what an administrator reads.
func TestNothingSentSteersATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"Ünïcode — 家 👩\u200d🍳\tand\nlines": "Ünïcode — 家 👩\u200d🍳\tand\nlines",
		"\x1b[2J\x1b]0;title\a":            `\u001b[2J\u001b]0;title\u0007`,
		"good\rbad\b\x7f":                  `good\u000dbad\u0008\u007f`,
		"\u009b2J, \u202ereverse\u202c":    `\u009b2J, \u202ereverse\u202c`,
		"\xff\xfe":                         "\xff\xfe",
	} {
		var out bytes.Buffer
		if n, err := (visible{&out}).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
		if out.String() != want {
			t.Errorf("%q is shown as %q, want %q", text, out.String(), want)
		}
	}
	var out bytes.Buffer
	if err := printJSON(terminal{out: visible{&out}}, "\u009b\u202e\x7f\n"); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != "\u009b\u202e\x7f\n" {
		t.Errorf("%s says %q (%v)", out.Bytes(), back, err)
	}
}

// TestStoredTitlesAreEscaped: names and titles in the log may be older than the rules for them.
func TestStoredTitlesAreEscaped(t *testing.T) {
	const title, account = "Trip\x1b[2J\u009b\u202e\u200f\nforged\tforged", "ac\u202eme"
	dir := t.TempDir()
	outputs := map[string]string{}
	on := terminal{Context: t.Context(), out: io.Discard, err: io.Discard}
	var d dev
	definition := events.Definition{
		Title:      title,
		Variables:  []events.Variable{{Key: "a", Title: title, Kind: "number"}, {Key: "b", Title: "b", Kind: "number"}},
		Activities: []events.Activity{{Title: title, Equation: "b = 2 * a", State: "active"}},
	}
	if err := (directory{Data: dir}).begin(on, func(a commands.Admin) error {
		id := commands.AccountID(account)
		created := &events.AccountCreated{AccountID: id, Name: account, TimeZone: "UTC", BodyVersion: 2}
		if _, err := a.Log.Append(t.Context(), events.Event{ID: uuid.New(), Time: time.Now(), Subject: events.AccountSubject(id), Data: created}, 0); err != nil {
			return err
		}
		if _, err := a.Publish(t.Context(), commands.Publication{Account: account, Definition: definition}); err != nil {
			return err
		}
		found, err := a.Account(t.Context(), account)
		if err != nil {
			return err
		}
		d.domains, err = a.Domains(t.Context(), found.ID)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"account list", "account list --json", "account set " + account + " --body-version 1", "domain list --account " + account, "domain list --json --account " + account, "key create --account " + account} {
		outputs[line] = reckon(t, append(strings.Fields(line), "--data", dir)...)
	}
	var out bytes.Buffer
	on.out = visible{&out}
	d.print(on, "http://127.0.0.1:1")
	outputs["serve --dev"] = out.String()
	out.Reset()
	head := title
	message := projections.Message{Completed: &events.MessageCompleted{Results: events.Results{
		Activities: []events.ResultActivity{{Title: title, Equation: "b = 2 * a"}},
	}}}
	message.Prompt, message.Domain.Title = title, title
	if err := showHistory(on, history.Snapshot{
		Head:      projections.Conversation{Title: &head, Domain: &projections.DomainRef{Title: title}},
		Messages:  []projections.Message{message},
		Scenarios: []history.Scenario{{Message: message}},
	}); err != nil {
		t.Fatal(err)
	}
	outputs["history"] = out.String()
	for command, output := range outputs {
		if !strings.Contains(output, `\u202e`) {
			t.Errorf("%s does not show the name: %q", command, output)
		}
		if i := strings.IndexFunc(output, steersText); i >= 0 {
			t.Errorf("%s steers the terminal at byte %d: %q", command, i, output)
		}
		if strings.Contains(output, "\nforged") {
			t.Errorf("%s lets a title end its line: %q", command, output)
		}
	}
}
