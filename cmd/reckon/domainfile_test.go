package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
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
		_, report := f.check()
		for _, finding := range report.Findings {
			t.Errorf("%s:%d:%d: %s", f.name, finding.Line, finding.Column, finding.Message)
		}
		data, err := starter.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(t, schema, data); err != nil {
			t.Errorf("%s does not fit the schema: %v", f.name, err)
		}
	}
}

// TestSchemaAndReaderAgree gives files to the reader and to the schema; both refuse the same.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema := domainSchema(t)
	for text, valid := range map[string]bool{
		"title: A":                                                      true,
		"title: ''":                                                     false,
		"description: A":                                                false,
		"title: A\nkey: dm_0123abcd":                                    true,
		"title: A\nkey: dm_xyz":                                         false,
		"title: A\nunits: [widget]":                                     true,
		"title: A\nunits: widget":                                       false,
		"title: A\nstrict_roots: true":                                  true,
		"title: A\nstrict_roots: maybe":                                 false,
		"title: A\nvariables: [{key: a, colour: red}]":                  false,
		"title: A\nvariables: [{key: a, default_value: 0.06}]":          true,
		"title: A\nvariables: [{key: a, default_value: {b: c}}]":        false,
		"title: A\nactivities: [{equation: a = b, state: asleep}]":      false,
		"title: A\ntests: [{prompt: 'a: 1'}]":                           false,
		"title: A\ntests: [{prompt: 'a: 1', expect: {}}]":               false,
		"title: A\ntests: [{prompt: 'a: 1', expect: {a: 1}}]":           true,
		"title: A\ntests: [{prompt: 'a: 1', errors: [b.c, d.e]}]":       true,
		"title: A\ntests: [{prompt: 'a: 1', errors: b.c}]":              true,
		"title: A\ntests: [{prompt: 'a: 1', errors: []}]":               false,
		"title: A\ntests: [{errors: b.c}]":                              false,
		"title: A\ntests: [{prompt: 'a', errors: b.c, expect: {a: 1}}]": false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: [b, {prompt: c}, {other_domain: 2}]}]": true,
		"title: A\ntests: [{prompt: a, errors: b.c, after: b}]":                                   false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: ['']}]":                                false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: [{now: 2026-03-05T14:07:00Z}]}]":       false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: [{prompt: b, other_domain: 2}]}]":      false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: [{other_domain: 2, time_zone: UTC}]}]": false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: [{other_domain: 0}]}]":                 false,
		"title: A\ntests: [{prompt: a, errors: b.c, after: [{prompt: b, errors: b.c}]}]":          false,
		"title: A\ntests: [{prompt: a, errors: b.c, now: 2026-03-05T14:07:00+02:00}]":             true,
		"title: A\ntests: [{prompt: a, errors: b.c, now: today}]":                                 false,
		"title: A\ntests: [{prompt: a, errors: b.c, time_zone: UTC, input_format: structured}]":   true,
		"- title: A": false,
	} {
		f := parseDomainFile("test.yaml", []byte(text))
		if read := len(f.findings) == 0; read != valid {
			t.Errorf("%q: the reader says %v: %+v", text, read, f.findings)
		}
		if err := fits(t, schema, []byte(text)); (err == nil) != valid {
			t.Errorf("%q: the schema says %v", text, err)
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
			f, err := readDomainFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, report := f.check()
			for _, finding := range report.Findings {
				t.Errorf("%s:%d:%d: %s", name, finding.Line, finding.Column, finding.Message)
			}
		})
	}
}
