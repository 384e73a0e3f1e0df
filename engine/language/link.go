package language

import "strings"

// barrier is a kind of word or mark that cuts a sentence into clauses.
type barrier int

const (
	noBorder barrier = iota
	stopBorder
	semicolonBorder
	contrastBorder
	clauseBorder
	conjunctionBorder
	attributeBorder
	sourceBorder
	spanBorder
	rateBorder
	placeBorder
	hyphenBorder
)

// barriers are their names in the table, in this order.
var barriers = strings.Fields("stop semicolon contrast clause conjunction attribute source span rate place hyphen")

// crossing is how much of a connection gets across a border.
var crossing = [...]float64{
	noBorder: 1, stopBorder: 0.2, semicolonBorder: 0.3, contrastBorder: 0.4, clauseBorder: 0.5, conjunctionBorder: 0.55, attributeBorder: 0.6, sourceBorder: 0.7,
	spanBorder: 0.75, rateBorder: 0.8, placeBorder: 0.85, hyphenBorder: 0.9,
}

// connection says how much of a link between two stretches of tokens is left across what stands between them: all of it where
// they touch, less across other words, borders and quantities.
func (p *prose) connection(aFrom, aTo, bFrom, bTo int) float64 {
	from, to := aTo, bFrom
	if bTo <= aFrom {
		from, to = bTo, aFrom
	}
	if from > to { // they overlap
		return 0.8
	}
	link := 1.0
	seen := -1
	for i := from; i < to; i++ {
		if q := p.within[i]; q >= 0 {
			if q != seen {
				link *= 0.35
				seen = q
			}
			continue
		}
		switch p.meaning[i] {
		case border:
			if b := p.tokens[i].means().border; b != noBorder {
				link *= crossing[b]
			} else {
				link *= 0.9
			}
		case grammar:
			link *= crossing[p.tokens[i].means().border]
		case plainly:
			link *= 0.85
		case other:
			link *= 0.6
		default:
			link *= 0.65
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
	link, seen := 1.0, -1
	for i := from; i < to; i++ {
		if q := p.within[i]; q >= 0 {
			if q != seen {
				link *= 0.65
				seen = q
			}
			continue
		}
		switch t := &p.tokens[i]; {
		case t.means().border == stopBorder || t.means().border == semicolonBorder:
			link *= 0.35
		case t.is(roleReachBreak):
			link *= 0.6
		case t.is(roleReachPreposition):
			link *= 0.75
		case p.meaning[i] == content:
			link *= 0.85
		}
	}
	return link
}
