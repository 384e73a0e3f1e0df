package language

import (
	"slices"
	"strings"

	"reckon/engine/units"
	"reckon/engine/value"
)

// label is what people call a value of variables with choices.
type label struct {
	text     string // as it is said
	value    string
	words    []string // stems of all words
	variable int      // the only one that is meant, -1 for all that have the label
	weak     bool     // they may as well say something else
	denied   string   // of the name of what is or is not, the value of its not being so, "" for others
}

// leastMisspelt is how long the stem of a word of a label is that may be misspelt.
const leastMisspelt = 4

// truth are the labels of what is and of what is not, of a variable with those two choices: in the
// grammar of structured text, or in the language of the domain. Where they say what there is
// instead, as "fresh" and "sea" of 0 and 1, the name of the variable says neither.
func (v *Vocabulary) truth(def *value.Variable) (yes, no string, ok bool) {
	if !def.IsChoice() || def.Hidden {
		return "", "", false
	}
	for _, t := range []*tables{tablesOf(Default), tablesOf(v.domain.Language)} {
		a, isA := def.Choice(t.say("affirmed"))
		b, isB := def.Choice(t.say("denied"))
		if isA && isB && (value.IsTruth(a.Label) || value.SameLabel(a.Label, t.say("affirmed"))) {
			return a.Label, b.Label, true
		}
	}
	return "", "", false
}

// findLabels lists the labels of all choices, those of more words first. One that is made of words
// that say nothing of their own, or that name variables, need not be meant where it stands. The
// names of what is or is not stand for its being so: "with insurance". A label that its variable is
// called by as well is that variable's: "in colour". A word of a label stands for all of it where
// no other label has it, unless it is a number: "five hundred" is no "five star".
func (v *Vocabulary) findLabels() {
	add := func(l label) {
		for _, t := range v.tables.tokenize(l.text) {
			l.words = append(l.words, v.tables.stem(t.fold))
		}
		if len(l.words) > 0 && !slices.ContainsFunc(v.labels, func(o label) bool { return o.variable == l.variable && slices.Equal(o.words, l.words) }) {
			v.labels = append(v.labels, l)
		}
	}
	v.rare = map[string]string{}
	for i, def := range v.domain.Variables {
		if def.Hidden {
			continue
		}
		for _, text := range def.ChoiceNames() {
			empty := !slices.ContainsFunc(splitWords(text), func(w string) bool { return !v.tables.said(w) && v.rarity[v.tables.stem(w)] == 0 })
			l := label{text: text, value: text, variable: -1, weak: empty && len(splitWords(text)) == 1}
			if slices.ContainsFunc(names(&def), func(name string) bool { return value.SameLabel(name, text) }) {
				l.variable = i
			}
			add(l)
			for _, w := range splitWords(text) {
				if s := v.tables.stem(w); !v.tables.said(w) && v.rarity[s] == 0 && v.tables.lexicon[w].row("numbers") == nil {
					if other, ok := v.rare[s]; ok && other != text && !v.sameChoice(other, text) {
						v.rare[s] = ""
					} else if !ok {
						v.rare[s] = text
					}
				}
			}
		}
	}
	for i, def := range v.domain.Variables {
		if yes, no, ok := v.truth(&def); ok {
			for _, name := range names(&def) {
				add(label{text: name, value: yes, denied: no, variable: i, weak: true})
			}
		}
	}
	slices.SortStableFunc(v.labels, func(a, b label) int { return len(b.words) - len(a.words) })
}

// sameChoice reports whether two labels are of one choice.
func (v *Vocabulary) sameChoice(one, other string) bool {
	return slices.ContainsFunc(v.domain.Variables, func(def value.Variable) bool {
		a, ok := def.Choice(one)
		b, also := def.Choice(other)
		return ok && also && a.Label == b.Label
	})
}

// labelAt reads the label that starts at a token as an amount, whose value it is: the longest one,
// else the only one that has the word. Behind a word that says that there is none of what follows,
// it says that something is not so: "without insurance".
func (v *Vocabulary) labelAt(p *prose, at int) (quantity, bool) {
	begin, absent := at, false
	if p.tokens[at].is("absent") && at+1 < len(p.tokens) {
		begin, absent = at+1, true
		if p.tokens[at].is("without") && at+2 < len(p.tokens) && p.tokens[begin].is("any of") {
			begin++
		}
	}
	meant := v.meantNames(&p.tokens[begin])
	for _, l := range v.labels {
		n := p.saysLabel(begin, l.words)
		if n == 0 && len(meant) == 1 && slices.Equal(l.words, meant) && !p.used[begin] && p.within[begin] < 0 {
			n = 1 // "with a hlemet"
		}
		if n == 0 || absent && l.variable < 0 || n == 1 && v.particle(p, begin, &l) {
			continue
		}
		r := reading{kind: kindLabel, text: l.value, of: l.variable}
		if l.denied != "" && (absent || p.ruledOut(at) || p.denied(at) || p.deniedBehind(begin+n)) {
			r.text = l.denied
		} else if absent {
			r.text = tablesOf(v.domain.Language).say("denied")
		}
		to, weak := begin+n, l.weak
		if answer := to; l.denied != "" && to < len(p.tokens) {
			told := p.tokens[to].fold == ":" || p.tokens[to].fold == "=" // "insurance: no"
			if told {
				answer++
			}
			if answer < len(p.tokens) && (told || answer+1 == len(p.tokens) || p.tokens[answer+1].kind != word || p.tokens[answer+1].is("grammar")) { // "insurance no, 3 days"
				yes, no := value.SameLabel(p.tokens[answer].text, v.tables.say("affirmed")), value.SameLabel(p.tokens[answer].text, v.tables.say("denied"))
				if no {
					r.text = l.denied
				}
				if yes || no {
					to, weak = answer+1, false
				}
			}
		}
		if !absent && v.insteadOfLabel(p, begin, to, l.value) {
			continue
		}
		if l.variable >= 0 && to < len(p.tokens) && v.hasChoice(l.variable, v.rareLabel(&p.tokens[to])) {
			to++
		}
		return quantity{from: at, to: to, readings: []reading{r}, weak: weak}, true
	}
	if absent {
		return v.wholeLabel(p, at)
	}
	if text := v.rareLabel(&p.tokens[at]); text != "" && !p.used[at] && p.within[at] < 0 && !v.insteadOfLabel(p, at, at+1, text) {
		return quantity{from: at, to: at + 1, readings: []reading{{kind: kindLabel, text: text, of: -1}}}, true
	}
	return quantity{}, false
}

// particle reports whether a yes or no amid words that say nothing answers nothing: "das ist ja
// nicht billig".
func (v *Vocabulary) particle(p *prose, at int, l *label) bool {
	return l.variable < 0 && value.SameLabel(l.text, v.tables.say("affirmed")) && at > 0 && at+1 < len(p.tokens) && p.tokens[at-1].is("grammar") && p.tokens[at+1].is("grammar")
}

// denied reports whether the clause before a token says that something is not so: "she does not
// take a helmet", "nobody asks for one".
func (p *prose) denied(at int) bool {
	for at--; at >= 0 && p.within[at] < 0; at-- {
		if b := p.tokens[at].border(); b != noBorder && b <= conjunctionBorder {
			return false
		}
		if p.tokens[at].is("denying") {
			return true
		}
	}
	return false
}

// deniedBehind reports whether what stands before a token is said not to be so: "roaming is not
// booked", "insurance isn't needed", "the heating is off".
func (p *prose) deniedBehind(at int) bool {
	from := at
	for at < len(p.tokens) && p.tokens[at].is("auxiliary") {
		at++
	}
	return at < len(p.tokens) && (p.tokens[at].is("denying") || at > from && p.tokens[at].is("declined"))
}

// insteadOfLabel reports whether the words of a label say something else where they stand: the unit
// of the number before them, "72 euros", a time that something is for each of, "every day", or a
// part of the name of a variable or of what describes it, "depth at low water", but not before the
// name of what has that choice, "of sea water".
func (v *Vocabulary) insteadOfLabel(p *prose, from, to int, label string) bool {
	if to < len(p.tokens) && slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && slices.ContainsFunc(t.names, func(n name) bool {
			i := slices.Index(n.spoken, p.tokens[from].stem)
			return i >= 0 && i+to-from < len(n.spoken) && p.says(from, n.spoken[i:i+to-from+1])
		})
	}) {
		return true
	}
	if from > 0 && (p.tokens[from-1].is("how") || p.tokens[from-1].is("per")) {
		return true // "how heavy", "$5 per photo"
	}
	if from > 0 && p.tokens[from-1].fold == "/" && !p.tokens[from].spaced {
		return true // "40 Mbit/s" beside an S band
	}
	chosen := false
	for i := range v.terms {
		chosen = chosen || to < len(p.tokens) && v.hasChoice(i, label) && slices.ContainsFunc(v.terms[i].names, func(n name) bool { return slices.Contains(n.words, p.tokens[to].stem) })
	}
	if from > 0 && to < len(p.tokens) && !p.tokens[from-1].is("article") && !chosen && slices.ContainsFunc(v.terms, func(t term) bool {
		return !t.hidden && slices.ContainsFunc(t.clauses, func(clause []string) bool {
			i := slices.Index(clause, p.tokens[from].stem)
			return i > 0 && i+to-from < len(clause) && p.says(from-1, clause[i-1:i+to-from+1])
		})
	}) {
		return true
	}
	if to < len(p.tokens) && p.tokens[to].is("common unit") && v.rarity[p.tokens[to].stem] == 0 {
		return true // "on a normal day"
	}
	if _, n := v.tables.scanUnit(p.tokens, from, v.domain.Units()); n == 0 || from+n != to || from == 0 {
		return false
	}
	if to < len(p.tokens) && v.rarity[p.tokens[to].stem] > 0 {
		return false // "11 euro pallets", "a day ticket"
	}
	before := &p.tokens[from-1]
	return before.kind == number || before.is("each") || before.is("indefinite") || from > 1 && p.tokens[from-2].is("indefinite")
}

// hasChoice reports whether a label is one of a variable, so that a word of it behind another label
// of the same variable is no choice of its own: "agency staff" is not "own staff".
func (v *Vocabulary) hasChoice(variable int, label string) bool {
	_, ok := v.domain.Variables[variable].Choice(label)
	return label != "" && ok
}

// rareLabel is the label that a word is of, and no other, also with a letter too many, missing,
// swapped or taken for another one where nobody knows the word otherwise; "" for none.
func (v *Vocabulary) rareLabel(t *token) string {
	if text, ok := v.rare[t.stem]; ok {
		return text
	}
	found := ""
	for _, stem := range v.meantNames(t) {
		text := v.rare[stem]
		if text == "" || found != "" && !v.sameChoice(found, text) {
			return ""
		}
		found = text
	}
	return found
}

// meantNames are the stems of the words of the domain that are nearest to a word which nobody knows
// and that may be a slip of them.
func (v *Vocabulary) meantNames(t *token) (stems []string) {
	limit := typos(t.fold)
	if t.kind != word || t.lex != nil || limit == 0 || v.rarity[t.stem] > 0 || v.known[t.stem] || len(v.groups[t.stem]) > 0 {
		return nil
	}
	best := limit
	for _, w := range v.words {
		if len(w) < leastMisspelt || w[0] != t.fold[0] {
			continue
		}
		d := units.EditDistance(t.fold, w, limit)
		if d < best {
			best, stems = d, nil
		}
		if stem := v.stem(w); d == best && !slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	}
	return stems
}

// wholeLabel reads a label whose first word says that there is none of something: "no", "zero
// rated".
func (v *Vocabulary) wholeLabel(p *prose, at int) (quantity, bool) {
	i := slices.IndexFunc(v.labels, func(l label) bool { return l.variable < 0 && p.saysLabel(at, l.words) > 0 })
	if i < 0 {
		return quantity{}, false
	}
	l := &v.labels[i]
	if to := at + p.saysLabel(at, l.words); to < len(p.tokens) && p.tokens[to].fold == "," && slices.ContainsFunc(p.tokens[to:], func(t token) bool { return t.kind == number }) {
		return quantity{}, false // "no, 220 rides" answers what was said
	}
	return quantity{from: at, to: at + p.saysLabel(at, l.words), readings: []reading{{kind: kindLabel, text: l.value, of: -1}}, weak: l.weak}, true
}

// saysLabel counts the tokens from one on that are the words of a label, also with words between
// them that say nothing: "the rest of the world". It is 0 where they are not.
func (p *prose) saysLabel(at int, words []string) int {
	i := at
	for _, w := range words {
		for i > at && i < len(p.tokens) && p.tokens[i].stem != w && p.tokens[i].is("grammar") && !p.tokens[i].is("joining") {
			i++
		}
		if i >= len(p.tokens) || p.tokens[i].stem != w && !(len(words) > 1 && p.slipOf(i, w)) || p.used[i] || p.within[i] >= 0 {
			return 0
		}
		i++
	}
	return i - at
}

// slipOf reports whether a token that no table knows is a word with a letter too many, missing,
// swapped or taken for another one.
func (p *prose) slipOf(at int, stem string) bool {
	t := &p.tokens[at]
	return t.kind == word && t.lex == nil && typos(t.fold) > 0 && len(stem) >= leastMisspelt && stem[0] == t.stem[0] && units.EditDistance(t.stem, stem, 1) <= 1
}

// tells reports whether a prompt is no question, so that its choices are told and not asked for:
// "lined".
func (s *search) tells() bool {
	return len(s.prose.questions) == 0 && !strings.Contains(s.prose.text, "?")
}

// untold counts the choices by their labels that some picks leave out although their words name
// neither the target nor what has an amount.
func (s *search) untold(picks []candidate, target int) (count int) {
	p := s.prose
	for i, k := range picks {
		l := &s.list[i]
		if k.variable >= 0 || l.quantity < 0 || !p.quantities[l.quantity].labels() {
			continue
		}
		words := mention{from: l.from, to: l.to}
		if !slices.ContainsFunc(p.mentions, func(m mention) bool {
			return (m.variable == target || gives(picks, m.variable)) && m.overlaps(&words) &&
				(m.weight >= s.weights.ExactName || m.weight >= s.weights.LeastWord && m.from <= l.from && l.to <= m.to)
		}) {
			count++
		}
	}
	return count
}

// labels reports whether an amount is a choice by its label.
func (q *quantity) labels() bool { return len(q.readings) > 0 && q.readings[0].kind == kindLabel }

// labelFor is momentFor of a label.
func (s *search) labelFor(variable int, r *reading) (string, float64) {
	if !s.vocabulary.domain.Variables[variable].IsChoice() || r.of >= 0 && r.of != variable {
		return "", 0
	}
	return r.text, s.weights.ForDimension
}

// names is what people call a variable.
func names(def *value.Variable) []string {
	return append([]string{def.Title, strings.ReplaceAll(def.Key, "_", " ")}, def.Aliases...)
}
