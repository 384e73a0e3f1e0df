package units

import (
	"iter"
	"strings"

	"reckon/engine/decimal"
)

// prefix is a multiple that goes before a unit: by symbol before symbols, by name before names.
type prefix struct {
	symbol, name           string
	base, power            int64 // the factor: 10^3 for kilo, 1024^1 for kibi
	otherSymbol, otherName string
	index                  int // in prefixes
	scale                  scale
}

// prefixes lists the SI prefixes (SI brochure, table 7), largest first, then the binary ones (IEC
// 80000-13), quebi and robi with those of ISO/IEC 80000-13:2025.
var prefixes = scalePrefixes([]prefix{
	{symbol: "Q", name: "quetta", base: 10, power: 30},
	{symbol: "R", name: "ronna", base: 10, power: 27},
	{symbol: "Y", name: "yotta", base: 10, power: 24},
	{symbol: "Z", name: "zetta", base: 10, power: 21},
	{symbol: "E", name: "exa", base: 10, power: 18},
	{symbol: "P", name: "peta", base: 10, power: 15},
	{symbol: "T", name: "tera", base: 10, power: 12},
	{symbol: "G", name: "giga", base: 10, power: 9},
	{symbol: "M", name: "mega", base: 10, power: 6},
	{symbol: "k", name: "kilo", base: 10, power: 3},
	{symbol: "h", name: "hecto", base: 10, power: 2},
	{symbol: "da", name: "deca", base: 10, power: 1, otherName: "deka"},
	{symbol: "d", name: "deci", base: 10, power: -1},
	{symbol: "c", name: "centi", base: 10, power: -2},
	{symbol: "m", name: "milli", base: 10, power: -3},
	{symbol: "µ", name: "micro", base: 10, power: -6, otherSymbol: "u"},
	{symbol: "n", name: "nano", base: 10, power: -9},
	{symbol: "p", name: "pico", base: 10, power: -12},
	{symbol: "f", name: "femto", base: 10, power: -15},
	{symbol: "a", name: "atto", base: 10, power: -18},
	{symbol: "z", name: "zepto", base: 10, power: -21},
	{symbol: "y", name: "yocto", base: 10, power: -24},
	{symbol: "r", name: "ronto", base: 10, power: -27},
	{symbol: "q", name: "quecto", base: 10, power: -30},

	{symbol: "Ki", name: "kibi", base: 1024, power: 1},
	{symbol: "Mi", name: "mebi", base: 1024, power: 2},
	{symbol: "Gi", name: "gibi", base: 1024, power: 3},
	{symbol: "Ti", name: "tebi", base: 1024, power: 4},
	{symbol: "Pi", name: "pebi", base: 1024, power: 5},
	{symbol: "Ei", name: "exbi", base: 1024, power: 6},
	{symbol: "Zi", name: "zebi", base: 1024, power: 7},
	{symbol: "Yi", name: "yobi", base: 1024, power: 8},
	{symbol: "Ri", name: "robi", base: 1024, power: 9},
	{symbol: "Qi", name: "quebi", base: 1024, power: 10},
})

func scalePrefixes(list []prefix) []prefix {
	for i := range list {
		p := &list[i]
		p.index, p.scale = i, scale{num: decimal.Int(p.base), den: one}.pow(int(p.power), 1)
	}
	return list
}

// prefixSpelling is a text that a prefix is read by.
type prefixSpelling struct {
	text   string
	symbol string // of a symbol, in its own case
	index  int    // of the prefix
}

// The spellings of prefixes: their symbols, the same in lower case, and their names.
var prefixSymbols, foldedPrefixes, prefixNames = spellPrefixes()

func spellPrefixes() (symbols, folded, names []prefixSpelling) {
	add := func(symbol, name string, i int) {
		if symbol != "" {
			symbols = append(symbols, prefixSpelling{symbol, symbol, i})
			folded = append(folded, prefixSpelling{strings.ToLower(symbol), symbol, i})
		}
		if name != "" {
			names = append(names, prefixSpelling{name, "", i})
		}
	}
	for i, p := range prefixes {
		add(p.symbol, p.name, i)
		add(p.otherSymbol, p.otherName, i)
	}
	return symbols, folded, names
}

// prefixSet is a set of positions in prefixes.
type prefixSet uint64

// prefixWords are the groups that the table's prefix column may name besides single symbols.
var prefixWords = map[string]prefixSet{
	"-":      0,
	"si":     1<<24 - 1,
	"large":  1<<10 - 1, // kilo and up
	"binary": (1<<10 - 1) << 24,
}

// parsePrefixes reads the prefix column: groups and symbols to allow, "!" before what to leave out.
func parsePrefixes(text string) (prefixSet, bool) {
	var set prefixSet
	for word := range strings.FieldsSeq(text) {
		symbol, without := strings.CutPrefix(word, "!")
		some, ok := prefixWords[symbol]
		for i := range prefixes {
			if prefixes[i].symbol == symbol {
				some, ok = 1<<i, true
			}
		}
		if !ok {
			return 0, false
		}
		if without {
			set &^= some
		} else {
			set |= some
		}
	}
	return set, true
}

// cutPrefix yields every reading of a text as one of some spellings and a rest that is not empty.
func cutPrefix(text string, list []prefixSpelling) iter.Seq2[prefixSpelling, string] {
	return func(yield func(p prefixSpelling, rest string) bool) {
		for _, p := range list {
			if rest, ok := strings.CutPrefix(text, p.text); ok && rest != "" && !yield(p, rest) {
				return
			}
		}
	}
}
