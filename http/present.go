package http

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/projections"
)

// summary is a domain summary. Key is shown in body version 1 alone.
type summary struct {
	ID          uuid.UUID `json:"id"`
	Key         string    `json:"key,omitempty"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
}

// messageBody is a message: the answer of calculate, or one entry of a conversation.
type messageBody struct {
	ConversationID  *uuid.UUID           `json:"conversation_id,omitempty"` // nil in a conversation
	MessageID       uuid.UUID            `json:"message_id"`
	IdempotencyKey  *string              `json:"idempotency_key"`
	Status          string               `json:"status"`
	Source          string               `json:"source"`
	InputFormat     string               `json:"input_format"`
	NaturalLanguage **string             `json:"natural_language,omitempty"` // nil is no member, a pointer to nil is null
	ParsedJSON      json.RawMessage      `json:"parsed_json,omitempty"`
	StructuredText  *string              `json:"structured_text"`
	Domain          summary              `json:"domain"`
	CreatedAt       string               `json:"created_at"`
	UpdatedAt       string               `json:"updated_at"`
	Results         *projections.Results `json:"results,omitempty"`
	Errors          json.RawMessage      `json:"errors,omitempty"`
	Version         int                  `json:"version"`
}

// conversationItem is an entry of the list of conversations.
type conversationItem struct {
	ID             uuid.UUID  `json:"id"`
	Title          *string    `json:"title"`
	Notes          *string    `json:"notes"`
	DomainID       *uuid.UUID `json:"domain_id"`
	LastActivityAt string     `json:"last_activity_at"`
}

// pageBody is a page of the list of conversations.
type pageBody struct {
	Conversations []conversationItem `json:"conversations"`
	NextCursor    *uuid.UUID         `json:"next_cursor"`
}

// conversationBody is a conversation in detail.
type conversationBody struct {
	ConversationID       uuid.UUID     `json:"conversation_id"`
	Title                *string       `json:"title"`
	Notes                *string       `json:"notes"`
	Domain               *summary      `json:"domain"`
	CurrentScenarioIndex *int          `json:"current_scenario_index"`
	LastScenarioIndex    *int          `json:"last_scenario_index"`
	LastActivityAt       string        `json:"last_activity_at"`
	Messages             []messageBody `json:"messages"`
}

// scenarioBody is a scenario as it now stands.
type scenarioBody struct {
	ID         int                          `json:"id"`
	Domains    []summary                    `json:"domains"`
	Activities []projections.ResultActivity `json:"activities"`
	Variables  []projections.ResultVariable `json:"variables"`
}

// scenariosBody is all scenarios of a conversation, by index.
type scenariosBody struct {
	ConversationID uuid.UUID      `json:"conversation_id"`
	Scenarios      []scenarioBody `json:"scenarios"`
}

// oneScenarioBody is one scenario of a conversation.
type oneScenarioBody struct {
	ConversationID uuid.UUID    `json:"conversation_id"`
	Scenario       scenarioBody `json:"scenario"`
}

// PresentMessage is the answer of calculate in body version 1 or 2: a value whose JSON, best written without escaping for
// HTML, is the body.
func PresentMessage(m projections.Message, bodyVersion int) any {
	b := presentEntry(m, bodyVersion)
	b.ConversationID = &m.ConversationID
	if *b.NaturalLanguage == nil {
		b.NaturalLanguage = nil
	}
	return b
}

// presentEntry is a message as it stands in a conversation.
func presentEntry(m projections.Message, version int) messageBody {
	none := (*string)(nil)
	b := messageBody{
		MessageID:       m.MessageID,
		IdempotencyKey:  m.IdempotencyKey,
		Status:          m.Status,
		Source:          m.Source,
		InputFormat:     m.InputFormat,
		NaturalLanguage: &none,
		Domain:          presentReference(m.Domain, version),
		CreatedAt:       stamp(m.ReceivedAt),
		UpdatedAt:       stamp(m.UpdatedAt),
		Version:         version,
	}
	switch {
	case m.Completed != nil:
		results := presentResults(m.Completed.Results, version)
		b.Results = &results
		b.NaturalLanguage = &m.Completed.NaturalLanguage
		b.StructuredText = m.Completed.StructuredText
		if m.InputFormat != "structured" {
			b.ParsedJSON = m.Completed.Parsed
		}
	case m.Failed != nil:
		b.Errors = m.Failed.Errors
	}
	return b
}

// presentResults is a results object with arrays where the view has nothing, in the words of the body version.
func presentResults(r projections.Results, version int) projections.Results {
	r.Activities, r.Variables = list(slices.Clone(r.Activities)), list(slices.Clone(r.Variables))
	for i := range r.Activities {
		r.Activities[i].Variables = list(r.Activities[i].Variables)
	}
	if version == 1 {
		for i := range r.Activities {
			r.Activities[i].State = stateV1(r.Activities[i].State)
		}
		for i := range r.Variables {
			r.Variables[i].Display = displayV1(r.Variables[i].Display)
		}
	}
	return r
}

// list is a slice that is written as an array even when there is nothing in it.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// presentPage is a page of the list of conversations.
func presentPage(p projections.Page) pageBody {
	b := pageBody{Conversations: make([]conversationItem, len(p.Conversations)), NextCursor: p.Next}
	for i, c := range p.Conversations {
		item := conversationItem{ID: c.ID, Title: c.Title, Notes: c.Notes, LastActivityAt: stamp(c.LastActivityAt)}
		if c.Domain != nil {
			item.DomainID = &c.Domain.ID
		}
		b.Conversations[i] = item
	}
	return b
}

// presentConversation is a conversation with its messages, oldest first.
func presentConversation(c projections.Conversation, messages []projections.Message, version int) conversationBody {
	b := conversationBody{
		ConversationID:       c.ID,
		Title:                c.Title,
		Notes:                c.Notes,
		CurrentScenarioIndex: index(c.Current),
		LastScenarioIndex:    index(c.Last),
		LastActivityAt:       stamp(c.LastActivityAt),
		Messages:             make([]messageBody, len(messages)),
	}
	if c.Domain != nil {
		domain := presentReference(*c.Domain, version)
		b.Domain = &domain
	}
	for i, m := range messages {
		b.Messages[i] = presentEntry(m, version)
	}
	return b
}

// presentScenario is the scenario with an index, from the message that it now stands at.
func presentScenario(index int, m projections.Message, version int) scenarioBody {
	var r projections.Results
	if m.Completed != nil {
		r = m.Completed.Results
	}
	r = presentResults(r, version)
	return scenarioBody{
		ID:         index,
		Domains:    []summary{presentReference(m.Domain, version)},
		Activities: r.Activities,
		Variables:  r.Variables,
	}
}

// presentReference is the summary of the domain version that a message or a conversation refers to.
func presentReference(d projections.DomainRef, version int) summary {
	s := summary{ID: d.ID, Title: d.Title, Description: d.Description}
	if version == 1 {
		s.Key = d.Key
	}
	return s
}

// index is a scenario's index, null for none.
func index(i int) *int {
	if i == 0 {
		return nil
	}
	return &i
}

// stamp writes a time as RFC 3339 in UTC with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
