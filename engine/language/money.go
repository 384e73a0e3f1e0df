package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine/decimal"
	"reckon/engine/units"
)

// money lists what a word or sign for money means, best first: the domain's own currency where it
// is one of them.
func (s *scanner) money(w row) []found {
	var senses []string
	for rank, code := range w.words(1) {
		if rank < int(w.number(2)) || code == s.currency {
			senses = append(senses, code+":"+w[3])
		}
	}
	return s.senses(senses, 1)
}

func isCurrencySign(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return size == len(text) && unicode.Is(unicode.Sc, r)
}

// currencyAt reads a currency as signs and codes have it: "$", "US$", "USD", "usd".
func (s *scanner) currencyAt(at int) []found {
	t := s.tok(at)
	switch {
	case t.kind == sign && isCurrencySign(t.text):
		if w := t.lex.row("money"); w != nil {
			return s.money(w)
		}
		if u := s.table.Lookup(t.text); u != nil {
			return []found{{unit: u, n: 1, part: 1}}
		}
	case t.kind == word && len(t.text) <= 4:
		if next := s.tok(at + 1); next.kind == sign && !next.spaced && isCurrencySign(next.text) {
			if u := s.table.Lookup(strings.ToUpper(t.text) + next.text); isCurrency(u) {
				return []found{{unit: u, n: 2, part: 1}}
			}
		}
		if len(t.text) == 3 && (strings.ToUpper(t.text) == t.text && !t.is("not unit") || t.is("low code")) {
			if u := s.table.Lookup(strings.ToUpper(t.text)); isCurrency(u) {
				return []found{{unit: u, n: 1, part: 1}}
			}
		}
	}
	return nil
}

// isCurrency is true of a unit that is one currency and nothing else.
func isCurrency(u *units.Unit) bool {
	if u == nil {
		return false
	}
	codes := u.Dimension().Currencies()
	return len(codes) == 1 && codes[0] == u.Symbol()
}

// moneyBefore reads an amount with its currency in front: "$1,200.50", "US$ 20", "-£5", "USD 20",
// "$2.5bn", "$3 a gallon".
func (s *scanner) moneyBefore(at int) (q quantity, ok bool) {
	start, negative := at, false
	if s.tok(at).fold == "-" && s.minusAt(at) {
		start, negative = at+1, true
	}
	currencies := s.currencyAt(start)
	if len(currencies) == 0 {
		if t := s.tok(start); t.is("money lead") && s.tok(start+1).kind == number {
			currencies = s.money(t.lex.row("money"))
		} else {
			return q, false
		}
	}
	behind := start + currencies[0].n
	t := s.tok(behind)
	if t.kind != number && t.fold != "-" {
		return q, false
	}
	a := s.number(behind)
	if a.n == 0 || a.words || s.tok(behind).kind == mark && negative {
		return q, false
	}
	end := behind + a.n
	if a.invalid {
		return quantity{from: at, to: end}, true
	}
	if negative {
		a.value, a.exact = a.value.Neg(), ""
	}
	if x, _ := s.suffixAt(end, true); x != nil {
		if next := s.tok(end); !next.spaced || len(next.text) > 1 || next.is("money letter") {
			a = s.times(a, decimal.Int(x.number(1)))
			end++
		}
	}
	q = quantity{from: at, to: end}
	var full, plain []reading
	for _, c := range currencies {
		if s.tok(end).kind == word {
			for _, again := range s.named(end, true) {
				if again.unit == c.unit && again.part == 1 {
					end += again.n // $20 USD, £5 pounds
				}
			}
		}
		for _, f := range s.over(end, found{unit: c.unit, part: c.part}) {
			full = append(full, s.reading(a, f, start-at+currencies[0].n))
			q.to = max(q.to, end+f.n)
		}
		if cents, _, to := s.part(end, c.unit); to > 0 && len(full) == 0 {
			more := a
			more.value, more.exact = s.ctx.Add(a.value, s.ctx.Quo(cents.value, decimal.Int(100))), ""
			plain = append(plain, s.reading(more, c, currencies[0].n))
			q.to = to
			continue
		}
		plain = append(plain, s.reading(a, c, currencies[0].n))
	}
	q.to = max(q.to, end)
	q.readings = append(full, plain...)
	return q, true
}
