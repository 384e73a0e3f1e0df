package language

import "slices"

// mention is a stretch of the prompt that speaks of a variable.
type mention struct {
	variable int
	from, to int     // tokens
	weight   float64 // 0 to 1: how surely
	told     bool    // the description has the words, not the name
	other    bool    // another variable is called so as the prompt spells it, in the singular or the plural
}

// mentions finds where the tokens speak of which variable. Stretches of different variables overlap
// where they share words.
func (v *Vocabulary) mentions(p *prose) []mention {
	var found []mention
	for i := range p.tokens {
		if p.meaning[i] != content && !v.beginsName(p, i) && !(i+1 < len(p.tokens) && p.meaning[i+1] == content && p.tokens[i].is("telling") && v.rarity[p.stems[i]] > 0) {
			continue
		}
		for variable := range v.terms {
			if counted := v.terms[variable].counted; counted != nil && v.tables.adverb(p.tokens[i].fold) {
				if unit, n := v.tables.scanUnit(v.tables.tokenize(p.stems[i]), 0, v.domain.Units()); n == 1 && sameUnit(unit, counted) {
					continue // "500 monthly" is no number of months
				}
			}
			if m, ok := v.mentionAt(p, i, variable); ok {
				found = append(found, m)
			}
		}
	}
	v.preferLiteral(p, found)
	for i := range found {
		v.cutShort(p, found, &found[i])
	}
	all := slices.Clone(found)
	found = slices.DeleteFunc(found, func(m mention) bool { return v.astray(p, all, &m) })
	for i := range found {
		m := &found[i]
		if m.told && slices.ContainsFunc(found, func(o mention) bool {
			return o.variable != m.variable && !o.told && o.from == m.from && o.to == m.to && o.weight >= v.weights.ExactName
		}) {
			m.weight *= v.weights.WithinLonger // the name of another one
		}
		for _, longer := range found {
			within := longer.from <= m.from && m.to <= longer.to && longer.to-longer.from > m.to-m.from
			across := longer.from < m.from && m.from < longer.to && longer.to < m.to
			// "course fee" within "pay a course fee"
			loose := m.weight >= v.weights.ExactName && m.to-m.from > 1 && (longer.weight < v.weights.ExactName || longer.from == m.from && v.called(p, m) && !v.called(p, &longer))
			// "60 pieces at a price"
			counts := m.weight >= v.weights.ExactName && p.counting(m.from) && longer.to > m.to && anyIs(p.tokens[m.to:longer.to], "at rate")
			if longer.variable != m.variable && (within || across) && !loose && !counts && longer.weight >= v.weights.LeastLonger {
				m.weight *= v.weights.WithinLonger // "fuel" within "fuel cost", "cost of the way" behind "fuel"
				break
			}
		}
	}
	return found
}

// called reports whether the words of a mention are a name of its variable, with no others between.
func (v *Vocabulary) called(p *prose, m *mention) bool {
	return slices.ContainsFunc(v.terms[m.variable].names, func(n name) bool { return p.spoken(m.from, n.spoken) == m.to-m.from })
}

// astray reports whether a mention takes words together that are others between: those of a name of
// another variable, where what is left names its own, "wall area for length" with "Wall length", or
// those of a name of its own: "population density for population".
func (v *Vocabulary) astray(p *prose, found []mention, m *mention) bool {
	if m.to-m.from < 2 || v.called(p, m) {
		return false
	}
	return slices.ContainsFunc(found, func(o mention) bool {
		if o.weight < v.weights.ExactName || o.to-o.from < 2 || o.told || !o.overlaps(m) || !v.called(p, &o) {
			return false
		}
		if o.variable == m.variable {
			return o.from < m.from && o.to < m.to
		}
		return o.from == m.from && slices.ContainsFunc(found, func(own mention) bool {
			return own.variable == m.variable && own.from >= o.to && own.to <= m.to && own.weight >= v.weights.LeastLonger
		})
	})
}

// cutShort leaves the last word, behind "at", to another name that goes on with it, where those
// before are a name of their own: "sales at a flour price" with "Flour sales".
func (v *Vocabulary) cutShort(p *prose, found []mention, m *mention) {
	at := slices.IndexFunc(p.tokens[m.from:m.to], func(t token) bool { return t.is("at rate") })
	onward := func(o mention) bool { return o.from == m.to-1 && o.to > m.to && o.weight >= v.weights.ExactName }
	if at > 0 && slices.ContainsFunc(found, onward) && v.called(p, &mention{variable: m.variable, from: m.from, to: m.from + at}) {
		m.to = m.from + at
	}
}

// counting reports whether a bare number stands right before a token.
func (p *prose) counting(at int) bool {
	return at > 0 && p.within[at-1] >= 0 && bareOnly(p.quantities[p.within[at-1]])
}

// preferLiteral tells variables apart that are called by one word in the singular and in the
// plural, as Pack size by "pack" and Packs: who asks means the one that is spelt so.
func (v *Vocabulary) preferLiteral(p *prose, found []mention) {
	literal := func(m *mention) bool {
		said := ""
		for _, t := range p.tokens[m.from:m.to] {
			said += t.fold
		}
		return slices.ContainsFunc(v.terms[m.variable].names, func(n name) bool { return n.joined == said })
	}
	for i := range found {
		m := &found[i]
		if m.weight >= v.weights.ExactName && !m.told && !literal(m) && slices.ContainsFunc(found, func(o mention) bool {
			return o.variable != m.variable && o.from == m.from && o.to == m.to && o.weight >= v.weights.ExactName && literal(&o)
		}) {
			m.other = true
		}
	}
}

// beginsName reports whether a word of grammar begins a name that is said word by word: "IT load".
func (v *Vocabulary) beginsName(p *prose, at int) bool {
	if p.meaning[at] != grammar {
		return false
	}
	return slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && slices.ContainsFunc(t.names, func(n name) bool { return n.cut && len(n.words) > 0 && len(n.spoken) > 1 && p.says(at, n.spoken) })
	})
}

// mentionAt is the best stretch that starts at a token and speaks of a variable.
func (v *Vocabulary) mentionAt(p *prose, at, variable int) (mention, bool) {
	best := mention{variable: variable, from: at, to: at + 1}
	share := v.weights.SharedWords
	t := &v.terms[variable]
	for _, n := range t.names {
		if size := p.spoken(at, n.spoken); n.cut && (len(n.words) > 1 || p.meaning[at] == grammar) && size > 0 {
			best.weight, best.to = v.weights.SpokenName, at+size
		}
		if size := p.hyphenated(at, n.joined); size > 0 {
			best.weight, best.to = 1, at+size
		}
		var whole float64
		for _, w := range n.words {
			whole += v.rarity[w]
		}
		used := uint64(0)
		var got, peak float64
		gap, last, ordered := 0, -1, true
		for i := at; i < len(p.tokens) && gap <= 2; i++ {
			if p.meaning[i] == other || p.doer(i, at) || p.tokens[i].kind == number || p.tokens[i].kind == mark && (p.tokens[i].fold != "-" || p.tokens[i].spaced) || i > at && p.within[i] != p.within[i-1] {
				break
			}
			position, quality, size := v.matches(p, i, n, used)
			if position < 0 {
				if i == at {
					break
				}
				again := slices.ContainsFunc(p.stems[at:i], func(said string) bool { return said == p.stems[i] && p.meaning[i] == content })
				if b := p.tokens[i].border(); again || i > at && p.known[i] == asQuestion || p.meaning[i] == content && p.known[i] == asNothing || b != noBorder && b <= attributeBorder {
					break
				}
				gap++
				continue
			}
			gap = 0
			ordered = ordered && position > last
			last = position
			rare := v.rarity[n.words[position]]
			used |= 1 << position
			if size < 0 { // the whole name in one token
				got, peak = whole*quality, quality
				used = ^uint64(0)
			} else {
				got += rare * quality
				peak = max(peak, rare*quality)
			}
			w := share*got/whole + (1-share)*peak
			if n.cut {
				w *= v.weights.CutName
			}
			if !n.cut && got >= whole*v.weights.MostOfName {
				exact := v.weights.ExactName * (got / whole)
				if !ordered {
					exact *= v.weights.CutName
				}
				w = max(w, exact)
			}
			if w > best.weight || w == best.weight && i+max(size, 1) > best.to {
				best.weight, best.to = w, i+max(size, 1)
			}
			if size > 1 {
				i += size - 1
			}
		}
	}
	for _, clause := range t.clauses {
		if best.weight < v.weights.SpokenName && p.says(at, clause) {
			best.weight, best.to, best.told = v.weights.SpokenName, at+len(clause), true // "bill before tax", as the description has it
		}
	}
	if slices.Contains(t.description, p.stems[at]) {
		rare, named := v.rarity[p.stems[at]]
		if !named {
			rare = 1
		}
		if w := v.weights.Described * rare; w > best.weight {
			best.weight, best.to = w, at+1
		}
	}
	for best.to < len(p.tokens) && p.known[best.to] == asIdiom && p.meaning[best.to] == grammar {
		best.to++ // the rest of an expression that stands for a word: "take-home pay"
	}
	return best, best.weight >= v.weights.LeastMention
}

// doer reports whether a word is what a question says does something, and so no part of a name
// that starts before: the water of "how many days does the water last".
func (p *prose) doer(at, from int) bool {
	return at-2 >= from && p.tokens[at-1].is("article") && p.tokens[at-2].is("doing")
}

// hyphenated counts the tokens from one on that are words joined by hyphens which make a name:
// "mark-up". It is 0 where they do not.
func (p *prose) hyphenated(at int, joined string) int {
	text := p.tokens[at].fold
	end := at + 1
	for end+1 < len(p.tokens) && len(text) < len(joined) && p.tokens[end].fold == "-" && !p.tokens[end].spaced && !p.tokens[end+1].spaced && p.within[end+1] < 0 {
		text += p.tokens[end+1].fold
		end += 2
	}
	if end == at+1 || text != joined {
		return 0
	}
	return end - at
}

// spoken counts the tokens from one on that are the words of a name, also with hyphens between
// them: "feed-in income". It is 0 where they are not.
func (p *prose) spoken(at int, stems []string) int {
	end := at
	for i := range stems {
		if i > 0 && end+1 < len(p.tokens) && p.tokens[end].fold == "-" && !p.tokens[end].spaced && !p.tokens[end+1].spaced {
			end++
		}
		if !p.says(end, stems[i:i+1]) {
			return 0
		}
		end++
	}
	return end - at
}

// says reports whether the tokens from one on are some words, given by their stems.
func (p *prose) says(at int, stems []string) bool {
	if at+len(stems) > len(p.tokens) {
		return false
	}
	for i, w := range stems {
		t := &p.tokens[at+i]
		if t.stem != w && !(i > 0 && t.is("per word") && p.tables.wordIs(w, "per word")) || p.used[at+i] || p.within[at+i] >= 0 {
			return false
		}
	}
	return true
}

// matches finds the word of a name that a token stands for and that is not used yet: its position
// (-1 for none), how well, and how many tokens it takes; -1 tokens say that one token is the whole
// name.
func (v *Vocabulary) matches(p *prose, at int, n name, used uint64) (position int, quality float64, size int) {
	position = -1
	tok := &p.tokens[at]
	if used == 0 && len(n.words) > 1 && tok.fold == n.joined {
		return 0, 1, -1
	}
	next := p.joined[at]
	for i, w := range n.words {
		if i < 64 && used&(1<<i) != 0 {
			continue
		}
		q, s := float64(0), 1
		switch {
		case w == p.stems[at]:
			q = 1
		case next != "" && w == next:
			q, s = 1, 2
		case p.meant[at] != "" && w == p.meant[at]:
			q = v.weights.Misspelt
		case v.groups.share(w, p.stems[at]):
			q = v.weights.Synonym
		default:
			q = v.compound(p.stems[at], w)
		}
		if q == 0 && p.meant[at] != "" && v.groups.share(w, p.meant[at]) {
			q = v.weights.Synonym * v.weights.Misspelt
		}
		if q > quality {
			position, quality, size = i, q, s
		}
	}
	return position, quality, size
}
