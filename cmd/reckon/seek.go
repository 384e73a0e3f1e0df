package main

import (
	"errors"
	"fmt"
	"strings"

	"reckon/commands"
	"reckon/engine"
)

type seekCommand struct {
	keptFlags
	Minimize string   `help:"Variable whose least value is sought, such as cost, or 'cost in EUR'." placeholder:"NAME" xor:"kind"`
	Maximize string   `help:"Variable whose greatest value is sought." placeholder:"NAME" xor:"kind"`
	Least    string   `help:"Input whose least value is sought for which the conditions hold." placeholder:"NAME" xor:"kind"`
	Greatest string   `help:"Input whose greatest value is sought for which they hold." placeholder:"NAME" xor:"kind"`
	Over     []string `help:"Input that moves, with its bounds where the domain declares none; several times for several." sep:"none" placeholder:"INPUT"`
	Where    []string `help:"Condition that must hold; several times for several." sep:"none" placeholder:"CONDITION"`
	JSON     bool     `name:"json" help:"Print it as data."`
}

func (*seekCommand) Help() string {
	return `Seeks the least or the greatest value of a variable over inputs within bounds, with proof where intervals can follow the calculation.
The prompt states the other inputs. The exit status is 1 when nothing was found.

Examples:
  reckon seek --domain shop.yaml --maximize profit --over 'price from 1 USD to 50 USD' 'unit cost: 4 USD'
  reckon seek --domain shop.yaml --least quantity --where 'profit >= 1,000 USD' $'price: 10 USD\nunit cost: 4 USD'
  reckon seek --conversation 0199c0de-0000-7000-8000-000000000000 --minimize cost --over 'quantity from 1 to 1000' --server https://reckon.example.com`
}

func (c *seekCommand) Run(t terminal) error {
	q := commands.SeekQuery{Over: c.Over, Where: c.Where}
	for i, of := range []string{c.Minimize, c.Maximize, c.Least, c.Greatest} {
		if of != "" {
			q.Kind, q.Of = commands.SeekKinds[i], of
		}
	}
	switch {
	case q.Kind == "":
		return errors.New("give one of --minimize, --maximize, --least and --greatest")
	case len(q.Over) == 0 && (c.Minimize != "" || c.Maximize != ""):
		return errors.New("give --over with an input to move, such as --over 'quantity from 1 to 1000'")
	case len(q.Where) == 0 && (c.Least != "" || c.Greatest != ""):
		return errors.New("give --where with what must hold, such as --where 'profit >= 1000 USD'")
	}
	return c.find(t, 1, func(list []commands.Kept) error {
		if len(list) > 1 {
			return errors.New("give one of --scenario and --message, to seek from one scenario")
		}
		s := list[0].Seek(q)
		if c.JSON {
			if err := printJSON(t, s); err != nil {
				return err
			}
		} else if err := printSought(t, q, s); err != nil {
			return err
		}
		if s.Outcome == nil || *s.Outcome != engine.OutcomeFound {
			return exit(1)
		}
		return nil
	})
}

// printSought prints the answer to a seek for people.
func printSought(t terminal, q commands.SeekQuery, s commands.Sought) error {
	var b strings.Builder
	switch {
	case s.Outcome == nil:
		showErrors(t.err, s.Errors)
	case *s.Outcome == engine.OutcomeUnbounded:
		fmt.Fprintf(&b, "%s has no end: it gets better for ever within the bounds.\n", q.Of)
	case *s.Outcome == engine.OutcomeInfeasible && *s.Proof == engine.ProofOptimal:
		fmt.Fprintln(&b, "No values within the bounds meet all conditions: that is proved.")
	case *s.Outcome == engine.OutcomeInfeasible:
		fmt.Fprintln(&b, "No values that meet all conditions were found. That there are none is not proved.")
	default:
		fmt.Fprintf(&b, "%s = %s\n", s.Value.Key, plainText(*s.Value))
		for _, p := range s.At {
			bound := ""
			if p.Bound != nil {
				bound = ", its bound"
			}
			fmt.Fprintf(&b, "  at %s = %s%s\n", p.Key, plainText(p.AnalysedValue), bound)
		}
		for _, text := range s.Binding {
			fmt.Fprintf(&b, "  %s holds just so\n", text)
		}
		switch *s.Proof {
		case engine.ProofOptimal:
			fmt.Fprintln(&b, "Proved: nothing within the bounds is better.")
		case engine.ProofWithinGap:
			fmt.Fprintf(&b, "Proved: nothing within the bounds is better by more than %s.\n", *s.Gap)
		default:
			fmt.Fprintln(&b, "Not proved: nothing better was found.")
		}
	}
	_, err := fmt.Fprint(t.out, b.String())
	return err
}
