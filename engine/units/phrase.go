package units

import "strings"

// systems are words for a system of measures, with what stands before the symbols of its units in
// the table.
var systems = map[string]string{
	"us": "US", "american": "US", "usa": "US",
	"uk": "imp", "imp": "imp", "imperial": "imp", "british": "imp",
}

// phraseIndex finds units in several words however each of the words is spelt: "lbs per sq inch" is
// "pounds per square inch".
type phraseIndex struct {
	keys   map[string]*entry // canonical words, one space between them; nil where several units fit
	joined map[string]*entry // names written as one word: lightyear, kilowatthour
}

// indexPhrases fills in w.phrases. All units must be known.
func (w *words) indexPhrases() {
	x := phraseIndex{keys: map[string]*entry{}, joined: map[string]*entry{}}
	put := func(m map[string]*entry, key string, e *entry) {
		if known, ok := m[key]; ok && known != e {
			e = nil
		}
		m[key] = e
	}
	for _, e := range w.entries {
		for i, list := range [][]string{{e.Symbol}, e.Symbols, e.Names} {
			for _, spelling := range list {
				parts := strings.FieldsFunc(spelling, func(r rune) bool { return r == ' ' || r == '-' })
				if len(parts) < 2 {
					continue
				}
				// Symbols alone, as in lb t, and letters, as in degree c, are not to be written in another way.
				if i == 2 && len(parts[len(parts)-1]) > 1 || !w.allUnits(parts) {
					put(x.keys, w.canonical(parts), e)
				}
				if joined := strings.ToLower(strings.Join(parts, "")); len(joined) > 4 {
					put(x.joined, joined, e)
				}
			}
		}
	}
	w.phrases = x
}

// allUnits reports whether each of some words is a unit by itself.
func (w *words) allUnits(parts []string) bool {
	for _, part := range parts {
		if w.spelt(part, strings.ToLower(part)) == nil {
			return false
		}
	}
	return true
}

// canonical writes each of some words that names a unit as its symbol.
func (w *words) canonical(parts []string) string {
	key := make([]string, len(parts))
	for i, part := range parts {
		key[i] = w.canonicalWord(part)
	}
	return strings.Join(key, " ")
}

func (w *words) canonicalWord(word string) string {
	lower := strings.ToLower(word)
	switch lower {
	case "sq":
		return "square"
	case "cu":
		return "cubic"
	case "of", "per", "us", "uk", "imp":
		return lower
	}
	if u := w.spelt(word, lower); u != nil {
		return u.symbol
	}
	return lower
}

// spelt is the unit of one word as the table spells it, or in another case where only one symbol
// without prefix fits.
func (w *words) spelt(word, lower string) *Unit {
	if u := w.bySymbol(word); u != nil {
		return u
	}
	if u := w.byName(lower); u != nil {
		return u
	}
	if list := w.folds[lower]; len(list) == 1 && len(lower) > 1 {
		return w.symbols[list[0]].entry.unit
	}
	return nil
}

// named finds the unit that several words name in a spelling that the table does not have: with
// words for words of the same unit ("lb force"), a prefix as a word of its own ("kilo watts"), or a
// system of measures before or behind ("pints UK"). Symbols alone are no name: "kg m" is a product.
func (t *Table) named(parts []string) *Unit {
	if u := t.words.prefixWord(parts); u != nil {
		return u
	}
	symbols := true
	for _, part := range parts {
		symbols = symbols && t.words.bySymbol(part) != nil
	}
	if symbols {
		return nil
	}
	if u := t.ordered(parts); u != nil {
		return u
	}
	last := len(parts) - 1
	if t.words.allUnits(parts[last:]) {
		return nil
	}
	return t.ordered(append([]string{parts[last]}, parts[:last]...))
}

// ordered is named, with the words in the order of the table's names.
func (t *Table) ordered(parts []string) *Unit {
	w := t.words
	if u := t.Lookup(strings.Join(parts, " ")); u != nil {
		return u
	}
	if e := w.phrases.keys[w.canonical(parts)]; e != nil {
		return e.unit
	}
	first, rest := strings.ToLower(parts[0]), parts[1:]
	if system, ok := systems[first]; ok {
		return t.ofSystem(system, rest)
	}
	// A prefix of the first word belongs to the whole: kt TNT.
	if u := w.spelt(parts[0], first); u != nil && u.prefix != nil {
		key := u.entry.Symbol + " " + w.canonical(rest)
		return w.prefixed(u.prefix.index, w.phrases.keys[key])
	}
	return nil
}

// prefixWord is the unit of the name of a prefix and that of a unit.
func (w *words) prefixWord(parts []string) *Unit {
	if len(parts) != 2 {
		return nil
	}
	first := strings.ToLower(parts[0])
	for i := range prefixes {
		if prefixes[i].name == first {
			return w.prefixedName(first + strings.ToLower(parts[1]))
		}
	}
	return nil
}

// ofSystem is the unit that some words name in a system of measures: "pints" in "imp" is imp pt.
func (t *Table) ofSystem(system string, parts []string) *Unit {
	u := t.Lookup(strings.Join(parts, " "))
	if u == nil && len(parts) > 1 {
		u = t.named(parts)
	}
	if u == nil || u.entry == nil || u.prefix != nil || u.dimension == Length {
		return nil // US feet may be those of its surveys
	}
	symbol := u.entry.Symbol
	if s, ok := t.words.symbols[system+" "+strings.TrimPrefix(symbol, system+" ")]; ok {
		return s.entry.unit
	}
	return nil
}

// single finds the unit of one word that the table spells in several: lightyear, fl_oz, cwt_UK.
func (t *Table) single(word string) *Unit {
	if parts := strings.FieldsFunc(word, func(r rune) bool { return r == '_' }); len(parts) > 1 && len(parts) <= maxPhrase {
		if u := t.Lookup(strings.Join(parts, " ")); u != nil {
			return u
		}
		return t.named(parts)
	}
	lower := strings.ToLower(word)
	if e := t.words.phrases.joined[lower]; e != nil {
		return e.unit
	}
	for p, rest := range cutPrefix(lower, prefixNames) {
		if u := t.words.prefixed(p.index, t.words.phrases.joined[rest]); u != nil {
			return u
		}
	}
	return nil
}

// name reads the unit that the words at hand name together, nil where they name none, and the
// number of its tokens. What is in parentheses behind a name tells which unit of that name it is:
// "gallon (UK)", "hp (metric)".
func (p *parser) name() (u *Unit, length int) {
	words := 0
	for words < maxPhrase && p.tokens[p.at+words].kind == tokenWord {
		words++
	}
	if !p.definition {
		for n := words; n > 0; n-- {
			if u, length := p.qualified(n); u != nil {
				return u, length
			}
		}
	}
	if words < 2 {
		return nil, 0
	}
	exact := p.table.words.beginsPhrase(p.peek().text)
	for n := words; n > 1; n-- {
		list := p.tokens[p.at : p.at+n]
		if exact {
			u = p.table.phrase(list)
		}
		if u == nil && !p.definition && !p.joins(list) {
			u = p.table.named(texts(list))
		}
		if u != nil && !p.isProduct(u, n) {
			return u, n
		}
		u = nil
	}
	return nil, 0
}

func texts(list []token) []string {
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = t.text
	}
	return words
}

// joins reports whether some words hold one of the grammar, which is not part of a name unless the
// table says so.
func (p *parser) joins(list []token) bool {
	for i, t := range list {
		lower := strings.ToLower(t.text)
		if powerBehind[lower] != 0 || i == 0 && isReserved(lower) || i == len(list)-1 && lower == "per" {
			return true
		}
	}
	return false
}

// isProduct reports whether the next n words, which are a name of the product u, are written as the
// product of other units: lb-ft² has pounds and square feet, and ft lb beside other units has
// pounds.
func (p *parser) isProduct(u *Unit, n int) bool {
	if u.terms == nil || p.definition {
		return false
	}
	next := p.tokens[p.at+n]
	if next.kind == tokenPower || next.kind == tokenWord && powerBehind[strings.ToLower(next.text)] != 0 {
		return true
	}
	if p.at == 0 && next.kind == tokenEnd {
		return false
	}
	for i, t := range p.tokens[p.at : p.at+n] {
		if i > 0 && t.hyphen || p.table.words.bySymbol(t.text) == nil {
			return false
		}
	}
	return true
}

// qualified reads n words and parentheses of words behind them as one name.
func (p *parser) qualified(n int) (*Unit, int) {
	open := p.at + n
	if p.tokens[open].kind != tokenOpen {
		return nil, 0
	}
	end := open + 1
	for end < open+maxPhrase && (p.tokens[end].kind == tokenWord || p.tokens[end].kind == tokenNumber) {
		end++
	}
	if end == open+1 || p.tokens[end].kind != tokenClose {
		return nil, 0
	}
	length := end + 1 - p.at
	start, stop := p.tokens[p.at].start, p.tokens[end].start
	if u := p.table.Lookup(strings.Join(strings.Fields(p.text[start:stop]), " ") + ")"); u != nil {
		return u, length
	}
	inner, outer := texts(p.tokens[open+1:end]), texts(p.tokens[p.at:open])
	for _, text := range append(inner, outer...) {
		if text == "" || isDigit(text[0]) || isReserved(strings.ToLower(text)) {
			return nil, 0
		}
	}
	if u := p.table.ordered(append(inner, outer...)); u != nil && u.terms == nil {
		return u, length
	}
	return nil, 0
}
