package main

import (
	"path/filepath"
	"testing"

	"reckon/commands/domainfile"
)

func TestStarterDomainsAreValidWithoutWarnings(t *testing.T) {
	files, err := starterFiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 4 {
		t.Fatalf("there are %d starter domains", len(files))
	}
	for _, f := range files {
		_, report := f.Check()
		for _, finding := range report.Findings {
			t.Errorf("%s:%d:%d: %s", f.Name, finding.Line, finding.Column, finding.Message)
		}
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
