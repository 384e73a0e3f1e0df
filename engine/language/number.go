package language

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"reckon/engine/decimal"
)

// amount is a number that the prompt states, in digits or words.
type amount struct {
	n       int // tokens
	value   decimal.Decimal
	exact   string // the value as a fraction ("1/3", "2 1/3") where decimals do not end, else ""
	invalid bool   // digits whose groups make no number ("1,23")
	words   bool   // in words, wholly or at the start
	article bool   // "a" or "an" alone: the amount 1, if what follows is a unit
	pronoun bool   // "one" or a fraction word alone, which may state no amount at all
}

// text is the value as structured text has it.
func (a amount) text() string {
	if a.exact != "" {
		return a.exact
	}
	return a.value.String()
}

func (a amount) whole() bool { return a.exact == "" && a.value.IsInteger() }

// vulgarFractions are the fractions that are one character.
var vulgarFractions = map[rune][2]int64{
	'½': {1, 2}, '⅓': {1, 3}, '⅔': {2, 3}, '¼': {1, 4}, '¾': {3, 4}, '⅕': {1, 5}, '⅖': {2, 5}, '⅗': {3, 5}, '⅘': {4, 5},
	'⅙': {1, 6}, '⅚': {5, 6}, '⅐': {1, 7}, '⅛': {1, 8}, '⅜': {3, 8}, '⅝': {5, 8}, '⅞': {7, 8}, '⅑': {1, 9}, '⅒': {1, 10},
}

// number reads the amount that starts at a token; n is 0 for none. A minus sign or the word counts
// where no number stands before it.
func (s *scanner) number(at int) amount {
	t := s.tok(at)
	if t.kind == mark && t.fold == "-" && s.minusAt(at) || t.is("minus") {
		if s.tok(at-1).kind == number {
			return amount{}
		}
		a := s.unsigned(at + 1)
		if a.n == 0 || a.article || a.pronoun {
			return amount{}
		}
		a.n++
		a.value, a.exact = a.value.Neg(), "" // a sign before a mixed number would bind to its first part only
		return a
	}
	return s.unsigned(at)
}

// minusAt tells the minus of "-5" from the hyphen of "2-5" and the dash of "well - 5".
func (s *scanner) minusAt(at int) bool {
	next := s.tok(at + 1)
	if next.spaced || next.kind != number && next.kind != sign {
		return false
	}
	before := s.tok(at - 1)
	return s.tokens[at].spaced || before.fold == "(" || before.fold == "=" || before.fold == ":" || isCurrencySign(before.text)
}

func (s *scanner) unsigned(at int) amount {
	if s.tok(at).kind == number {
		return s.digits(at)
	}
	return s.wordNumber(at)
}

// digits reads a number token and the fraction and scale words behind it: 3/4, 1 1/2, 1½, 1.5
// million.
func (s *scanner) digits(at int) amount {
	t := s.tokens[at]
	r, _ := utf8.DecodeRuneInString(t.text)
	if f, ok := vulgarFractions[r]; ok {
		return s.ofOne(at, s.scaled(at, s.fraction(1, 0, f[0], f[1])))
	}
	value, ok := s.tables.parseDigits(t.text)
	if !ok {
		return amount{n: 1, invalid: true}
	}
	a := amount{n: 1, value: value}
	if n := s.tenPower(at); n > 0 {
		if a.value, ok = s.tables.parseDigits(s.mantissa(at) + "e" + s.tok(at+n-1).text); !ok {
			return amount{n: n, invalid: true}
		}
		a.n = n
		return s.scaled(at, a)
	}
	whole, isWhole := value.Int64()
	if !isWhole || strings.ContainsAny(t.text, s.tables.point+"e") {
		return s.scaled(at, a)
	}
	if d, n := s.denominator(at); n > 0 {
		return s.ofOne(at, s.scaled(at, s.fraction(n+1, 0, whole, d)))
	}
	next := at + 1
	if s.tok(next).is("joining") && (s.tok(next+2).fold == "/" || s.tok(next+1).kind == number && s.tok(next + 1).text[0] >= utf8.RuneSelf) {
		next++ // 3 and 3/4
	} else if s.tok(next).fold == "-" && !s.tok(next).spaced && !s.tok(next+1).spaced {
		next++
	}
	if f := s.tok(next); f.kind == number {
		r, _ := utf8.DecodeRuneInString(f.text)
		if v, ok := vulgarFractions[r]; ok {
			return s.scaled(at, s.fraction(next-at+1, whole, v[0], v[1]))
		}
		if numerator, err := strconv.ParseInt(f.text, 10, 32); err == nil {
			if d, n := s.denominator(next); n > 0 && numerator < d && (f.spaced || next > at+1) {
				return s.scaled(at, s.fraction(next-at+1+n, whole, numerator, d))
			}
		}
	}
	return s.scaled(at, a)
}

// tenPower counts the tokens of 5x10^5 and 10^5, 0 where there are none.
func (s *scanner) tenPower(at int) int {
	ten := at
	if s.tok(at+1).is("cross") || s.tok(at+1).text == "×" || s.tok(at+1).text == "*" || s.tok(at+1).text == "·" {
		ten = at + 2
	}
	caret, power := s.tok(ten+1), s.tok(ten+2)
	if s.tok(ten).text != "10" || caret.text != "^" || caret.spaced || power.spaced || power.kind != number {
		return 0
	}
	return ten + 3 - at
}

// mantissa is the number before a power of ten, 1 where that stands alone.
func (s *scanner) mantissa(at int) string {
	if s.tok(at+1).text == "^" {
		return "1"
	}
	return s.tok(at).text
}

// ofOne reads "of a" between a fraction in digits and its unit: 2/3 of a cup.
func (s *scanner) ofOne(at int, a amount) amount {
	if !s.tok(at + a.n).is("partitive") {
		return a
	}
	if s.tok(at+a.n+1).is("single") && s.unitStarts(at+a.n+2) {
		a.n += 2
	}
	return a
}

// denominator reads "/4" joined to the number at a token, where nothing makes it part of a date or
// of "24/7".
func (s *scanner) denominator(at int) (d int64, n int) {
	slash, below := s.tok(at+1), s.tok(at+2)
	if slash.fold != "/" || slash.spaced || below.spaced || below.kind != number {
		return 0, 0
	}
	if more := s.tok(at + 3); more.fold == "/" && !more.spaced {
		return 0, 0
	}
	d, err := strconv.ParseInt(below.text, 10, 32)
	if err != nil || d == 0 || s.tok(at).text == "24" && d == 7 {
		return 0, 0
	}
	return d, 2
}

// fraction is whole and num/den.
func (s *scanner) fraction(n int, whole, num, den int64) amount {
	a := amount{n: n}
	a.value = s.ctx.Add(decimal.Int(whole), s.ctx.Quo(decimal.Int(num), decimal.Int(den)))
	odd := den
	for _, factor := range [...]int64{2, 5} {
		for odd%factor == 0 {
			odd /= factor
		}
	}
	if num%odd == 0 {
		return a
	}
	a.exact = strconv.FormatInt(num, 10) + "/" + strconv.FormatInt(den, 10)
	if whole != 0 {
		a.exact = strconv.FormatInt(whole, 10) + " " + a.exact
	}
	return a
}

// mostDecimals is how many digits may stand behind a mark that is the one between groups here and
// the one before decimals elsewhere.
const mostDecimals = 2

// otherPoint reads digits with a mark that groups nothing, and a unit behind, as decimals: "7,5 m".
// Without a unit it may be two numbers.
func (s *scanner) otherPoint(at int) (amount, bool) {
	group, _ := utf8.DecodeRuneInString(s.tables.separators)
	whole, decimals, found := strings.Cut(s.tok(at).text, string(group))
	if !found || whole == "" || len(decimals) > mostDecimals || !s.unitStarts(at+1) {
		return amount{}, false
	}
	value, err := decimal.Parse(whole + point + decimals)
	return amount{n: 1, value: value}, err == nil
}

func (s *scanner) times(a amount, factor decimal.Decimal) amount {
	a.value, a.exact = s.ctx.Mul(a.value, factor), ""
	return a
}

// parseDigits reads digits with groups of three, the mark before decimals and an exponent. What is
// no number so may be one as programs write it: 12.5.
func (t *tables) parseDigits(text string) (decimal.Decimal, bool) {
	d, ok := t.parseOwn(text)
	if !ok && t.point != point {
		if plain, err := decimal.Parse(text); err == nil {
			return plain, true
		}
	}
	return d, ok
}

func (t *tables) parseOwn(text string) (decimal.Decimal, bool) {
	whole, rest := text, ""
	if i := strings.IndexAny(text, t.point+"eE"); i >= 0 {
		whole, rest = text[:i], text[i:]
	}
	groups := strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune(t.separators, r) })
	for i, g := range groups {
		if len(groups) > 1 && (len(g) > 3 || i > 0 && len(g) < 3 || i == 0 && g == "0") {
			return decimal.Decimal{}, false
		}
	}
	if strings.ContainsAny(rest, t.separators) {
		return decimal.Decimal{}, false
	}
	rest = strings.Replace(strings.Replace(strings.ToLower(rest), "e+", "e", 1), t.point, point, 1)
	d, err := decimal.Parse(strings.Join(groups, "") + rest)
	return d, err == nil
}

// point stands before decimals in the grammar of structured text.
const point = "."
