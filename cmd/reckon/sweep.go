package main

import (
	"cmp"
	"fmt"

	"reckon/commands"
	"reckon/engine/prompt"
)

// analysisFlags have a prompt analysed in the place of an answer.
type analysisFlags struct {
	Sweep       []string `help:"Calculate over the values of an input, such as 'speed = 60..120 km/h in 13' or 'speed = 60, 80, 100 km/h'; twice for a grid." placeholder:"RANGE" sep:"none" xor:"analysis"`
	Sensitivity bool     `help:"Show how much the target depends on each value that it rests on." xor:"analysis"`
	By          string   `help:"How far inputs swing for --sensitivity: a percentage, or bounds for the declared ones (${default})." default:"10%" placeholder:"PART"`
}

// analyse prints what --sweep or --sensitivity makes of what a prompt has led to.
func (f analysisFlags) analyse(t terminal, k commands.Kept, asJSON bool) error {
	if f.Sensitivity {
		by, ok := commands.ParseSwings(f.By)
		if !ok {
			return fmt.Errorf("--by %q: give a percentage above 0%% and up to 100%%, or bounds", f.By)
		}
		s := commands.SensitivityOf(k, "", by)
		return printAnalysis(t, asJSON, s, s.Errors, func() error { return printSensitivity(t, s) })
	}
	ranges, err := f.ranges()
	if err != nil {
		return err
	}
	s := commands.SweepOver(k, "", ranges)
	return printAnalysis(t, asJSON, s, s.Errors, func() error { return printSweep(t, s) })
}

// ranges reads --sweep.
func (f analysisFlags) ranges() ([]commands.Range, error) {
	var list []commands.Range
	for _, text := range f.Sweep {
		r, ok := prompt.ParseRange(text)
		if !ok {
			return nil, fmt.Errorf("--sweep %q: write 'KEY = FROM..TO', with 'in N' for how many values and 'by ratio' behind it, or 'KEY = VALUE, VALUE'", text)
		}
		list = append(list, r)
	}
	if len(list) > 2 {
		return nil, fmt.Errorf("--sweep stands %d times: a sweep goes over one input or two", len(list))
	}
	return list, nil
}

// printSweep draws a sweep as a table, with bars where it goes over one input.
func printSweep(t terminal, s commands.Sweep) error {
	if len(s.Inputs) == 1 {
		return printLine(t, s)
	}
	headings := []string{s.Inputs[0].Key + " \\ " + s.Inputs[1].Key}
	rows := newTable(append(headings, s.Inputs[1].Texts...)...)
	n := len(s.Inputs[1].Texts)
	for i, text := range s.Inputs[0].Texts {
		row := []string{text}
		for _, p := range s.Points[i*n : (i+1)*n] {
			row = append(row, cmp.Or(p.Text, "-"))
		}
		rows.add(row...)
	}
	fmt.Fprintf(t.out, "%s\n\n", s.Target.Key)
	if err := rows.print(t, ""); err != nil {
		return err
	}
	for _, p := range s.Points {
		if len(p.Errors) > 0 {
			fmt.Fprintf(t.out, "\nThe first without a value: %s\n", inLine(p.Errors[0].Filled()))
			break
		}
	}
	return nil
}

func printLine(t terminal, s commands.Sweep) error {
	rows := newTable(s.Inputs[0].Key, s.Target.Key, "")
	largest := ""
	for _, p := range s.Points {
		if magnitude(p.Value).Abs().Cmp(magnitude(largest).Abs()) > 0 {
			largest = p.Value
		}
	}
	for i, p := range s.Points {
		switch {
		case len(p.Errors) > 0:
			rows.add(s.Inputs[0].Texts[i], "-", p.Errors[0].Filled())
		case len(p.Dropped) > 0:
			rows.add(s.Inputs[0].Texts[i], p.Text, barOf(p.Value, largest, barRoom(t))+" without "+keysText(p.Dropped))
		default:
			rows.add(s.Inputs[0].Texts[i], p.Text, barOf(p.Value, largest, barRoom(t)))
		}
	}
	return rows.print(t, "")
}
