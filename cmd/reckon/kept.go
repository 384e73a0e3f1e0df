package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"reckon/commands"
	"reckon/commands/history"
)

// promptFlags say how a prompt is read that no server answers.
type promptFlags struct {
	InputFormat string `help:"Format of the prompt: ${enum} (${default})." enum:"automatic,structured,json,natural_language" default:"automatic" placeholder:"F"`
	TimeZone    string `help:"Zone that decides 'today' and 'now' (${default})." default:"UTC" placeholder:"ZONE"`
	Now         string `help:"The moment that 'now' means, as RFC 3339; the clock's when absent." placeholder:"TIME"`
}

// keptFlags name scenarios to analyse: of a conversation in a data directory, or what prompts lead
// to with a domain file, without a server. Both are found as the service finds them.
type keptFlags struct {
	Domain string `help:"Domain file, YAML or JSON, for prompts." placeholder:"FILE"`
	promptFlags
	directory
	Conversation string   `help:"A conversation of the data directory, instead of prompts." placeholder:"ID"`
	Scenario     []int    `help:"A scenario of it, by its index; else the last one." placeholder:"N"`
	Message      []string `help:"What a message of the conversation has led to." placeholder:"ID"`
	Prompts      []string `arg:"" optional:"" name:"prompt" help:"A prompt, or - to read it from standard input; several are the turns of one conversation."`
}

// find hands work the scenarios that --scenario and --message name, in that order, else the last
// one or so many of them.
func (f keptFlags) find(t terminal, last int, work func([]commands.Kept) error) error {
	var places []commands.Place
	for _, index := range f.Scenario {
		places = append(places, commands.Place{Scenario: index})
	}
	for _, text := range f.Message {
		id, err := parseID("--message", text)
		if err != nil {
			return err
		}
		places = append(places, commands.Place{Message: id})
	}
	switch {
	case f.Conversation != "" && (f.Domain != "" || len(f.Prompts) > 0):
		return errors.New("--conversation names what a data directory keeps: leave out --domain and prompts")
	case f.Conversation != "":
		return f.inDirectory(t, places, last, work)
	case f.Domain == "":
		return errors.New("give --domain and a prompt, or --conversation")
	case len(f.Prompts) == 0:
		return errors.New("give a prompt")
	}
	return f.offline(t, places, last, work)
}

func (f keptFlags) inDirectory(t terminal, places []commands.Place, last int, work func([]commands.Kept) error) error {
	id, err := parseID("--conversation", f.Conversation)
	if err != nil {
		return err
	}
	var list []commands.Kept
	err = f.administer(t, func(a commands.Admin) error {
		if len(places) == 0 {
			s, err := history.At(t, a.Log, id, history.Moment{})
			if err != nil {
				return err
			}
			for i := max(1, s.Head.Last-last+1); i <= s.Head.Last; i++ {
				places = append(places, commands.Place{Scenario: i})
			}
			if len(places) == 0 {
				return fmt.Errorf("conversation %s has no scenario: --message explains a message without", id)
			}
		}
		list, err = history.Kept(t, a.Log, id, places)
		return err
	})
	if err != nil {
		return err
	}
	return work(list)
}

func (f keptFlags) offline(t terminal, places []commands.Place, last int, work func([]commands.Kept) error) error {
	now, _, err := momentOf(f.Now, f.TimeZone)
	if err != nil {
		return err
	}
	domain, err := compiledDomain(t, f.Domain)
	if err != nil {
		return err
	}
	conversation := domain.DryRun()
	var said []commands.Place
	for _, prompt := range f.Prompts {
		text, err := readPrompt(t, prompt)
		if err != nil {
			return err
		}
		m, err := conversation.Say(text, f.InputFormat, f.TimeZone, now)
		if err != nil {
			return err
		}
		said = append(said, commands.Place{Message: m.MessageID})
	}
	if len(places) == 0 {
		places = said[max(0, len(said)-last):]
	}
	list, err := conversation.Kept(places...)
	if errors.Is(err, commands.ErrUnknownMessage) || errors.Is(err, commands.ErrUnknownScenario) {
		return fmt.Errorf("the prompts have led to %w", err)
	}
	if err != nil {
		return err
	}
	return work(list)
}

// maxPrompt is how many bytes a prompt may have, here as in a request.
const maxPrompt = 256 << 10

// readPrompt is a prompt of the command line, or standard input where that is "-".
func readPrompt(t terminal, text string) (string, error) {
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(t.in, maxPrompt+1))
		if err != nil {
			return "", fmt.Errorf("read the prompt: %w", err)
		}
		text = string(data)
	}
	switch {
	case strings.TrimSpace(text) == "":
		return "", errors.New("the prompt is empty")
	case len(text) > maxPrompt:
		return "", fmt.Errorf("the prompt is longer than %d KiB", maxPrompt>>10)
	case !utf8.ValidString(text):
		return "", errors.New("the prompt is not valid UTF-8")
	}
	return text, nil
}
