package language

import (
	"slices"
	"strconv"
	"strings"

	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// listing is a stretch of a prompt that lists several values of one amount: "40, 50 and 60 guests",
// "40 to 60 guests in steps of 10", "oak and pine". The prompt means the same as each of some
// others, which have one of the values in its place.
type listing struct {
	from, to int      // tokens
	prompts  []string // with one value each
	either   bool     // it is joined by "or", or tells steps: no amounts of several variables
}

// listed finds the list of a prompt, nil where it has none. Two lists, and one of more values than
// can be calculated at once, are a doubt.
func (v *Vocabulary) listed(text string, tokens []token) (*listing, *value.Error) {
	t := v.tables
	s := t.newScanner(tokens, v.domain.Units(), v.currency)
	p := v.bare(tokens)
	p.text = text
	var found *listing
	for at := 0; at < len(tokens); {
		l, err := v.listAt(s, text, at)
		if l == nil && err == nil {
			l = v.labelsAt(p, at)
		}
		if err != nil {
			return nil, err
		}
		if l == nil {
			if q := s.amountIn(at); q.to > at {
				at = q.to
			} else {
				at++
			}
			continue
		}
		if found != nil {
			return nil, notUnderstood(t.say("two lists", quoted(p.fragment(found.from, found.to)), quoted(p.fragment(l.from, l.to))))
		}
		found, at = l, l.to
	}
	if found == nil || !found.either && anyIs(tokens, "summing") {
		return nil, nil
	}
	if n := len(found.prompts); n > value.MaxSeveral {
		return nil, notUnderstood(t.say("many values", quoted(p.fragment(found.from, found.to)), strconv.Itoa(n), strconv.Itoa(value.MaxSeveral)))
	}
	return found, nil
}

// listAt reads the list that starts at a token, nil for none.
func (v *Vocabulary) listAt(s *scanner, text string, at int) (*listing, *value.Error) {
	if l, err := v.stepsAt(s, text, at); l != nil || err != nil {
		return l, err
	}
	first := s.amountIn(at)
	if !listable(first, at) {
		return nil, nil
	}
	if s.tok(at - 1).is("between") {
		return nil, nil
	}
	for _, nouns := range []int{0, 1} {
		if l := v.amountsAt(s, text, first, nouns); l != nil {
			return l, nil
		}
	}
	return nil, nil
}

// bare is what tokens are before anything is read in them.
func (v *Vocabulary) bare(tokens []token) *prose {
	p := &prose{tables: v.tables, tokens: tokens, terms: v.terms, used: make([]bool, len(tokens)), within: make([]int, len(tokens))}
	for i := range p.within {
		p.within[i] = -1
	}
	return p
}

// labelsAt reads choices of one variable by their labels, which it cannot have at once: "with oak
// and with pine", "in a small or a large box"; nil for none.
func (v *Vocabulary) labelsAt(p *prose, at int) *listing {
	var items []quantity
	joined := false
	for next := at; next < len(p.tokens); {
		q, ok := v.labelAt(p, next)
		if !ok || slices.ContainsFunc(items, func(o quantity) bool { return v.sameChoice(o.readings[0].text, q.readings[0].text) }) {
			break
		}
		items = append(items, q)
		if next = q.to; next < len(p.tokens) && v.rarity[p.tokens[next].stem] > 0 {
			next++ // "a small box and a large box"
		}
		from := next
		for ; next < len(p.tokens) && (p.tokens[next].fold == "," || p.tokens[next].is("joining") || p.tokens[next].is("either")); next++ {
			joined = joined || p.tokens[next].fold != ","
		}
		if next == from {
			break
		}
		for next < len(p.tokens) && (p.tokens[next].is("attaches") || p.tokens[next].is("article")) {
			next++
		}
	}
	if len(items) < 2 || !joined || !slices.ContainsFunc(v.domain.Variables, func(def value.Variable) bool {
		return !slices.ContainsFunc(items, func(q quantity) bool { _, ok := def.Choice(q.readings[0].text); return !ok })
	}) {
		return nil
	}
	l := &listing{from: at, to: items[len(items)-1].to, either: true}
	for _, q := range items {
		l.prompts = append(l.prompts, p.text[:p.tokens[at].start]+p.text[p.tokens[q.from].start:p.tokens[q.to-1].end]+p.text[p.tokens[l.to-1].end:])
	}
	return l
}

func listable(q quantity, at int) bool {
	return q.to > at && q.from >= 0 && len(q.readings) > 0 && !q.weak && !q.rng
}

// amountsAt reads amounts with commas, "and" or "or" between them, each followed by so many words
// that are the same.
func (v *Vocabulary) amountsAt(s *scanner, text string, first quantity, nouns int) *listing {
	items := []quantity{first}
	l := &listing{from: first.from}
	joined, to := false, first.to+nouns
	noun := func(q quantity) bool {
		a, b := s.tok(first.to), s.tok(q.to)
		return nouns == 0 || a.kind == word && b.kind == word && v.tables.stem(a.fold) == v.tables.stem(b.fold)
	}
	for noun(items[len(items)-1]) {
		next := to
		comma := s.tok(next).fold == ","
		if comma {
			next++
		}
		joint := s.tok(next)
		and, or := joint.is("joining"), joint.is("either")
		if and || or {
			next++
		}
		if !comma && !and && !or || joined && !or {
			break
		}
		if before := s.tok(first.from - 1); before.is("attaches") && s.tok(next).fold == before.fold {
			next++
		}
		q := s.amountIn(next)
		if !listable(q, next) || !noun(q) {
			break
		}
		items = append(items, q)
		joined, l.either, to = joined || and || or, l.either || or, q.to+nouns
	}
	l.to = items[len(items)-1].to
	if n := len(items); n < 2 || !joined && !(n >= leastCells && (v.ofName(s, l.from-1, items) || bareOnly(items[0]) && v.ofThings(s, first, items[n-1], n))) || !l.either && !s.tok(l.from-1).is("attaches") && !v.ofName(s, l.from-1, items) && !v.ofThings(s, first, items[len(items)-1], len(items)) {
		return nil // "average of 1.2, 1.3 and 1.4", "heaters of 2 kW and 3 kW" may be all at once
	}
	last := items[len(items)-1]
	unit := last.readings[0].unit
	behind := ""
	if n := last.readings[0].unitTokens; n > 0 && unit != nil && n < last.to-last.from {
		behind = text[s.tokens[last.to-n-1].end:s.tokens[last.to-1].end]
	}
	for _, q := range items {
		own := q.readings[0]
		switch {
		case own.kind == last.readings[0].kind && (unit == nil || own.unit.Dimension() == unit.Dimension()):
			behind := text[s.tokens[q.from].start:s.tokens[q.to-1].end]
			l.add(s, text, behind)
		case own.kind == kindMoney && last.readings[0].kind == kindMoney && isRate(unit) && !isRate(own.unit) && isCurrencySign(s.tokens[last.from].text): // "£8, £10 and £12 per kWh"
			l.add(s, text, text[s.tokens[q.from].start:s.tokens[q.to-1].end]+text[s.tokens[last.from+1].end:s.tokens[last.to-1].end])
		case bareOnly(q) && (behind != "" || last.readings[0].kind == kindPercent):
			l.add(s, text, text[s.tokens[q.from].start:s.tokens[q.to-1].end]+v.unitBehind(s, text, last, behind))
		case bareOnly(q) && last.readings[0].kind == kindMoney: // "$40, 50 or 60"
			return nil
		default:
			return nil
		}
	}
	return l
}

// ofName reports whether "of" stands at a token behind the whole name of a variable that can take a
// number or a percentage, before the first of some with one unit: "a headway of 8, 10 and 20 min".
// Two or three lengths may be the sides of something, "a length of 12, 6 and 2 m", but not those of
// several, "wall heights of 12 and 15 m", nor three that rise, where no other side is named before:
// "a depth of 6, 9 and 12 cm".
func (v *Vocabulary) ofName(s *scanner, at int, items []quantity) bool {
	if !s.tok(at).is("partitive") && !(len(items) >= leastCells && s.tok(at).is("stating")) {
		return false
	}
	p := v.bare(s.tokens)
	q, count := items[0], len(items)
	rising := slices.IsSortedFunc(items, func(a, b quantity) int { return a.readings[0].number.Cmp(b.readings[0].number) })
	plural := at > 0 && v.tables.plural(&s.tokens[at-1])
	several := count >= leastCells || plural
	sides := 0 // that something may have
	for i := range v.terms {
		if t := &v.terms[i]; !t.hidden && !t.output && t.dimensional && t.dimension == units.Length {
			sides++
		}
	}
	if !several && !bareOnly(q) && q.readings[0].kind != kindPercent {
		return false
	}
	return slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && (t.dimension != units.Length || several) && t.takes(&q) && slices.ContainsFunc(t.names, func(n name) bool {
			for from := max(0, at-2*len(n.spoken)); from < at; from++ { // "no-show rates"
				if p.spoken(from, n.spoken) == at-from {
					return t.dimension != units.Length || plural || count > leastCells || sides < leastCells || !anyIs(s.tokens[from:at], "sided") || rising && !sidesBefore(s, from)
				}
			}
			return false
		})
	})
}

// sidesBefore reports whether the name of another side is joined to one that starts at a token: "a
// length, width and height of 3, 4 and 5 m".
func sidesBefore(s *scanner, at int) bool {
	for at--; at > 0 && (s.tok(at).is("joining") || s.tok(at).is("article") || s.tok(at).fold == ","); at-- {
	}
	return s.tok(at).is("sided")
}

// ofThings reports whether the unit of the last is that of all, or the name of a variable that can
// take it stands behind the last of three amounts or more: "out of 20, 40 and 60 kg of green
// beans".
func (v *Vocabulary) ofThings(s *scanner, first, last quantity, n int) bool {
	at := last.to
	if s.tok(at).is("partitive") {
		at++
	}
	p := v.bare(s.tokens)
	if unit := last.readings[0].unit; n >= leastCells && first.readings[0].unit == nil && unit != nil && unit.Dimension() != units.Length {
		return true // "10, 20 and 30 hectares"
	}
	return n >= leastCells && at < len(s.tokens) && slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && t.takes(&last) && slices.ContainsFunc(t.names, func(n name) bool { return p.says(at, n.spoken) })
	})
}

// unitBehind are the unit words of the last amount of a list, which count for all.
func (v *Vocabulary) unitBehind(s *scanner, text string, last quantity, behind string) string {
	if behind != "" {
		return behind
	}
	n := s.number(last.from).n
	return text[s.tokens[last.from+n-1].end:s.tokens[last.to-1].end]
}

// add puts a value in the place of the list.
func (l *listing) add(s *scanner, text, value string) {
	l.prompts = append(l.prompts, text[:s.tokens[l.from].start]+value+text[s.tokens[l.to-1].end:])
}

// stepsAt reads "40 to 60 guests in steps of 10" at its first amount, nil where it is none.
func (v *Vocabulary) stepsAt(s *scanner, text string, at int) (*listing, *value.Error) {
	from := s.amountIn(at)
	if !listable(from, at) {
		return nil, nil
	}
	if t := s.tok(from.to); !t.is("goal") && !t.is("until word") && !(t.is("joining") && s.tok(at-1).is("between")) {
		return nil, nil
	}
	to := s.amountIn(from.to + 1)
	if !listable(to, from.to+1) {
		return nil, nil
	}
	const reach = 3 // words of what is counted
	for k := to.to; k <= to.to+reach && k < len(s.tokens); k++ {
		for _, r := range v.tables.patterns("steps") {
			n, _ := r.pattern.match(s.tokens, nil, k)
			if n == 0 {
				continue
			}
			if step := s.amountIn(k + n); listable(step, k+n) {
				return v.stepped(s, text, at, from, to, step, k)
			}
		}
		if s.tok(k).kind != word {
			break
		}
	}
	return nil, nil
}

// stepped are the values from one amount to another in steps, the phrase of which starts at a
// token.
func (v *Vocabulary) stepped(s *scanner, text string, at int, from, to, step quantity, phrase int) (*listing, *value.Error) {
	a, b, c := from.readings[0], to.readings[0], step.readings[0]
	unit := b.unit
	if unit == nil {
		unit = units.One
	}
	fits := func(r reading) bool {
		return r.kind == kindNumber || r.kind == b.kind && (r.unit == nil || sameUnit(r.unit, unit))
	}
	if !fits(a) || !fits(c) || c.number.Sign() <= 0 || a.number.Cmp(b.number) >= 0 {
		return nil, nil
	}
	l := &listing{from: at, to: step.to, either: true}
	if before := s.tok(at - 1); before.is("origin") || before.is("between") {
		l.from--
	}
	n := s.number(to.from).n
	behind := text[s.tokens[to.from+n-1].end:s.tokens[phrase-1].end] + text[s.tokens[step.to-1].end:]
	ctx := decimal.NewContext(arithmeticBudget)
	for x := a.number; x.Cmp(b.number) <= 0 && ctx.Err() == nil; x = ctx.Add(x, c.number) {
		if len(l.prompts) > value.MaxSeveral {
			p := &prose{tokens: s.tokens, text: text}
			return nil, notUnderstood(v.tables.say("many steps", quoted(p.fragment(l.from, l.to)), strconv.Itoa(value.MaxSeveral)))
		}
		lead := strings.TrimRight(text[:s.tokens[l.from].start], " ")
		if lead != "" {
			lead += " "
		}
		l.prompts = append(l.prompts, lead+v.tables.written(x.String())+behind)
	}
	if len(l.prompts) < 2 {
		return nil, nil
	}
	return l, nil
}

// amountIn reads the amount at a token, none behind the end of the prompt.
func (s *scanner) amountIn(at int) quantity {
	if at >= len(s.tokens) {
		return quantity{}
	}
	return s.amountAt(at)
}
