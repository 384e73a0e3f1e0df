package language

import (
	"cmp"
	"slices"
	"strings"
)

// When an idiom counts, by its name in the table.
const (
	behindAmount = "behind" // only behind an amount, which is not part of it
	onlyNamed    = "named"  // only where a name has the word itself
)

// findIdioms gives expressions the stem of the word that they stand for: "be there" for arriving,
// "of us" behind a number for people. What the domain itself
// says in these words goes before the table: "before tax" is the gross of a wage and the net of a
// price.
func (v *Vocabulary) findIdioms(p *prose, tables *tables) {
	for at := range p.tokens {
		if p.used[at] || p.within[at] >= 0 {
			continue
		}
		for _, r := range tables.patterns("idioms") {
			word, before, when := r.row[1], r.row[2], r.row[3]
			n, _ := r.pattern.match(p.tokens, p.used, at)
			if n == 0 || n == 1 && slices.Contains(v.words, p.tokens[at].fold) || when == behindAmount && (at == 0 || p.within[at-1] < 0) {
				continue
			}
			if own, ok := v.ownIdiom(p, at, at+n); ok {
				if own == "" {
					continue
				}
				word = own
			} else if when == onlyNamed && v.rarity[v.tables.stem(word)] == 0 {
				continue
			}
			if word == r.row[1] && before != "" && at+n < len(p.tokens) && (p.within[at+n] >= 0 || p.meaning[at+n] == grammar && at+n+1 < len(p.tokens) && p.within[at+n+1] >= 0) {
				word = before // what is paid off is a loan
			}
			p.stems[at], p.meant[at], p.meaning[at], p.known[at] = v.tables.stem(word), "", content, asIdiom
			for i := at + 1; i < at+n; i++ {
				p.stems[i], p.meant[i], p.meaning[i], p.known[i] = "", "", grammar, asIdiom
			}
			break
		}
	}
}

// ownIdiom tells whether the domain uses the words of some tokens, two or more, and what they stand
// for there: a word of the name of the only variable whose description has them, "" where they are
// part of a name or of several descriptions.
func (v *Vocabulary) ownIdiom(p *prose, from, to int) (word string, ok bool) {
	if to-from < 2 {
		return "", false
	}
	var said []string
	for i := from; i < to; i++ {
		said = append(said, p.tokens[i].fold)
	}
	phrase := " " + strings.Join(said, " ") + " "
	described := -1
	for i, def := range v.domain.Variables {
		for _, name := range append([]string{def.Key, def.Title}, def.Aliases...) {
			if strings.Contains(" "+strings.Join(splitWords(name), " ")+" ", phrase) {
				return "", true
			}
		}
		if strings.Contains(" "+strings.Join(splitWords(def.Description), " ")+" ", phrase) {
			if described >= 0 {
				return "", true
			}
			described = i
		}
	}
	if described < 0 || len(v.terms[described].names) == 0 {
		return "", false
	}
	words := splitWords(v.domain.Variables[described].Title + " " + v.domain.Variables[described].Key)
	return slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(v.rarity[v.tables.stem(a)], v.rarity[v.tables.stem(b)]) }), true
}
