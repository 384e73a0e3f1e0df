package language

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/units"
	"reckon/engine/value"
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
	v.findPlain()
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
	case !t.dimensional && t.kind == numberKind && writtenPlain(&def):
		t.dimensional, t.dimension = true, units.None
	}
	if t.hidden {
		return t
	}
	plain := t.dimensional && t.dimension.IsNone() && t.kind != percentKind
	for _, text := range append([]string{def.Key, def.Title}, def.Aliases...) {
		n := of.newName(text)
		switch i := slices.IndexFunc(t.names, func(o name) bool { return o.joined == n.joined }); {
		case len(n.words) == 0:
		case i < 0:
			t.names = append(t.names, n)
		case len(strings.Fields(text)) > len(t.names[i].spoken): // the title "Work rate" of the key workrate
			t.names[i] = n
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

// writtenPlain reports whether the default or a bound of a variable is a number without a unit, so
// that it counts something although no equation tells.
func writtenPlain(def *value.Variable) bool {
	return slices.ContainsFunc([]string{def.Default.Scalar(), def.Min, def.Max}, func(text string) bool {
		_, err := decimal.Parse(text)
		return err == nil
	})
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

// findPlain finds what equations yield of plain numbers alone, so that it is one although its own
// declaration does not tell: "bags = trestles * bags per trestle".
func (v *Vocabulary) findPlain() {
	d := v.domain
	for range v.terms { // as many as may follow from each other
		found := false
		for a, activity := range d.Activities {
			output := d.Output(a)
			if activity.Disabled || output < 0 || v.terms[output].dimensional || v.terms[output].kind != numberKind {
				continue
			}
			if !slices.ContainsFunc(d.References(a), func(i int) bool {
				return i != output && !(v.terms[i].dimensional && v.terms[i].dimension.IsNone())
			}) {
				v.terms[output].dimensional, v.terms[output].dimension, found = true, units.None, true
			}
		}
		if !found {
			return
		}
	}
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
