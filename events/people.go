package events

import (
	"time"

	"github.com/google/uuid"
)

// Actor is who gave a command of administration, and how.
type Actor struct {
	How     string     `json:"how"`               // ByShell and the others
	Name    string     `json:"name,omitempty"`    // of the system's user, in a shell
	UserID  *uuid.UUID `json:"user_id,omitempty"` // nil in a shell and for the service
	TokenID *uuid.UUID `json:"token_id,omitempty"`
}

// The ways in which commands of administration are given.
const (
	ByShell   = "shell"   // a command line on the log itself
	ByService = "service" // the service of its own accord, as at its first start
	ByToken   = "token"   // a token of a user
	BySession = "session" // a user who is signed in, or who signs in by it
)

// Administered is the part that all events of administration have. By is nil in events that were
// recorded before actors were.
type Administered struct {
	By *Actor `json:"by,omitempty"`
}

// Actor is who administered, nil where that is not known.
func (a *Administered) Actor() *Actor { return a.By }

// Sign says who administered, once.
func (a *Administered) Sign(by Actor) {
	if a.By == nil {
		a.By = &by
	}
}

// Administration is the data of an event that a person or the service brought about by
// administering.
type Administration interface {
	Actor() *Actor
	Sign(Actor)
}

// UserCreated makes a person known to the installation. It is the first event of the user's
// subject.
type UserCreated struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
	Email  string    `json:"email"` // as it was written; compared without case
	Name   string    `json:"name,omitempty"`
}

// UserDisabled takes from a user the use of everything, until UserEnabled.
type UserDisabled struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
}

// UserEnabled takes UserDisabled back.
type UserEnabled struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
}

// OperatorAdded lets a user run the installation.
type OperatorAdded struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
}

// OperatorRemoved takes OperatorAdded back.
type OperatorRemoved struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
}

// TokenCreated gives a user a token that administers with the user's roles. Only the SHA-256 of the
// whole token is kept, in hex, and its last four characters.
type TokenCreated struct {
	Administered
	TokenID   uuid.UUID  `json:"token_id"`
	Hash      string     `json:"hash"`
	Hint      string     `json:"hint"`
	Name      string     `json:"name,omitempty"`
	Scopes    []string   `json:"scopes,omitempty"` // read, account:<id>; none for all that the user may
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// TokenRevoked ends a token for ever.
type TokenRevoked struct {
	Administered
	TokenID uuid.UUID `json:"token_id"`
}

// TokenUsed says that a token was used on a day of UTC, for the first time on that day.
type TokenUsed struct {
	Administered
	TokenID uuid.UUID `json:"token_id"`
}

// RequestAnswered says that a request of administration with an idempotency key, which the event
// has, was answered and has changed nothing.
type RequestAnswered struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
}

// MemberJoined gives a user a role in an account.
type MemberJoined struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
	Role   string    `json:"role"` // member, developer or owner
}

// MemberChanged gives a member another role.
type MemberChanged struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
	Role   string    `json:"role"`
}

// MemberRemoved ends a membership.
type MemberRemoved struct {
	Administered
	UserID uuid.UUID `json:"user_id"`
}
