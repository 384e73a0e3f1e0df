package units

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lookup finds the unit that a word names, or words joined by single spaces, read as Parse reads it
// but without products, quotients and powers: counting units first, then a symbol as it stands, a
// prefix and a symbol, a name in any case, a prefix and a name, and last a symbol in another case
// where only one fits. An exact symbol wins over a prefixed one: min is the minute. It gives nil
// for an unknown word and looks for no near spelling.
func (t *Table) Lookup(word string) *Unit {
	if u := t.counted[word]; u != nil {
		return u
	}
	w := t.words
	if u := w.bySymbol(word); u != nil {
		return u
	}
	lower := strings.ToLower(word)
	if u := t.folded[lower]; u != nil {
		return u
	}
	if u := w.byName(lower); u != nil {
		return u
	}
	return w.foldedSymbol(word, lower)
}

// bySymbol finds the unit of a symbol, with or without a prefix, as it is written.
func (w *words) bySymbol(word string) *Unit {
	if s, ok := w.symbols[word]; ok {
		return s.entry.unit
	}
	return w.prefixedSymbol(word)
}

// byName finds the unit of a name in lower case, with or without a prefix.
func (w *words) byName(lower string) *Unit {
	if e, ok := w.names[lower]; ok {
		return e.unit
	}
	return w.prefixedName(lower)
}

// prefixedName finds the unit of a prefix and a name in one lower-case word.
func (w *words) prefixedName(lower string) *Unit {
	for p, rest := range cutPrefix(lower, prefixNames) {
		if u := w.prefixed(p.index, w.names[rest]); u != nil {
			return u
		}
	}
	return nil
}

func (w *words) prefixedSymbol(word string) *Unit {
	for p, rest := range cutPrefix(word, prefixSymbols) {
		if s := w.symbols[rest]; s.prefixed {
			if u := w.prefixed(p.index, s.entry); u != nil {
				return u
			}
		}
	}
	return nil
}

// foldedSymbol reads a symbol written in the wrong case, where exactly one unit fits. What is
// written as a prefix stays that prefix: mDa is never MDa. A single letter is never read so: "M" is
// not the metre.
func (w *words) foldedSymbol(word, lower string) *Unit {
	if len(word) < 2 || w.prefixes(word) {
		return nil
	}
	var found, deliberately reading
	several, unsure := false, false
	for _, r := range w.readings(word, lower) {
		if found.unit != nil && found.unit.symbol != r.unit.symbol {
			several, unsure = true, unsure || found.prefix == ""
		}
		found = r
		if deliberate(word, r.symbol) {
			unsure = unsure || deliberately.unit != nil && deliberately.unit.symbol != r.unit.symbol
			deliberately = r
		}
	}
	if several {
		found = deliberately
	}
	if unsure || found.unit == nil || !keepsPrefixes(word, found.symbol, found.prefix) || w.changesUnit(word, found) {
		return nil
	}
	return found.unit
}

// Gauge is the scale of gauge pressures in a unit that could be meant as gauge or absolute where a
// gauge pressure is wanted: psig of psi. It is nil for psia, atm and all others.
func (t *Table) Gauge(u *Unit) *Unit {
	if u == nil || u.dimension != pressure || u.point {
		return nil
	}
	if s, ok := t.words.symbols[u.symbol+"g"]; ok && s.entry.unit.IsAbsolute() {
		return s.entry.unit
	}
	return nil
}

// reading is a symbol that a word may stand for in another case.
type reading struct {
	symbol, prefix string // the symbol with its prefix, and the prefix alone
	unit           *Unit
}

// readings lists what a word may stand for when case is ignored: symbols without prefix, then those
// with one that is common enough.
func (w *words) readings(word, lower string) []reading {
	var list []reading
	for _, symbol := range w.folds[lower] {
		list = append(list, reading{symbol, "", w.symbols[symbol].entry.unit})
	}
	alone := len(list) == 0
	for _, r := range w.prefixedFolds(lower) {
		if foldable(word, r.symbol, r.prefix, alone) {
			list = append(list, r)
		}
	}
	return list
}

// prefixes reports whether a word is written as a prefix before a symbol that takes others: mcal,
// where the table has kcal and Mcal. It stands for that alone.
func (w *words) prefixes(word string) bool {
	for _, rest := range cutPrefix(word, prefixSymbols) {
		if s := w.symbols[rest]; s.prefixed && s.entry.prefixes != 0 {
			return true
		}
	}
	return false
}

// keepsPrefixes reports whether reading a word as a symbol leaves alone the letters that say which
// unit it is: one that is itself a prefix (m and M), also as the only letter behind another one (pM
// is not pm), and one that tells constants apart (m_P and m_p).
func keepsPrefixes(word, symbol, prefix string) bool {
	if len(word) != len(symbol) {
		return false
	}
	if i := strings.LastIndexByte(symbol, '_'); i >= 0 && i == len(symbol)-2 && word[i:] != symbol[i:] {
		return false
	}
	written, rest := word[:len(prefix)], word[len(prefix):]
	if written != prefix && isPrefix(written) {
		return false
	}
	oneCase := word == strings.ToLower(word) || word == strings.ToUpper(word)
	return prefix == "" || len(rest) > 1 || rest == symbol[len(prefix):] || oneCase || !isPrefix(rest)
}

// changesUnit reports whether a word in another case would be another unit than it is written as:
// the h of kh is no henry, and mpsi is no Mpsi, which has a symbol of its own but is a million psi.
func (w *words) changesUnit(word string, r reading) bool {
	if r.prefix != "" {
		rest := word[len(r.prefix):]
		s, known := w.symbols[rest]
		return len(rest) == 1 && known && s.entry != r.unit.entry
	}
	for p, rest := range cutPrefix(r.symbol, prefixSymbols) {
		s, known := w.symbols[rest]
		if known && s.entry.unit.dimension == r.unit.dimension && word[:len(p.text)] != p.text && isPrefix(word[:len(p.text)]) &&
			prefixes[p.index].scale.mul(s.entry.unit.scale).equal(r.unit.scale) {
			return true
		}
	}
	return false
}

// isPrefix reports whether a text is the symbol of a prefix.
func isPrefix(text string) bool {
	return slices.ContainsFunc(prefixSymbols, func(p prefixSpelling) bool { return p.text == text })
}

// foldable reports whether a word may stand for a prefixed symbol in another case. Rare prefixes
// are never meant by accident: they count only where the word alone is no symbol in another case,
// and not before a single letter.
func foldable(word, symbol, prefix string, alone bool) bool {
	single := utf8.RuneCountInString(symbol) == utf8.RuneCountInString(prefix)+1
	switch prefix {
	case "k", "M", "G", "T", "m", "n", "p":
		return true
	case "c", "d", "h":
		return !single || strings.HasSuffix(symbol, "m") || strings.HasSuffix(symbol, "L") || strings.HasSuffix(symbol, "l") || symbol == "cP"
	case "µ", "u":
		return !strings.HasPrefix(word, "U")
	}
	return alone && (len(prefix) > 1 || !single)
}

// deliberate reports whether the case of a word tells which of several prefixed symbols it is: Mhz
// begins as MHz does, and Kb ends as kb. A word in one case tells nothing, but where more than one
// letter behind the prefix is right (gbps).
func deliberate(word, symbol string) bool {
	if len(word) != len(symbol) {
		return false
	}
	mixed := word != strings.ToLower(word) && word != strings.ToUpper(word)
	if word[0] == symbol[0] {
		return mixed && word[0] >= 'A' && word[0] <= 'Z'
	}
	return word[1:] == symbol[1:] && (mixed || len(word) > 2 || word == strings.ToUpper(word))
}

// prefixedFolds lists the prefixed symbols that are lower in lower case, in the order of prefixes.
func (w *words) prefixedFolds(lower string) []reading {
	var list []reading
	for p, rest := range cutPrefix(lower, foldedPrefixes) {
		for _, known := range w.folds[rest] {
			if s := w.symbols[known]; s.prefixed && s.entry.takes(p.index) {
				list = append(list, reading{p.symbol + known, p.symbol, w.prefixed(p.index, s.entry)})
			}
		}
	}
	return list
}

// takes reports whether a prefix may stand before the unit.
func (e *entry) takes(i int) bool { return e.prefixes&(1<<i) != 0 }

// prefixed is the one unit of a prefix and an entry, made at its first use; nil for no entry and
// where the prefix is not allowed. The prefix of a compound stands before its first factor.
func (w *words) prefixed(i int, e *entry) *Unit {
	if e == nil || !e.takes(i) {
		return nil
	}
	slot := &e.made[i]
	if u := slot.Load(); u != nil {
		return u
	}
	slot.CompareAndSwap(nil, w.newPrefixed(i, e))
	return slot.Load()
}

func (w *words) newPrefixed(i int, e *entry) *Unit {
	if e.compound {
		terms := e.unit.Terms()
		terms[0].Unit = w.prefixed(i, terms[0].Unit.entry)
		return compound(terms)
	}
	p := &prefixes[i]
	return newNamed(p.symbol+e.Symbol, e.unit.dimension, p.scale.mul(e.unit.scale), e, p)
}

func sortedKeys(m map[string]*Unit) []string { return slices.Sorted(maps.Keys(m)) }
