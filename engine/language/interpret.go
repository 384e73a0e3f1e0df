package language

import (
	"fmt"
	"strconv"

	"reckon/engine"
	"reckon/engine/value"
)

// Conversation is what a prompt may refer to.
type Conversation struct {
	Current, Last int                              // scenario in focus and created last, 0 for none
	Focus         int                              // scenario of the domain that was last in focus, 0 for none
	Scenario      func(index int) *engine.Scenario // nil where the domain has none with that index
	Origin        func(index int) int              // the scenario that one branched from, 0 for none
	Pending       *engine.Request                  // inputs, target and selector that wait after calculation.missing_inputs, nil for none
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

// missingInputs is the code of a calculation that waits for what the next prompt states.
const missingInputs = "calculation.missing_inputs"

// maxTokens is how many words, numbers and marks a prompt may have. Its cost grows with their
// number, and nobody says so much to have one value calculated.
const maxTokens = 500

// Interpret reads a prompt in prose as a request. It lists only what the prompt itself states;
// changes to earlier values ("10 mph faster") become absolute ones. Where there is doubt it answers
// with an error instead: language.not_understood or language.ambiguous with the words in question,
// or scenario.not_found. The trace tells how it came to that.
func (v *Vocabulary) Interpret(text string, c Conversation, env value.Env) (engine.Request, *Trace, []value.Error) {
	return v.interpret(text, tokenize(text), c, env)
}

func (v *Vocabulary) interpret(text string, tokens []token, c Conversation, env value.Env) (engine.Request, *Trace, []value.Error) {
	s := &search{vocabulary: v, weights: v.weights, prose: &prose{weights: v.weights, text: text}, env: env, plans: map[string]derivation{}}
	trace := &Trace{Prompt: text, search: s}
	if n := len(tokens); n > maxTokens {
		err := notUnderstood(fmt.Sprintf("%d words and numbers at once, more than %d", n, maxTokens))
		trace.Doubt = err.Filled()
		return engine.Request{}, trace, []value.Error{*err}
	}
	s.prose = v.read(text, tokens, env.Today())
	request, err := s.request(c, trace)
	if err != nil {
		trace.Doubt = err.Filled()
		return engine.Request{}, trace, []value.Error{*err}
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
	if err := s.unreadable(); err != nil {
		return r, err
	}
	s.list = s.slots()
	if len(s.list) == 0 && p.opening.move != stay && p.opening.move != startNew && !s.asks() {
		if r.Selector.Kind == engine.NewFrom || s.base != nil {
			if word := s.stranger(0, len(p.tokens)); word != "" && len(p.questions) > 0 {
				return r, notUnderstood(word)
			}
			return r, nil // shown again, or calculated again in a scenario of its own
		}
	}
	if err := s.unassigned(); err != nil {
		return r, err
	}
	found := s.combinations()
	trace.combinations = found
	if len(found) == 0 {
		return r, s.nothing()
	}
	best := &found[0]
	if err := s.doubt(found); err != nil {
		return r, err
	}
	stated, errs := s.stated(best.picks)
	if len(errs) > 0 {
		return r, &errs[0]
	}
	r.Inputs = stated
	if best.target >= 0 {
		r.Target = &engine.Target{Variable: best.target, Unit: best.unit}
		if best.target == s.kept().Variable && best.unit == nil {
			r.Target.Unit = s.kept().Unit
		}
	}
	return r, nil
}

// open finds the scenario that the prompt builds on.
func (s *search) open(c Conversation, r *engine.Request) *value.Error {
	o := &s.prose.opening
	pick := func(kind engine.SelectorKind, index int) *value.Error {
		r.Selector = engine.Selector{Kind: kind, Number: index, Text: strconv.Itoa(index)}
		if index < 1 || index > c.Last {
			return value.Problem("scenario.not_found", strconv.Itoa(index))
		}
		if s.base = c.Scenario(index); s.base == nil {
			return value.Problem("scenario.domain_mismatch", strconv.Itoa(index))
		}
		return nil
	}
	switch o.move {
	case goTo, branch:
		index := 0
		switch o.which {
		case lastScenario:
			index = c.Last
		case currentScenario:
			index = c.Current
		case previousScenario:
			if c.Focus > 0 {
				if index = c.Origin(c.Focus); index == 0 {
					index = c.Focus - 1
				}
			}
		default:
			index, _ = strconv.Atoi(o.which)
		}
		if index == 0 && c.Last == 0 {
			return notUnderstood(s.prose.fragment(o.from, o.to))
		}
		kind := engine.Numbered
		if o.move == branch {
			kind = engine.NewFrom
		}
		return pick(kind, index)
	case undo:
		index := 0
		if c.Focus > 0 {
			index = c.Origin(c.Focus)
		}
		if index == 0 {
			return notUnderstood(s.prose.fragment(o.from, o.to))
		}
		return pick(engine.Numbered, index)
	case startNew:
		r.Selector.Kind = engine.New
		return nil
	}
	s.pending = c.Pending
	index := c.Focus
	if c.Pending != nil {
		index = c.selected(c.Pending.Selector)
	}
	if index > 0 {
		s.base = c.Scenario(index)
	}
	return nil
}

// asks reports whether the prompt asks for a variable, beside the phrase that names a scenario.
func (s *search) asks() bool {
	p := s.prose
	if p.asked != nil {
		return true
	}
	for _, m := range p.mentions {
		if m.weight >= s.weights.LeastAsking && p.within[m.from] < 0 {
			return true
		}
	}
	for _, q := range p.questions {
		if q.want != wantAny {
			return true
		}
	}
	return false
}
