package language

import (
	"slices"
	"strconv"

	"reckon/engine"
	"reckon/engine/value"
)

// howMuch makes of a prompt that asks how much more its answer is than the one before, "how much
// cheaper is it with 20 guests", a comparison of the two scenarios. It asks for what was asked, and
// states what is another.
func (s *search) howMuch(r *engine.Request, trace *Trace) *value.Error {
	p := s.prose
	o := &p.opening
	if o.move != difference {
		return nil
	}
	words := p.fragment(o.from, o.to)
	kept := s.kept().Variable
	if len(r.Targets) > 1 { // "how much dearer" of the one that is money
		of := slices.DeleteFunc(slices.Clone(r.Targets), func(t engine.Target) bool { return !s.degreesOf(t.Variable) })
		if len(of) == 1 && kept >= 0 {
			r.Targets, kept = of, of[0].Variable
		}
	}
	if kept < 0 || s.pending != nil || len(r.Inputs) == 0 || len(r.Targets) != 1 || r.Targets[0].Variable != kept || !s.degreesOf(kept) {
		return notUnderstood(s.say("difference", quoted(words)))
	}
	if !slices.ContainsFunc(r.Inputs, func(in engine.Given) bool {
		v := s.baseValue(in.Variable)
		return v == nil || in.Cleared || !v.Value.Equal(in.Value)
	}) {
		return notUnderstood(s.say("same scenario", quoted(words), strconv.Itoa(s.base.Index)))
	}
	trace.Compare = s.base.Index
	return nil
}

// degreesOf reports whether words of comparison such as "cheaper" speak of what a variable is.
func (s *search) degreesOf(variable int) bool {
	p := s.prose
	for _, t := range p.tokens[p.opening.from:p.opening.to] {
		of := wantAny
		if r := t.lex.row("comparatives"); r != nil {
			of = want(r[2])
		} else if r := t.lex.row("degrees"); r != nil {
			of = want(r[1])
		} else if t.is("costing") {
			of = wantMoney
		}
		term := &s.vocabulary.terms[variable]
		if of == wantSpeed && s.weights.fits(wantTime, term) > 0 {
			continue // "how much quicker"
		}
		if of != wantAny && s.weights.fits(of, term) == 0 {
			return false
		}
	}
	return true
}
