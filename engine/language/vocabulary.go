package language

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"reckon/engine"
	"reckon/engine/format"
	"reckon/engine/units"
)

// Vocabulary is what the prose about a domain can be made of: the words of its variables, their
// dimensions, and its equations. It is immutable and safe for concurrent use.
type Vocabulary struct {
	weights  *weights
	tables   *tables // of the language that prompts are in
	home     *tables // of the language of the domain, where prompts are in another one; else nil
	domain   *engine.Domain
	currency string // the only currency that the domain's units and defaults name, "" for none or several
	terms    []term // by variable
	rarity   map[string]float64
	known    map[string]bool // stems of all words that the domain uses anywhere
	words    []string        // known words of four letters and more, for slips of spelling
	groups   synonymTable
	shares   bool // some variable is told in percent
	labels   []label
	rare     map[string]string // by stem: the only label that has the word, "" for several
	unspoken [][]string        // the stems of the names of hidden variables that have a word of their own
}

// The kinds of variables.
const (
	numberKind   = "number"
	percentKind  = "percent"
	durationKind = "duration"
	dateKind     = "date"
	datetimeKind = "datetime"
	timeKind     = "time"
)

// term is a variable as people speak of it.
type term struct {
	names       []name
	description []string   // stems
	clauses     [][]string // the stems of all words of each clause of the description that has two and more
	dimension   units.Dimension
	dimensional bool // the dimension is known
	kind        string
	unit        *units.Unit // that a bare number takes, nil for none
	fallback    bool        // it has a default
	derived     bool        // some active activity yields it
	table       bool
	hidden      bool               // prose does not speak of it
	output      bool               // an equation says what it is: it stands alone on the left
	final       bool               // an output that nothing else is made of
	priced      bool               // it is money for one of something: its name or its unit says so
	counts      bool               // it is a number of things: its name says so
	start, end  bool               // it has a counterpart of its kind at the other end: "Initial speed" and "Final speed"
	period      *units.Unit        // of time, that its unit is measured by and its name says: "Daily burn" in kcal/day; nil for none
	perTime     bool               // its name says that it is measured by a unit of time: "Drops a minute"
	each        map[string]float64 // by stem, how surely it is told for one of a thing: "Price of a ball"
	counted     *units.Unit        // of time, of a number or a length of time whose name ends in it: "Number of months"; nil for none
}

// name is the key, the title or an alias of a variable.
type name struct {
	words  []string // stems
	joined string   // the words as one
	cut    bool     // words of grammar were left out
	spoken []string // stems of all words, those of grammar too
}

// New compiles the vocabulary of a domain.
func New(d *engine.Domain) *Vocabulary { return newVocabulary(d, committed()) }

func newVocabulary(d *engine.Domain, w *weights) *Vocabulary {
	t := tablesOf(d.Language)
	v := &Vocabulary{weights: w, tables: t, domain: d, rarity: map[string]float64{}, known: map[string]bool{}, groups: t.groups}
	uses := map[string]int{} // by stem, how many variables are named with it
	var currencies []string
	for i := range d.Variables {
		t := v.tables.newTerm(d, i)
		currencies = append(currencies, t.dimension.Currencies()...)
		for w := range t.stems() {
			uses[w]++
		}
		v.terms = append(v.terms, t)
		v.shares = v.shares || t.kind == percentKind
	}
	v.findEnds()
	v.findOutputs()
	v.learn()
	count := float64(len(v.terms) + 1)
	for word, n := range uses {
		v.rarity[word] = max(w.LeastRarity, math.Log(count/float64(n))/math.Log(count))
		switch {
		case t.wordIs(word, "telling"):
			v.rarity[word] *= w.TellingRarity
		case t.wordIs(word, "plain"):
			v.rarity[word] *= w.PlainRarity
		}
	}
	v.findLabels()
	v.findUnspoken()
	slices.Sort(currencies)
	if currencies = slices.Compact(currencies); len(currencies) == 1 {
		v.currency = currencies[0]
	}
	return v
}

// In is the vocabulary for prompts in a language, by its tag; "" leaves it as it is. Numbers,
// units, questions and changes are those of that language then, and names those of the domain.
func (v *Vocabulary) In(tag string) *Vocabulary {
	other, home := tablesOf(tag), tablesOf(v.domain.Language)
	if tag == "" || other == v.tables {
		return v
	}
	in := *v
	in.tables, in.home = other, home
	if other == home {
		in.home = nil
	}
	return &in
}

// stem is that of a word of a prompt: of one that the domain uses the one that it has there.
func (v *Vocabulary) stem(word string) string {
	if v.home != nil {
		if s := v.home.stem(word); v.known[s] {
			return s
		}
	}
	return v.tables.stem(word)
}

// findUnspoken lists the names of what is hidden, as far as nothing else is called so.
func (v *Vocabulary) findUnspoken() {
	labelled := map[string]bool{}
	for _, l := range v.labels {
		for _, w := range l.words {
			labelled[w] = true
		}
	}
	for i, def := range v.domain.Variables {
		if !v.terms[i].hidden {
			continue
		}
		for _, text := range append([]string{def.Key, def.Title}, def.Aliases...) {
			if words := v.tables.newName(text).words; slices.ContainsFunc(words, func(w string) bool { return v.rarity[w] == 0 && !labelled[w] }) {
				v.unspoken = append(v.unspoken, words)
			}
		}
	}
}

// newTerm is what a variable says of itself.
func (of *tables) newTerm(d *engine.Domain, variable int) term {
	def := d.Variables[variable]
	t := term{kind: format.ScalarKind(def.Kind), unit: d.BareUnit(variable), fallback: !def.Default.IsEmpty(), table: format.IsTableKind(def.Kind), hidden: def.Hidden}
	t.dimension, t.dimensional = d.Dimension(variable)
	switch {
	case t.kind == percentKind:
		t.dimensional, t.dimension = true, units.None
	case format.IsTime(t.kind):
		t.dimensional, t.dimension = true, units.Time
	}
	if t.hidden {
		return t
	}
	plain := t.dimensional && t.dimension.IsNone() && t.kind != percentKind
	for _, text := range append([]string{def.Key, def.Title}, def.Aliases...) {
		n := of.newName(text)
		if len(n.words) > 0 && !slices.ContainsFunc(t.names, func(o name) bool { return o.joined == n.joined }) {
			t.names = append(t.names, n)
		}
		if t.counted == nil && (t.dimensional && t.dimension == units.Time || plain && (t.unit == nil || t.unit.IsOne())) {
			t.counted = of.countedTime(text, d.Units())
		}
	}
	t.period = of.namedPeriod(&t, d.Units())
	mine, money := t.stems(), len(t.dimension.Currencies()) > 0
	t.priced = money && !t.money()
	for w := range mine {
		does := of.stemRoles[w]
		t.priced = t.priced || money && slices.Contains(does, "priced")
		t.counts = t.counts || plain && slices.Contains(does, "counts")
	}
	for _, w := range splitWords(def.Description) {
		if s := of.stem(w); !of.said(w) && !mine[s] {
			t.description = append(t.description, s)
		}
	}
	t.each = of.eachOf(&def, t.dimensional && !t.dimension.IsNone())
	for thing, surely := range t.each {
		unit, n := of.scanUnit(of.tokenize(thing), 0, d.Units())
		t.perTime = t.perTime || surely == 1 && n == 1 && unit.Dimension() == units.Time
	}
	for _, clause := range strings.FieldsFunc(def.Description, unicode.IsPunct) {
		if list := splitWords(clause); len(list) > 1 && slices.ContainsFunc(list, func(w string) bool { return !of.said(w) }) {
			for i := range list {
				list[i] = of.stem(list[i])
			}
			t.clauses = append(t.clauses, list)
		}
	}
	return t
}

// stems are those of all names of a variable.
func (t *term) stems() map[string]bool {
	stems := map[string]bool{}
	for _, n := range t.names {
		for _, w := range n.words {
			stems[w] = true
		}
	}
	return stems
}

// findOutputs finds the variables that equations yield: all, those that stand alone on the left,
// and those that nothing else is made of.
func (v *Vocabulary) findOutputs() {
	d := v.domain
	used := make([]bool, len(v.terms))
	for a, activity := range d.Activities {
		if activity.Disabled {
			continue
		}
		output := d.Output(a)
		if output >= 0 {
			v.terms[output].output = true
		}
		for _, i := range d.References(a) {
			used[i] = used[i] || i != output
			v.terms[i].derived = v.terms[i].derived || d.Calculable(a, i)
		}
	}
	for i := range v.terms {
		v.terms[i].final = v.terms[i].output && !used[i]
	}
}

// learn takes all words of the domain among the known ones.
func (v *Vocabulary) learn() {
	d := v.domain
	texts := []string{d.Title, d.Description}
	for _, def := range d.Variables {
		if def.Hidden {
			continue
		}
		texts = append(append(texts, def.Key, def.Title, def.Description), slices.Concat(def.Aliases, def.ChoiceNames())...)
	}
	for _, a := range d.Activities {
		if !a.Disabled {
			texts = append(texts, a.Title, a.Description)
		}
	}
	for _, text := range texts {
		for _, w := range splitWords(text) {
			v.known[v.tables.stem(w)] = true
			if len(w) > 3 {
				v.words = append(v.words, w)
			}
		}
	}
	slices.Sort(v.words)
	v.words = slices.Compact(v.words)
}

func (t *tables) newName(text string) name {
	var n name
	for _, w := range splitWords(text) {
		n.spoken = append(n.spoken, t.stem(w))
		n.joined += w
		if !t.wordIs(w, "grammar") || t.wordIs(w, "telling") {
			n.words = append(n.words, t.stem(w))
		} else {
			n.cut = true
		}
	}
	return n
}

// wordIs reports whether a word of a name does what a role says.
func (t *tables) wordIs(w, r string) bool {
	return t.lexicon[w].is(r)
}

// said reports whether a word says little or nothing of its own.
func (t *tables) said(w string) bool { return t.wordIs(w, "grammar") || t.wordIs(w, "plain") }

// splitWords cuts a text into lower-case words: at all but letters, digits and apostrophes, and
// where a key turns from lower to upper case.
func splitWords(text string) []string {
	var b strings.Builder
	last := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(last) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteByte(' ')
		}
		last = r
	}
	return strings.Fields(b.String())
}

// synonymTable maps a stem to the groups of words that it is in. Words of a group are used for one
// another when people speak of quantities; one that stands in for another counts less than the word
// itself.
type synonymTable map[string][]int

// share reports whether two stems stand in one group.
func (t synonymTable) share(a, b string) bool {
	return slices.ContainsFunc(t[a], func(group int) bool { return slices.Contains(t[b], group) })
}

// mention is a stretch of the prompt that speaks of a variable.
type mention struct {
	variable int
	from, to int     // tokens
	weight   float64 // 0 to 1: how surely
	told     bool    // the description has the words, not the name
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
			if longer.variable != m.variable && (within || across) && longer.weight >= v.weights.LeastLonger {
				m.weight *= v.weights.WithinLonger // "fuel" within "fuel cost", "cost of the way" behind "fuel"
				break
			}
		}
	}
	return found
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
		if n.cut && (len(n.words) > 1 || p.meaning[at] == grammar) && p.says(at, n.spoken) {
			best.weight, best.to = v.weights.SpokenName, at+len(n.spoken)
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
			if p.meaning[i] == other || p.doer(i, at) || p.tokens[i].kind == number || p.tokens[i].kind == mark && p.tokens[i].fold != "-" || i > at && p.within[i] != p.within[i-1] {
				break
			}
			position, quality, size := v.matches(p, i, n, used)
			if position < 0 {
				if i == at {
					break
				}
				again := slices.ContainsFunc(p.stems[at:i], func(said string) bool { return said == p.stems[i] && p.meaning[i] == content })
				if b := p.tokens[i].border(); again || p.meaning[i] == content && p.known[i] == asNothing || b != noBorder && b <= attributeBorder {
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
