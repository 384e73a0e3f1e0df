package projections

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// User is a person whom the installation knows.
type User struct {
	ID        uuid.UUID `json:"id"`
	Email     string    `json:"email"` // as it was written first
	Name      string    `json:"name,omitempty"`
	Disabled  bool      `json:"disabled"`
	Operator  bool      `json:"operator"` // runs the installation, while not disabled
	CreatedAt time.Time `json:"created_at"`
	Tokens    []Token   `json:"tokens,omitempty"` // in order of creation

	Password   string                 `json:"password,omitempty"` // as events.PasswordSet has it; "" for none
	Link       *Link                  `json:"link,omitempty"`     // that was not used yet
	Sessions   []Session              `json:"sessions,omitempty"` // that were not ended, in the order in which they were started
	Identities []Identity             `json:"identities,omitempty"`
	Passkeys   []Passkey              `json:"passkeys,omitempty"`   // in the order in which they were added
	Challenges []events.UsedChallenge `json:"challenges,omitempty"` // the last that were answered and had not expired at the newest event
	Sequence   uint64                 `json:"sequence"`
}

// Token is what a user administers with elsewhere. Hash is the hex SHA-256 of the whole token.
type Token struct {
	ID        uuid.UUID  `json:"id"`
	Hash      string     `json:"hash"`
	Hint      string     `json:"hint"` // the last characters of the token
	Name      string     `json:"name,omitempty"`
	Scopes    []string   `json:"scopes,omitempty"`
	Revoked   bool       `json:"revoked"`
	CreatedAt time.Time  `json:"created_at"`
	CreatedBy *Actor     `json:"created_by,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	LastUsed  *time.Time `json:"last_used,omitempty"` // to the day
}

// ScopeAccount and the id of an account limit a token to that account; several add up. ScopeRead
// limits it to reading.
const ScopeAccount = "account:"

// Expired tells whether the token has ended by itself at a moment.
func (t Token) Expired(now time.Time) bool { return t.ExpiresAt != nil && !now.Before(*t.ExpiresAt) }

// Idle tells whether the token was not used yet on the day of a moment.
func (t Token) Idle(now time.Time) bool { return t.LastUsed == nil || t.LastUsed.Before(day(now)) }

// day is the beginning of a moment's day in UTC.
func day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// Writes tells whether the token may change anything.
func (t Token) Writes() bool { return !slices.Contains(t.Scopes, ScopeRead) }

// Sees tells whether the token is for an account, or with uuid.Nil for the installation.
func (t Token) Sees(account uuid.UUID) bool {
	limited := false
	for _, scope := range t.Scopes {
		if id, ok := strings.CutPrefix(scope, ScopeAccount); ok {
			if id == account.String() {
				return true
			}
			limited = true
		}
	}
	return !limited
}

// ApplyUser folds an event of a user's subject.
func ApplyUser(u User, e events.Event) User {
	u.Sequence = e.Sequence
	switch data := e.Data.(type) {
	case *events.UserCreated:
		u.ID, u.Email, u.Name, u.CreatedAt = data.UserID, data.Email, data.Name, e.Time
	case *events.UserDisabled:
		u.Disabled, u.Link, u.Sessions = true, nil, nil
	case *events.UserEnabled:
		u.Disabled = false
	case *events.OperatorAdded:
		u.Operator = true
	case *events.OperatorRemoved:
		u.Operator = false
	case *events.TokenCreated:
		if u.token(data.TokenID) < 0 {
			u.Tokens = append(slices.Clone(u.Tokens), Token{
				ID: data.TokenID, Hash: data.Hash, Hint: data.Hint, Name: data.Name, Scopes: data.Scopes,
				CreatedAt: e.Time, CreatedBy: data.By, ExpiresAt: data.ExpiresAt,
			})
		}
	case *events.TokenRevoked:
		if i := u.token(data.TokenID); i >= 0 {
			u.Tokens = slices.Clone(u.Tokens)
			u.Tokens[i].Revoked = true
		}
	case *events.TokenUsed:
		if i := u.token(data.TokenID); i >= 0 {
			u.Tokens = slices.Clone(u.Tokens)
			u.Tokens[i].LastUsed = new(day(e.Time))
		}
	default:
		return applySignIn(u, e)
	}
	return u
}

// token is the position of a token, -1 when the user has none with this id.
func (u User) token(id uuid.UUID) int {
	return slices.IndexFunc(u.Tokens, func(t Token) bool { return t.ID == id })
}

// usersModel has the document <user>: User.
var usersModel = model{
	name: "users", version: 5, readable: 1,
	folds: []any{
		(*events.UserCreated)(nil), (*events.UserDisabled)(nil), (*events.UserEnabled)(nil),
		(*events.OperatorAdded)(nil), (*events.OperatorRemoved)(nil),
		(*events.TokenCreated)(nil), (*events.TokenRevoked)(nil), (*events.TokenUsed)(nil), (*events.RequestAnswered)(nil),
		(*events.LinkIssued)(nil), (*events.PasswordSet)(nil), (*events.IdentityLinked)(nil),
		(*events.SessionStarted)(nil), (*events.SessionMoved)(nil), (*events.SessionEnded)(nil),
		(*events.PasskeyAdded)(nil), (*events.PasskeyRemoved)(nil),
	},
	open: func(b *bucket, _ *messageLog) view { return openUsers(b) },
}

// users holds every user in memory, since each request of administration asks for one.
type users struct {
	table[User]
	byHash       map[string]uuid.UUID // whose token, session or link has a hash
	byIdentity   map[Identity]uuid.UUID
	byCredential map[string]uuid.UUID // whose passkey a device knows by an id
	byPasskey    map[uuid.UUID]uuid.UUID
}

func (u User) entity() entityKey      { return entityKey{account: u.ID} }
func (u User) madeBy() uint64         { return u.Sequence }
func (u User) stands() events.Subject { return events.UserSubject(u.ID) }

func openUsers(b *bucket) *users {
	s := &users{byHash: map[string]uuid.UUID{}, byIdentity: map[Identity]uuid.UUID{}, byCredential: map[string]uuid.UUID{}, byPasskey: map[uuid.UUID]uuid.UUID{}}
	s.table = table[User]{
		bucket: b, pattern: "*", index: s.index,
		byKey: map[entityKey]User{}, folded: map[entityKey]folded[User]{},
	}
	return s
}

// index adds what a user is found by, and removes what has ended. Tokens are found for ever.
func (s *users) index(before, after User) {
	for _, session := range before.Sessions {
		delete(s.byHash, session.Hash)
	}
	if before.Link != nil {
		delete(s.byHash, before.Link.Hash)
	}
	for _, identity := range before.Identities {
		delete(s.byIdentity, identity)
	}
	for _, passkey := range before.Passkeys {
		delete(s.byCredential, string(passkey.Credential))
		delete(s.byPasskey, passkey.ID)
	}
	for _, passkey := range after.Passkeys {
		s.byCredential[string(passkey.Credential)] = after.ID
		s.byPasskey[passkey.ID] = after.ID
	}
	for _, token := range after.Tokens {
		s.byHash[token.Hash] = after.ID
	}
	for _, session := range after.Sessions {
		s.byHash[session.Hash] = after.ID
	}
	if after.Link != nil {
		s.byHash[after.Link.Hash] = after.ID
	}
	for _, identity := range after.Identities {
		s.byIdentity[identity] = after.ID
	}
}

// userOf is the user whose token, session or link has a hash, the zero User where nobody's has.
// What the map finds is compared once more in constant time by whoever asks. It fails with
// ErrBehind as Authenticate does.
func (v *Views) userOf(hash [32]byte) (User, error) {
	v.lastRequest.Store(int64(time.Since(v.index.started)))
	if err := v.recent(); err != nil {
		return User{}, err
	}
	s := viewOf[*users](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	id, ok := s.byHash[hex.EncodeToString(hash[:])]
	if !ok {
		return User{}, nil
	}
	return s.byKey[entityKey{account: id}], nil
}

func (s *users) apply(_ context.Context, e events.Event) error {
	s.fold(entityKey{account: e.Subject.Account()}, e, ApplyUser)
	return nil
}

// User returns a user as far as they are folded.
func (v *Views) User(id uuid.UUID) (User, bool) {
	return viewOf[*users](v.serving.Load()).get(entityKey{account: id})
}

// AuthenticateToken finds the token with this hash (SHA-256 of the whole token) and its user, also
// one that is revoked or a user who is disabled. It fails with ErrBehind as Authenticate does.
func (v *Views) AuthenticateToken(hash [32]byte) (token Token, user User, found bool, err error) {
	user, err = v.userOf(hash)
	text := []byte(hex.EncodeToString(hash[:]))
	for _, t := range user.Tokens {
		if subtle.ConstantTimeCompare([]byte(t.Hash), text) == 1 {
			return t, user, true, err
		}
	}
	return Token{}, User{}, false, err
}
