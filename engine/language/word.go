package language

import (
	"strings"
	"unicode/utf8"
)

// ending is a row of the table of endings: in each step the first one that fits is taken off, or
// something put in its place.
type ending struct {
	text    string
	least   int // bytes of the word
	cut     int
	instead string
	vowel   bool // only behind a vowel, and the consonant doubled before it is single again
}

// Endings go in steps: those of nouns, those of verbs, a mute vowel, and what is left of another.
const (
	stepCount = 4
	verbStep  = 1
)

// stem reduces a folded word to what its forms have in common. It need not be a word: "driving",
// "drives" and "drive" all give "driv".
func (t *tables) stem(word string) string {
	if r := t.lexicon[word].row("stems"); r != nil {
		return r[1]
	}
	w := t.alike.Replace(strings.TrimSuffix(strings.TrimSuffix(word, t.possessive), "'"))
	for step := range stepCount {
		if step <= verbStep {
			if r := t.lexicon[w].row("stems"); r != nil {
				return r[1]
			}
		}
		w = t.without(w, step)
	}
	return w
}

// without takes the ending of one step from a word.
func (t *tables) without(w string, step int) string {
	for i := range t.endings[step] {
		e := &t.endings[step][i]
		if len(w) < e.least || w[len(w)-1] != e.text[len(e.text)-1] || !strings.HasSuffix(w, e.text) {
			continue
		}
		rest := w[:len(w)-e.cut]
		if !e.vowel {
			return rest + e.instead
		}
		if strings.ContainsAny(rest, t.vowels) {
			return t.undouble(rest)
		}
	}
	return w
}

// undouble turns the doubled last consonant of a stem ("runn") into one.
func (t *tables) undouble(s string) string {
	n := len(s)
	if n >= 4 && s[n-1] == s[n-2] && !strings.ContainsRune(t.doubled, rune(s[n-1])) {
		return s[:n-1]
	}
	return s
}

// typos is how many edits a word may be away from what was meant: none to three letters, one, two
// from eight letters.
func typos(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n <= 3:
		return 0
	case n < 8:
		return 1
	default:
		return 2
	}
}
