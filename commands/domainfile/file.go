// Package domainfile reads domains as their authors write them, in YAML or JSON, says at which line
// and column something is wrong, and puts tests into files without changing the rest of them. What
// a definition means is a matter of package commands.
package domainfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v4"

	"reckon/commands"
	"reckon/engine"
	"reckon/engine/value"
	"reckon/events"
)

// MaxBytes is the length of the largest domain file. With the ids of its parts a domain is up to
// three times as long, which the log and the views keep compressed.
const MaxBytes = 4 << 20

// File is a domain as its author wrote it, with the place of everything in the file.
type File struct {
	Name       string
	Key        string // dm_ key, "" where the file states none
	Definition events.Definition
	data       []byte
	lines      [][]rune // of data, in the way YAML counts them; cut when they are first asked for
	findings   []Finding
	places     map[string]*yaml.Node // by path, such as "activities[2].equation"

	files  fs.FS             // of its folder, nil where it has none
	beside string            // its name among them
	named  *[]string         // those that the definition is made of, too
	used   *[]*File          // those of them that are used, however deep
	users  []string          // the files that use this one, itself last
	part   bool              // another file uses it
	usedAt *yaml.Node        // where that file says so
	parts  []*File           // used by this file itself
	owners map[string]*File  // by path: the used file that it is in
	cards  []cardOf          // tables from files
	cells  map[string]string // by path of a default: the file that it is from
}

// Finding is a problem at a place of a file.
type Finding struct {
	Warning bool   `json:"warning"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"` // where it is in a file that is used
}

// Read reads YAML or JSON. Everything that is not as a domain file should be is in the
// findings; the error is for a file that cannot be read at all.
func Read(name string) (*File, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no domain file %s: name the YAML or JSON file of the domain", name)
	case err != nil:
		return nil, fmt.Errorf("read domain file: %w", err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory: name a YAML or JSON file in it", name)
	case info.Size() > MaxBytes:
		return nil, fmt.Errorf("%s: a domain file has at most %d MiB", name, MaxBytes>>20)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read domain file: %w", err)
	}
	return parsed(folder(filepath.Dir(name)), name, filepath.Base(name), data), nil
}

// Parse is Read for a text without other files beside it.
func Parse(name string, data []byte) *File { return parsed(nil, name, "", data) }

// ParseBeside is Parse for a file among others, by its name there.
func ParseBeside(files fs.FS, name string, data []byte) *File { return parsed(files, name, name, data) }

// ParseUnsaved is Read for a file with a text that is not saved yet.
func ParseUnsaved(name string, data []byte) *File {
	return parsed(folder(filepath.Dir(name)), name, filepath.Base(name), data)
}

func parsed(files fs.FS, name, beside string, data []byte) *File {
	f := &File{Name: name, files: files, beside: beside, named: new([]string), used: new([]*File), users: []string{beside}, data: data, places: map[string]*yaml.Node{}}
	f.parse(data)
	return f
}

// Report is what a check found in a file.
type Report struct {
	File     string    `json:"file"`
	Title    string    `json:"title"`
	Valid    bool      `json:"valid"`
	Tests    int       `json:"tests"`
	Findings []Finding `json:"findings"`
}

// Check compiles the file's definition and runs its tests. The domain is nil when a finding is an
// error.
func (f *File) Check() (*commands.Domain, Report) { return f.examined(commands.CheckFile) }

// Compile is Check without running the tests.
func (f *File) Compile() (*commands.Domain, Report) { return f.examined(commands.CompileFile) }

// Probe adds what prose does not read as it is meant to the report of a valid file.
func (f *File) Probe(d *commands.Domain, r *Report, env value.Env) {
	_, misread := d.Probe(env)
	var issues []engine.Issue
	for i, m := range misread {
		if i == 0 || misread[i-1].Activity != m.Activity {
			issues = append(issues, m.Issue) // one of an equation is enough
		}
	}
	r.Findings = append(r.Findings, f.placed(issues)...)
}

func (f *File) examined(by func(events.Definition) (*commands.Domain, []engine.Issue)) (*commands.Domain, Report) {
	report := Report{File: f.Name, Title: f.Definition.Title, Tests: len(f.Definition.Tests)}
	domain, issues := by(f.Definition)
	report.Findings = f.placed(issues)
	if len(f.findings) > 0 {
		domain = nil
	}
	report.Valid = domain != nil
	return domain, report
}

// Readable tells whether the file is as a domain file should be, whatever the domain is.
func (f *File) Readable() bool { return len(f.findings) == 0 }

// placed gives issues their lines and columns, and orders them with what the reader found as they
// stand in the file. Of a file that is no domain at all, only that is said.
func (f *File) placed(issues []engine.Issue) []Finding {
	if len(f.places) == 0 && len(f.findings) > 0 {
		return f.findings
	}
	list := append([]Finding{}, f.findings...) // an empty list is one in JSON too
	for _, issue := range issues {
		line, column, message := f.locate(issue)
		finding := Finding{Warning: issue.Warning, Line: line, Column: column, Path: issue.Path, Message: message}
		if owner := f.ownerAt(issue.Path); owner != nil {
			finding.File = owner.Name
		}
		if card := f.cells[issue.Path]; card != "" {
			finding.Message = card + ", rows counted below the names: " + message
		}
		list = append(list, finding)
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
}

// Write gives the file on disk this text, all at once, with the permissions that it has.
func (f *File) Write() error {
	name := f.Name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	// Whoever may not write the file does not replace it either.
	open, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("write domain file: %w", err)
	}
	open.Close()
	next, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = next.Write(f.data)
	err = errors.Join(err, next.Chmod(info.Mode().Perm()), next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(next.Name()))
	}
	return nil
}
