package domainfile

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"reckon/events"
)

var update = flag.Bool("update", false, "write the expected outputs anew")

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

// TestSchemaAndReaderAgree gives files to the reader and to the schema; both refuse the same.
func TestSchemaAndReaderAgree(t *testing.T) {
	schema := domainSchema(t)
	for text, valid := range map[string]bool{
		"title: A":                                          true,
		"title: ''":                                         false,
		"description: A":                                    false,
		"title: A\nkey: dm_0123abcd":                        true,
		"title: A\nkey: dm_xyz":                             false,
		"title: A\nunits: [widget]":                         true,
		"title: A\nunits: widget":                           false,
		"title: A\nstrict_roots: true":                      true,
		"title: A\nstrict_roots: maybe":                     false,
		"title: A\nvariables: [{key: a, integer: true}]":    true,
		"title: A\nvariables: [{key: a, integer: 3}]":       false,
		"title: A\nvariables: [{key: a, hidden: true}]":     true,
		"title: A\nvariables: [{key: a, group: Trip}]":      true,
		"title: A\nvariables: [{key: a, group: \"B\\nC\"}]": false,
		"title: A\nsources: [{title: B}, {title: C, url: 'https://example.org/a?b=c', licence: CC0}]": true,
		"title: A\nsources: [{url: 'https://example.org'}]":                                           false,
		"title: A\nsources: [{title: B, url: 'javascript:alert(1)'}]":                                 false,
		"title: A\nsources: [{title: B, url: 'ftp://example.org'}]":                                   false,
		"title: A\nsources: [{title: B, url: 'https://a b'}]":                                         false,
		"title: A\nsources: [{title: B, url: 'https:///a'}]":                                          false,
		"title: A\nsources: [B]":                                                                  false,
		"title: A\nvariables: [{key: a, hidden: perhaps}]":                                        false,
		"title: A\nvariables: [{key: a, colour: red}]":                                            false,
		"title: A\nvariables: [{key: a, default_value: 0.06}]":                                    true,
		"title: A\nvariables: [{key: a, default_value: {b: c}}]":                                  false,
		"title: A\nconstraints: [{condition: a < b, message: C}, {b < c: D}]":                     true,
		"title: A\nconstraints: {a < b: C, b < c: D}":                                             true,
		"title: A\nconstraints: [{condition: a < b}]":                                             false,
		"title: A\nconstraints: [{message: a < b}]":                                               false,
		"title: A\nconstraints: {a < b: ''}":                                                      false,
		"title: A\nconstraints: [a < b]":                                                          false,
		"title: A\nconstraints: [{condition: a < b, message: C, b < c: D}]":                       false,
		"title: A\nactivities: [{equation: a = b, state: asleep}]":                                false,
		"title: A\ntests: [{prompt: 'a: 1'}]":                                                     false,
		"title: A\ntests: [{prompt: 'a: 1', expect: {}}]":                                         false,
		"title: A\ntests: [{prompt: 'a: 1', expect: {a: 1}}]":                                     true,
		"title: A\ntests: [{prompt: 'a: 1', errors: [b.c, d.e]}]":                                 true,
		"title: A\ntests: [{prompt: 'a: 1', errors: b.c}]":                                        true,
		"title: A\ntests: [{prompt: 'a: 1', errors: []}]":                                         false,
		"title: A\ntests: [{errors: b.c}]":                                                        false,
		"title: A\ntests: [{prompt: 'a', errors: b.c, expect: {a: 1}}]":                           false,
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
		"title: \"A\\tB\"":                                   false,
		"title: |\n  A\n":                                    false,
		"title: \"A\\x7f\"":                                  false,
		"title: \"A\\u009b2J\"":                              false,
		"title: A\u200e":                                     false,
		"title: A\u202eB":                                    false,
		"title: A\u2066B\u2069":                              false,
		"title: \u0410\u200d\u5bb6":                          true,
		"title: A\ndescription: \"B\\nC\"":                   true,
		"title: " + strings.Repeat("é", 200):                 true,
		"title: " + strings.Repeat("é", 201):                 false,
		"title: A\nvariables: [{key: a, title: \"\\e[2J\"}]": false,
		"title: A\nvariables: [{key: a, title: " + strings.Repeat("é", 201) + "}]":                  false,
		"title: A\nvariables: [{key: a, description: " + strings.Repeat("é", 4001) + "}]":           false,
		"title: A\nactivities: [{equation: a = b, title: A\u202eB}]":                                false,
		"title: A\nactivities: [{equation: a = b, title: " + strings.Repeat("é", 201) + "}]":        false,
		"title: A\nactivities: [{equation: a = b, description: " + strings.Repeat("é", 4001) + "}]": false,
		"title: A\ndescription: " + strings.Repeat("é", 4000):                                       true,
		"title: A\ndescription: " + strings.Repeat("é", 4001):                                       false,
		"- title: A": false,
	} {
		f := Parse("test.yaml", []byte(text))
		if read := len(f.findings) == 0; read != valid {
			t.Errorf("%q: the reader says %v: %+v", text, read, f.findings)
		}
		if err := fits(t, schema, []byte(text)); (err == nil) != valid {
			t.Errorf("%q: the schema says %v", text, err)
		}
	}
}

// TestFindingsHaveTheirPlaces reads files with one mistake each and looks where it is found.
func TestFindingsHaveTheirPlaces(t *testing.T) {
	for text, want := range map[string]Finding{
		"title: A\nvariables:\n  - key: a\n    title: \"A\\u202eB\"\n": {
			Line: 4, Column: 12, Path: "variables[0].title",
			Message: "A title is one line of text: it cannot have U+202E, which is its character 2.",
		},
		"title: A\nactivities:\n  - {equation: a = b, title: " + strings.Repeat("é", 201) + "}\n": {
			Line: 3, Column: 30, Path: "activities[0].title",
			Message: "A title has at most 200 characters, this one has 201.",
		},
		"title: A\ndescription: " + strings.Repeat("é", 4001): {
			Line: 2, Column: 14, Path: "description",
			Message: "A description has at most 4000 characters, this one has 4001.",
		},
		"title: A\n---\ntitle: B\n":                {Line: 2, Column: 1, Message: "A second document begins here. A file has one domain: put the other one into a file of its own."},
		"title: A\n...\n# more\n---\n":             {Line: 4, Column: 1, Message: "A second document begins here. A file has one domain: put the other one into a file of its own."},
		"{\"title\": \"A\"}\n{\"title\": \"B\"}\n": {Line: 2, Column: 1, Message: "This is not YAML: did not find expected <document start>"},
		"title: A\ndescription: é\x1b[2J\n":        {Line: 2, Column: 15, Message: "This is not YAML: control characters are not allowed (value: 27)"},
		"title: A\n---\n[\n":                       {Line: 4, Column: 1, Message: "This is not YAML: did not find expected node content"},
	} {
		f := Parse("test.yaml", []byte(text))
		if len(f.findings) != 1 || f.findings[0] != want {
			t.Errorf("%.60q: found %+v, want %+v", text, f.findings, want)
		}
		if domain, _ := f.Check(); domain != nil {
			t.Errorf("%.60q is taken for a domain", text)
		}
	}
}

// TestStarterDomainsFitTheSchema gives the schema the domains that a first start publishes.
func TestStarterDomainsFitTheSchema(t *testing.T) {
	schema := domainSchema(t)
	files, err := filepath.Glob(filepath.Join("..", "..", "cmd", "reckon", "starter", "*", "*.yaml"))
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(t, schema, data); err != nil {
			t.Errorf("%s does not fit the schema: %v", name, err)
		}
	}
}

// TestTestsArePutIntoFiles puts a test into each file of testdata/add, compares the whole text that
// this gives, and puts tests of every form and with every kind of text behind it.
func TestTestsArePutIntoFiles(t *testing.T) {
	test := events.Test{
		Prompt: "distance: 150 mi\nspeed: 60 mi/h\nstops: [1 h, \"\"]\ncalculate: time",
		Expect: map[string]json.RawMessage{"time": json.RawMessage(`"2.5 h"`), "stops": json.RawMessage(`["1 h",""]`)},
	}
	now := time.Date(2026, 3, 5, 14, 7, 0, 0, time.UTC)
	others := []events.Test{
		test,
		{Prompt: "and at 75?", Expect: map[string]json.RawMessage{"time": json.RawMessage(`"2 h"`)}, After: []events.Turn{
			{Prompt: "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"}, {OtherDomain: 2}, {Prompt: "today", Now: &now, TimeZone: "Europe/Berlin"},
		}, Now: &now, TimeZone: "Asia/Tokyo", InputFormat: "natural_language"},
	}
	for _, text := range []string{
		"12", "true", "- a", "a: b", "# a", "''", "\"", " a", "a ", "a\n b", "a\n\n\nb", "a\n  \nb", "a\tb", "\ta", "a\r\nb", "a\u0000b", "a\u2028b", "\ufeffa", "a\u00a0b", "{",
		`{"inputs": [{"key": "a", "value": "<\"1\">"}]}`, "how long?", "2026-03-05", "é\U0001f600", "a\n---\nb", "%a", "\x1b[2J", "a\x7fb", "a\u0085b", "a\\nb", "~", "!a", "&a *b", "a\n# b", "|\n>",
	} {
		others = append(others, events.Test{
			Prompt: text, Expect: map[string]json.RawMessage{}, Errors: []string{"language.not_understood", "input.unknown_variable"}, After: []events.Turn{{Prompt: text}},
		})
	}
	files, err := filepath.Glob("testdata/add/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, ".out") {
			continue
		}
		before, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		after, err := withTest(before, test)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !holdsMore(Parse(name, before), Parse(name, after), test) {
			t.Errorf("%s: something else is changed too:\n%s", name, after)
		}
		golden := name + ".out"
		if *update {
			if err := os.WriteFile(golden, after, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != string(after) {
			t.Errorf("%s gives\n%s\nwant\n%s", name, after, want)
		}
		again := after
		for _, other := range others {
			before := again
			again, err = withTest(before, other)
			if err != nil || !holdsMore(Parse(name, before), Parse(name, again), other) {
				t.Errorf("%s: %s: %v\n%s", name, fileTest(other, ""), err, again)
			}
		}
	}
}
