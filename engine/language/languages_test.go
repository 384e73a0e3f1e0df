package language

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/units"
	"reckon/engine/value"
)

// TestLanguagesHaveTheSameTables holds that each language has the sections, roles and texts of the
// default one, and that its texts have the same placeholders.
func TestLanguagesHaveTheSameTables(t *testing.T) {
	placeholders := regexp.MustCompile(`%\d`)
	rolesOf := func(tables *tables) (names []string) {
		for _, section := range []string{"amounts", "requests", "names", "plain words"} {
			for _, r := range tables.rows(section) {
				names = append(names, section+": "+r[0])
			}
		}
		return names
	}
	base := readTables()
	for _, tag := range Languages() {
		other := tablesOf(tag)
		for section := range base.sections {
			if len(other.rows(section)) == 0 {
				t.Errorf("%s has no section %q", tag, section)
			}
		}
		for section := range other.sections {
			if len(base.rows(section)) == 0 && !slices.Contains(translated, section) {
				t.Errorf("%s has a section %q, which nothing asks for", tag, section)
			}
		}
		for _, section := range translated {
			if other != base && len(other.rows(section)) == 0 {
				t.Errorf("%s has no section %q", tag, section)
			}
		}
		mine := rolesOf(other)
		for _, role := range rolesOf(base) {
			if !slices.Contains(mine, role) {
				t.Errorf("%s has no role %q", tag, role)
			}
		}
		if len(mine) != len(rolesOf(base)) {
			t.Errorf("%s has %d roles, not %d", tag, len(mine), len(rolesOf(base)))
		}
		for name, r := range base.texts {
			for i := 1; i < len(r); i++ {
				want := slices.Sorted(slices.Values(placeholders.FindAllString(r[i], -1)))
				if own := other.texts[name]; len(own) != len(r) || !slices.Equal(want, slices.Sorted(slices.Values(placeholders.FindAllString(own[i], -1)))) {
					t.Errorf("%s says %q as %q, where %q is said of the default language", tag, name, own, r)
				}
			}
		}
	}
}

// named is the vocabulary of a domain in a language with one variable of each title.
func named(t *testing.T, tag string, titles ...string) *Vocabulary {
	t.Helper()
	def := engine.Definition{Language: tag}
	for i, title := range titles {
		def.Variables = append(def.Variables, value.Variable{Key: "v" + string(rune('a'+i)), Title: title})
	}
	d, issues := engine.Compile(def)
	if d == nil {
		t.Fatalf("compile %v: %v", titles, issues)
	}
	return New(d)
}

// TestRowsOfGerman runs the example of every row of the German tables, whose roles have none.
func TestRowsOfGerman(t *testing.T) {
	const tag = "de"
	tables := tablesOf(tag)
	words := named(t, tag, "Geschwindigkeit", "Nettolohn", "Brutto", "Netto", "Abfahrt")
	readings := func(prompt string) string {
		list := tables.scan(tables.tokenize(prompt), units.Standard(), "", thursday)
		var texts []string
		for i := range min(1, len(list)) {
			for _, r := range list[i].readings {
				texts = append(texts, r.text)
			}
		}
		return strings.Join(texts, ", ")
	}
	says := func(prompt string) string { return saidOf(words, prompt) }
	readers := map[string]func(string) string{
		"endings": tables.stem, "stems": tables.stem,
		"forms": func(prompt string) string { return prompt },
		"borders": func(prompt string) string {
			tokens := tables.tokenize(prompt)
			i := slices.IndexFunc(tokens, func(t token) bool { return t.border() != noBorder })
			return barriers[tokens[i].border()-1]
		},
		"replies": func(prompt string) string { says, _ := tables.reply(tables.tokenize(prompt)); return string(says) },
		"choices": func(prompt string) string {
			return fmt.Sprint(words.settled(tables.tokenize(prompt), make([]engine.Request, 3)) + 1)
		},
		"comparings": func(prompt string) string { return behind(tables, prompt, tables.tokenize(prompt)) },
		"steps": func(prompt string) string {
			l, _ := words.listed(prompt, tables.tokenize(prompt))
			return fmt.Sprint(len(l.prompts))
		},
		"amounts": nil, "requests": nil, "names": nil, "plain words": nil, "synonyms": nil, "texts": nil,
	}
	for _, section := range []string{
		"scenarios", "ordinals", "classes", "questions", "comparatives", "adjectives", "degrees", "change nouns", "change verbs",
		"factors", "happenings", "replacing", "correcting", "idioms", "slips",
	} {
		readers[section] = says
	}
	for _, section := range translated {
		readers[section] = nil // which has no examples
	}
	for section, rows := range tables.sections {
		read, ok := readers[section]
		if !ok {
			read = readings
		}
		for _, r := range rows {
			if prompt, means := r.example(); read != nil && read(prompt) != means {
				t.Errorf("[%s] %q: %q means %s, not %s", section, r[0], prompt, read(prompt), means)
			}
		}
	}
	for _, r := range tables.rows("synonyms") {
		v := named(t, tag, r[1])
		p := v.read(r[2], tables.tokenize(r[2]), 0)
		if len(p.mentions) == 0 {
			t.Errorf("%q says nothing of %q", r[2], r[1])
		}
	}
}

// TestGroupsOfDigits holds how numbers are read in each language.
func TestGroupsOfDigits(t *testing.T) {
	for _, c := range []struct{ tag, prompt, means string }{
		{"en", "10\u2009000 km", "10000 km"},
		{"en", "1,234.5 km", "1234.5 km"},
		{"de", "10\u202f000 km", "10000 km"},
		{"de", "10 000 km", "10000 km"},
		{"de", "1 234 567,8 km", "1234567.8 km"},
		{"de", "1.234.567,8 km", "1234567.8 km"},
		{"de", "12.5 km", "12.5 km"},
		{"de", "0,05 km", "0.05 km"},
		{"de", "1.234 km", "1234 km"},
		{"de", "10 0000 km", "10"},
		{"de", "1.23.4 km", ""},
	} {
		tables := tablesOf(c.tag)
		list := tables.scan(tables.tokenize(c.prompt), units.Standard(), "", thursday)
		if len(list) == 0 {
			t.Fatalf("%s: %q states nothing", c.tag, c.prompt)
		}
		got := ""
		if len(list[0].readings) > 0 {
			got = list[0].readings[0].text
		}
		if got != c.means {
			t.Errorf("%s: %q means %q, not %q", c.tag, c.prompt, got, c.means)
		}
	}
}

// TestGermanAnswer holds what is said of a domain in German: results, what is assumed, and doubts.
func TestGermanAnswer(t *testing.T) {
	d, issues := engine.Compile(engine.Definition{
		Language: "de",
		Variables: []value.Variable{
			{Key: "menge", Title: "Menge", Unit: "kWh"}, {Key: "preis", Title: "Preis", Unit: "EUR/kWh"},
			{Key: "gebuehr", Title: "Gebühr", Unit: "EUR", Default: value.Scalar("99.5 EUR")}, {Key: "kosten", Title: "Kosten", Unit: "EUR"},
		},
		Activities: []engine.Activity{{Equation: "kosten = menge * preis + gebuehr"}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	v := New(d)
	say := func(prompt string) string {
		request, _, errs := v.Interpret(prompt, empty(), tripEnv)
		if len(errs) > 0 {
			return errs[0].Code + ": " + errs[0].Args[0]
		}
		result, errs := d.Calculate(nil, 0, request, tripEnv)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return Answer(d, result, "")
	}
	for _, c := range []struct{ prompt, want string }{
		{"Wie hoch sind die Kosten für 12.500 kWh zu 0,11 Euro pro Kilowattstunde?", "Kosten: 1.474,5 EUR, mit Menge 12.500 kWh und Preis 0,11 EUR/kWh. Angenommen: Gebühr 99,5 EUR."},
		{"Kosten für 10 bis 20 kWh zu 0,11 Euro pro kWh", `language.ambiguous: "10 bis 20 kWh" ist ein Bereich oder eine Auswahl, nicht ein Wert`},
	} {
		if got := say(c.prompt); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.prompt, got, c.want)
		}
	}
}
