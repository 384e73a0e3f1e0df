package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"reckon/engine/syntax"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/history"
	"reckon/engine"
	"reckon/engine/prompt"
	"reckon/events"
	"reckon/http"
	"reckon/http/admin"
	"reckon/projections"
)

type historyCommand struct {
	installation
	Conversation string `help:"The conversation." required:"" placeholder:"ID"`
	At           string `help:"As it was then: a time, or right after a message." placeholder:"TIME|MESSAGE"`
	JSON         bool   `help:"Print JSON."`
}

func (*historyCommand) Help() string {
	return `Prints a conversation as it is, or as it was: its messages, and its scenarios with every value and where that came from.

A time is in UTC unless it states an offset; what happened within the second that it names is included. A date is the beginning of that day. Tables of values are cut where they are long; --json has them whole.

Examples:
  reckon history --conversation 0199c0de-0000-7000-8000-000000000000
  reckon history --conversation 0199c0de-0000-7000-8000-000000000000 --at 2026-03-05T14:07:00Z
  reckon history --conversation 0199c0de-0000-7000-8000-000000000000 --at 0199c0de-0000-7000-8000-000000000001 --json`
}

func (c *historyCommand) Run(t terminal) error {
	id, err := parseID("--conversation", c.Conversation)
	if err != nil {
		return err
	}
	var at history.Moment
	if c.At != "" {
		var ok bool
		if at.Time, ok = parseTime(c.At); !ok {
			if at.Message, err = uuid.Parse(c.At); err != nil || at.Message == uuid.Nil { // which stands for none
				return fmt.Errorf("--at %q: give a time such as 2026-03-05T14:07:00Z, or the id of a message", c.At)
			}
		} else if at.Time.Nanosecond() == 0 {
			at.Time = at.Time.Add(time.Second - 1) // times are shown to the second, which includes all of it
		}
	}
	var s history.Snapshot
	query := url.Values{}
	if !at.Time.IsZero() {
		query.Set("at", at.Time.UTC().Format(time.RFC3339Nano))
	}
	if at.Message != uuid.Nil {
		query.Set("message", at.Message.String())
	}
	err = c.ask(t, func(a administration) error {
		shown, err := asked[admin.Snapshot](a, "GET", query, nil, "accounts", admin.Whose, "conversations", id.String(), "history")
		if err == nil {
			s = shown.Read()
		}
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(t, historyOf(s))
	}
	return showHistory(t, s)
}

// historyBody is a conversation at a moment, for programs.
type historyBody struct {
	ConversationID       uuid.UUID             `json:"conversation_id"`
	AccountID            uuid.UUID             `json:"account_id"`
	Title                *string               `json:"title"`
	Notes                *string               `json:"notes"`
	Domain               *events.DomainRef     `json:"domain"`
	CurrentScenarioIndex int                   `json:"current_scenario_index"`
	LastScenarioIndex    int                   `json:"last_scenario_index"`
	LastActivityAt       time.Time             `json:"last_activity_at"`
	Messages             []any                 `json:"messages"` // as the API shows them
	Scenarios            []historyBodyScenario `json:"scenarios"`
}

type historyBodyScenario struct {
	ID         int                     `json:"id"`
	Original   int                     `json:"original"`   // that it branched off from, 0 for none
	MessageID  uuid.UUID               `json:"message_id"` // that it stands at
	Domain     events.DomainRef        `json:"domain"`
	Activities []events.ResultActivity `json:"activities"`
	Variables  []historyBodyVariable   `json:"variables"`
}

type historyBodyVariable struct {
	events.ResultVariable
	StatedIn *uuid.UUID `json:"stated_in,omitempty"` // the message that stated a user's input
}

func historyOf(s history.Snapshot) historyBody {
	b := historyBody{
		ConversationID: s.Head.ID, AccountID: s.Head.AccountID, Title: s.Head.Title, Notes: s.Head.Notes, Domain: s.Head.Domain,
		CurrentScenarioIndex: s.Head.Current, LastScenarioIndex: s.Head.Last, LastActivityAt: s.Head.LastActivityAt,
		Messages: []any{}, Scenarios: []historyBodyScenario{},
	}
	for _, m := range s.Messages {
		b.Messages = append(b.Messages, http.PresentMessage(m, 2))
	}
	for _, scenario := range s.Scenarios {
		results := scenario.Message.Completed.Results
		shown := historyBodyScenario{
			ID: scenario.Index, Original: scenario.Original, MessageID: scenario.Message.MessageID, Domain: scenario.Message.Domain,
			Activities: results.Activities, Variables: []historyBodyVariable{},
		}
		for _, v := range results.Variables {
			variable := historyBodyVariable{ResultVariable: v}
			if m := statedIn(s, scenario, v); m != nil {
				variable.StatedIn = &m.MessageID
			}
			shown.Variables = append(shown.Variables, variable)
		}
		b.Scenarios = append(b.Scenarios, shown)
	}
	return b
}

// statedIn is the message that stated a user's input of a scenario: the newest one of the scenario,
// or of those that it branched off from, up to the branch.
func statedIn(s history.Snapshot, scenario history.Scenario, v events.ResultVariable) *projections.Message {
	if v.Source != string(engine.UserInput) {
		return nil
	}
	index := scenario.Index
	for i := len(s.Messages) - 1; i >= 0; i-- {
		m := &s.Messages[i]
		if m.Completed == nil || m.Completed.Results.Action == "fetch" || m.Completed.Results.Scenario.Current != index {
			continue
		}
		var stated prompt.Parsed
		if json.Unmarshal(m.Completed.Parsed, &stated) != nil {
			return nil
		}
		for _, input := range stated.Inputs {
			if input.Key == v.Key {
				return m
			}
		}
		if original := m.Completed.Results.Scenario.Original; original != index {
			index = original
		}
	}
	return nil
}

// shownValue is how many characters of a value a table of a scenario shows.
const shownValue = 60

func showHistory(t terminal, s history.Snapshot) error {
	title := "a conversation without a title"
	if s.Head.Title != nil {
		title = *s.Head.Title
	}
	fmt.Fprintf(t.out, "%s\n%s, last active %s\nconversation %s\nof account   %s\n", inLine(title), inLine(s.Head.Domain.Title), stamp(s.Head.LastActivityAt), s.Head.ID, s.Head.AccountID)
	if s.Head.Notes != nil {
		for line := range strings.Lines(*s.Head.Notes) {
			fmt.Fprintf(t.out, "note        %s\n", inLine(strings.TrimRight(line, "\r\n")))
		}
	}
	for _, m := range s.Messages {
		fmt.Fprintf(t.out, "\n%d. %s, %s\n", m.Number, stamp(m.ReceivedAt), m.MessageID)
		for line := range strings.Lines(strings.TrimSpace(m.Prompt)) {
			fmt.Fprintf(t.out, "   > %s\n", strings.TrimRight(line, "\r\n"))
		}
		for _, line := range answerLines(m) {
			fmt.Fprintf(t.out, "   %s\n", inLine(line))
		}
	}
	for _, scenario := range s.Scenarios {
		fmt.Fprintf(t.out, "\nScenario %d", scenario.Index)
		if scenario.Original != 0 {
			fmt.Fprintf(t.out, ", branched off from %d", scenario.Original)
		}
		if scenario.Index == s.Head.Current {
			fmt.Fprint(t.out, ", in focus")
		}
		m := scenario.Message
		fmt.Fprintf(t.out, " (%s version %d, as of message %d)\n", inLine(m.Domain.Title), m.Domain.Version, m.Number)
		values := newTable("  KEY", "VALUE", "FROM")
		for _, v := range m.Completed.Results.Variables {
			values.add("  "+v.Key, oneLine(valueText(v.Value), shownValue), sourceText(s, scenario, v))
		}
		if err := values.print(t, "  no values"); err != nil {
			return err
		}
		for _, a := range m.Completed.Results.Activities {
			if a.Title == syntax.OneLine(a.Equation) {
				fmt.Fprintf(t.out, "  by %s\n", syntax.OneLine(a.Equation))
				continue
			}
			fmt.Fprintf(t.out, "  by %s: %s\n", inLine(a.Title), syntax.OneLine(a.Equation))
		}
	}
	return nil
}

// answerLines is what a message was answered with.
func answerLines(m projections.Message) []string {
	switch {
	case m.Completed != nil:
		r := m.Completed.Results
		where := fmt.Sprintf("(scenario %d, %s)", r.Scenario.Current, r.Action)
		if r.Action == "discard" || r.Scenario.Original != 0 && r.Scenario.Original != r.Scenario.Current {
			where = fmt.Sprintf("(scenario %d, branched off from %d)", r.Scenario.Current, r.Scenario.Original)
		}
		if key := r.Target(); key != "" {
			return []string{key + " = " + valueText(r.Value(key)) + "  " + where}
		}
		return []string{where}
	case m.Failed != nil:
		var lines []string
		for _, e := range commands.ErrorsOf(m.Failed) {
			lines = append(lines, "error "+e.Code+": "+e.Filled())
		}
		return lines
	}
	return []string{"in progress"}
}

// valueText is a value of a result on one line.
func valueText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

func sourceText(s history.Snapshot, scenario history.Scenario, v events.ResultVariable) string {
	switch v.Source {
	case string(engine.UserInput):
		if m := statedIn(s, scenario, v); m != nil {
			return fmt.Sprintf("given in message %d", m.Number)
		}
		return "given"
	case string(engine.DefaultValue):
		return "default"
	}
	if v.Historical {
		return fmt.Sprintf("calculated in scenario %d", scenario.Original)
	}
	return "calculated"
}
