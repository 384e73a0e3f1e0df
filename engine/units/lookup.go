package units

import (
	"maps"
	"slices"
	"strings"
)

// lookup finds the unit that a word (or a phrase of words) names, without powers: counting units first, then a symbol as
// it stands, a prefix and a symbol, a name in any case, a prefix and a name, and last a symbol in another case where only
// one fits. It gives nil for an unknown word. An exact symbol wins over a prefixed one: min is the minute.
func (t *Table) lookup(word string) *Unit {
	if u := t.counted[word]; u != nil {
		return u
	}
	w := t.words
	if s, ok := w.symbols[word]; ok {
		return s.entry.unit
	}
	if u := w.prefixedSymbol(word); u != nil {
		return u
	}
	lower := strings.ToLower(word)
	if u := t.folded[lower]; u != nil {
		return u
	}
	if s, ok := w.names[lower]; ok {
		return s.entry.unit
	}
	var found *Unit
	cutPrefixName(lower, func(i int, rest string) bool {
		if s, ok := w.names[rest]; ok && s.entry.prefixes&(1<<i) != 0 {
			found = w.prefixed(i, s.entry)
		}
		return found == nil
	})
	if found != nil {
		return found
	}
	return w.foldedSymbol(word, lower)
}

func (w *words) prefixedSymbol(word string) (found *Unit) {
	cutPrefix(word, func(i int, rest string) bool {
		if s, ok := w.symbols[rest]; ok && s.prefixed && s.entry.prefixes&(1<<i) != 0 {
			found = w.prefixed(i, s.entry)
		}
		return found == nil
	})
	return found
}

// foldedSymbol reads a symbol written in the wrong case, where exactly one unit fits: one without prefix before those
// with one. A single letter is never read so: "M" is not the metre.
func (w *words) foldedSymbol(word, lower string) *Unit {
	if len(word) < 2 {
		return nil
	}
	var found *Unit
	for _, symbol := range w.folds[lower] {
		u := w.symbols[symbol].entry.unit
		if found != nil && found != u {
			return nil
		}
		found = u
	}
	if found != nil {
		return found
	}
	for _, symbol := range w.prefixedFolds(lower) {
		u := w.prefixedSymbol(symbol)
		if found != nil && found.symbol != u.symbol {
			return nil
		}
		found = u
	}
	return found
}

// prefixedFolds lists the prefixed symbols that are lower in lower case, in the order of prefixes.
func (w *words) prefixedFolds(lower string) []string {
	var list []string
	add := func(i int, symbol, rest string) {
		for _, known := range w.folds[rest] {
			if s := w.symbols[known]; s.prefixed && s.entry.prefixes&(1<<i) != 0 {
				list = append(list, symbol+known)
			}
		}
	}
	for i := range prefixes {
		if rest, ok := strings.CutPrefix(lower, strings.ToLower(prefixes[i].symbol)); ok && rest != "" {
			add(i, prefixes[i].symbol, rest)
		}
	}
	for _, s := range spelledPrefixes {
		if rest, ok := strings.CutPrefix(lower, s.symbol); ok && s.symbol != "" && rest != "" {
			add(prefixIndex(s.of), s.symbol, rest)
		}
	}
	return list
}

// prefixed is the one unit of an allowed prefix and an entry, made at its first use. The prefix of a compound stands before its first factor.
func (w *words) prefixed(i int, e *entry) *Unit {
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
	return newNamed(p.symbol+e.symbol, e.unit.dimension, p.scale.mul(e.unit.scale), e, p)
}

func sortedKeys(m map[string]*Unit) []string { return slices.Sorted(maps.Keys(m)) }
