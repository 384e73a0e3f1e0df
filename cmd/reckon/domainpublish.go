package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
	"reckon/http/admin"
)

// publishing is what draft and publish have in common.
type publishing struct {
	installation
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

// run keeps or publishes the files, all of them or none. terms are what goes with each, and refused
// says of a file that changes too many answers which.
func (p publishing) run(t terminal, verb string, terms admin.Publication, refused func(administration, *domainfile.File) error) error {
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
		t.showReport(f, report)
		files = append(files, f)
	}
	draft := verb == "draft"
	if invalid {
		done := "published"
		if draft {
			done = "kept"
		}
		return fmt.Errorf("nothing is %s: mend the errors above first", done)
	}
	terms.Comment, terms.New = p.Comment, p.New
	return p.ask(t, func(a administration) error {
		publish := func(f *domainfile.File, dryRun bool) (admin.Published, error) {
			publication := terms
			publication.DryRun = dryRun
			var err error
			if publication.File, err = sent(f); err != nil {
				return admin.Published{}, err
			}
			published, err := p.publish(a, verb, publication)
			if r := (*refusal)(nil); errors.As(err, &r) && r.code == tooManyChanges {
				return published, refused(a, f)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", f.Name, err)
			}
			return published, err
		}
		if terms.MaxChanged != nil && len(files) > 1 {
			for _, f := range files {
				if _, err := publish(f, true); err != nil {
					return err
				}
			}
		}
		rows := []publishedRow{}
		for _, f := range files {
			done, err := publish(f, false)
			if err != nil {
				return err
			}
			if len(f.Bytes()) > commands.MaxSource {
				fmt.Fprintf(t.err, "%s: it is longer than %d KiB, so that its text is not kept\n", f.Name, commands.MaxSource>>10)
			}
			if !p.NoWrite && f.Key == "" {
				writeKey(t, f, done.Key)
			}
			rows = append(rows, publishedRow{f.Name, done.ID, done.Key, f.Definition.Title, done.Version, draft, done.Unchanged})
		}
		return p.print(t, rows)
	})
}

// publish keeps or publishes a file. Where it would stand beside a domain that it looks like, it
// asks whether it is a new one.
func (p publishing) publish(a administration, verb string, publication admin.Publication) (admin.Published, error) {
	done, err := command[admin.Published](a, publication, "accounts", p.Account, "domains", verb)
	if r := (*refusal)(nil); !errors.As(err, &r) || r.code != "error_like_another" {
		return done, err
	}
	if isTerminalReader(a.t.in) {
		fmt.Fprintf(a.t.err, "%s: %v. Is it a new domain? [y/N] ", publication.Name, err)
		answer, _ := bufio.NewReader(a.t.in).ReadString('\n') // the end is a no
		if strings.EqualFold(strings.TrimSpace(answer), "y") {
			publication.New = true
			return p.publish(a, verb, publication)
		}
	}
	return done, fmt.Errorf("%w with --new", err)
}

// sent is a domain file as it is sent, with the files that it is made of besides.
func sent(f *domainfile.File) (admin.File, error) {
	file := admin.File{Name: f.Name, Source: string(f.Bytes())}
	for _, name := range f.Beside() {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(f.Name), filepath.FromSlash(name)))
		if err != nil {
			return file, fmt.Errorf("read %s: %w", name, err)
		}
		if file.Beside == nil {
			file.Beside = map[string]string{}
		}
		file.Beside[name] = string(text)
	}
	return file, nil
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
	var since *time.Time
	if c.MaxChanged != nil {
		if *c.MaxChanged < 0 {
			return fmt.Errorf("--max-changed %d: give 0 or more", *c.MaxChanged)
		}
		from, err := parseSince(c.Since)
		if err != nil {
			return err
		}
		since = &from
	}
	switch {
	case c.Draft == "":
		return c.run(t, "publish", admin.Publication{MaxChanged: c.MaxChanged, Since: since}, c.tooMany)
	case len(c.Files) > 0:
		return errors.New("--draft is in place of files: leave one of them out")
	}
	return c.ask(t, func(a administration) error {
		f, d, err := a.draft(c.Account, c.Draft)
		if err != nil {
			return err
		}
		again := admin.Again{Comment: c.Comment, MaxChanged: c.MaxChanged, Since: since}
		done, err := command[admin.Published](a, again, "accounts", c.Account, "domains", d.Domain.ID.String(), "publish")
		if r := (*refusal)(nil); errors.As(err, &r) && r.code == tooManyChanges {
			return c.tooMany(a, f)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		return c.print(t, []publishedRow{{f.Name, done.ID, done.Key, f.Definition.Title, done.Version, false, done.Unchanged}})
	})
}

// tooManyChanges is the code of a refusal to change so many answers.
const tooManyChanges = "error_too_many_changes"

// fewShifts is how many changed answers a refusal shows.
const fewShifts = 3

// tooMany says of a file that changes too many answers which some of them are.
func (c *domainPublish) tooMany(a administration, f *domainfile.File) error {
	since, err := parseSince(c.Since)
	if err != nil {
		return err
	}
	few := 0
	done, err := compareFile(a, f, c.Account, since, func(s history.Shift) error {
		if few++; few <= fewShifts {
			a.t.tell("answer", s, func(w io.Writer) { showShift(w, s) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	return &refusal{nethttp.StatusConflict, tooManyChanges, fmt.Sprintf("nothing is published: %s would change %s of %d, more than --max-changed %d. To see all: reckon domain diff %s --account %s --since %s %s",
		f.Name, count(done.Shifted(), "answer"), done.Messages, *c.MaxChanged, quoted(f.Name), quoted(c.Account), quoted(c.Since), c.flags())}
}
