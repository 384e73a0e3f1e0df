package http

import (
	"strings"

	"reckon/commands"
)

// place reads the scenario that an analysis begins with: a scenario by its index, what a message
// has led to, or where the conversation stands.
func (p *parameters) place() (at commands.Place) {
	if text, ok := p.text("scenario"); ok {
		index, ok := scenarioIndex(text)
		if !ok {
			p.refuse("scenario", "must be the index of a scenario")
		}
		at.Scenario = index
	}
	if text, ok := p.text("message"); ok {
		id, ok := canonicalUUID(text)
		if !ok || at.Scenario > 0 {
			p.refuse("message", "must be the id of a message, and stands in the place of scenario")
		}
		at.Message = id
	}
	return at
}

// texts is a parameter that may stand in the query several times, none of them empty.
func (p *parameters) texts(name string, most int) []string {
	list := p.values[name]
	if len(list) > most {
		p.refuse(name, "stands too often in the query")
	}
	for _, text := range list {
		if strings.TrimSpace(text) == "" || len(text) > maxParameter {
			p.refuse(name, "must not be empty, and not longer than 1,000 bytes")
		}
	}
	return list
}

const (
	maxParameter  = 1000 // bytes
	maxParameters = 20
)

// seek reads for GET /v1/conversations/{id}/seek.
func seek(_ question, p *parameters) ([]commands.Place, func([]commands.Kept) (any, error)) {
	q := commands.SeekQuery{Over: p.texts("over", maxParameters), Where: p.texts("where", maxParameters)}
	for _, kind := range commands.SeekKinds {
		if text, ok := p.text(kind); ok {
			if q.Kind != "" || strings.TrimSpace(text) == "" {
				p.refuse(kind, "must name a variable, and be the only one of "+strings.Join(commands.SeekKinds, ", "))
			}
			q.Kind, q.Of = kind, text
		}
	}
	switch {
	case q.Kind == "":
		p.refuse("minimize", "or one of maximize, least and greatest must name a variable")
	case len(q.Over) == 0 && (q.Kind == "minimize" || q.Kind == "maximize"):
		p.refuse("over", "must name an input to move, such as over=quantity from 1 to 1000")
	case len(q.Where) == 0 && (q.Kind == "least" || q.Kind == "greatest"):
		p.refuse("where", "must say what holds, such as where=profit >= 1000 USD")
	}
	return []commands.Place{p.place()}, func(list []commands.Kept) (any, error) { return list[0].Seek(q), nil }
}
