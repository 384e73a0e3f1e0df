package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"reckon/commands"
	"reckon/engine/decimal"
	"reckon/engine/format"
	"reckon/engine/value"
)

type compareCommand struct {
	keptFlags
	Of   string `help:"The target to explain, such as 'time in min'; what the second scenario asked last when absent." placeholder:"TARGET"`
	JSON bool   `name:"json" help:"Print it as data."`
}

func (*compareCommand) Help() string {
	return `Tells what differs between two scenarios, and which part of the difference of a target each changed input has. The parts add up to it.
The exit status is 1 when they cannot be compared.

Examples:
  reckon compare --domain trip.yaml $'distance: 150 mi\nspeed: 60 mi/h\ncalculate: time' $'speed: 75 mi/h\ndistance: 180 mi'
  reckon compare --conversation 0199c0de-0000-7000-8000-000000000000 --scenario 1 --scenario 3 --of cost
  reckon compare --conversation 0199c0de-0000-7000-8000-000000000000 --server https://reckon.example.com`
}

func (c *compareCommand) Run(t terminal) error {
	return c.find(t, 2, func(list []commands.Kept) error {
		if len(list) != 2 {
			return errors.New("give two scenarios: two prompts, or --scenario twice")
		}
		found := commands.Compare(list[0], list[1], c.Of)
		return printAnalysis(t, c.JSON, found, found.Errors, func() error { return printComparison(t, found) })
	})
}

// printAnalysis prints an analysis as data, or for reading; its errors give the exit status.
func printAnalysis(t terminal, asJSON bool, all any, errs []value.Error, read func() error) error {
	var err error
	switch {
	case asJSON:
		err = printJSON(t, all)
	case len(errs) > 0:
		showErrors(t.err, errs)
	default:
		err = read()
	}
	if err == nil && len(errs) > 0 {
		return exit(1)
	}
	return err
}

func printComparison(t terminal, c commands.Comparison) error {
	target := c.Target
	shown := target.Title
	switch {
	case len(target.Texts) > 0:
		shown += fmt.Sprintf(": %s -> %s", target.Texts[0], target.Texts[1])
	case target.First != nil && target.Second != nil:
		shown += fmt.Sprintf(": %s -> %s", valueOf(*target.First, target.Display), valueOf(*target.Second, target.Display))
	}
	if target.Text != "" {
		shown += ", " + target.Text
	}
	fmt.Fprintln(t.out, inLine(shown))
	changes := map[string]commands.Change{}
	for _, change := range c.Changes {
		changes[change.Key] = change
	}
	if len(c.Shares) > 0 {
		fmt.Fprintln(t.out)
		rows := newTable("INPUT", "FROM", "TO", "SHARE", "PART", "")
		largest := c.Shares[0].Value
		for _, s := range c.Shares {
			text := s.Text
			if s.Error != "" {
				text += " (standard error " + s.Error + ")"
			}
			bar := barOf(s.Value, largest, barRoom(t))
			if len(s.Variables) == 0 {
				rows.add("other causes", "", "", text, partText(s.Part), bar)
			}
			for i, v := range s.Variables {
				first, second := "", ""
				if change, ok := changes[v.Key]; ok {
					first, second = changedText(change.First), changedText(change.Second)
				}
				if i > 0 {
					rows.add(v.Key, first, second, "(together)")
					continue
				}
				rows.add(v.Key, first, second, text, partText(s.Part), bar)
			}
		}
		if err := rows.print(t, ""); err != nil {
			return err
		}
	}
	if c.Orders > 0 {
		fmt.Fprintf(t.out, "\nThe shares are means over %d orders of the changes.\n", c.Orders)
	}
	if w := c.Without; w != nil {
		fmt.Fprintln(t.out, "\n"+w.Message)
		for _, combination := range w.Combinations {
			fmt.Fprintf(t.out, "  With %s changed: %s\n", keysText(combination.Changed), inLine(combination.Errors[0].Filled()))
		}
	}
	rows := newTable("VALUE", "FROM", "TO")
	for _, change := range c.Changes {
		if (len(c.Shares) == 0 || !change.Input) && change.Key != target.Key {
			rows.add(change.Key, changedText(change.First), changedText(change.Second))
		}
	}
	if len(rows.rows) == 1 {
		return nil
	}
	fmt.Fprintln(t.out)
	return rows.print(t, "")
}

func keysText(list []value.VariableName) string {
	var keys []string
	for _, v := range list {
		keys = append(keys, v.Key)
	}
	if len(keys) == 0 {
		return "nothing"
	}
	return strings.Join(keys, " and ")
}

func changedText(v *commands.ChangeValue) string {
	if v == nil {
		return "-"
	}
	text := v.Text
	if text == "" {
		text = valueOf(v.Value, v.Display)
	}
	switch v.Source {
	case "default_value":
		text += " (default)"
	case "calculated":
		text += " (calculated)"
	}
	return text
}

// valueOf is a table as people read it, as far as there is room.
func valueOf(v value.Text, display json.RawMessage) string {
	const room = 60 // characters
	if rendered, err := format.RenderText(v, display); err == nil {
		v = rendered
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "-"
	}
	return oneLine(string(data), room)
}

// partText is a part of 1 as a percentage, "" for none.
func partText(part string) string {
	shown, err := format.Render(part, "percent", "decimals_1")
	if err != nil {
		return ""
	}
	return shown
}

// barLength is how long a bar is drawn at most, in columns.
const barLength = 20

// barRoom is how long the bars beside a table are, none on a terminal where they would have none.
func barRoom(t terminal) int {
	if room := widthOf(t.out); room < 72 {
		return max(0, min(barLength, room-52))
	}
	return barLength
}

// barOf draws a number beside the largest one, which has so many columns: from the left, lighter
// below 0.
func barOf(text, largest string, room int) string {
	n, most := magnitude(text), magnitude(largest)
	if most.IsZero() {
		return ""
	}
	x := decimal.NewContext(value.ParseBudget)
	length, _ := x.Round(x.Mul(x.Quo(n.Abs(), most.Abs()), decimal.Int(int64(room))), 0).Int64()
	block := "█"
	if n.Sign() < 0 {
		block = "░"
	}
	return strings.Repeat(block, int(max(0, min(length, int64(room)))))
}

// magnitude is the number of an emitted value, 0 where there is none.
func magnitude(text string) decimal.Decimal {
	number, _, _ := strings.Cut(text, " ")
	n, err := decimal.Parse(number)
	if err != nil {
		return decimal.Decimal{}
	}
	return n
}
