package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/alecthomas/kong"

	"reckon/commands/domainfile"
)

// books are all Markdown files of the repository, by their paths from its root.
func books(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	above := os.DirFS(filepath.Join("..", ".."))
	err := fs.WalkDir(above, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".md":
			all[name] = root(t, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 {
		t.Fatalf("only %d books are found", len(all))
	}
	return all
}

// fenced lists the blocks of a book in a language.
func fenced(text, language string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?ms)^ *```"+language+"\n(.*?)^ *```$").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// dateForm is what a shell replaces by the date.
var dateForm = regexp.MustCompile(`\$\(date [^)]*\)`)

// commandForm finds calls of the program in a shell's lines, up to what ends a call there.
var commandForm = regexp.MustCompile(`(?:^|[\s(/])(?:-u reckon )?reckon ([a-z][^|)#;&<>]*)`)

// wordForm is a word of a shell's line, with what is quoted in it.
var wordForm = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)

// calls lists the calls of the program in a shell's lines, as words.
func calls(block string) (list [][]string) {
	block = dateForm.ReplaceAllString(strings.ReplaceAll(block, "\\\n", " "), "DATE")
	for line := range strings.Lines(block) {
		for _, m := range commandForm.FindAllStringSubmatch(line, -1) {
			var args []string
			for _, word := range wordForm.FindAllString(m[1], -1) {
				args = append(args, strings.NewReplacer(`"`, "", `'`, "", "…", "x").Replace(word))
			}
			list = append(list, args)
		}
	}
	return list
}

func TestCommandsOfTheBooksAreUnderstood(t *testing.T) {
	found := 0
	for name, text := range books(t) {
		blocks := fenced(text, "sh")
		for _, block := range fenced(text, "console") {
			for line := range strings.Lines(block) {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					blocks = append(blocks, command)
				}
			}
		}
		for _, block := range blocks {
			for _, args := range calls(block) {
				found++
				understood(t, name, args, nil, nil)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d commands are found", found)
	}
}

func TestExamplesOfTheHelpAreUnderstood(t *testing.T) {
	var c commandLine
	parser, err := newParser(&c, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"trips.prompts.yaml", "*.prompts.yaml"} { // which must be there
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := 0
	for _, leaf := range parser.Model.Leaves(true) {
		for line := range strings.Lines(leaf.Detail) {
			if !strings.HasPrefix(line, "  ") {
				continue
			}
			for _, args := range calls(line) {
				found++
				understood(t, "help of "+leaf.Path(), args, nil, nil)
			}
		}
	}
	if found < 30 {
		t.Errorf("%d examples are found", found)
	}
}

// inlineForm finds commands within sentences, whose arguments are placeholders.
var inlineForm = regexp.MustCompile("`reckon\\s+([a-z][^`]*)`")

// Sentences name commands that exist, with flags that these have, and every command is named.
func TestEveryCommandIsInTheBooks(t *testing.T) {
	var c commandLine
	parser, err := newParser(&c, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	named := map[*kong.Node]bool{}
	for name, text := range books(t) {
		for _, m := range inlineForm.FindAllStringSubmatch(text, -1) {
			node := parser.Model.Node
			for _, word := range strings.Fields(m[1]) {
				below := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
				if below < 0 {
					break
				}
				node = node.Children[below]
			}
			named[node] = true
			flags := map[string]bool{}
			for _, group := range node.AllFlags(true) {
				for _, flag := range group {
					flags[flag.Name] = true
				}
			}
			if node == parser.Model.Node {
				t.Errorf("%s: there is no command %q", name, m[1])
			}
			for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(m[1], -1) {
				if !flags[flag[1]] {
					t.Errorf("%s: --%s is no flag of %q", name, flag[1], m[1])
				}
			}
		}
	}
	for _, leaf := range parser.Model.Leaves(true) {
		if !named[leaf] {
			t.Errorf("no book names reckon %s", leaf.Path())
		}
	}
}

// otherVariables are no flags: those that tests read, and one whose value nobody is to see among the flags of a process.
var otherVariables = []string{"RECKON_SEED", "RECKON_SOAK", tokenVariable}

func TestVariablesOfTheBooksAreFlags(t *testing.T) {
	found := 0
	for name, text := range books(t) {
		env := map[string]string{}
		for _, m := range regexp.MustCompile(`(?m)^ *(RECKON_[A-Z_]+)=(\S+)$`).FindAllStringSubmatch(text, -1) {
			env[m[1]] = m[2]
		}
		found += len(env)
		understood(t, name, []string{"serve"}, env, nil)

		named := map[string]string{}
		for _, variable := range regexp.MustCompile(`\bRECKON_[A-Z_]*[A-Z]\b`).FindAllString(text, -1) {
			if _, ok := env[variable]; !ok && !slices.Contains(otherVariables, variable) {
				named[variable] = ""
			}
		}
		for variable := range named {
			if !isVariable(t, variable) {
				t.Errorf("%s: no command has the variable %s", name, variable)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d variables are found", found)
	}
}

// isVariable tells whether a flag of any command may come from an environment variable.
func isVariable(t *testing.T, name string) bool {
	t.Helper()
	var c commandLine
	parser, err := newParser(&c, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(false) {
		for _, group := range leaf.AllFlags(false) {
			for _, flag := range group {
				if slices.Contains(flag.Envs, name) {
					return true
				}
			}
		}
	}
	return false
}

// namedBlock finds what stands in a file that the sentence above it names.
var namedBlock = regexp.MustCompile("`([a-z0-9-]+[.](?:yaml|csv))`:\n\n```(?:yaml|csv)\n((?s).*?)```")

// TestDomainsOfTheBooksAreValid reads each block that is a whole domain, and runs its tests.
func TestDomainsOfTheBooksAreValid(t *testing.T) {
	found := 0
	for name, text := range books(t) {
		files := fstest.MapFS{}
		for _, m := range namedBlock.FindAllStringSubmatch(text, -1) {
			files[m[1]] = &fstest.MapFile{Data: []byte(m[2])}
		}
		for _, block := range fenced(text, "yaml") {
			if !strings.HasPrefix(block, "title:") {
				continue
			}
			found++
			_, report := domainfile.ParseBeside(files, "domain.yaml", []byte(block)).Check()
			for _, finding := range report.Findings {
				if !finding.Warning {
					t.Errorf("%s: line %d of a domain: %s", name, finding.Line, finding.Message)
				}
			}
		}
	}
	if found < 2 {
		t.Errorf("%d domains are found", found)
	}
}

// anchor is how a heading is linked to.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// pathForm finds files of the repository that a sentence names.
var pathForm = regexp.MustCompile("`((?:engine|events|commands|projections|schemas|http|cmd)/[A-Za-z0-9_./-]+)`")

func TestLinksOfTheBooksLead(t *testing.T) {
	all := books(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(all[name], -1) {
			file, heading, _ := strings.Cut(m[1], "#")
			switch {
			case strings.Contains(file, "://"):
				continue
			case file == "":
				file = name
			default:
				file = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: %s leads nowhere", name, m[1])
			}
			if heading == "" {
				continue
			}
			var anchors []string
			for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(all[file], -1) {
				anchors = append(anchors, anchor(h[1]))
			}
			if !slices.Contains(anchors, heading) {
				t.Errorf("%s: %s has no such heading", name, m[1])
			}
		}
		for _, m := range pathForm.FindAllStringSubmatch(all[name], -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
	}
}

// askedForm finds rows of a prompt, whose lines are apart, and what begins the answer to it.
var askedForm = regexp.MustCompile("(?m)^\\| (`.*`) \\| `([a-z_.]+)` ?(.*) \\|$")

// TestAnswersOfTheGuideAreRight asks what the guide to asking asks.
func TestAnswersOfTheGuideAreRight(t *testing.T) {
	guide := root(t, "http/docs/ASKING.md")
	domain := filepath.Join(t.TempDir(), "trip.yaml")
	if err := os.WriteFile(domain, []byte(fenced(guide, "yaml")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := askedForm.FindAllStringSubmatch(guide, -1)
	for _, row := range rows {
		prompt := strings.ReplaceAll(strings.Trim(row[1], "`"), "`, `", "\n")
		var out, errs bytes.Buffer
		run(terminal{Context: t.Context(), in: &bytes.Buffer{}, out: &out, err: &errs}, []string{"calculate", "--json", "--domain", domain, "--", prompt})
		var message struct {
			Results struct {
				Variables []struct{ Key, Value string }
			}
			Errors []struct{ Code string }
		}
		if err := json.Unmarshal(out.Bytes(), &message); err != nil {
			t.Fatalf("%q: %v: %s%s", prompt, err, out.String(), errs.String())
		}
		got := ""
		for _, e := range message.Errors {
			got = e.Code + " " + row[3]
		}
		if len(message.Results.Variables) > 0 {
			got = message.Results.Variables[0].Key + " " + message.Results.Variables[0].Value
		}
		if want := row[2] + " " + row[3]; got != want {
			t.Errorf("%q: %s, want %s", prompt, got, want)
		}
	}
	if len(rows) < 14 {
		t.Errorf("%d rows are found", len(rows))
	}
}

// readmeLines is how long README.md may be: for a reader who has five minutes.
const readmeLines = 250

func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(root(t, "README.md"), "\n"); n > readmeLines {
		t.Errorf("README.md has %d lines, more than %d", n, readmeLines)
	}
}
