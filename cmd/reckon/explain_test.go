package main

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/input"
	"reckon/engine/syntax"
	"reckon/engine/value"
	"reckon/events"
)

// domainFiles are all starter domains and those of testdata.
func domainFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"starter/*/*.yaml", "testdata/domains/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	return files
}

// TestExplanationsHold explains every test of every domain, and evaluates each formula with the
// numbers put in by itself, as the only equation of a domain: it has the value that is shown, to
// all digits where all numbers in it are exact, else to those that rounding them to 34 digits
// leaves.
func TestExplanationsHold(t *testing.T) {
	formulas, exact := 0, 0
	for _, name := range domainFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := domainfile.Read(name)
			if err != nil {
				t.Fatal(err)
			}
			d, report := f.Compile()
			if d == nil {
				t.Fatal(report.Findings)
			}
			for i, test := range d.Definition.Tests {
				k, ok := keptOf(t, d, test)
				if !ok {
					continue
				}
				e := k.Explain()
				if len(e.Errors) > 0 || len(e.Unlike) > 0 {
					t.Errorf("test %d, %q: %v, unlike %v", i, test.Prompt, e.Errors, e.Unlike)
					continue
				}
				foundAll(t, k, e)
				wellFormed(t, e)
				for _, s := range e.Steps {
					if s.Solved == nil || len(s.Found) != 1 {
						continue
					}
					formulas++
					if evaluates(t, d, k, s) {
						exact++
					}
				}
			}
		})
	}
	t.Logf("%d formulas, %d of them exact", formulas, exact)
	if formulas < 500 || exact < 200 {
		t.Errorf("only %d formulas were evaluated, %d of them exact", formulas, exact)
	}
}

// keptOf holds the conversation of a test and finds the scenario that it ends in; false where it
// ends in an error.
func keptOf(t *testing.T, d *commands.Domain, test events.Test) (commands.Kept, bool) {
	t.Helper()
	r, now := d.DryRun(), time.Date(2026, 3, 5, 14, 7, 9, 0, time.UTC)
	turns := append(slices.Clone(test.After), events.Turn{Prompt: test.Prompt, InputFormat: test.InputFormat, Now: test.Now, TimeZone: test.TimeZone})
	var last commands.Place
	for _, turn := range turns {
		if turn.OtherDomain != 0 {
			return commands.Kept{}, false
		}
		at := *cmp.Or(turn.Now, test.Now, &now)
		m, err := r.Say(turn.Prompt, turn.InputFormat, cmp.Or(turn.TimeZone, test.TimeZone, "UTC"), at)
		if err != nil {
			t.Fatal(err)
		}
		last = commands.Place{Message: m.MessageID}
	}
	list, err := r.Kept(last)
	if err != nil {
		t.Fatal(err)
	}
	return list[0], list[0].Asked.Completed != nil
}

// foundAll holds that steps have found all values that the message calculated.
func foundAll(t *testing.T, k commands.Kept, e commands.Explanation) {
	t.Helper()
	found := map[string]value.Text{}
	for _, s := range e.Steps {
		for _, v := range s.Found {
			found[v.Key] = v.Value
			if v.Rows > len(v.Value.Cells) {
				delete(found, v.Key)
			}
		}
	}
	for _, v := range k.Stands.Completed.Results.Variables {
		var text value.Text
		if err := text.UnmarshalJSON(v.Value); err != nil {
			t.Fatal(err)
		}
		if got, ok := found[v.Key]; ok && v.Source == "calculated" && !v.Historical {
			if same, errs := k.Domain.Compiled().Agrees(k.Domain.Compiled().Index(v.Key), got, text, k.Env); !same || len(errs) > 0 {
				t.Errorf("%q: %s is %v, and explained as %v", k.Asked.Prompt, v.Key, text, got)
			}
		}
	}
}

// evaluates calculates the formula of a step with the numbers put in, and tells whether all of
// these are exact.
func evaluates(t *testing.T, d *commands.Domain, k commands.Kept, s engine.ExplainedStep) (exact bool) {
	t.Helper()
	def := d.Definition
	key := s.Found[0].Key
	def.Activities = []events.Activity{{Title: "formula", Equation: s.Numbers.String(), State: "active"}}
	def.Constraints, def.Tests = nil, nil
	for i, a := range d.Definition.Activities { // the columns of a table have the names that its equation gives them
		if out := d.Compiled().Output(i); out >= 0 && d.Definition.Variables[out].Key != key && strings.Contains(s.Numbers.String(), "column("+d.Definition.Variables[out].Key) {
			def.Activities = append(def.Activities, a)
		}
	}
	alone, issues := commands.CompileFile(def)
	if alone == nil { // the currency of the inputs stands for the declared one
		def.Variables = slices.Clone(def.Variables)
		for i := range def.Variables {
			def.Variables[i].Unit = ""
		}
		alone, issues = commands.CompileFile(def)
	}
	if alone == nil {
		t.Errorf("%q: %s: %v", k.Asked.Prompt, s.Numbers, issues)
		return false
	}
	// What is still named, such as a long table, is given.
	type given struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	}
	calculate := map[string]any{"key": key}
	if _, unit, ok := strings.Cut(s.Found[0].Value.Scalar(), " "); ok && unit != "s" && s.Found[0].Rows == 0 {
		calculate["unit"] = unit
	}
	asked := map[string]any{"calculate": calculate}
	inputs := []given{}
	for _, v := range k.Stands.Completed.Results.Variables {
		i := alone.Compiled().Index(v.Key)
		if v.Key != key && slices.Contains(alone.Compiled().References(0), i) {
			inputs = append(inputs, given{v.Key, v.Value})
		}
	}
	asked["inputs"] = inputs
	prompt, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	m, err := alone.DryRun().Say(string(prompt), "json", "UTC", k.Env.Now)
	if err != nil {
		t.Fatal(err)
	}
	if m.Completed == nil {
		t.Errorf("%q: %s gives %v", k.Asked.Prompt, s.Numbers, commands.ErrorsOf(m.Failed))
		return false
	}
	i := alone.Compiled().Index(key)
	var text value.Text
	if err := text.UnmarshalJSON(m.Completed.Results.Value(key)); err != nil {
		t.Fatal(err)
	}
	if s.Found[0].Rows > len(s.Found[0].Value.Cells) {
		return false // of a long table not all is shown
	}
	got, want := readValue(t, alone, i, text, k.Env), readValue(t, alone, i, s.Found[0].Value, k.Env)
	exact = !manyDigits.MatchString(s.Numbers.String()) && len(inputs) == 0
	if same := got.Equal(want); !same && (exact || !got.Near(want, decimal.MustParse("1e-25"))) {
		t.Errorf("%q: %s is %v, and shown is %v", k.Asked.Prompt, s.Numbers, text, s.Found[0].Value)
	}
	return exact
}

// manyDigits matches a number that may be rounded.
var manyDigits = regexp.MustCompile(`[0-9.]{31,}`)

func readValue(t *testing.T, d *commands.Domain, variable int, text value.Text, env value.Env) value.Value {
	t.Helper()
	v, _, errs := input.ParseValue(&d.Compiled().Scope, variable, text, env)
	if len(errs) > 0 {
		t.Fatalf("%v: %v", text, errs)
	}
	return v
}

// wellFormed holds that MathML is XML and that TeX closes what it opens, with no command that was
// not written here.
func wellFormed(t *testing.T, e commands.Explanation) {
	t.Helper()
	isXML(t, e.MathML())
	isTeX(t, e.TeX())
}

func isXML(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

// texCommands are all that explanations are written with.
var texCommands = strings.Fields(`documentclass usepackage allowdisplaybreaks setlength parindent begin end section subsection
	text mathrm operatorname frac sqrt left right cdot ldots circ Omega mu textbackslash textasciitilde textasciicircum textquotedbl
	textless textgreater textasciigrave textquotesingle lfloor rfloor lceil rceil ne le ge land lor lnot sin cos tan sinh cosh tanh
	ln log min max gcd pi alpha beta gamma delta theta lambda rho sigma tau varphi omega eta varepsilon`)

var texCommand = regexp.MustCompile(`\\([A-Za-z]+)`)

func isTeX(t *testing.T, text string) {
	t.Helper()
	depth := 0
	var open []string
	bare := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "").Replace(text)
	for _, r := range bare {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			t.Fatalf("a brace closes nothing in %s", text)
		}
	}
	for _, m := range regexp.MustCompile(`\\(begin|end)\{([a-z*]+)\}`).FindAllStringSubmatch(bare, -1) {
		switch {
		case m[1] == "begin":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			t.Fatalf("%s ends nothing in %s", m[2], text)
		default:
			open = open[:len(open)-1]
		}
	}
	if depth != 0 || len(open) > 0 || strings.Count(bare, `\left`) != strings.Count(bare, `\right`) {
		t.Fatalf("something is not closed in %s", text)
	}
	for _, m := range texCommand.FindAllStringSubmatch(bare, -1) {
		if !slices.Contains(texCommands, m[1]) {
			t.Errorf("the command \\%s stands in %s", m[1], text)
		}
	}
}

// TestEquationsAreMarkedUp writes every equation and condition of every domain in two dimensions.
func TestEquationsAreMarkedUp(t *testing.T) {
	for _, name := range domainFiles(t) {
		f, err := domainfile.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := f.Compile()
		for _, a := range d.Definition.Activities {
			e, err := syntax.ParseEquation(a.Equation)
			if err != nil {
				t.Fatal(err)
			}
			isXML(t, "<math>"+syntax.MathMLEquation(*e)+"</math>")
			isTeX(t, syntax.TeXEquation(*e))
		}
		for _, c := range d.Definition.Constraints {
			n, err := syntax.ParseExpression(c.Condition)
			if err != nil {
				t.Fatal(err)
			}
			isXML(t, "<math>"+syntax.MathML(n)+"</math>")
			isTeX(t, syntax.TeX(n))
		}
	}
}
