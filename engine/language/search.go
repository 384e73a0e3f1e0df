package language

import (
	"cmp"
	"slices"

	"reckon/engine"
	"reckon/engine/units"
	"reckon/engine/value"
)

// search looks for the assignment of amounts to variables, and for the target, that explain a
// prompt best.
type search struct {
	vocabulary *Vocabulary
	weights    *weights
	prose      *prose
	env        value.Env
	base       *engine.Scenario // nil for a new one
	pending    *engine.Request
	list       []slot
	states     bool   // the prompt only states facts
	rate       []bool // by quantity: it only says per what an amount before it is
	plans      map[string]derivation
	offered    []combination // the readings that the doubt is between
}

// derivation is what the engine would do for a target with what is given.
type derivation struct {
	ok       bool
	stated   int   // values that are stated, those of a pending request too
	used     int   // those of them that take part
	parts    []int // the variables of those
	defaults int
	assumed  []int // the variables of those
	steps    int
}

// combination is one way to read the whole prompt.
type combination struct {
	picks    []candidate // by slot; variable -1 for a slot that is only named to be replaced
	target   int         // -1 where the prompt does not say
	together []int       // what is asked for with the target, in the order of the prompt, the target too; nil for nothing else
	unit     *units.Unit
	score    float64
	asked    float64 // the part of the score that is about the target
	heard    float64 // the same, words that name amounts counted too
	plan     derivation
	tried    bool // it was calculated
}

// with is a combination that gives one of its amounts to another variable.
func (c *combination) with(i int, k *candidate) combination {
	other := *c
	other.picks = slices.Clone(c.picks)
	other.picks[i] = *k
	return other
}

// without are the amounts of a combination but one.
func (c *combination) without(i int) []candidate {
	return slices.Delete(slices.Clone(c.picks), i, i+1)
}

// leaves reports whether a combination, which gives an amount to one variable, could give it to
// another one: it is not asked for and has no other amount.
func (c *combination) leaves(k, o *candidate) bool {
	return o.variable >= 0 && o.variable != k.variable && !o.relative && o.variable != c.target && !slices.Contains(c.together, o.variable) && !gives(c.picks, o.variable)
}

// combinations are the readings of the prompt, best first.
func (s *search) combinations() []combination {
	partial := []combination{{target: -1}}
	for i := range s.list {
		l := &s.list[i]
		var next []combination
		for _, c := range partial {
			if l.dropped {
				picks := append(slices.Clone(c.picks), candidate{slot: i, variable: -1})
				next = append(next, combination{picks: picks, target: -1, score: c.score})
				continue
			}
			for _, k := range l.candidates {
				if k.variable >= 0 && gives(c.picks, k.variable) {
					continue
				}
				score := c.score + k.score
				if k.name >= 0 && s.taken(c.picks, k.name) {
					score += s.weights.AgainstShared * k.evidence
				}
				if k.variable >= 0 {
					score += s.orderScore(c.picks, k)
				}
				picks := append(slices.Clone(c.picks), k)
				next = append(next, combination{picks: picks, target: -1, score: score})
			}
		}
		sortCombinations(next)
		if len(next) > beam {
			next = next[:beam]
		}
		partial = next
	}
	targets := s.targets()
	asked := -1 // by its whole name
	for i, count := 0, 0; i < len(s.vocabulary.terms); i++ {
		if s.directly(i) || s.headlined(i) {
			if asked, count = i, count+1; count > 1 {
				asked = -1
				break
			}
		}
	}
	joined := s.joinedResults()
	var whole []combination
	for _, c := range partial {
		silence := s.silence(c.picks)
		if asked >= 0 && gives(c.picks, asked) {
			c.score += s.weights.AgainstAsked
		}
		for _, t := range targets {
			if t.variable >= 0 && gives(c.picks, t.variable) {
				continue
			}
			if last := s.kept().Variable; t.earlier {
				if d := s.derive(c.picks, last); !d.ok || d.used == d.stated {
					continue
				}
			}
			full := c
			full.target, full.unit, full.asked = t.variable, t.unit, t.score
			for _, n := range t.names { // words that give an amount its name do not ask as well
				full.asked = max(full.asked, n.score-s.claimed(c.picks, n.mention))
				full.heard = max(full.heard, n.score)
			}
			if t.kept {
				full.asked = max(full.asked, s.weights.ForKeptTarget-s.weights.ForUnasked*s.loudest(c.picks, t.variable))
			}
			if t.earlier {
				full.asked = max(full.asked, s.weights.ForEarlierTarget)
			}
			full.heard = max(full.heard, full.asked)
			if full.asked < s.weights.LeastAsked && t.variable >= 0 {
				continue
			}
			if full.plan = s.derive(c.picks, t.variable); s.beside(&full) {
				continue
			}
			full.score += s.weights.AgainstUntold * float64(s.untold(c.picks, t.variable))
			full.score += full.asked + s.planScore(t.variable, full.plan) - s.weights.AgainstUnused*float64(s.usedBeside(&full, joined))
			for _, m := range silence {
				if m.variable != t.variable {
					full.score += s.weights.AgainstSilence * m.weight
				}
			}
			whole = append(whole, full)
		}
	}
	sortCombinations(whole)
	if asked >= 0 && s.base == nil && s.headlined(asked) && s.vocabulary.terms[asked].derived && len(whole) > 0 && whole[0].target >= 0 && whole[0].target != asked && !s.named(whole[0].target) { // what is asked for by its whole name is not left for what only follows
		if i := slices.IndexFunc(whole, func(c combination) bool { return c.target == asked }); i > 0 {
			one := whole[i]
			whole = slices.Insert(slices.Delete(whole, i, i+1), 0, one)
		}
	}
	return whole
}

// usedBeside is how many amounts take no part in a target, but in a result that the prompt asks for
// together with it: "camp cost and lodge cost".
func (s *search) usedBeside(c *combination, joined [][]int) (n int) {
	i := slices.IndexFunc(joined, func(list []int) bool { return slices.Contains(list, c.target) })
	if i < 0 || s.base == nil && c.plan.used == 0 || slices.ContainsFunc(joined[i], func(v int) bool { return gives(c.picks, v) || !s.derive(c.picks, v).ok }) {
		return 0
	}
	for _, k := range c.picks {
		if k.variable >= 0 && !slices.Contains(c.plan.parts, k.variable) && slices.ContainsFunc(joined[i], func(v int) bool { return slices.Contains(s.derive(c.picks, v).parts, k.variable) }) {
			n++
		}
	}
	return n
}

// beside reports whether a choice takes no part in an answer, whose name stands before a noun that
// nobody knows and so may be a part of another name: "a night job" beside "Night bus".
func (s *search) beside(c *combination) bool {
	for i, k := range c.picks {
		l := &s.list[k.slot]
		if k.variable < 0 || l.quantity < 0 || !c.plan.ok {
			continue
		}
		q := &s.prose.quantities[l.quantity]
		if !q.labels() || q.readings[0].of != k.variable || !s.foreignNoun(q.to) {
			continue
		}
		if d := s.derive(c.without(i), c.target); d.ok && d.used == c.plan.used {
			return true
		}
	}
	return false
}

// orderScore prefers to give amounts of one kind, where no words tell them apart, to variables in
// the domain's order.
func (s *search) orderScore(picks []candidate, k candidate) float64 {
	t := &s.vocabulary.terms[k.variable]
	if k.relative {
		return 0
	}
	for _, o := range picks {
		if o.variable < 0 || o.relative {
			continue
		}
		weight := s.weights.ForOrder
		if k.evidence > s.weights.LeastOrdered || o.evidence > s.weights.LeastOrdered {
			weight = s.weights.ForNamedOrder
		}
		if u := &s.vocabulary.terms[o.variable]; u.kind == t.kind && u.dimension == t.dimension {
			if o.variable < k.variable {
				return weight
			}
			return -weight
		}
	}
	return 0
}

func sortCombinations(list []combination) {
	slices.SortStableFunc(list, func(a, b combination) int { return cmp.Compare(b.score, a.score) })
}

// silence lists the strongest mentions of variables that no pick gives a value, whose words no
// other one explains as well.
func (s *search) silence(picks []candidate) []mention {
	var list []mention
	for variable := range s.vocabulary.terms {
		if gives(picks, variable) {
			continue
		}
		best := mention{}
		for _, m := range s.prose.mentions {
			if m.variable == variable && m.weight > best.weight && s.prose.within[m.from] < 0 {
				best = m
			}
		}
		if best.weight < s.weights.LeastSilent {
			continue
		}
		explained := slices.ContainsFunc(s.prose.mentions, func(o mention) bool {
			return o.variable != variable && o.weight >= best.weight-s.weights.MostExplained && o.from < best.to && best.from < o.to
		})
		if !explained {
			list = append(list, best)
		}
	}
	return list
}

// facts are what a target may be found from, given some picks.
func (s *search) facts(picks []candidate, target int) []engine.Fact {
	var facts []engine.Fact
	taken := map[int]bool{target: true}
	add := func(variable int, tier engine.Tier) {
		if !taken[variable] {
			taken[variable] = true
			facts = append(facts, engine.Fact{Variable: variable, Tier: tier})
		}
	}
	for _, c := range picks {
		if c.variable >= 0 {
			add(c.variable, engine.Stated)
		}
	}
	if s.pending != nil {
		for _, in := range s.pending.Inputs {
			if !in.Cleared {
				add(in.Variable, engine.Stated)
			}
		}
	}
	if s.base != nil {
		for _, v := range s.base.Values {
			if v.Source == engine.UserInput {
				add(v.Variable, engine.Carried)
			}
		}
		for _, v := range s.base.Values {
			if v.Source == engine.Calculated {
				add(v.Variable, engine.Remembered)
			}
		}
	}
	for i := range s.vocabulary.terms {
		if s.vocabulary.terms[i].fallback {
			add(i, engine.Defaulted)
		}
	}
	return facts
}

// derive asks the engine how a target would follow, without calculating it.
func (s *search) derive(picks []candidate, target int) derivation {
	if target < 0 {
		return derivation{}
	}
	key := make([]byte, 0, len(picks)*2+2)
	key = append(key, byte(target), byte(target>>8))
	set := make([]int, 0, len(picks))
	for _, c := range picks {
		if c.variable >= 0 {
			set = append(set, c.variable)
		}
	}
	slices.Sort(set)
	for _, v := range set {
		key = append(key, byte(v), byte(v>>8))
	}
	if d, ok := s.plans[string(key)]; ok {
		return d
	}
	facts := s.facts(picks, target)
	used, steps, ok := s.vocabulary.domain.Leaves(s.env.Meter, facts, target)
	d := derivation{ok: ok, steps: steps}
	for _, f := range facts {
		if f.Tier == engine.Stated {
			d.stated++
		}
	}
	if !ok { // what would take part if all that equations are made of were known
		for i := range s.vocabulary.terms {
			if t := &s.vocabulary.terms[i]; !t.output && i != target && !slices.ContainsFunc(facts, func(f engine.Fact) bool { return f.Variable == i }) {
				facts = append(facts, engine.Fact{Variable: i, Tier: engine.Defaulted})
			}
		}
		used, d.steps, _ = s.vocabulary.domain.Leaves(s.env.Meter, facts, target)
	}
	for _, i := range used {
		switch facts[i].Tier {
		case engine.Stated:
			d.used, d.parts = d.used+1, append(d.parts, facts[i].Variable)
		case engine.Defaulted:
			d.defaults++
			d.assumed = append(d.assumed, facts[i].Variable)
		}
	}
	s.plans[string(key)] = d
	return d
}

// planScore is what speaks for a target because of how it follows.
func (s *search) planScore(target int, d derivation) float64 {
	if target < 0 {
		return 0
	}
	score := s.weights.AgainstPlan
	if d.ok {
		score = s.weights.ForPlan + s.weights.AgainstDefault*float64(d.defaults)
	}
	return score + s.weights.AgainstUnused*float64(d.stated-d.used) + s.weights.AgainstStep*float64(d.steps)
}
