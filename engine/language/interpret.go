package language

import (
	"slices"
	"strconv"

	"reckon/engine"
	"reckon/engine/value"
)

// Conversation is what a prompt may refer to.
type Conversation struct {
	Language      string                           // tag of the language of the prompt, "" for that of the vocabulary
	Current, Last int                              // scenario in focus and created last, 0 for none
	Focus         int                              // scenario of the domain that was last in focus, 0 for none
	Scenario      func(index int) *engine.Scenario // nil where the domain has none with that index
	Origin        func(index int) int              // the scenario that one branched from, 0 for none
	Pending       *engine.Request                  // inputs, target and selector that wait after calculation.missing_inputs, nil for none
	Examples      []string                         // prompts that the domain gives as examples
	Choices       []engine.Request                 // that the last doubt offered, nil for none
}

// selected is the scenario that a selector builds on, 0 for none.
func (c Conversation) selected(s engine.Selector) int {
	switch s.Kind {
	case engine.Unselected:
		return c.Focus
	case engine.Current:
		return c.Current
	case engine.Last:
		return c.Last
	}
	return s.Number
}

// Selectors in the grammar of prompts, beside the numbers.
const (
	newScenario = "new"
	newFrom     = "new from "
)

// fetched is the action of a request that calculates nothing.
const fetched = "fetch"

// doubted is the code of what no reading was found for.
const doubted = "language.not_understood"

// Codes of a calculation that waits for what the next prompt states.
const (
	missingInputs = "calculation.missing_inputs"
	forwardsOnly  = "calculation.forwards_only"
)

// maxTokens is how many words, numbers and marks a prompt may have. Its cost grows with their
// number, and nobody says so much to have one value calculated.
const maxTokens = 500

// Interpret reads a prompt in prose as a request. It lists only what the prompt itself states;
// changes to earlier values ("10 mph faster") become absolute ones. Where there is doubt it answers
// with an error instead: language.not_understood or language.ambiguous with the words in question,
// or scenario.not_found; behind what is not understood it says what can be asked for. The trace
// tells how it came to that.
func (v *Vocabulary) Interpret(text string, c Conversation, env value.Env) (engine.Request, *Trace, []value.Error) {
	v = v.In(c.Language)
	return v.interpret(text, v.tables.tokenize(text), c, env)
}

// once reads a prompt that states one value of each variable, on a scenario with one of each.
func (v *Vocabulary) once(text string, tokens []token, c Conversation, env value.Env) (engine.Request, *Trace, []value.Error) {
	s := &search{vocabulary: v, weights: v.weights, prose: &prose{weights: v.weights, tables: v.tables, text: text}, env: env.Metered(), plans: map[string]derivation{}}
	trace := &Trace{Prompt: text, search: s}
	if at := v.settled(tokens, c.Choices); at >= 0 {
		s.prose = v.read(text, tokens, env.Today())
		trace.Settled = at + 1
		return c.Choices[at], trace, nil
	}
	var request engine.Request
	var err *value.Error
	if n := len(tokens); n > maxTokens {
		err = notUnderstood(s.say("too long", strconv.Itoa(n), strconv.Itoa(maxTokens)))
	} else {
		s.prose = v.read(text, tokens, env.Today())
		var is bool
		if request, err, is = s.answers(tokens, c, trace); !is {
			if request, err = s.request(c, trace); err == nil {
				err = s.howMuch(&request, trace)
			}
		}
	}
	if err != nil {
		trace.Doubt, trace.Choices = err.Filled(), s.choices(request.Selector)
		errs := []value.Error{*err}
		if text := s.instead(c); text != "" && err.Code == doubted {
			errs = append(errs, *value.Problem("language.can_ask", text))
		}
		return engine.Request{}, trace, errs
	}
	return request, trace, nil
}

// request is the request that the prompt means, or the doubt about it.
func (s *search) request(c Conversation, trace *Trace) (engine.Request, *value.Error) {
	var r engine.Request
	if err := s.open(c, &r); err != nil {
		return r, err
	}
	p := s.prose
	p.followsUp = s.base != nil
	for _, refuse := range []func() *value.Error{s.uncertain, s.unreadable, s.unspoken} {
		if err := refuse(); err != nil {
			return r, err
		}
	}
	s.list = s.slots()
	if undone, is := s.undone(c); is {
		if !undone {
			return r, notUnderstood(p.fragment(p.opening.from, len(p.tokens)))
		}
		return r, nil
	}
	if len(s.list) == 0 && s.base != nil && p.opening.move != stay && !s.asks() {
		if word := s.stranger(0, len(p.tokens)); word != "" && len(p.questions) > 0 {
			return r, notUnderstood(word)
		}
		return r, nil // shown again, or calculated again in a scenario of its own
	}
	if err := s.unassigned(); err != nil {
		return r, err
	}
	found := s.noting()
	if found == nil {
		found = s.combinations()
		if len(found) > 0 && s.tellsOnly(&found[0]) {
			s.states = true
			s.dropOnes()
			found = s.combinations()
		}
	}
	trace.combinations = found
	if len(found) == 0 {
		return r, s.nothing()
	}
	best := &found[0]
	if err := s.doubt(found); err != nil {
		return r, err
	}
	err := s.complete(best, &r)
	return r, err
}

// complete gives a request what a reading states and asks for.
func (s *search) complete(c *combination, r *engine.Request) *value.Error {
	p := s.prose
	stated, errs := s.stated(c.picks)
	if len(errs) > 0 {
		return &errs[0]
	}
	r.Inputs = stated
	if s.states {
		r.Targets = noted(&s.vocabulary.domain.Scope, stated)
	}
	if c.target < 0 {
		return nil
	}
	target := engine.Target{Variable: c.target, Unit: c.unit}
	if c.target == s.kept().Variable && c.unit == nil {
		target.Unit = s.kept().Unit
	}
	r.Targets = s.allAsked(c, target)
	if len(p.questions) == 0 && p.asked == nil && c.target == s.kept().Variable && !s.named(c.target) {
		r.Targets, r.Everything = s.keptAll() // nothing else is asked for
	}
	return nil
}

// allAsked is the target of a reading with what is asked for together with it.
func (s *search) allAsked(c *combination, target engine.Target) []engine.Target {
	if c.together == nil {
		return []engine.Target{target}
	}
	var list []engine.Target
	for _, v := range c.together {
		one := engine.Target{Variable: v}
		if v == target.Variable {
			one = target
		} else if s.prose.asked != nil && s.unitFits(v, s.prose.asked) {
			one.Unit = s.prose.asked
		}
		list = append(list, one)
	}
	return list
}

// open finds the scenario that the prompt builds on.
func (s *search) open(c Conversation, r *engine.Request) *value.Error {
	o, index := &s.prose.opening, 0
	r.Selector.Kind = engine.Numbered
	switch o.move {
	case difference:
		if c.Focus == 0 {
			return notUnderstood(s.say("nothing answered", s.prose.fragment(o.from, o.to)))
		}
		fallthrough
	case stay:
		r.Selector.Kind = engine.Unselected
		s.pending, index = c.Pending, c.Focus
		if c.Pending != nil {
			index = c.selected(c.Pending.Selector)
		}
		if index > 0 {
			s.base = c.Scenario(index)
		}
		return nil
	case startNew:
		r.Selector.Kind = engine.New
		return nil
	case undo:
		if c.Focus > 0 {
			if index = c.Origin(c.Focus); index == 0 && len(s.prose.quantities) > 0 { // "scratch that, 7 kg" corrects what nothing came before
				s.base, r.Selector.Kind = c.Scenario(c.Focus), engine.Unselected
				return nil
			}
		}
	case branch:
		r.Selector.Kind = engine.NewFrom
		fallthrough
	default:
		index = c.named(o.which)
	}
	if index == 0 && (o.move == undo || c.Last == 0) {
		return notUnderstood(s.prose.fragment(o.from, o.to))
	}
	text := strconv.Itoa(index)
	r.Selector.Number, r.Selector.Text = index, text
	if index < 1 || index > c.Last {
		return value.Problem("scenario.not_found", text)
	}
	if s.base = c.Scenario(index); s.base == nil {
		return value.Problem("scenario.domain_mismatch", text)
	}
	return nil
}

// undone reports whether a prompt names what it wants undone, "undo the express", and whether the
// scenario in focus has that otherwise than the one that it goes back to.
func (s *search) undone(c Conversation) (undone, is bool) {
	p := s.prose
	if p.opening.move != undo || s.base == nil || p.opening.to >= len(p.tokens) || !p.tokens[p.opening.to].is("definite") || len(p.questions) > 0 ||
		slices.ContainsFunc(p.quantities, func(q quantity) bool { return !q.labels() }) {
		return false, false
	}
	differs := func(variable int) bool {
		now, before := valueIn(c.Scenario(c.Focus), variable), s.baseValue(variable)
		return now != nil && now.Source == engine.UserInput && (before == nil || !now.Value.Equal(before.Value))
	}
	for _, l := range s.list {
		for _, k := range l.candidates {
			undone = undone || k.variable >= 0 && differs(k.variable)
		}
	}
	for _, m := range p.mentions {
		undone = undone || m.weight >= s.weights.LeastAsking && differs(m.variable)
	}
	return undone, true
}

// named is the scenario that a phrase names, 0 for none.
func (c Conversation) named(which string) int {
	switch which {
	case lastScenario:
		return c.Last
	case currentScenario:
		return c.Current
	case previousScenario:
		if c.Focus == 0 {
			return 0
		}
		if origin := c.Origin(c.Focus); origin > 0 {
			return origin
		}
		return c.Focus - 1
	}
	index, _ := strconv.Atoi(which)
	return index
}

// asks reports whether the prompt asks for a variable, beside the phrase that names a scenario.
func (s *search) asks() bool {
	p := s.prose
	named := func(m mention) bool { return m.weight >= s.weights.LeastAsking && p.within[m.from] < 0 }
	formed := func(q question) bool { return q.want != wantAny }
	return p.asked != nil || slices.ContainsFunc(p.mentions, named) || slices.ContainsFunc(p.questions, formed)
}
