package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reckon/commands/domainfile"
	"reckon/events"
)

// TestStarterDomains checks each of them with its tests, and that it is formatted, cites where it is
// from, is found in the README beside, and that its examples are among its tests.
func TestStarterDomains(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("starter", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := starters()
	if len(names) < 24 {
		t.Fatalf("there are %d starter domains", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			f, _, err := starterDomain(name)
			if err != nil {
				t.Fatal(err)
			}
			_, report := f.Check()
			for _, finding := range report.Findings {
				t.Errorf("%s:%d:%d: %s", f.Name, finding.Line, finding.Column, finding.Message)
			}
			even, err := f.Formatted()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(even.Bytes(), f.Bytes()) {
				t.Errorf("it is not formatted:\n%s", even.Bytes())
			}
			if len(f.Definition.Sources) == 0 {
				t.Error("it cites no source")
			}
			for _, source := range f.Definition.Sources {
				if source.URL == "" || source.Licence == "" || !bytes.Contains(readme, []byte(source.URL)) {
					t.Errorf("the source %q has no address, no licence, or is not in starter/README.md", source.Title)
				}
			}
			if !bytes.Contains(readme, []byte("/"+name+".yaml)")) {
				t.Error("starter/README.md does not name it")
			}
			if len(f.Definition.Examples) == 0 {
				t.Error("it has no examples")
			}
			for _, example := range f.Definition.Examples {
				if !slices.ContainsFunc(f.Definition.Tests, func(t events.Test) bool { return t.Prompt == example && len(t.Expect) > 0 }) {
					t.Errorf("no test asks %q", example)
				}
			}
		})
	}
}

// TestDomainFiles checks domains of many fields, whose tests solve their equations forwards and backwards.
func TestDomainFiles(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "domains", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no domain files: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := domainfile.Read(name)
			if err != nil {
				t.Fatal(err)
			}
			_, report := f.Check()
			for _, finding := range report.Findings {
				t.Errorf("%s:%d:%d: %s", name, finding.Line, finding.Column, finding.Message)
			}
		})
	}
}
