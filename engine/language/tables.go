package language

import (
	"slices"
	"strings"
	"sync"

	"reckon/engine/decimal"
)

// tables are the rows of this package made ready.
type tables struct {
	phrases  phraseTable
	forms    formTable
	changes  changeTable
	idioms   []pattern
	factors  []decimal.Decimal // by row of factorWords
	words    map[string]bool   // words of the tables, which are known wherever they stand
	spelling []string          // words that a slip of spelling may have meant, beside those of the domain
}

var readTables = sync.OnceValue(func() *tables {
	t := &tables{phrases: readPhrases(), forms: readForms(), idioms: readIdioms(), words: map[string]bool{}}
	t.changes = changeTable{comparatives: map[string]*comparative{}, verbs: map[string]*changeVerb{}}
	for i := range comparatives {
		for _, w := range strings.Fields(comparatives[i].words) {
			t.changes.comparatives[w] = &comparatives[i]
			t.words[w] = true
		}
	}
	for i := range changeVerbs {
		for _, w := range strings.Fields(changeVerbs[i].words) {
			t.changes.verbs[w] = &changeVerbs[i]
			t.words[w] = true
		}
	}
	ctx := decimal.NewContext(1000)
	for _, row := range factorWords {
		p := newPattern(row.text)
		t.changes.factors = append(t.changes.factors, p)
		over, under, fraction := strings.Cut(row.factor, "/")
		factor, err := decimal.Parse(over)
		if fraction && err == nil {
			var divisor decimal.Decimal
			if divisor, err = decimal.Parse(under); err == nil {
				factor = ctx.Quo(factor, divisor)
			}
		}
		if err != nil {
			panic("engine/language: factor " + row.factor + ": " + err.Error())
		}
		t.factors = append(t.factors, factor)
		t.learn(p)
	}
	for _, p := range t.phrases {
		t.learn(p)
	}
	for _, p := range t.forms {
		t.learn(p)
	}
	known := map[string]bool{}
	for w := range t.words {
		known[w] = true
	}
	for w := range grammarWords {
		known[w] = true
	}
	for w := range plainWords {
		known[w] = true
	}
	for _, row := range synonyms {
		for _, w := range strings.Fields(row.words) {
			known[w] = true
		}
	}
	for w := range known {
		if len(w) > 3 {
			t.spelling = append(t.spelling, w)
		}
	}
	slices.Sort(t.spelling)
	return t
})

// learn takes the words of a pattern among the known ones.
func (t *tables) learn(p pattern) {
	for _, e := range p {
		for _, w := range e.words {
			t.words[w] = true
		}
	}
}
