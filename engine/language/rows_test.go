package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/units"
)

func testTokens(text string) ([]token, []bool) {
	tokens := tokenize(text)
	return tokens, make([]bool, len(tokens))
}

// TestScenarioPhrases runs the example of every row: that row decides, and names the scenario that the row says.
func TestScenarioPhrases(t *testing.T) {
	table := readPhrases()
	for i := range scenarioPhrases {
		row := &scenarioPhrases[i]
		tokens, used := testTokens(row.example)
		numbers := strings.ContainsAny(row.example, "0123456789")
		o, ok := table.find(tokens, used, numbers)
		if !ok || o.row != row || o.which != row.which {
			got := "nothing"
			if ok {
				got = o.row.text + " with " + o.which
			}
			t.Errorf("row %q: example %q is met by %s", row.text, row.example, got)
		}
	}
}

// TestForms runs the example of every row: it is the first that fits at some token.
func TestForms(t *testing.T) {
	table := readForms()
	for i, row := range forms {
		tokens, used := testTokens(row.example)
		met := false
		for at := range tokens {
			for r, p := range table {
				if n, _ := p.match(tokens, used, at); n > 0 {
					met = met || r == i
					break
				}
			}
		}
		if !met {
			t.Errorf("row %q: example %q is not met by it", row.text, row.example)
		}
	}
}

func TestIdioms(t *testing.T) {
	table := readIdioms()
	for i, row := range idioms {
		tokens, used := testTokens(row.example)
		met := false
		for at := range tokens {
			n, _ := table[i].match(tokens, used, at)
			met = met || n > 0
		}
		if !met {
			t.Errorf("row %q: example %q is not met by it", row.text, row.example)
		}
	}
}

func TestFactorWords(t *testing.T) {
	tables := readTables()
	for i, row := range factorWords {
		tokens, used := testTokens(row.example)
		met := false
		for at := range tokens {
			n, _ := tables.changes.factors[i].match(tokens, used, at)
			met = met || n > 0
		}
		if !met {
			t.Errorf("row %q: example %q is not met by it", row.text, row.example)
		}
	}
}

// vocabularyOf is the vocabulary of a domain with one variable of each title.
func vocabularyOf(t *testing.T, titles ...string) *Vocabulary {
	t.Helper()
	var def engine.Definition
	for i, title := range titles {
		def.Variables = append(def.Variables, engine.Variable{Key: "v" + string(rune('a'+i)), Title: title})
	}
	d, issues := engine.Compile(def)
	if d == nil {
		t.Fatalf("compile %v: %v", titles, issues)
	}
	return New(d)
}

// TestSynonyms runs the example of every row: the phrase names the variable.
func TestSynonyms(t *testing.T) {
	for _, row := range synonyms {
		v := vocabularyOf(t, row.name, "Zebra crossing")
		p := v.read(row.phrase, readTables(), 0)
		met := false
		for _, m := range p.mentions {
			met = met || m.variable == 0
		}
		if !met {
			t.Errorf("row %q: %q does not name %q", row.words, row.phrase, row.name)
		}
	}
}

// TestChangeWords makes a change of every word of comparison and every verb.
func TestChangeWords(t *testing.T) {
	v := vocabularyOf(t, "Speed", "Zebra crossing")
	try := func(prompt string, sign int) {
		t.Helper()
		p := v.read(prompt, readTables(), 0)
		if len(p.changes) != 1 || p.changes[0].sign != sign {
			t.Errorf("%q: changes %+v, want one with sign %d", prompt, p.changes, sign)
		}
	}
	for _, row := range comparatives {
		for _, w := range strings.Fields(row.words) {
			try("25 miles "+w, row.sign)
		}
	}
	for _, row := range changeVerbs {
		for _, w := range strings.Fields(row.words) {
			if row.direct {
				try(w+" 25", row.sign)
			} else {
				try(w+" the speed by 25", row.sign)
			}
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
