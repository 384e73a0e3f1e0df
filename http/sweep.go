package http

import "reckon/commands"

// sweep reads for GET /v1/conversations/{id}/sweep.
func sweep(_ question, p *parameters) ([]commands.Place, func([]commands.Kept) (any, error)) {
	at := p.place()
	of, _ := p.text("of")
	ranges := []commands.Range{p.span("")}
	if _, ok := p.text("vary2"); ok {
		ranges = append(ranges, p.span("2"))
	}
	return []commands.Place{at}, func(list []commands.Kept) (any, error) { return commands.SweepOver(list[0], of, ranges), nil }
}

// span reads the values that an input takes, from parameters whose names end alike.
func (p *parameters) span(suffix string) commands.Range {
	var r commands.Range
	r.Name, _ = p.text("vary" + suffix)
	r.From, _ = p.text("from" + suffix)
	r.To, _ = p.text("to" + suffix)
	r.Values, _ = p.text("values" + suffix)
	r.Steps = p.integer("steps"+suffix, commands.DefaultSteps, 2, commands.MaxSteps)
	r.Ratio = p.choice("scale"+suffix, "linear", "log") == "log"
	switch ends := r.From != "" && r.To != ""; {
	case r.Name == "":
		p.refuse("vary"+suffix, "must name the input whose values vary")
	case r.Values != "" && (r.From != "" || r.To != ""):
		p.refuse("values"+suffix, "stand in the place of from and to")
	case r.Values == "" && !ends:
		p.refuse("from"+suffix+" and to"+suffix, "must be the first and the last value, or give values"+suffix)
	}
	return r
}
