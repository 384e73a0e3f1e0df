package language

import (
	"slices"

	"reckon/engine/value"
)

// unused refuses an amount that no words name, that several variables could take or that is a
// table, and that takes no part in an answer.
func (s *search) unused(best *combination) *value.Error {
	targets := s.askedTogether(best)
	for i, k := range best.picks {
		q := s.list[k.slot].quantity
		stranger := q >= 0 && s.ofStranger(&s.prose.quantities[q])
		if k.variable < 0 || k.evidence >= s.weights.LeastNamed || k.linked || k.relative || len(s.list[k.slot].candidates) == 1 && !s.vocabulary.terms[k.variable].table && !stranger {
			continue
		}
		if s.idlePick(best, i, targets) {
			return notUnderstood(quoted(s.prose.fragment(s.list[k.slot].from, s.list[k.slot].to)))
		}
	}
	return nil
}

// askedTogether are the variables that a reading is asked for.
func (s *search) askedTogether(best *combination) []int {
	if joined, together := s.joinedNames(best); together {
		return joined
	}
	return []int{best.target}
}

// idlePick reports whether an amount takes no part in the answers, which follow without it.
func (s *search) idlePick(best *combination, i int, targets []int) bool {
	rest := best.without(i)
	return !slices.ContainsFunc(targets, func(target int) bool {
		with, without := s.derive(best.picks, target), s.derive(rest, target)
		return !with.ok || !without.ok || without.stated-without.used >= with.stated-with.used
	})
}

// asideOf refuses an amount that a first turn states and that takes no part in what it asks for,
// unless the others say as much as it does: "what would 70 riders and 12 horses pay?" Where another
// result that it takes part in is called by the word that asks, it offers both.
func (s *search) asideOf(best *combination) *value.Error {
	if s.base != nil || s.pending != nil || best.target < 0 {
		return nil
	}
	targets := s.askedTogether(best)
	for i, k := range best.picks {
		q := s.list[k.slot].quantity
		if k.variable < 0 || q < 0 || s.prose.quantities[q].labels() || !s.idlePick(best, i, targets) {
			continue
		}
		if s.derive(best.without(i), k.variable).ok {
			continue // it agrees with the others, or contradicts them
		}
		if other := s.sharesAsked(best, i); other >= 0 {
			second := *best
			second.target, second.together = other, nil
			return s.choose([]combination{*best, second})
		}
		if (k.name >= 0 && s.prose.mentions[k.name].weight >= s.weights.ExactName || s.leftOver(q) == k.variable) && (s.prose.told(s.list[k.slot].from) && s.named(best.target) || s.namedBy(best.target, s.weights.ExactName)) {
			continue // of a story, "fuel cost for 300 miles and 3 people"
		}
		return notUnderstood(s.say("takes no part", s.title(k.variable), s.title(best.target)))
	}
	return nil
}

// sharesAsked is a result that an amount takes part in and that is called by the word which names
// the one that is asked for, -1 for none: "the dose for 3 images at a distance of 2 m", that of the
// patient or of the operator.
func (s *search) sharesAsked(best *combination, i int) int {
	p := s.prose
	for _, m := range p.mentions {
		if m.variable != best.target || m.weight < s.weights.LeastAsking || slices.ContainsFunc(p.mentions, func(o mention) bool { return o.variable == m.variable && o.weight > m.weight }) {
			continue
		}
		for _, o := range p.mentions {
			if o.variable != best.target && o.from == m.from && o.to == m.to && o.weight >= s.weights.LeastWord && s.headed(o.variable, m.to-1) && s.vocabulary.terms[o.variable].derived && !gives(best.picks, o.variable) && s.derive(best.picks, o.variable).ok && !s.idlePick(best, i, []int{o.variable}) {
				return o.variable
			}
		}
	}
	return -1
}

// ofStranger reports whether an amount is one of what nobody knows: "plus 3 deliveries", "5 kg of
// gravel".
func (s *search) ofStranger(q *quantity) bool {
	p := s.prose
	return bareOnly(*q) && s.foreignNoun(q.to) || q.to < len(p.tokens) && p.tokens[q.to].is("partitive") && s.foreignNoun(q.to+1)
}

// otherName refuses an amount whose name begins with what nobody knows and that is given to what
// these words do not name: "a towing fee of 80 dollars".
func (s *search) otherName(best *combination) *value.Error {
	p := s.prose
	for _, k := range best.picks {
		q := s.list[k.slot].quantity
		if k.variable < 0 || q < 0 {
			continue
		}
		of := p.quantities[q].from - 1
		if of < 1 || !p.tokens[of].is("partitive") || s.foreign(of-1) {
			continue
		}
		for at := of - 2; at >= 0 && p.tokens[at].kind == word && p.meaning[at] == content && p.within[at] < 0; at-- {
			named := slices.ContainsFunc(p.mentions, func(m mention) bool {
				return m.variable == k.variable && m.weight >= s.weights.LeastAsking && m.from < of && at < m.to
			})
			if s.foreign(at) && (k.evidence < s.weights.LeastNamed || !named && !bareOnly(p.quantities[q])) {
				return notUnderstood(quoted(p.fragment(at, p.quantities[q].to)))
			}
		}
	}
	return nil
}

// eitherDefault refuses a number that nothing is said of and that a first turn leaves to what has a
// default, where another default of the answer could be it as well: "with 12 and a flow of 2
// L/min".
func (s *search) eitherDefault(best *combination) *value.Error {
	p := s.prose
	if s.base != nil || s.pending != nil || best.target < 0 {
		return nil
	}
	for i := range best.picks {
		k, l := &best.picks[i], &s.list[i]
		if k.variable < 0 || k.relative || l.quantity < 0 || k.evidence >= s.weights.LeastWord || !bareOnly(p.quantities[l.quantity]) || !s.vocabulary.terms[k.variable].fallback || s.followed(&p.quantities[l.quantity]) || l.from > 0 && p.tokens[l.from-1].is("at rate") {
			continue
		}
		at := slices.IndexFunc(l.candidates, func(o candidate) bool {
			return best.leaves(k, &o) && o.evidence < s.weights.LeastWord && s.vocabulary.terms[o.variable].fallback && slices.Contains(best.plan.assumed, o.variable)
		})
		if at >= 0 {
			return s.choose([]combination{*best, best.with(i, &l.candidates[at])})
		}
	}
	return nil
}

// choicesOnly refuses a first prompt that tells nothing but choices, amid words that nobody knows,
// and names nothing that it asks for: "my tomato leaves are curling, any idea?"
func (s *search) choicesOnly(best *combination) *value.Error {
	p := s.prose
	if s.base != nil || s.pending != nil || p.asked != nil || best.target < 0 || len(best.picks) == 0 || s.namedBy(best.target, s.weights.LeastWord) || slices.ContainsFunc(best.picks, func(k candidate) bool {
		q := s.list[k.slot].quantity
		return k.variable >= 0 && (q < 0 || !p.quantities[q].labels())
	}) {
		return nil
	}
	if word := s.stranger(0, len(p.tokens)); word != "" {
		return notUnderstood(word)
	}
	return nil
}

// nothingNamed refuses several bare numbers where no words name what they are, nor what is asked
// for: "20 and 30, how much each?"
func (s *search) nothingNamed(best *combination) *value.Error {
	p := s.prose
	if s.base != nil || s.pending != nil || p.asked != nil || len(best.picks) < 2 || best.target >= 0 && s.named(best.target) || slices.ContainsFunc(best.picks, func(k candidate) bool {
		q := s.list[k.slot].quantity
		return k.variable < 0 || k.evidence >= s.weights.LeastWord || q < 0 || !bareOnly(p.quantities[q]) && !s.others(&k)
	}) {
		return nil
	}
	return s.nothing()
}

// bareMoney refuses money that nothing is said of, as a part of a list, where several inputs could
// take it: "300 sheep and 2 pounds, what's the profit?"
func (s *search) bareMoney(best *combination) *value.Error {
	p := s.prose
	if s.base != nil || s.pending != nil {
		return nil
	}
	for i := range best.picks {
		k := &best.picks[i]
		l := &s.list[k.slot]
		if k.variable < 0 || k.relative || l.quantity < 0 || k.evidence >= s.weights.LeastWord || p.quantities[l.quantity].readings[0].kind != kindMoney {
			continue
		}
		if l.from > 0 && !p.tokens[l.from-1].is("joining") && p.tokens[l.from-1].fold != "," || l.to < len(p.tokens) && p.tokens[l.to].kind == word && !p.tokens[l.to].is("grammar") {
			continue
		}
		for c := range l.candidates {
			o := &l.candidates[c]
			if o.variable >= 0 && o.variable != k.variable && o.evidence < s.weights.LeastWord && !s.vocabulary.terms[o.variable].output && !gives(best.picks, o.variable) {
				return s.choose([]combination{*best, best.with(i, o)})
			}
		}
	}
	return nil
}

// others reports whether an amount could be that of another variable which no equation yields.
func (s *search) others(k *candidate) bool {
	return slices.ContainsFunc(s.list[k.slot].candidates, func(o candidate) bool {
		return o.variable >= 0 && o.variable != k.variable && !s.vocabulary.terms[o.variable].output
	})
}

// unnamed reports whether an answer follows as well from giving an amount to another variable,
// which no equation yields, and no words name either: "150 meals and 2 pounds, what surplus?"
func (s *search) unnamed(best, next *combination) bool {
	if s.base != nil || s.pending != nil || best.target != next.target || !best.plan.ok || !next.plan.ok || len(best.picks) != len(next.picks) {
		return false
	}
	differ := 0
	for i := range best.picks {
		a, b := &best.picks[i], &next.picks[i]
		if a.variable == b.variable {
			continue
		}
		if differ++; a.variable < 0 || b.variable < 0 || s.vocabulary.terms[b.variable].output || a.linked || a.evidence >= s.weights.LeastNamed || b.evidence >= s.weights.LeastNamed {
			return false
		}
	}
	return differ == 1
}
