package main

import (
	"fmt"
	"slices"

	"reckon/commands"
	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/value"
)

// printSensitivity draws a sensitivity as a tornado.
func printSensitivity(t terminal, s commands.Sensitivity) error {
	fmt.Fprintf(t.out, "%s: %s\n\n", inLine(s.Target.Title), inLine(s.Target.Text))
	rows := newTable("INPUT", "VALUE", "ELASTICITY", "FROM", "TO", "")
	var said []commands.Influence
	for _, in := range s.Inputs {
		elasticity := "-"
		if in.Elasticity != nil {
			elasticity = brief(*in.Elasticity)
			if in.Method == "difference" {
				elasticity = "~" + elasticity
			}
		}
		if in.Note != "" {
			said = append(said, in)
		}
		text := in.Text
		if text == "" {
			text = valueOf(in.Value, in.Display)
		}
		from, to := tornadoEnds(in)
		rows.add(in.Key, text, elasticity, from, to, barOf(in.Width, s.Inputs[0].Width, barRoom(t)))
	}
	if err := rows.print(t, "It rests on no input."); err != nil {
		return err
	}
	for i, in := range said {
		if i == 0 {
			fmt.Fprintln(t.out)
		}
		fmt.Fprintf(t.out, "%s: %s\n", in.Key, in.Message)
	}
	return nil
}

// tornadoEnds are the first and the last swing of an input; of a choice those with the least and
// the greatest target.
func tornadoEnds(in commands.Influence) (from, to string) {
	swings := slices.Clone(in.Swings)
	if len(swings) > 2 {
		slices.SortStableFunc(swings, func(a, b commands.Swing) int { return magnitude(a.Value).Cmp(magnitude(b.Value)) })
	}
	text := func(w commands.Swing) string {
		if len(w.Texts) < 2 || len(w.Dropped) > 0 {
			return "none at " + w.Texts[0]
		}
		return w.Texts[1] + " at " + w.Texts[0]
	}
	switch n := len(swings); n {
	case 0:
		return "-", "-"
	case 1:
		return text(swings[0]), "-"
	default:
		return text(swings[0]), text(swings[n-1])
	}
}

// brief is a number of a few digits.
func brief(text string) string {
	const places = 4
	x := decimal.NewContext(value.ParseBudget)
	shown, err := format.Render(x.Round(magnitude(text), places).String(), "number", "decimals_float")
	if err != nil {
		return text
	}
	return shown
}
