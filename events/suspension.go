package events

import "github.com/google/uuid"

// AccountSuspended ends the use of an account's keys until AccountResumed: nothing is calculated or
// published for it. What it has stays and can be read by its members.
type AccountSuspended struct {
	Administered
	AccountID uuid.UUID `json:"account_id"`
	Reason    string    `json:"reason"` // as members see it, "" for none
}

// AccountResumed takes AccountSuspended back.
type AccountResumed struct {
	Administered
	AccountID uuid.UUID `json:"account_id"`
}
