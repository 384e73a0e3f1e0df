package language

// borders cut a sentence into clauses: how much of a connection gets across.
var borders = map[string]float64{
	",": 0.5, ";": 0.3, ":": 0.9, ".": 0.2, "?": 0.2, "!": 0.2, "(": 0.6, ")": 0.6, "-": 0.9, "->": 0.6, "/": 0.8, "&": 0.55, "+": 0.6,
	"and": 0.55, "but": 0.4, "then": 0.5, "while": 0.5, "so": 0.5, "if": 0.5, "when": 0.6, "because": 0.4, "or": 0.4, "assuming": 0.5,
	"with": 0.6, "on": 0.75, "at": 0.8, "for": 0.75, "over": 0.75, "from": 0.7, "by": 0.85, "in": 0.85, "to": 0.85, "than": 0.5,
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
			if b, ok := borders[p.tokens[i].fold]; ok {
				link *= b
			} else {
				link *= 0.9
			}
		case grammar:
			if b, ok := borders[p.tokens[i].fold]; ok {
				link *= b
			}
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
		switch t := p.tokens[i].fold; {
		case t == "." || t == "?" || t == "!" || t == ";":
			link *= 0.35
		case t == "," || t == "and" || t == "but" || t == "if" || t == "with":
			link *= 0.6
		case t == "on" || t == "for" || t == "at" || t == "over" || t == "from" || t == "by" || t == "per" || t == "in":
			link *= 0.75
		case p.meaning[i] == content:
			link *= 0.85
		}
	}
	return link
}
