package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http/admin"
)

// promptFlags say how a prompt is read that no server answers.
type promptFlags struct {
	InputFormat string `help:"Format of the prompt: ${enum} (${default})." enum:"automatic,structured,json,natural_language" default:"automatic" placeholder:"F"`
	TimeZone    string `help:"Zone that decides 'today' and 'now' (${default})." default:"UTC" placeholder:"ZONE"`
	Language    tag    `help:"Language of a prompt in prose, such as de; the domain's when absent." placeholder:"TAG"`
	Now         string `help:"The moment that 'now' means, as RFC 3339; the clock's when absent." placeholder:"TIME"`
}

// tag is that of a language that prose is read in.
type tag string

func (t *tag) UnmarshalText(text []byte) error {
	*t = tag(strings.ToLower(string(text)))
	if known := commands.Languages(); !slices.Contains(known, string(*t)) {
		return fmt.Errorf("%q: give one of %s", text, strings.Join(known, ", "))
	}
	return nil
}

// keptFlags name scenarios to analyse: of a conversation that a server or a data directory keeps,
// or what prompts lead to with a domain file, without a server. Both are found as the service finds
// them, and calculated with here.
type keptFlags struct {
	Domain string `help:"Domain file, YAML or JSON, for prompts." placeholder:"FILE"`
	promptFlags
	installation
	Conversation string   `help:"A conversation of the data directory, or of --server, instead of prompts." placeholder:"ID"`
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
		return errors.New("--conversation names what a server or a data directory keeps: leave out --domain and prompts")
	case f.Conversation != "":
		return f.kept(t, places, last, work)
	case f.Domain == "":
		return errors.New("give --domain and a prompt, or --conversation with --server or --data")
	case len(f.Prompts) == 0:
		return errors.New("give a prompt")
	}
	return f.offline(t, places, last, work)
}

func (f keptFlags) kept(t terminal, places []commands.Place, last int, work func([]commands.Kept) error) error {
	id, err := parseID("--conversation", f.Conversation)
	if err != nil {
		return err
	}
	var list []commands.Kept
	err = f.ask(t, func(a administration) error {
		s, err := fetch[admin.Snapshot](a, "accounts", admin.Whose, "conversations", id.String(), "history")
		if err != nil {
			return err
		}
		if len(places) == 0 {
			for i := max(1, s.Conversation.Last-last+1); i <= s.Conversation.Last; i++ {
				places = append(places, commands.Place{Scenario: i})
			}
			if len(places) == 0 {
				return fmt.Errorf("conversation %s has no scenario: --message explains a message without", id)
			}
		}
		list, err = a.keptIn(s, places)
		return err
	})
	if err != nil {
		return err
	}
	return work(list)
}

// keptIn finds the scenarios at some places of a conversation, ready to be calculated with.
func (a administration) keptIn(s admin.Snapshot, places []commands.Place) ([]commands.Kept, error) {
	versions := commands.NewVersions(func(_ context.Context, account, domain uuid.UUID, number int) (string, events.Definition, error) {
		v, err := a.version(account.String(), domain.String(), number)
		return v.Key, v.Definition, err
	})
	list, err := commands.KeptIn(s.Conversation, s.Messages, places, func(ref events.DomainRef) (*commands.Domain, error) {
		version, err := versions.Get(a.t, s.Conversation.AccountID, ref.ID, ref.Version)
		if err == nil && version.Domain == nil {
			err = fmt.Errorf("version %d of the domain does not compile with this program: %s", ref.Version, version.Why())
		}
		return version.Domain, err
	})
	if errors.Is(err, commands.ErrUnknownMessage) || errors.Is(err, commands.ErrUnknownScenario) {
		err = fmt.Errorf("%w in conversation %s: `reckon history --conversation %[2]s` shows those there are", err, s.Conversation.ID)
	}
	return list, err
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
	conversation.Language = string(f.Language)
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
