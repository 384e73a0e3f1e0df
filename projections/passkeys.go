package projections

import (
	"bytes"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Passkey is a key pair of a device that lets a user in, as events.PasskeyAdded has it.
type Passkey struct {
	ID             uuid.UUID  `json:"id"`
	Name           string     `json:"name"`
	Credential     []byte     `json:"credential"`
	PublicKey      []byte     `json:"public_key"`
	Transports     []string   `json:"transports,omitempty"`
	BackupEligible bool       `json:"backup_eligible"`
	Counter        uint32     `json:"counter"` // of signatures, at its last use
	Seal           []byte     `json:"seal"`
	CreatedAt      time.Time  `json:"created_at"`
	LastUsedAt     *time.Time `json:"last_used_at,omitempty"`
}

// Bounds of what a user has at once.
const (
	MaxPasskeys   = 20
	MaxChallenges = 50 // that were answered and have not expired
)

// Passkey is a passkey of the user by its id.
func (u User) Passkey(id uuid.UUID) (Passkey, bool) {
	if i := u.passkey(id); i >= 0 {
		return u.Passkeys[i], true
	}
	return Passkey{}, false
}

func (u User) passkey(id uuid.UUID) int {
	return slices.IndexFunc(u.Passkeys, func(p Passkey) bool { return p.ID == id })
}

// PasskeyWith is the passkey that a device knows by an id.
func (u User) PasskeyWith(credential []byte) (Passkey, bool) {
	i := slices.IndexFunc(u.Passkeys, func(p Passkey) bool { return bytes.Equal(p.Credential, credential) })
	if i < 0 {
		return Passkey{}, false
	}
	return u.Passkeys[i], true
}

// Answered tells whether the user has answered the challenge with a hash.
func (u User) Answered(hash string) bool {
	return slices.ContainsFunc(u.Challenges, func(c events.UsedChallenge) bool { return c.Hash == hash })
}

// applyPasskey folds the events of passkeys.
func applyPasskey(u User, e events.Event) User {
	switch data := e.Data.(type) {
	case *events.PasskeyAdded:
		if u.passkey(data.PasskeyID) < 0 {
			u.Passkeys = append(slices.Clone(u.Passkeys), Passkey{
				ID: data.PasskeyID, Name: data.Name, Credential: data.Credential, PublicKey: data.PublicKey, Transports: data.Transports,
				BackupEligible: data.BackupEligible, Counter: data.Counter, Seal: data.Seal, CreatedAt: e.Time,
			})
		}
		u.Challenges = answered(u.Challenges, data.Challenge, e.Time)
	case *events.PasskeyRemoved:
		u.Passkeys = slices.DeleteFunc(slices.Clone(u.Passkeys), func(p Passkey) bool { return p.ID == data.PasskeyID })
		u.Sessions = slices.DeleteFunc(slices.Clone(u.Sessions), func(s Session) bool { return s.PasskeyID == data.PasskeyID })
	case *events.SessionStarted:
		if i := u.passkey(data.Passkey.PasskeyID); i >= 0 {
			u.Passkeys = slices.Clone(u.Passkeys)
			u.Passkeys[i].Counter, u.Passkeys[i].LastUsedAt = data.Passkey.Counter, &e.Time
		}
		u.Challenges = answered(u.Challenges, data.Passkey.Challenge, e.Time)
	}
	return u
}

// answered adds a challenge to those that were answered, and leaves out what has expired.
func answered(list []events.UsedChallenge, one events.UsedChallenge, now time.Time) []events.UsedChallenge {
	list = slices.DeleteFunc(slices.Clone(list), func(c events.UsedChallenge) bool { return !now.Before(c.ExpiresAt) || c.Hash == one.Hash })
	list = append(list, one)
	return list[max(0, len(list)-MaxChallenges):]
}

// UserOfPasskey finds the user whose passkey a device knows by an id.
func (v *Views) UserOfPasskey(credential []byte) (User, bool) {
	s := viewOf[*users](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	id, ok := s.byCredential[string(credential)]
	return s.byKey[entityKey{account: id}], ok
}

// SomePasskey is any passkey that there is. ok is false where there is none.
func (v *Views) SomePasskey() (p Passkey, ok bool) {
	s := viewOf[*users](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	for credential, id := range s.byCredential {
		return s.byKey[entityKey{account: id}].PasskeyWith([]byte(credential))
	}
	return Passkey{}, false
}

// PasskeyOf finds a passkey by its id, whosever it is.
func (v *Views) PasskeyOf(id uuid.UUID) (Passkey, bool) {
	s := viewOf[*users](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byKey[entityKey{account: s.byPasskey[id]}].Passkey(id)
}
