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
	"strings"

	"go.yaml.in/yaml/v4"

	"reckon/commands"
	"reckon/engine"
	"reckon/events"
)

// MaxBytes is the length of the largest domain file. With the ids of its parts a domain takes about
// three times as much in the log, which takes events of up to 4 MiB.
const MaxBytes = 1 << 20

// File is a domain as its author wrote it, with the place of everything in the file.
type File struct {
	Name       string
	Key        string // dm_ key, "" where the file states none
	Definition events.Definition
	data       []byte
	findings   []Finding
	places     map[string]*yaml.Node // by path, such as "activities[2].equation"
}

// Finding is a problem at a place of a file.
type Finding struct {
	Warning bool   `json:"warning"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Message string `json:"message"`
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
		return nil, fmt.Errorf("%s: a domain file has at most %d KiB", name, MaxBytes>>10)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read domain file: %w", err)
	}
	return Parse(name, data), nil
}

// Parse is Read for a file whose text is known.
func Parse(name string, data []byte) *File {
	f := &File{Name: name, data: data, places: map[string]*yaml.Node{}}
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
func (f *File) Check() (*commands.Domain, Report) {
	report := Report{File: f.Name, Title: f.Definition.Title, Tests: len(f.Definition.Tests)}
	domain, issues := commands.CheckFile(f.Definition)
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
	if len(f.places) == 0 {
		return f.findings
	}
	list := append([]Finding{}, f.findings...) // an empty list is one in JSON too
	for _, issue := range issues {
		line, column := f.locate(issue.Path, issue.Offset)
		list = append(list, Finding{issue.Warning, line, column, issue.Path, issue.Message})
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
}

// locate finds the place of a path in the file; where the path itself is not there, the nearest
// thing around it. offset is a caret position within the text at the path, -1 for none.
func (f *File) locate(path string, offset int) (line, column int) {
	for at := path; ; {
		if n := f.places[at]; n != nil {
			line, column = n.Line, n.Column
			if at == path && offset >= 0 && n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
				column += offset
				if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
					column++
				}
			}
			return line, column
		}
		i := strings.LastIndexAny(at, ".[")
		if i < 0 {
			if at == "" {
				return 1, 1
			}
			at = ""
			continue
		}
		at = at[:i]
	}
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
