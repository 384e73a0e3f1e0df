package language

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	word   tokenKind = iota // letters, with apostrophes inside ("I'm") and, unless a number stands directly before, digits ("m2")
	number                  // digits with the points, commas and underscores between them and an exponent; one fraction ("½"); or digits of another script, which are not read
	mark                    // punctuation, and arrows, which all fold to "->"
	cells                   // a table in brackets, as structured text has it: "[1 m, 2 m]", "[[1, 2], [3, 4]]"
	sign                    // everything else: currency signs, %, °, ', ", +, =, a byte that is no UTF-8
)

// token is a piece of the prompt. White space belongs to none; all other bytes belong to exactly
// one.
type token struct {
	text       string // as written
	fold       string // in lower case, with plain apostrophes, quotes, dashes and degree signs
	start, end int    // bytes of the prompt
	kind       tokenKind
	spaced     bool    // white space or the start of the prompt stands before it
	stem       string  // in a prompt that is interpreted
	lex        *lexeme // what the tables say of it, nil for nothing
	own        bool    // a word of the domain's names, and no unit there
}

// is reports whether a token does what a role says.
func (t token) is(role string) bool { return t.lex.is(role) }

// anyIs reports whether one of some tokens does what a role says.
func anyIs(tokens []token, role string) bool {
	return slices.ContainsFunc(tokens, func(t token) bool { return t.is(role) })
}

// capitals reports whether a word is several letters, all of them capitals.
func (t *token) capitals() bool { return len(t.text) > 1 && t.text == strings.ToUpper(t.text) }

// plural reports whether a word has the ending of more than one thing.
func (t *tables) plural(of *token) bool {
	return t.plurals(of.fold) && of.stem != of.fold
}

// border is the kind of border that a token is.
func (t token) border() barrier {
	if t.lex == nil {
		return noBorder
	}
	return t.lex.border
}

// tokenize cuts a prompt into its tokens, and looks them up.
func (t *tables) tokenize(prompt string) []token {
	tokens := t.rewrite(prompt, cut(prompt))
	for i := range tokens {
		of := &tokens[i]
		if of.lex = t.lexicon[of.fold]; of.lex == nil && t.slips[of.fold] != "" {
			of.fold = t.slips[of.fold]
			of.lex = t.lexicon[of.fold]
		}
	}
	return tokens
}

// cut is tokenize without the tables.
func cut(prompt string) []token {
	tokens := make([]token, 0, len(prompt)/4+1)
	spaced := true
	for at := 0; at < len(prompt); {
		r, size := utf8.DecodeRuneInString(prompt[at:])
		if unicode.IsSpace(r) {
			spaced = true
			at += size
			continue
		}
		kind := sign
		arrow := arrowSize(prompt[at:])
		_, vulgar := vulgarFractions[r]
		switch {
		case arrow > 0:
			kind, size = mark, arrow
		case r == '[' && tableSize(prompt[at:]) > 0:
			kind, size = cells, tableSize(prompt[at:])
		case r < utf8.RuneSelf && isDigit(byte(r)), r == '.' && startsDecimals(prompt, at):
			kind, size = number, numberSize(prompt[at:])
		case vulgar:
			kind = number
		case unicode.IsDigit(r):
			kind, size = number, otherDigits(prompt[at:])
		case r == 'º' || r == 'ª':
		case unicode.IsLetter(r) || r == '_':
			behindNumber := !spaced && len(tokens) > 0 && tokens[len(tokens)-1].kind == number
			kind, size = word, wordSize(prompt[at:], !behindNumber)
		case r == '\'' || r == '"' || strings.ContainsRune("‘’“”", r):
		case unicode.IsPunct(r) && !strings.ContainsRune("%‰′″*&#@", r), r == '−' || r == '⁄':
			kind = mark
		}
		text := prompt[at : at+size]
		folded := "->"
		if arrow == 0 {
			folded = fold(text)
		}
		tokens = append(tokens, token{text: text, fold: folded, start: at, end: at + size, kind: kind, spaced: spaced})
		at += size
		spaced = false
	}
	return tokens
}

// tableSize measures a table in brackets, which has two cells at least; 0 for other brackets.
func tableSize(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			depth--
		}
		if depth > 2 {
			return 0
		}
		if depth == 0 {
			if !strings.Contains(s[:i], ",") {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// arrowSize measures an arrow, drawn or typed: →, ->, =>.
func arrowSize(s string) int {
	for _, arrow := range [...]string{"->", "=>", "-->", "==>", "→", "⇒", "➔", "➜", "⟶"} {
		if strings.HasPrefix(s, arrow) {
			return len(arrow)
		}
	}
	return 0
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// startsDecimals is true of the point of ".5", false of that of "5.5" and "v.5".
func startsDecimals(prompt string, at int) bool {
	if at+1 >= len(prompt) || !isDigit(prompt[at+1]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(prompt[:at])
	return at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) && before != '.'
}

// numberSize measures digits with single points, commas, underscores and thin spaces between them,
// and an exponent that no letter follows. Whether the groups are right is not asked.
func numberSize(s string) int {
	at := 0
	if s[0] == '.' {
		at = 1
	}
	for at < len(s) {
		if isDigit(s[at]) {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if (r == '\'' || r == '’') && thousands(s[at+size:]) { // 150'000
			at += size
			continue
		}
		if !strings.ContainsRune(".,_\u2009\u202f", r) || at+size >= len(s) || !isDigit(s[at+size]) {
			break
		}
		at += size
	}
	if at < len(s) && (s[at] == 'e' || s[at] == 'E') {
		end := at + 1
		if end < len(s) && (s[end] == '-' || s[end] == '+') {
			end++
		}
		digits := end
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if next, _ := utf8.DecodeRuneInString(s[end:]); end > digits && !unicode.IsLetter(next) {
			return end
		}
	}
	return at
}

// thousands reports whether a text begins with three digits, and no more.
func thousands(s string) bool {
	return len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

// otherDigits measures digits that are not ASCII: "３０".
func otherDigits(s string) int {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r < utf8.RuneSelf || !unicode.IsDigit(r) {
			break
		}
		at += size
	}
	return at
}

// wordSize measures a word: letters and their marks, digits where they may belong to it, and
// apostrophes between letters.
func wordSize(s string, digits bool) int {
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == 'º' || r == 'ª':
			return at
		case unicode.IsLetter(r) || r == '_' || unicode.Is(unicode.M, r):
		case digits && r < utf8.RuneSelf && isDigit(byte(r)):
		case r == '\'' || r == '’' || r == '‘':
			if next, _ := utf8.DecodeRuneInString(s[at+size:]); !unicode.IsLetter(next) {
				return at
			}
		default:
			return at
		}
		at += size
	}
	return at
}

// plain spells out what typography varies.
var plain = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-", "‐", "-", "‑", "-",
	"º", "°", "′", "'", "″", `"`, "⁄", "/", "∕", "/", "×", "x", "＄", "$", "￡", "£", "μ", "µ")

func fold(text string) string {
	ascii, lower := true, true
	for i := range len(text) {
		c := text[i]
		ascii = ascii && c < utf8.RuneSelf
		lower = lower && (c < 'A' || c > 'Z')
	}
	switch {
	case ascii && lower:
		return text
	case ascii:
		return strings.ToLower(text)
	}
	return plain.Replace(strings.ToLower(text))
}
