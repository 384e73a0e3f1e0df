package language

import (
	"slices"
	"strings"

	"reckon/engine/units"
)

// found is one sense of the unit words at a token.
type found struct {
	unit  *units.Unit
	n     int   // tokens
	part  int64 // how many of what is said make one of the unit; -1 turns the sign
	share bool  // the unit of what is measured alone, without what it is measured by: USD of "$20 an hour"
	typo  bool  // read past a slip of the pen
}

// scanUnit reads the longest unit, spoken or in symbols, that starts at a token and ends at a token
// border. Where the words have several senses it is the usual one. n is 0 for none.
func (t *tables) scanUnit(tokens []token, at int, table *units.Table) (unit *units.Unit, n int) {
	for _, f := range t.newScanner(tokens, table, "").unitsAt(at, false) {
		if !f.share && f.part >= 0 && f.part <= 1 && f.unit != units.One {
			return f.unit, f.n
		}
	}
	return nil, 0
}

// unitStarts reports whether a unit in letters starts at a token.
func (s *scanner) unitStarts(at int) bool {
	return s.tok(at).lex.row("numbers") == nil && len(s.single(at, true)) > 0
}

// unitsAt lists the senses of the unit words at a token, the usual one first, all of the greatest
// length but for shares. behind tells that a number stands directly before.
func (s *scanner) unitsAt(at int, behind bool) []found {
	if behind && s.tok(at).text == "1" && s.tok(at+1).fold == "/" && !s.tok(at+1).spaced && !s.tok(at+2).spaced { // 3 1/min
		list := s.over(at+1, found{unit: units.One, part: 1})
		for i := range list {
			list[i].n++
		}
		return list
	}
	singles := s.single(at, behind)
	if len(singles) == 0 {
		if behind {
			if list := s.over(at, found{unit: units.One, part: 1}); len(list) > 0 {
				return append(list, found{unit: units.One, part: 1, share: true})
			}
		}
		return nil
	}
	list := make([]found, 0, 2*len(singles))
	longest := 0
	for _, f := range singles {
		for _, o := range s.over(at+f.n, f) {
			o.n += f.n
			o.typo = o.typo || f.typo
			list = append(list, o)
			longest = max(longest, o.n)
		}
	}
	if longest == 0 {
		return singles
	}
	for _, f := range singles {
		switch f.share = true; {
		case percentUnit(f.unit):
			list = slices.Insert(list, 0, f) // 6% a year is 6% before it is a rate
		case measured(f.unit) || f.unit.Dimension() == units.Time:
			list = append(list, f)
		}
	}
	return list
}

// overPlace says where words lead to what is measured by, by its name in the table.
type overPlace string

const (
	anywhere      overPlace = ""
	behindUnit    overPlace = "behind"  // since the words mean much else
	behindMeasure overPlace = "article" // and behind a bare number as well
	ofContent     overPlace = "content" // behind, for what is no time
)

// over lists what unit words make of a unit with what stands behind it: "per hour", "/100 km", "an
// hour". n counts the tokens of that alone.
func (s *scanner) over(at int, left found) []found { return s.quotient(at, left, true) }

// quotient is over; more tells whether another quotient may follow, as in metres per second per
// second.
func (s *scanner) quotient(at int, left found, more bool) []found {
	row, n := s.rowAt("per", at)
	if row == nil || (overPlace(row[2]) == behindUnit || overPlace(row[2]) == ofContent) && left.unit == units.One {
		return nil
	}
	place := overPlace(row[2])
	if left.unit.IsPoint() {
		if place != anywhere || row[1] != "" {
			return nil
		}
		left.unit = left.unit.Difference() // 80 °C/h
	}
	if row[1] != "" {
		if u := s.table.Lookup(row[1]); u != nil && measured(left.unit) {
			return []found{{unit: left.unit.Div(u), n: n, part: left.part}}
		}
		return nil
	}
	next := at + n
	hundred := false
	if part, _ := s.numeral(next); part == partHundred || s.tok(next).text == "100" {
		hundred = true
		next++
	}
	if place != anywhere && place != ofContent && !s.tok(next).is("common unit") && !measured(left.unit) && (len(s.tok(next).fold) < 5 || s.slip(s.tok(next)) == "") {
		return nil
	}
	rights := s.single(next, place == anywhere && s.tok(next-1).kind == mark)
	if s.tok(next).is("hour slip") && s.tok(at).is("indefinite") && measured(left.unit) {
		rights = s.parsed("h", 1)
	}
	var list []found
	for _, right := range rights {
		if right.unit == units.One || right.part != 1 || right.unit == left.unit || place == ofContent && (right.unit.Dimension() == units.Time || measured(left.unit)) {
			continue
		}
		end := next + right.n
		u := right.unit
		if hundred {
			if u = s.table.Lookup("100" + right.unit.Symbol()); u == nil {
				continue
			}
		}
		f := found{unit: left.unit.Div(u), n: end - at, part: left.part, typo: right.typo}
		if place == anywhere && s.tok(end).is("joining") && s.tok(end+1).is("common unit") && !s.nounAt(end+2) && u.Dimension() != units.Time { // litres per square metre and day
			for _, time := range s.single(end+1, false) {
				if time.unit.Dimension() == units.Time && time.part == 1 {
					f.unit, f.n = f.unit.Div(time.unit), end+1+time.n-at
				}
			}
		}
		if more && place == anywhere {
			for _, further := range s.quotient(end, f, false) {
				further.n += f.n
				list = append(list, further)
			}
		}
		list = append(list, f)
	}
	return longestOnly(list)
}

func measured(u *units.Unit) bool {
	return len(u.Dimension().Currencies()) > 0 || percentUnit(u)
}

func percentUnit(u *units.Unit) bool { return u.Symbol() == "%" }

// rowAt is the row of a section of which a phrase stands at a token, the longest one, and how many
// tokens it takes; nil for none.
func (s *scanner) rowAt(section string, at int) (row, int) {
	lex := s.tok(at).lex
	if lex == nil {
		return nil, 0
	}
	for i := range lex.facts {
		if f := &lex.facts[i]; f.section == section && s.follows(at, f.words) {
			return f.row, len(f.words)
		}
	}
	return nil, 0
}

// follows reports whether the folded tokens from one on are these words.
func (s *scanner) follows(at int, words []string) bool {
	for i, w := range words {
		if s.tok(at+i).fold != w {
			return false
		}
	}
	return true
}

func longestOnly(list []found) []found {
	longest := 0
	for _, f := range list {
		longest = max(longest, f.n)
	}
	return slices.DeleteFunc(list, func(f found) bool { return f.n < longest })
}

// single lists the senses of one unit without a quotient, all of the same number of tokens.
func (s *scanner) single(at int, behind bool) []found {
	t := s.tok(at)
	if t.end == 0 || t.kind == number {
		return nil
	}
	if p := t.lex.row("powers"); p != nil && p[2] == "" {
		next := at + 1
		if s.tok(next).fold == "." || s.tok(next).fold == "-" {
			next++
		}
		named := s.named(next, behind)
		if len(named) > 0 && named[0].n > 1 && s.tok(next).kind == word {
			named = append(named, s.oneWord(next, behind)...) // cubic metres of water
		}
		for _, f := range named {
			if f.unit.Dimension() == units.Length && f.part == 1 {
				if u, ok := f.unit.Pow(int(p.number(1)), 1); ok {
					return []found{{unit: u, n: next - at + f.n, part: 1, typo: f.typo}}
				}
			}
		}
		return nil
	}
	if t.fold == "(" {
		return s.bracket(at)
	}
	list := s.named(at, behind)
	for i, f := range list {
		if f.part != 1 || f.unit == units.One {
			continue
		}
		if power, n := s.power(at + f.n); n > 0 {
			if u, ok := f.unit.Pow(power, 1); ok {
				list[i].unit, list[i].n = u, f.n+n
			}
		} else if n := f.n; s.factorAt(at + n) {
			if right := s.tok(at + n).text; f.unit.Dimension() != units.Time && len(t.text) <= 3 {
				list[i].unit, list[i].n = f.unit.Mul(s.table.Lookup(right)), n+1
			}
		} else if next := s.tok(at + f.n); (next.text == "·" || next.text == "⋅" || next.text == "*") && !next.spaced {
			for _, right := range s.named(at+f.n+1, true) {
				if right.part == 1 && !s.tok(at+f.n+1).spaced {
					list[i].unit, list[i].n = f.unit.Mul(right.unit), f.n+1+right.n
					break
				}
			}
		}
	}
	return longestOnly(list)
}

// factorSymbols are the units of one letter that are read as a second factor.
const factorSymbols = "mhK"

// factorAt is true of the second factor of N m, kW h and W/(m K): one letter for itself.
func (s *scanner) factorAt(at int) bool {
	t := s.tok(at)
	return t.spaced && t.kind == word && len(t.text) == 1 && strings.Contains(factorSymbols, t.text)
}

// bracket reads what belongs below the line together: J/(kg K), W/(m^2·K).
func (s *scanner) bracket(at int) []found {
	product := units.One
	for i := at + 1; i < at+10; {
		switch s.tok(i).text {
		case ")":
			if product == units.One {
				return nil
			}
			return []found{{unit: product, n: i + 1 - at, part: 1}}
		case "·", "*", "⋅":
			i++
			continue
		}
		list := s.named(i, true)
		if len(list) == 0 || list[0].part != 1 {
			return nil
		}
		f := list[0]
		i += f.n
		if power, n := s.power(i); n > 0 {
			u, ok := f.unit.Pow(power, 1)
			if !ok {
				return nil
			}
			f.unit = u
			i += n
		}
		product = product.Mul(f.unit)
	}
	return nil
}

// power reads "squared", "²", "^2", and a 2 or 3 that is joined to the unit.
func (s *scanner) power(at int) (power, n int) {
	t := s.tok(at)
	if p := t.lex.row("powers"); p != nil && p[2] != "" {
		return int(p.number(1)), 1
	}
	switch t.fold {
	case "^":
		if e := s.tok(at + 1); !e.spaced && (e.text == "2" || e.text == "3") {
			return int(e.text[0] - '0'), 2
		}
	case "2", "3":
		if next := s.tok(at + 1); !t.spaced && (next.spaced || next.kind != word && next.kind != sign) && s.tok(at-1).kind == word {
			return int(t.text[0] - '0'), 1
		}
	}
	return 0, 0
}
