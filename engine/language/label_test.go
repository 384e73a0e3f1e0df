package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/value"
)

// Labels stand in prose for the choices of variables, and the name of what is or is not for its
// being so.
func TestLabels(t *testing.T) {
	choices := func(labels ...string) (list []value.Choice) {
		for i, l := range labels {
			list = append(list, value.Choice{Label: l, Value: decimal.Int(int64(i))})
		}
		return list
	}
	zones := choices("National", "EU", "Rest of world")
	zones[1].Aliases = []string{"European Union"}
	d, issues := engine.Compile(engine.Definition{
		Title: "Parcel", Description: "What a parcel costs by weight and zone.",
		Variables: []value.Variable{
			{Key: "weight", Title: "Weight", Unit: "kg"},
			{Key: "zone", Title: "Zone", Choices: zones, Default: value.Scalar("National")},
			{Key: "express", Title: "Express delivery", Choices: choices("no", "yes"), Default: value.Scalar("no")},
			{Key: "size", Title: "Box", Choices: choices("small", "medium", "very large"), Default: value.Scalar("small")},
			{Key: "colour", Title: "Colour", Choices: choices("plain", "colour"), Default: value.Scalar("plain")},
			{Key: "price", Title: "Price", Unit: "EUR", Aliases: []string{"cost"}},
		},
		Activities: []engine.Activity{{Title: "Price", Equation: `price = weight * 2 [EUR/kg] + zone * 1 [EUR] + if(express, 9 [EUR], 0 [EUR]) + size * 1 [EUR] + colour * 1 [EUR]`}},
	})
	if d == nil {
		t.Fatal(issues)
	}
	v := New(d)
	for prompt, want := range map[string]string{
		"what does 5 kg to the EU cost?":                                   "weight: 5 kg; zone: EU; price",
		"price of 3 kg to the rest of the world":                           "weight: 3 kg; zone: Rest of world; price",
		"cost for 3 kg to anywhere in the world":                           "weight: 3 kg; zone: Rest of world; price",
		"what is the price of 2 kg with express delivery?":                 "weight: 2 kg; express: yes; price",
		"what is the price of 2 kg without express delivery?":              "weight: 2 kg; express: no; price",
		"price for 2 kg, no express, in a very large box":                  "weight: 2 kg; express: no; size: very large; price",
		"price of 1 kg in the medium box to the eu with express":           "weight: 1 kg; size: medium; zone: EU; express: yes; price",
		"price of 1 kg, zone: EU":                                          "weight: 1 kg; zone: EU; price",
		"how much for 2 kg express to the EU?":                             "weight: 2 kg; express: yes; zone: EU; price",
		"how much for 2 kg to the European Union?":                         "weight: 2 kg; zone: EU; price",
		"what is the price of 2 kg in colour?":                             "weight: 2 kg; colour: colour; price",
		"which colour is it if 5 kg cost 11 EUR?":                          "weight: 5 kg; price: 11 EUR; colour",
		"which zone is it if 5 kg cost 11 EUR?":                            "weight: 5 kg; price: 11 EUR; zone",
		"price for 2 kg without the express delivery":                      "weight: 2 kg; express: no; price",
		"price of 2 kg in a meduim box":                                    "weight: 2 kg; size: medium; price",
		"price of 2 kg, large box":                                         "weight: 2 kg; size: very large; price",
		"it's a medium box":                                                "size: medium; size",
		"there's something medium for you":                                 "size: medium; size",
		"please carry something medium to the attic":                       `The request was not understood: "carry".`,
		"price of 2 kg to the Europaen Union":                              "weight: 2 kg; zone: EU; price",
		"price of 2 kg, on a medium day":                                   "weight: 2 kg; price",
		"price of 2 kg in a small box and in a medium box":                 "weight: 2 kg; size: small | medium; price",
		"price of 2 kg to the EU or the rest of the world":                 "weight: 2 kg; zone: EU | Rest of world; price",
		"price of 2 kg to the EU and to the European Union":                `It could mean: Zone as "EU" or "European Union".`,
		"price of 2 kg in a small box. How much is a small box?":           "weight: 2 kg; size: small; price",
		"price of 2 kg to the EU, not in a small box but in a meduim one":  "weight: 2 kg; zone: EU; size: medium; price",
		"price of 2 kg, and I'd rather have a medium box than a small one": "weight: 2 kg; size: medium; price",
		"price of 2 kg with exprses delivery":                              "weight: 2 kg; express: yes; price",
		"price for 2 kg, not an express delivery":                          "weight: 2 kg; express: no; price",
		"price of 2 kg in a velvet box":                                    `The request was not understood: "velvet box".`,
		"how much do 2 kg of marzipan cost?":                               `The request was not understood: "marzipan".`,
	} {
		request, trace, errs := v.Interpret(prompt, empty(), tripEnv)
		got := ""
		for _, in := range request.Inputs {
			text := in.Normal.Scalar()
			if in.Normal.Rank > 0 {
				var list []string
				for _, cell := range in.Normal.Cells {
					list = append(list, cell[0])
				}
				text = strings.Join(list, " | ")
			}
			got += d.Variables[in.Variable].Key + ": " + text + "; "
		}
		switch {
		case len(errs) > 0:
			got = errs[0].Filled()
		case len(request.Targets) > 0:
			got += d.Variables[request.Targets[0].Variable].Key
		}
		if got != want {
			t.Errorf("%s: %s, want %s\n%s", prompt, got, want, trace.String())
		}
	}
}
