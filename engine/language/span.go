package language

// Part is what a stretch of a prompt was taken for.
type Part string

// Parts of prompts.
const (
	PlainPart    Part = ""         // words that say little of their own
	ValuePart    Part = "value"    // an amount, or the name of the variable that it is given to
	ChangePart   Part = "change"   // a change of an earlier value
	TargetPart   Part = "target"   // what is asked for
	ScenarioPart Part = "scenario" // which scenario is meant
	UnreadPart   Part = "unread"   // an amount or a word that nothing was made of
)

// Span is a stretch of a prompt, from a byte on.
type Span struct {
	From, To int
	Part     Part
	Variable string // key of the one that it is about, "" for none
	Value    string // what that is given, in the grammar of structured text
}

// Spans are the stretches of a prompt that the best reading of it made something of, and those that
// it could not read, in their order. What lies between them is plain.
func (t *Trace) Spans() []Span {
	s, p := t.search, t.search.prose
	parts := make([]Span, len(p.tokens)) // by token
	mark := func(from, to int, as Span) {
		for i := from; i < to; i++ {
			if parts[i].Part == PlainPart {
				parts[i] = as
			}
		}
	}
	mark(p.opening.from, p.opening.to, Span{Part: ScenarioPart})
	if len(t.combinations) > 0 {
		best := &t.combinations[0]
		type naming struct {
			candidate
			as Span
		}
		var named []naming
		for _, k := range best.picks {
			l := &s.list[k.slot]
			as := Span{Part: ValuePart, Value: k.text}
			switch {
			case k.variable >= 0:
				as.Variable = s.key(k.variable)
			case l.dropped:
				as = Span{Part: ChangePart} // the amount that another one takes the place of
			default:
				continue // words that state no amount
			}
			if k.relative {
				as.Part = ChangePart
			}
			mark(l.from, l.to, as)
			if l.change != nil {
				mark(l.change.from, l.change.to, as)
			}
			named = append(named, naming{k, as})
		}
		if best.target >= 0 {
			as := Span{Part: TargetPart, Variable: s.key(best.target)}
			for _, q := range p.questions {
				mark(q.from, q.to, as)
			}
			for _, m := range p.mentions {
				if m.variable == best.target && m.weight >= s.weights.LeastWord {
					mark(m.from, m.to, as)
				}
			}
		}
		for _, k := range named { // words of a question are that first
			if k.variable >= 0 && k.name >= 0 {
				mark(p.mentions[k.name].from, p.mentions[k.name].to, k.as)
			}
		}
	}
	for _, l := range s.list { // where no reading was found
		if len(l.candidates) > 0 && l.candidates[0].variable >= 0 {
			mark(l.from, l.to, Span{Part: ValuePart, Variable: s.key(l.candidates[0].variable), Value: l.candidates[0].text})
		}
	}
	for _, q := range p.quantities {
		if !q.weak {
			mark(q.from, q.to, Span{Part: UnreadPart})
		}
	}
	for i := range p.tokens {
		if p.tokens[i].kind == word && p.meaning[i] == content && p.known[i] == asNothing {
			mark(i, i+1, Span{Part: UnreadPart})
		}
	}
	var list []Span
	for i, part := range parts {
		part.From, part.To = p.tokens[i].start, p.tokens[i].end
		switch n := len(list); {
		case part.Part == PlainPart:
		case n > 0 && i > 0 && parts[i-1] == parts[i] && parts[i-1].Part != PlainPart:
			list[n-1].To = part.To
		default:
			list = append(list, part)
		}
	}
	return list
}
