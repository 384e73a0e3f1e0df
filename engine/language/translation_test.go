package language

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reckon/engine/format"
	"reckon/engine/formula"
	"reckon/engine/value"
)

// translated are the sections of what the engine says in English.
var translated = []string{errorTexts, errorArgs, explanations, functions, layouts, timeNames}

// sameOf holds that two texts have the same of what a pattern finds.
func sameOf(t *testing.T, pattern, english, other string) {
	t.Helper()
	find := func(text string) []string {
		return slices.Sorted(slices.Values(regexp.MustCompile(pattern).FindAllString(text, -1)))
	}
	if !slices.Equal(find(english), find(other)) || english == "" != (other == "") {
		t.Errorf("%q is %q: the placeholders are others", english, other)
	}
}

// TestErrorsInAllLanguages holds that each language has both templates of every error code, with
// their placeholders, and no code that there is not.
func TestErrorsInAllLanguages(t *testing.T) {
	for _, tag := range Languages() {
		tables := tablesOf(tag)
		if tag == Default {
			continue
		}
		var codes []string
		for _, code := range value.Codes() {
			codes = append(codes, code.Code)
			r := tables.errors[code.Code]
			if r == nil {
				t.Errorf("%s has no text for %s", tag, code.Code)
				continue
			}
			sameOf(t, `%arg\d%`, code.Message, r[1])
			sameOf(t, `%arg\d%`, code.Without, r[2])
		}
		for code := range tables.errors {
			if !slices.Contains(codes, code) {
				t.Errorf("%s has a text for %s, which no error has", tag, code)
			}
		}
	}
}

// TestErrorsInGerman holds which template an error has, and what becomes of its args.
func TestErrorsInGerman(t *testing.T) {
	for _, c := range []struct {
		err  *value.Error
		want string
	}{
		{value.Problem("input.unknown_unit", "fooo", "foot"), `Die Einheit "fooo" gibt es nicht. Ist "foot" gemeint?`},
		{value.Problem("input.unknown_unit", "xyz"), `Die Einheit "xyz" gibt es nicht.`},
		{value.Problem("calculation.multiple_solutions", "x", "infinitely many"), "x hat mehrere Lösungen: unendlich viele."},
		{value.Problem("input.invalid_value", "rate", "-1", "it must be at least 0"), `"-1" ist kein gültiger Wert für rate: mindestens 0.`},
		{value.Problem("input.invalid_value", "kind", "birch", "choose oak, pine or elm"), `"birch" ist kein gültiger Wert für kind: möglich sind oak, pine oder elm.`},
		{value.Problem("input.invalid_value", "heat", "-300 degC", "it is below absolute zero"), `"-300 degC" ist kein gültiger Wert für heat: unter dem absoluten Nullpunkt.`},
		{value.Problem("calculation.no_whole_number", "n", "it would be 4.2 (4 gives 8 m, 5 gives 10 m)"), "Keine ganze Zahl als n erfüllt die Gleichungen: es wäre 4.2 (4 ergibt 8 m, 5 ergibt 10 m)."},
		{value.Problem("input.missing_calculate"), "Sag, welche Größe berechnet werden soll."},
	} {
		was := c.err.Filled()
		if got := Errors("de", []value.Error{*c.err})[0]; got.Filled() != c.want || got.Code != c.err.Code || c.err.Filled() != was {
			t.Errorf("%s is %q, not %q", c.err.Code, got.Filled(), c.want)
		}
		if got := Errors(Default, []value.Error{*c.err})[0].Filled(); got != was {
			t.Errorf("%q is %q in English", was, got)
		}
	}
}

// TestArgsAreSaid holds that the code says the args that the tables have texts for.
func TestArgsAreSaid(t *testing.T) {
	var said strings.Builder
	for _, folder := range []string{"..", "../solve", "../input", "../../commands"} {
		names, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(names) == 0 {
			t.Fatalf("no files in %s: %v", folder, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			said.Write(text)
		}
	}
	for _, tag := range Languages() {
		for _, r := range tablesOf(tag).rows(errorArgs) {
			sameOf(t, `%\d`, r[0], r[1])
			for _, part := range placeholder.Split(r[0], -1) {
				if !strings.Contains(said.String(), part) {
					t.Errorf("%s: nothing says %q", tag, part)
				}
			}
		}
	}
}

// explanationTexts are the texts that explanations are made of: what is given to a Wording, and the
// words of origins, methods and roots.
func explanationTexts(t *testing.T) (texts []string) {
	add := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	for _, name := range []string{"../explain_text.go", "../explain_choice.go"} {
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if method, ok := n.Fun.(*ast.SelectorExpr); ok {
					if of, ok := method.X.(*ast.Ident); ok && of.Name == "w" {
						add(n.Args[0])
					}
				}
			case *ast.KeyValueExpr:
				add(n.Value)
			case *ast.GenDecl:
				for _, spec := range n.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && n.Tok == gotoken.CONST {
						for _, e := range v.Values {
							add(e)
						}
					}
				}
			}
			return true
		})
	}
	return texts
}

// TestExplanationsInAllLanguages holds that each language has every text of explanations, with what
// is put in, and no other.
func TestExplanationsInAllLanguages(t *testing.T) {
	texts := explanationTexts(t)
	if len(texts) < 40 {
		t.Fatalf("explanations have %d texts", len(texts))
	}
	for _, tag := range Languages() {
		if tag == Default {
			continue
		}
		sentences := tablesOf(tag).sentences
		for _, text := range texts {
			if sentences[text] == "" {
				t.Errorf("%s does not say %q of an explanation", tag, text)
			}
			sameOf(t, `%[sd]`, text, sentences[text])
		}
		for text := range sentences {
			if !slices.Contains(texts, text) {
				t.Errorf("%s says %q, which no explanation does", tag, text)
			}
		}
	}
}

// TestFunctionsInAllLanguages holds that each language says what every function does, and of no
// other.
func TestFunctionsInAllLanguages(t *testing.T) {
	for _, tag := range Languages() {
		if tag == Default {
			continue
		}
		said := maps.Clone(tablesOf(tag).functions)
		for _, f := range formula.Functions() {
			if said[f.Name] == "" {
				t.Errorf("%s does not say what %s does", tag, f.Name)
			}
			delete(said, f.Name)
		}
		for name := range said {
			t.Errorf("%s says what %s does, which is no function", tag, name)
		}
	}
}

// TestExplainedInGerman holds how an explanation writes its numbers.
func TestExplainedInGerman(t *testing.T) {
	w := Explained("de")
	for english, want := range map[string]string{
		"1250.5": "1250,5", "18.67121559… m": "18,67121559… m", "1.5e-7": "1,5e-7", "2.5%": "2,5%", "Mar 5, 2026": "5. März 2026",
		`"2.5 t"`: `"2.5 t"`, "2026-03-05": "2026-03-05", "…": "…", "v1.5": "v1.5",
	} {
		if got := w.Shown(english); got != want {
			t.Errorf("%q is %q, not %q", english, got, want)
		}
	}
}

// TestMomentsInGerman holds how moments and lengths of time are written, in every format that has
// words or an order of its own.
func TestMomentsInGerman(t *testing.T) {
	const at = "1772719629 s" // 2026-03-05T14:07:09
	tables := tablesOf("de")
	want := map[string]string{
		"date_short": "5.3.2026", "date_med": "5. März 2026", "date_med_with_weekday": "Do., 5. März 2026", "date_full": "5. März 2026",
		"date_huge": "Donnerstag, 5. März 2026", "date_iso": "2026-03-05",
		"datetime_short": "5.3.2026, 14:07 Uhr", "datetime_med": "5. März 2026, 14:07 Uhr", "datetime_full": "5. März 2026 um 14:07 Uhr",
		"datetime_huge": "Donnerstag, 5. März 2026 um 14:07 Uhr", "datetime_short_with_seconds": "5.3.2026, 14:07:09 Uhr",
		"datetime_med_with_seconds": "5. März 2026, 14:07:09 Uhr", "datetime_full_with_seconds": "5. März 2026 um 14:07:09 Uhr",
		"datetime_iso": "2026-03-05T14:07:09",
		"time_simple":  "14:07 Uhr (+20.517 Tage)", "time_with_seconds": "14:07:09 Uhr (+20.517 Tage)",
	}
	for _, kind := range format.Kinds() {
		for _, name := range kind.Formats {
			if !format.IsTime(kind.Name) || kind.Name == "duration" {
				continue
			}
			english, err := format.Render(at, kind.Name, name)
			if err != nil {
				t.Fatal(err)
			}
			if got := tables.written(english); want[name] != "" && got != want[name] {
				t.Errorf("%s of %s: %q, not %q", name, kind.Name, got, want[name])
			} else if want[name] == "" && !strings.HasPrefix(name, "time_24") {
				t.Errorf("%s has no case", name)
			}
		}
	}
	for _, c := range []struct{ value, format, want string }{
		{"9000 s", "duration_human", "2 Stunden, 30 Minuten"}, {"86400 s", "duration_human", "1 Tag"}, {"9000 s", "duration_hours", "2,5 Stunden"},
		{"-5400000 s", "duration_minutes", "-90.000 Minuten"}, {"9000 s", "duration_hms", "2:30:00"}, {"9000 s", "duration_iso", "PT2H30M"},
	} {
		english, err := format.Render(c.value, "duration", c.format)
		if err != nil {
			t.Fatal(err)
		}
		if got := tables.written(english); got != c.want {
			t.Errorf("%s of %s: %q, not %q", c.format, c.value, got, c.want)
		}
	}
}
