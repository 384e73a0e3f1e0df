package language

import (
	"sync"

	"reckon/engine/decimal"
)

// numberWord is a word that takes part in a number.
type numberWord struct {
	words   string // separated by spaces, each of the same meaning
	role    numberRole
	value   int64  // of fractions the denominator
	example string // a prompt, and
	means   string // the number it states
}

type numberRole int

const (
	roleDigit    numberRole = iota + 1 // 1 to 19, and zero
	roleTen                            // 20 to 90
	roleHundred                        // multiplies what stands before it, below 100
	roleScale                          // multiplies all that stands before it
	roleFraction                       // half, thirds
	roleDozen                          // multiplies, and stands alone with "a"
)

var numberWords = []numberWord{
	{"zero", roleDigit, 0, "zero miles", "0"},
	{"one", roleDigit, 1, "one mile", "1"},
	{"two", roleDigit, 2, "two miles", "2"},
	{"three", roleDigit, 3, "three miles", "3"},
	{"four", roleDigit, 4, "four miles", "4"},
	{"five", roleDigit, 5, "five miles", "5"},
	{"six", roleDigit, 6, "six miles", "6"},
	{"seven", roleDigit, 7, "seven miles", "7"},
	{"eight", roleDigit, 8, "eight miles", "8"},
	{"nine", roleDigit, 9, "nine miles", "9"},
	{"ten", roleDigit, 10, "ten miles", "10"},
	{"eleven", roleDigit, 11, "eleven miles", "11"},
	{"twelve", roleDigit, 12, "twelve miles", "12"},
	{"thirteen", roleDigit, 13, "thirteen miles", "13"},
	{"fourteen", roleDigit, 14, "fourteen miles", "14"},
	{"fifteen", roleDigit, 15, "fifteen miles", "15"},
	{"sixteen", roleDigit, 16, "sixteen miles", "16"},
	{"seventeen", roleDigit, 17, "seventeen miles", "17"},
	{"eighteen", roleDigit, 18, "eighteen miles", "18"},
	{"nineteen", roleDigit, 19, "nineteen miles", "19"},
	{"twenty", roleTen, 20, "twenty-one miles", "21"},
	{"thirty", roleTen, 30, "thirty two miles", "32"},
	{"forty fourty", roleTen, 40, "forty miles", "40"},
	{"fifty", roleTen, 50, "a hundred and fifty miles", "150"},
	{"sixty", roleTen, 60, "sixty-five miles", "65"},
	{"seventy", roleTen, 70, "seventy miles", "70"},
	{"eighty", roleTen, 80, "eighty miles", "80"},
	{"ninety", roleTen, 90, "ninety-nine miles", "99"},
	{"hundred", roleHundred, 100, "two hundred and fifty thousand miles", "250000"},
	{"thousand", roleScale, 1e3, "three thousand two hundred miles", "3200"},
	{"lakh lakhs", roleScale, 1e5, "3 lakh miles", "300000"},
	{"million", roleScale, 1e6, "one and a half million miles", "1500000"},
	{"crore crores", roleScale, 1e7, "2 crore miles", "20000000"},
	{"billion", roleScale, 1e9, "1.5 billion miles", "1500000000"},
	{"trillion", roleScale, 1e12, "a trillion miles", "1000000000000"},
	{"half halves", roleFraction, 2, "two and a half miles", "2.5"},
	{"third thirds", roleFraction, 3, "two thirds of a mile", "2/3"},
	{"quarter quarters", roleFraction, 4, "three quarters of a mile", "0.75"},
	{"fifth fifths", roleFraction, 5, "two fifths of a mile", "0.4"},
	{"sixth sixths", roleFraction, 6, "a sixth of a mile", "1/6"},
	{"eighth eighths", roleFraction, 8, "three eighths of a mile", "0.375"},
	{"tenth tenths", roleFraction, 10, "three tenths of a mile", "0.3"},
	{"hundredth hundredths", roleFraction, 100, "five hundredths of a mile", "0.05"},
	{"dozen", roleDozen, 12, "half a dozen miles", "6"},
	{"couple", roleDozen, 2, "a couple of miles", "2"},
}

// numberWordIndex finds the rows by their words.
var numberWordIndex = sync.OnceValue(func() map[string]*numberWord {
	index := map[string]*numberWord{}
	for i := range numberWords {
		for w := range fields(numberWords[i].words) {
			index[w] = &numberWords[i]
		}
	}
	return index
})

func (s *scanner) role(at int) (numberRole, int64) {
	t := s.tok(at)
	if t.kind != word {
		return 0, 0
	}
	if w := s.numbers[t.fold]; w != nil {
		return w.role, w.value
	}
	return 0, 0
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
			if s.tok(next).fold == "and" && room > 1 && (room == 100 || group == 0) {
				if role, _ := s.role(next + 1); role == roleDigit || role == roleTen {
					next++
				}
			}
		}
		role, v := s.role(next)
		switch {
		case (role == roleDigit || role == roleTen) && v < room && (v > 0 || !begun):
			group += v
			if room = 1; role == roleTen {
				room = 10
			}
		case role == roleHundred && group > 0 && group < 100:
			group, room = group*100, 100
		case role == roleHundred && !begun:
			group, room = 100, 100
		case role == roleScale && v < scale && (group > 0 || !begun):
			total, group, scale = total+max(group, 1)*v, 0, v
			room = 1000
		default:
			return total + group, i - at
		}
		begun = true
		i = next + 1
		n = i - at
		if role == roleDigit && v == 0 {
			return 0, n
		}
	}
}

// oneOf are the words before "one" that make it stand for a thing.
var oneOf = wordSet(`the this that these those which first second third last next previous other another each every any no latter former
 old new good same right wrong original earlier cheaper faster bigger smaller only`)

// wordNumber reads a number that starts with a word: cardinals, decimals, fractions, dozens; or an article.
func (s *scanner) wordNumber(at int) amount {
	first := s.tok(at)
	if first.kind != word {
		return amount{}
	}
	start := at
	article := first.fold == "a" || first.fold == "an"
	if article {
		start = s.hyphened(at + 1)
	} else if first.fold != "point" && s.numbers[first.fold] == nil {
		return amount{}
	}
	role, v := s.role(start)
	switch {
	case role == roleDozen:
		a := amount{n: start + 1 - at, value: decimal.Int(v), words: true}
		if s.tok(at+a.n).fold == "of" {
			a.n++
		} else if v == 2 && !s.unitStarts(at+a.n) {
			return amount{} // "a couple from Leeds"
		}
		return a
	case role == roleFraction && (article || v == 2 || v == 4):
		if s.clockWord(start) {
			return amount{}
		}
		return s.partOf(at, start+1-at, 1, v)
	case role == roleFraction:
		return amount{} // an ordinal
	case article && role != roleHundred && role != roleScale:
		return amount{n: 1, value: decimal.Int(1), article: true, words: true}
	}
	value, n := s.cardinal(start)
	end := start + n
	a := amount{n: end - at, value: decimal.Int(value), words: true}
	if s.tok(end).fold == "point" {
		if digits, more := s.decimals(end + 1); more > 0 {
			a.value, _ = decimal.Parse(a.value.String() + "." + digits)
			a.n += 1 + more
			return s.scaled(at, a)
		}
	}
	if n == 0 {
		return amount{}
	}
	if role, den := s.role(s.hyphened(end)); role == roleFraction && den > 2 && value > 0 && value < 100 && (value > 1 || den != 10) {
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
		role, v := s.role(at + n)
		if role != roleDigit || v > 9 {
			break
		}
		digits += string(rune('0' + v))
		n++
	}
	return digits, n
}

// partOf reads what a fraction in words is a part of: "half a million", "half a dozen", "three quarters of an hour", where
// the unit is not its business. n tokens have been read.
func (s *scanner) partOf(at, n int, num, den int64) amount {
	a := s.fraction(n, 0, num, den)
	a.words, a.pronoun = true, true
	end := s.hyphened(at + n)
	if s.tok(end).fold == "of" {
		end++
	}
	if t := s.tok(end).fold; t == "a" || t == "an" || t == "one" {
		end++
	}
	switch role, v := s.role(end); {
	case role == roleScale || role == roleDozen || role == roleHundred:
		a = s.times(a, decimal.Int(v))
		a.n, a.pronoun = end+1-at, false
	case end > at+n && s.unitStarts(end):
		a.n, a.pronoun = end-at, false
	case s.unitStarts(end):
		a.pronoun = false
	}
	return a
}

// scaled reads what may stand behind a number: "and a half", then scale words.
func (s *scanner) scaled(at int, a amount) amount {
	if a.whole() {
		if num, den, n := s.andPart(at + a.n); n > 0 {
			if unit := s.tok(at + a.n + n); a.words || s.unitStarts(at+a.n+n) || unit.kind == word && s.numbers[unit.fold] != nil {
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
		role, v := s.role(at + a.n)
		if role != roleScale && role != roleHundred && !(role == roleDozen && v == 12) {
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
	if at = s.hyphened(at); s.tok(at).fold != "and" {
		return 0, 0, 0
	}
	num = 1
	i := s.hyphened(at + 1)
	switch role, v := s.role(i); {
	case s.tok(i).fold == "a" || s.tok(i).fold == "an":
		i = s.hyphened(i + 1)
	case role == roleDigit && v > 0 && v < 10:
		num = v
		i = s.hyphened(i + 1)
	}
	if role, v := s.role(i); role == roleFraction && num < v && (i > at+1 || v == 2) {
		return num, v, i + 1 - from
	}
	return 0, 0, 0
}
