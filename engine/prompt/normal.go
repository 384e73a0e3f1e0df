package prompt

import "reckon/engine"

// Normal is parsed_json of a request and its result (the resolved selector and target come from the
// result).
func Normal(d *engine.Domain, req engine.Request, res engine.Result) Parsed {
	parsed := Parsed{Version: version, Inputs: []Input{}, Scenario: res.Selector.String()}
	for _, given := range req.Inputs {
		input := Input{Key: d.Variables[given.Variable].Key}
		if !given.Cleared {
			input.Value = given.Normal
		}
		parsed.Inputs = append(parsed.Inputs, input)
	}
	if res.Calculated >= 0 {
		parsed.Calculate = &Calculate{Key: d.Variables[res.Calculated].Key}
		if res.Unit != nil {
			symbol := res.Unit.String()
			parsed.Calculate.Unit = &symbol
		}
	}
	return parsed
}
