package main

import (
	"fmt"

	"reckon/commands"
)

type explainCommand struct {
	keptFlags
	explanationFlags
}

// explanationFlags say how an explanation is written.
type explanationFlags struct {
	JSON   bool `name:"json" help:"Print it as data." xor:"form"`
	TeX    bool `name:"tex" help:"Print a document for LaTeX." xor:"form"`
	MathML bool `name:"mathml" help:"Print a math element for web pages." xor:"form"`
}

func (*explainCommand) Help() string {
	return `Explains how an answer came about, so that it can be followed on paper: what it rests on, each equation with the numbers put in, solved
for the unknown where it can be, how a root was found where not, and the checks made. The exit status is 1 when there are no values to explain.

Examples:
  reckon explain --domain trip.yaml $'distance: 150 mi\ntime: 2.5 h\ncalculate: speed'
  reckon explain --domain trip.yaml $'distance: 150 mi\ntime: 2.5 h\ncalculate: speed' 'time: 2 h'
  reckon explain --conversation 0199c0de-0000-7000-8000-000000000000 --scenario 2 --tex
  reckon explain --conversation 0199c0de-0000-7000-8000-000000000000 --server https://reckon.example.com`
}

func (c *explainCommand) Run(t terminal) error {
	return c.find(t, 1, func(list []commands.Kept) error {
		if len(list) > 1 {
			return fmt.Errorf("give one of --scenario and --message, to explain one scenario")
		}
		return c.print(t, list[0])
	})
}

// print explains a scenario.
func (f explanationFlags) print(t terminal, k commands.Kept) error {
	e := k.Explain()
	var err error
	switch {
	case f.JSON:
		err = printJSON(t, e)
	case f.TeX:
		_, err = fmt.Fprint(t.out, e.TeX())
	case f.MathML:
		_, err = fmt.Fprint(t.out, e.MathML())
	default:
		_, err = fmt.Fprint(t.out, e.Text())
	}
	if err == nil && len(e.Errors) > 0 {
		return exit(1)
	}
	return err
}
