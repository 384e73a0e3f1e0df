package language

import (
	"slices"
	"strconv"
	"strings"

	"reckon/engine/units"
)

// counted is the counting unit of the domain that a word names, nil for none.
func (s *scanner) counted(t token) *units.Unit {
	if s.table == units.Standard() || t.kind != word {
		return nil
	}
	if u := s.table.Lookup(t.text); u != nil && u != units.Standard().Lookup(t.text) {
		return u
	}
	return nil
}

// maxPhrase is the most words of a unit.
const maxPhrase = 4

// named lists the senses of a unit by its longest name.
func (s *scanner) named(at int, behind bool) []found {
	t := s.tok(at)
	if t.kind == mark || t.kind == number || t.end == 0 || t.own {
		return nil
	}
	if t.kind == sign && isCurrencySign(t.text) {
		if next := s.tok(at + 1); t.spaced && next.kind == number && !next.spaced {
			return nil // "the other one $2"
		}
		return s.currencyAt(at)
	}
	if u := s.counted(t); u != nil {
		return append(one(u), one(units.One)...)
	}
	if (t.fold == `"` || t.fold == "'") && s.closesQuote(at) {
		return nil
	}
	var list []found
	if r, n := s.rowAt("units", at); n > 0 {
		list = s.senses(r.spellings(1), n)
	}
	if t.kind != word {
		if u := s.table.Lookup(t.text); list == nil && u != nil {
			list = one(u)
		}
		return list
	}
	if u := s.bracketed(at); u != nil {
		return []found{{unit: u, n: 4, part: 1}}
	}
	article := t.is("indefinite") && t.text == t.fold && (t.spaced || s.tok(at-1).kind != number)
	if (behind || len(t.text) > 1) && len(t.text) <= 4 && (len(list) == 0 || list[0].n == 1) && !article {
		if list := s.letter(t); len(list) > 0 {
			return list
		}
	}
	if n, u := s.phrase(at); n > 1 && (len(list) == 0 || n > list[0].n) {
		return []found{{unit: u, n: n, part: 1}}
	}
	if len(list) > 0 {
		return list
	}
	return s.oneWord(at, behind)
}

// bracketed reads a unit that ends in a bracket, such as bar(g), bar (gauge) and hp(M), nil for
// none.
func (s *scanner) bracketed(at int) *units.Unit {
	inside := s.tok(at + 2)
	if s.tok(at+1).fold != "(" || inside.kind != word || s.tok(at+3).fold != ")" {
		return nil
	}
	if u := s.table.Lookup(s.tok(at).text + "(" + inside.text + ")"); u != nil {
		return u
	}
	return s.table.Lookup(s.tok(at).text + " " + inside.text)
}

// one is a unit in one token.
func one(u *units.Unit) []found { return []found{{unit: u, n: 1, part: 1}} }

// oneWord lists the senses of a unit in one word that is no phrase of the tables: money, a unit of
// the table of units, a power that is written as one word with its unit, and a slip of the pen.
func (s *scanner) oneWord(at int, behind bool) []found {
	t := s.tok(at)
	if w := t.lex.row("money"); w != nil && (len(t.fold) > 2 || behind) {
		list := s.money(w)
		if t.is("carat cent") {
			return append(list, s.parsed(t.fold, 1)...)
		}
		if len(list) > 0 {
			return list
		}
	}
	if t.is("not unit") && (len(t.text) < 2 || s.tables.exactly("symbols", t.text) == nil) || len(t.fold) < 3 && !behind && s.tables.exactly("symbols", strings.TrimRight(t.text, "23")) == nil {
		return nil
	}
	if u := s.table.Lookup(t.text); u != nil {
		if !isCurrency(u) || !strings.EqualFold(t.text, u.Symbol()) || t.text != t.fold || t.is("low code") {
			return one(u)
		}
		return nil
	}
	if u := s.joinedPower(at); u != nil {
		return one(u)
	}
	return s.misspelt(t)
}

// joinedPower reads sqft and km2, nil for neither.
func (s *scanner) joinedPower(at int) *units.Unit {
	t := s.tok(at)
	if len(t.fold) > 2 {
		power, u := s.tables.lexicon[t.fold[:2]].row("powers"), s.table.Lookup(t.fold[2:])
		if power != nil && power[2] == "" && u != nil && u.Dimension() == units.Length {
			if p, ok := u.Pow(int(power.number(1)), 1); ok {
				return p
			}
		}
	}
	if rest := strings.TrimRight(t.text, "23"); len(rest) == len(t.text)-1 {
		if u := s.table.Lookup(rest); u != nil && (u.Dimension() == units.Length || u.Dimension() == units.Time && s.tok(at-1).fold == "/") {
			if p, ok := u.Pow(int(t.text[len(rest)]-'0'), 1); ok {
				return p
			}
		}
	}
	return nil
}

// misspelt lists the senses of the common unit that a word is a slip of.
func (s *scanner) misspelt(t token) []found {
	meant := s.slip(t)
	if meant == "" {
		return nil
	}
	var list []found
	l := s.tables.lexicon[meant]
	if r := l.row("units"); r != nil {
		list = s.senses(r.spellings(1), 1)
	} else if r := l.row("money"); r != nil {
		list = s.money(r)
	} else if u := s.table.Lookup(meant); u != nil {
		list = one(u)
	}
	for i := range list {
		list[i].typo = true
	}
	return list
}

// closesQuote tells the quote behind "60" from the sign of inches.
func (s *scanner) closesQuote(at int) bool {
	sign := s.tokens[at].fold
	for i := at - 1; i >= 0 && i > at-50; i-- {
		if s.tokens[i].fold == sign {
			return s.tok(i-1).kind != number && !s.tok(i+1).spaced
		}
	}
	return false
}

// letter lists the senses of one letter directly behind a number.
func (s *scanner) letter(t token) []found {
	var list []found
	if r := s.tables.exactly("letters", t.text); r != nil {
		list = s.senses(r.spellings(1), 1)
	}
	if len(t.text) > 1 {
		return list
	}
	if w := t.lex.row("money"); w != nil && len(list) > 0 && t.text == t.fold {
		return append(s.money(w), list...)
	}
	if u := s.table.Lookup(t.text); u != nil {
		if !slices.ContainsFunc(list, func(f found) bool { return f.unit == u }) {
			list = append(list, found{unit: u, n: 1, part: 1})
		}
	}
	return list
}

func (s *scanner) parsed(symbol string, n int) []found {
	if u, err := s.table.Parse(symbol); err == nil {
		return []found{{unit: u, n: n, part: 1}}
	}
	return nil
}

// senses lists the units of a row. Where the domain's money is one of them it comes first.
func (s *scanner) senses(row []string, n int) []found {
	list := make([]found, 0, len(row))
	for _, symbol := range row {
		symbol, part, divided := strings.Cut(symbol, ":")
		u, err := s.table.Parse(symbol)
		if err != nil {
			continue
		}
		f := found{unit: u, n: n, part: 1}
		if divided {
			f.part, _ = strconv.ParseInt(part, 10, 64)
		}
		if s.currency != "" && symbol == s.currency {
			list = slices.Insert(list, 0, f)
		} else {
			list = append(list, f)
		}
	}
	return list
}

// phrase finds the longest name of a unit in several words, joined by spaces or hyphens.
func (s *scanner) phrase(at int) (n int, unit *units.Unit) {
	var spaced, written strings.Builder
	spaced.WriteString(s.tokens[at].text)
	written.WriteString(s.tokens[at].text)
	i := at + 1
	for range maxPhrase - 1 {
		joint := " "
		t := s.tok(i)
		if t.fold == "-" && !t.spaced && !s.tok(i+1).spaced {
			i++
			t = s.tok(i)
			joint = "-"
		}
		if t.kind != word || (t.is("not unit") || t.lex.row("numbers") != nil) && !t.is("in unit") {
			break
		}
		if i++; t.end-s.tokens[at].start > 60 {
			break
		}
		spaced.WriteString(" ")
		spaced.WriteString(t.text)
		written.WriteString(joint)
		written.WriteString(t.text)
		if u := s.table.Lookup(spaced.String()); u != nil {
			n, unit = i-at, u
		} else if joint == "-" {
			if u := s.table.Lookup(written.String()); u != nil {
				n, unit = i-at, u
			}
		}
	}
	return n, unit
}

// slip is the common unit that a word of four letters and more is a slip of, "" for none or for two
// that are as near.
func (s *scanner) slip(t token) string {
	if limit := typos(t.fold); limit == 0 || t.is("not unit") || t.is("not slip") || t.lex.row("numbers") != nil || len(t.fold) > 14 {
		return ""
	}
	best, meant, tie := typos(t.fold)+1, "", false
	for _, name := range s.tables.commonUnits {
		if len(name) < 4 || len(name) > len(t.fold)+2 || len(t.fold) > len(name)+2 || name[0] != t.fold[0] && name[len(name)-1] != t.fold[len(t.fold)-1] {
			continue
		}
		d := units.EditDistance(t.fold, name, best)
		switch {
		case d < best:
			best, meant, tie = d, name, false
		case d == best && meant != "" && s.table.Lookup(name) != s.table.Lookup(meant):
			tie = true
		case d == best && meant != "" && name < meant:
			meant = name
		}
	}
	if tie {
		return ""
	}
	return meant
}
