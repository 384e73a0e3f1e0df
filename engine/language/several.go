package language

import (
	"slices"

	"reckon/engine"
	"reckon/engine/units"
	"reckon/engine/value"
)

// interpret reads a prompt as once does, in whose place several values may be: of the scenario that
// it builds on, or listed in the prompt. It means the same with each of them, but for one value.
// What could be a table is one where the target follows from it, and not a list.
func (v *Vocabulary) interpret(text string, tokens []token, c Conversation, env value.Env) (engine.Request, *Trace, []value.Error) {
	request, trace, errs := v.throughout(text, tokens, c, env)
	tabled := len(errs) == 0 && trace.unmet() && slices.ContainsFunc(request.Inputs, func(in engine.Given) bool { return in.Value.Rank > 0 })
	if len(errs) == 0 && !tabled || len(tokens) > maxTokens {
		return request, trace, errs
	}
	list, err := v.listed(text, tokens)
	if err != nil && !tabled {
		return engine.Request{}, trace, []value.Error{*err}
	}
	if list == nil {
		return request, trace, errs
	}
	requests := make([]engine.Request, len(list.prompts))
	var why *Trace
	for i, prompt := range slices.Backward(list.prompts) {
		one, told, doubts := v.throughout(prompt, v.tables.tokenize(prompt), c, env)
		if len(doubts) > 0 && len(told.Choices) == 0 && !tabled {
			errs = doubts // of the rest of the prompt
		}
		if len(doubts) > 0 {
			return request, trace, errs
		}
		requests[i] = one
		if why == nil {
			why = told
		}
	}
	merged, variable := v.merged(requests)
	if variable < 0 && tabled && trace.combinations[0].plan.ok { // "40, 50 and 40 guests", of which no table is made either
		return engine.Request{}, trace, []value.Error{*notUnderstood(quoted(trace.search.prose.fragment(list.from, list.to)))}
	}
	if variable < 0 || !list.either && why.mayShare(variable, len(requests)) || tabled && why.unmet() {
		return request, trace, errs
	}
	return merged, why, nil
}

// throughout reads a prompt with each of several values that the scenario before it has, or what
// waits. A change of them has as many values.
func (v *Vocabulary) throughout(text string, tokens []token, c Conversation, env value.Env) (engine.Request, *Trace, []value.Error) {
	n := 0
	request, trace, errs := v.once(text, tokens, v.at(c, 0, &n), env)
	if n == 0 || len(errs) > 0 {
		return request, trace, errs
	}
	list := []engine.Request{request}
	for i := 1; i < n; i++ {
		other, _, errs := v.once(text, tokens, v.at(c, i, &n), env)
		if len(errs) > 0 {
			return engine.Request{}, trace, errs
		}
		list = append(list, other)
	}
	merged, variable := v.merged(list)
	if variable < 0 && !agree(list) {
		return engine.Request{}, trace, []value.Error{*notUnderstood(quoted(text))}
	}
	return merged, trace, nil
}

// at is a conversation with one of several values in the place of all. n is how many there are.
func (v *Vocabulary) at(c Conversation, i int, n *int) Conversation {
	d := v.domain
	one, scenario := c, c.Scenario
	one.Scenario = func(index int) *engine.Scenario {
		s := scenario(index)
		if several := d.SeveralOf(s); several != nil {
			*n = max(*n, len(several.Values))
			s = d.ScenarioAt(s, i)
		}
		return s
	}
	if c.Pending != nil {
		if several, _ := d.SeveralIn(*c.Pending); several != nil {
			*n = max(*n, len(several.Values))
			pending := d.RequestAt(*c.Pending, i)
			one.Pending = &pending
		}
	}
	return one
}

// agree reports whether some requests state the same.
func agree(list []engine.Request) bool {
	for _, r := range list[1:] {
		if len(differing(list[0], r)) > 0 {
			return false
		}
	}
	return true
}

// differing are the inputs, by their number, in which two requests differ; -1 is all else.
func differing(a, b engine.Request) (list []int) {
	if len(a.Inputs) != len(b.Inputs) || len(a.Targets) != len(b.Targets) || a.Everything != b.Everything || a.Selector != b.Selector {
		return []int{-1}
	}
	for i, t := range a.Targets {
		if t.Variable != b.Targets[i].Variable || (t.Unit == nil) != (b.Targets[i].Unit == nil) || t.Unit != nil && !sameUnit(t.Unit, b.Targets[i].Unit) {
			return []int{-1}
		}
	}
	for i, in := range a.Inputs {
		switch other := b.Inputs[i]; {
		case in.Variable != other.Variable || in.Cleared != other.Cleared:
			return []int{-1}
		case !in.Cleared && !in.Value.Equal(other.Value):
			list = append(list, i)
		}
	}
	return list
}

// merged is one request that states the values of all, where they differ in those of one variable;
// -1 where they do not.
func (v *Vocabulary) merged(list []engine.Request) (r engine.Request, variable int) {
	r, at := list[0], -1
	for i := range list {
		for k := range list[:i] {
			d := differing(list[k], list[i])
			if len(d) != 1 || d[0] < 0 || at >= 0 && d[0] != at {
				return r, -1
			}
			at = d[0]
		}
	}
	if at < 0 {
		return r, -1
	}
	given := engine.Given{Variable: r.Inputs[at].Variable}
	given.Value.Rank, given.Normal.Rank = 1, 1
	for _, one := range list {
		in := one.Inputs[at]
		if in.Value.Rank > 0 {
			return r, -1
		}
		given.Value.Cells, given.Normal.Cells = append(given.Value.Cells, in.Value.Cells...), append(given.Normal.Cells, in.Normal.Cells...)
	}
	r.Inputs = append([]engine.Given(nil), r.Inputs...)
	r.Inputs[at] = given
	return r, given.Variable
}

// unmet reports whether what is asked for does not follow from all that is stated.
func (t *Trace) unmet() bool {
	if len(t.combinations) == 0 || t.combinations[0].target < 0 {
		return false
	}
	plan := t.combinations[0].plan
	return !plan.ok || plan.used < plan.stated
}

// mayShare reports whether the amounts of a list may be those of several variables, as in "12, 6
// and 2 m": words name others of them, or none is named and there are enough. Of three or more,
// what is asked for takes none, the words that name the variable name no other one, and what no
// words name may only be the sides of something that nothing was said of before.
func (t *Trace) mayShare(variable, n int) bool {
	if len(t.combinations) == 0 {
		return false
	}
	s, row := t.search, n >= leastCells
	for _, k := range t.combinations[0].picks {
		if k.variable != variable {
			continue
		}
		able, named := 0, 0
		for _, c := range s.list[k.slot].candidates {
			if c.variable < 0 || row && c.variable == t.combinations[0].target || c.variable != variable && gives(t.combinations[0].picks, c.variable) {
				continue
			}
			able++
			own := func() bool { // by words of its own
				a, b := s.prose.mentions[k.name], s.prose.mentions[c.name]
				return (!row || b.weight >= s.weights.ExactName && !s.prose.counting(b.from) && s.prose.within[b.from] < 0) && !a.contains(&b) && !(row && a.from == b.from && a.to == b.to)
			}
			if c.variable == variable || c.evidence >= s.weights.LeastNamed && (k.name < 0 || own()) {
				named++
			}
		}
		sides := s.vocabulary.terms[variable].dimension == units.Length && s.base == nil && (t.unmet() || s.lengths(t.combinations[0].plan.assumed)+1 >= n)
		return named > 1 || k.evidence < s.weights.LeastNamed && able >= n && (sides || !row)
	}
	return false
}

// lengths counts those of some variables that are lengths.
func (s *search) lengths(variables []int) (n int) {
	for _, v := range variables {
		if s.vocabulary.terms[v].dimension == units.Length {
			n++
		}
	}
	return n
}

// oneByOne are the values that a variable has with each of several values of another.
func (t *tables) oneByOne(d *engine.Domain, v engine.ResultValue, over *engine.Several) string {
	var list []string
	for i, of := range over.Values {
		one := v
		if one.Value = engine.At(v.Value, i); one.Value.Cells[0][0].Empty {
			continue
		}
		name := t.written(d.Read(over.Variable, of, false))
		if len(list) == 0 {
			name = title(d, over.Variable) + " " + name
		}
		list = append(list, t.say("where", t.shown(d, one), name))
	}
	return t.list(list)
}
