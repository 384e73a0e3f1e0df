package commandstest

import (
	"encoding/json"

	"reckon/events"
)

// Charts is the definition of a domain whose equations hand the cells of tables on to charts.
func Charts() events.Definition {
	variable := func(key, unit, kind string) events.Variable {
		return events.Variable{Key: key, Title: key, Unit: unit, Kind: kind, DefaultValue: json.RawMessage(`""`)}
	}
	def := events.Definition{
		Title: "Charts", Description: "Tables and how they are drawn.",
		Variables: []events.Variable{
			variable("levels", "", "bar_chart"), variable("bars", "", "bar_chart"),
			variable("lengths", "m", "table"), variable("others", "", "table"), variable("sides", "", "bar_chart"),
			variable("slices", "", "pie_chart"), variable("first", "", "bar_chart"), variable("turned", "", "bar_chart"),
			variable("width", "", "number"), variable("height", "", "number"), variable("sizes", "", "bar_chart"),
		},
	}
	for _, equation := range []string{
		"bars = levels", "sides = table(lengths, others)", "slices = column(sides, 2)", "first = row(sides, 1)",
		"turned = transpose(sides)", "sizes = [width, height, 3 [m]]",
	} {
		def.Activities = append(def.Activities, events.Activity{Title: equation, Equation: equation, State: "active"})
	}
	return def
}
