package http

import "reckon/commands"

// uncertainty reads for GET /v1/conversations/{id}/uncertainty.
func uncertainty(_ question, p *parameters) ([]commands.Place, func([]commands.Kept) (any, error)) {
	q := commands.UncertaintyQuery{Of: p.texts("uncertain", maxParameters), Calculate: p.texts("calculate", maxParameters)}
	if len(q.Of) == 0 {
		p.refuse("uncertain", "must say what is open of an input, such as uncertain=length ± 0.1 m")
	}
	return []commands.Place{p.place()}, func(list []commands.Kept) (any, error) { return list[0].Uncertainty(q), nil }
}
