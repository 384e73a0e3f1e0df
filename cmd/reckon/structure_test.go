package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// layers says which packages of the module each package may import, without "reckon/". A + behind a name stands for all that
// that package may import, too; "…" stands for everything.
var layers = map[string][]string{
	"engine/decimal":        {},
	"engine/syntax":         {},
	"engine/units":          {"engine/decimal", "engine/syntax"},
	"engine/value":          {"engine/units+"},
	"engine/format":         {"engine/value+"},
	"engine/input":          {"engine/format+"},
	"engine/formula":        {"engine/value+", "engine/syntax"},
	"engine/solve":          {"engine/formula+"},
	"engine":                {"engine/solve+", "engine/input+"},
	"engine/prompt":         {"engine+"},
	"engine/language":       {"engine/prompt+"},
	"events":                {},
	"events/log":            {"events", "events/log/natsfile"},
	"events/log/natsfile":   {"events"},
	"events/log/logtest":    {"events"},
	"events/backup":         {"events/log+"},
	"schemas":               {},
	"projections":           {"events/backup+"},
	"commands":              {"engine/language+", "projections+", "commands/outside"},
	"schemas/schemastest":   {"schemas"},
	"commands/commandstest": {"events/backup+"},
	"commands/outside":      {},
	"commands/model":        {"commands+"},
	"commands/history":      {"commands+"},
	"commands/nodes":        {"commands+"},
	"commands/traces":       {},
	"commands/domainfile":   {"commands+", "schemas"},
	"commands/export":       {"commands/domainfile+"},
	"commands/spreadsheet":  {"commands/domainfile+"},
	"http":                  {"commands", "commands/history", "commands/domainfile", "commands/model", "projections", "schemas"},
	"http/admin":            {"http", "http/webhooks", "commands", "commands/nodes", "commands/history", "commands/domainfile", "commands/export", "projections+", "schemas"},
	"http/webhooks":         {"http", "commands", "commands/outside", "projections+"},
	"http/metrics":          {},
	"http/mcp":              {"http", "engine/formula", "engine/units", "engine/format+", "schemas"},
	"http/browsertest":      {},
	"http/docs":             {"http", "engine/formula", "engine/units", "engine/format+", "schemas"},
	"http/console":          {"http", "http/webhooks", "commands", "commands/nodes", "commands/domainfile", "commands/export", "commands/history", "projections+", "engine/format+", "engine/language"},
	"cmd/reckon/bench":      {"commands+"},
	"cmd/reckon/clients":    {},
	"cmd/release":           {},
	"cmd/screens":           {"http/browsertest"},
	"cmd/reckon":            {"…"},
}

// mayImport is the row of a package in layers with what a + stands for.
func mayImport(name string) []string {
	var all []string
	for _, below := range layers[name] {
		below, deep := strings.CutSuffix(below, "+")
		all = append(all, below)
		if deep {
			all = append(all, mayImport(below)...)
		}
	}
	return all
}

// servers are the packages that run a server of NATS, or know it: the log, its tests, the views, and the floor of the bench, which
// is a bare server.
var servers = []string{"events/log", "events/log/natsfile", "events/log/logtest", "projections", "cmd/reckon/bench"}

// impure are the packages that the engine may not import: what it knows of the outside comes with the command.
var impure = []string{"net", "net/http", "os", "os/exec", "math/rand", "math/rand/v2", "crypto/rand", "syscall"}

// goPackage is what `go list -json` says of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Doc        string
	GoFiles    []string
	Imports    []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

func TestPackagesImportOnlyWhatTheirLayerMay(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	architecture := strings.FieldsFunc(string(doc), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,;:", r) })
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "reckon/")
		if _, ok := layers[name]; !ok {
			t.Errorf("%s has no place among the layers", name)
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", name)
		}
		if !strings.HasSuffix(name, "test") && !slices.Contains(architecture, name) {
			t.Errorf("%s is not in the architecture of cmd/reckon/doc.go", name)
		}
		may := mayImport(name)
		for _, i := range p.Imports {
			if own, ok := strings.CutPrefix(i, "reckon/"); ok && !slices.Contains(may, own) && !slices.Contains(may, "…") {
				t.Errorf("%s may not import %s", name, own)
			}
			if isEngine(name) && slices.Contains(impure, i) {
				t.Errorf("%s may not import %s: the engine is pure", name, i)
			}
			if strings.HasPrefix(i, "github.com/nats-io/nats-server/") && !slices.Contains(servers, name) {
				t.Errorf("%s may not import %s", name, i)
			}
		}
	}
}

func isEngine(name string) bool { return name == "engine" || strings.HasPrefix(name, "engine/") }

// eachFile reads the files of a package that are not tests.
func eachFile(t *testing.T, p goPackage, read func(name string, text string)) {
	t.Helper()
	for _, name := range p.GoFiles {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		read(filepath.Join(p.ImportPath, name), string(data))
	}
}

// commentColumns is how wide a line that is a comment may be.
const commentColumns = 100

func TestCommentsAreNarrow(t *testing.T) {
	for _, p := range listPackages(t) {
		eachFile(t, p, func(name, text string) {
			n := 0
			for line := range strings.Lines(text) {
				n++
				columns := utf8.RuneCountInString(strings.TrimRight(line, "\n"))
				if columns > commentColumns && strings.HasPrefix(strings.TrimSpace(line), "// ") {
					t.Errorf("%s:%d: a comment of %d columns, more than %d", name, n, columns, commentColumns)
				}
			}
		})
	}
}

// clock are the calls that ask the machine what a command must say.
var clock = []string{"time.Now(", "time.Since(", "time.Until(", "time.Local"}

func TestEngineNeverAsksTheClock(t *testing.T) {
	for _, p := range listPackages(t) {
		if !isEngine(strings.TrimPrefix(p.ImportPath, "reckon/")) {
			continue
		}
		eachFile(t, p, func(name, text string) {
			for _, call := range clock {
				if strings.Contains(text, call) {
					t.Errorf("%s calls %s", name, strings.TrimSuffix(call, "("))
				}
			}
		})
	}
}

// topLevel are the only entries of the top folder, besides dotfiles.
var topLevel = []string{
	"engine", "events", "commands", "projections", "schemas", "http", "cmd",
	"README.md", "LICENSE", "CHANGELOG.md", "go.mod", "go.sum", "Makefile", "docker-compose.yml",
}

func TestTopFolderHoldsOnlyWhatItShould(t *testing.T) {
	cmd := exec.Command("git", "ls-files")
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list the files of the repository: %v", err)
	}
	for _, name := range strings.Fields(string(out)) {
		top, _, _ := strings.Cut(name, "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(topLevel, top) {
			t.Errorf("%s does not belong in the top folder", name)
		}
	}
}
