package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
)

// publishing is what draft and publish have in common.
type publishing struct {
	directory
	Files   []string `arg:"" optional:"" name:"file" help:"Domain files, YAML or JSON."`
	Account string   `help:"Name of the account." required:"" placeholder:"NAME"`
	Comment string   `help:"What is to be said of it, as 'domain versions' shows." placeholder:"TEXT"`
	New     bool     `help:"A new domain is meant, though there is one that it looks like."`
	NoWrite bool     `help:"Do not write the domain's key into a file that has none."`
	JSON    bool     `help:"Print JSON."`
}

// publishedRow is a file that was kept or published, as programs read it.
type publishedRow struct {
	File      string    `json:"file"` // "" of a draft that was published
	ID        uuid.UUID `json:"id"`
	Key       string    `json:"key"`
	Title     string    `json:"title"`
	Version   int       `json:"version"` // the newest that is published, 0 for none
	Draft     bool      `json:"draft"`
	Unchanged bool      `json:"unchanged"`
}

// run keeps or publishes the files, all of them or none. allow may refuse before anything is done.
func (p publishing) run(t terminal, draft bool, allow func(commands.Admin, []*domainfile.File) error) error {
	if len(p.Files) == 0 {
		return errors.New("name a domain file")
	}
	var files []*domainfile.File
	invalid := false
	for _, name := range p.Files {
		f, err := domainfile.Read(name)
		if err != nil {
			return err
		}
		_, report := f.Check()
		invalid = invalid || !report.Valid
		showFindings(t.err, f, report.Findings)
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
		rows := []publishedRow{}
		for _, f := range files {
			done, err := p.publish(t, a, f, draft)
			if err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
			if !p.NoWrite && f.Key == "" {
				writeKey(t, f, done.Key)
			}
			rows = append(rows, publishedRow{f.Name, done.DomainID, done.Key, f.Definition.Title, done.Version, draft, done.Unchanged})
		}
		return p.print(t, rows)
	})
}

// publish keeps or publishes a file. Where it would stand beside a domain that it looks like, it
// asks whether it is a new one.
func (p publishing) publish(t terminal, a commands.Admin, f *domainfile.File, draft bool) (commands.Published, error) {
	publication := commands.Publication{
		Account: p.Account, Key: f.Key, Definition: f.Definition, Draft: draft, Comment: p.Comment, Source: string(f.Bytes()), New: p.New,
	}
	if len(publication.Source) > commands.MaxSource {
		fmt.Fprintf(t.err, "%s: it is longer than %d KiB, so that its text is not kept\n", f.Name, commands.MaxSource>>10)
		publication.Source = ""
	}
	done, err := a.Publish(t, publication)
	var beside *commands.BesideError
	if !errors.As(err, &beside) {
		return done, err
	}
	if isTerminalReader(t.in) {
		fmt.Fprintf(t.err, "%s: %q seems to be %q (key %s) under another title. Is it a new domain? [y/N] ", f.Name, f.Definition.Title, inLine(beside.Title), beside.Key)
		answer, _ := bufio.NewReader(t.in).ReadString('\n') // the end is a no
		if strings.EqualFold(strings.TrimSpace(answer), "y") {
			publication.New = true
			return a.Publish(t, publication)
		}
	}
	return done, fmt.Errorf("%w with --new", err)
}

// writeKey writes the key of a domain into its file, or says that it is to be written there.
func writeKey(t terminal, f *domainfile.File, key string) {
	after, err := f.WithKey(key)
	if err == nil {
		err = after.Write()
	}
	if err != nil {
		fmt.Fprintf(t.err, "%s: write \"key: %s\" into it, so that it is this domain under another title too (%v)\n", f.Name, key, err)
	}
}

// print says what was done. The id of the last domain is alone on the last line.
func (p publishing) print(t terminal, rows []publishedRow) error {
	if p.JSON {
		return printJSON(t, rows)
	}
	for _, r := range rows {
		what := fmt.Sprintf("published as version %d", r.Version)
		switch {
		case r.Draft && r.Unchanged:
			what = "unchanged"
		case r.Draft:
			what = "kept as a draft"
		case r.Unchanged:
			what = fmt.Sprintf("unchanged, version %d stands", r.Version)
		}
		fmt.Fprintf(t.out, "%s: %q is %s (key %s)\n%s\n", r.File, inLine(r.Title), what, r.Key, r.ID)
	}
	return nil
}

type domainPublish struct {
	publishing
	Draft      string `help:"Publish the account's draft of a domain, by its title, dm_ key or id, instead of files." placeholder:"DOMAIN"`
	MaxChanged *int   `help:"Publish only if at most so many answers of the past would be others (see 'domain diff')." placeholder:"N"`
	Since      string `help:"How far back --max-changed looks: how long ago, a date or a time (30d)." placeholder:"T"`
}

func (*domainPublish) Help() string {
	return "Publishing checks the file and runs its tests first. A file whose domain stands there unchanged makes no new version.\n" +
		"The domain is the one with the file's dm_ key, else the account's domain of the same title, else a new one. The key is written into a file that has none, as a line behind its title, so that it is the same domain under another title too. A file that looks like a domain of the account under another title is published with --new alone.\n\n" +
		"With --max-changed, what the account has asked is computed with the file first, and nothing is published when too many answers would be others.\n\n" +
		"The domain's id alone is on the last line:\n  DOMAIN=$(reckon domain publish trip.yaml --account acme | tail -n 1)\n\n" +
		"Examples:\n  reckon domain publish trip.yaml --account acme --max-changed 0 --since 90d\n  reckon domain publish trip.yaml --account acme --comment 'Tolls as of March.'\n  reckon domain publish --draft 'Road trip' --account acme"
}

func (c *domainPublish) Run(t terminal) error {
	switch {
	case c.Since == "":
		c.Since = "30d"
	case c.MaxChanged == nil:
		return errors.New("--since says how far back --max-changed looks: give that too, such as --max-changed 0, or leave out --since")
	}
	switch {
	case c.Draft == "":
		return c.run(t, false, c.allow(t))
	case len(c.Files) > 0:
		return errors.New("--draft is in place of files: leave one of them out")
	}
	return c.administer(t, func(a commands.Admin) error {
		f, d, err := draftFile(t, a, c.Account, c.Draft)
		if err == nil {
			err = c.allow(t)(a, []*domainfile.File{f})
		}
		if err != nil {
			return err
		}
		done, err := a.Again(t, c.Account, d, 0, c.Comment)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		return c.print(t, []publishedRow{{f.Name, done.DomainID, done.Key, f.Definition.Title, done.Version, false, done.Unchanged}})
	})
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
					showShift(t.err, s)
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
