package language

import "strings"

// barrier is a kind of word or mark that cuts a sentence into clauses, by its place among the
// barriers.
type barrier int

const (
	noBorder barrier = iota
	stopBorder
	semicolonBorder
)

// barriers are their names in the table of borders, in the order of the weights.
var barriers = strings.Fields("stop semicolon contrast clause conjunction attribute source span rate place hyphen")

// connection says how much of a link between two stretches of tokens is left across what stands
// between them: all of it where they touch, less across other words, borders and quantities.
func (p *prose) connection(aFrom, aTo, bFrom, bTo int) float64 {
	from, to := aTo, bFrom
	if bTo <= aFrom {
		from, to = bTo, aFrom
	}
	if from > to { // they overlap
		return p.weights.Overlap
	}
	link, seen := float64(1), -1
	for i := from; i < to; i++ {
		if q := p.within[i]; q >= 0 {
			if q != seen {
				link *= p.weights.AcrossAmount
				seen = q
			}
			continue
		}
		switch p.meaning[i] {
		case border:
			if b := p.tokens[i].border(); b != noBorder {
				link *= p.weights.borders[b]
			} else {
				link *= p.weights.OtherBorder
			}
		case grammar:
			link *= p.weights.borders[p.tokens[i].border()]
		case plainly:
			link *= p.weights.AcrossPlain
		case other:
			link *= p.weights.AcrossPhrase
		default:
			link *= p.weights.AcrossWord
		}
	}
	return link
}

// reach is connection as a question has it, which is carried further: "what would 480 miles cost".
func (p *prose) reach(aFrom, aTo, bFrom, bTo int) float64 {
	from, to := aTo, bFrom
	if bTo <= aFrom {
		from, to = bTo, aFrom
	}
	link, seen := float64(1), -1
	for i := from; i < to; i++ {
		if q := p.within[i]; q >= 0 {
			if q != seen {
				link *= p.weights.ReachAmount
				seen = q
			}
			continue
		}
		switch t := &p.tokens[i]; {
		case t.border() == stopBorder || t.border() == semicolonBorder:
			link *= p.weights.ReachStop
		case t.is("reach break"):
			link *= p.weights.ReachBreak
		case t.is("reach preposition"):
			link *= p.weights.ReachPreposition
		case p.meaning[i] == content:
			link *= p.weights.ReachWord
		}
	}
	return link
}
