package units

import (
	"strings"

	"reckon/engine/decimal"
)

// prefix is a multiple that goes before a unit: by symbol before symbols, by name before names.
type prefix struct {
	symbol, name string
	base, power  int64 // the factor: 10^3 for kilo, 1024^1 for kibi
	scale        scale
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
	{symbol: "da", name: "deca", base: 10, power: 1},
	{symbol: "d", name: "deci", base: 10, power: -1},
	{symbol: "c", name: "centi", base: 10, power: -2},
	{symbol: "m", name: "milli", base: 10, power: -3},
	{symbol: "µ", name: "micro", base: 10, power: -6},
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

// spelledPrefixes are other ways to write a prefix: "u" for µ, "deka" for deca.
var spelledPrefixes = []struct{ symbol, name, of string }{
	{symbol: "u", of: "µ"},
	{name: "deka", of: "da"},
}

func scalePrefixes(list []prefix) []prefix {
	for i := range list {
		p := &list[i]
		p.scale = scale{num: decimal.Int(p.base), den: one}.pow(int(p.power), 1)
	}
	return list
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

// cutPrefix yields every reading of text as a prefix symbol and a rest that is not empty.
func cutPrefix(text string, yield func(i int, rest string) bool) {
	for i := range prefixes {
		if text == "" || text[0] != prefixes[i].symbol[0] {
			continue
		}
		if rest, ok := strings.CutPrefix(text, prefixes[i].symbol); ok && rest != "" && !yield(i, rest) {
			return
		}
	}
	for _, s := range spelledPrefixes {
		if rest, ok := strings.CutPrefix(text, s.symbol); ok && s.symbol != "" && rest != "" && !yield(prefixIndex(s.of), rest) {
			return
		}
	}
}

// cutPrefixName yields every reading of lower-case text as a prefix name and a rest that is not
// empty.
func cutPrefixName(text string, yield func(i int, rest string) bool) {
	for i := range prefixes {
		if rest, ok := strings.CutPrefix(text, prefixes[i].name); ok && rest != "" && !yield(i, rest) {
			return
		}
	}
	for _, s := range spelledPrefixes {
		if rest, ok := strings.CutPrefix(text, s.name); ok && s.name != "" && rest != "" && !yield(prefixIndex(s.of), rest) {
			return
		}
	}
}

func prefixIndex(symbol string) int {
	for i := range prefixes {
		if prefixes[i].symbol == symbol {
			return i
		}
	}
	return -1 // spelledPrefixes names known symbols only; a test holds it to that
}
