package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/value"
)

// TestGuesses asks for what a domain does not have, which is refused, and for what looks like it
// and is there.
func TestGuesses(t *testing.T) {
	choices := func(labels ...string) (list []value.Choice) {
		for i, l := range labels {
			list = append(list, value.Choice{Label: l, Value: decimal.Int(int64(i + 1))})
		}
		return list
	}
	shelves := engine.Definition{
		Title: "Shelves",
		Variables: []value.Variable{
			{Key: "length", Title: "Shelf length", Unit: "m"}, {Key: "shelves", Title: "Shelves"}, {Key: "volume", Title: "Tank volume", Unit: "L"},
			{Key: "wood", Title: "Wood", Choices: choices("oak", "pine"), Default: value.Scalar("pine")},
			{Key: "rush", Title: "Rush order", Choices: []value.Choice{{Label: "no"}, {Label: "yes", Value: decimal.Int(1)}}, Default: value.Scalar("no")},
			{Key: "price", Title: "Price", Unit: "EUR", Aliases: []string{"cost"}},
			{Key: "weight", Title: "Weight of the water", Unit: "kg"},
		},
		Activities: []engine.Activity{{Equation: "price = shelves * length * wood * 20 [EUR/m] + rush * 9 [EUR]"}, {Equation: "weight = volume * 1 [kg/L]"}},
	}
	regal := engine.Definition{
		Title: "Regal", Language: "de",
		Variables: []value.Variable{
			{Key: "laenge", Title: "Brettlänge", Unit: "m", Aliases: []string{"Länge"}}, {Key: "bretter", Title: "Bretter"},
			{Key: "holz", Title: "Holz", Choices: choices("Eiche", "Kiefer"), Default: value.Scalar("Kiefer")},
			{Key: "preis", Title: "Preis", Unit: "EUR"},
		},
		Activities: []engine.Activity{{Equation: "preis = bretter * laenge * holz * 20 [EUR/m]"}},
	}
	concert := engine.Definition{
		Title: "Concert",
		Variables: []value.Variable{
			{Key: "audience", Title: "Audience"}, {Key: "rooms", Title: "Number of rooms"}, {Key: "nights", Title: "Number of nights", Aliases: []string{"nights without a concert"}},
			{Key: "concerts", Title: "Concerts"},
			{Key: "hotel", Title: "Hotel", Choices: choices("three star", "five star"), Default: value.Scalar("three star")},
			{Key: "ticket", Title: "Ticket price", Unit: "EUR"}, {Key: "takings", Title: "Takings", Unit: "EUR"}, {Key: "lodging", Title: "Lodging", Unit: "EUR"},
		},
		Activities: []engine.Activity{{Equation: "takings = audience * ticket"}, {Equation: "lodging = hotel * rooms * nights * 90 [EUR]"}},
	}
	for _, c := range []struct {
		def          engine.Definition
		prompt, want string
	}{
		{shelves, "price of 3 shelves of 2 m with marble tops", `language.not_understood: The request was not understood: "marble".`},
		{shelves, "what do 3 shelves 2 m long cost in teak?", `language.not_understood: The request was not understood: "teak".`},
		{shelves, "price of 3 shelves made of beech, 2 m", `language.not_understood: The request was not understood: "beech".`},
		{shelves, "price of 3 shelves of 2 m to Antarctica", `language.not_understood: The request was not understood: "Antarctica".`},
		{shelves, "price of 3 oak shelves of 2 m", "length=2 m shelves=3 wood=oak -> price @new"},
		{shelves, "price of 3 shelves of 2 m in oak", "length=2 m shelves=3 wood=oak -> price @new"},
		{shelves, "price of 3 shelves of 2 m in the kitchen", "length=2 m shelves=3 -> price @new"},
		{shelves, "my rush job has a tank volume of 3 L, weight of the water?", "volume=3 L -> weight @new"},
		{shelves, "price of 3 shelves of 2 m as a rush job", "length=2 m shelves=3 rush=yes -> price @new"},
		{shelves, "price of 3 shelves of 2 m to hang on the wall", "length=2 m shelves=3 -> price @new"},
		{shelves, "tank volume 3 m, weight of the water?", `language.not_understood: The request was not understood: "3 m" for Tank volume.`},
		{shelves, "wallpaper for 3 shelves of 2 m", `language.not_understood: The request was not understood: "wallpaper".`},
		{shelves, "price of 3 shelves of 2 m, bamboo", `language.not_understood: The request was not understood: "bamboo".`},
		{shelves, "The carpenter starts in autumn. What is the price of 3 shelves of 2 m?", "length=2 m shelves=3 -> price @new"},
		{shelves, "price of 3 shelves of 2 m, but the customer does not want a rush order", "length=2 m shelves=3 rush=no -> price @new"},
		{shelves, "Nobody asked for a rush order. Price of 3 shelves of 2 m?", "length=2 m shelves=3 rush=no -> price @new"},
		{shelves, "weight of the water at a tank volume of 3 hours", `language.not_understood: The request was not understood: "3 hours" fits no variable.`},
		{shelves, "Job for Mrs. Lindqvist: the shelf length is 2 m", "length=2 m -> fetch @new"},
		{shelves, "We'll cut 12 shelves on Thursday.", "shelves=12 -> fetch @new"},
		{regal, "Was kosten 3 Bretter aus Nussbaum, Länge 2 m?", `language.not_understood: The request was not understood: "Nussbaum".`},
		{regal, "Preis für 3 Bretter mit Länge 2 m in Ahorn?", `language.not_understood: The request was not understood: "Ahorn".`},
		{regal, "Was kosten 3 Bretter aus Eiche, Länge 2 m?", "laenge=2 m bretter=3 holz=Eiche -> preis @new"},
		{concert, "takings with an audience of five hundred at a ticket price of 20 EUR?", "audience=500 ticket=20 EUR -> takings @new"},
		{concert, "lodging of 4 rooms and 3 nights in a five star hotel?", "rooms=4 nights=3 hotel=five star -> lodging @new"},
		{concert, "lodging of 4 rooms and 3 nights without a concert?", "rooms=4 nights=3 -> lodging @new"},
		{concert, "lodging of 4 rooms and 2 dogs?", `language.not_understood: The request was not understood: "2" fits no variable.`},
	} {
		d, issues := engine.Compile(c.def)
		if d == nil {
			t.Fatal(issues)
		}
		o := New(d).Evaluate(Dialogue{Turns: []Turn{{Prompt: c.prompt}}}, false, tripEnv)[0]
		if !strings.HasPrefix(o.Got, c.want) {
			t.Errorf("%s: %s, want %s\n%s", c.prompt, o.Got, c.want, o.Trace.String())
		}
	}
}
