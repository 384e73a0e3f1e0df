package main

import (
	"fmt"
	"time"

	"reckon/engine/language"
	"reckon/engine/value"
)

type interpretCommand struct {
	Domain   string   `help:"Domain file, YAML or JSON." required:"" placeholder:"FILE"`
	TimeZone string   `help:"Zone that decides 'today' and 'now' (${default})." default:"UTC" placeholder:"ZONE"`
	Language tag      `help:"Language of the prompts, such as de; the domain's when absent." placeholder:"TAG"`
	Now      string   `help:"The moment that 'now' means, as RFC 3339; the clock's when absent." placeholder:"TIME"`
	Prompts  []string `arg:"" name:"prompt" help:"The prompt, in prose; several are the turns of one conversation."`
}

func (*interpretCommand) Help() string {
	return `Shows how the offline interpreter reads prose: the amounts with every way to read them, the variables that each could
belong to, the readings of the whole prompt with their scores, what was chosen, and why there is doubt. Nothing is sent anywhere.
The exit status is 1 when the last prompt is not understood, and 2 when the command itself fails.

Examples:
  reckon interpret --domain trip.yaml 'how long for 150 miles at 60 mph?'
  reckon interpret --domain trip.yaml 'how long for 150 miles at 60 mph?' 'and at 75?'`
}

func (c *interpretCommand) Run(t terminal) error {
	now, zone, err := momentOf(c.Now, c.TimeZone)
	if err != nil {
		return err
	}
	domain, err := compiledDomain(t, c.Domain)
	if err != nil {
		return err
	}
	env := value.Env{Now: now.UTC().Truncate(time.Second), Zone: zone}
	var dialogue language.Dialogue
	for _, prompt := range c.Prompts {
		dialogue.Turns = append(dialogue.Turns, language.Turn{Prompt: prompt})
	}
	doubt := false
	for i, o := range domain.Vocabulary().In(string(c.Language)).Evaluate(dialogue, false, env) {
		if i > 0 {
			fmt.Fprintln(t.out)
		}
		fmt.Fprint(t.out, o.Trace.String())
		fmt.Fprintf(t.out, "understood: %s\n", o.Got)
		doubt = o.Trace.Doubt != ""
	}
	if doubt {
		return exit(1)
	}
	return nil
}
