package language

import (
	"reckon/engine/decimal"
	"reckon/engine/units"
)

// numberPart is the part that a word plays in a number, by its name in the table.
type numberPart string

const (
	partDigit    numberPart = "digit"    // 1 to 19, and zero
	partTen      numberPart = "ten"      // 20 to 90
	partHundred  numberPart = "hundred"  // multiplies what stands before it, below 100
	partScale    numberPart = "scale"    // multiplies all that stands before it
	partFraction numberPart = "fraction" // half, thirds
	partDozen    numberPart = "dozen"    // multiplies, and stands alone with an article
	partHalves   numberPart = "halves"   // so many halves: "anderthalb"
	partTimes    numberPart = "times"    // how often in a time: "twice a day"
)

// numeral is the part that a token plays in a number, "" for none.
func (s *scanner) numeral(at int) (numberPart, int64) {
	if t := s.tok(at); t.kind == word {
		if r := t.lex.row("numbers"); r != nil {
			return numberPart(r[1]), r.number(2)
		}
	}
	return "", 0
}

// hyphened skips the hyphen of "twenty-five" at a token.
func (s *scanner) hyphened(at int) int {
	if t := s.tok(at); t.fold == "-" && !t.spaced && !s.tok(at+1).spaced && s.tok(at+1).kind == word {
		return at + 1
	}
	return at
}

// cardinal reads a whole number in words; n is 0 for none.
func (s *scanner) cardinal(at int) (value int64, n int) {
	var total, group int64
	room, scale := int64(1000), int64(1e15) // what the next words must stay below
	begun := false
	for i := at; ; {
		next := i
		if begun {
			next = s.hyphened(i)
			if s.tok(next).is("joining") && room > 1 && (room == 100 || group == 0) {
				if part, _ := s.numeral(next + 1); part == partDigit || part == partTen {
					next++
				}
			}
		}
		part, v := s.numeral(next)
		switch {
		case (part == partDigit || part == partTen) && v < room && (v > 0 || !begun):
			group += v
			if room = 1; part == partTen {
				room = 10
			}
		case part == partHundred && group > 0 && group < 100:
			group, room = group*100, 100
		case part == partHundred && !begun:
			group, room = 100, 100
		case part == partScale && v < scale && (group > 0 || !begun):
			total, group, scale = total+max(group, 1)*v, 0, v
			room = 1000
		default:
			return total + group, i - at
		}
		begun = true
		i = next + 1
		n = i - at
		if part == partDigit && v == 0 {
			return 0, n
		}
	}
}

// wordNumber reads a number that starts with a word: cardinals, decimals, fractions, dozens; or an
// article.
func (s *scanner) wordNumber(at int) amount {
	first := s.tok(at)
	if first.kind != word {
		return amount{}
	}
	start := at
	article := first.is("indefinite")
	if article {
		start = s.hyphened(at + 1)
	} else if !first.is("decimal point") && first.lex.row("numbers") == nil {
		return amount{}
	}
	part, v := s.numeral(start)
	switch {
	case part == partDozen:
		a := amount{n: start + 1 - at, value: decimal.Int(v), words: true}
		if s.tok(at + a.n).is("partitive") {
			a.n++
		} else if v == 2 && !s.unitStarts(at+a.n) {
			return amount{} // "a couple from Leeds"
		}
		return a
	case part == partTimes && !article && len(s.over(start+1, found{unit: units.One, part: 1})) > 0:
		return amount{n: 1, value: decimal.Int(v), words: true}
	case part == partTimes:
		return amount{} // "twice the distance"
	case part == partHalves:
		a := s.fraction(start+1-at, 0, v, 2)
		a.words = true
		return s.scaled(at, a)
	case part == partFraction && (article || v == 2 || v == 4):
		if _, n := s.pastHour(start); n > 0 {
			return amount{}
		}
		return s.partOf(at, start+1-at, 1, v)
	case part == partFraction:
		return amount{} // an ordinal
	case article && s.tables.has(articlesCount) && s.tok(at+2).is("more or less"):
		return amount{n: 1, value: decimal.Int(1), words: true}
	case article && part != partHundred && part != partScale:
		return amount{n: 1, value: decimal.Int(1), article: true, words: true}
	}
	value, n := s.cardinal(start)
	end := start + n
	a := amount{n: end - at, value: decimal.Int(value), words: true}
	if s.tok(end).is("decimal point") {
		if digits, more := s.decimals(end + 1); more > 0 {
			a.value, _ = decimal.Parse(a.value.String() + "." + digits)
			a.n += 1 + more
			return s.scaled(at, a)
		}
	}
	if n == 0 {
		return amount{}
	}
	if part, den := s.numeral(s.hyphened(end)); part == partFraction && den > 2 && value > 0 && value < 100 && (value > 1 || den != 10) {
		return s.partOf(at, s.hyphened(end)+1-at, value, den)
	}
	if value == 1 && a.n == 1 {
		a.pronoun = true
	}
	return s.scaled(at, a)
}

// decimals reads the digit words behind "point".
func (s *scanner) decimals(at int) (digits string, n int) {
	for n < 30 {
		part, v := s.numeral(at + n)
		if part != partDigit || v > 9 {
			break
		}
		digits += string(rune('0' + v))
		n++
	}
	return digits, n
}

// partOf reads what a fraction in words is a part of: "half a million", "half a dozen", "three
// quarters of an hour", where the unit is not its business. n tokens have been read.
func (s *scanner) partOf(at, n int, num, den int64) amount {
	a := s.fraction(n, 0, num, den)
	a.words, a.pronoun = true, true
	end := s.hyphened(at + n)
	if s.tok(end).is("partitive") {
		end++
	}
	if s.tok(end).is("single") {
		end++
	}
	switch part, v := s.numeral(end); {
	case part == partScale || part == partDozen || part == partHundred:
		a = s.times(a, decimal.Int(v))
		a.n, a.pronoun = end+1-at, false
	case end > at+n && s.unitStarts(end) && !(s.tok(end).kind == sign && s.tok(end+1).kind == number):
		a.n, a.pronoun = end-at, false
	case s.tok(end).kind == sign && s.tok(end+1).kind == number: // "a third of $4,000"
	case s.unitStarts(end):
		a.pronoun = false
	}
	return a
}

// scaled reads what may stand behind a number: "and a half", then scale words.
func (s *scanner) scaled(at int, a amount) amount {
	if a.whole() {
		if num, den, n := s.andPart(at + a.n); n > 0 {
			if unit := s.tok(at + a.n + n); a.words || s.tok(at+a.n+1).is("indefinite") || unit.kind == mark || s.unitStarts(at+a.n+n) || unit.kind == word && unit.lex.row("numbers") != nil {
				whole, _ := a.value.Int64()
				scale := int64(1)
				for scale < 1e12 && whole >= 1000 && whole%(scale*1000) == 0 && a.words {
					scale *= 1000
				}
				f := s.fraction(a.n+n, whole/scale, num, den)
				f.words = a.words
				if scale > 1 {
					f = s.times(f, decimal.Int(scale))
				}
				a = f
			}
		}
	}
	for {
		part, v := s.numeral(at + a.n)
		if part != partScale && part != partHundred && !(part == partDozen && v == 12) {
			return a
		}
		a = s.times(a, decimal.Int(v))
		a.n++
		a.pronoun = false
	}
}

// andPart reads "and a half", "and three quarters"; n is 0 for none.
func (s *scanner) andPart(at int) (num, den int64, n int) {
	from := at
	if at = s.hyphened(at); !s.tok(at).is("joining") {
		return 0, 0, 0
	}
	num = 1
	i := s.hyphened(at + 1)
	switch part, v := s.numeral(i); {
	case s.tok(i).is("indefinite"):
		i = s.hyphened(i + 1)
	case part == partDigit && v > 0 && v < 10:
		num = v
		i = s.hyphened(i + 1)
	}
	if part, v := s.numeral(i); part == partFraction && num < v && (i > at+1 || v == 2) {
		return num, v, i + 1 - from
	}
	return 0, 0, 0
}
