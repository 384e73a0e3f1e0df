package http

import (
	"reckon/commands"
)

// explanationForms are what an explanation can be had as besides JSON, with its Content-Type.
var explanationForms = map[string]struct {
	kind  string
	write func(*commands.Explanation) string
}{
	"text":   {"text/plain; charset=utf-8", (*commands.Explanation).Text},
	"tex":    {"application/x-tex; charset=utf-8", (*commands.Explanation).TeX},
	"mathml": {"application/mathml+xml", (*commands.Explanation).MathML},
}

// explanation reads for GET /v1/conversations/{id}/messages/{message_id}/explanation.
func explanation(q question, p *parameters) ([]commands.Place, func([]commands.Kept) (any, error)) {
	form := p.choice("format", "json", "text", "tex", "mathml")
	return []commands.Place{{Message: q.message}}, func(list []commands.Kept) (any, error) {
		e := list[0].Explain()
		if f, ok := explanationForms[form]; ok {
			return document{f.kind, f.write(&e)}, nil
		}
		return e, nil
	}
}
