package commands

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/projections"
)

const (
	tokenPrefix = "reckon_token_"
	// maxTokens is how many tokens that still hold a user may have.
	maxTokens = 100
)

func checkTokenTerms(terms KeyTerms, now time.Time) error {
	if err := terms.checkAll("token", now); err != nil {
		return err
	}
	for _, scope := range terms.Scopes {
		id, account := strings.CutPrefix(scope, projections.ScopeAccount)
		parsed, err := uuid.Parse(id)
		if account && (err != nil || parsed.String() != id) {
			return refused("the scope %q does not name an account by its id, as `reckon account list` shows it", scope)
		}
		if !account && scope != projections.ScopeRead {
			return refused("there is no scope %q of a token: there are %s and %s<id>", scope, projections.ScopeRead, projections.ScopeAccount)
		}
	}
	return nil
}

// CreateToken gives a user a token and returns its id and the token itself, which is kept nowhere.
// It fails with ErrNone.
func (a Admin) CreateToken(ctx context.Context, email string, terms KeyTerms) (id uuid.UUID, secret string, err error) {
	now := time.Now()
	if err := checkTokenTerms(terms, now); err != nil {
		return id, "", err
	}
	secret, hash := newSecret(tokenPrefix)
	id = uuid.New()
	_, err = a.changeUser(ctx, email, func(u projections.User) (any, error) {
		if u.Disabled {
			return nil, disabled(u)
		}
		holding := 0
		for _, t := range u.Tokens {
			if !t.Revoked && !t.Expired(now) {
				holding++
			}
		}
		if holding >= maxTokens {
			return nil, refused("user %q has %d tokens, which is the most: revoke one with `reckon token revoke`", u.Email, holding)
		}
		return &events.TokenCreated{
			TokenID: id, Hash: hash, Hint: hintOf(secret), Name: terms.Name, Scopes: terms.Scopes, ExpiresAt: terms.ExpiresAt,
		}, nil
	})
	if err != nil {
		return id, "", err
	}
	return id, secret, nil
}

// RevokeToken ends a token of a user for ever. Revoking it again changes nothing. It fails with
// ErrNone.
func (a Admin) RevokeToken(ctx context.Context, email string, id uuid.UUID) error {
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		for _, t := range u.Tokens {
			if t.ID == id && t.Revoked {
				return nil, nil
			}
			if t.ID == id {
				return &events.TokenRevoked{TokenID: id}, nil
			}
		}
		return nil, fmt.Errorf("token %s of user %q %w: `reckon token list` shows those there are", id, u.Email, ErrNone)
	})
	return err
}

// UseToken records that a user's token was used today, unless that is known.
func (a Admin) UseToken(ctx context.Context, email string, id uuid.UUID) error {
	_, err := a.changeUser(ctx, email, func(u projections.User) (any, error) {
		for _, t := range u.Tokens {
			if t.ID == id && t.Idle(time.Now()) {
				return &events.TokenUsed{TokenID: id}, nil
			}
		}
		return nil, nil
	})
	return err
}

func disabled(u projections.User) error {
	return refused("user %q is disabled: `reckon user enable` lets them in again", u.Email)
}
