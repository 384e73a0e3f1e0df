package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"reckon/http"
	"reckon/projections"
)

type calculateCommand struct {
	Domain      string `help:"Domain file, YAML or JSON." required:"" placeholder:"FILE"`
	InputFormat string `help:"Format of the prompt: ${enum} (${default})." enum:"automatic,structured,json,natural_language" default:"automatic" placeholder:"F"`
	TimeZone    string `help:"Zone that decides 'today' and 'now' (${default})." default:"UTC" placeholder:"ZONE"`
	Now         string `help:"The moment that 'now' means, as RFC 3339; the clock's when absent." placeholder:"TIME"`
	BodyVersion int    `help:"Shape of the answer: ${enum} (${default})." default:"2" enum:"1,2" placeholder:"N"`
	Prompt      string `arg:"" help:"The prompt, or - to read it from standard input."`
}

func (*calculateCommand) Help() string {
	return `Prints the message that the service would answer with, as JSON. The exit status is 1 when its status is error, and 2 when there is none.

Examples:
  reckon calculate --domain trip.yaml $'distance: 150 mi\nspeed: 60 mi/h\ncalculate: time in min'
  reckon calculate --domain trip.yaml - < prompt.txt
  reckon calculate --domain trip.yaml '{"inputs": [{"key": "speed", "value": "60 mi/h"}], "calculate": {"key": "time"}}'`
}

// maxPrompt is how many bytes a prompt may have, here as in a request.
const maxPrompt = 256 << 10

func (c *calculateCommand) Run(t terminal) error {
	now, _, err := momentOf(c.Now, c.TimeZone)
	if err != nil {
		return err
	}
	domain, err := checkedDomain(t, c.Domain)
	if err != nil {
		return err
	}
	text := c.Prompt
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(t.in, maxPrompt+1))
		if err != nil {
			return fmt.Errorf("read the prompt: %w", err)
		}
		text = string(data)
	}
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("the prompt is empty")
	case len(text) > maxPrompt:
		return fmt.Errorf("the prompt is longer than %d KiB", maxPrompt>>10)
	case !utf8.ValidString(text):
		return errors.New("the prompt is not valid UTF-8")
	}
	message, err := domain.Offline(text, c.InputFormat, c.TimeZone, now)
	if err != nil {
		return err
	}
	if err := printJSON(t, http.PresentMessage(message, c.BodyVersion)); err != nil {
		return err
	}
	if message.Status == projections.Failed {
		return exit(1)
	}
	return nil
}
