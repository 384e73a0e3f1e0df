package http

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"reckon/projections"
)

// summary is of a domain. Key is shown in body version 1 alone.
type summary struct {
	ID          uuid.UUID `json:"id"`
	Key         string    `json:"key,omitempty"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
}

// messageBody is a message: the answer of calculate, or as it stands in a conversation.
type messageBody struct {
	ConversationID  uuid.UUID            `json:"conversation_id,omitzero"` // in the answer of calculate
	MessageID       uuid.UUID            `json:"message_id"`
	IdempotencyKey  *string              `json:"idempotency_key"`
	Status          string               `json:"status"`
	Source          string               `json:"source"`
	InputFormat     string               `json:"input_format"`
	NaturalLanguage **string             `json:"natural_language,omitzero"` // null only in a conversation
	Parsed          jsontext.Value       `json:"parsed_json,omitempty"`
	StructuredText  *string              `json:"structured_text"`
	Domain          summary              `json:"domain"`
	CreatedAt       stamp                `json:"created_at"`
	UpdatedAt       stamp                `json:"updated_at"`
	Results         *projections.Results `json:"results,omitzero"`
	Errors          jsontext.Value       `json:"errors,omitempty"`
	Version         int                  `json:"version"`
}

type scenarioBody struct {
	ID         int                          `json:"id"`
	Domains    []summary                    `json:"domains"`
	Activities []projections.ResultActivity `json:"activities"`
	Variables  []projections.ResultVariable `json:"variables"`
}

type pageBody struct {
	Conversations []listedBody `json:"conversations"`
	NextCursor    *uuid.UUID   `json:"next_cursor"`
}

type listedBody struct {
	ID             uuid.UUID  `json:"id"`
	Title          *string    `json:"title"`
	Notes          *string    `json:"notes"`
	DomainID       *uuid.UUID `json:"domain_id"`
	LastActivityAt stamp      `json:"last_activity_at"`
}

// conversationBody is a conversation with its messages, oldest first. Indexes are null for none.
type conversationBody struct {
	ConversationID uuid.UUID     `json:"conversation_id"`
	Title          *string       `json:"title"`
	Notes          *string       `json:"notes"`
	Domain         *summary      `json:"domain"`
	Current        *int          `json:"current_scenario_index"`
	Last           *int          `json:"last_scenario_index"`
	LastActivityAt stamp         `json:"last_activity_at"`
	Messages       []messageBody `json:"messages"`
	NextCursor     **uuid.UUID   `json:"next_cursor,omitzero"` // of a page; null on the last one
}

type scenariosBody struct {
	ConversationID uuid.UUID      `json:"conversation_id"`
	Scenarios      []scenarioBody `json:"scenarios"`
}

type oneScenarioBody struct {
	ConversationID uuid.UUID    `json:"conversation_id"`
	Scenario       scenarioBody `json:"scenario"`
}

// PresentMessage is the answer of calculate in body version 1 or 2, as JSON.
func PresentMessage(m projections.Message, bodyVersion int) jsontext.Value {
	b := presentMessage(&m, bodyVersion)
	b.ConversationID = m.ConversationID
	if *b.NaturalLanguage == nil {
		b.NaturalLanguage = nil
	}
	return encode(b)
}

// presentMessage is a message as it stands in a conversation.
func presentMessage(m *projections.Message, version int) messageBody {
	b := messageBody{
		MessageID: m.MessageID, IdempotencyKey: m.IdempotencyKey, Status: m.Status, Source: m.Source, InputFormat: m.InputFormat,
		NaturalLanguage: new(*string), Domain: presentReference(m.Domain, version),
		CreatedAt: stamp(m.ReceivedAt), UpdatedAt: stamp(m.UpdatedAt), Version: version,
	}
	switch {
	case m.Completed != nil:
		*b.NaturalLanguage, b.StructuredText = m.Completed.NaturalLanguage, m.Completed.StructuredText
		if m.InputFormat != "structured" {
			b.Parsed = jsontext.Value(m.Completed.Parsed)
		}
		results := presentResults(m.Completed.Results, version)
		b.Results = &results
	case m.Failed != nil:
		b.Errors = jsontext.Value(m.Failed.Errors)
	}
	return b
}

// presentResults are results in the words of the body version. Version 2 is how events hold them.
func presentResults(r projections.Results, version int) projections.Results {
	if version != 1 {
		return r
	}
	r.Activities, r.Variables = slices.Clone(r.Activities), slices.Clone(r.Variables)
	for i := range r.Activities {
		r.Activities[i].State = stateV1(r.Activities[i].State)
	}
	for i := range r.Variables {
		r.Variables[i].Display = displayV1(r.Variables[i].Display)
	}
	return r
}

func presentPage(p projections.Page) pageBody {
	b := pageBody{Conversations: make([]listedBody, len(p.Conversations)), NextCursor: p.Next}
	for i, c := range p.Conversations {
		b.Conversations[i] = listedBody{ID: c.ID, Title: c.Title, Notes: c.Notes, LastActivityAt: stamp(c.LastActivityAt)}
		if c.Domain != nil {
			b.Conversations[i].DomainID = &c.Domain.ID
		}
	}
	return b
}

func presentConversation(c projections.Conversation, messages []projections.Message, version int) conversationBody {
	b := conversationBody{
		ConversationID: c.ID, Title: c.Title, Notes: c.Notes, Current: index(c.Current), Last: index(c.Last),
		LastActivityAt: stamp(c.LastActivityAt), Messages: make([]messageBody, len(messages)),
	}
	if c.Domain != nil {
		domain := presentReference(*c.Domain, version)
		b.Domain = &domain
	}
	for i := range messages {
		b.Messages[i] = presentMessage(&messages[i], version)
	}
	return b
}

// index is a scenario's index, nil for none.
func index(i int) *int {
	if i == 0 {
		return nil
	}
	return &i
}

// presentScenarios is all scenarios of a conversation, from the messages that they now stand at, by
// index from 1 on.
func presentScenarios(conversation uuid.UUID, at []projections.Message, version int) scenariosBody {
	b := scenariosBody{ConversationID: conversation, Scenarios: make([]scenarioBody, len(at))}
	for i := range at {
		b.Scenarios[i] = scenarioOf(i+1, &at[i], version)
	}
	return b
}

// scenarioOf is the scenario with an index, from the message that it now stands at.
func scenarioOf(index int, m *projections.Message, version int) scenarioBody {
	b := scenarioBody{ID: index, Domains: []summary{presentReference(m.Domain, version)}}
	if m.Completed != nil {
		r := presentResults(m.Completed.Results, version)
		b.Activities, b.Variables = r.Activities, r.Variables
	}
	return b
}

func presentReference(d projections.DomainRef, version int) summary {
	s := summary{ID: d.ID, Title: d.Title, Description: d.Description}
	if version == 1 {
		s.Key = d.Key
	}
	return s
}
