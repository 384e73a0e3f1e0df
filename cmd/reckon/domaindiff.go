package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"reckon/commands/domainfile"
	"reckon/commands/history"
	"reckon/events"
	"reckon/http/admin"
)

// compareFile tells what a file would change of what an account has been answered.
func compareFile(a administration, f *domainfile.File, account string, since time.Time, report func(history.Shift) error) (history.Compared, error) {
	shown := newProgressLine(a.t, false, "events")
	defer shown.end()
	var done history.Compared
	file, err := sent(f)
	if err != nil {
		return done, err
	}
	err = a.each(admin.Diff{File: file, Since: &since}, "summary", func(name string, value json.RawMessage) error {
		switch name {
		case "shift":
			shown.end()
			var s history.Shift
			if err := events.Unmarshal(value, &s); err != nil {
				return err
			}
			return report(s)
		case "summary":
			return events.Unmarshal(value, &done)
		}
		return shown.heard(value)
	}, "accounts", account, "domains", "diff")
	return done, err
}

type domainDiff struct {
	installation
	File     string `arg:"" optional:"" name:"file" help:"Domain file, YAML or JSON; with --versions also the title, dm_ key or id of a domain."`
	Draft    string `help:"Compare the account's draft of a domain, by its title, dm_ key or id, instead of a file." placeholder:"DOMAIN"`
	Account  string `help:"Name of the account." required:"" placeholder:"NAME"`
	Since    string `help:"How far back to look: how long ago, a date or a time (${default})." default:"30d" placeholder:"T"`
	Text     bool   `help:"Compare texts, not answers: what the file changes in the newest published version."`
	Versions string `help:"Compare the texts of two published versions, such as 3..5, or of one and the newest." placeholder:"N..M"`
	JSON     bool   `help:"Print JSON."`
}

func (*domainDiff) Help() string {
	return `Computes what the account has asked of the domain with the file and with the newest published version, each message on the scenario that it was based on then, and lists the answers that differ: those with other values (and by how much), those that begin to fail, to succeed, or to fail otherwise. Titles, descriptions and formats are not compared. Nothing is published.

With --text or --versions, the texts are compared instead, as domain files without comments, line by line; the exit status is 0 either way.

Examples:
  reckon domain diff trip.yaml --account acme
  reckon domain diff trip.yaml --account acme --since 2026-01-01 --json
  reckon domain diff trip.yaml --account acme --text
  reckon domain diff --draft 'Road trip' --account acme
  reckon domain diff 'Road trip' --account acme --versions 3..5`
}

func (c *domainDiff) Run(t terminal) error {
	switch {
	case (c.File == "") == (c.Draft == ""):
		return errors.New("name a domain file, or a draft with --draft")
	case c.Draft != "" && c.Versions != "":
		return errors.New("--versions compares what is published: leave out --draft")
	}
	if c.Text || c.Versions != "" {
		return c.compareTexts(t)
	}
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	var f *domainfile.File
	if c.File != "" {
		if f, err = domainfile.Read(c.File); err != nil {
			return err
		}
		if _, report := f.Check(); !report.Valid {
			t.showReport(f, report)
			if !f.Readable() {
				return errors.New("the domain file has the errors above")
			}
		}
	}
	out := newListing(t, c.JSON, "answers")
	return c.ask(t, func(a administration) error {
		if c.Draft != "" {
			if f, _, err = a.draft(c.Account, c.Draft); err != nil {
				return err
			}
		}
		done, err := compareFile(a, f, c.Account, since, func(s history.Shift) error {
			return out.add(s, func(w io.Writer) { showShift(w, s) })
		})
		if r := (*refusal)(nil); errors.As(err, &r) && r.code == "error_invalid_domain" {
			return errors.New("the domain file has the errors above")
		}
		if err != nil {
			return err
		}
		return out.end("summary", done, func(w io.Writer) {
			if done.Version == 0 {
				fmt.Fprintf(w, "%q is not published in account %q: there are no answers to compare with.\n", done.Title, c.Account)
				return
			}
			e := done.Effects
			fmt.Fprintf(w, "%s of version %d and before: %d the same, %d changed, %d begin to fail, %d begin to succeed, %d fail otherwise\n",
				count(done.Messages, "answer"), done.Version, done.Same, e[history.Changes], e[history.Fails], e[history.Succeeds], e[history.FailsOtherwise])
		})
	})
}

// effectWords say an effect to people.
var effectWords = map[history.Effect]string{
	history.Changes: "changes", history.Fails: "begins to fail", history.Succeeds: "begins to succeed", history.FailsOtherwise: "fails otherwise",
}

func showShift(w io.Writer, s history.Shift) {
	fmt.Fprintf(w, "message %s, answered %s\n  %s: %s\n", s.MessageID, stamp(s.Time), effectWords[s.Effect], oneLine(s.Prompt, 72))
	showShifted(w, s)
}

// showShifted prints what differs, indented.
func showShifted(w io.Writer, s history.Shift) {
	for _, v := range s.Values {
		fmt.Fprintf(w, "  %s\n", inLine(v.Describe()))
	}
	for _, e := range s.WasErrors {
		fmt.Fprintf(w, "  was %s: %s\n", e.Code, inLine(e.Filled()))
	}
	for _, e := range s.IsErrors {
		fmt.Fprintf(w, "  is %s: %s\n", e.Code, inLine(e.Filled()))
	}
}

// compareTexts prints what differs between two texts of a domain.
func (c *domainDiff) compareTexts(t terminal) error {
	if c.Text && c.Versions != "" {
		return errors.New("--text compares the file, --versions what is published: give one of them")
	}
	from, to, name := 0, 0, cmp.Or(c.File, c.Draft)
	var err error
	if c.Versions != "" {
		if from, to, err = parseVersions(c.Versions); err != nil {
			return err
		}
	}
	var f *domainfile.File
	if _, err := os.Stat(c.File); c.Draft == "" && (err == nil || c.Text) {
		if f, err = domainfile.Read(c.File); err != nil {
			return err
		}
		if !f.Readable() {
			_, report := f.Compile()
			t.showReport(f, report)
			return errors.New("the domain file has the errors above")
		}
		name = cmp.Or(f.Key, f.Definition.Title)
	}
	return c.ask(t, func(a administration) error {
		was, err := a.version(c.Account, name, from)
		if err != nil {
			return err
		}
		if !c.Text {
			is, err := a.version(c.Account, name, to)
			if err != nil {
				return err
			}
			return c.showTexts(t, was, fmt.Sprintf("version %d", is.Version.Version), domainfile.Parse("", []byte(is.File)).Definition)
		}
		if c.Draft != "" {
			if f, _, err = a.draft(c.Account, c.Draft); err != nil {
				return err
			}
		}
		// What is published has defaults as they read back, "45%" and "EU" as numbers.
		def := f.Definition
		if d, _ := f.Compile(); d != nil {
			def = d.Definition
		}
		return c.showTexts(t, was, cmp.Or(c.File, "the draft"), def)
	})
}

// textsDiffer is what differs between two texts as programs read it.
type textsDiffer struct {
	From string `json:"from"`
	To   string `json:"to"`
	Diff string `json:"diff"` // in the unified form, "" where they are the same
}

// showTexts prints what differs between a version and a definition as domain files without keys.
func (c *domainDiff) showTexts(t terminal, was admin.VersionSource, label string, is events.Definition) error {
	before, err := domainfile.Text("", domainfile.Parse("", []byte(was.File)).Definition)
	if err != nil {
		return err
	}
	after, err := domainfile.Text("", is)
	if err != nil {
		return err
	}
	from := fmt.Sprintf("version %d", was.Version.Version)
	if c.JSON {
		_, lines, _ := bytes.Cut(diff.Diff(from, before, label, after), []byte("\n"))
		return printJSON(t, textsDiffer{from, label, string(lines)})
	}
	return showDiff(t.out, from, before, label, after)
}

// showDiff writes a difference of lines, with colours on a terminal.
func showDiff(w io.Writer, was string, before []byte, is string, after []byte) error {
	lines := diff.Diff(inLine(was), before, inLine(is), after)
	if len(lines) == 0 {
		_, err := fmt.Fprintf(w, "%s and %s have the same text.\n", was, is)
		return err
	}
	_, lines, _ = bytes.Cut(lines, []byte("\n")) // which names both once more
	if !colours(w) {
		_, err := w.Write(lines)
		return err
	}
	for line := range strings.Lines(string(lines)) {
		text, colour := string(escaped([]byte(strings.TrimSuffix(line, "\n")), steersText)), ""
		switch line[0] {
		case '+':
			colour = green
		case '-':
			colour = red
		}
		if colour != "" {
			text = colour + text + plain
		}
		if _, err := fmt.Fprintln(raw(w), text); err != nil {
			return err
		}
	}
	return nil
}
