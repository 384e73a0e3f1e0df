package language

import (
	"strings"
	"testing"

	"reckon/engine"
	"reckon/engine/decimal"
	"reckon/engine/value"
)

// stall is a bake sale with two prices, two results that sum up and choices.
func stall(t *testing.T) *Vocabulary {
	t.Helper()
	return compiled(t, engine.Definition{
		Title: "Bake sale",
		Variables: []value.Variable{
			{Key: "cakes", Title: "Cakes", Min: "0"}, {Key: "slices", Title: "Slices per cake", Default: value.Scalar("12")},
			{Key: "slice_price", Title: "Slice price", Unit: "USD"},
			{Key: "bags", Title: "Bags", Min: "0"}, {Key: "bag_price", Title: "Bag price", Unit: "USD", Default: value.Scalar("2 USD")},
			{Key: "size", Title: "Size", Choices: []value.Choice{{Label: "small", Value: decimal.Int(1)}, {Label: "large", Value: decimal.Int(2)}}, Default: value.Scalar("small")},
			{Key: "ribbon", Title: "Ribbon", Choices: []value.Choice{{Label: "no"}, {Label: "yes", Value: decimal.Int(1)}}, Default: value.Scalar("no")},
			{Key: "helpers", Title: "Helpers", Min: "0"}, {Key: "hours", Title: "Hours", Unit: "h"}, {Key: "work", Title: "Work", Unit: "h"},
			{Key: "cake_money", Title: "Cake money", Unit: "USD"}, {Key: "bag_money", Title: "Bag money", Unit: "USD"},
			{Key: "raised", Title: "Raised", Unit: "USD"},
		},
		Activities: []engine.Activity{
			{Equation: "cake_money = cakes * slices * slice_price"}, {Equation: "bag_money = bags * (bag_price * size + ribbon * 1 [USD])"},
			{Equation: "raised = cake_money + bag_money"}, {Equation: "work = helpers * hours"},
		},
	})
}

// TestAskedBack states amounts that could be several variables', or none that the answer needs, and
// ones that words tell apart.
func TestAskedBack(t *testing.T) {
	v := stall(t)
	for _, c := range []struct{ prompt, want string }{
		{"20 cakes and 30 bags, the price is $3. How much is raised?", "language.ambiguous: It could mean: (1) Cakes 20 and Bags 30 and Slice price 3 USD for Raised or (2) Cakes 20 and Bags 30 and Bag price 3 USD for Raised."},
		{"20 cakes and 30 bags, the slice price is $3. How much is raised?", "cakes=20 slice_price=3 USD bags=30 -> raised @new"},
		{"cake money and bag money for 20 cakes with a slice price of $3 and 30 bags with a bag price of $1", "cakes=20 slice_price=3 USD bags=30 bag_price=1 USD -> cake_money, bag_money @new"},
		{"20 cakes and 30 bags, one price is $3 and the other $2, how much is raised?", "language.ambiguous: It could mean: (1) Cakes 20 and Bags 30 and Bag price 3 USD and Slice price 2 USD for Raised or (2) Cakes 20 and Bags 30 and Slice price 3 USD and Bag price 2 USD for Raised."},
		{"20 cakes and 30 bags, the bag price is $3 and the other one $2, how much is raised?", "cakes=20 slice_price=2 USD bags=30 bag_price=3 USD -> raised @new"},
		{"20 cakes, the price is $3, bags for $2 and balloons for $4, how much is raised?", `language.not_understood: The request was not understood: "$4" fits no variable.`},
		{"20 bags, ribbon no, bag price $1, bag money?", "bags=20 bag_price=1 USD ribbon=no -> bag_money @new"},
		{"20 bags, the ribbon is not wanted, bag money?", "bags=20 ribbon=no -> bag_money @new"},
		{"20 bags, ribbon isn't needed, bag money?", "bags=20 ribbon=no -> bag_money @new"},
		{"20 bags, is the ribbon needed? bag money?", "bags=20 ribbon=yes -> bag_money @new"},
		{"20 bags with ribbon yes: bag money?", "bags=20 ribbon=yes -> bag_money @new"},
		{"20 bags, ribbon: maybe, bag money?", `language.not_understood: The request was not understood: "ribbon: maybe".`},
		{"20 bags, ribbon yes, ribbon no, bag money?", `language.ambiguous: It could mean: Ribbon as "ribbon yes" or "ribbon no".`},
		{"20 bags with ribbon: size large, bag money?", "bags=20 size=large ribbon=yes -> bag_money @new"},
		{"class 7b buys 20 bags. What is the bag money?", "bags=20 -> bag_money @new"},
		{"20 cakes with a slice price of $3, 30 bags: cake money, bag money?", "cakes=20 slice_price=3 USD bags=30 -> cake_money, bag_money @new"},
		{"20 cakes with a slice price of $3, 30 bags: cake money? bag money?", "cakes=20 slice_price=3 USD bags=30 -> cake_money, bag_money @new"},
		{"20 cakes with a slice price of $3, 30 bags, how much money do we get?", "language.ambiguous: It could mean: (1) Cake money, (2) Bag money or (3) Raised."},
		{"for a zeppelin, 20 bags, bag money?", "bags=20 -> bag_money @new"},
		{"bag money for a zeppelin, 20 bags", `language.not_understood: The request was not understood: "zeppelin".`},
		{"20 helpers, hours 3 bar, work?", `language.not_understood: The request was not understood: "3 bar" for Hours.`},
		{"20 cakes, slice price $3, napkins $8, how much is raised?", `language.not_understood: The request was not understood: "$8" fits no variable.`},
		{"4 helpers and 10 bags, how much money is that?", "language.not_understood: The request was not understood: Helpers, which takes no part in Bag money."},
		{"bag money for 10 bags and 4 helpers", "bags=10 helpers=4 -> bag_money @new"},
		{"The 4 helpers pack 10 bags. What is the bag money?", "bags=10 helpers=4 -> bag_money @new"},
		{"bag money for 10 bags in size extra wide", `language.not_understood: The request was not understood: "in size extra".`},
		{"bag money for 10 large bags", "bags=10 size=large -> bag_money @new"},
		{"bags 10 bag price 3 bag money", "bags=10 bag_price=3 USD -> bag_money @new"},
		{"What is the bag money for 10 bags with a bag price of 50 cents, so a bag price of 0.50 USD?", "bags=10 bag_price=0.5 USD -> bag_money @new"},
		{"What is the bag money for 10 bags with a bag price of 50 cents, so 0.50 USD?", "bags=10 bag_price=0.5 USD -> bag_money @new"},
		{"bag money from 10 bags, helpers 3 hours", `language.not_understood: The request was not understood: "3 hours" for Helpers.`},
		{"10 bags, ribbon: no, bag money?", "bags=10 ribbon=no -> bag_money @new"},
		{"how many cakes are 240 USD of cake money at a slice price of 2 USD?", "slice_price=2 USD cake_money=240 USD -> cakes @new"},
		{"cake money for 20 cakes, slice price 3 USD and 20 candles", `language.not_understood: The request was not understood: "20" fits no variable.`},
		{"bag money for 10 bags and 3 flat-bottomed boats", `language.not_understood: The request was not understood: "3" fits no variable.`},
		{"bag money for 10 bags with a bag price of 2 kg", `language.not_understood: The request was not understood: "2 kg" fits no variable.`},
		{"bag money for 10 bags, 5 dollars for postage", `language.not_understood: The request was not understood: "5 dollars" fits no variable.`},
		{"bag money for 10 bags against rhubarb", `language.not_understood: The request was not understood: "rhubarb".`},
		{"Order of 20 cakes.", "cakes=20 -> fetch @new"},
		{"size: large", "size=large -> fetch @new"},
		{"bgsa 10, bag money?", "bags=10 -> bag_money @new"},
		{"work for 4 helpers over a whole day", "helpers=4 hours=24 h -> work @new"},
	} {
		o := v.Evaluate(Dialogue{Turns: []Turn{{Prompt: c.prompt}}}, false, tripEnv)[0]
		if !strings.HasPrefix(o.Got, c.want) {
			t.Errorf("%s: %s, want %s\n%s", c.prompt, o.Got, c.want, o.Trace.String())
		}
	}
}

// shooting is a shooting club with two results that count things, two defaults without a unit,
// choices called by codes and money that is a part of other money.
func shooting(t *testing.T) *Vocabulary {
	t.Helper()
	return compiled(t, engine.Definition{
		Title: "Shooting club",
		Variables: []value.Variable{
			{Key: "shooters", Title: "Shooters", Min: "0"}, {Key: "rounds", Title: "Rounds", Min: "0"},
			{Key: "per_round", Title: "Shots per round", Default: value.Scalar("6")}, {Key: "per_lane", Title: "Shooters per lane", Default: value.Scalar("4")},
			{Key: "shots", Title: "Shots"}, {Key: "lanes", Title: "Lanes"},
			{Key: "card", Title: "Score card", Choices: []value.Choice{{Label: "A5", Value: decimal.Int(1)}, {Label: "A4", Value: decimal.Int(2)}}, Default: value.Scalar("A5")},
			{Key: "shot_price", Title: "Shot price", Unit: "USD"}, {Key: "tank", Title: "Tank pressure", Unit: "bar"},
			{Key: "ammunition", Title: "Ammunition cost", Unit: "USD"}, {Key: "hire", Title: "Lane hire", Unit: "USD", Default: value.Scalar("50 USD")},
			{Key: "total", Title: "Total cost", Unit: "USD"}, {Key: "air", Title: "Air used", Unit: "bar"},
		},
		Activities: []engine.Activity{
			{Equation: "shots = shooters * rounds * per_round"}, {Equation: "lanes = shooters / per_lane"},
			{Equation: "ammunition = shots * shot_price * card"}, {Equation: "total = ammunition + hire"}, {Equation: "air = tank / 2"},
		},
	})
}

// TestAskedBackOfResults asks for results that no word tells apart, and states amounts that may be
// a part or a whole, or one default or another.
func TestAskedBackOfResults(t *testing.T) {
	v := shooting(t)
	for _, c := range []struct{ prompt, want string }{
		{"how many do we need for 40 shooters over 12 rounds?", "language.ambiguous: It could mean: (1) Shots or (2) Lanes."},
		{"how many shots for 40 shooters over 12 rounds?", "shooters=40 rounds=12 -> shots @new"},
		{"40 shooters, 12 rounds, shot price 2.2 bar, ammunition cost?", `language.not_understood: The request was not understood: "2.2 bar" for Shot price.`},
		{"ammunition cost of 40 shooters and 12 rounds on A6 cards at a shot price of $2", `language.not_understood: The request was not understood: "A6 cards".`},
		{"ammunition cost of 40 shooters and 12 rounds on A4 cards at a shot price of $2", "shooters=40 rounds=12 card=A4 shot_price=2 USD -> ammunition @new"},
		{"ammunition cost for 40 shooters, 12 rounds, shot price $2, sandwiches $80", `language.not_understood: The request was not understood: "$80" fits no variable.`},
		{"ammunition cost for 40 shooters, 12 rounds and a shot price of $2 with a tip of $9", `language.not_understood: The request was not understood: "$9" fits no variable.`},
	} {
		d := Dialogue{Turns: []Turn{{Prompt: c.prompt}}}
		if outcomes := v.Evaluate(d, false, tripEnv); outcomes[0].Got != c.want {
			t.Errorf("%s: %s, want %s\n%s", c.prompt, outcomes[0].Got, c.want, outcomes[0].Trace)
		}
	}
}

// TestComparesChoices compares with the scenario that has a choice.
func TestComparesChoices(t *testing.T) {
	turns := []Turn{{Prompt: "bag money for 10 small bags"}, {Prompt: "large ones"}, {Prompt: "compare that with the small bags"}, {Prompt: "compare with the large ones"}}
	outcomes := stall(t).Evaluate(Dialogue{Turns: turns}, false, tripEnv)
	if o := outcomes[2]; o.Trace.Compare != 1 {
		t.Errorf("%s: compared with %d, want 1\n%s", o.Prompt, o.Trace.Compare, o.Trace.String())
	}
	if o := outcomes[3]; o.Trace.Compare != 0 {
		t.Errorf("%s, which is in focus: compared with %d", o.Prompt, o.Trace.Compare)
	}
}

// TestAsksAnew asks for a result that does not follow yet, by its name alone, and says what it
// lacks.
func TestAsksAnew(t *testing.T) {
	turns := []Turn{{Prompt: "bag money for 10 bags"}, {Prompt: "and the cake money?"}, {Prompt: "20 cakes at a slice price of 2 USD"}}
	outcomes := stall(t).Evaluate(Dialogue{Turns: turns}, false, tripEnv)
	for i, want := range []string{"bags=10 -> bag_money @new", "-> cake_money @1 calculation.missing_inputs", "cakes=20 slice_price=2 USD -> cake_money @1"} {
		if outcomes[i].Got != want {
			t.Errorf("%s: %s, want %s\n%s", turns[i].Prompt, outcomes[i].Got, want, outcomes[i].Trace.String())
		}
	}
}

// TestDeniedMoney holds that "no tolls" are tolls of 0, and that "two drivers cost" are no money.
func TestDeniedMoney(t *testing.T) {
	v := compiled(t, engine.Definition{
		Variables: []value.Variable{
			{Key: "road", Title: "Road cost", Unit: "EUR"}, {Key: "tolls", Title: "Tolls", Unit: "EUR", Default: value.Scalar("20 EUR")},
			{Key: "driver_cost", Title: "Driver cost", Unit: "EUR"}, {Key: "total", Title: "Total", Unit: "EUR"},
		},
		Activities: []engine.Activity{{Equation: "total = road + tolls + driver_cost"}},
	})
	for prompt, want := range map[string]string{
		"road cost 190 EUR, driver cost 140 EUR, no tolls, total?": "road=190 EUR tolls=0 EUR driver_cost=140 EUR -> total @new",
		"road cost 190 EUR, what two drivers cost, total?":         "language.not_understood",
	} {
		if got, trace := interpreted(t, v, prompt); got != want {
			t.Errorf("%s: %s, want %s\n%s", prompt, got, want, trace)
		}
	}
}
