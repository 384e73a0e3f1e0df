package language

import (
	"slices"
	"strconv"
	"strings"
)

// inflection is the row of the language itself: how it writes numbers, and inflects and joins
// words.
type inflection struct {
	tag        string
	point      string // the mark before decimals
	separators string // the marks that may stand between groups of digits
	possessive string // the ending of what something belongs to
	vowels     string
	doubled    string            // letters that stay doubled at the end of a stem
	alike      *strings.Replacer // letters that are others in a stem
	links      []string          // what may join the parts of a compound noun, beside nothing
	leastPart  int               // letters of a part of a compound noun, 0 where there are none
	habits     []string
}

// The habits of a language, by their names in the table.
const (
	joinedNumbers = "joined-numbers" // "zweihundertfünfzig", with "und" between ones and tens
	spacedGroups  = "spaced-groups"  // 10 000
	halfTo        = "half-to"        // "halb zehn" is half an hour before ten
	hourMinutes   = "hour-minutes"   // "9 Uhr 30"
	dayFirst      = "day-first"      // 5.3.2026 is in March, and "5." an ordinal before its month
	articlesCount = "articles-count" // the article is the number one as well
	capitalNouns  = "capital-nouns"  // a capital letter makes no name of a noun
)

func newInflection(r row) inflection {
	i := inflection{tag: r[0], point: r[1], separators: r[2], possessive: r[3], vowels: r[4], doubled: r[5], links: r.words(7), leastPart: int(r.number(8)), habits: r.words(9)}
	var pairs []string
	for _, pair := range r.words(6) {
		from, to, _ := strings.Cut(pair, ">")
		pairs = append(pairs, from, to)
	}
	i.alike = strings.NewReplacer(pairs...)
	return i
}

// has reports whether the language has a habit.
func (i *inflection) has(habit string) bool { return slices.Contains(i.habits, habit) }

// inForm reports whether a word has one of the endings of a form: the first is that of more than
// one thing, the second that of adverbs.
func (t *tables) inForm(word string, form int) bool {
	return slices.ContainsFunc(t.rows("forms")[form].words(1), func(ending string) bool { return strings.HasSuffix(word, ending) })
}

func (t *tables) plurals(word string) bool { return t.inForm(word, 0) }
func (t *tables) adverb(word string) bool  { return t.inForm(word, 1) }

// joinNumbers adds, to a language that writes them as one word, the numbers of ones and tens and
// those of a whole and a half.
func (t *tables) joinNumbers() {
	if !t.has(joinedNumbers) {
		return
	}
	var halves string
	ones := map[string]int64{}
	for word, l := range t.lexicon {
		if r := l.row("numbers"); r != nil {
			switch part, n := numberPart(r[1]), r.number(2); {
			case part == partDigit && n > 0:
				ones[word] = n
			case part == partHalves && n == 1:
				halves = word
			}
		}
		if l.is("indefinite") {
			ones[word] = 1
		}
	}
	add := func(word string, part numberPart, n int64) {
		if t.lexicon[word] == nil {
			t.file("numbers", row{word, string(part), strconv.FormatInt(n, 10), ""}, nil)
		}
	}
	for _, joint := range t.joints() {
		for _, r := range t.rows("numbers") {
			if numberPart(r[1]) != partTen {
				continue
			}
			for _, ten := range r.spellings(0) {
				for one, n := range ones {
					if n < 10 {
						add(one+joint+ten, partDigit, r.number(2)+n)
					}
				}
			}
		}
	}
	for one, n := range ones {
		add(one+halves, partHalves, 2*n+1)
	}
}

// joints are the words that join two things.
func (t *tables) joints() (list []string) {
	for word, l := range t.lexicon {
		if l.is("joining") && len(word) > 1 {
			list = append(list, word)
		}
	}
	return list
}

// mostOfNumber bounds the parts of a number in one word.
const mostOfNumber = 12

// numberParts cuts a word into the words of a number and what it is a number of, nil where it is
// none: "zweihundertfünfzig", "viertelstunde".
func (t *tables) numberParts(word string) []string {
	var parts []string
	for rest := word; rest != ""; {
		if len(parts) > 0 && t.lexicon[rest].is("common unit") {
			return append(parts, rest)
		}
		n := 0
		for end := range rest {
			if l := t.lexicon[rest[:end]]; end > 0 && t.counts(l, len(parts) > 0) {
				n = end
			}
		}
		if t.counts(t.lexicon[rest], true) {
			n = len(rest)
		}
		if n == 0 || len(parts) == mostOfNumber {
			return nil
		}
		parts = append(parts, rest[:n])
		rest = rest[n:]
	}
	return parts
}

// counts reports whether a word may be part of a number.
func (t *tables) counts(l *lexeme, further bool) bool {
	return l.row("numbers") != nil || l.is("indefinite") || further && l.is("joining")
}

// rewrite cuts tokens that the language writes as one, and joins groups of digits that it writes
// apart.
func (t *tables) rewrite(prompt string, tokens []token) []token {
	var list []token
	for _, tok := range tokens {
		if last := len(list) - 1; last >= 0 && tok.kind == number && list[last].kind == number && t.group(prompt, &list[last], &tok) {
			list[last].end = tok.end
			list[last].text = strings.ReplaceAll(prompt[list[last].start:tok.end], " ", "\u2009")
			list[last].fold = list[last].text
			continue
		}
		if t.has(joinedNumbers) && tok.kind == word && t.lexicon[tok.fold] == nil && len(tok.fold) == len(tok.text) {
			if parts := t.numberParts(tok.fold); len(parts) > 1 {
				at := 0
				for i, part := range parts {
					list = append(list, token{
						text: tok.text[at : at+len(part)], fold: part, start: tok.start + at, end: tok.start + at + len(part), kind: word,
						spaced: tok.spaced || i > 0,
					})
					at += len(part)
				}
				continue
			}
		}
		list = append(list, tok)
	}
	return list
}

// group reports whether a number is the next group of digits of the one before: "10 000".
func (t *tables) group(prompt string, before, tok *token) bool {
	if !t.has(spacedGroups) && tok.text != "000" {
		return false
	}
	digits := func(text string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	}
	whole := strings.ReplaceAll(before.text, "\u2009", "")
	first, _, _ := strings.Cut(before.text, "\u2009")
	decimals, _, _ := strings.Cut(tok.text, t.point)
	return prompt[before.end:tok.start] == " " && digits(whole) && len(first) <= 3 && first != "0" && digits(decimals) && len(decimals) == 3
}
