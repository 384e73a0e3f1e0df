package language

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"reckon/engine"
	"reckon/engine/value"
)

// reply is what a whole prompt says to the answers before it, by its name in the table of replies.
type reply string

const (
	noReply      reply = ""
	replyWhy     reply = "why"     // how the answer came about
	replyCompare reply = "compare" // what differs from another scenario
	replyHelp    reply = "help"    // what can be asked
	replyThanks  reply = "thanks"  // nothing that is to be calculated
)

// nothingAsked is the code of what is said to a prompt that asks for nothing.
const nothingAsked = "language.nothing_asked"

// Replied is what is said to a prompt that asked for nothing, as a sentence; ok is false of errors
// of a prompt that did.
func Replied(errs []value.Error) (sentence string, ok bool) {
	if len(errs) != 1 || errs[0].Code != nothingAsked || len(errs[0].Args) == 0 {
		return "", false
	}
	first, size := utf8.DecodeRuneInString(errs[0].Args[0])
	return string(unicode.ToUpper(first)) + errs[0].Args[0][size:] + ".", true
}

// reply is what a prompt says that is one from its first word to its last, and the scenario that it
// names, "" for none.
func (t *tables) reply(tokens []token) (says reply, which string) {
	var words []token
	for _, token := range tokens {
		if token.kind != mark {
			words = append(words, token)
		}
	}
	for from := 0; from == 0 || from < len(words) && words[from-1].is("plain"); from++ { // "hm, why?"
		for _, r := range t.patterns("replies") {
			if n, which := r.pattern.match(words, nil, from); n > 0 && from+n == len(words) {
				return reply(r.row[1]), which
			}
		}
	}
	return noReply, ""
}

// answers reads a prompt that asks for no calculation: a reply to the answers before it, a new
// beginning without a question, or that what waits is to be dropped. It reports whether it is one.
func (s *search) answers(tokens []token, c Conversation, trace *Trace) (r engine.Request, err *value.Error, is bool) {
	t, p := s.vocabulary.tables, s.prose
	shown := engine.Request{Selector: engine.Selector{Kind: engine.Numbered, Number: c.Focus, Text: strconv.Itoa(c.Focus)}}
	says, which := t.reply(tokens)
	if c.Focus == 0 && (says == replyWhy || says == replyCompare) {
		return r, notUnderstood(t.say("nothing answered", p.fragment(0, len(p.tokens)))), true
	}
	switch says {
	case replyWhy:
		trace.Why = true
		return shown, nil, true
	case replyCompare:
		if which == "" {
			which = previousScenario // "compare the two"
		}
		trace.Compare = c.named(which)
		switch name := strconv.Itoa(trace.Compare); {
		case trace.Compare == c.Focus || trace.Compare == 0:
			return r, notUnderstood(t.say("same scenario", p.fragment(0, len(p.tokens)), strconv.Itoa(c.Focus))), true
		case trace.Compare > c.Last:
			return r, value.Problem("scenario.not_found", name), true
		case c.Scenario(trace.Compare) == nil:
			return r, value.Problem("scenario.domain_mismatch", name), true
		}
		return shown, nil, true
	case replyHelp:
		return r, value.Problem("language.can_ask", s.canAsk(c)), true
	case replyThanks:
		return r, value.Problem(nothingAsked, t.say("welcome")), true
	}
	if trace.Compare = s.comparedChoice(c); trace.Compare > 0 {
		return shown, nil, true
	}
	if !p.opensOnly() {
		return r, nil, false
	}
	switch {
	case p.opening.move == startNew:
		trace.Pending = &engine.Request{Selector: engine.Selector{Kind: engine.New}}
		return r, value.Problem(nothingAsked, t.say("begun anew")), true
	case p.opening.move == undo && (c.Pending != nil || len(c.Choices) > 0) && c.Focus > 0:
		return shown, nil, true
	case p.opening.move == undo && (c.Pending != nil || len(c.Choices) > 0):
		trace.Pending = &engine.Request{}
		return r, value.Problem(nothingAsked, t.say("dropped")), true
	}
	return r, nil, false
}

// comparedChoice is the last scenario but the one in focus that has the choice which a whole prompt
// compares with, "compare that with the oak"; 0 for none.
func (s *search) comparedChoice(c Conversation) int {
	p, from := s.prose, 0
	for _, r := range s.vocabulary.tables.patterns("comparings") {
		n, _ := r.pattern.match(p.tokens, nil, 0)
		from = max(from, n)
	}
	if from == 0 || c.Focus == 0 || len(p.quantities) != 1 || !p.quantities[0].labels() || p.quantities[0].from < from {
		return 0
	}
	text := p.quantities[0].readings[0].text
	for at := from; at < len(p.tokens); at++ {
		own := slices.ContainsFunc(p.mentions, func(m mention) bool { return m.from <= at && at < m.to })
		if p.within[at] < 0 && p.meaning[at] == content && !own {
			return 0
		}
	}
	for i := c.Last; i > 0; i-- {
		base := c.Scenario(i)
		if i == c.Focus || base == nil {
			continue
		}
		if slices.ContainsFunc(base.Values, func(v engine.ScenarioValue) bool {
			def := &s.vocabulary.domain.Variables[v.Variable]
			choice, ok := def.Choice(text)
			q, single := v.Value.Single()
			return ok && single && def.Label(q.Number) == choice.Label
		}) {
			return i
		}
	}
	return 0
}

// opensOnly reports whether a prompt says nothing beside which scenario it builds on.
func (p *prose) opensOnly() bool {
	if p.opening.move == stay || len(p.quantities) > 0 || len(p.questions) > 0 {
		return false
	}
	for i := range p.tokens {
		if (i < p.opening.from || i >= p.opening.to) && p.meaning[i] == content {
			return false
		}
	}
	return true
}

// canAsk is what can be asked for with what is known in the scenario in focus, with examples of the
// domain where they are in the language of the prompt.
func (s *search) canAsk(c Conversation) string {
	found, others := s.vocabulary.askable(known(c), s.env)
	return s.withExamples(append(found, others[:min(len(others), maxOffered-len(found))]...), c.Examples[:min(len(c.Examples), maxExamples)])
}

// instead is what can be asked for in place of what was not understood: what the prompt names
// first, with an example.
func (s *search) instead(c Conversation) string {
	found, others := s.vocabulary.askable(known(c), s.env)
	named := func(variable int) (weight float64) {
		for _, m := range s.prose.mentions {
			if m.variable == variable {
				weight = max(weight, m.weight)
			}
		}
		return weight
	}
	list := append(found, others...)
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(named(b), named(a)) })
	return s.withExamples(list[:min(len(list), maxNearest)], c.Examples[:min(len(c.Examples), 1)])
}

// known are the facts of the scenario in focus.
func known(c Conversation) (facts []engine.Fact) {
	if c.Focus == 0 {
		return nil
	}
	if base := c.Scenario(c.Focus); base != nil {
		for _, v := range base.Values {
			if v.Source == engine.UserInput {
				facts = append(facts, engine.Fact{Variable: v.Variable, Tier: engine.Stated})
			}
		}
	}
	return facts
}

// withExamples lists variables that can be asked for, with examples of prompts.
func (s *search) withExamples(variables []int, examples []string) string {
	t := s.vocabulary.tables
	text := t.oneOf(s.vocabulary.titles(variables))
	if len(examples) > 0 && text != "" && s.vocabulary.home == nil {
		text = t.say("for example", text, `"`+strings.Join(examples, `", "`)+`"`)
	}
	return text
}

// Bounds of what is told of what can be asked.
const (
	maxExamples = 3
	maxNearest  = 3 // variables in place of what was not understood
)
