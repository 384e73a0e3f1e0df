package http

import (
	"encoding/json"

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

// room is about what messages take.
func room(messages ...projections.Message) int {
	const rest, entry = 1 << 10, 400
	n := rest
	for i := range messages {
		n += rest
		if c := messages[i].Completed; c != nil {
			n += entry*(len(c.Results.Activities)+len(c.Results.Variables)) + len(c.Parsed)
		}
	}
	return n
}

// PresentMessage is the answer of calculate in body version 1 or 2, as JSON.
func PresentMessage(m projections.Message, bodyVersion int) json.RawMessage {
	w := newWriter(room(m))
	w.message(&m, bodyVersion, true)
	return w.out
}

// message writes a message: the answer of calculate, or as it stands in a conversation.
func (w *writer) message(m *projections.Message, version int, answer bool) {
	w.literal("{")
	if answer {
		w.literal(`"conversation_id":`)
		w.id(m.ConversationID)
		w.literal(",")
	}
	w.literal(`"message_id":`)
	w.id(m.MessageID)
	w.literal(`,"idempotency_key":`)
	w.optional(m.IdempotencyKey)
	w.literal(`,"status":`)
	w.text(m.Status)
	w.literal(`,"source":`)
	w.text(m.Source)
	w.literal(`,"input_format":`)
	w.text(m.InputFormat)
	var natural, structured *string
	if m.Completed != nil {
		natural, structured = m.Completed.NaturalLanguage, m.Completed.StructuredText
	}
	if natural != nil || !answer {
		w.literal(`,"natural_language":`)
		w.optional(natural)
	}
	if m.Completed != nil && m.InputFormat != "structured" && len(m.Completed.Parsed) > 0 {
		w.literal(`,"parsed_json":`)
		w.raw(m.Completed.Parsed)
	}
	w.literal(`,"structured_text":`)
	w.optional(structured)
	w.literal(`,"domain":`)
	w.reference(m.Domain, version)
	w.literal(`,"created_at":`)
	w.stamp(m.ReceivedAt)
	w.literal(`,"updated_at":`)
	w.stamp(m.UpdatedAt)
	switch {
	case m.Completed != nil:
		w.literal(`,"results":`)
		w.results(&m.Completed.Results, version)
	case m.Failed != nil && len(m.Failed.Errors) > 0:
		w.literal(`,"errors":`)
		w.raw(m.Failed.Errors)
	}
	w.literal(`,"version":`)
	w.number(version)
	w.literal("}")
}

// results writes a results object.
func (w *writer) results(r *projections.Results, version int) {
	w.literal(`{"action":`)
	w.text(r.Action)
	w.literal(`,"scenario":{"original":`)
	w.number(r.Scenario.Original)
	w.literal(`,"current":`)
	w.number(r.Scenario.Current)
	w.literal(`},`)
	w.values(r, version)
	w.literal(`,"calculated":`)
	if r.Calculated == nil {
		w.literal("null")
	} else {
		w.id(*r.Calculated)
	}
	w.literal("}")
}

// values writes the members of results that a scenario has too: activities and variables, in the words of the body version.
func (w *writer) values(r *projections.Results, version int) {
	w.literal(`"activities":[`)
	for i := range r.Activities {
		w.comma(i)
		w.activity(&r.Activities[i], version)
	}
	w.literal(`],"variables":[`)
	for i := range r.Variables {
		w.comma(i)
		w.variable(&r.Variables[i], version)
	}
	w.literal("]")
}

func (w *writer) activity(a *projections.ResultActivity, version int) {
	state := a.State
	if version == 1 {
		state = stateV1(state)
	}
	w.literal(`{"id":`)
	w.id(a.ID)
	w.literal(`,"title":`)
	w.text(a.Title)
	w.literal(`,"description":`)
	w.text(a.Description)
	w.literal(`,"equation":`)
	w.text(a.Equation)
	w.literal(`,"state":`)
	w.text(state)
	w.literal(`,"variables":[`)
	for i, v := range a.Variables {
		w.comma(i)
		w.literal(`{"id":`)
		w.id(v.ID)
		w.literal(`,"calculable":`)
		w.truth(v.Calculable)
		w.literal("}")
	}
	w.literal("]}")
}

func (w *writer) variable(v *projections.ResultVariable, version int) {
	display := v.Display
	if version == 1 {
		display = displayV1(display)
	}
	w.literal(`{"id":`)
	w.id(v.ID)
	w.literal(`,"key":`)
	w.text(v.Key)
	w.literal(`,"title":`)
	w.text(v.Title)
	w.literal(`,"description":`)
	w.text(v.Description)
	w.literal(`,"source":`)
	w.text(v.Source)
	w.literal(`,"historical":`)
	w.truth(v.Historical)
	w.literal(`,"value":`)
	w.raw(v.Value)
	w.literal(`,"display":`)
	w.raw(display)
	if len(v.Scale) > 0 {
		w.literal(`,"scale":`)
		w.raw(v.Scale)
	}
	if v.ScaleUnit != "" {
		w.literal(`,"scale_unit":`)
		w.text(v.ScaleUnit)
	}
	if v.ScaleIncompatible {
		w.literal(`,"scale_incompatible":true`)
	}
	if len(v.ScaleTypes) > 0 {
		w.literal(`,"scale_types":[`)
		for i, t := range v.ScaleTypes {
			w.comma(i)
			w.text(t)
		}
		w.literal("]")
	}
	w.literal("}")
}

// list is a slice that is written as an array even when there is nothing in it.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// presentPage is a page of the list of conversations.
func presentPage(p projections.Page) json.RawMessage {
	w := newWriter(256 * (1 + len(p.Conversations)))
	w.literal(`{"conversations":[`)
	for i := range p.Conversations {
		c := &p.Conversations[i]
		w.comma(i)
		w.literal(`{"id":`)
		w.id(c.ID)
		w.literal(`,"title":`)
		w.optional(c.Title)
		w.literal(`,"notes":`)
		w.optional(c.Notes)
		w.literal(`,"domain_id":`)
		if c.Domain == nil {
			w.literal("null")
		} else {
			w.id(c.Domain.ID)
		}
		w.literal(`,"last_activity_at":`)
		w.stamp(c.LastActivityAt)
		w.literal("}")
	}
	w.literal(`],"next_cursor":`)
	if p.Next == nil {
		w.literal("null")
	} else {
		w.id(*p.Next)
	}
	w.literal("}")
	return w.out
}

// presentConversation is a conversation with its messages, oldest first.
func presentConversation(c projections.Conversation, messages []projections.Message, version int) json.RawMessage {
	w := newWriter(room(messages...))
	w.literal(`{"conversation_id":`)
	w.id(c.ID)
	w.literal(`,"title":`)
	w.optional(c.Title)
	w.literal(`,"notes":`)
	w.optional(c.Notes)
	w.literal(`,"domain":`)
	if c.Domain == nil {
		w.literal("null")
	} else {
		w.reference(*c.Domain, version)
	}
	w.literal(`,"current_scenario_index":`)
	w.index(c.Current)
	w.literal(`,"last_scenario_index":`)
	w.index(c.Last)
	w.literal(`,"last_activity_at":`)
	w.stamp(c.LastActivityAt)
	w.literal(`,"messages":[`)
	for i := range messages {
		w.comma(i)
		w.message(&messages[i], version, false)
	}
	w.literal("]}")
	return w.out
}

// presentScenarios is all scenarios of a conversation, from the messages that they now stand at, by index from 1 on.
func presentScenarios(conversation uuid.UUID, at []projections.Message, version int) json.RawMessage {
	w := newWriter(room(at...))
	w.literal(`{"conversation_id":`)
	w.id(conversation)
	w.literal(`,"scenarios":[`)
	for i := range at {
		w.comma(i)
		w.scenario(i+1, &at[i], version)
	}
	w.literal("]}")
	return w.out
}

// presentScenario is one scenario of a conversation.
func presentScenario(conversation uuid.UUID, index int, at projections.Message, version int) json.RawMessage {
	w := newWriter(room(at))
	w.literal(`{"conversation_id":`)
	w.id(conversation)
	w.literal(`,"scenario":`)
	w.scenario(index, &at, version)
	w.literal("}")
	return w.out
}

// scenario writes the scenario with an index, from the message that it now stands at.
func (w *writer) scenario(index int, m *projections.Message, version int) {
	var r projections.Results
	if m.Completed != nil {
		r = m.Completed.Results
	}
	w.literal(`{"id":`)
	w.number(index)
	w.literal(`,"domains":[`)
	w.reference(m.Domain, version)
	w.literal(`],`)
	w.values(&r, version)
	w.literal("}")
}

// reference writes the summary of the domain version that a message or a conversation refers to.
func (w *writer) reference(d projections.DomainRef, version int) {
	w.literal(`{"id":`)
	w.id(d.ID)
	if version == 1 && d.Key != "" {
		w.literal(`,"key":`)
		w.text(d.Key)
	}
	w.literal(`,"title":`)
	w.text(d.Title)
	w.literal(`,"description":`)
	w.text(d.Description)
	w.literal("}")
}

// index writes a scenario's index, null for none.
func (w *writer) index(i int) {
	if i == 0 {
		w.literal("null")
		return
	}
	w.number(i)
}

// presentReference is the summary of a domain.
func presentReference(d projections.DomainRef, version int) summary {
	s := summary{ID: d.ID, Title: d.Title, Description: d.Description}
	if version == 1 {
		s.Key = d.Key
	}
	return s
}
