package language

import (
	"slices"

	"reckon/engine"
	"reckon/engine/input"
	"reckon/engine/units"
)

// target is what the proposal asks for, nil where it asks for nothing or after a complaint.
func (e *examination) target() *engine.Target {
	p := e.proposal
	variable := e.vocabulary.domain.Index(p.Target)
	switch {
	case p.Target == "" && e.prose.asked == nil && p.Unit == "":
		return nil
	case p.Target == "":
		if variable = e.kept().Variable; variable < 0 {
			e.complain("A unit is asked, but no variable.")
			return nil
		}
	case variable < 0:
		e.complain(`There is no variable "%s".`, clip(p.Target))
		return nil
	}
	key := e.vocabulary.domain.Variables[variable].Key
	if p.Target != "" {
		e.asks(variable)
		e.rests(variable)
	}
	t := &engine.Target{Variable: variable, Unit: e.unit(variable)}
	if slices.Contains(e.given, variable) && t.Unit == nil {
		e.complain("%s is both given and to be calculated.", key)
	}
	if t.Unit == nil && variable == e.kept().Variable {
		t.Unit = e.kept().Unit
	}
	return t
}

// asks complains where the words do not ask for a variable.
func (e *examination) asks(variable int) {
	key := e.vocabulary.domain.Variables[variable].Key
	words := clip(e.proposal.TargetWords)
	places := e.find(e.proposal.TargetWords)
	if len(places) == 0 {
		e.complain(`The target words "%s" do not stand in the prompt.`, words)
		return
	}
	says := slices.ContainsFunc(places, func(at stretch) bool {
		form := slices.ContainsFunc(e.prose.questions, func(q question) bool { return at.meets(q.from, q.to) })
		return form || e.says(at)
	})
	if !says {
		e.complain(`The words "%s" ask for nothing.`, words)
	}
	for _, at := range places {
		if other := e.belies(at, variable); other >= 0 {
			e.complain(`The words "%s" name %s, not %s.`, words, e.vocabulary.domain.Variables[other].Key, key)
			return
		}
	}
	for _, q := range e.prose.questions {
		if q.want != wantAny && e.weights.fits(q.want, &e.vocabulary.terms[variable]) == 0 {
			e.complain(`"%s" does not ask for %s.`, e.prose.fragment(q.from, q.to), key)
		}
	}
}

// rests complains where what is given has nothing to do with what is asked.
func (e *examination) rests(variable int) {
	var picks []candidate
	for i, given := range e.given {
		if given >= 0 && given != variable {
			picks = append(picks, candidate{slot: i, variable: given})
		}
	}
	if len(picks) > 0 {
		if d := e.derive(picks, variable); d.used < len(picks) {
			e.complain("Only %d of the %d amounts take part in %s.", d.used, len(picks), e.vocabulary.domain.Variables[variable].Key)
		}
		return
	}
	linked := variable == e.kept().Variable || slices.Contains(e.given, variable)
	for _, at := range e.find(e.proposal.TargetWords) {
		linked = linked || slices.ContainsFunc(e.prose.mentions, func(m mention) bool {
			return m.variable == variable && m.weight >= e.weights.LeastProposed && at.meets(m.from, m.to)
		})
		linked = linked || slices.ContainsFunc(e.prose.questions, func(q question) bool {
			return q.want != wantAny && at.meets(q.from, q.to) && e.weights.fits(q.want, &e.vocabulary.terms[variable]) >= e.weights.LeastAnswer
		})
	}
	if !linked {
		e.complain("The words \"%s\" do not name %s, and no amount leads to it.", clip(e.proposal.TargetWords), e.vocabulary.domain.Variables[variable].Key)
	}
}

// unit is the unit that the answer is asked in, nil for none or after a complaint.
func (e *examination) unit(variable int) *units.Unit {
	p, words := e.prose, e.proposal.Unit
	asked := p.asked
	if words == "" {
		for _, q := range p.questions {
			if asked == nil && q.unit != nil && !q.unit.Dimension().IsNone() && e.unitFits(variable, q.unit) {
				asked = q.unit // "how many hours"
			}
		}
		if asked == nil {
			return nil
		}
	} else {
		read := e.readUnit(words)
		if read == nil {
			e.complain(`The unit "%s" does not stand in the prompt outside of amounts.`, clip(words))
			return nil
		}
		if asked != nil && !sameUnit(asked, read) {
			e.complain(`The prompt asks for the answer in %s, not in "%s".`, asked.Symbol(), clip(words))
			return nil
		}
		asked = read
	}
	unit, err := input.ParseUnit(&e.vocabulary.domain.Scope, variable, asked.Symbol())
	if err != nil {
		e.complain("%s", err.Filled())
		return nil
	}
	return unit
}

// readUnit reads words of the prompt, which belong to no amount, as a unit; nil where they are
// none.
func (e *examination) readUnit(words string) *units.Unit {
	p, table := e.prose, e.vocabulary.domain.Units()
	for _, at := range e.find(words) {
		if slices.ContainsFunc(p.within[at.from:at.to], func(quantity int) bool { return quantity >= 0 }) {
			continue
		}
		if p.tokens[at.from].is("answer in") && at.to-at.from > 1 {
			at.from++
		}
		if unit, n := p.tables.scanUnit(p.tokens, at.from, table); n == at.to-at.from {
			return unit
		}
		if unit, n := p.percentage(at.from, e.vocabulary); n == at.to-at.from {
			return unit
		}
		if unit, err := table.Parse(p.fragment(at.from, at.to)); err == nil {
			return unit
		}
	}
	return nil
}
