package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"reckon/engine/language"
	"reckon/engine/value"
	"reckon/schemas"
)

// errorCases are the files whose expected output has a line "code: message" or "code at OFFSET: message" for an error, with
// the args in place of the placeholders, or for what only an analysis says the error as JSON. A published domain has names that differ by more than their case, so that
// input.ambiguous_variable is among those of the engine.
var errorCases = []string{
	"testdata/contract/*.txt",
	"../../commands/testdata/*.txt",
	"../../engine/testdata/names.txt",
}

var placeholder = regexp.MustCompile(`%arg(\d+)%`)

// errorLine matches the line of an error, with all args of the template.
func errorLine(t *testing.T, code value.Code, message string) *regexp.Regexp {
	t.Helper()
	at := ""
	if code.Also == "offset" {
		at = ` at \d+`
	}
	pattern := placeholder.ReplaceAllString(regexp.QuoteMeta(message), `.+`)
	line, err := regexp.Compile(`(?m)^` + regexp.QuoteMeta(code.Code) + at + `: ` + pattern)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestEveryErrorCodeHasACase(t *testing.T) {
	var outputs []byte
	for _, pattern := range errorCases {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no case files: %v", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			outputs = append(append(outputs, '\n'), data...)
		}
	}
	for _, code := range value.Codes() {
		for _, message := range []string{code.Message, code.Without} {
			if message == "" {
				continue
			}
			found := errorLine(t, code, message).FindIndex(outputs)
			shown := fmt.Sprintf("%q: %q,\n    %q: %q", "code", code.Code, "message", message)
			if found == nil && !bytes.Contains(outputs, []byte(shown)) {
				t.Errorf("no case produces %s: %s", code.Code, message)
			}
		}
		if code.Also != "missing" {
			continue
		}
		if line := `(?m)^` + regexp.QuoteMeta(code.Code) + `: .*\n  missing \S`; !regexp.MustCompile(line).Match(outputs) {
			t.Errorf("no case produces %s with alternatives", code.Code)
		}
	}
}

// TestErrorCodesAreDocumented holds the table of codes against itself: every placeholder is explained, everything is said.
func TestErrorCodesAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, code := range value.Codes() {
		if seen[code.Code] {
			t.Errorf("%s stands twice in the table", code.Code)
		}
		seen[code.Code] = true
		if code.Cause == "" || code.WayOut == "" {
			t.Errorf("%s has no cause or no way out", code.Code)
		}
		named := map[string]bool{}
		for _, m := range placeholder.FindAllStringSubmatch(code.Message, -1) {
			named[m[1]] = true
		}
		for i := range code.Args {
			if !named[fmt.Sprint(i)] {
				t.Errorf("%s: the template has no %%arg%d%%", code.Code, i)
			}
		}
		if len(named) != len(code.Args) {
			t.Errorf("%s: the template has %d placeholders and %d args are explained", code.Code, len(named), len(code.Args))
		}
		if !slices.Contains([]string{"", "offset", "missing"}, code.Also) {
			t.Errorf("%s: errors have no member %q", code.Code, code.Also)
		}
	}
}

// TestErrorCodesFile holds schemas/errors.json against the tables.
func TestErrorCodesFile(t *testing.T) {
	type texts struct {
		Message string `json:"message"`
		Without string `json:"message_without_hint,omitempty"`
	}
	type code struct {
		value.Code
		Translations map[string]texts `json:"translations"`
	}
	var list []code
	for _, c := range value.Codes() {
		all := map[string]texts{}
		for _, tag := range language.Languages() {
			if found := language.Errors(tag, []value.Error{{Code: c.Code, Message: c.Message}, {Code: c.Code, Message: c.Without}}); tag != language.Default {
				all[tag] = texts{found[0].Message, found[1].Message}
			}
		}
		list = append(list, code{c, all})
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(list); err != nil {
		t.Fatal(err)
	}
	const name = "../../schemas/errors.json"
	if *update {
		if err := os.WriteFile(name, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what the table of codes says; run this test with -update", name)
	}
}

// TestOpenAPIListsTheErrorCodes holds the description of the interface against the table.
func TestOpenAPIListsTheErrorCodes(t *testing.T) {
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Enum []string
				}
			}
		}
	}
	if err := yaml.Unmarshal([]byte(schemas.OpenAPI(2)), &document); err != nil {
		t.Fatal(err)
	}
	listed := document.Components.Schemas["CalculationError"].Properties["code"].Enum
	var codes []string
	for _, code := range value.Codes() {
		codes = append(codes, code.Code)
	}
	if !slices.Equal(listed, codes) {
		t.Errorf("CalculationError lists\n%s\nthe table has\n%s", strings.Join(listed, "\n"), strings.Join(codes, "\n"))
	}
}
