package language

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/units"
	"reckon/engine/value"
)

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

// saidOf is what the words of a prompt say beside its amounts: the scenario, what is asked, changes
// and what expressions stand for.
func saidOf(v *Vocabulary, prompt string) string {
	p := v.read(prompt, v.tables.tokenize(prompt), thursday)
	var list []string
	add := func(words ...string) { list = append(list, strings.TrimSpace(strings.Join(words, " "))) }
	if p.opening.move != stay {
		add(string(p.opening.move), p.opening.which)
	}
	if p.whatIf {
		add("supposes")
	}
	for _, q := range p.questions {
		add("asks", string(q.want))
	}
	for _, c := range p.changes {
		what := map[int]string{-1: "less", 0: fmt.Sprintf("times %.3g", c.factor.Float64()), 1: "more"}[c.sign]
		if c.hint != wantAny {
			what += " of " + string(c.hint)
		}
		if !c.sure {
			what += " perhaps"
		}
		add(what)
	}
	for i, q := range p.quantities {
		if p.replaced[i] {
			add("not", p.fragment(q.from, q.to))
		}
	}
	for i, known := range p.known {
		if (known == asIdiom || known == asChange) && p.meaning[i] == content && p.stems[i] != p.tokens[i].stem {
			add("about", p.stems[i])
		}
	}
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// decides reports whether the pattern of a row is the first of its section that fits at some token,
// of the scenarios the first that fits anywhere, and of idioms one that fits.
func decides(section string, r row, prompt string) bool {
	tokens, rules := tokenize(prompt), readTables().patterns(section)
	if section == "scenarios" {
		o, ok := readTables().find(tokens, make([]bool, len(tokens)), strings.ContainsAny(prompt, "0123456789"))
		return ok && &o.row[0] == &r[0]
	}
	for at := range tokens {
		first := slices.IndexFunc(rules, func(f *rule) bool {
			n, _ := f.pattern.match(tokens, nil, at)
			return n > 0 && (section != "idioms" || &f.row[0] == &r[0])
		})
		if first >= 0 && &rules[first].row[0] == &r[0] {
			return true
		}
	}
	return len(rules) == 0 || section == "standstill"
}

// TestRows runs the example of every row: it means what the row says, whichever of the spellings of
// the row it has. A pattern is the one that decides. Rows of roles and of synonyms have tests of
// their own.
func TestRows(t *testing.T) {
	words := vocabularyOf(t, "Speed", "Discount", "Net pay", "Gross pay", "Zebra crossing", "Age", "Takings")
	shop := shop(t)
	says := func(prompt string) string { return saidOf(words, prompt) }
	amount := func(prompt string) string { return texts(tokenize(prompt)) }
	readers := map[string]func(string) string{
		"endings": stem, "stems": stem,
		"forms": func(prompt string) string {
			got, _ := interpreted(t, shop, prompt)
			return got
		},
		"borders": func(prompt string) string {
			i := slices.IndexFunc(tokenize(prompt), func(t token) bool { return t.border() != noBorder })
			return barriers[tokenize(prompt)[i].border()-1]
		},
		"replies": func(prompt string) string { says, _ := readTables().reply(tokenize(prompt)); return string(says) },
		"choices": func(prompt string) string {
			return fmt.Sprint(words.settled(tokenize(prompt), make([]engine.Request, 3)) + 1)
		},
		"comparings": func(prompt string) string { return behind(readTables(), prompt, tokenize(prompt)) },
		"steps": func(prompt string) string {
			l, _ := words.listed(prompt, tokenize(prompt))
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
	manifold := []string{"units", "per", "money", "weekday leads", "days", "parts of the day", "shifts", "powers"} // whose spellings mean several things
	for section, rows := range readTables().sections {
		read, ok := readers[section]
		if !ok {
			read = amount
		}
		if read == nil {
			continue
		}
		for _, r := range rows {
			prompt, means := r.example()
			if got := read(prompt); got != means {
				t.Errorf("[%s] %q: %q means %s, not %s", section, r[0], prompt, got, means)
			}
			if !decides(section, r, prompt) {
				t.Errorf("[%s] %q: another row decides %q", section, r[0], prompt)
			}
			for _, from := range r.spellings(0) {
				if !strings.Contains(" "+prompt+" ", " "+from+" ") || slices.Contains(manifold, section) {
					continue
				}
				if section == "comparatives" || section == "change verbs" {
					means, _, _ = strings.Cut(means, ", about ") // which the adjectives tell
				}
				for _, to := range r.spellings(0) {
					got := read(strings.TrimSpace(strings.Replace(" "+prompt+" ", " "+from+" ", " "+to+" ", 1)))
					if got != means && !strings.HasPrefix(got, means+", about ") {
						t.Errorf("[%s] %q: with %q, %q means %s, not %s", section, r[0], to, prompt, got, means)
					}
				}
			}
		}
	}
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

// behind is what stands behind the words of a comparison at the start of a prompt.
func behind(of *tables, prompt string, tokens []token) string {
	for _, r := range of.patterns("comparings") {
		if n, _ := r.pattern.match(tokens, nil, 0); n > 0 {
			return prompt[tokens[n].start:]
		}
	}
	return ""
}
