// Package prompt reads structured text and JSON prompts into requests, tells the formats apart, and
// writes results back in the same grammar, so that everything it writes can be posted again.
//
// Structured text is a list of lines; white space around names, values and cells means nothing:
//
//	scenario: new from 2          # new, current, last, a number, or "new from" and a number
//	speed: 60 mi/h                # a value; the first ":" outside a quoted name separates
//	"Travel time": 2 h 30 min     # a variable by its title
//	tolls:                        # nothing: the variable has no value
//	prices: [1 USD, "", 3 USD]    # a table on one line; "" or nothing is an empty cell
//	guests: [40, 50, 60]          # several values of one variable, to be calculated with one after the other
//	costs:                        # a table in rows; a Markdown header is checked and dropped
//	| Year | Cost    |
//	|------|---------|
//	| 1    | 200 USD |
//	calculate: distance in km     # to, as and -> too; "distance: ?" and "distance: ? in km" say the same
//	calculate: fuel, cost in EUR  # several; further calculate lines add to them
//
// Where the grammar leaves room:
//
//   - Double quotes count only at the start of a name or cell, and only when they close again. What
//     is inside is literal, ":", "#", "|" and "," included; there is no escape. A quoted name is
//     always a variable, so that one with the title Scenario can be given.
//   - "#" starts a comment as the first character of a line, or behind a value after white space;
//     never inside a name or quotes.
//   - Rows belong to the nearest variable above with nothing behind its colon, blank lines,
//     comments and other entries between them or not. "calculate" and "scenario" never take rows.
//     Rows of one cell each make a column.
//   - "calculate:" and "scenario:" with nothing behind them are errors (input.missing_calculate,
//     scenario.invalid_selector), as is a second scenario line (input.invalid_structured_text).
//   - A unit asked for is split off at the last separator that leaves a variable of the domain in
//     front of it, so that "calculate: torque in in lbf" asks for inch pounds-force.
//   - "calculate: everything" asks for all that follows, where no variable is called so.
package prompt

import (
	"errors"

	"reckon/engine/value"
)

// Formats of a prompt, as input_format in schemas/openapi.yaml names them.
const (
	NaturalLanguage = "natural_language"
	Structured      = "structured"
	JSON            = "json"
	Automatic       = "automatic"
)

// ErrInvalidJSON says that a prompt which must be JSON is not.
var ErrInvalidJSON = errors.New("the prompt is not valid JSON")

// Input is one entry of parsed_json.
type Input struct {
	Key   string     `json:"key"`
	Value value.Text `json:"value"`
}

// Calculate is what parsed_json asks for: a variable, or everything.
type Calculate struct {
	Key  string      `json:"key"`
	Unit *string     `json:"unit"`
	Also []Calculate `json:"also,omitempty"` // what else is asked for, without more of these
}

// Parsed is parsed_json: what a request states, without carried values. It can be posted as a JSON
// prompt and means the same.
type Parsed struct {
	Version   int        `json:"version"`
	Inputs    []Input    `json:"inputs"`
	Calculate *Calculate `json:"calculate"`
	Scenario  string     `json:"scenario,omitempty"` // absent only where no scenario is meant
}
