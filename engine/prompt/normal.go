package prompt

import "reckon/engine"

// Normal is parsed_json of a request and its result (the resolved selector and targets come from
// the result).
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
		parsed.Calculate = Asked(d, append([]engine.Target{{Variable: res.Calculated, Unit: res.Unit}}, res.Also...), res.Everything)
	}
	return parsed
}

// Asked is what is asked for as a JSON prompt has it, nil for nothing.
func Asked(d *engine.Domain, targets []engine.Target, everything bool) *Calculate {
	if everything {
		return &Calculate{Key: engine.Everything}
	}
	var all []Calculate
	for _, t := range targets {
		one := Calculate{Key: d.Variables[t.Variable].Key}
		if t.Unit != nil {
			symbol := t.Unit.String()
			one.Unit = &symbol
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil
	}
	all[0].Also = all[1:]
	return &all[0]
}
