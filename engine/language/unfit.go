package language

import (
	"maps"
	"slices"
)

// fit is an amount as the value of a variable, before the words are weighed.
type fit struct {
	*candidate
	q         *quantity
	t         *term
	bare      bool // it has no unit
	measured  bool // the variable has a dimension, and counts nothing
	before    bool // the words right before the amount name the variable
	beside    bool // words right beside it do, with no comma between
	qualified bool // so does the noun behind it, with words between that nobody knows
}

// unfit are the reasons for which a variable has not an amount, however its words are weighed, each
// with what it refuses.
var unfit = []func(*search, *fit) bool{
	// Half of us is no number of people.
	func(_ *search, f *fit) bool {
		return f.q.share && f.t.number() && f.t.counts
	},
	// 40% is no number of rows, and 40% of the rows are not all of them.
	func(s *search, f *fit) bool {
		p, at := s.prose, f.q.to
		return f.q.readings[0].kind == kindPercent && f.t.number() && (f.evidence < s.weights.LeastNamed || at < len(p.tokens) && p.tokens[at].is("partitive"))
	},
	// 5 kg is no factor, of which nothing says that it has a unit.
	func(_ *search, f *fit) bool {
		return !f.t.dimensional && !f.linked && f.q.readings[0].unit != nil
	},
	// 60 servers count no racks.
	func(s *search, f *fit) bool {
		return s.countsOther(f.q, f.variable) && !(f.before && !s.counted(f.q))
	},
	// 30 improvers, of a choice, are no fee.
	func(s *search, f *fit) bool {
		return f.bare && f.measured && f.t.kind != percentKind && s.countsLabel(f.q) && !(f.before && !s.prose.askedFor(&s.prose.mentions[f.name]))
	},
	// 2 nights is no kind of berth.
	func(s *search, f *fit) bool {
		return f.bare && s.labelled(f.variable) && !f.before && (!s.names(f.variable, f.q.to) || s.countsAnother(f.q, f.variable))
	},
	// Three times is no age.
	func(s *search, f *fit) bool {
		return f.bare && f.measured && f.t.kind != percentKind && s.prose.tokens[f.q.to-1].is("multiplied")
	},
	// One pipe is no time.
	func(s *search, f *fit) bool {
		return f.bare && f.q.weak && f.measured && s.prose.tokens[f.q.from].is("one") && s.followed(f.q)
	},
	// 20% tax, of a domain without taxes.
	func(s *search, f *fit) bool {
		return (f.bare || f.q.readings[0].kind == kindPercent) && !f.qualified && s.unclaimed(f.q, f.candidate)
	},
	// A $10 voucher.
	func(s *search, f *fit) bool {
		return !f.linked && f.q.readings[0].kind == kindMoney && s.foreignNoun(f.q.to) && f.q.from > 0 && s.prose.tokens[f.q.from-1].is("article")
	},
	// 200 kg of spelt are no bran.
	func(s *search, f *fit) bool {
		p, at := s.prose, f.q.to
		return f.t.output && f.measured && !f.bare && f.evidence < s.weights.LeastWord && at+1 < len(p.tokens) && p.tokens[at].is("partitive") && s.strange(at+1)
	},
	// 2 litres of a kind of perfume are no result that nothing names, where something else is told so.
	func(s *search, f *fit) bool {
		p, at := s.prose, f.q.to
		if at < len(p.tokens) && p.tokens[at].is("partitive") {
			at++
		}
		return f.t.output && f.measured && !f.bare && f.evidence < s.weights.LeastWord && s.base == nil && at < len(p.tokens) && p.within[at] >= 0 && p.quantities[p.within[at]].labels() &&
			slices.ContainsFunc(s.vocabulary.terms, func(o term) bool {
				return !o.output && !o.hidden && !o.fallback && o.kind == f.t.kind && o.dimension == f.t.dimension
			})
	},
	// Two drivers cost something, and not 2.
	func(s *search, f *fit) bool {
		return f.bare && !f.q.none && f.t.money() && f.linked && f.name >= 0 && s.things(f.q.to) && s.prose.mentions[f.name].from == f.q.to && !f.t.priced
	},
	// One tab costs what a tab does, and not what all do.
	func(s *search, f *fit) bool {
		ofOne := func(surely float64) bool { return surely > s.weights.EachKind }
		if !f.t.money() || !f.t.output || slices.ContainsFunc(slices.Collect(maps.Values(f.t.each)), ofOne) {
			return false
		}
		for v := range s.vocabulary.terms {
			if s.costOfOne(f.q, v) {
				return true
			}
		}
		return false
	},
	// $10 for what nobody knows.
	func(s *search, f *fit) bool {
		return !f.beside && s.meantFor(f.q)
	},
	// Insurance of 12 euros, in a list of what is told.
	func(s *search, f *fit) bool {
		return !f.bare && !f.beside && s.calledOther(f.q)
	},
	// A tip of 5 pounds.
	func(s *search, f *fit) bool {
		return !f.linked && f.evidence < s.weights.LeastNamed && s.ofOther(f.q)
	},
	// Laces for 4 francs, in a list of what is told.
	func(s *search, f *fit) bool {
		return !f.beside && s.pricedOther(f.q)
	},
	// 3 grain trailers are no mass of grain.
	func(s *search, f *fit) bool {
		if !f.bare || !f.linked || !f.measured || f.name < 0 {
			return false
		}
		m := &s.prose.mentions[f.name]
		return m.from == f.q.to && s.foreignNoun(m.to) && s.things(m.to)
	},
	// Two small towns, 3 flat-bottomed boats.
	func(s *search, f *fit) bool {
		return f.bare && s.countsStrangers(f.q) && !f.before
	},
	// 3 kids, whom the domain does not know.
	func(s *search, f *fit) bool {
		return f.bare && !f.qualified && s.foreignNoun(f.q.to) && !(s.countsAll(f.variable) && !f.t.fallback) && !f.before
	},
}

// mostAdjectives is how many words and hyphens may stand between a number and the noun for what it
// counts.
const mostAdjectives = 3

// countsStrangers reports whether a number counts things that nobody knows, of which words say more
// that name nothing either: "two small towns", "3 flat-bottomed boats".
func (s *search) countsStrangers(q *quantity) bool {
	p, at := s.prose, q.to
	for ; at < len(p.tokens) && at < q.to+mostAdjectives && p.within[at] < 0; at++ {
		t := &p.tokens[at]
		joins := at > q.to && t.fold == "-" && !t.spaced
		joined := at+1 < len(p.tokens) && p.tokens[at+1].fold == "-" && !p.tokens[at+1].spaced
		if says := t.kind == word && (joined || p.meaning[at] == plainly || s.foreignNoun(at) && !s.things(at)); !says && !joins {
			break
		}
	}
	return at > q.to && s.foreignNoun(at) && s.things(at)
}

// calledOther reports whether an amount with a unit has, as a part of a list, nothing before it but
// a noun that nobody knows, "casualty 70 kg, rope 12 kg", or is said to be that of one: "stamp duty
// was 14 dollars, 30 shares".
func (s *search) calledOther(q *quantity) bool {
	p, at := s.prose, q.from-1
	if kind := q.readings[0].kind; kind != kindMoney && kind != kindMeasure && kind != kindDuration {
		return false
	}
	stated := at > 0 && p.tokens[at].is("stating") && p.tokens[at].kind == word
	if stated {
		at--
	}
	if at < 0 || !s.strange(at) || p.told(at) || q.to < len(p.tokens) && p.tokens[q.to].kind != mark && !p.tokens[q.to].is("joining") && !p.tokens[q.to].is("each") {
		return false
	}
	for at > 0 && (s.strange(at-1) || stated && p.tokens[at-1].is("article")) {
		at--
	}
	return at == 0 && stated || at > 0 && (p.tokens[at-1].fold == "," || stated && p.tokens[at-1].is("joining"))
}

// pricedOther reports whether money is told as the price of a noun that nobody knows: "and laces
// for 4 francs".
func (s *search) pricedOther(q *quantity) bool {
	p, at := s.prose, q.from-2
	if q.readings[0].kind != kindMoney || at < 1 || !p.tokens[at+1].is("lasting") || !s.strange(at) {
		return false
	}
	for at > 0 && (s.strange(at-1) || p.tokens[at-1].is("article")) {
		at--
	}
	return at == 0 || p.tokens[at-1].fold == "," || p.tokens[at-1].is("joining") || p.tokens[at-1].is("adding") || p.tokens[at-1].is("attaches")
}

// costOfOne reports whether money is told as what one thing costs, "one detergent tab costs 0.22
// francs", which a variable is that no equation yields.
func (s *search) costOfOne(q *quantity, variable int) bool {
	p, t := s.prose, &s.vocabulary.terms[variable]
	from := q.from - 1
	if from < 1 || !p.tokens[from].is("costing") || !t.money() || t.output || t.hidden {
		return false
	}
	for from--; from > 0 && p.meaning[from] == content && p.within[from] < 0; from-- {
	}
	return (p.tokens[from].is("one") || p.tokens[from].is("indefinite") || p.tokens[from].is("each")) && slices.ContainsFunc(p.mentions, func(m mention) bool {
		return m.variable == variable && m.from > from && m.to <= q.from && m.weight >= s.weights.LeastWord
	})
}

// strange reports whether a token is a noun that names nothing in the domain, whoever knows it.
func (s *search) strange(at int) bool {
	return s.foreign(at) || s.nameless(at) && s.prose.known[at] == asSynonym
}

// ofOther reports whether money is that of one thing that nobody knows: "a tip of 5
// pounds".
func (s *search) ofOther(q *quantity) bool {
	p, at := s.prose, q.from-2
	return at > 0 && q.readings[0].kind == kindMoney && p.tokens[at+1].is("partitive") && s.strange(at) && p.tokens[at-1].is("indefinite") && !p.told(at)
}
