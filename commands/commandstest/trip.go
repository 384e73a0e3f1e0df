// Package commandstest holds what the tests of package commands, and of the packages beside it,
// have in common: the domain of a journey and what may be said of it. It imports none of them.
package commandstest

import (
	"encoding/json"
	"strconv"

	"reckon/events"
)

// Prompts about the trip: what Drive states and HowLong says is the same.
const (
	Drive   = "distance: 150 mi\nspeed: 60 mi/h\ncalculate: time"
	HowLong = "how long for 150 miles at 60 mph?"
)

// Trip is a new copy of the definition of the domain that scenarios are tested with.
func Trip() events.Definition {
	variable := func(key, unit, def string) events.Variable {
		return events.Variable{Key: key, Title: key, Unit: unit, Kind: "number", DefaultValue: json.RawMessage(strconv.Quote(def))}
	}
	def := events.Definition{
		Title: "Trip", Description: "A journey.",
		Variables: []events.Variable{
			variable("distance", "mi", ""), variable("speed", "mi/h", ""), variable("time", "h", ""),
			variable("consumption", "gal/mi", "0.05 gal/mi"), variable("fuel", "gal", ""),
			variable("price", "USD/gal", ""), variable("cost", "USD", ""),
			variable("start", "s", "now"), variable("arrival", "s", ""),
		},
		Activities: []events.Activity{
			{Title: "Driving time", Equation: "time = distance / speed", State: "active"},
			{Title: "Fuel", Equation: "fuel = distance * consumption", State: "active"},
			{Title: "Cost", Equation: "cost = fuel * price", State: "active"},
			{Title: "Arrival", Equation: "arrival = start + time", State: "active"},
		},
	}
	def.Variables[7].Kind, def.Variables[8].Kind = "datetime", "datetime"
	return def
}
