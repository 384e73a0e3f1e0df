package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	clients "reckon/cmd/reckon/clients"
	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/commands/history"
	"reckon/engine/language"
	"reckon/engine/value"
	"reckon/events/log"
)

// chat is a conversation with a domain, line by line.
type chat struct {
	t        terminal
	client   *clients.Client
	domain   clients.Domain
	zone     string
	language string // of the prompts, by its tag; "" for the account's, or the domain's
	json     bool
	log      *log.Log // of an offline service, else nil
	file     string   // of its domain

	conversation string
	message      string            // that was answered last, "" before
	readings     []string          // what the last prompt may have meant, as texts that can be asked
	missing      string            // key of the one variable that is missing
	unanswered   *clients.Question // that the service has not answered
	failed       bool              // a line had no answer
	drawn        map[string]string // tables by the keys of their variables, as they were drawn last
}

func (c *chat) prompt() string {
	if c.missing != "" {
		return inLine(c.missing) + "? "
	}
	return "> "
}

// heard is what --json prints of a line; one of its other members is there.
type heard struct {
	Asked      string               `json:"asked"`
	Message    json.RawMessage      `json:"message,omitempty"`
	Error      *heardError          `json:"error,omitempty"`
	Text       string               `json:"text,omitempty"`
	Scenarios  []clients.Scenario   `json:"scenarios,omitempty"`
	Comparison *commands.Comparison `json:"comparison,omitempty"`
}

type heardError struct {
	Code           string `json:"code,omitempty"`
	Message        string `json:"message"`
	IdempotencyKey string `json:"idempotency_key,omitempty"` // to ask again with
}

// bareValue is the beginning of a value without a name.
var bareValue = regexp.MustCompile(`^[-+]?[\d.$€£¥]`)

// say does what a line says. Its error ends the chat.
func (c *chat) say(line string) error {
	line = strings.TrimSpace(line)
	switch {
	case line == "" && c.unanswered != nil:
		return c.ask(*c.unanswered)
	case line == "":
		return nil
	case strings.HasPrefix(line, ":"):
		return c.command(line)
	case !utf8.ValidString(line):
		return c.refuse(line, "", "The line is not valid UTF-8.", "")
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(c.readings) {
		line = c.readings[n-1]
	} else if c.missing != "" && bareValue.MatchString(line) && !strings.Contains(line, ":") {
		line = c.missing + ": " + line
	}
	return c.ask(clients.Question{Domain: c.domain.ID, Prompt: line, Conversation: c.conversation, TimeZone: c.zone, Language: c.language, IdempotencyKey: uuid.NewString()})
}

// ask asks the service. A question that it does not answer is asked again under the same key.
func (c *chat) ask(q clients.Question) error {
	m, err := c.client.Calculate(c.t, q)
	var wrong *clients.CalculationError
	var refused *clients.RequestError
	var unanswered *clients.UnansweredError
	if errors.As(err, &unanswered) {
		if c.t.Err() != nil {
			return c.t.Err()
		}
		c.unanswered = &q
		return c.refuse(q.Prompt, "", unanswered.Error(), q.IdempotencyKey)
	}
	c.readings, c.missing, c.unanswered = nil, "", nil
	switch {
	case errors.As(err, &wrong):
		m = &wrong.Message
	case errors.As(err, &refused):
		return c.refuse(q.Prompt, refused.Code, refused.Text, "")
	case err != nil:
		return err
	}
	c.conversation, c.message = m.ConversationID, m.MessageID
	said := ""
	if wrong != nil {
		said, _ = language.Replied(errorsOf(m.Errors))
	}
	c.failed = c.failed || wrong != nil && said == ""
	if c.json {
		return encode(c.t.out, heard{Asked: q.Prompt, Message: m.Raw}, "", "")
	}
	if said != "" {
		_, err := fmt.Fprintln(c.t.out, wrapped(said, widthOf(c.t.out)))
		return err
	}
	if wrong != nil {
		c.showProblems(q.Prompt, m.Errors)
		return nil
	}
	return c.showMessage(m)
}

// refuse says why a line has no answer.
func (c *chat) refuse(line, code, message, key string) error {
	c.failed = true
	if c.json {
		return encode(c.t.out, heard{Asked: line, Error: &heardError{code, message, key}}, "", "")
	}
	if code != "" {
		message += " (" + code + ")"
	}
	if key != "" {
		message += "\nNothing is lost: an empty line asks the same again."
	}
	_, err := fmt.Fprintln(c.t.err, wrapped(message, widthOf(c.t.err)))
	return err
}

// showProblems writes errors, with the place in the prompt that each is about, and what may be
// meant there.
func (c *chat) showProblems(prompt string, problems []clients.Problem) {
	for _, p := range problems {
		width := widthOf(c.t.err)
		if line, column, length := placeOf(prompt, p); length > 0 {
			line, column = around(line, column, length, max(10, width-2))
			fmt.Fprintf(c.t.err, "  %s\n  %s%s\n", line, strings.Repeat(" ", column), strings.Repeat("^", max(1, min(length, width-2-column))))
		}
		var said strings.Builder
		showErrors(&said, errorsOf([]clients.Problem{p}))
		fmt.Fprint(c.t.err, wrapped(said.String(), width))
		if p.Code == "calculation.missing_inputs" && len(p.Missing) > 0 && len(p.Missing[0].Variables) == 1 {
			c.missing = p.Missing[0].Variables[0].Key
		}
		written, readings := readingsOf(p)
		for _, reading := range readings {
			if strings.Contains(prompt, written) {
				c.readings = append(c.readings, strings.Replace(prompt, written, reading, 1))
				fmt.Fprintf(c.t.err, "  %d  %s\n", len(c.readings), inLine(reading))
			}
		}
	}
}

// errorsOf are problems as the engine has them.
func errorsOf(problems []clients.Problem) (list []value.Error) {
	for _, p := range problems {
		e := value.Error{Code: p.Code, Message: p.Message, Args: p.Args, Offset: p.Offset}
		for _, alternative := range p.Missing {
			var names []value.VariableName
			for _, v := range alternative.Variables {
				names = append(names, value.VariableName{ID: v.ID, Key: v.Key, Title: v.Title})
			}
			e.Missing = append(e.Missing, value.Alternative{Variables: names})
		}
		list = append(list, e)
	}
	return list
}

var (
	quotedFragment = regexp.MustCompile(`"([^"]+)"`)
	readAs         = regexp.MustCompile(`^"([^"]+)" as (.+)$`)
	amongReadings  = regexp.MustCompile(`,? (?:or|and) |, `)
)

// placeOf finds what a problem is about in a prompt: its line, the column in it and the length, in
// columns of a terminal, as it can be shown. The length is 0 where it is not found.
func placeOf(prompt string, p clients.Problem) (line string, column, length int) {
	if len(p.Args) == 0 || strings.HasPrefix(p.Code, "calculation.") {
		return "", 0, 0
	}
	about := p.Args[0]
	switch {
	case (p.Code == "input.invalid_value" || p.Code == "input.invalid_structured_text") && len(p.Args) > 1:
		about = p.Args[1]
	case strings.HasPrefix(p.Code, "language."):
		if m := quotedFragment.FindStringSubmatch(about); m != nil {
			about = m[1]
		}
	}
	at := strings.Index(prompt, about)
	if about == "" || at < 0 || strings.Contains(about, "\n") {
		return "", 0, 0
	}
	start := strings.LastIndexByte(prompt[:at], '\n') + 1
	line, _, _ = strings.Cut(prompt[start:], "\n")
	shown := func(text string) string { return inLine(strings.ReplaceAll(text, "\t", " ")) }
	line, column, length = shown(line), columns(shown(prompt[start:at])), columns(shown(about))
	if p.Offset != nil {
		before := []rune(about)
		column, length = column+columns(shown(string(before[:min(*p.Offset, len(before))]))), 1
	}
	return line, column, length
}

// readingsOf is what a problem says may be meant, and what is written in the place of it.
func readingsOf(p clients.Problem) (written string, readings []string) {
	switch p.Code {
	case "input.ambiguous_number", "input.ambiguous_date", "input.unknown_variable", "input.unknown_unit":
		if len(p.Args) > 1 {
			return p.Args[0], p.Args[1:]
		}
	case "input.ambiguous_variable":
		if len(p.Args) > 1 {
			return p.Args[0], amongReadings.Split(p.Args[1], -1)
		}
	case "language.ambiguous":
		if len(p.Args) > 0 {
			if m := readAs.FindStringSubmatch(p.Args[0]); m != nil {
				return m[1], amongReadings.Split(m[2], -1)
			}
		}
	}
	return "", nil
}

// command does what a line that begins with a colon says.
func (c *chat) command(line string) error {
	words := strings.Fields(line)
	name, args := words[0], words[1:]
	if slices.Contains([]string{":why", ":scenarios", ":compare", ":test"}, name) && c.message == "" {
		return c.refuse(line, "", "Nothing has been asked yet.", "")
	}
	switch name {
	case ":why":
		text, err := c.client.Explanation(c.t, c.conversation, c.message)
		if err != nil {
			return c.unable(line, err)
		}
		return c.print(line, text)
	case ":scenarios":
		list, err := c.client.Scenarios(c.t, c.conversation)
		if err != nil {
			return c.unable(line, err)
		}
		if c.json {
			return encode(c.t.out, heard{Asked: line, Scenarios: list}, "", "")
		}
		return c.showScenarios(list)
	case ":compare":
		return c.compare(line, args)
	case ":test":
		return c.test(line, args)
	case ":new":
		c.conversation, c.message, c.readings, c.missing, c.unanswered = "", "", nil, "", nil
		clear(c.drawn)
		return c.print(line, "A new conversation begins.\n")
	case ":help":
		_, help, _ := strings.Cut((&askCommand{}).Help(), "\n\n")
		help, _, _ = strings.Cut(help, "\n\n")
		return c.print(line, help+"\n")
	}
	return c.refuse(line, "", "There is no command "+name+": see :help.", "")
}

// unable says why a command of the chat came to nothing.
func (c *chat) unable(line string, err error) error {
	if c.t.Err() != nil {
		return c.t.Err()
	}
	var refused *clients.RequestError
	if errors.As(err, &refused) {
		return c.refuse(line, refused.Code, refused.Text, "")
	}
	return c.refuse(line, "", err.Error(), "")
}

func (c *chat) print(line, text string) error {
	if c.json {
		return encode(c.t.out, heard{Asked: line, Text: text}, "", "")
	}
	_, err := fmt.Fprint(c.t.out, wrapped(text, widthOf(c.t.out)))
	return err
}

func (c *chat) compare(line string, args []string) error {
	if len(args) == 0 {
		list, err := c.client.Scenarios(c.t, c.conversation)
		if err != nil {
			return c.unable(line, err)
		}
		for _, s := range list[max(0, len(list)-2):] {
			args = append(args, strconv.Itoa(s.ID))
		}
	}
	if len(args) != 2 {
		return c.refuse(line, "", "Two scenarios are compared, as by :compare 1 2. A what-if makes another one.", "")
	}
	var found commands.Comparison
	query := url.Values{"scenarios": {strings.Join(args, ",")}}
	if err := c.client.Get(c.t, "/v1/conversations/"+c.conversation+"/compare", query, &found); err != nil {
		return c.unable(line, err)
	}
	if c.json {
		c.failed = c.failed || len(found.Errors) > 0
		return encode(c.t.out, heard{Asked: line, Comparison: &found}, "", "")
	}
	err := printAnalysis(c.t, false, found, found.Errors, func() error { return printComparison(c.t, found) })
	if wrong := exit(0); errors.As(err, &wrong) {
		c.failed = true
		return nil
	}
	return err
}

func (c *chat) test(line string, args []string) error {
	if c.log == nil {
		return c.refuse(line, "", "Tests are made where the data directory is: reckon domain test add --message "+c.message, "")
	}
	id, err := parseID("message", c.message)
	if err != nil {
		return err
	}
	test, ref, err := history.TestOf(c.t, c.log, id)
	switch {
	case err != nil:
		return c.unable(line, err)
	case len(args) == 0 && !c.json: // not wrapped, since it is to be copied
		_, err := c.t.out.Write(domainfile.TestYAML(test))
		return err
	case len(args) == 0:
		return c.print(line, string(domainfile.TestYAML(test)))
	case len(args) == 1 && args[0] == "add" && !c.json:
		if err := (&domainTestAdd{Message: c.message, File: c.file}).add(c.t, test, ref); err != nil {
			return c.unable(line, err)
		}
		return nil
	}
	return c.refuse(line, "", "It is :test to print a test, and :test add to write it into the file, which --json does not do.", "")
}
