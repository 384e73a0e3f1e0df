package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
)

type domainCommands struct {
	Check   domainCheck   `cmd:"" help:"Check domain files, offline: syntax, dimensions, names, tests."`
	Test    domainTests   `cmd:"" help:"Run the tests of domain files, offline, or add one."`
	Draft   domainDraft   `cmd:"" help:"Keep domain files as drafts, which no caller sees."`
	Publish domainPublish `cmd:"" help:"Publish domain files."`
	Diff    domainDiff    `cmd:"" help:"Show which answers of the past a domain file would change."`
	Bisect  domainBisect  `cmd:"" help:"Find the published version that changed an answer."`
	List    domainList    `cmd:"" help:"List an account's domains."`
}

type domainCheck struct {
	Files []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
	JSON  bool     `help:"Print JSON."`
}

func (*domainCheck) Help() string {
	return "Prints FILE:LINE:COLUMN for each finding. Errors stop a publish, warnings do not. The exit status is 1 when there are errors, and 2 when the command itself fails.\n\nExample:\n  reckon domain check trip.yaml"
}

func (c *domainCheck) Run(t terminal) error {
	reports, err := checkFiles(c.Files)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := printJSON(t, reports); err != nil {
			return err
		}
	}
	return showReports(t, reports, c.JSON)
}

// showReports prints findings and a verdict for each file, and fails where one is invalid.
func showReports(t terminal, reports []domainfile.Report, quiet bool) error {
	invalid := false
	for _, r := range reports {
		invalid = invalid || !r.Valid
		if quiet {
			continue
		}
		showFindings(t, r)
		if r.Valid {
			fmt.Fprintf(t.out, "%s: ok, %s\n", r.File, count(r.Tests, "test"))
		}
	}
	if invalid {
		return exit(1)
	}
	return nil
}

func showFindings(t terminal, r domainfile.Report) {
	for _, f := range r.Findings {
		kind := "error"
		if f.Warning {
			kind = "warning"
		}
		fmt.Fprintf(visible{t.out}, "%s:%d:%d: %s: %s\n", r.File, f.Line, f.Column, kind, f.Message)
	}
}

func checkFiles(files []string) ([]domainfile.Report, error) {
	var reports []domainfile.Report
	for _, name := range files {
		f, err := domainfile.Read(name)
		if err != nil {
			return nil, err
		}
		_, report := f.Check()
		reports = append(reports, report)
	}
	return reports, nil
}

// checkedDomain reads a domain file and compiles it. What stops that is shown, place by place.
func checkedDomain(t terminal, path string) (*commands.Domain, error) {
	f, err := domainfile.Read(path)
	if err != nil {
		return nil, err
	}
	domain, report := f.Check()
	if domain == nil {
		showFindings(terminal{out: t.err}, report)
		return nil, errors.New("the domain file has the errors above")
	}
	return domain, nil
}

// domainTests has running tests as what is meant without a word.
type domainTests struct {
	Run domainTest    `cmd:"" default:"withargs" help:"Run the tests of domain files, offline."`
	Add domainTestAdd `cmd:"" help:"Make a test of an answered message."`
}

func (*domainTests) Help() string {
	return "The exit status is 1 when a test fails or the file has errors, and 2 when the command itself fails.\n\nExamples:\n  reckon domain test trip.yaml\n  reckon domain test add --message 0199c0de-0000-7000-8000-000000000000 trip.yaml"
}

type domainTest struct {
	Files []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
	JSON  bool     `help:"Print JSON."`
}

func (c *domainTest) Run(t terminal) error {
	reports, err := checkFiles(c.Files)
	if err != nil {
		return err
	}
	for i := range reports {
		reports[i].Findings = slices.DeleteFunc(reports[i].Findings, func(f domainfile.Finding) bool { return f.Warning })
	}
	if c.JSON {
		if err := printJSON(t, reports); err != nil {
			return err
		}
	}
	return showReports(t, reports, c.JSON)
}

// publishing is what draft and publish have in common.
type publishing struct {
	directory
	Files   []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
	Account string   `help:"Name of the account." required:"" placeholder:"NAME"`
}

// run keeps or publishes the files, all of them or none. allow may refuse before anything is done.
func (p publishing) run(t terminal, draft bool, allow func(commands.Admin, []*domainfile.File) error) error {
	var files []*domainfile.File
	invalid := false
	for _, name := range p.Files {
		f, err := domainfile.Read(name)
		if err != nil {
			return err
		}
		_, report := f.Check()
		invalid = invalid || !report.Valid
		showFindings(terminal{out: t.err}, report)
		files = append(files, f)
	}
	if invalid {
		verb := "published"
		if draft {
			verb = "kept"
		}
		return fmt.Errorf("nothing is %s: mend the errors above first", verb)
	}
	return p.administer(t, func(a commands.Admin) error {
		if err := allow(a, files); err != nil {
			return err
		}
		for _, f := range files {
			done, err := a.Publish(t, commands.Publication{Account: p.Account, Key: f.Key, Definition: f.Definition, Draft: draft})
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			what := fmt.Sprintf("published as version %d", done.Version)
			if draft {
				what = "kept as a draft"
			}
			if done.Unchanged {
				what = "unchanged"
				if !draft {
					what = fmt.Sprintf("unchanged, version %d stands", done.Version)
				}
			}
			fmt.Fprintf(t.out, "%s: %q is %s (key %s)\n%s\n", f.Name, f.Definition.Title, what, done.Key, done.DomainID)
		}
		return nil
	})
}

type domainDraft struct{ publishing }

func (c *domainDraft) Run(t terminal) error {
	return c.run(t, true, func(commands.Admin, []*domainfile.File) error { return nil })
}

type domainPublish struct {
	publishing
	MaxChanged *int   `help:"Publish only if at most so many answers of the past would be others (see 'domain diff')." placeholder:"N"`
	Since      string `help:"How far back --max-changed looks: how long ago, a date or a time (30d)." placeholder:"T"`
}

func (*domainPublish) Help() string {
	return "Publishing checks the file and runs its tests first. A file whose domain stands there unchanged makes no new version.\n" +
		"The domain is the one with the file's dm_ key, else the account's domain of the same title, else a new one.\n\n" +
		"With --max-changed, what the account has asked is computed with the file first, and nothing is published when too many answers would be others.\n\n" +
		"The domain's id alone is on the last line:\n  DOMAIN=$(reckon domain publish trip.yaml --account acme | tail -n 1)\n\n" +
		"Example:\n  reckon domain publish trip.yaml --account acme --max-changed 0 --since 90d"
}

func (c *domainPublish) Run(t terminal) error {
	switch {
	case c.Since == "":
		c.Since = "30d"
	case c.MaxChanged == nil:
		return errors.New("--since says how far back --max-changed looks: give that too, such as --max-changed 0, or leave out --since")
	}
	return c.run(t, false, c.allow(t))
}

// fewShifts is how many changed answers a refusal shows.
const fewShifts = 3

// allow refuses files that change too many answers.
func (c *domainPublish) allow(t terminal) func(commands.Admin, []*domainfile.File) error {
	return func(a commands.Admin, files []*domainfile.File) error {
		if c.MaxChanged == nil {
			return nil
		}
		if *c.MaxChanged < 0 {
			return fmt.Errorf("--max-changed %d: give 0 or more", *c.MaxChanged)
		}
		since, err := parseSince(c.Since)
		if err != nil {
			return err
		}
		for _, f := range files {
			few := 0
			done, err := compareFile(t, f, a, c.Account, since, func(s history.Shift) error {
				if few++; few <= fewShifts {
					showShift(visible{t.err}, s)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if done.Shifted() > *c.MaxChanged {
				return fmt.Errorf("nothing is published: %s would change %s of %d, more than --max-changed %d. To see all: reckon domain diff %s --account %s --since %s %s",
					f.Name, count(done.Shifted(), "answer"), done.Messages, *c.MaxChanged, quoted(f.Name), quoted(c.Account), quoted(c.Since), c.flags())
			}
		}
		return nil
	}
}

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
		fmt.Fprintf(w, "  %s\n", v.Describe())
	}
	for _, e := range s.WasErrors {
		fmt.Fprintf(w, "  was %s: %s\n", e.Code, e.Filled())
	}
	for _, e := range s.IsErrors {
		fmt.Fprintf(w, "  is %s: %s\n", e.Code, e.Filled())
	}
}

type domainBisect struct {
	directory
	Message string `help:"The message." required:"" placeholder:"ID"`
	JSON    bool   `help:"Print JSON."`
}

func (*domainBisect) Help() string {
	return `Computes an answered message with each published version of its domain, on the scenario that it was based on, and says which versions changed the answer, and what they changed.

Example:
  reckon domain bisect --message 0199c0de-0000-7000-8000-000000000000`
}

func (c *domainBisect) Run(t terminal) error {
	id, err := parseID("--message", c.Message)
	if err != nil {
		return err
	}
	var b history.Bisected
	err = c.administer(t, func(a commands.Admin) (err error) {
		b, err = history.Bisect(t, a.Log, id)
		return err
	})
	if err != nil {
		return err
	}
	t.out = visible{t.out}
	if c.JSON {
		return printJSON(t, b)
	}
	fmt.Fprintf(t.out, "%s\nanswered %s by version %d of %q\n\n", oneLine(b.Prompt, 100), stamp(b.Time), b.Answered, b.Domain)
	versions := newTable("VERSION", "PUBLISHED", "ANSWER")
	changed := 0
	for _, v := range b.Versions {
		answer := v.Target + " = " + valueText(v.Value)
		if v.Value == nil {
			answer = "a scenario, no value"
		}
		if len(v.Errors) > 0 {
			answer = "error " + v.Errors[0].Code
		}
		if v.Shift != nil {
			changed++
			answer += "  (" + effectWords[v.Shift.Effect] + ")"
		}
		versions.add(fmt.Sprint(v.Version), stamp(v.PublishedAt), answer)
	}
	if err := versions.print(t, "The domain has no published versions."); err != nil {
		return err
	}
	if changed == 0 {
		fmt.Fprintln(t.out, "\nNo version changed the answer.")
	}
	for _, v := range b.Versions {
		if v.Shift == nil {
			continue
		}
		fmt.Fprintf(t.out, "\nVersion %d changed the answer:\n", v.Version)
		showShifted(t.out, *v.Shift)
		fmt.Fprintln(t.out, "and is another definition:")
		for _, change := range v.Definition {
			fmt.Fprintf(t.out, "  %s\n", changeText(change, 100))
		}
	}
	return nil
}

type domainList struct {
	directory
	Account string `help:"Name of the account." required:"" placeholder:"NAME"`
	JSON    bool   `help:"Print JSON."`
}

// domainRow is a domain as lists show it.
type domainRow struct {
	ID       uuid.UUID `json:"id"`
	Key      string    `json:"key"`
	Title    string    `json:"title"`
	Version  int       `json:"version"` // 0 when it is not published
	HasDraft bool      `json:"has_draft"`
}

func (c *domainList) Run(t terminal) error {
	return c.administer(t, func(a commands.Admin) error {
		account, err := a.Account(t, c.Account)
		if err != nil {
			return err
		}
		domains, err := a.Domains(t, account.ID)
		if err != nil {
			return err
		}
		rows := []domainRow{}
		for _, d := range domains {
			rows = append(rows, domainRow{d.ID, d.Key, commands.Title(d), d.Version, d.Draft != nil})
		}
		if c.JSON {
			return printJSON(t, rows)
		}
		table := newTable("TITLE", "VERSION", "DRAFT", "ID", "KEY")
		for _, r := range rows {
			version, draft := "-", "-"
			if r.Version > 0 {
				version = fmt.Sprint(r.Version)
			}
			if r.HasDraft {
				draft = "yes"
			}
			table.add(r.Title, version, draft, r.ID.String(), r.Key)
		}
		return table.print(t, "The account has no domains yet. Publish one with: reckon domain publish FILE --account "+quoted(c.Account)+" "+c.flags())
	})
}
