package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"reckon/commands/domainfile"
)

type domainWatch struct {
	Files []string `arg:"" name:"file" help:"Domain files, YAML or JSON."`
}

func (*domainWatch) Help() string {
	return "Checks the files and runs their tests now and each time one of them is saved, until it is interrupted.\n\nExample:\n  reckon domain watch trip.yaml"
}

// settle is how long a file must be left alone before it is read: editors save in several steps.
const settle = 50 * time.Millisecond

func (c *domainWatch) Run(t terminal) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer watcher.Close()
	// Editors that save by renaming replace the file, so its directory is watched.
	names := make([]string, len(c.Files))
	for i, name := range c.Files {
		if names[i], err = filepath.Abs(name); err == nil {
			err = watcher.Add(filepath.Dir(names[i]))
		}
		if err != nil {
			return fmt.Errorf("watch %s: %w", name, err)
		}
	}
	beside := make([][]string, len(c.Files)) // by file, those that it takes something from
	watch := func(i int) {
		// Where it cannot be read, a save is under way, or what it uses has a mistake, which a save of
		// that may mend. Its directories are watched before it is read for its findings, so that no save
		// is missed.
		if f, err := domainfile.Read(c.Files[i]); err == nil {
			beside[i] = nil
			for _, name := range f.Beside() {
				full := filepath.Join(filepath.Dir(names[i]), filepath.FromSlash(name))
				if beside[i] = append(beside[i], full); watcher.Add(filepath.Dir(full)) != nil {
					fmt.Fprintf(t.out, "%s: changes of it are not seen\n", full)
				}
			}
		}
		watched(t, c.Files[i])
	}
	for i := range c.Files {
		watch(i)
	}
	changed := map[int]bool{}
	quiet := time.NewTimer(settle)
	quiet.Stop()
	for {
		select {
		case <-t.Done():
			return nil
		case e := <-watcher.Events:
			for i := range names {
				if (names[i] == e.Name || slices.Contains(beside[i], e.Name)) && !e.Has(fsnotify.Chmod) {
					changed[i] = true
					quiet.Reset(settle)
				}
			}
		case err := <-watcher.Errors:
			return fmt.Errorf("watch files: %w", err)
		case <-quiet.C:
			for i := range c.Files {
				if changed[i] {
					watch(i)
				}
			}
			clear(changed)
		}
	}
}

// watched checks a file once, and says so where it cannot be read at the moment.
func watched(t terminal, name string) {
	f, err := domainfile.Read(name)
	if err != nil {
		fmt.Fprintf(t.out, "%s: %v\n", time.Now().Format(time.TimeOnly), err)
		return
	}
	_, report := f.Check()
	showFindings(t.out, f, report.Findings)
	verdict := "errors"
	if report.Valid {
		verdict = "ok, " + count(report.Tests, "test")
	}
	fmt.Fprintf(t.out, "%s: %s: %s\n", time.Now().Format(time.TimeOnly), name, verdict)
}
