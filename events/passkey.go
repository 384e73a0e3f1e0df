package events

import (
	"time"

	"github.com/google/uuid"
)

// PasskeyAdded lets a user in by a key pair of a device, whose public half it keeps.
type PasskeyAdded struct {
	Administered
	PasskeyID      uuid.UUID `json:"passkey_id"`
	Name           string    `json:"name"`
	Credential     []byte    `json:"credential"` // what the device knows it by
	PublicKey      []byte    `json:"public_key"` // a COSE key
	Transports     []string  `json:"transports,omitempty"`
	BackupEligible bool      `json:"backup_eligible,omitempty"` // it may be on several devices
	Counter        uint32    `json:"counter"`                   // of signatures; 0 where the device does not count
	// Seal is a random secret of the service. Challenges are sealed with one of those there are, which
	// every node has and nobody else.
	Seal      []byte        `json:"seal"`
	Challenge UsedChallenge `json:"challenge"`
}

// PasskeyRemoved lets a passkey in no more, and ends the sessions that were started by it.
type PasskeyRemoved struct {
	Administered
	PasskeyID uuid.UUID `json:"passkey_id"`
}

// PasskeyUsed is how a session was started by a passkey.
type PasskeyUsed struct {
	PasskeyID uuid.UUID     `json:"passkey_id"`
	Counter   uint32        `json:"counter"` // of signatures, with this one
	Challenge UsedChallenge `json:"challenge"`
}

// UsedChallenge is a challenge that was answered, and may not be answered again.
type UsedChallenge struct {
	Hash      string    `json:"hash"`       // SHA-256 of the whole challenge, in hex
	ExpiresAt time.Time `json:"expires_at"` // when no answer is taken any more
}
