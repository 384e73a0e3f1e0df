package http

import "reckon/commands"

// sensitivity reads for GET /v1/conversations/{id}/sensitivity.
func sensitivity(_ question, p *parameters) ([]commands.Place, func([]commands.Kept) (any, error)) {
	at := p.place()
	of, _ := p.text("of")
	by, _ := p.text("by")
	swings, ok := commands.ParseSwings(by)
	if !ok {
		p.refuse("by", "must be a percentage above 0% and up to 100%, or bounds")
	}
	return []commands.Place{at}, func(list []commands.Kept) (any, error) { return commands.SensitivityOf(list[0], of, swings), nil }
}
