package projections

import (
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Link is what lets a user in once. Hash is the hex SHA-256 of its whole secret.
type Link struct {
	ID        uuid.UUID `json:"id"`
	Hash      string    `json:"hash"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Session is a browser in which a user is signed in. Hash is the hex SHA-256 of its whole secret.
type Session struct {
	ID        uuid.UUID `json:"id"`
	Hash      string    `json:"hash"`
	Way       string    `json:"way"`                 // as events.SessionStarted has it
	AccountID uuid.UUID `json:"account_id,omitzero"` // that was chosen; uuid.Nil for none
	PasskeyID uuid.UUID `json:"passkey_id,omitzero"` // that it was started by; uuid.Nil for none
	StartedAt time.Time `json:"started_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Identity is who a user is at another provider.
type Identity struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

// MaxSessions is how many sessions a user has at once: one more ends the oldest.
const MaxSessions = 20

// Expired tells whether the link has ended unused at a moment.
func (l Link) Expired(now time.Time) bool { return !now.Before(l.ExpiresAt) }

// Expired tells whether the session has ended by itself at a moment.
func (s Session) Expired(now time.Time) bool { return !now.Before(s.ExpiresAt) }

// Session is a session of the user that has not been ended, by its id.
func (u User) Session(id uuid.UUID) (Session, bool) {
	if i := u.session(id); i >= 0 {
		return u.Sessions[i], true
	}
	return Session{}, false
}

func (u User) session(id uuid.UUID) int {
	return slices.IndexFunc(u.Sessions, func(s Session) bool { return s.ID == id })
}

// Identity is who the user is at a provider, and whether that is known.
func (u User) Identity(issuer string) (Identity, bool) {
	i := slices.IndexFunc(u.Identities, func(i Identity) bool { return i.Issuer == issuer })
	if i < 0 {
		return Identity{}, false
	}
	return u.Identities[i], true
}

// applySignIn folds the events of signing in and out.
func applySignIn(u User, e events.Event) User {
	switch data := e.Data.(type) {
	case *events.LinkIssued:
		u.Link = &Link{ID: data.LinkID, Hash: data.Hash, ExpiresAt: data.ExpiresAt}
	case *events.PasswordSet:
		u.Password, u.Link, u.Sessions = data.Hash, nil, nil
	case *events.SessionStarted:
		u.Sessions = slices.DeleteFunc(slices.Clone(u.Sessions), func(s Session) bool { return s.Expired(e.Time) || s.ID == data.SessionID })
		session := Session{ID: data.SessionID, Hash: data.Hash, Way: data.Way, StartedAt: e.Time, ExpiresAt: data.ExpiresAt}
		if data.Passkey != nil {
			session.PasskeyID = data.Passkey.PasskeyID
			u = applyPasskey(u, e)
		}
		u.Sessions = append(u.Sessions, session)
		u.Sessions = u.Sessions[max(0, len(u.Sessions)-MaxSessions):]
	case *events.SessionMoved:
		if i := u.session(data.SessionID); i >= 0 {
			u.Sessions = slices.Clone(u.Sessions)
			u.Sessions[i].AccountID = data.AccountID
		}
	case *events.SessionEnded:
		u.Sessions = slices.DeleteFunc(slices.Clone(u.Sessions), func(s Session) bool { return data.SessionID == nil || s.ID == *data.SessionID })
	case *events.IdentityLinked:
		u.Link = nil
		u.Identities = slices.DeleteFunc(slices.Clone(u.Identities), func(i Identity) bool { return i.Issuer == data.Issuer })
		u.Identities = append(u.Identities, Identity{data.Issuer, data.Subject})
	default:
		return applyPasskey(u, e)
	}
	return u
}

// AuthenticateSession finds the session with this hash (SHA-256 of the whole secret) and its user,
// also one that has expired; one that was ended is found no more. It fails with ErrBehind as
// Authenticate does.
func (v *Views) AuthenticateSession(hash [32]byte) (session Session, user User, found bool, err error) {
	user, err = v.userOf(hash)
	text := []byte(hex.EncodeToString(hash[:]))
	for _, s := range user.Sessions {
		if subtle.ConstantTimeCompare([]byte(s.Hash), text) == 1 {
			return s, user, true, err
		}
	}
	return Session{}, User{}, false, err
}

// AuthenticateLink finds the link with this hash and its user as AuthenticateSession does.
func (v *Views) AuthenticateLink(hash [32]byte) (link Link, user User, found bool, err error) {
	user, err = v.userOf(hash)
	text := []byte(hex.EncodeToString(hash[:]))
	if user.Link == nil || subtle.ConstantTimeCompare([]byte(user.Link.Hash), text) != 1 {
		return Link{}, User{}, false, err
	}
	return *user.Link, user, true, err
}

// UserOfIdentity finds the user who is known to be this one at a provider.
func (v *Views) UserOfIdentity(identity Identity) (User, bool) {
	s := viewOf[*users](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	id, ok := s.byIdentity[identity]
	return s.byKey[entityKey{account: id}], ok
}
