package units

import (
	"fmt"
	"iter"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Table is a set of known units. It is immutable and safe for concurrent use.
type Table struct {
	words   *words           // the built-in units
	counted map[string]*Unit // counting units of a domain, by every spelling; nil for none
	folded  map[string]*Unit // the same by spelling in lower case

	mu     sync.RWMutex
	parsed map[string]*Unit // by the text they were read from; nil while the built-in table is read
}

const (
	maxParsed     = 1024 // units that a table keeps
	maxParsedText = 40   // bytes of the text of one
)

// words finds units by what people write.
type words struct {
	entries []*entry
	symbols map[string]spelling // exact; the key is what Parse reads
	names   map[string]*entry   // lower case
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

// Entry describes one unit of a table, for listings. Its lists are not to be changed.
type Entry struct {
	Symbol     string   // canonical
	Symbols    []string // other symbols read as the same unit
	Names      []string // read in any case, plurals included
	Prefixes   []string // symbols of the prefixes allowed, largest first
	Dimension  string   // its name
	Definition string   // expression in other units; "base" for a base unit
	Source     string
}

// entry is one line of the table.
type entry struct {
	Entry
	prefixes prefixSet

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
	return &Table{words: words, parsed: map[string]*Unit{}}
})

// maxCountingName is the longest name of a counting unit, in code points.
const maxCountingName = 40

// With returns a table that also knows counting units, each a dimension of its own, by name and
// plural in any case. It fails where a name is no word or is declared twice. Where the table has a
// unit of that name, which it may have learned after the name was declared, the counting unit is
// read; Taken tells that of a name that is new.
func (t *Table) With(names ...string) (*Table, error) {
	if len(names) == 0 {
		return t, nil
	}
	n := &Table{words: t.words, counted: map[string]*Unit{}, folded: map[string]*Unit{}, parsed: map[string]*Unit{}}
	maps.Copy(n.counted, t.counted)
	maps.Copy(n.folded, t.folded)
	for _, name := range names {
		if !isCountingName(name) {
			return nil, fmt.Errorf("counting unit %q is not a word of letters, digits and underscores, at most %d long", name, maxCountingName)
		}
		if _, taken := n.folded[strings.ToLower(name)]; taken {
			return nil, fmt.Errorf("counting unit %q is declared twice", name)
		}
		e := &entry{Entry: Entry{Symbol: name, Definition: "base", Source: "the domain", Dimension: name}}
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
			if known := t.Taken(plural); known != nil && known != t.Taken(name) {
				continue
			}
			n.counted[plural], n.folded[strings.ToLower(plural)] = u, u
			u.entry.Names = append(u.entry.Names, plural)
		}
	}
	return n, nil
}

// Taken is the unit that a name means in the table, nil where it has none.
func (t *Table) Taken(name string) *Unit {
	u, err := t.Parse(name)
	if err != nil {
		return nil
	}
	return u
}

// isCountingName accepts what the scanner reads as one word without a power behind it. "per" and
// the words for powers are taken.
func isCountingName(name string) bool {
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxCountingName {
		return false
	}
	first, _ := utf8.DecodeRuneInString(name)
	tokens, err := scan(name, nil)
	if err != nil || !unicode.IsLetter(first) || len(tokens) != 2 || tokens[0].kind != tokenWord || tokens[0].text != name {
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

// All lists the units: the built-in ones in table order, then the counting units by name.
func (t *Table) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for _, e := range t.words.entries {
			if !yield(e.Entry) {
				return
			}
		}
		for _, name := range sortedKeys(t.counted) {
			if u := t.counted[name]; u.symbol == name && !yield(u.entry.Entry) {
				return
			}
		}
	}
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
	return compound(mergeTerms(nil, terms, 1))
}
