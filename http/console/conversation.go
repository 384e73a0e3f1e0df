package console

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// pageMessages is how many messages a page shows.
const pageMessages = 30

// conversationShown is what the page of a conversation shows.
type conversationShown struct {
	ID        uuid.UUID
	Title     string
	Own       string // the title that people wrote, or that the first message gave
	Notes     string
	Written   string // the notes as they stand in their field
	Domain    projections.DomainRef
	Serves    bool // more can be asked of the domain
	Scenarios []*scenarioShown
	Several   bool   // there is more than one
	All       string // how many there are, "" where all are shown
	Focus     int
	Messages  []messageShown
	Earlier   int // message below which earlier ones are, 0 for none
	Newer     bool
	Waits     bool   // for an answer
	Events    string // id of the event behind which the page has not looked, "" for a page of earlier messages
	Prompt    string
	Elsewhere []domainShown // that may have been meant by a first question which was not understood
	Once      uuid.UUID
	Language  string // tag of the newest message on the page, "" for English
}

// head finds the conversation that the path names, at the read index.
func (c *Console) head(v *visit) (projections.Conversation, error) {
	id, ok := v.x.ID("id")
	if !ok {
		return projections.Conversation{}, inWords(commands.ErrUnknownConversation)
	}
	ctx := v.x.Request().Context()
	if err := c.views.Fresh(ctx); err != nil {
		return projections.Conversation{}, err
	}
	head, found, err := c.views.Conversation(ctx, v.account.ID, id)
	if err == nil && !found {
		err = inWords(commands.ErrUnknownConversation)
	}
	return head, err
}

// conversation shows the newest messages of a conversation, or those before one.
func (c *Console) conversation(v *visit) (http.Answer, error) {
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	return c.conversationPage(v, head, nil)
}

// conversationPage shows a conversation with its title and notes as they are, or as a form that was
// refused has them.
func (c *Console) conversationPage(v *visit, head projections.Conversation, form url.Values) (http.Answer, error) {
	query := v.x.Request().URL.Query()
	last := head.Messages
	if n, err := strconv.Atoi(query.Get("before")); err == nil && n > 1 && n <= head.Messages {
		last = n - 1
	}
	r := c.reader(v)
	if id, err := uuid.Parse(query.Get("message")); err == nil { // the page that has it
		m, found, err := c.views.Message(r.ctx, v.account.ID, head.ID, id)
		if err != nil {
			return http.Answer{}, err
		}
		if found && m.Number <= last-pageMessages {
			last = max(m.Number+pageMessages/2, pageMessages)
		}
	}
	first := max(1, last-pageMessages+1)
	at := c.views.At()
	messages, err := c.views.Messages(r.ctx, v.account.ID, head.ID, first, last)
	if err != nil {
		return http.Answer{}, err
	}
	s := conversationShown{
		ID: head.ID, Title: titleOf(head), Focus: head.Current, Newer: last < head.Messages, Once: once(),
		Prompt: query.Get("prompt"), Several: head.Last > 1,
	}
	s.Own, s.Notes = textOf(head.Title), textOf(head.Notes)
	if head.Domain != nil {
		s.Domain = *head.Domain
		domain, found := c.views.Domain(v.account.ID, head.Domain.ID)
		s.Serves = found && domain.Serves() && v.account.Suspended == nil
	}
	if head.Last > besideMessages {
		s.All = grouped(head.Last)
	}
	if first > 1 {
		s.Earlier = first
	}
	if !s.Newer {
		s.Events = http.EventID(v.account.ID, head.ID, at)
	}
	if s.Scenarios, err = r.scenarios(head, besideMessages); err != nil {
		return http.Answer{}, err
	}
	here := map[uuid.UUID]bool{}
	for _, m := range messages {
		here[m.MessageID] = true
	}
	note(here, s.Scenarios)
	for _, m := range messages {
		shown := r.message(m)
		if shown.Scenario > 0 && s.Serves {
			stands, _, err := c.views.Scenario(r.ctx, v.account.ID, head.ID, shown.Scenario)
			if err != nil {
				return http.Answer{}, err
			}
			shown.Newest = stands.MessageID == m.MessageID
		}
		shown.Last = m.Number == head.Messages
		if m.MessageID.String() == query.Get("message") && shown.Target != nil {
			shown.Target.in(query.Get("in"), shown.writing)
		}
		shown.Elsewhere = snippets(c.config.Public, m, head.ID)
		s.Waits = s.Waits || m.Status == projections.InProgress
		s.Messages = append(s.Messages, shown)
	}
	if n := len(s.Messages); n > 0 {
		s.Language = s.Messages[n-1].Language
	}
	if n := len(messages); n > 0 && !s.Newer && s.Prompt == "" && messages[n-1].InputFormat != "json" && s.Messages[n-1].Mends() {
		s.Prompt = messages[n-1].Prompt
		if n == 1 && head.Messages == 1 && messages[0].InputFormat == "natural_language" {
			s.Elsewhere = c.others(v, messages[0])
		}
	}
	status := 0
	if s.Written = s.Notes; form != nil {
		s.Own, s.Written, status = form.Get("title"), form.Get("notes"), unprocessable
	}
	return c.page("conversation", v, status, s)
}

// maxOthers is how many other domains a question is offered to.
const maxOthers = 12

// others are the domains that a question was not asked of, as buttons that ask them.
func (c *Console) others(v *visit, m projections.Message) (list []domainShown) {
	for _, d := range c.views.Domains(v.account.ID) {
		if d.ID != m.Domain.ID && len(list) < maxOthers {
			list = append(list, domainShown{ID: d.ID, Title: d.Published.Title, Examples: []exampleShown{{Prompt: m.Prompt}}})
		}
	}
	return list
}

// note has scenarios know whether the messages that they stand at are here.
func note(here map[uuid.UUID]bool, list []*scenarioShown) {
	for _, s := range list {
		s.Here = here[s.Message]
		note(here, s.Children)
	}
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// titleOf is what a conversation is called.
func titleOf(head projections.Conversation) string {
	if title := textOf(head.Title); title != "" {
		return title
	}
	return "Without a title"
}

// describe gives a conversation a title and notes.
func (c *Console) describe(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	var d commands.Description
	for name, into := range map[string]**string{"title": &d.Title, "notes": &d.Notes} {
		if form.Has(name) {
			text := strings.ReplaceAll(form.Get(name), "\r\n", "\n")
			*into = &text
		}
	}
	err = c.admin(v).Describe(v.x.Request().Context(), v.account.Name, head.ID, d)
	if err != nil {
		if !v.refused(err) {
			return http.Answer{}, err
		}
		return c.conversationPage(v, head, form)
	}
	return redirect(conversationPath(head.ID)), nil
}

// admin decides what the visitor administers.
func (c *Console) admin(v *visit) commands.Admin {
	user := v.user.ID
	return commands.Admin{Log: c.log, Views: c.views, By: events.Actor{How: events.BySession, UserID: &user}}
}

// awaited waits for the answer to a message in natural language for a moment.
func (c *Console) awaited(ctx context.Context, v *visit, m projections.Message) (projections.Message, error) {
	if m.Status != projections.InProgress {
		return m, nil
	}
	ctx, cancel := context.WithTimeout(ctx, proseWait)
	defer cancel()
	return c.service.Await(ctx, v.account.ID, m)
}

// conversationRow is a conversation in a list.
type conversationRow struct {
	ID     uuid.UUID
	Title  string
	Notes  string
	Domain string
	At     time.Time
	Zone   *time.Location
	Count  string
	Chat   bool // people had a part in it
	API    bool // programs had
}

// Clock is when it was last active, Stamp the same for programs.
func (r conversationRow) Clock() string { return moment(r.At, r.Zone) }
func (r conversationRow) Stamp() string { return r.At.UTC().Format(time.RFC3339) }

func rowsOf(list []projections.Conversation, zone *time.Location) (rows []conversationRow) {
	for _, head := range list {
		row := conversationRow{
			ID: head.ID, Title: titleOf(head), Notes: short(strings.Join(strings.Fields(textOf(head.Notes)), " "), 140), At: head.LastActivityAt, Zone: zone,
			Count: count(head.Messages, "message", "messages"),
		}
		if head.Domain != nil {
			row.Domain = head.Domain.Title
		}
		for _, source := range head.Sources {
			row.Chat, row.API = row.Chat || source == commands.SourceChat, row.API || source == commands.SourceAPI
		}
		rows = append(rows, row)
	}
	return rows
}
