package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine"
)

type domainCommands struct {
	Check   domainCheck   `cmd:"" help:"Check domain files, offline: syntax, dimensions, names, tests."`
	Test    domainTest    `cmd:"" help:"Run the tests of domain files, offline."`
	Draft   domainDraft   `cmd:"" help:"Keep domain files as drafts, which no caller sees."`
	Publish domainPublish `cmd:"" help:"Publish domain files."`
	List    domainList    `cmd:"" help:"List an account's domains."`
}

type domainCheck struct {
	Files []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
	JSON  bool     `help:"Print JSON."`
}

func (*domainCheck) Help() string {
	return "Prints FILE:LINE:COLUMN for each finding. Errors stop a publish, warnings do not.\n\nExample:\n  reckon domain check trip.yaml"
}

// fileReport is what a check found in a file.
type fileReport struct {
	File     string    `json:"file"`
	Title    string    `json:"title"`
	Valid    bool      `json:"valid"`
	Tests    int       `json:"tests"`
	Findings []finding `json:"findings"`
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
func showReports(t terminal, reports []fileReport, quiet bool) error {
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

func showFindings(t terminal, r fileReport) {
	for _, f := range r.Findings {
		kind := "error"
		if f.Warning {
			kind = "warning"
		}
		fmt.Fprintf(t.out, "%s:%d:%d: %s: %s\n", r.File, f.Line, f.Column, kind, f.Message)
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func checkFiles(files []string) ([]fileReport, error) {
	var reports []fileReport
	for _, name := range files {
		f, err := readDomainFile(name)
		if err != nil {
			return nil, err
		}
		_, report := f.check()
		reports = append(reports, report)
	}
	return reports, nil
}

// check compiles the file's definition and runs its tests. The domain is nil when a finding is an error.
func (f *domainFile) check() (*commands.Domain, fileReport) {
	report := fileReport{File: f.name, Title: f.definition.Title, Tests: len(f.definition.Tests)}
	domain, issues := commands.CheckFile(f.definition)
	report.Findings = f.placed(issues)
	if len(f.findings) > 0 {
		domain = nil
	}
	if report.Findings == nil {
		report.Findings = []finding{}
	}
	report.Valid = domain != nil
	return domain, report
}

// placed gives issues their lines and columns, and orders them with what the reader found as they stand in the file. Of a
// file that is no domain at all, only that is said.
func (f *domainFile) placed(issues []engine.Issue) []finding {
	if len(f.places) == 0 {
		return f.findings
	}
	list := slices.Clone(f.findings)
	for _, issue := range issues {
		line, column := f.locate(issue.Path, issue.Offset)
		list = append(list, finding{issue.Warning, line, column, issue.Path, issue.Message})
	}
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
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
		reports[i].Findings = slices.DeleteFunc(reports[i].Findings, func(f finding) bool { return f.Warning })
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

func (p publishing) run(t terminal, draft bool) error {
	var files []*domainFile
	invalid := false
	for _, name := range p.Files {
		f, err := readDomainFile(name)
		if err != nil {
			return err
		}
		_, report := f.check()
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
		for _, f := range files {
			done, err := a.Publish(t, commands.Publication{Account: p.Account, Key: f.key, Definition: f.definition, Draft: draft})
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
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
			fmt.Fprintf(t.out, "%s: %q is %s (key %s)\n%s\n", f.name, f.definition.Title, what, done.Key, done.DomainID)
		}
		return nil
	})
}

type domainDraft struct{ publishing }

func (c *domainDraft) Run(t terminal) error { return c.run(t, true) }

type domainPublish struct{ publishing }

func (*domainPublish) Help() string {
	return "Publishing checks the file and runs its tests first. A file whose domain stands there unchanged makes no new version.\n" +
		"The domain is the one with the file's dm_ key, else the account's domain of the same title, else a new one.\n\n" +
		"The domain's id alone is on the last line:\n  DOMAIN=$(reckon domain publish trip.yaml --account acme | tail -n 1)"
}

func (c *domainPublish) Run(t terminal) error { return c.run(t, false) }

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
		return table.print(t, "The account has no domains yet. Publish one with: reckon domain publish FILE --account "+quoted(c.Account))
	})
}
