package units

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// UnknownError names a unit that is not in the table, with the nearest spellings, best first.
type UnknownError struct {
	Name      string
	Nearest   []string // at most 3, each of another unit; nil when none is near
	Ambiguous bool     // the name could be each of Nearest, and it is not said which
}

func (e *UnknownError) Error() string {
	text := "unknown unit \"" + e.Name + "\""
	if len(e.Nearest) > 0 {
		text += ", did you mean \"" + strings.Join(e.Nearest, "\" or \"") + "\"?"
	}
	return text
}

// unknown is the error of the word that the parser stands at, or of a phrase that comes near a unit
// in several words.
func (p *parser) unknown() error {
	word := p.peek().text
	if next := p.tokens[p.at+1]; next.kind == tokenWord && p.table.Lookup(next.text) != nil {
		for _, power := range [...]string{"square", "cubic"} {
			if EditDistance(strings.ToLower(word), power, 2) <= 2 {
				return &UnknownError{Name: word + " " + next.text, Nearest: []string{power + " " + next.text}}
			}
		}
	}
	words := 0
	for words < 3 && p.tokens[p.at+words].kind == tokenWord {
		words++
	}
	for n := words; n > 1; n-- {
		name := strings.Join(texts(p.tokens[p.at:p.at+n]), " ")
		if nearest := p.table.nearest(name); len(nearest) > 0 && strings.Contains(nearest[0], " ") {
			return &UnknownError{Name: name, Nearest: nearest}
		}
	}
	return &UnknownError{Name: word, Nearest: p.table.nearest(word)}
}

// suggestion is a known spelling near an unknown word.
type suggestion struct {
	text     string
	unit     *Unit
	distance int // edits ignoring case
	casing   int // letters in another case
	ending   int // 0 when both end alike
}

const (
	maxSuggestions = 3
	maxNearest     = 40 // code points of a word that suggestions are sought for
	maxWord        = 200
)

// nearest lists the known spellings closest to a word by edit distance, best first, one for each
// unit.
func (t *Table) nearest(word string) []string {
	length := utf8.RuneCountInString(word)
	if length > maxNearest {
		return nil
	}
	limit := 0
	switch {
	case length >= 8:
		limit = 3
	case length >= 5:
		limit = 2
	case length >= 3:
		limit = 1
	}
	w, lower := t.words, strings.ToLower(word)
	letters := lettersOf(lower)
	var list []suggestion
	consider := func(text, before, rest, known string, limit int, unit func() *Unit) {
		if d := len(rest) - len(known); d > 2*limit || -d > 2*limit {
			return
		}
		if bits.OnesCount32(lettersOf(known)&^letters) > limit {
			return
		}
		if d := EditDistance(rest, strings.ToLower(known), limit); d <= limit {
			list = append(list, suggestion{text, unit(), d, caseDistance(word, before+known), endingDistance(word, known)})
		}
	}
	for _, name := range sortedKeys(t.counted) {
		consider(name, "", lower, name, limit, func() *Unit { return t.counted[name] })
	}
	for _, r := range w.prefixedFolds(lower) {
		list = append(list, suggestion{r.symbol, r.unit, 0, caseDistance(word, r.symbol), 0})
	}
	for _, e := range w.entries {
		unit := func() *Unit { return e.unit }
		consider(e.Symbol, "", lower, e.Symbol, limit, unit)
		for _, symbol := range e.Symbols {
			consider(symbol, "", lower, symbol, limit, unit)
		}
		for _, name := range e.Names {
			consider(name, "", lower, name, limit, unit)
			if length > 2 && strings.HasSuffix(name, " "+lower) {
				list = append(list, suggestion{name, e.unit, 0, 0, 0})
			}
		}
	}
	for p, rest := range cutPrefix(lower, prefixNames) {
		for _, e := range w.entries {
			if !e.takes(p.index) {
				continue
			}
			for _, name := range e.Names {
				consider(prefixes[p.index].name+name, prefixes[p.index].name, rest, name, min(limit, 2), func() *Unit { return w.prefixed(p.index, e) })
			}
		}
	}
	for p, rest := range cutPrefix(word, prefixSymbols) {
		if len(rest) < 2 || limit == 0 {
			continue
		}
		before := prefixes[p.index].symbol
		for _, e := range w.entries {
			if e.takes(p.index) && len(e.Symbol) > 1 {
				consider(before+e.Symbol, before, strings.ToLower(rest), e.Symbol, 1, func() *Unit { return w.prefixed(p.index, e) })
			}
		}
	}
	if len(list) == 0 && limit > 1 {
		for _, e := range w.entries {
			for i := range prefixes {
				if !e.takes(i) {
					continue
				}
				for _, name := range e.Names {
					whole := prefixes[i].name + name
					consider(whole, "", lower, whole, 2, func() *Unit { return w.prefixed(i, e) })
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b suggestion) int {
		return cmp.Or(a.distance-b.distance, a.casing-b.casing, a.ending-b.ending)
	})
	var found []string
	var units []*Unit
	for _, s := range list {
		if s.distance == list[0].distance && len(found) < maxSuggestions && !slices.Contains(units, s.unit) {
			found, units = append(found, s.text), append(units, s.unit)
		}
	}
	return found
}

// lettersOf is a set of the ASCII letters in a word, ignoring case. One edit brings in at most one
// new letter.
func lettersOf(word string) (set uint32) {
	for i := range len(word) {
		if word[i] < utf8.RuneSelf {
			set |= 1 << (word[i] & 31)
		}
	}
	return set
}

// caseDistance counts the letters of two words that differ in case only.
func caseDistance(a, b string) int {
	x, y, count := []rune(a), []rune(b), 0
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] && strings.EqualFold(string(x[i]), string(y[i])) {
			count++
		}
	}
	return count
}

func endingDistance(a, b string) int {
	if a[len(a)-1] == b[len(b)-1] {
		return 0
	}
	return 1
}

// EditDistance counts insertions, deletions, replacements and swaps of neighbours between two words
// (optimal string alignment, Damerau 1964). Past limit, and for words of more than 200 letters, it
// only says that it is more.
func EditDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit || len(x) > maxWord || len(y) > maxWord {
		return limit + 1
	}
	var buffer [3 * (maxNearest + 4)]int
	rows, width := buffer[:], len(y)+1
	if 3*width > len(rows) {
		rows = make([]int, 3*width)
	}
	before, last, row := rows[:width], rows[width:2*width], rows[2*width:3*width]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
