package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"reckon/commands"
)

type uncertaintyCommand struct {
	keptFlags
	Uncertain []string `help:"Input with what is open of it, such as 'length: 5.2 ± 0.1 m' or 'length ± 2 %'; several times for several." required:"" sep:"none" placeholder:"INPUT"`
	Calculate []string `help:"Variable to say it of, instead of what the prompt asks for; several times for several." sep:"none" placeholder:"NAME"`
	JSON      bool     `name:"json" help:"Print it as data."`
}

func (*uncertaintyCommand) Help() string {
	return `Says how far a result holds where inputs are known but for what stands behind ± (or +-): bounds that it is within for sure, and its
standard uncertainty to first order, with what each input adds. The exit status is 1 when there is nothing to say.

What stands behind ± are limits; the standard uncertainty of such an input is a part 1/√3 of them. (k=1) says that it is the standard
uncertainty itself, (k=2) that it is twice that.

Examples:
  reckon uncertainty --domain room.yaml --uncertain 'length: 5.2 ± 0.1 m' $'width: 4 m\ncalculate: area'
  reckon uncertainty --domain loan.yaml --uncertain 'rate ± 1 pp' $'principal: 1000 USD\nrate: 12 %\nyears: 3\ncalculate: payment'
  reckon uncertainty --conversation 0199c0de-0000-7000-8000-000000000000 --uncertain 'mass ± 2 % (k=2)' --server https://reckon.example.com`
}

func (c *uncertaintyCommand) Run(t terminal) error {
	return c.find(t, 1, func(list []commands.Kept) error {
		if len(list) > 1 {
			return errors.New("give one of --scenario and --message, to look at one scenario")
		}
		return printUncertainty(t, list[0].Uncertainty(commands.UncertaintyQuery{Of: c.Uncertain, Calculate: c.Calculate}), c.JSON)
	})
}

// printUncertainty prints how far values hold, as data or for people.
func printUncertainty(t terminal, u commands.Uncertainty, asData bool) error {
	if asData {
		if err := printJSON(t, u); err != nil {
			return err
		}
	} else if _, err := fmt.Fprint(t.out, uncertaintyText(u)); err != nil {
		return err
	}
	if len(u.Errors) > 0 {
		if !asData {
			showErrors(t.err, u.Errors)
		}
		return exit(1)
	}
	return nil
}

func uncertaintyText(u commands.Uncertainty) string {
	var b strings.Builder
	for _, v := range u.Values {
		fmt.Fprintf(&b, "%s = %s\n", v.Key, plainText(v.AnalysedValue))
		fmt.Fprintln(&b, "  "+boundsText(v.Bounds))
		if v.Standard == nil {
			fmt.Fprintf(&b, "  no standard uncertainty: %s\n", v.Rough)
			continue
		}
		fmt.Fprintf(&b, "  %s (standard uncertainty)\n", v.Standard.Summary)
		for _, in := range v.Inputs {
			limits := cmp.Or(in.Limits, in.From+" to "+in.To)
			fmt.Fprintf(&b, "    %s = %s, from %s: adds %s, a share of %s\n", in.Key, plainText(in.AnalysedValue), limits, *in.Adds, *in.Share)
		}
	}
	return b.String()
}

// plainText is a value in one line.
func plainText(v commands.AnalysedValue) string { return cmp.Or(v.Shown, v.Value.Scalar()) }

// boundsText says between which values a value is for sure.
func boundsText(bounds commands.UncertainBounds) string {
	var text string
	switch low, high := bounds.Low, bounds.High; {
	case low == nil && high == nil:
		return "without bounds: " + bounds.Unbounded
	case low == nil:
		text = "at most " + *high
	case high == nil:
		text = "at least " + *low
	default:
		text = "from " + cmp.Or(bounds.Shown, *low+" to "+*high)
	}
	text += " for sure"
	if !bounds.Complete {
		text += ", where it has a value"
	}
	if !bounds.Unique {
		text += ", of this solution of several there may be"
	}
	if bounds.Unbounded != "" {
		text += "; without another bound: " + bounds.Unbounded
	}
	return text
}
