package events

import "github.com/google/uuid"

// ApartCommand is the wire name of a command whose prompt is stored apart.
const ApartCommand = "reckon.calculate.v2"

// ErasedCommand is the wire name of what is left of a command with an idempotency key whose
// conversation was erased: the key cannot be used again.
const ErasedCommand = "reckon.erased.v1"

// Command is what every command says of itself.
type Command struct {
	Type           string    `json:"type"`
	AccountID      uuid.UUID `json:"account_id"`
	ConversationID uuid.UUID `json:"conversation_id"`
	MessageID      uuid.UUID `json:"message_id,omitzero"`
	IdempotencyKey *string   `json:"idempotency_key,omitempty"`
}

// CommandOf reads what a command says of itself; the zero value is of one that cannot be read.
func CommandOf(data []byte) (c Command) {
	if Unmarshal(data, &c) != nil {
		return Command{}
	}
	return c
}

// PromptOf is where the prompt of a command stands that is stored apart; ok is false for any other
// command.
func PromptOf(command []byte) (s Subject, ok bool) {
	c := CommandOf(command)
	if c.Type != ApartCommand {
		return s, false
	}
	return PromptSubject(c.AccountID, c.ConversationID, c.MessageID), true
}
