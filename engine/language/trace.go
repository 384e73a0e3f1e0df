package language

import (
	"fmt"
	"strings"

	"reckon/engine"
)

// Trace tells how a prompt was read, for the author of a domain.
type Trace struct {
	Prompt string
	Doubt  string // the error, "" for none

	Choices []engine.Request // the readings that a doubt offers, in their order, nil for none
	Why     bool             // the prompt asks how the answer of the scenario came about
	Compare int              // the scenario that it is to be compared with, 0 for none
	Pending *engine.Request  // what waits from now on after a doubt, nil for what waited before
	Settled int              // the number of the choice of the doubt before that the prompt names, 0 for none

	search       *search
	combinations []combination
}

// String is the trace as lines: what the phrases and questions say, each amount with its readings
// and the variables it could belong to, the readings of the whole prompt with their scores, and the
// doubt.
func (t *Trace) String() string {
	var b strings.Builder
	s, p := t.search, t.search.prose
	fmt.Fprintf(&b, "prompt: %s\n", t.Prompt)
	if p.opening.move != stay {
		fmt.Fprintf(&b, "scenario: %q means %s %s\n", p.fragment(p.opening.from, p.opening.to), p.opening.move, p.opening.which)
	}
	for i := range p.tokens {
		if p.meant[i] != "" {
			fmt.Fprintf(&b, "spelling: %q is read like %q\n", p.tokens[i].text, p.meant[i])
		}
	}
	for _, q := range p.questions {
		fmt.Fprintf(&b, "question: %q\n", p.fragment(q.from, q.end))
	}
	if p.asked != nil {
		fmt.Fprintf(&b, "unit asked: %s\n", p.asked.Symbol())
	}
	for _, m := range p.mentions {
		if m.weight >= s.weights.LeastWord {
			fmt.Fprintf(&b, "word: %q names %s (%.2f)\n", p.fragment(m.from, m.to), s.key(m.variable), m.weight)
		}
	}
	for _, l := range s.list {
		fmt.Fprintf(&b, "amount: %q", p.fragment(l.from, l.to))
		if l.quantity >= 0 {
			for _, r := range p.quantities[l.quantity].readings {
				fmt.Fprintf(&b, " [%s]", r.text)
			}
		}
		if l.change != nil {
			fmt.Fprintf(&b, ", a change by %q", p.fragment(l.change.from, l.change.to))
		}
		b.WriteByte('\n')
		for _, k := range l.candidates {
			fmt.Fprintf(&b, "  %s = %s (%.2f, of which words nearby %.2f)\n", s.key(k.variable), k.text, k.score, k.evidence)
		}
	}
	what := "reading"
	for _, c := range t.combinations[:min(len(t.combinations), 5)] {
		target := "(nothing said)"
		if c.target >= 0 {
			target = s.key(c.target)
		}
		for i, v := range c.together {
			target = []string{"", target + ", "}[min(i, 1)] + s.key(v)
		}
		fmt.Fprintf(&b, "%s: %.2f", what, c.score)
		what = "runner-up"
		for _, k := range c.picks {
			fmt.Fprintf(&b, " %s=%s", s.key(k.variable), k.text)
		}
		fmt.Fprintf(&b, " calculate %s (%.2f)", target, c.asked)
		if c.target >= 0 && !c.plan.ok {
			b.WriteString(", which does not follow")
		}
		b.WriteByte('\n')
	}
	if t.Doubt != "" {
		fmt.Fprintf(&b, "doubt: %s\n", t.Doubt)
	}
	return b.String()
}

func (s *search) key(variable int) string {
	if variable < 0 {
		return "(nothing)"
	}
	return s.vocabulary.domain.Variables[variable].Key
}
