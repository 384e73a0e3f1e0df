package main

import (
	"errors"
	"fmt"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
)

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
