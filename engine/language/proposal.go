package language

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/units"
	"reckon/engine/value"
)

// Proposal is what somebody else, such as a language model, makes of a prompt: which words of it
// mean what. It is believed in nothing that the words do not say themselves.
type Proposal struct {
	Inputs        []ProposedInput `json:"inputs"`
	Target        string          `json:"target"`       // key of the variable asked for, "" where the prompt asks for none
	TargetWords   string          `json:"target_words"` // the words that ask for it
	Unit          string          `json:"unit"`         // the words that name the unit of the answer, "" for none
	Scenario      string          `json:"scenario"`     // selector in the grammar of prompts, "" where the prompt names none
	ScenarioWords string          `json:"scenario_words"`
	Doubt         string          `json:"doubt"` // why the prompt cannot be read, "" where it can
}

// ProposedInput is a value that a prompt gives, or a change that it makes to an earlier one.
type ProposedInput struct {
	Variable string `json:"variable"` // key
	Words    string `json:"words"`    // the words that state the amount, as the prompt has them
	Change   string `json:"change"`   // one of ProposedChanges
	Value    string `json:"value"`    // the amount in the grammar of structured text: a value, a difference or a factor
}

// ProposedChanges are what a proposed input may do to its variable. "set" gives a value, the others
// make one of the earlier one.
var ProposedChanges = []string{setChange, increaseChange, decreaseChange, multiplyChange}

const (
	setChange      = "set"
	increaseChange = "increase"
	decreaseChange = "decrease"
	multiplyChange = "multiply"
)

// Check reads a proposal as a request. The words that it quotes must stand in the prompt, and are
// read again: a value is the one that the words state, and a change is calculated from the scenario
// that the prompt builds on. Every amount of the prompt must be used once. What is wrong with the
// proposal comes back as complaints, sentences for whoever proposed it; the request counts only
// where there are none. Of a proposal that doubts the doubt is the complaint.
func (v *Vocabulary) Check(text string, p Proposal, c Conversation, env value.Env) (engine.Request, []string) {
	if p.Doubt != "" {
		return engine.Request{}, []string{"It is in doubt: " + clip(p.Doubt)}
	}
	v = v.In(c.Language)
	tokens := v.tables.tokenize(text)
	if n := len(tokens); n > maxTokens {
		return engine.Request{}, []string{fmt.Sprintf("The prompt has %d words and numbers, more than %d.", n, maxTokens)}
	}
	e := examination{
		search:   &search{vocabulary: v, weights: v.weights, prose: v.read(text, tokens, env.Today()), env: env, plans: map[string]derivation{}},
		proposal: &p,
	}
	var r engine.Request
	e.scenario(c, &r.Selector)
	e.prose.followsUp = e.base != nil
	e.list = e.slots()
	e.given = make([]int, len(e.list))
	e.texts = make([]string, len(e.list))
	for i := range e.given {
		e.given[i] = -1
	}
	if err := e.unreadable(); err != nil {
		e.complain("%s", err.Filled())
	}
	if len(p.Inputs) > maxSlots || len(e.list) > maxSlots {
		e.complain("There are too many amounts in one prompt.")
	} else {
		for i := range p.Inputs {
			e.input(&p.Inputs[i])
		}
	}
	if t := e.target(); t != nil {
		r.Targets = []engine.Target{*t}
	}
	e.coverage(r.Selector)
	for i, variable := range e.given {
		if variable < 0 || e.texts[i] == "" {
			continue
		}
		in, errs := v.given(variable, e.texts[i], env)
		if len(errs) > 0 {
			e.complain("%s", errs[0].Filled())
			continue
		}
		r.Inputs = append(r.Inputs, in)
	}
	if len(e.complaints) == 0 && len(r.Inputs) == 0 && !r.Asks() && r.Selector.Kind == engine.Unselected {
		e.complain("Nothing is given and nothing is asked.")
	}
	if len(e.complaints) > 0 {
		return engine.Request{}, e.complaints
	}
	return r, nil
}

// examination is a proposal being checked.
type examination struct {
	*search
	proposal   *Proposal
	phrase     stretch  // the scenario words
	given      []int    // by slot: the variable that takes it, -1 for none
	texts      []string // by slot: the value, in the grammar of structured text
	complaints []string
}

// stretch is tokens[from:to] of the prompt.
type stretch struct{ from, to int }

func (s stretch) holds(from, to int) bool { return s.from <= from && to <= s.to }

func (s stretch) meets(from, to int) bool { return s.from < to && from < s.to }

func (e *examination) complain(format string, args ...any) {
	e.complaints = append(e.complaints, fmt.Sprintf(format, args...))
}

const clipped = 80

// clip is the beginning of a text that somebody else wrote.
func clip(text string) string {
	if runes := []rune(text); len(runes) > clipped {
		return string(runes[:clipped]) + "…"
	}
	return text
}

// find lists the places where words stand in the prompt. Case, spaces and the typography of signs
// do not matter.
func (e *examination) find(words string) []stretch {
	wanted := e.vocabulary.tables.tokenize(words)
	var list []stretch
	for at := 0; len(wanted) > 0 && at+len(wanted) <= len(e.prose.tokens); at++ {
		if slices.EqualFunc(wanted, e.prose.tokens[at:at+len(wanted)], func(a, b token) bool { return a.fold == b.fold }) {
			list = append(list, stretch{at, at + len(wanted)})
		}
	}
	return list
}

// says reports whether a stretch has a word that says something, amounts aside.
func (e *examination) says(at stretch) bool {
	p := e.prose
	for i := at.from; i < at.to; i++ {
		if p.within[i] < 0 && (p.tokens[i].kind == word || p.tokens[i].kind == sign) && p.meaning[i] != grammar && p.meaning[i] != border {
			return true
		}
	}
	return false
}

// belies is the variable that the words of a stretch name in full while they do not name the
// proposed one, -1 for none.
func (e *examination) belies(at stretch, variable int) int {
	named := -1
	for i := range e.prose.mentions {
		m := &e.prose.mentions[i]
		if m.weight < e.weights.ExactName || !at.holds(m.from, m.to) || e.prose.within[m.from] >= 0 {
			continue
		}
		if m.variable == variable {
			return -1
		}
		named = m.variable
	}
	return named
}

// scenario reads the selector and finds the scenario that the prompt builds on. Where the phrases
// of the language tell it, the proposal must say the same.
func (e *examination) scenario(c Conversation, to *engine.Selector) {
	p, o := e.proposal, &e.prose.opening
	var ruled engine.Request
	err := e.open(c, &ruled)
	told := o.move != stay
	if p.Scenario == "" {
		if told {
			e.complain(`The words "%s" name a scenario, but the proposal names none.`, e.prose.fragment(o.from, o.to))
		}
		return
	}
	selector, ok := e.selector(c)
	if !ok {
		return
	}
	if told && (err != nil || ruled.Selector.Kind != selector.Kind || ruled.Selector.Number != selector.Number) {
		e.complain(`The words "%s" do not name the scenario "%s".`, e.prose.fragment(o.from, o.to), clip(p.Scenario))
		return
	}
	*to = selector
	e.pending, e.base = nil, nil
	if selector.Number > 0 {
		e.base = c.Scenario(selector.Number)
	}
	places := e.find(p.ScenarioWords)
	if len(places) == 0 {
		if !told {
			e.complain(`The scenario words "%s" do not stand in the prompt.`, clip(p.ScenarioWords))
		}
		return
	}
	e.phrase = places[0]
	if !told && !e.says(e.phrase) {
		e.complain(`The words "%s" name no scenario.`, clip(p.ScenarioWords))
	}
	numbers, fits := 0, selector.Number == 0
	for i := e.phrase.from; i < e.phrase.to; i++ {
		_, name := element{which: true}.match(e.prose.tokens, make([]bool, len(e.prose.tokens)), i)
		if number, err := strconv.Atoi(name); err == nil {
			numbers++
			fits = fits || number == selector.Number
		}
		fits = fits || name == lastScenario && selector.Number == c.Last
	}
	if numbers > 0 && !fits {
		e.complain(`The words "%s" do not name the scenario %d.`, clip(p.ScenarioWords), selector.Number)
	}
}

// selector is the proposed one with the scenario that it means. It complains where there is no such
// scenario.
func (e *examination) selector(c Conversation) (engine.Selector, bool) {
	text := e.proposal.Scenario
	s := engine.Selector{Kind: engine.Numbered, Text: clip(text)}
	switch number, from := strings.CutPrefix(text, newFrom); {
	case text == newScenario:
		s.Kind = engine.New
		return s, true
	case text == currentScenario:
		s.Number = c.Current
	case text == lastScenario:
		s.Number = c.Last
	default:
		if from {
			s.Kind = engine.NewFrom
		}
		s.Number, _ = strconv.Atoi(number)
	}
	if s.Number < 1 || s.Number > c.Last || c.Scenario(s.Number) == nil {
		e.complain(`There is no scenario "%s".`, clip(text))
		return s, false
	}
	return s, true
}

// input finds the amount that a proposed input means, and gives it to the variable.
func (e *examination) input(in *ProposedInput) {
	variable := e.vocabulary.domain.Index(in.Variable)
	switch {
	case variable < 0 || e.vocabulary.terms[variable].hidden:
		e.complain(`There is no variable "%s".`, clip(in.Variable))
		return
	case e.vocabulary.terms[variable].table:
		e.complain("%s takes a table, which prose cannot give.", in.Variable)
		return
	case slices.Contains(e.given, variable):
		e.complain("%s is given more than once.", in.Variable)
		return
	}
	i, at := e.slot(in.Words)
	if i < 0 {
		return
	}
	e.given[i] = variable
	if other := e.belies(at, variable); other >= 0 {
		e.complain(`The words "%s" name %s, not %s.`, clip(in.Words), e.vocabulary.domain.Variables[other].Key, in.Variable)
		return
	}
	switch in.Change {
	case setChange:
		e.texts[i] = e.stated(&e.list[i], variable, in, at)
	case increaseChange, decreaseChange, multiplyChange:
		e.texts[i] = e.changed(&e.list[i], variable, in, at)
	default:
		e.complain(`"%s" is no change: it is one of %s.`, clip(in.Change), strings.Join(ProposedChanges, ", "))
	}
}

// slot is the one amount of quoted words that nothing has taken yet, and where they stand; -1 after
// a complaint.
func (e *examination) slot(words string) (int, stretch) {
	places := e.find(words)
	if len(places) == 0 {
		e.complain(`The words "%s" do not stand in the prompt.`, clip(words))
		return -1, stretch{}
	}
	complaint := ""
	for _, at := range places {
		firm, weak, cut, taken := []int{}, []int{}, "", false
		for i := range e.list {
			l := &e.list[i]
			switch {
			case !at.meets(l.from, l.to) || l.dropped || e.phrase.holds(l.from, l.to):
			case !at.holds(l.from, l.to):
				cut = e.prose.fragment(l.from, l.to)
			case e.given[i] >= 0:
				taken = true
			case l.quantity >= 0 && e.prose.quantities[l.quantity].weak:
				weak = append(weak, i)
			default:
				firm = append(firm, i)
			}
		}
		if len(firm) == 0 {
			firm = weak
		}
		switch {
		case cut != "":
			complaint = fmt.Sprintf(`The words "%s" are not the whole amount "%s".`, clip(words), cut)
		case len(firm) == 1:
			return firm[0], at
		case taken:
			complaint = fmt.Sprintf(`The amount of "%s" is used more than once.`, clip(words))
		case len(firm) == 0:
			complaint = fmt.Sprintf(`The words "%s" state no amount that is meant.`, clip(words))
		default:
			complaint = fmt.Sprintf(`The words "%s" state several amounts: quote one.`, clip(words))
		}
	}
	e.complain("%s", complaint)
	return -1, stretch{}
}

// stated is the value that an amount states for a variable, where it is the proposed one; "" after
// a complaint.
func (e *examination) stated(l *slot, variable int, in *ProposedInput, at stretch) string {
	if l.quantity < 0 || l.change != nil && l.change.sure && e.base != nil {
		e.complain(`The words "%s" change an earlier value, they do not set one.`, clip(in.Words))
		return ""
	}
	q := &e.prose.quantities[l.quantity]
	if e.countsElse(q, variable, at) {
		e.complain(`The words "%s" count something, they state no %s.`, clip(in.Words), in.Variable)
		return ""
	}
	could := ""
	for i := range q.readings {
		text, _, ok := e.compatible(variable, q, &q.readings[i])
		if !ok {
			continue
		}
		if e.agrees(variable, q, text, in.Value) {
			return text
		}
		could = text
	}
	if could == "" {
		e.complain(`The words "%s" cannot be a value of %s.`, clip(in.Words), in.Variable)
	} else {
		e.complain(`The words "%s" state %s, not "%s".`, clip(in.Words), could, clip(in.Value))
	}
	return ""
}

// countsElse reports whether a number without a unit counts what stands behind it, as "one trip"
// and "3 kids" do, and so is no value of a variable that has a unit: that unit would be made up.
// Words that name the variable say otherwise.
func (e *examination) countsElse(q *quantity, variable int, at stretch) bool {
	bare := len(q.readings) > 0 && q.readings[0].kind == kindNumber
	if !bare || e.vocabulary.domain.Variables[variable].Unit == "" || !q.weak && !e.foreignNoun(q.to) {
		return false
	}
	return !slices.ContainsFunc(e.prose.mentions, func(m mention) bool { return m.variable == variable && at.holds(m.from, m.to) })
}

// agrees reports whether a proposed value of a variable is the one that its words state.
func (e *examination) agrees(variable int, q *quantity, text, proposed string) bool {
	texts := []string{proposed}
	for _, r := range e.readings(proposed) {
		if also, _, ok := e.compatible(variable, q, &r); ok {
			texts = append(texts, also)
		}
	}
	want, errs := e.vocabulary.given(variable, text, e.env)
	return len(errs) == 0 && slices.ContainsFunc(texts, func(text string) bool {
		got, errs := e.vocabulary.given(variable, text, e.env)
		return len(errs) == 0 && got.Value.Equal(want.Value)
	})
}

// readings are those of a text that is one amount and nothing else.
func (e *examination) readings(text string) []reading {
	tokens := e.vocabulary.tables.tokenize(text)
	list := e.vocabulary.tables.scan(tokens, e.vocabulary.domain.Units(), e.vocabulary.currency, e.env.Today())
	if len(list) != 1 || list[0].from != 0 || list[0].to != len(tokens) {
		return nil
	}
	return list[0].readings
}

// changed is the value that a change makes of the earlier one, where the words tell the proposed
// change; "" after a complaint.
func (e *examination) changed(l *slot, variable int, in *ProposedInput, at stretch) string {
	earlier := e.baseValue(variable)
	if earlier == nil || earlier.Value.Rank != 0 {
		e.complain("%s has no earlier value that could be changed.", in.Variable)
		return ""
	}
	told := *l
	if l.change == nil && in.Change != multiplyChange && e.says(at) {
		sign := 1
		if in.Change == decreaseChange {
			sign = -1
		}
		told.change = &change{quantity: l.quantity, from: at.from, to: at.to, sign: sign}
	}
	if told.change == nil || !e.tells(told.change, in) {
		e.complain(`The words "%s" do not say to %s by "%s".`, clip(in.Words), in.Change, clip(in.Value))
		return ""
	}
	text := e.changedText(&told, variable, earlier)
	if text == "" {
		e.complain(`The words "%s" cannot change %s.`, clip(in.Words), in.Variable)
	}
	return text
}

// tells reports whether a change that the words make is the proposed one: its direction and its
// amount.
func (e *examination) tells(c *change, in *ProposedInput) bool {
	proposed := e.readings(in.Value)
	if c.sign == 0 {
		return in.Change == multiplyChange && slices.ContainsFunc(proposed, func(r reading) bool {
			number := r.number
			if r.kind == kindPercent {
				number = decimal.NewContext(1000).Quo(number, decimal.Int(100))
			} else if r.kind != kindNumber {
				return false
			}
			return number.Cmp(c.factor) == 0
		})
	}
	if c.quantity < 0 {
		return false
	}
	for _, r := range e.prose.quantities[c.quantity].readings {
		sign := c.sign
		if c.hint == wantSpeed && r.unit != nil && r.unit.Dimension() == units.Time {
			sign = -sign // five minutes faster are five minutes less
		}
		if in.Change != map[int]string{1: increaseChange, -1: decreaseChange}[sign] {
			continue
		}
		for _, p := range proposed {
			if p.kind == r.kind && p.number.Cmp(r.number) == 0 && sameUnit(p.unit, r.unit) {
				return true
			}
		}
	}
	return false
}

// coverage complains about amounts of the prompt that nothing uses.
func (e *examination) coverage(selector engine.Selector) {
	for i := range e.list {
		l := &e.list[i]
		if e.given[i] >= 0 || l.dropped {
			continue
		}
		if l.quantity >= 0 {
			q := &e.prose.quantities[l.quantity]
			names := slices.ContainsFunc(q.readings, func(r reading) bool {
				return r.kind == kindNumber && r.number.Cmp(decimal.Int(int64(selector.Number))) == 0
			})
			switch {
			case q.weak, e.rate[l.quantity], q.rng || len(q.readings) == 0: // refused already, or need not be used
				continue
			case selector.Number > 0 && names && e.phrase.holds(l.from, l.to):
				continue
			}
		}
		e.complain(`The amount "%s" is not used.`, e.prose.fragment(l.from, l.to))
	}
}
