package events

import "github.com/google/uuid"

// DraftDiscarded ends a draft that is not to be published.
type DraftDiscarded struct {
	Administered
	DomainID uuid.UUID `json:"domain_id"`
}
