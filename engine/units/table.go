package units

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Table is a set of known units. It is immutable and safe for concurrent use.
type Table struct {
	words   *words           // the built-in units
	counted map[string]*Unit // counting units of a domain, by every spelling; nil for none
	folded  map[string]*Unit // the same by spelling in lower case
	parsed  *parsedUnits
}

// parsedUnits keeps units by the text they were read from. It is safe for concurrent use.
type parsedUnits struct {
	mu    sync.RWMutex
	units map[string]*Unit
}

const (
	maxParsed     = 1024 // units that a table keeps
	maxParsedText = 40   // bytes of the text of one
)

// get is the unit of a text that was read before, or nil.
func (p *parsedUnits) get(text string) *Unit {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.units[text]
}

func (p *parsedUnits) put(text string, u *Unit) {
	if len(text) > maxParsedText {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.units) >= maxParsed {
		clear(p.units)
	}
	p.units[strings.Clone(text)] = u
}

func newParsedUnits() *parsedUnits { return &parsedUnits{units: map[string]*Unit{}} }

// words finds units by what people write.
type words struct {
	entries []*entry
	symbols map[string]spelling // exact; the key is what Parse reads
	names   map[string]spelling // lower case
	folds   map[string][]string // symbols by lower case
	firsts  map[string]bool     // first words, in lower case, of spellings in several words
	phrases phraseIndex

	ambiguous map[string][]string // spellings that could be one of several units: what they could be
}

// spelling is one way to write an entry's unit.
type spelling struct {
	entry    *entry
	prefixed bool // prefixes may stand before it
}

// entry is one line of the table.
type entry struct {
	symbol     string
	symbols    []string // other symbols
	names      []string // with plurals
	prefixes   prefixSet
	definition string
	source     string
	dimension  string // name of its section

	unit     *Unit
	parts    *Unit                  // the definition where it is a product of units alone: mi/h of mph; else nil
	made     []atomic.Pointer[Unit] // prefixed units, by position in prefixes
	compound bool                   // the line gives spellings to a product such as km/h; unit is that product
	coherent bool                   // named unit of SI, factor 1 or (g) a power of ten of one
}

// Standard is the built-in table. It is read once.
var Standard = sync.OnceValue(func() *Table {
	words, err := loadWords(unitsText, currenciesText)
	if err != nil {
		panic("engine/units: the built-in table: " + err.Error()) // a test loads it
	}
	return &Table{words: words, parsed: newParsedUnits()}
})

// maxCountingName is the longest name of a counting unit, in code points.
const maxCountingName = 40

// With returns a table that also knows counting units, each a dimension of its own, by name and
// plural in any case. It fails where a name is no word or is taken.
func (t *Table) With(names ...string) (*Table, error) {
	if len(names) == 0 {
		return t, nil
	}
	n := &Table{words: t.words, counted: map[string]*Unit{}, folded: map[string]*Unit{}, parsed: newParsedUnits()}
	maps.Copy(n.counted, t.counted)
	maps.Copy(n.folded, t.folded)
	for _, name := range names {
		if !isCountingName(name) {
			return nil, fmt.Errorf("counting unit %q is not a word of letters, digits and underscores, at most %d long", name, maxCountingName)
		}
		if _, taken := n.folded[strings.ToLower(name)]; taken {
			return nil, fmt.Errorf("counting unit %q is declared twice", name)
		}
		if u, err := t.Parse(name); err == nil {
			return nil, fmt.Errorf("counting unit %q is already the unit %s", name, u.symbol)
		}
		e := &entry{symbol: name, definition: "base", source: "the domain", dimension: name}
		u := newNamed(name, other(name), unscaled, e, nil)
		e.unit = u
		n.counted[name], n.folded[strings.ToLower(name)] = u, u
	}
	for _, name := range names {
		u := n.counted[name]
		for _, plural := range plurals(name) {
			if _, taken := n.folded[strings.ToLower(plural)]; taken {
				continue
			}
			if _, err := t.Parse(plural); err == nil {
				continue
			}
			n.counted[plural], n.folded[strings.ToLower(plural)] = u, u
			u.entry.names = append(u.entry.names, plural)
		}
	}
	return n, nil
}

// isCountingName accepts what the scanner reads as one word without a power behind it. "per" and
// the words for powers are taken.
func isCountingName(name string) bool {
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxCountingName {
		return false
	}
	tokens, err := scan(name, nil)
	if err != nil || len(tokens) != 2 || tokens[0].kind != tokenWord || tokens[0].text != name {
		return false
	}
	_, _, digits := cutDigits(name)
	return !digits && !isReserved(strings.ToLower(name))
}

// plurals guesses the plurals of an English word.
func plurals(name string) []string {
	lower := strings.ToLower(name)
	switch {
	case lower == "person":
		return []string{"persons", "people"}
	case strings.HasSuffix(lower, "s"), strings.HasSuffix(lower, "x"), strings.HasSuffix(lower, "z"),
		strings.HasSuffix(lower, "ch"), strings.HasSuffix(lower, "sh"):
		return []string{name + "es"}
	case strings.HasSuffix(lower, "y") && len(lower) > 1 && !strings.ContainsRune("aeiou", rune(lower[len(lower)-2])):
		return []string{name[:len(name)-1] + "ies", name + "s"}
	}
	return []string{name + "s"}
}

// Entry describes one unit of a table, for listings.
type Entry struct {
	Symbol     string   // canonical
	Symbols    []string // other symbols read as the same unit
	Names      []string // read in any case
	Prefixes   []string // symbols of the prefixes allowed, largest first
	Dimension  string   // its name
	Definition string   // expression in other units; "base" for a base unit
	Source     string
}

// All lists the units: the built-in ones in table order, then the counting units by name.
func (t *Table) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, e := range t.words.entries {
			if !yield(e.describe()) {
				return
			}
		}
		for _, name := range sortedKeys(t.counted) {
			if u := t.counted[name]; u.symbol == name && !yield(u.entry.describe()) {
				return
			}
		}
	}
}

func (e *entry) describe() Entry {
	d := Entry{
		Symbol: e.symbol, Symbols: slices.Clone(e.symbols), Names: slices.Clone(e.names),
		Dimension: e.dimension, Definition: e.definition, Source: e.source,
	}
	for i := range prefixes {
		if e.prefixes&(1<<i) != 0 {
			d.Prefixes = append(d.Prefixes, prefixes[i].symbol)
		}
	}
	return d
}

// WithCurrency puts the currency to in the place of the currency from (ISO codes); u comes back
// where it has none of it or a code is unknown.
func (t *Table) WithCurrency(u *Unit, from, to string) *Unit {
	old, okOld := t.words.symbols[from]
	now, okNow := t.words.symbols[to]
	if !okOld || !okNow {
		return u
	}
	terms := u.Terms()
	changed := false
	for i := range terms {
		if terms[i].Unit == old.entry.unit {
			terms[i].Unit, changed = now.entry.unit, true
		}
	}
	if !changed {
		return u
	}
	return compound(mergeTerms(nil, terms, 1, nil, 1))
}
