package events

import (
	"time"

	"github.com/google/uuid"
)

// WebhookCreated has what becomes of an account's calculations sent to an address, signed with a
// secret. Of that only the SHA-256 is kept, in hex: it is made again from a key of the
// installation.
type WebhookCreated struct {
	Administered
	WebhookID uuid.UUID `json:"webhook_id"`
	URL       string    `json:"url"`
	Name      string    `json:"name,omitempty"`
	Events    []string  `json:"events"` // calculation.completed, calculation.failed
	Hash      string    `json:"hash"`
}

// WebhookChanged changes a webhook. What is nil stays as it is.
type WebhookChanged struct {
	Administered
	WebhookID uuid.UUID `json:"webhook_id"`
	URL       *string   `json:"url,omitempty"`
	Name      *string   `json:"name,omitempty"`
	Events    []string  `json:"events,omitempty"`
}

// WebhookDisabled has nothing sent to a webhook any more, until WebhookEnabled.
type WebhookDisabled struct {
	Administered
	WebhookID uuid.UUID `json:"webhook_id"`
	Reason    string    `json:"reason"` // "" for none given
}

// WebhookEnabled takes WebhookDisabled back, for what happens from then on.
type WebhookEnabled struct {
	Administered
	WebhookID uuid.UUID `json:"webhook_id"`
}

// WebhookRolled gives a webhook the next secret. Until the end of the overlap what is sent is
// signed with the one before as well.
type WebhookRolled struct {
	Administered
	WebhookID    uuid.UUID  `json:"webhook_id"`
	Hash         string     `json:"hash"`
	OverlapUntil *time.Time `json:"overlap_until,omitempty"`
}

// WebhookDeleted ends a webhook for ever.
type WebhookDeleted struct {
	Administered
	WebhookID uuid.UUID `json:"webhook_id"`
}
