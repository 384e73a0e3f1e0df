package events

import (
	"time"

	"github.com/google/uuid"
)

// What is sent to webhooks.
const (
	CalculationCompleted = "calculation.completed"
	CalculationFailed    = "calculation.failed"
	WebhookTest          = "webhook.test" // to try a webhook out, whatever it is for
)

// WebhookEvents is what a webhook may be for.
var WebhookEvents = []string{CalculationCompleted, CalculationFailed}

// Sends is what of an event is sent to webhooks, "" for nothing.
func (e Event) Sends() string {
	switch e.Data.(type) {
	case *MessageCompleted:
		return CalculationCompleted
	case *MessageFailed:
		return CalculationFailed
	}
	return ""
}

// Delivery is something that is to be sent to a webhook. It names what that is about, and has
// nothing of it.
type Delivery struct {
	ID             uuid.UUID `json:"id"` // the same at every attempt, and when it is sent again
	AccountID      uuid.UUID `json:"account_id"`
	WebhookID      uuid.UUID `json:"webhook_id"`
	Event          string    `json:"event"`
	Sequence       uint64    `json:"sequence"` // of the event in EVENTS
	ConversationID uuid.UUID `json:"conversation_id"`
	MessageID      uuid.UUID `json:"message_id"`
	HappenedAt     time.Time `json:"happened_at"`
	Attempt        int       `json:"attempt"` // from 1 on
	Due            time.Time `json:"due"`     // not before
	Resent         bool      `json:"resent,omitempty"`
}

// DeliveryID is the id of what is sent to a webhook of a message.
func DeliveryID(webhook, message uuid.UUID) uuid.UUID { return uuid.NewSHA1(webhook, message[:]) }

// What became of an attempt.
const (
	Delivered = "delivered" // it was answered with success
	Retrying  = "retrying"  // it failed, and there is another attempt
	Failed    = "failed"    // it failed, and there is none
	Dropped   = "dropped"   // it is not sent: what it is about is erased, or too much is waiting
)

// Outcome is what became of an attempt to send something to a webhook.
type Outcome struct {
	Delivery
	At       time.Time  `json:"at"`
	Result   string     `json:"result"`
	Status   int        `json:"status,omitempty"` // that it was answered with, 0 for no answer
	Problem  string     `json:"problem,omitempty"`
	Millis   int        `json:"ms,omitempty"` // how long it took
	Next     *time.Time `json:"next,omitempty"`
	Since    uint64     `json:"since"`              // of the webhook, when it was sent
	Failures int        `json:"failures,omitempty"` // that failed for good since the last success, in a row, this one included
}
