package units

import (
	_ "embed"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"reckon/engine/decimal"
)

//go:embed units.txt
var unitsText string

//go:embed currencies.txt
var currenciesText string

// loader reads tables. Factors are rational numbers here, so that every one is exact.
type loader struct {
	table    *Table
	rational map[*entry]*big.Rat
	levels   map[Dimension]*Level
	section  string
}

// loadWords reads tables in order. Each line is
//
//	symbol | other symbols | names | prefixes | definition | source
//
// under a section "[dimension]". Lists are separated by commas. A "+" behind another symbol lets
// prefixes stand before it too; "(s)" in a name makes two names. Prefixes are groups (si, large,
// binary) and symbols, "!P" leaves one out, "-" is none. A definition is an expression in earlier
// units, numbers and pi; "base" makes a base unit, "base $EUR" a currency, "ambiguous U, V" makes
// the spellings errors that name those units, "alias U" only adds spellings to the product or
// prefixed unit U, "U @ z" is a scale of points whose zero lies z below, in U or, with a unit
// behind it, in coherent SI, and "10 log R" and "20 log R" are levels above an amount R.
func loadWords(texts ...string) (*words, error) {
	w := &words{
		symbols: make(map[string]spelling, 1024), names: make(map[string]*entry, 1024),
		folds: make(map[string][]string, 1024), firsts: make(map[string]bool, 128), ambiguous: map[string][]string{},
	}
	l := loader{table: &Table{words: w}, rational: make(map[*entry]*big.Rat, 1024), levels: map[Dimension]*Level{}}
	for _, text := range texts {
		number := 0
		for line := range strings.Lines(text) {
			number++
			if err := l.line(strings.TrimSpace(line)); err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
		}
	}
	w.indexPhrases()
	return w, nil
}

func (l *loader) line(line string) error {
	switch {
	case line == "" || line[0] == '#':
		return nil
	case line[0] == '[':
		l.section = strings.Trim(line, "[]")
		return nil
	}
	columns := strings.Split(line, "|")
	if len(columns) != 6 {
		return fmt.Errorf("%q has %d columns instead of 6", line, len(columns))
	}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	if list, ambiguous := strings.CutPrefix(columns[4], "ambiguous "); ambiguous {
		for spelling := range splitList(columns[0] + "," + columns[1]) {
			l.table.words.ambiguous[spelling] = slices.Collect(splitList(list))
		}
		return nil
	}
	e := &entry{Entry: Entry{Symbol: columns[0], Definition: columns[4], Source: columns[5], Dimension: l.section}}
	var ok bool
	if e.prefixes, ok = parsePrefixes(columns[3]); !ok {
		return fmt.Errorf("%s: unknown prefixes %q", e.Symbol, columns[3])
	}
	if e.prefixes != 0 {
		e.made = make([]atomic.Pointer[Unit], len(prefixes))
	}
	for i := range prefixes {
		if e.takes(i) {
			e.Prefixes = append(e.Prefixes, prefixes[i].symbol)
		}
	}
	if err := l.define(e); err != nil {
		return fmt.Errorf("%s: %w", e.Symbol, err)
	}
	if name := e.unit.dimension.Name(); name != l.section {
		return fmt.Errorf("%s has the dimension %s and stands under %s", e.Symbol, name, l.section)
	}
	return l.register(e, columns[1], columns[2])
}

// define sets the entry's unit.
func (l *loader) define(e *entry) error {
	text, alias := strings.CutPrefix(e.Definition, "alias ")
	kind, offset, point := strings.Cut(text, " @ ")
	if currency, isBase := strings.CutPrefix(text, "base"); isBase {
		return l.defineBase(e, strings.TrimSpace(currency))
	}
	if factor, reference, level := strings.Cut(text, " log "); level {
		return l.defineLevel(e, factor, reference)
	}
	if !alias && !point {
		return l.defineBy(e, text)
	}
	u, err := l.table.Parse(kind)
	if err != nil {
		return err
	}
	if alias {
		e.unit, e.compound = u, true
		if u.symbol != e.Symbol {
			return fmt.Errorf("the alias is spelt %s", u.symbol)
		}
		return nil
	}
	number, unit, _ := strings.Cut(offset, " ")
	zero, err := decimal.Parse(number)
	if err != nil {
		return fmt.Errorf("zero %q: %w", offset, err)
	}
	e.unit = newNamed(e.Symbol, u.dimension, u.scale, e, nil)
	e.unit.offset, e.unit.point, e.unit.degree = zero, true, u
	if unit != "" {
		if coherent, err := l.table.Parse(unit); err != nil || coherent.dimension != u.dimension || !coherent.scale.plain {
			return fmt.Errorf("zero %q is not in coherent SI", offset)
		}
		e.unit.offset, e.unit.zero = decimal.Decimal{}, zero
	}
	u.origin = e.unit
	return nil
}

func (l *loader) defineBase(e *entry, currency string) error {
	var d Dimension
	if currency != "" {
		d = other(currency)
	} else {
		i := slices.Index(baseSymbols[:], e.Symbol)
		if i < 0 {
			return errors.New("no base unit")
		}
		d, e.coherent = dimension(baseLetters[i:i+1]), true
	}
	e.unit = newNamed(e.Symbol, d, unscaled, e, nil)
	l.rational[e] = big.NewRat(1, 1)
	return nil
}

func (l *loader) defineBy(e *entry, text string) error {
	p := parser{table: l.table, text: text, definition: true}
	if err := p.run(); err != nil {
		return err
	}
	dimension := None
	factor := new(big.Rat).Set(p.coefficient)
	pi := p.pi
	plain := factor.Cmp(big.NewRat(1, 1)) == 0 && pi == 0
	for _, t := range p.terms {
		r, ok := l.rational[t.Unit.entry]
		d, okPower := t.Unit.dimension.Pow(t.Num, t.Den)
		if !ok || !okPower || t.Den != 1 {
			return fmt.Errorf("%s cannot stand in a definition", t.Unit.symbol)
		}
		dimension = dimension.Mul(d)
		pi += t.Unit.scale.pi * t.Num
		r = new(big.Rat).Set(r)
		if t.Unit.prefix != nil {
			r.Mul(r, t.Unit.prefix.rational())
		}
		factor.Mul(factor, ratPow(r, t.Num))
	}
	num, den, err := terminating(factor)
	if err != nil {
		return err
	}
	e.unit = newNamed(e.Symbol, dimension, newScale(num, den, pi), e, nil)
	e.coherent = strings.HasPrefix(e.Source, "SI") && (e.unit.scale.plain || e.Symbol == "g")
	if plain && len(p.terms) > 1 && !e.coherent || isDigit(e.Symbol[0]) {
		e.parts = compound(p.terms)
	}
	l.rational[e] = factor
	return nil
}

func (p *prefix) rational() *big.Rat { return ratPow(big.NewRat(p.base, 1), int(p.power)) }

func ratPow(r *big.Rat, n int) *big.Rat {
	result := big.NewRat(1, 1)
	for range max(n, -n) {
		result.Mul(result, r)
	}
	if n < 0 {
		result.Inv(result)
	}
	return result
}

// terminating writes r as num/den, where den is the part of the denominator that no decimal point
// can express.
func terminating(r *big.Rat) (num, den decimal.Decimal, err error) {
	places, _ := r.FloatPrec()
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	shifted := new(big.Rat).Mul(r, new(big.Rat).SetInt(power)) // neither 2 nor 5 divides its denominator
	if num, err = decimal.Parse(fmt.Sprintf("%de-%d", shifted.Num(), places)); err != nil {
		return num, den, fmt.Errorf("read numerator %d: %w", shifted.Num(), err)
	}
	if den, err = decimal.Parse(shifted.Denom().String()); err != nil {
		return num, den, fmt.Errorf("read denominator %d: %w", shifted.Denom(), err)
	}
	return num, den, nil
}

// register makes the entry's spellings known. It fails where one is taken.
func (l *loader) register(e *entry, symbols, names string) error {
	w := l.table.words
	w.entries = append(w.entries, e)
	if err := w.addSymbol(e, e.Symbol, true); err != nil {
		return err
	}
	for symbol := range splitList(symbols) {
		symbol, prefixed := strings.CutSuffix(symbol, "+")
		e.Symbols = append(e.Symbols, symbol)
		if err := w.addSymbol(e, symbol, prefixed); err != nil {
			return err
		}
	}
	for name := range splitList(names) {
		for _, form := range forms(name) {
			e.Names = append(e.Names, form)
			if known, ok := w.names[form]; ok {
				return fmt.Errorf("the name %q of %s belongs to %s", form, e.Symbol, known.Symbol)
			}
			w.names[form] = e
			w.addFirst(form)
		}
	}
	return nil
}

func (w *words) addSymbol(e *entry, symbol string, prefixed bool) error {
	if known, ok := w.symbols[symbol]; ok {
		return fmt.Errorf("the symbol %q of %s belongs to %s", symbol, e.Symbol, known.entry.Symbol)
	}
	w.symbols[symbol] = spelling{e, prefixed}
	lower := strings.ToLower(symbol)
	if !e.compound || utf8.RuneCountInString(symbol) > 2 { // two letters for a product are read as written: MM is not mM
		w.folds[lower] = append(w.folds[lower], symbol)
	}
	w.addFirst(lower)
	return nil
}

func (w *words) addFirst(lower string) {
	if i := strings.IndexAny(lower, " -"); i > 0 {
		w.firsts[lower[:i]] = true
	}
}

// splitList yields the items of a comma-separated list.
func splitList(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" && !yield(item) {
				return
			}
		}
	}
}

// forms are the spellings of a name: "inch(es)" is inch and inches.
func forms(name string) []string {
	before, rest, _ := strings.Cut(name, "(")
	plural, after, found := strings.Cut(rest, ")")
	if !found {
		return []string{name}
	}
	return []string{before + after, before + plural + after}
}
