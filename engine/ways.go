package engine

import (
	"math/bits"
	"slices"
)

// bitset is a set of small numbers.
type bitset []uint64

func (b bitset) add(i int)    { b[i/64] |= 1 << (i % 64) }
func (b bitset) remove(i int) { b[i/64] &^= 1 << (i % 64) }

func (b bitset) addAll(o bitset) {
	for i, word := range o {
		b[i] |= word
	}
}

// meets reports whether two sets have a number in common.
func (b bitset) meets(o bitset) bool {
	for i, word := range o {
		if b[i]&word != 0 {
			return true
		}
	}
	return false
}

func (b bitset) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// each calls f for each number in the set, in order.
func (b bitset) each(f func(i int)) {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			f(64*i + bits.TrailingZeros64(word))
		}
	}
}

// wordsPerLook is how many words of bitsets are joined in the time of one look.
const wordsPerLook = 8

// ways is what all plans for a target have in common: which variables a way to another one always
// goes through (landmarks, as planners call them), and on which stated facts one can rest. It
// bounds from below what is left to pay for.
type ways struct {
	variables []int    // that have part in some plan, those first that follow first
	at        []int    // by variable: its position in variables, -1 for none
	through   []bitset // by position: the positions that every way to it has, its own included
	facts     []int    // the stated ones
	fact      []int    // by variable: its position in facts
	rests     []bitset // by position: positions of facts
	needed    bitset   // of positions, for those who count
	usable    bitset   // of facts, likewise
}

// findWays looks at the options of all variables that have part in some plan, and leaves out the
// options whose inputs need what they yield. It is nil where that takes too many looks.
func (p *planner) findWays(limit int) *ways {
	end := p.meter.Looks() - limit
	w := &ways{at: make([]int, len(p.via)), fact: make([]int, len(p.via))}
	w.find(p)
	words := (len(w.variables) + 63) / 64
	w.through, w.needed = make([]bitset, len(w.variables)), make(bitset, words)
	if !p.meter.Look(len(w.variables) * words / wordsPerLook) {
		return nil
	}
	memory := make(bitset, len(w.variables)*words)
	next, way := make(bitset, words), make(bitset, words)
	var last *block // whose ways were joined last: it stands with all that it yields
	known := false
	for changed := true; changed; {
		changed, last = false, nil
		for i, v := range w.variables {
			if p.meter.Looks() < end {
				return nil
			}
			if p.isLeaf(v) {
				if w.through[i] == nil {
					w.through[i], memory = memory[:words:words], memory[words:]
					w.through[i].add(i)
				}
				continue
			}
			open := true
			for _, o := range p.options[v] {
				if o != last {
					last, known = o, w.join(p, o, way)
				}
				if !known {
					continue // a way that is not known yet excludes nothing
				}
				if open {
					copy(next, way)
					open = false
				}
				for k := range next {
					next[k] &= way[k]
				}
			}
			if open {
				continue
			}
			if w.through[i] == nil {
				w.through[i], memory = memory[:words:words], memory[words:]
				copy(w.through[i], next)
				changed = true
			} else if !slices.Equal(w.through[i], next) {
				copy(w.through[i], next)
				changed = true
			}
		}
	}
	last = nil
	for _, v := range w.variables {
		p.options[v] = slices.DeleteFunc(p.options[v], func(o *block) bool {
			if o != last {
				last, known = o, w.circular(p, o, way)
			}
			return known
		})
	}
	return w.findFacts(p, end)
}

// find lists the variables of all plans: the target, what its options need, and so on.
func (w *ways) find(p *planner) {
	for v := range w.at {
		w.at[v], w.fact[v] = -1, -1
	}
	looks := 0
	part := make([]bool, len(p.via))
	part[p.target] = true
	for stack := []int{p.target}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, o := range p.options[v] {
			looks += len(o.inputs)
			for _, list := range [][]int{o.inputs, o.outputs} {
				for _, r := range list {
					if !part[r] {
						part[r] = true
						stack = append(stack, r)
					}
				}
			}
		}
	}
	note := func(v int) {
		w.at[v] = len(w.variables)
		w.variables = append(w.variables, v)
	}
	for v, is := range part {
		if is && p.isLeaf(v) {
			if p.g.has(v, Stated) {
				w.fact[v] = len(w.facts)
				w.facts = append(w.facts, v)
			}
			note(v)
		}
	}
	for _, v := range p.order {
		if part[v] && w.at[v] < 0 {
			note(v)
		}
	}
	// Fewer facts may leave a system another part to yield, which is not in the order of all facts.
	for v, is := range part {
		if is && w.at[v] < 0 {
			note(v)
		}
	}
	p.meter.Look(looks + len(part))
}

// join is what the ways by an option have: what it yields, and what the ways to its inputs have;
// false where those are not known yet.
func (w *ways) join(p *planner, o *block, into bitset) bool {
	clear(into)
	p.meter.Look(1 + len(o.inputs)*(1+len(into)/wordsPerLook))
	for _, v := range o.outputs {
		into.add(w.at[v])
	}
	for _, r := range o.inputs {
		if len(o.outputs) == 1 && r == o.outputs[0] {
			continue
		}
		if w.through[w.at[r]] == nil {
			return false
		}
		into.addAll(w.through[w.at[r]])
	}
	return true
}

// circular reports whether an input of an option always rests on what the option yields.
func (w *ways) circular(p *planner, o *block, yields bitset) bool {
	clear(yields)
	p.meter.Look(1 + len(o.inputs)*(1+len(yields)/wordsPerLook))
	for _, v := range o.outputs {
		yields.add(w.at[v])
	}
	return slices.ContainsFunc(o.inputs, func(r int) bool {
		if len(o.outputs) == 1 && r == o.outputs[0] {
			return false
		}
		through := w.through[w.at[r]]
		return through == nil || through.meets(yields)
	})
}

// findFacts finds which stated facts each variable may rest on.
func (w *ways) findFacts(p *planner, end int) *ways {
	words := (len(w.facts) + 63) / 64
	w.rests, w.usable = make([]bitset, len(w.variables)), make(bitset, words)
	memory := make(bitset, len(w.variables)*words)
	for i, v := range w.variables {
		w.rests[i] = memory[i*words : (i+1)*words]
		if w.fact[v] >= 0 {
			w.rests[i].add(w.fact[v])
		}
	}
	for changed := true; changed; {
		changed = false
		for i, v := range w.variables {
			before := w.rests[i].count()
			for _, o := range p.options[v] {
				p.meter.Look(1 + len(o.inputs)*(1+words/wordsPerLook))
				for _, r := range o.inputs {
					w.rests[i].addAll(w.rests[w.at[r]])
				}
			}
			if p.meter.Looks() < end {
				return nil
			}
			changed = changed || w.rests[i].count() != before
		}
	}
	return w
}

// least adds to a cost what is to pay at least for variables that are open. needed lists those
// among them, and on the ways to them, that take an activity each.
func (w *ways) least(p *planner, open []int, c *cost) (needed []int) {
	clear(w.needed)
	copy(w.usable, p.stated)
	p.meter.Look((1 + len(open)) * (1 + (len(w.needed)+len(w.usable))/wordsPerLook))
	for _, v := range open {
		if p.via[v] == nil {
			w.needed.addAll(w.through[w.at[v]])
			w.usable.addAll(w.rests[w.at[v]])
		}
	}
	c.unstated = -w.usable.count()
	w.needed.each(func(i int) {
		v := w.variables[i]
		if p.via[v] != nil {
			return
		}
		if !p.isLeaf(v) {
			c.activities++
			needed = append(needed, v)
		} else if len(p.options[v]) == 0 {
			switch tier, _ := p.g.leafTier(v, p.remembered); tier {
			case Remembered:
				c.remembered++
			case Defaulted:
				c.defaulted++
			}
		}
	})
	p.meter.Look(len(needed))
	return needed
}
