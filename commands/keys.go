package commands

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

const keyPrefix = "reckon_live_"

// newSecret makes a secret of 256 random bits behind a prefix that says what it is for, and the
// hash that is kept of it.
func newSecret(prefix string) (secret, hash string) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	secret = prefix + hex.EncodeToString(random)
	sum := sha256.Sum256([]byte(secret))
	return secret, hex.EncodeToString(sum[:])
}

// hintOf is what of a secret is kept and shown, too little to be of use to anybody else.
func hintOf(secret string) string { return secret[len(secret)-4:] }

// KeyTerms is what a key is called, what it may do and for how long.
type KeyTerms struct {
	Name      string     // at most 100 characters
	Scopes    []string   // projections.ScopeCalculate, ScopeRead, ScopeDomain with an id; none for everything
	ExpiresAt *time.Time // nil for never
}

const (
	maxKeyName = 100 // characters
	maxScopes  = 50
	// MaxOverlap is how long a secret that was replaced may go on being valid.
	MaxOverlap = 7 * 24 * time.Hour
)

// check says what is wrong with the terms of a key at a moment.
func (k KeyTerms) check(now time.Time) error {
	if err := k.checkAll("key", now); err != nil {
		return err
	}
	for _, scope := range k.Scopes {
		id, domain := strings.CutPrefix(scope, projections.ScopeDomain)
		parsed, err := uuid.Parse(id)
		if domain && (err != nil || parsed.String() != id) {
			return about("scopes", refused("the scope %q does not name a domain by its id, as `reckon domain list` shows it", scope))
		}
		if !domain && scope != projections.ScopeCalculate && scope != projections.ScopeRead {
			return about("scopes", refused("there is no scope %q: there are %s, %s and %s<id>", scope, projections.ScopeCalculate, projections.ScopeRead, projections.ScopeDomain))
		}
	}
	return nil
}

// checkAll is what the terms of keys and tokens have in common.
func (k KeyTerms) checkAll(noun string, now time.Time) error {
	switch {
	case utf8.RuneCountInString(k.Name) > maxKeyName:
		return about("name", refused("the name of a %s has at most %d characters", noun, maxKeyName))
	case strings.ContainsFunc(k.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return about("name", refused("the name of a %s has a character that is not shown", noun))
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return about("expires_at", refused("the %s would expire at %s, which is over", noun, k.ExpiresAt.Format(time.RFC3339)))
	case len(k.Scopes) > maxScopes:
		return about("scopes", refused("a %s has at most %d scopes", noun, maxScopes))
	}
	return nil
}

// CreateKey gives an account a key and returns its id and the key itself, which is kept nowhere.
func (a Admin) CreateKey(ctx context.Context, account string, terms KeyTerms) (id uuid.UUID, secret string, err error) {
	if err := terms.check(time.Now()); err != nil {
		return id, "", err
	}
	secret, hash := newSecret(keyPrefix)
	id = uuid.New()
	_, err = a.change(ctx, AccountID(account), account, func(projections.Account) (any, error) {
		return &events.KeyCreated{
			KeyID: id, Hash: hash, Hint: hintOf(secret),
			Name: terms.Name, Scopes: terms.Scopes, ExpiresAt: terms.ExpiresAt,
		}, nil
	})
	return id, secret, err
}

// RotateKey gives a key a new secret and returns it; the one before is invalid from then on, or
// after an overlap of at most MaxOverlap. It fails with ErrNone or ErrRevoked.
func (a Admin) RotateKey(ctx context.Context, id uuid.UUID, overlap time.Duration) (secret string, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return "", refused("two secrets of a key overlap for at most %d hours, not for %s", int(MaxOverlap.Hours()), overlap)
	}
	secret, hash := newSecret(keyPrefix)
	var until *time.Time
	if overlap > 0 {
		end := time.Now().Add(overlap).UTC().Truncate(time.Second)
		until = &end
	}
	err = a.changeKey(ctx, id, func(key projections.Key) (any, error) {
		if key.Revoked {
			return nil, fmt.Errorf("key %s %w, which is for ever: create a new one with `reckon key create`", id, ErrRevoked)
		}
		return &events.KeyRotated{KeyID: id, Hash: hash, Hint: hintOf(secret), OverlapUntil: until}, nil
	})
	return secret, err
}

// RevokeKey ends a key. Revoking it again changes nothing. It fails with ErrNone.
func (a Admin) RevokeKey(ctx context.Context, id uuid.UUID) error {
	return a.changeKey(ctx, id, func(key projections.Key) (any, error) {
		if key.Revoked {
			return nil, nil
		}
		return &events.KeyRevoked{KeyID: id}, nil
	})
}

func (a Admin) changeKey(ctx context.Context, id uuid.UUID, decide func(projections.Key) (any, error)) error {
	accounts, err := a.Accounts(ctx)
	if err != nil {
		return err
	}
	is := func(key projections.Key) bool { return key.ID == id }
	for _, owner := range accounts {
		if !slices.ContainsFunc(owner.Keys, is) {
			continue
		}
		_, err := a.change(ctx, owner.ID, owner.Name, func(account projections.Account) (any, error) {
			return decide(account.Keys[slices.IndexFunc(account.Keys, is)]) // an account keeps all its keys
		})
		return err
	}
	return fmt.Errorf("key %s %w: `reckon key list --account NAME` shows the keys of an account", id, ErrNone)
}
