package units

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError is a unit expression that cannot be read.
type SyntaxError struct {
	Text   string
	Offset int // code points
	Reason string
}

func (e *SyntaxError) Error() string { return "unit \"" + e.Text + "\": " + e.Reason }

// syntaxError counts code points up to a byte offset.
func syntaxError(text string, at int, reason string) error {
	return &SyntaxError{Text: text, Offset: utf8.RuneCountInString(text[:at]), Reason: reason}
}

// Parse reads a unit as people write it. It fails with *UnknownError or *SyntaxError. "" and "1"
// are One.
//
// Products are written with "·", "*", "." or a space, quotients with "/" or "per"; both bind alike,
// from left to right: "J/kg K" is (J/kg)·K, and what belongs below the line together needs
// parentheses, "J/(kg K)", a hyphen, "J/kg-K", or nothing behind a power, "W/m²K". Powers are "^2",
// "²", "m2", "s^-1", "s-1", "m^(1/2)", "squared" behind a unit or "square", "sq", "cubic", "cu"
// before one. The case of symbols matters (mW and MW); names may be written in any case, and so may
// a symbol of at least two letters that only one unit fits (KWH, PSI). Units in several words ("fl
// oz", "imp gal", "pounds per square inch") are read before products.
func (t *Table) Parse(text string) (*Unit, error) {
	if u := t.counted[text]; u != nil {
		return u, nil
	}
	if s, ok := t.words.symbols[text]; ok {
		return s.entry.unit, nil
	}
	t.mu.RLock()
	u := t.parsed[text]
	t.mu.RUnlock()
	if u != nil {
		return u, nil
	}
	u, err := t.parse(text)
	if err == nil && t.parsed != nil && len(text) <= maxParsedText {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.parsed) >= maxParsed {
			clear(t.parsed)
		}
		t.parsed[strings.Clone(text)] = u
	}
	return u, err
}

// parse is Parse without what was read before.
func (t *Table) parse(text string) (*Unit, error) {
	if u := t.words.prefixedSymbol(text); u != nil {
		return u, nil
	}
	if utf8.RuneCountInString(text) > maxText {
		return nil, syntaxError(text, 0, "a unit has at most 200 characters")
	}
	p := parser{table: t, text: text}
	if err := p.run(); err != nil {
		// m.p.h. is mph where it is no product.
		if plain := strings.ReplaceAll(text, ".", ""); len(plain) < len(text)-1 {
			if s, ok := t.words.symbols[strings.ToLower(plain)]; ok {
				return s.entry.unit, nil
			}
		}
		// Words may be joined by underscores: square_foot, metres_per_second. m_s is no metre second.
		first, _, joined := strings.Cut(text, "_")
		if joined && (powerBefore[strings.ToLower(first)] != 0 || strings.Contains(text, "_per_")) {
			return t.parse(strings.ReplaceAll(text, "_", " "))
		}
		return nil, err
	}
	return p.unit()
}

// parser reads one expression. In definitions numbers and pi are factors too.
type parser struct {
	table       *Table
	text        string
	tokens      []token
	at          int
	depth       int
	words       int   // units read
	point       *Unit // the last one when it is a point
	level       bool  // one of them is a level
	definition  bool
	coefficient *big.Rat // of a definition
	pi          int
	terms       []Term
}

func (p *parser) run() error {
	var buffer [10]token
	tokens, err := scan(p.text, buffer[:0])
	if err != nil {
		return err
	}
	p.tokens = tokens
	if p.peek().kind == tokenEnd {
		return nil
	}
	if p.terms, err = p.expression(); err != nil {
		return err
	}
	if p.peek().kind != tokenEnd {
		return p.fail("an opening parenthesis is missing")
	}
	return nil
}

// unit is the product of the terms read.
func (p *parser) unit() (*Unit, error) {
	if p.words == 1 && p.point != nil && len(p.terms) == 1 && p.terms[0] == (Term{p.point.degree, 1, 1}) {
		return p.point, nil
	}
	if p.level {
		return nil, syntaxError(p.text, 0, "a level such as dBm is not part of another unit")
	}
	p.degrees()
	for _, t := range p.terms {
		if t.Num > maxExponent*t.Den || t.Num < -maxExponent*t.Den {
			return nil, syntaxError(p.text, 0, "a power is larger than 100")
		}
		if _, ok := t.Unit.dimension.Pow(t.Num, t.Den); !ok || !t.allowed() {
			return nil, syntaxError(p.text, 0, "a power must be a whole number or a fraction of halves to sixtieths")
		}
	}
	u := compound(p.terms)
	if !u.scale.valid() {
		return nil, syntaxError(p.text, 0, "the unit is too large or too small")
	}
	if utf8.RuneCountInString(u.symbol) > maxText {
		return nil, syntaxError(p.text, 0, "a unit has at most 200 characters")
	}
	return u, nil
}

// degrees reads F and R beside BTU as degrees: BTU/(lb·F). BTU per farad is nothing.
func (p *parser) degrees() {
	heat := slices.ContainsFunc(p.terms, func(t Term) bool {
		return t.Unit.entry != nil && strings.HasPrefix(t.Unit.entry.Symbol, "BTU")
	})
	if !heat {
		return
	}
	for i, t := range p.terms {
		degree := ""
		switch {
		case t.Unit.symbol == "F":
			degree = "delta_degF"
		case t.Unit.symbol == "R":
			degree = "degR"
		default:
			continue
		}
		p.terms = slices.Clone(p.terms)
		p.terms[i].Unit = p.table.words.symbols[degree].entry.unit
	}
}

func (p *parser) peek() *token { return &p.tokens[p.at] }

func (p *parser) fail(reason string) error { return syntaxError(p.text, int(p.peek().start), reason) }

// expression reads factors and what joins them, up to the end or a closing parenthesis.
func (p *parser) expression() ([]Term, error) {
	terms := make([]Term, 0, 3)
	sign, per := 1, false
	if p.peek().kind == tokenOver || p.isPer() && !p.isName() {
		sign = -1
		p.at++
	}
	for {
		coefficient, pi := p.coefficient, p.pi
		if p.definition {
			p.coefficient, p.pi = big.NewRat(1, 1), 0
		}
		factor, err := p.factor()
		if err != nil {
			return nil, err
		}
		terms = mergeTerms(terms, factor, sign)
		if p.definition {
			if sign < 0 {
				p.coefficient.Inv(p.coefficient)
			}
			if coefficient != nil {
				p.coefficient.Mul(p.coefficient, coefficient)
			}
			p.pi = pi + sign*p.pi
		}
		switch next := p.peek(); {
		case next.kind == tokenTimes:
			sign, per = 1, false
			p.at++
		case next.kind == tokenOver, p.isPer():
			sign, per = -1, next.kind != tokenOver
			p.at++
		case next.kind == tokenPower:
			return nil, p.fail("a unit has one power only")
		case next.kind == tokenEnd, next.kind == tokenClose:
			return terms, nil
		default:
			if !next.hyphen && !next.glued && !(per && p.isSpelledOut()) {
				sign = 1
			}
		}
	}
}

// lower is the word at hand in lower case, "" where there is none.
func (p *parser) lower() string {
	if t := p.peek(); t.kind == tokenWord {
		return strings.ToLower(t.text)
	}
	return ""
}

func (p *parser) isPer() bool { return p.lower() == "per" }

// isSpelledOut reports whether the word at hand is no symbol: in "watts per metre kelvin" both are
// below the line.
func (p *parser) isSpelledOut() bool {
	t := p.peek()
	return t.kind == tokenWord && p.table.words.bySymbol(t.text) == nil
}

// isName reports whether the words at hand name a unit together: "per cent".
func (p *parser) isName() bool {
	u, _ := p.name()
	return u != nil
}

// The words for powers before and behind a unit.
var (
	powerBefore = map[string]int{"square": 2, "sq": 2, "cubic": 3, "cu": 3}
	powerBehind = map[string]int{"squared": 2, "cubed": 3}
)

// isReserved is true of the words that the grammar uses, in lower case.
func isReserved(lower string) bool {
	return lower == "per" || lower == "pi" || powerBefore[lower] != 0 || powerBehind[lower] != 0
}

// factor reads a unit, a number or a parenthesis with its power.
func (p *parser) factor() ([]Term, error) {
	num, den, powers := 1, 1, 0
	next := p.tokens[min(p.at+1, len(p.tokens)-1)].kind
	if n := powerBefore[p.lower()]; n != 0 && (next == tokenWord || next == tokenOpen) {
		num, powers = n, 1
		p.at++
	}
	terms, digits, err := p.primary()
	if err != nil {
		return nil, err
	}
	if digits != 0 {
		num = digits
		powers++
	}
	behind := powerBehind[p.lower()]
	raised := p.peek().kind == tokenPower
	if powers > 1 || powers > 0 && (raised || behind != 0) {
		return nil, p.fail("a unit has one power only")
	}
	switch {
	case raised:
		num, den = int(p.peek().num), int(p.peek().den)
		p.at++
	case behind != 0:
		num = behind
		p.at++
	}
	if num == 1 && den == 1 {
		return terms, nil
	}
	return p.raise(terms, num, den)
}

// raise brings the terms of a factor, and in definitions its number, to a power.
func (p *parser) raise(terms []Term, num, den int) ([]Term, error) {
	if p.definition {
		if den != 1 && (p.pi != 0 || p.coefficient.Cmp(big.NewRat(1, 1)) != 0) {
			return nil, p.fail("a number has whole powers only")
		}
		p.coefficient, p.pi = ratPow(p.coefficient, num), p.pi*num
	}
	raised := make([]Term, 0, len(terms))
	for _, t := range terms {
		t.Num, t.Den = Lowest(t.Num*num, t.Den*den)
		if t.Num > maxExponent*t.Den || t.Num < -maxExponent*t.Den {
			return nil, p.fail("a power is larger than 100")
		}
		if sixtieths%t.Den != 0 {
			return nil, p.fail("a power must be a whole number or a fraction of halves to sixtieths")
		}
		if t.Num != 0 {
			raised = append(raised, t)
		}
	}
	return raised, nil
}

// primary reads a unit, a number or a parenthesis, and the power that trailing digits of a word
// give, else 0.
func (p *parser) primary() (terms []Term, digits int, err error) {
	switch next := p.peek(); next.kind {
	case tokenWord:
		return p.word()
	case tokenNumber:
		return p.number()
	case tokenOpen:
		if p.depth++; p.depth > maxNesting {
			return nil, 0, p.fail("parentheses are nested deeper than 20")
		}
		p.at++
		if terms, err = p.expression(); err != nil {
			return nil, 0, err
		}
		if p.peek().kind != tokenClose {
			return nil, 0, p.fail("a closing parenthesis is missing")
		}
		p.at++
		p.depth--
		return terms, 0, nil
	case tokenTimes, tokenOver, tokenPower:
		return nil, 0, p.fail("a unit is missing before this sign")
	}
	return nil, 0, p.fail("a unit is expected")
}

// number reads a 1 that begins a quotient ("1/s"), and 100 where it is part of a unit such as
// L/100km; in definitions any number.
func (p *parser) number() ([]Term, int, error) {
	text := p.peek().text
	if p.definition {
		r, ok := new(big.Rat).SetString(text)
		if !ok || r.Sign() == 0 {
			return nil, 0, p.fail("this is no number")
		}
		p.coefficient = r
		p.at++
		return nil, 0, nil
	}
	if text == "100" && p.tokens[p.at+1].kind == tokenWord {
		number := p.at
		p.at++
		if terms, digits, err := p.word(); err == nil && digits == 0 && len(terms) == 1 {
			if s, ok := p.table.words.symbols[text+terms[0].Unit.symbol]; ok {
				return []Term{{s.entry.unit, 1, 1}}, 0, nil
			}
		}
		p.at = number
	}
	first := p.at == 0 || p.tokens[p.at-1].kind == tokenOpen
	p.at++
	if next := p.peek().kind; text == "1" && first && (next == tokenOver || next == tokenEnd || next == tokenClose || p.isPer()) {
		return nil, 0, nil
	}
	p.at--
	return nil, 0, p.fail("a number is not part of a unit")
}

// maxPhrase is the most words that a unit has.
const maxPhrase = 5

// word reads a unit by the longest phrase that names one.
func (p *parser) word() ([]Term, int, error) {
	start := p.peek()
	if p.definition && start.text == "pi" {
		p.pi = 1
		p.at++
		return nil, 0, nil
	}
	if u, n := p.name(); u != nil {
		p.at += n
		return p.found(u), 0, nil
	}
	if candidates := p.table.words.ambiguous[start.text]; candidates != nil && p.table.counted[start.text] == nil {
		return nil, 0, &UnknownError{Name: start.text, Nearest: candidates, Ambiguous: true}
	}
	if u := p.table.Lookup(start.text); u != nil {
		p.at++
		return p.found(u), 0, nil
	}
	if rest, digits, ok := cutDigits(start.text); ok {
		if u := p.table.Lookup(rest); u != nil && (u.terms == nil || u == One) {
			power, _ := strconv.Atoi(digits) // one out of range is the largest int
			if power > maxExponent {
				return nil, 0, p.fail("the power is larger than 100")
			}
			if power == 0 {
				return nil, 0, p.fail("the power is 0")
			}
			p.at++
			return p.found(u), power, nil
		}
	}
	for i, joined := range [...]string{"sq", "cu"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(start.text), joined); ok && rest != "" {
			if u := p.table.Lookup(rest); u != nil && u.dimension == Length {
				p.at++
				return p.found(u), 2 + i, nil
			}
		}
	}
	if u := p.table.single(start.text); u != nil && !p.definition {
		p.at++
		return p.found(u), 0, nil
	}
	if p.at > 0 && p.tokens[p.at-1].kind == tokenOver && p.split() {
		return p.word()
	}
	return nil, 0, p.unknown()
}

// split makes two words of one that digits divide: m2K is m2 and K below a line. (ft2in above one
// is two feet, two inches.) It reports whether it did.
func (p *parser) split() bool {
	t := *p.peek()
	from := strings.IndexFunc(t.text, func(r rune) bool { return r >= '0' && r <= '9' })
	if from < 0 {
		return false
	}
	to := len(t.text) - len(strings.TrimLeft(t.text[from:], "0123456789"))
	behind, _, _ := cutDigits(t.text[to:] + "1")
	if behind == "" || p.table.Lookup(t.text[:from]) == nil || p.table.Lookup(strings.TrimRight(behind, "0123456789")) == nil {
		return false
	}
	first, second := t, t
	first.text, second.text = t.text[:to], t.text[to:]
	second.hyphen, second.glued = false, true
	p.tokens = slices.Replace(slices.Clone(p.tokens), p.at, p.at+1, first, second)
	return true
}

// found is a factor of one unit read, or of the product that it is short for.
func (p *parser) found(u *Unit) []Term {
	p.words++
	p.point = nil
	if u.point {
		p.point = u
	}
	p.level = p.level || u.level != nil
	return u.factors()
}

// phrase finds the unit that several words name: as written, or with spaces for hyphens.
func (t *Table) phrase(words []token) *Unit {
	written := words[0].text
	hyphens := false
	for _, w := range words[1:] {
		if w.hyphen {
			written, hyphens = written+"-"+w.text, true
		} else {
			written += " " + w.text
		}
	}
	if u := t.Lookup(written); u != nil || !hyphens {
		return u
	}
	return t.Lookup(strings.ReplaceAll(written, "-", " "))
}

// beginsPhrase is true of the first words of names and symbols in several words, with or without a
// prefix.
func (w *words) beginsPhrase(word string) bool {
	lower := strings.ToLower(word)
	if w.firsts[lower] {
		return true
	}
	for _, rest := range cutPrefix(lower, prefixNames) {
		if w.firsts[rest] {
			return true
		}
	}
	return false
}
