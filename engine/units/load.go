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
// prefixed unit U, and "U @ z" is a scale of points whose zero lies z below.
func loadWords(texts ...string) (*words, error) {
	w := &words{
		symbols: make(map[string]spelling, 1024), names: make(map[string]spelling, 1024),
		folds: make(map[string][]string, 1024), firsts: make(map[string]bool, 128), ambiguous: map[string][]string{},
	}
	l := loader{table: &Table{words: w}, rational: make(map[*entry]*big.Rat, 1024)}
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
	e := &entry{symbol: columns[0], definition: columns[4], source: columns[5], dimension: l.section}
	var ok bool
	if e.prefixes, ok = parsePrefixes(columns[3]); !ok {
		return fmt.Errorf("%s: unknown prefixes %q", e.symbol, columns[3])
	}
	if e.prefixes != 0 {
		e.made = make([]atomic.Pointer[Unit], len(prefixes))
	}
	if err := l.define(e); err != nil {
		return fmt.Errorf("%s: %w", e.symbol, err)
	}
	if name := e.unit.dimension.Name(); name != l.section {
		return fmt.Errorf("%s has the dimension %s and stands under %s", e.symbol, name, l.section)
	}
	return l.register(e, columns[1], columns[2])
}

// define sets the entry's unit.
func (l *loader) define(e *entry) error {
	text, alias := strings.CutPrefix(e.definition, "alias ")
	kind, offset, point := strings.Cut(text, " @ ")
	switch {
	case alias:
		u, err := l.table.Parse(text)
		if err != nil {
			return err
		}
		if u.symbol != e.symbol {
			return fmt.Errorf("the alias is spelt %s", u.symbol)
		}
		e.unit, e.compound = u, true
		return nil
	case strings.HasPrefix(text, "base"):
		return l.defineBase(e, strings.TrimSpace(strings.TrimPrefix(text, "base")))
	case point:
		u, err := l.table.Parse(kind)
		if err != nil {
			return err
		}
		zero, err := decimal.Parse(offset)
		if err != nil {
			return fmt.Errorf("zero %q: %w", offset, err)
		}
		e.unit = newNamed(e.symbol, u.dimension, u.scale, e, nil)
		e.unit.offset, e.unit.point, e.unit.degree = zero, true, u
		u.origin = e.unit
		return nil
	}
	return l.defineBy(e, text)
}

func (l *loader) defineBase(e *entry, currency string) error {
	var d Dimension
	if currency != "" {
		d = other(currency)
	} else {
		i := slices.Index(baseSymbols[:], e.symbol)
		if i < 0 {
			return errors.New("no base unit")
		}
		d, e.coherent = base(i), true
	}
	e.unit = newNamed(e.symbol, d, unscaled, e, nil)
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
	e.unit = newNamed(e.symbol, dimension, newScale(num, den, pi), e, nil)
	e.coherent = strings.HasPrefix(e.source, "SI") && (e.unit.scale.plain || e.symbol == "g")
	if plain && len(p.terms) > 1 && !e.coherent || isDigit(e.symbol[0]) {
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
	n, d := new(big.Int).Set(r.Num()), new(big.Int).Set(r.Denom())
	places := max(cutFactor(d, 2), cutFactor(d, 5))
	// r = n / (2^a 5^b d) = n × 10^places / (2^a 5^b) / d / 10^places
	n.Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	n.Quo(n, new(big.Int).Quo(r.Denom(), d))
	if num, err = decimal.Parse(fmt.Sprintf("%de-%d", n, places)); err != nil {
		return num, den, fmt.Errorf("read numerator %d: %w", n, err)
	}
	if den, err = decimal.Parse(d.String()); err != nil {
		return num, den, fmt.Errorf("read denominator %d: %w", d, err)
	}
	return num, den, nil
}

// cutFactor divides d by a prime as often as it goes and counts.
func cutFactor(d *big.Int, prime int64) int {
	p, count := big.NewInt(prime), 0
	for {
		q, rem := new(big.Int).QuoRem(d, p, new(big.Int))
		if rem.Sign() != 0 {
			return count
		}
		d.Set(q)
		count++
	}
}

// register makes the entry's spellings known. It fails where one is taken.
func (l *loader) register(e *entry, symbols, names string) error {
	w := l.table.words
	w.entries = append(w.entries, e)
	if err := w.addSymbol(e, e.symbol, true); err != nil {
		return err
	}
	for symbol := range splitList(symbols) {
		symbol, prefixed := strings.CutSuffix(symbol, "+")
		e.symbols = append(e.symbols, symbol)
		if err := w.addSymbol(e, symbol, prefixed); err != nil {
			return err
		}
	}
	for name := range splitList(names) {
		for _, form := range forms(name) {
			e.names = append(e.names, form)
			if known, ok := w.names[form]; ok {
				return fmt.Errorf("the name %q of %s belongs to %s", form, e.symbol, known.entry.symbol)
			}
			w.names[form] = spelling{e, true}
			w.addFirst(form)
		}
	}
	return nil
}

func (w *words) addSymbol(e *entry, symbol string, prefixed bool) error {
	if known, ok := w.symbols[symbol]; ok {
		return fmt.Errorf("the symbol %q of %s belongs to %s", symbol, e.symbol, known.entry.symbol)
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
	open, close := strings.IndexByte(name, '('), strings.IndexByte(name, ')')
	if open < 0 || close < open {
		return []string{name}
	}
	return []string{name[:open] + name[close+1:], name[:open] + name[open+1:close] + name[close+1:]}
}
