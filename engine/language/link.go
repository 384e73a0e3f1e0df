package language

import "strings"

// barrier is a kind of word or mark that cuts a sentence into clauses, by its place among the
// barriers.
type barrier int

const (
	noBorder barrier = iota
	stopBorder
	semicolonBorder
	contrastBorder
	clauseBorder
	conjunctionBorder
	attributeBorder
)

const barrierNames = "stop semicolon contrast clause conjunction attribute source span rate place hyphen"

// barriers are their names in the table of borders, in the order of the weights.
var barriers = strings.Fields(barrierNames)

// connection says how much of a link between two stretches of tokens is left across what stands
// between them: all of it where they touch, less across other words, borders and quantities.
func (p *prose) connection(aFrom, aTo, bFrom, bTo int) float64 {
	if aFrom < bTo && bFrom < aTo {
		return p.weights.Overlap
	}
	return p.across(aFrom, aTo, bFrom, bTo, p.weights.AcrossAmount, func(i int) float64 {
		switch b := p.tokens[i].border(); p.meaning[i] {
		case border:
			if b == noBorder {
				return p.weights.OtherBorder
			}
			return p.weights.borders[b]
		case grammar:
			return p.weights.borders[b]
		case plainly:
			return p.weights.AcrossPlain
		case other:
			return p.weights.AcrossPhrase
		}
		return p.weights.AcrossWord
	})
}

// reach is connection as a question has it, which is carried further: "what would 480 miles cost".
func (p *prose) reach(aFrom, aTo, bFrom, bTo int) float64 {
	return p.across(aFrom, aTo, bFrom, bTo, p.weights.ReachAmount, func(i int) float64 {
		switch t := &p.tokens[i]; {
		case t.border() == stopBorder || t.border() == semicolonBorder:
			return p.weights.ReachStop
		case t.is("reach break"):
			return p.weights.ReachBreak
		case t.is("reach preposition"):
			return p.weights.ReachPreposition
		case p.meaning[i] == content:
			return p.weights.ReachWord
		}
		return 1
	})
}

// across is the product of what is left across each amount and each other token between two
// stretches.
func (p *prose) across(aFrom, aTo, bFrom, bTo int, amount float64, token func(i int) float64) float64 {
	from, to := aTo, bFrom
	if bTo <= aFrom {
		from, to = bTo, aFrom
	}
	link, seen := float64(1), -1
	for i := from; i < to; i++ {
		if q := p.within[i]; p.void[i] {
			continue
		} else if q < 0 {
			link *= token(i)
		} else if q != seen {
			if l := &p.quantities[q]; l.from != from && l.to != to || !l.labels() { // "90 wholemeal loaves", "1500 g of olive oil"
				link *= amount
			}
			seen = q
		}
	}
	return link
}
