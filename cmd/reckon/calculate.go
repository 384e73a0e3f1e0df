package main

import (
	"errors"
	"fmt"

	"reckon/commands"
	"reckon/engine"
	"reckon/http"
	"reckon/projections"
)

type calculateCommand struct {
	Domain string `help:"Domain file, YAML or JSON." placeholder:"FILE"`
	draftOf
	promptFlags
	analysisFlags
	JSON        bool     `name:"json" help:"Print the message that the service would answer with, as where standard output is no terminal." xor:"form"`
	Text        bool     `help:"Print the answer for reading, as on a terminal." xor:"form"`
	Explain     bool     `help:"Explain the answer, step by step." xor:"form"`
	BodyVersion int      `help:"With --json, the shape of the message: ${enum} (${default})." default:"2" enum:"1,2" placeholder:"N"`
	Uncertain   []string `help:"Input with what is open of it, such as 'length: 5.2 ± 0.1 m'; then it says how far the result holds, as 'reckon uncertainty' does." sep:"none" xor:"analysis" placeholder:"INPUT"`
	Prompt      string   `arg:"" help:"The prompt, or - to read it from standard input."`
}

func (*calculateCommand) Help() string {
	return `Prints the answer: what was asked for, what it rests on, and where each value came from. Errors are printed on standard error. With
--json, and where standard output is no terminal, it is the message that the service would answer with; --text asks for reading there
too. The exit status is 1 when the message's status is error, and 2 when there is none.
With --sweep it prints what the prompt asks for over a range, with --sensitivity what that depends on, and with --uncertain how far it
holds.

Examples:
  reckon calculate --domain trip.yaml $'distance: 150 mi\nspeed: 60 mi/h\ncalculate: time in min'
  reckon calculate --domain trip.yaml $'distance: 150 mi\ncalculate: fuel in L, time'
  reckon calculate --domain trip.yaml --json $'distance: 150 mi\ncalculate: everything'
  reckon calculate --domain trip.yaml --explain - < prompt.txt
  reckon calculate --domain trip.yaml --uncertain 'speed: 60 ± 5 mi/h' $'distance: 150 mi\ncalculate: time'
  reckon calculate --domain trip.yaml --sweep 'speed = 50..70 mi/h in 5' $'distance: 150 mi\ncalculate: time'
  reckon calculate --domain trip.yaml --sensitivity $'distance: 150 mi\nspeed: 60 mi/h\ncalculate: time'
  reckon calculate --draft 'Road trip' --account acme $'distance: 150 mi\nspeed: 60 mi/h\ncalculate: time'
  reckon calculate --domain trip.yaml '{"inputs": [{"key": "speed", "value": "60 mi/h"}], "calculate": {"key": "time"}}'`
}

func (c *calculateCommand) Run(t terminal) error {
	now, _, err := momentOf(c.Now, c.TimeZone)
	if err != nil {
		return err
	}
	domain, err := c.domain(t)
	if err != nil {
		return err
	}
	text, err := readPrompt(t, c.Prompt)
	if err != nil {
		return err
	}
	conversation := domain.DryRun()
	conversation.Language = string(c.Language)
	if len(c.Uncertain) > 0 || len(c.Sweep) > 0 || c.Sensitivity {
		m, err := conversation.Say(text, c.InputFormat, c.TimeZone, now)
		if err != nil {
			return err
		}
		kept, err := conversation.Kept(commands.Place{Message: m.MessageID})
		if err != nil {
			return err
		}
		if len(c.Uncertain) == 0 {
			return c.analyse(t, kept[0], c.JSON)
		}
		return printUncertainty(t, kept[0].Uncertainty(commands.UncertaintyQuery{Of: c.Uncertain}), c.JSON)
	}
	message, err := conversation.Say(text, c.InputFormat, c.TimeZone, now)
	if err != nil {
		return err
	}
	switch {
	case c.JSON, !c.Text && !c.Explain && !isTerminal(t.out):
		err = printJSON(t, http.PresentMessage(message, c.BodyVersion))
	case message.Failed != nil:
		showErrors(t.err, commands.ErrorsOf(message.Failed))
	default:
		err = showAnswer(t, domain, message)
		if err == nil && c.Explain {
			fmt.Fprintln(t.out)
			err = explanationFlags{}.print(t, domain.Kept(message))
		}
	}
	if err == nil && message.Status == projections.Failed {
		return exit(1)
	}
	return err
}

// domain is what the prompt is for: that of a file, or the account's draft.
func (c *calculateCommand) domain(t terminal) (domain *commands.Domain, err error) {
	switch {
	case c.Domain == "" && c.Draft == "":
		return nil, errors.New("give --domain with a file, or --draft and --account")
	case c.Domain != "" && c.Draft != "":
		return nil, errors.New("--draft is in place of --domain: leave one of them out")
	case c.Domain != "":
		return compiledDomain(t, c.Domain)
	case c.Account == "":
		return nil, errors.New("--draft needs --account too")
	}
	err = c.ask(t, func(a administration) error {
		f, d, err := a.draft(c.Account, c.Draft)
		if err != nil {
			return err
		}
		var issues []engine.Issue
		if domain, issues = commands.Compile(d.Domain.ID, d.Domain.Key, d.Domain.Version+1, d.Definition); domain == nil {
			return fmt.Errorf("%s: %s: %s", f.Name, issues[0].Path, issues[0].Message)
		}
		return nil
	})
	return domain, err
}
