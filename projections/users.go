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
	Sequence  uint64    `json:"sequence"`
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
}

// ScopeAccount and the id of an account limit a token to that account; several add up. ScopeRead
// limits it to reading.
const ScopeAccount = "account:"

// Expired tells whether the token has ended by itself at a moment.
func (t Token) Expired(now time.Time) bool { return t.ExpiresAt != nil && !now.Before(*t.ExpiresAt) }

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
		u.Disabled = true
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
	}
	return u
}

// token is the position of a token, -1 when the user has none with this id.
func (u User) token(id uuid.UUID) int {
	return slices.IndexFunc(u.Tokens, func(t Token) bool { return t.ID == id })
}

// usersModel has the document <user>: User.
var usersModel = model{
	name: "users", version: 2, readable: 1,
	folds: []any{
		(*events.UserCreated)(nil), (*events.UserDisabled)(nil), (*events.UserEnabled)(nil),
		(*events.OperatorAdded)(nil), (*events.OperatorRemoved)(nil),
		(*events.TokenCreated)(nil), (*events.TokenRevoked)(nil),
	},
	open: func(b *bucket, _ *messageLog) view { return openUsers(b) },
}

// users holds every user in memory, since each request of administration asks for one.
type users struct {
	table[User]
	byHash map[string]tokenID
}

// tokenID says which token has a hash.
type tokenID struct{ user, token uuid.UUID }

func (u User) entity() entityKey      { return entityKey{account: u.ID} }
func (u User) madeBy() uint64         { return u.Sequence }
func (u User) stands() events.Subject { return events.UserSubject(u.ID) }

func openUsers(b *bucket) *users {
	s := &users{byHash: map[string]tokenID{}}
	s.table = table[User]{
		bucket: b, pattern: "*", index: s.index,
		byKey: map[entityKey]User{}, folded: map[entityKey]folded[User]{},
	}
	return s
}

// index adds the hashes of a user's tokens, which never change.
func (s *users) index(_, after User) {
	for _, token := range after.Tokens {
		s.byHash[token.Hash] = tokenID{after.ID, token.ID}
	}
}

// find is the token with a hash and its user, compared once more in constant time.
func (s *users) find(hash [32]byte) (Token, User, bool) {
	text := hex.EncodeToString(hash[:])
	s.mu.RLock()
	defer s.mu.RUnlock()
	is, ok := s.byHash[text]
	if !ok {
		return Token{}, User{}, false
	}
	u := s.byKey[entityKey{account: is.user}]
	i := u.token(is.token)
	if i < 0 || subtle.ConstantTimeCompare([]byte(u.Tokens[i].Hash), []byte(text)) != 1 {
		return Token{}, User{}, false
	}
	return u.Tokens[i], u, true
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
	v.lastRequest.Store(int64(time.Since(v.index.started)))
	if err := v.recent(); err != nil {
		return Token{}, User{}, false, err
	}
	token, user, found = viewOf[*users](v.serving.Load()).find(hash)
	return token, user, found, nil
}
