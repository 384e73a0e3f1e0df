package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
)

// compareFile tells what a file would change of what an account has been answered.
func compareFile(t terminal, f *domainfile.File, a commands.Admin, account string, since time.Time, report func(history.Shift) error) (history.Compared, error) {
	shown := newProgressLine(t, false, "events")
	defer shown.end()
	return history.Compare(t, a, history.Comparison{
		Publication: commands.Publication{Account: account, Key: f.Key, Definition: f.Definition}, Since: since,
	}, func(s history.Shift) error {
		shown.end()
		return report(s)
	}, func(done history.Compared) { shown.count(done.Read, done.Total) })
}

type domainDiff struct {
	directory
	File    string `arg:"" help:"Domain file, YAML or JSON."`
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	Since   string `help:"How far back to look: how long ago, a date or a time (${default})." default:"30d" placeholder:"T"`
	JSON    bool   `help:"Print JSON."`
}

func (*domainDiff) Help() string {
	return `Computes what the account has asked of the domain with the file and with the newest published version, each message on the scenario that it was based on then, and lists the answers that differ: those with other values (and by how much), those that begin to fail, to succeed, or to fail otherwise. Titles, descriptions and formats are not compared. Nothing is published.

Examples:
  reckon domain diff trip.yaml --account acme
  reckon domain diff trip.yaml --account acme --since 2026-01-01 --json`
}

func (c *domainDiff) Run(t terminal) error {
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	f, err := domainfile.Read(c.File)
	if err != nil {
		return err
	}
	if _, report := f.Check(); !report.Valid {
		showFindings(terminal{out: t.err}, report)
		if !f.Readable() {
			return errors.New("the domain file has the errors above")
		}
	}
	out := newListing(t, c.JSON, "answers")
	return c.administer(t, func(a commands.Admin) error {
		done, err := compareFile(t, f, a, c.Account, since, func(s history.Shift) error {
			return out.add(s, func(w io.Writer) { showShift(w, s) })
		})
		var invalid *commands.InvalidError
		if errors.As(err, &invalid) {
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
