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

// Account is an account with its settings, members and keys.
type Account struct {
	ID          uuid.UUID   `json:"id"`
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"` // what people see in place of the name
	TimeZone    string      `json:"time_zone"`
	BodyVersion int         `json:"body_version"`
	Language    string      `json:"language,omitempty"`      // tag of the language of prose, "" for that of each domain
	Limits      Limits      `json:"limits,omitzero"`         // that owners set
	Ceiling     Limits      `json:"ceiling,omitzero"`        // that operators set
	Retention   int         `json:"retention_days,omitzero"` // days that conversations are kept without activity; 0 for ever
	Suspended   *Suspension `json:"suspended,omitempty"`
	CreatedAt   time.Time   `json:"created_at"`
	Members     []Member    `json:"members,omitempty"`  // in the order in which they joined
	Keys        []Key       `json:"keys"`               // in order of creation
	Webhooks    []Webhook   `json:"webhooks,omitempty"` // in order of creation
	Sequence    uint64      `json:"sequence"`
}

// Suspension says since when nothing is calculated or published for an account, and why.
type Suspension struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"` // "" for none
}

// Allowed are the limits that hold: of each the lower one.
func (a Account) Allowed() Limits {
	l := a.Limits
	for _, pair := range []struct {
		limit   *int
		ceiling int
	}{
		{&l.Calculations, a.Ceiling.Calculations}, {&l.Reads, a.Ceiling.Reads}, {&l.Prose, a.Ceiling.Prose},
		{&l.MonthMessages, a.Ceiling.MonthMessages}, {&l.MonthBytes, a.Ceiling.MonthBytes},
	} {
		if pair.ceiling > 0 && (*pair.limit == 0 || *pair.limit > pair.ceiling) {
			*pair.limit = pair.ceiling
		}
	}
	return l
}

// Key is an API key of an account. Hash is the hex SHA-256 of the whole key string.
type Key struct {
	ID        uuid.UUID  `json:"id"`
	Hash      string     `json:"hash"`
	Hint      string     `json:"hint,omitempty"` // the last characters of the key string
	Name      string     `json:"name,omitempty"`
	Scopes    []string   `json:"scopes,omitempty"` // as events.KeyCreated has them
	Revoked   bool       `json:"revoked"`
	CreatedAt time.Time  `json:"created_at"`
	CreatedBy *Actor     `json:"created_by,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	RotatedAt *time.Time `json:"rotated_at,omitempty"`
	Earlier   *Secret    `json:"earlier,omitempty"` // that overlaps with the present one
}

// Secret is what a key had before it was rotated, which holds until a moment.
type Secret struct {
	Hash  string    `json:"hash"`
	Until time.Time `json:"until"`
}

// Expired tells whether the key has ended by itself at a moment.
func (k Key) Expired(now time.Time) bool { return k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) }

// Scopes of keys. One without any may do everything, one that names domains alone may do with them
// whatever a key may.
const (
	ScopeCalculate = "calculate" // and read
	ScopeRead      = "read"
	ScopeDomain    = "domain:" // and the id of one that the key is for; several add up
)

// Calculates tells whether the key may have something calculated.
func (k Key) Calculates() bool {
	return !slices.Contains(k.Scopes, ScopeRead) || slices.Contains(k.Scopes, ScopeCalculate)
}

// Sees tells whether the key is for a domain. All other domains, and what was calculated with them,
// look to it like nothing at all.
func (k Key) Sees(domain uuid.UUID) bool {
	limited := false
	for _, scope := range k.Scopes {
		if id, ok := strings.CutPrefix(scope, ScopeDomain); ok {
			if id == domain.String() {
				return true
			}
			limited = true
		}
	}
	return !limited
}

// SeesConversation tells whether the key is for all domains that have a part in a conversation.
func (k Key) SeesConversation(c Conversation) bool {
	for domain := range c.Focus {
		if !k.Sees(domain) {
			return false
		}
	}
	return c.Domain == nil || k.Sees(c.Domain.ID)
}

// ApplyAccount folds an event of an account's subject. Events of other types and of unknown keys
// change nothing but the sequence; a revoked key stays as it was when it was revoked.
func ApplyAccount(a Account, e events.Event) Account {
	a.Sequence = e.Sequence
	switch data := e.Data.(type) {
	case *events.AccountCreated:
		a.ID = data.AccountID
		a.Name = data.Name
		a.TimeZone = data.TimeZone
		a.BodyVersion = data.BodyVersion
		a.Language = data.Language
		a.CreatedAt = e.Time
	case *events.AccountChanged:
		a.TimeZone = data.TimeZone
		a.BodyVersion = data.BodyVersion
		a.Limits = data.Limits
		if data.Title != nil {
			a.Title = *data.Title
		}
		if data.Language != nil {
			a.Language = *data.Language
		}
		if data.Ceiling != nil {
			a.Ceiling = *data.Ceiling
		}
		if data.Retention != nil {
			a.Retention = *data.Retention
		}
	case *events.AccountSuspended:
		a.Suspended = &Suspension{Since: e.Time, Reason: data.Reason}
	case *events.AccountResumed:
		a.Suspended = nil
	case *events.KeyCreated:
		if a.key(data.KeyID) < 0 {
			a.Keys = append(slices.Clone(a.Keys), Key{
				ID: data.KeyID, Hash: data.Hash, Hint: data.Hint, Name: data.Name,
				Scopes: data.Scopes, CreatedAt: e.Time, CreatedBy: data.By, ExpiresAt: data.ExpiresAt,
			})
		}
	case *events.KeyRotated:
		if i := a.key(data.KeyID); i >= 0 && !a.Keys[i].Revoked {
			a.Keys = slices.Clone(a.Keys)
			key := &a.Keys[i]
			if key.Earlier = nil; data.OverlapUntil != nil {
				key.Earlier = &Secret{Hash: key.Hash, Until: *data.OverlapUntil}
			}
			rotated := e.Time
			key.Hash, key.Hint, key.RotatedAt = data.Hash, data.Hint, &rotated
		}
	case *events.KeyRevoked:
		if i := a.key(data.KeyID); i >= 0 {
			a.Keys = slices.Clone(a.Keys)
			a.Keys[i].Revoked = true
		}
	case *events.MemberJoined:
		if _, is := a.Role(data.UserID); !is {
			a.Members = append(slices.Clone(a.Members), Member{UserID: data.UserID, Role: Role(data.Role), Since: e.Time})
		}
	case *events.MemberChanged:
		if i := a.member(data.UserID); i >= 0 {
			a.Members = slices.Clone(a.Members)
			a.Members[i].Role = Role(data.Role)
		}
	case *events.MemberRemoved:
		a.Members = slices.DeleteFunc(slices.Clone(a.Members), func(m Member) bool { return m.UserID == data.UserID })
	default:
		a = a.applyWebhook(e)
	}
	return a
}

// key is the position of a key, -1 when the account has none with this id.
func (a Account) key(id uuid.UUID) int {
	return slices.IndexFunc(a.Keys, func(k Key) bool { return k.ID == id })
}

// accountsModel has the document <account>: Account.
var accountsModel = model{
	name: "accounts", version: 8, readable: 1,
	folds: []any{
		(*events.AccountCreated)(nil), (*events.AccountChanged)(nil),
		(*events.AccountSuspended)(nil), (*events.AccountResumed)(nil),
		(*events.KeyCreated)(nil), (*events.KeyRotated)(nil), (*events.KeyRevoked)(nil),
		(*events.MemberJoined)(nil), (*events.MemberChanged)(nil), (*events.MemberRemoved)(nil),
		(*events.WebhookCreated)(nil), (*events.WebhookChanged)(nil), (*events.WebhookDisabled)(nil),
		(*events.WebhookEnabled)(nil), (*events.WebhookRolled)(nil), (*events.WebhookDeleted)(nil),
		(*events.ConversationErased)(nil), // so that who reads on begins behind it
	},
	open: func(b *bucket, _ *messageLog) view { return openAccounts(b) },
}

// accounts holds every account in memory, since each request asks for one.
type accounts struct {
	table[Account]
	byHash    map[string]keyID
	byMember  map[uuid.UUID][]uuid.UUID // the accounts of users
	webhooked map[uuid.UUID]bool        // the accounts that have webhooks
}

// keyID says which key has a hash.
type keyID struct{ account, key uuid.UUID }

func (a Account) entity() entityKey      { return entityKey{account: a.ID} }
func (a Account) madeBy() uint64         { return a.Sequence }
func (a Account) stands() events.Subject { return events.AccountSubject(a.ID) }

func openAccounts(b *bucket) *accounts {
	s := &accounts{byHash: map[string]keyID{}, byMember: map[uuid.UUID][]uuid.UUID{}, webhooked: map[uuid.UUID]bool{}}
	s.table = table[Account]{
		bucket: b, pattern: "*", index: s.index,
		byKey: map[entityKey]Account{}, folded: map[entityKey]folded[Account]{},
	}
	return s
}

// index replaces the hashes of an account's keys. Those that they had before are forgotten, so that
// a rotated secret is unknown. It does the same with its members.
func (s *accounts) index(before, after Account) {
	if len(after.Webhooks) > 0 {
		s.webhooked[after.ID] = true
	} else {
		delete(s.webhooked, after.ID)
	}
	for _, m := range before.Members {
		s.byMember[m.UserID] = slices.DeleteFunc(s.byMember[m.UserID], func(id uuid.UUID) bool { return id == before.ID })
		if len(s.byMember[m.UserID]) == 0 {
			delete(s.byMember, m.UserID)
		}
	}
	for _, m := range after.Members {
		s.byMember[m.UserID] = append(s.byMember[m.UserID], after.ID)
	}
	for _, key := range before.Keys {
		delete(s.byHash, key.Hash)
		if key.Earlier != nil {
			delete(s.byHash, key.Earlier.Hash)
		}
	}
	for _, key := range after.Keys {
		s.byHash[key.Hash] = keyID{after.ID, key.ID}
		if key.Earlier != nil {
			s.byHash[key.Earlier.Hash] = keyID{after.ID, key.ID}
		}
	}
}

func (s *accounts) apply(_ context.Context, e events.Event) error {
	s.fold(entityKey{account: e.Subject.Account()}, e, ApplyAccount)
	return nil
}

// find is the key with a hash and its account. What the map finds is compared once more in constant
// time, so that what decides does not depend on how far two hashes agree.
func (s *accounts) find(hash [32]byte) (Key, Account, bool) {
	text := hex.EncodeToString(hash[:])
	s.mu.RLock()
	defer s.mu.RUnlock()
	is, ok := s.byHash[text]
	if !ok {
		return Key{}, Account{}, false
	}
	a := s.byKey[entityKey{account: is.account}]
	i := a.key(is.key)
	if i < 0 {
		return Key{}, Account{}, false
	}
	key := a.Keys[i]
	same := subtle.ConstantTimeCompare([]byte(key.Hash), []byte(text)) == 1
	if before := key.Earlier; !same && before != nil && time.Now().Before(before.Until) {
		same = subtle.ConstantTimeCompare([]byte(before.Hash), []byte(text)) == 1
	}
	if !same {
		return Key{}, Account{}, false
	}
	return key, a, true
}

// Authenticate finds the key with this hash (SHA-256 of the whole key string), a revoked one too.
// found is false for a hash of no key, and for one that holds no more. It fails with ErrBehind
// while the newest confirmed read index is 1 s old or older.
func (v *Views) Authenticate(hash [32]byte) (key Key, account Account, found bool, err error) {
	v.lastRequest.Store(int64(time.Since(v.index.started)))
	return v.Recognize(hash)
}

// Recognize is Authenticate where nobody asks for anything: what rests while there are requests
// does not notice.
func (v *Views) Recognize(hash [32]byte) (key Key, account Account, found bool, err error) {
	if err := v.recent(); err != nil {
		return Key{}, Account{}, false, err
	}
	key, account, found = viewOf[*accounts](v.serving.Load()).find(hash)
	return key, account, found, nil
}

// Account returns an account's settings. Its keys are shared with the view and must not be changed.
func (v *Views) Account(id uuid.UUID) (Account, bool) {
	return viewOf[*accounts](v.serving.Load()).get(entityKey{account: id})
}

// AccountsOf lists the accounts of which a user is a member, in the order of their names.
func (v *Views) AccountsOf(user uuid.UUID) []Account {
	s := viewOf[*accounts](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]Account, 0, len(s.byMember[user]))
	for _, id := range s.byMember[user] {
		list = append(list, s.byKey[entityKey{account: id}])
	}
	slices.SortFunc(list, func(a, b Account) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return list
}
