package language

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// inCompound reports whether a word is a part of a compound noun, both by their stems, and whether
// it is the last part, which says what the thing is: "preis" and "gas" of "gaspreis".
func (t *tables) inCompound(part, whole string) (ok, head bool) {
	if t.leastPart == 0 || utf8.RuneCountInString(part) < t.leastPart {
		return false, false
	}
	rest, ok := strings.CutSuffix(whole, part)
	if ok && utf8.RuneCountInString(rest) >= t.leastPart {
		return true, true
	}
	rest, ok = strings.CutPrefix(whole, part)
	if !ok {
		return false, false
	}
	long := func(part string) bool { return utf8.RuneCountInString(part) >= t.leastPart }
	linked := func(link string) bool {
		after, ok := strings.CutPrefix(rest, link)
		return ok && long(after)
	}
	return long(rest) || slices.ContainsFunc(t.links, linked), false
}

// compound says how well a word stands for a part of a compound noun, or a compound noun for its
// last part: "Preis" and "Gas" for "Gaspreis", "Gaspreis" for "Preis". A part counts as one of two
// words of a name do.
func (v *Vocabulary) compound(said, name string) float64 {
	ok, head := v.tables.inCompound(said, name)
	if !ok {
		if _, longer := v.tables.inCompound(name, said); !longer {
			return 0
		}
		return v.weights.Synonym
	}
	one := 1 - v.weights.SharedWords/2
	if head {
		return one
	}
	return one * v.weights.Misspelt
}

// namesPart reports whether a word is a part of a compound noun of the domain's names, or one that
// ends in a word of them.
func (v *Vocabulary) namesPart(said string) bool {
	for name := range v.rarity {
		if v.compound(said, name) > 0 {
			return true
		}
	}
	return false
}
