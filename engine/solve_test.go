package engine

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"reckon/engine/input"
	"reckon/engine/value"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/solve")

// testEnv is the outside of all examples.
var testEnv = value.Env{Now: time.Date(2026, 3, 5, 14, 7, 9, 0, time.UTC), Zone: time.UTC}

var declaration = regexp.MustCompile(`^(\S+)(?:\s+\[([^\]]*)\])?((?:\s+\w+=(?:"[^"]*"|\S+))*)$`)
var attribute = regexp.MustCompile(`(\w+)=(?:"([^"]*)"|(\S+))`)

// declare adds a line of a domain to a definition:
//
//	var KEY [UNIT] kind=… default="…" min="…" max="…" columns="KIND:UNIT …"
//	eq EQUATION        an activity; "off EQUATION" a disabled one
//	only KEY …         what the last activity may be solved for
//	strict             strict_roots
//	units NAME …       counting units
func declare(def *Definition, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "var":
		m := declaration.FindStringSubmatch(rest)
		if m == nil {
			return fmt.Errorf("declaration %q", line)
		}
		v := value.Variable{ID: m[1], Key: m[1], Unit: m[2]}
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			val := a[2] + a[3]
			switch a[1] {
			case "kind":
				v.Kind = val
			case "default":
				v.Default = value.Scalar(val)
			case "min":
				v.Min = val
			case "max":
				v.Max = val
			case "title":
				v.Title = val
			case "columns":
				var list []string
				for _, column := range strings.Fields(val) {
					kind, unit, _ := strings.Cut(column, ":")
					list = append(list, fmt.Sprintf(`{"kind":%q,"unit":%q}`, kind, unit))
				}
				v.Display = []byte(`{"table":{"columns":[` + strings.Join(list, ",") + `]}}`)
			case "integer":
				v.Integer = val == "true"
			default:
				return fmt.Errorf("attribute %q", a[1])
			}
		}
		def.Variables = append(def.Variables, v)
	case "eq", "off":
		def.Activities = append(def.Activities, Activity{Equation: rest, Disabled: word == "off"})
	case "only":
		def.Activities[len(def.Activities)-1].Calculable = strings.Fields(rest)
	case "strict":
		def.StrictRoots = true
	case "units":
		def.Units = strings.Fields(rest)
	default:
		return fmt.Errorf("line %q", line)
	}
	return nil
}

// readText reads [1, 2] and [[1, 2], [3, 4]] as a table of cells.
func readText(s string) value.Text {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "[") {
		return value.Scalar(s)
	}
	cells := func(list string) []string {
		var out []string
		for _, c := range strings.Split(list, ",") {
			out = append(out, strings.TrimSpace(c))
		}
		return out
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	if !strings.HasPrefix(strings.TrimSpace(inner), "[") {
		t := value.Text{Rank: 1}
		for _, c := range cells(inner) {
			t.Cells = append(t.Cells, []string{c})
		}
		return t
	}
	t := value.Text{Rank: 2}
	for _, row := range strings.Split(inner, "]") {
		if row = strings.TrimLeft(row, ", ["); row != "" {
			t.Cells = append(t.Cells, cells(row))
		}
	}
	return t
}

// ask derives the target of "KEY VALUE; ~KEY VALUE; … -> KEY in UNIT". A "~" marks a carried fact,
// "^" a remembered one, "-KEY" a cleared variable.
func ask(d *Domain, question string) (Solution, []value.Error) { return askIn(d, testEnv, question) }

// askIn is ask with the outside given.
func askIn(d *Domain, env value.Env, question string) (Solution, []value.Error) {
	givens, target, _ := strings.Cut(question, "->")
	var facts []Fact
	taken := map[int]bool{}
	for _, g := range strings.Split(givens, ";") {
		g = strings.TrimSpace(g)
		if g == "" {
			continue
		}
		tier := Stated
		cleared := false
		switch g[0] {
		case '~':
			tier, g = Carried, g[1:]
		case '^':
			tier, g = Remembered, g[1:]
		case '-':
			cleared, g = true, g[1:]
		}
		key, val, _ := strings.Cut(g, " ")
		v := d.Index(key)
		if v < 0 {
			return Solution{}, value.Problems("input.unknown_variable", key)
		}
		if cleared {
			taken[v] = true
			continue
		}
		parsed, _, errs := input.ParseValue(&d.Scope, v, readText(val), testEnv)
		if len(errs) > 0 {
			return Solution{}, errs
		}
		facts = append(facts, Fact{v, tier, parsed})
		taken[v] = tier != Remembered
	}
	key, unit, asked := strings.Cut(strings.TrimSpace(target), " in ")
	t := Target{Variable: d.Index(key)}
	if t.Variable < 0 {
		return Solution{}, value.Problems("input.unknown_variable", key)
	}
	if asked {
		u, err := input.ParseUnit(&d.Scope, t.Variable, unit)
		if err != nil {
			return Solution{}, []value.Error{*err}
		}
		t.Unit = u
	}
	for i := range d.Variables {
		if value, ok := d.defaultValue(i, testEnv); ok && !taken[i] {
			facts = append(facts, Fact{i, Defaulted, value})
		}
	}
	return d.Derive(env, facts, t.Variable, t.Unit, nil, false, nil)
}

// answer shows what ask gives.
func answer(d *Domain, question string) string {
	s, errs := ask(d, question)
	if len(errs) > 0 {
		var all []string
		for _, e := range errs {
			text := strings.TrimSpace("! " + e.Code + " " + strings.Join(e.Args, " | "))
			for _, a := range e.Missing {
				var keys []string
				for _, v := range a.Variables {
					keys = append(keys, v.Key)
				}
				text += " {" + strings.Join(keys, " ") + "}"
			}
			all = append(all, text)
		}
		return strings.Join(all, " ")
	}
	text := s.Value.Text()
	if text.Rank == 0 {
		return text.Scalar()
	}
	return plain(text)
}

// TestSolve runs testdata/solve: domains, and questions with their answers behind "=>".
func TestSolve(t *testing.T) {
	files, err := filepath.Glob("testdata/solve/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runExamples(t, file) })
	}
}

func runExamples(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var def Definition
	var d *Domain
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		place := fmt.Sprintf("%s:%d", file, i+1)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case strings.HasPrefix(trimmed, "domain "):
			def, d = Definition{Title: trimmed[7:], Description: "An example."}, nil
		case strings.Contains(trimmed, "->"):
			if d == nil {
				var issues []Issue
				if d, issues = Compile(def); d == nil {
					t.Fatalf("%s: %v", place, issues)
				}
			}
			question, want, _ := strings.Cut(trimmed, "=>")
			question, want = strings.TrimSpace(question), strings.TrimSpace(want)
			got := answer(d, question)
			if *update {
				lines[i] = question + " => " + got
			} else if got != want {
				t.Errorf("%s: %s\n got %s\nwant %s", place, question, got, want)
			}
		default:
			if err := declare(&def, trimmed); err != nil {
				t.Fatalf("%s: %v", place, err)
			}
			d = nil
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
