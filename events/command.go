package events

import "github.com/google/uuid"

// ApartCommand is the wire name of a command whose prompt is stored apart.
const ApartCommand = "reckon.calculate.v2"

// PromptOf is where the prompt of a command stands that is stored apart; ok is false for any other
// command.
func PromptOf(command []byte) (s Subject, ok bool) {
	var c struct {
		Type           string    `json:"type"`
		AccountID      uuid.UUID `json:"account_id"`
		ConversationID uuid.UUID `json:"conversation_id"`
		MessageID      uuid.UUID `json:"message_id"`
	}
	if Unmarshal(command, &c) != nil || c.Type != ApartCommand {
		return s, false
	}
	return PromptSubject(c.AccountID, c.ConversationID, c.MessageID), true
}
