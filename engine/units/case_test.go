package units

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// written is a symbol with or without a prefix, and the unit that it is.
type written struct {
	prefix, symbol string
	unit           *Unit
}

// everySymbol lists the symbols of a table with every prefix that they take.
func everySymbol(table *Table) []written {
	var list []written
	w := table.words
	for _, e := range w.entries {
		for _, symbol := range append([]string{e.Symbol}, e.Symbols...) {
			list = append(list, written{"", symbol, e.unit})
			for _, p := range prefixSymbols {
				if w.symbols[symbol].prefixed && e.takes(p.index) {
					list = append(list, written{p.text, symbol, w.prefixed(p.index, e)})
				}
			}
		}
	}
	return list
}

// casings lists the ways to write a word in upper and lower case, all of short ones.
func casings(word string) []string {
	letters := []rune(word)
	var at []int
	for i, r := range letters {
		if unicode.ToLower(r) != unicode.ToUpper(r) {
			at = append(at, i)
		}
	}
	var list []string
	if len(at) <= 4 {
		for set := range 1 << len(at) {
			variant := slices.Clone(letters)
			for i, place := range at {
				variant[place] = unicode.ToLower(variant[place])
				if set>>i&1 == 1 {
					variant[place] = unicode.ToUpper(variant[place])
				}
			}
			list = append(list, string(variant))
		}
		return list
	}
	lower, upper := strings.ToLower(word), strings.ToUpper(word)
	first := len(string(letters[:1]))
	second := len(string(letters[:2]))
	return []string{word, lower, upper, upper[:first] + lower[first:], lower[:first] + upper[first:], upper[:first] + word[first:],
		lower[:first] + word[first:], word[:second] + lower[second:], word[:second] + upper[second:]}
}

// Every prefix before every symbol, allowed or not, in upper and lower case: what is written as a
// prefix is that prefix or an error, and what is read in another case has one reading.
func TestCaseTellsUnitsApart(t *testing.T) {
	table := Standard()
	w := table.words
	exact, folded := map[string]*Unit{}, map[string][]written{}
	for _, s := range everySymbol(table) {
		whole := s.prefix + s.symbol
		if s.prefix == "" || exact[whole] == nil {
			exact[whole] = s.unit
		}
		lower := strings.ToLower(whole)
		folded[lower] = append(folded[lower], s)
	}
	texts := []string{""}
	for _, p := range prefixSymbols {
		texts = append(texts, p.text)
	}
	seen := map[string]bool{}
	read := 0
	for _, e := range w.entries {
		for _, symbol := range append([]string{e.Symbol}, e.Symbols...) {
			for _, prefix := range texts {
				for _, word := range casings(prefix + symbol) {
					if seen[word] {
						continue
					}
					seen[word] = true
					got := table.Lookup(word)
					if u := exact[word]; u != nil {
						if got == nil || got.symbol != u.symbol {
							t.Errorf("%s is read as %s, not as itself", word, got)
						}
						continue
					}
					lower := strings.ToLower(word)
					if got == nil {
						continue
					}
					read++
					if w.byName(lower) != nil {
						for _, r := range folded[lower] {
							if r.unit.symbol != got.symbol && !strings.HasPrefix(r.unit.entry.Definition, "base $") {
								t.Errorf("%s is the name of %s and could be %s", word, got, r.unit)
							}
						}
						continue
					}
					checkFold(t, w, word, got, folded[lower])
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d words are read in another case", read)
	}
}

// checkFold checks a word that is read as a unit whose symbol has other letters.
func checkFold(t *testing.T, w *words, word string, got *Unit, readings []written) {
	for _, p := range prefixSymbols {
		rest, ok := strings.CutPrefix(word, p.text)
		if s := w.symbols[rest]; ok && rest != "" && s.prefixed && s.entry.prefixes != 0 {
			t.Errorf("%s begins with the prefix %s of %s and is read as %s", word, p.text, rest, got)
		}
	}
	// A reading that changes what is written as a prefix is none.
	changes := func(r written) bool {
		return len(r.prefix) <= len(word) && r.prefix != word[:len(r.prefix)] && isPrefix(word[:len(r.prefix)])
	}
	behind := func(r written) bool { return strings.HasSuffix(word, r.symbol) }
	var right []written
	for _, r := range readings {
		if r.unit.symbol == got.symbol {
			right = append(right, r)
		}
	}
	if len(right) == 0 || !slices.ContainsFunc(right, func(r written) bool { return !changes(r) }) {
		t.Errorf("%s is read as %s, which changes a prefix", word, got)
		return
	}
	as := right[0]
	for _, r := range readings {
		if r.unit.symbol == got.symbol || changes(r) || as.prefix != "" && behind(as) && !behind(r) ||
			r.prefix != "" && !foldable(word, r.prefix+r.symbol, r.prefix, as.prefix != "") {
			continue
		}
		t.Errorf("%s is read as %s and could be %s", word, got, r.unit)
	}
}
