package events

import (
	"time"

	"github.com/google/uuid"
)

// LinkIssued gives a user a link that lets in once, and ends the link before it. Only the SHA-256
// of the link's secret is kept, in hex.
type LinkIssued struct {
	Administered
	LinkID    uuid.UUID `json:"link_id"`
	Hash      string    `json:"hash"`
	ExpiresAt time.Time `json:"expires_at"`
}

// PasswordSet gives a user a password. It ends all their sessions and their link.
type PasswordSet struct {
	Administered
	Hash   string     `json:"hash"`              // as Argon2's own program writes it, with all parameters
	LinkID *uuid.UUID `json:"link_id,omitempty"` // of the link that was used for it
}

// SessionStarted lets a browser in until a moment. Only the SHA-256 of the session's secret is
// kept, in hex.
type SessionStarted struct {
	Administered
	SessionID uuid.UUID `json:"session_id"`
	Hash      string    `json:"hash"`
	Way       string    `json:"way"` // WayPassword and the others
	ExpiresAt time.Time `json:"expires_at"`

	Passkey *PasskeyUsed `json:"passkey,omitempty"` // that the user signed in with
}

// The ways in which people sign in.
const (
	WayPassword = "password"
	WayLink     = "link"     // and a password set by it
	WayIdentity = "identity" // of another provider
	WayPasskey  = "passkey"
)

// SessionMoved has a session be about another account.
type SessionMoved struct {
	Administered
	SessionID uuid.UUID `json:"session_id"`
	AccountID uuid.UUID `json:"account_id"`
}

// SessionEnded ends a session of a user, or all that they have.
type SessionEnded struct {
	Administered
	UserID    uuid.UUID  `json:"user_id"`
	SessionID *uuid.UUID `json:"session_id,omitempty"` // nil for all
}

// IdentityLinked lets a user in whom another provider vouches for.
type IdentityLinked struct {
	Administered
	Issuer  string `json:"issuer"`  // URL of the provider
	Subject string `json:"subject"` // what it calls the user
}
