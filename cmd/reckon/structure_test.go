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
)

// layers says which packages of the module each package may import; "…" stands for everything.
var layers = map[string][]string{
	"reckon/engine/decimal":        {},
	"reckon/engine/syntax":         {},
	"reckon/engine/units":          {"reckon/engine/decimal", "reckon/engine/syntax"},
	"reckon/engine":                {"reckon/engine/decimal", "reckon/engine/units", "reckon/engine/syntax"},
	"reckon/engine/prompt":         {"reckon/engine", "reckon/engine/decimal", "reckon/engine/units", "reckon/engine/syntax"},
	"reckon/engine/language":       {"reckon/engine", "reckon/engine/prompt", "reckon/engine/decimal", "reckon/engine/units", "reckon/engine/syntax"},
	"reckon/events":                {},
	"reckon/schemas":               {},
	"reckon/projections":           {"reckon/events"},
	"reckon/commands":              {"reckon/engine", "reckon/engine/prompt", "reckon/engine/language", "reckon/engine/decimal", "reckon/engine/units", "reckon/engine/syntax", "reckon/events", "reckon/projections"},
	"reckon/commands/model":        {"reckon/commands", "reckon/engine", "reckon/engine/language"},
	"reckon/commands/commandstest": {"reckon/events"},
	"reckon/http":                  {"reckon/commands", "reckon/projections", "reckon/schemas"},
	"reckon/cmd/reckon":            {"…"},
}

// impure are the packages that the engine may not import: what it knows of the outside comes with the command.
var impure = []string{"net", "net/http", "os", "os/exec", "math/rand", "math/rand/v2", "crypto/rand", "syscall"}

// goPackage is what `go list -json` says of a package.
type goPackage struct {
	ImportPath string
	Dir        string
	Doc        string
	Imports    []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,Imports", "./...")
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
	for _, p := range listPackages(t) {
		may, ok := layers[p.ImportPath]
		if !ok {
			t.Errorf("%s has no place among the layers", p.ImportPath)
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "reckon/") && !slices.Contains(may, i) && !slices.Contains(may, "…") {
				t.Errorf("%s may not import %s", p.ImportPath, i)
			}
			if strings.HasPrefix(p.ImportPath, "reckon/engine") && slices.Contains(impure, i) {
				t.Errorf("%s may not import %s: the engine is pure", p.ImportPath, i)
			}
		}
	}
}

// clock are the calls that ask the machine what a command must say.
var clock = []string{"time.Now(", "time.Since(", "time.Until(", "time.Local"}

func TestEngineNeverAsksTheClock(t *testing.T) {
	for _, p := range listPackages(t) {
		if !strings.HasPrefix(p.ImportPath, "reckon/engine") {
			continue
		}
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range clock {
				if !strings.HasSuffix(name, "_test.go") && strings.Contains(string(data), call) {
					t.Errorf("%s calls %s", name, strings.TrimSuffix(call, "("))
				}
			}
		}
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
