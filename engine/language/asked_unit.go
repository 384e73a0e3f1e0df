package language

import (
	"slices"

	"reckon/engine/units"
)

// findAskedUnit finds the unit that the answer is wanted in: "in hours", "to km/h", at the end of a
// clause or behind the question.
func (v *Vocabulary) findAskedUnit(p *prose) {
	if v.closingUnit(p) {
		return
	}
	for i := len(p.tokens) - 2; i >= 0; i-- {
		t := &p.tokens[i]
		if t.kind != word || p.used[i] || p.within[i] >= 0 {
			continue
		}
		next := &p.tokens[i+1]
		if !t.is("answer in") || next.is("plain") || next.is("grammar") && !next.is("indefinite") {
			continue
		}
		if v.insideName(p, i) {
			continue
		}
		if p.used[i+1] || next.is("indefinite") && !t.is("equating") || t.is("inside") && i > 0 && p.tokens[i-1].kind == number {
			continue
		}
		unit, n := p.symbols(i+1, v)
		if n == 0 {
			unit, n = v.tables.scanUnit(p.tokens, i+1, v.domain.Units())
		}
		if n == 0 {
			unit, n = p.percentage(i+1, v)
		}
		if n == 0 && v.rarity[next.stem] == 0 && (i+2 == len(p.tokens) || p.tokens[i+2].kind == mark) {
			if u, err := v.domain.Units().Parse(p.tokens[i+1].text); err == nil && !u.IsOne() {
				unit, n = u, 1 // a symbol of one letter or two: "in mA"
			}
		}
		if n == 0 {
			continue
		}
		end := i + 1 + n
		if end < len(p.tokens) {
			// What follows a unit that is asked for is not what the unit is of: "in gallon
			// bottles".
			if next := &p.tokens[end]; next.kind == number || next.kind == word && !next.is("grammar") && !next.is("plain") {
				continue
			}
		}
		if t.is("goal") && end < len(p.tokens) && p.tokens[end].kind != mark {
			continue // "to hand out", "to point out"
		}
		p.asked, p.askedAt = unit, i
		for k := i; k < end; k++ {
			p.meaning[k], p.known[k], p.used[k] = plainly, asUnit, true
		}
		return
	}
}

// closingUnit finds a unit alone that a prompt ends in as a question: "0.5 L in 4 hours, mL/h?"
func (v *Vocabulary) closingUnit(p *prose) bool {
	end := len(p.tokens) - 1
	if end < 1 || p.tokens[end].fold != "?" {
		return false
	}
	from := end
	for from > 0 && p.tokens[from-1].kind != number && p.tokens[from-1].border() != clauseBorder && p.tokens[from-1].border() != stopBorder {
		from--
	}
	if from == end || from > 0 && p.tokens[from-1].kind == number || p.used[from] {
		return false
	}
	unit, n := p.symbols(from, v)
	if n == 0 && len(p.tokens[from].text) >= shortestOwn && v.rarity[p.tokens[from].stem] == 0 {
		unit, n = v.tables.scanUnit(p.tokens, from, v.domain.Units())
	}
	if n == 0 || from+n != end {
		return false
	}
	p.asked, p.askedAt = unit, from
	for k := from; k < end; k++ {
		p.meaning[k], p.known[k], p.used[k] = plainly, asUnit, true
	}
	return true
}

// insideName reports whether a word is neither the first nor the last of the name of a variable:
// "stay from month to month".
func (v *Vocabulary) insideName(p *prose, at int) bool {
	return slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && slices.ContainsFunc(t.names, func(n name) bool {
			for from := max(0, at-len(n.spoken)+2); from < at; from++ {
				if p.says(from, n.spoken) {
					return true
				}
			}
			return false
		})
	})
}

// symbols reads a unit of several tokens without white space between them: "min/mi", "L/100km".
func (p *prose) symbols(at int, v *Vocabulary) (*units.Unit, int) {
	end := at + 1
	for end < len(p.tokens) && !p.tokens[end].spaced && p.tokens[end].fold != "?" && p.tokens[end].fold != "," && p.tokens[end].fold != "." && p.tokens[end].fold != "!" {
		end++
	}
	if end == at+1 {
		return nil, 0
	}
	unit, err := v.domain.Units().Parse(p.text[p.tokens[at].start:p.tokens[end-1].end])
	if err != nil || unit.IsOne() {
		return nil, 0
	}
	return unit, end - at
}

// percentage reads "a percentage" as the unit.
func (p *prose) percentage(at int, v *Vocabulary) (*units.Unit, int) {
	n := 0
	if p.tokens[at].is("indefinite") && at+1 < len(p.tokens) {
		n = 1
	}
	if p.tokens[at+n].is("percent word") {
		if unit, err := v.domain.Units().Parse("%"); err == nil {
			return unit, n + 1
		}
	}
	return nil, 0
}
