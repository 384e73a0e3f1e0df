package language

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// comparing are the functions of strings that compare texts.
var comparing = []string{"Contains", "CutPrefix", "CutSuffix", "EqualFold", "HasPrefix", "HasSuffix", "Index", "TrimPrefix", "TrimSuffix"}

// sources are the files of the package but for tests.
func sources(t *testing.T) (*gotoken.FileSet, []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := gotoken.NewFileSet()
	var files []*ast.File
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return set, files
}

// TestWeightsStandInOneFile holds that no other file than weights.go has a number with a fraction.
func TestWeightsStandInOneFile(t *testing.T) {
	set, files := sources(t)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == gotoken.FLOAT && strings.Contains(lit.Value, ".") {
				t.Errorf("%s: %s is a weight", set.Position(lit.Pos()), lit.Value)
			}
			return true
		})
	}
}

// TestWordsStandInTables holds that the code knows no word of the language: a text that is
// compared, chosen by, looked up or kept in a list has no letters. The names of what the tables,
// the domain and the callers speak of are constants; codes of errors have a point in them.
func TestWordsStandInTables(t *testing.T) {
	set, files := sources(t)
	for _, file := range files {
		refuse := func(list ...ast.Expr) {
			for _, e := range list {
				if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && strings.ContainsFunc(text, unicode.IsLetter) && !strings.Contains(text, ".") {
						t.Errorf("%s: %s is a word", set.Position(lit.Pos()), lit.Value)
					}
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == gotoken.EQL || n.Op == gotoken.NEQ {
					refuse(n.X, n.Y)
				}
			case *ast.CaseClause:
				refuse(n.List...)
			case *ast.IndexExpr:
				refuse(n.Index)
			case *ast.CompositeLit:
				refuse(n.Elts...)
			case *ast.KeyValueExpr:
				refuse(n.Key)
			case *ast.CallExpr:
				if of, ok := n.Fun.(*ast.SelectorExpr); ok {
					if from, ok := of.X.(*ast.Ident); ok && from.Name == "strings" && slices.Contains(comparing, of.Sel.Name) {
						refuse(n.Args...)
					}
				}
			}
			return true
		})
	}
}

// TestNamesOfTables holds that the code asks for no role and no section that the tables lack, and
// for each that they have.
func TestNamesOfTables(t *testing.T) {
	set, files := sources(t)
	roles, sections, texts := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range roleRows() {
		roles[r[0]] = false
	}
	for name := range readTables().texts {
		texts[name] = false
	}
	for section := range readTables().sections {
		sections[section] = false
	}
	of := map[string]map[string]bool{
		"is": roles, "wordIs": roles, "anyIs": roles, "named": roles, "Contains": roles,
		"row": sections, "rows": sections, "rowAt": sections, "patterns": sections, "exactly": sections,
		"say": texts, "count": texts,
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, _ := call.Fun.(*ast.Ident)
			if method, ok := call.Fun.(*ast.SelectorExpr); ok {
				name = method.Sel
			}
			for _, arg := range call.Args {
				lit, ok := arg.(*ast.BasicLit)
				if !ok || lit.Kind != gotoken.STRING || name == nil || of[name.Name] == nil {
					continue
				}
				text, err := strconv.Unquote(lit.Value)
				if names := of[name.Name]; err == nil && strings.ContainsFunc(text, unicode.IsLetter) {
					if _, known := names[text]; !known && name.Name != "exactly" {
						t.Errorf("%s: the tables have no %q", set.Position(lit.Pos()), text)
					}
					names[text] = true
				}
			}
			return true
		})
	}
	for _, r := range []string{"amounts", "requests", "plain words"} { // sections of roles
		sections[r] = true
	}
	for _, names := range []map[string]bool{roles, sections, texts} {
		for name, asked := range names {
			if !asked {
				t.Errorf("nothing asks for %q", name)
			}
		}
	}
}

// TestTextsStandInTables holds that the code puts no sentence together but for those who write
// domains and models, which are in English: a text of several words stands in no other file.
func TestTextsStandInTables(t *testing.T) {
	set, files := sources(t)
	for _, file := range files {
		if name := set.Position(file.Pos()).Filename; slices.Contains([]string{"evaluation.go", "proposal.go", "proposal_target.go", "trace.go", "weights.go"}, name) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == gotoken.CONST {
				return false // names
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != gotoken.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			letters := len(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }))
			if named := readTables().texts[text] != nil || slices.ContainsFunc(roleRows(), func(r row) bool { return r[0] == text }) || readTables().sections[text] != nil; err == nil && letters > 1 && strings.Contains(text, " ") && !named {
				t.Errorf("%s: %s is a text", set.Position(lit.Pos()), lit.Value)
			}
			return true
		})
	}
}
