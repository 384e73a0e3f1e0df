package events

import "github.com/google/uuid"

// ConversationDescribed gives a conversation a title and notes that people wrote. It is no activity
// of the conversation. A nil member leaves what was there, an empty one takes it away.
type ConversationDescribed struct {
	Administered
	ConversationID uuid.UUID `json:"conversation_id"`
	Title          *string   `json:"title,omitempty"`
	Notes          *string   `json:"notes,omitempty"`
}

// Conversation is the conversation that an event is about, uuid.Nil for none.
func (e Event) Conversation() uuid.UUID {
	if m := e.Message(); m != nil {
		return m.ConversationID
	}
	switch data := e.Data.(type) {
	case *ConversationDescribed:
		return data.ConversationID
	case *ConversationErased:
		return data.ConversationID
	case *PromptStored:
		return data.ConversationID
	}
	return uuid.Nil
}
