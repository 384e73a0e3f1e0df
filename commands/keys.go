package commands

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

const keyPrefix = "reckon_live_"

// newSecret makes an API key of 256 random bits, and the hash that is kept of it.
func newSecret() (secret, hash string) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	secret = keyPrefix + hex.EncodeToString(random)
	sum := sha256.Sum256([]byte(secret))
	return secret, hex.EncodeToString(sum[:])
}

// CreateKey gives an account a key and returns its id and the key itself, which is kept nowhere.
func (a Admin) CreateKey(ctx context.Context, account string) (id uuid.UUID, secret string, err error) {
	secret, hash := newSecret()
	id = uuid.New()
	_, err = a.change(ctx, AccountID(account), account, func(projections.Account) (any, error) {
		return &events.KeyCreated{KeyID: id, Hash: hash}, nil
	})
	return id, secret, err
}

// RotateKey gives a key a new secret and returns it; the one before is invalid from then on. It
// fails with ErrNone or ErrRevoked.
func (a Admin) RotateKey(ctx context.Context, id uuid.UUID) (secret string, err error) {
	secret, hash := newSecret()
	err = a.changeKey(ctx, id, func(key projections.Key) (any, error) {
		if key.Revoked {
			return nil, fmt.Errorf("key %s %w, which is for ever: create a new one with `reckon key create`", id, ErrRevoked)
		}
		return &events.KeyRotated{KeyID: id, Hash: hash}, nil
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
