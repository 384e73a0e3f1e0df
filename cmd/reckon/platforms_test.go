package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// foreign are systems that the program is for and that CI is not, one architecture of each.
var foreign = []struct{ system, architecture string }{{"darwin", "arm64"}, {"windows", "amd64"}}

// importing finds packages by the paths that stand in imports.
type importing func(path string) (*types.Package, error)

func (f importing) Import(path string) (*types.Package, error) { return f(path) }

// TestPlatforms has the types of all packages checked for other systems, which takes seconds where building takes minutes: what
// is not there on a system, or is another one, is found. `make platforms` builds.
func TestPlatforms(t *testing.T) {
	if testing.Short() {
		t.Skip("all packages for other systems take long")
	}
	for _, on := range foreign {
		list := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
		list.Dir = filepath.Join("..", "..")
		list.Env = append(os.Environ(), "GOOS="+on.system, "GOARCH="+on.architecture, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: %v", on.system, err)
		}
		checked := map[string]*types.Package{"unsafe": types.Unsafe}
		for packages := json.NewDecoder(bytes.NewReader(out)); ; { // each behind those that it imports
			var p struct {
				ImportPath, Dir string
				GoFiles         []string
				ImportMap       map[string]string
				Module          *struct{ Main bool }
			}
			if err := packages.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.ImportPath == "unsafe" {
				continue
			}
			files, set := []*ast.File{}, token.NewFileSet()
			for _, name := range p.GoFiles {
				file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, file)
			}
			config := types.Config{
				Sizes:            types.SizesFor("gc", on.architecture),
				IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
				Importer: importing(func(path string) (*types.Package, error) {
					if to, ok := p.ImportMap[path]; ok {
						path = to
					}
					if found := checked[path]; found != nil {
						return found, nil
					}
					return nil, errors.New("there is no package " + path)
				}),
				Error: func(err error) { t.Errorf("%s: %v", on.system, err) },
			}
			checked[p.ImportPath], _ = config.Check(p.ImportPath, set, files, nil) // its errors are told
		}
		if len(checked) < 300 {
			t.Errorf("%s: %d packages are checked", on.system, len(checked))
		}
	}
}
