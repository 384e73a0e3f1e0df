package http

import (
	"strings"

	"reckon/commands"
)

// comparison reads for GET /v1/conversations/{id}/compare.
func comparison(_ question, p *parameters) ([]commands.Place, func([]commands.Kept) (any, error)) {
	of, _ := p.text("of")
	given, _ := p.text("scenarios")
	var places []commands.Place
	for _, text := range strings.Split(given, ",") {
		index, ok := scenarioIndex(strings.TrimSpace(text))
		if !ok {
			places = nil
			break
		}
		places = append(places, commands.Place{Scenario: index})
	}
	if len(places) != 2 {
		p.refuse("scenarios", "must be the indexes of two scenarios, such as 1,2")
	}
	return places, func(list []commands.Kept) (any, error) { return commands.Compare(list[0], list[1], of), nil }
}
