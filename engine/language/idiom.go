package language

import (
	"cmp"
	"slices"
	"strings"
)

// idiom is a row of the table of expressions that stand for a word: "be there" for arriving, "of us" behind a number for people.
// {q} is an amount, which the expression follows and which is not part of it.
type idiom struct {
	text    string
	word    string // its stem is looked for among the names
	example string
	named   bool // only where a name has the word itself
}

var idioms = []idiom{
	{"{q} of us|you", "people", "four of us", false},
	{"of us|you all?", "people", "the six of us", false},
	{"be|get|getting|being|got|am|are there", "arrive", "when will we be there", false},
	{"get|getting|got in|home|back", "arrive", "when do we get home", false},
	{"set|setting|head|heading|start|starting|take|taking off|out", "depart", "when should I set off", false},
	{"pay|pays|paid|paying itself? off|back", "payback", "when does it pay off", false},
	{"clear|clearing|repay|repaying|borrow|borrowing", "loan", "how long to repay 5000", false},
	{"break|breaks|breaking even", "breakeven", "when do we break even", false},
	{"{q} down", "deposit", "20% down", false},
	{"put|putting|puts down", "deposit", "put down 20%", false},
	{"down payment", "deposit", "a down payment of 50k", false},
	{"up front", "deposit", "50k up front", false},
	{"take|takes|bring|brings -? home pay?", "net", "what do I take home", false},
	{"after tax|taxes|deductions", "net", "after tax", false},
	{"before tax|taxes|deductions", "gross", "before tax", false},
	{"including|incl|inc|with tax|vat|gst included?", "gross", "sold for 60 including vat", true},
	{"excluding|excl|ex|plus tax|vat|gst", "net", "sold for 60 plus vat", true},
	{"a|per head|person|guest", "person", "how much a head", false},
	{"{q} off", "discount", "20% off", false},
	{"marked down", "discount", "marked down by 20%", false},
	{"put|putting|puts away|aside|by", "save", "put aside 200 a month", false},
	{"set|setting|sets aside", "save", "set aside 200 a month", false},
	{"end|ends|ended|finish|wind up with", "final", "what do we end up with", false},
	{"use|uses|used up", "consumption", "how much does it use up", false},
	{"run|runs|running cost|costs", "cost", "running costs", false},
	{"turn|turning|turns over", "turnover", "we turn over 80k", false},
	{"left over", "remaining", "what is left over", false},
}

// readIdioms makes patterns of the idioms, the amount cut off.
func readIdioms() []pattern {
	var list []pattern
	for _, row := range idioms {
		p := newPattern(row.text)
		if p[0].words != nil && p[0].words[0] == "{q}" {
			p = p[1:]
		}
		list = append(list, p)
	}
	return list
}

// findIdioms gives expressions the stem of the word that they stand for. What the domain itself says in these words goes before
// the table: "before tax" is the gross of a wage and the net of a price.
func (v *Vocabulary) findIdioms(p *prose, tables *tables) {
	for at := range p.tokens {
		if p.used[at] || p.within[at] >= 0 {
			continue
		}
		for r, pattern := range tables.idioms {
			n, _ := pattern.match(p.tokens, p.used, at)
			if n == 0 {
				continue
			}
			if idioms[r].text[0] == '{' && (at == 0 || p.within[at-1] < 0) {
				continue
			}
			word := idioms[r].word
			if own, ok := v.ownIdiom(p, at, at+n); ok {
				if own == "" {
					continue
				}
				word = own
			} else if idioms[r].named && v.rarity[stem(word)] == 0 {
				continue
			}
			if word == "payback" && at+n < len(p.tokens) && (p.within[at+n] >= 0 || p.meaning[at+n] == grammar && at+n+1 < len(p.tokens) && p.within[at+n+1] >= 0) {
				word = "loan" // what is paid off is a loan
			}
			p.stems[at], p.meant[at], p.meaning[at], p.known[at] = stem(word), "", content, "idiom"
			for i := at + 1; i < at+n; i++ {
				p.stems[i], p.meant[i], p.meaning[i], p.known[i] = "", "", grammar, "idiom"
			}
			break
		}
	}
}

// ownIdiom tells whether the domain uses the words of some tokens, two or more, and what they stand for there: a word of the name
// of the only variable whose description has them, "" where they are part of a name or of several descriptions.
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
	return slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(v.rarity[stem(a)], v.rarity[stem(b)]) }), true
}
