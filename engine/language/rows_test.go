package language

import (
	"slices"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/units"
	"reckon/engine/value"
)

func testTokens(text string) ([]token, []bool) {
	tokens := tokenize(text)
	return tokens, make([]bool, len(tokens))
}

// TestScenarios runs the example of every row: that row decides, and names the scenario that the
// row says.
func TestScenarios(t *testing.T) {
	tables := readTables()
	for i, r := range tables.sections["scenarios"] {
		prompt, which := r.example()
		tokens, used := testTokens(prompt)
		o, ok := tables.find(tokens, used, strings.ContainsAny(prompt, "0123456789"))
		if !ok || &o.row[0] != &tables.sections["scenarios"][i][0] || o.which != which {
			t.Errorf("row %q: example %q is met by %+v", r[0], prompt, o)
		}
	}
	for _, r := range tables.sections["ordinals"] {
		for _, w := range r.spellings(0) {
			tokens, used := testTokens("in the " + w + " scenario")
			if o, ok := tables.find(tokens, used, false); !ok || o.which != r[1] {
				t.Errorf("%q names scenario %q, not %q", w, o.which, r[1])
			}
		}
	}
}

// TestQuestions runs the example of every row: it is the first that fits at some token.
func TestQuestions(t *testing.T) {
	tables := readTables()
	for i, r := range tables.sections["questions"] {
		prompt, _ := r.example()
		tokens, used := testTokens(prompt)
		met := false
		for at := range tokens {
			first := slices.IndexFunc(tables.patterns("questions"), func(f *rule) bool {
				n, _ := f.pattern.match(tokens, used, at)
				return n > 0
			})
			met = met || first == i
		}
		if !met {
			t.Errorf("row %q: example %q is not met by it", r[0], prompt)
		}
	}
}

// TestPatterns runs the examples of idioms and factors: some token meets their pattern.
func TestPatterns(t *testing.T) {
	tables := readTables()
	meets := func(r row, p pattern) {
		t.Helper()
		prompt, _ := r.example()
		tokens, used := testTokens(prompt)
		for at := range tokens {
			if n, _ := p.match(tokens, used, at); n > 0 {
				return
			}
		}
		t.Errorf("row %q: example %q is not met by it", r[0], prompt)
	}
	for _, section := range []string{"idioms", "factors"} {
		for _, r := range tables.patterns(section) {
			meets(r.row, r.pattern)
		}
	}
}

// vocabularyOf is the vocabulary of a domain with one variable of each title.
func vocabularyOf(t *testing.T, titles ...string) *Vocabulary {
	t.Helper()
	var def engine.Definition
	for i, title := range titles {
		def.Variables = append(def.Variables, value.Variable{Key: "v" + string(rune('a'+i)), Title: title})
	}
	d, issues := engine.Compile(def)
	if d == nil {
		t.Fatalf("compile %v: %v", titles, issues)
	}
	return New(d)
}

// TestSynonyms runs the example of every row: the phrase names the variable.
func TestSynonyms(t *testing.T) {
	for _, r := range readTables().sections["synonyms"] {
		v := vocabularyOf(t, r[1], "Zebra crossing")
		p := v.read(r[2], tokenize(r[2]), 0)
		if !slices.ContainsFunc(p.mentions, func(m mention) bool { return m.variable == 0 }) {
			t.Errorf("row %q: %q does not name %q", r[0], r[2], r[1])
		}
	}
}

// TestChanges makes a change of every word of the tables of changes.
func TestChanges(t *testing.T) {
	v, sections := vocabularyOf(t, "Speed", "Zebra crossing"), readTables().sections
	read := func(prompt string, sign int64) *prose {
		t.Helper()
		p := v.read(prompt, tokenize(prompt), 0)
		if len(p.changes) != 1 || p.changes[0].sign != int(sign) {
			t.Errorf("%q: changes %+v, want one with sign %d", prompt, p.changes, sign)
		}
		return p
	}
	for _, r := range sections["comparatives"] {
		for _, w := range r.spellings(0) {
			read("25 miles "+w, r.number(1))
		}
	}
	for _, r := range sections["adjectives"] {
		for _, w := range r.spellings(0) {
			if p := read("25 miles "+w, readTables().lexicon[w].signOf()); p.stems[2] != stem(r[1]) {
				t.Errorf("%q stands for %q, not for %q", w, p.stems[2], stem(r[1]))
			}
		}
	}
	for _, r := range sections["degrees"] {
		for _, w := range r.spellings(0) {
			if p := read("twice as "+w, 0); len(p.changes) == 1 && p.changes[0].hint != want(r[1]) {
				t.Errorf("%q is about %q, not about %q", w, p.changes[0].hint, r[1])
			}
		}
	}
	for _, r := range sections["change nouns"] {
		for _, w := range r.spellings(0) {
			read("a 10% "+w, r.number(1))
		}
	}
	for _, r := range sections["change verbs"] {
		for _, w := range r.spellings(0) {
			if r[2] != "" {
				read(w+" 25", r.number(1))
			} else {
				read(w+" the speed by 25", r.number(1))
			}
		}
	}
	for _, r := range sections["replacing"] {
		if p := v.read(r[0]+" 60", tokenize(r[0]+" 60"), 0); !p.replaced[0] {
			t.Errorf("%q replaces nothing", r[0])
		}
	}
}

// signOf is the direction of a word of comparison.
func (l *lexeme) signOf() int64 { return l.row("comparatives").number(1) }

// TestBends runs the tables of stems and endings.
func TestBends(t *testing.T) {
	for _, r := range readTables().sections["stems"] {
		for _, w := range r.spellings(0) {
			if stem(w) != r[1] {
				t.Errorf("stem(%q) = %q, want %q", w, stem(w), r[1])
			}
		}
	}
	for _, r := range readTables().sections["endings"] {
		if w, want := r.example(); !strings.HasSuffix(w, r[0]) && r[0] != "e" || stem(w) != want {
			t.Errorf("[%s] stem(%q) = %q, want %q", r[0], w, stem(w), want)
		}
	}
}

func TestStems(t *testing.T) {
	for _, group := range []string{
		"drive drives driving driven drove", "payment payments pay paid paying", "month months monthly", "cost costs costing",
		"box boxes", "battery batteries", "stop stops stopping stopped", "loss losses", "rate rates", "price prices priced", "glass", "bus",
	} {
		words := strings.Fields(group)
		for _, w := range words[1:] {
			if stem(w) != stem(words[0]) {
				t.Errorf("stem(%q) = %q, stem(%q) = %q", w, stem(w), words[0], stem(words[0]))
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"speed", "sped", 1}, {"speed", "speeed", 1}, {"price", "prcie", 1}, {"interest", "intrest", 1}, {"monthly", "monhtyl", 2}, {"abc", "xyz", 3}} {
		if got := units.EditDistance(c.a, c.b, 2); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
