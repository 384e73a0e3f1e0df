package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"reckon/commands/domainfile"
)

func domainSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "schemas", "domain.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits reports whether a YAML text fits the schema.
func fits(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(instance)
}

func TestStarterDomainsAreValidWithoutWarnings(t *testing.T) {
	schema := domainSchema(t)
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
		data, err := starter.ReadFile(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(t, schema, data); err != nil {
			t.Errorf("%s does not fit the schema: %v", f.Name, err)
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
