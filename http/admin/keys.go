package admin

import (
	"cmp"
	"context"
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/http"
)

// Key is an API key as lists show it.
type Key struct {
	ID        uuid.UUID  `json:"id"`
	Name      string     `json:"name"`
	Hint      string     `json:"hint"`
	State     string     `json:"state"` // active, expired or revoked
	Scopes    []string   `json:"scopes"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	RotatedAt *time.Time `json:"rotated_at"`
	Overlap   *time.Time `json:"overlap_until"` // until when the secret before it holds
	// LastUsed is when it was last used for a calculation, to the hour: null for never, nil where
	// no views can be read.
	LastUsed **time.Time `json:"last_used_at,omitzero"`
}

// KeySecret is a key with its new secret, which is shown once.
type KeySecret struct {
	ID  uuid.UUID `json:"id"`
	Key string    `json:"key"`
}

// Rotation says how long the secret before goes on being valid, such as 24h; "" is not at all.
type Rotation struct {
	Overlap string `json:"overlap"`
}

func (q *request) keys() (http.Answer, error) {
	rows, now := []Key{}, time.Now()
	used, known := q.lastUsed(now)
	for _, k := range q.account.Keys {
		row := Key{
			ID: k.ID, Name: k.Name, Hint: k.Hint, State: stateOf(k.Revoked, k.Expired(now)), Scopes: list(k.Scopes),
			CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt, RotatedAt: k.RotatedAt,
		}
		if k.Earlier != nil && now.Before(k.Earlier.Until) && row.State == "active" {
			row.Overlap = &k.Earlier.Until
		}
		if known {
			row.LastUsed = new(*time.Time)
			if at, ok := used[k.ID]; ok {
				*row.LastUsed = &at
			}
		}
		rows = append(rows, row)
	}
	return answerPart(q, "keys", q.account.ID, rows)
}

// usePatience is how long a list of keys waits to be told when they were used.
const usePatience = 3 * time.Second

// lastUsed is when the keys of the account were last used, and whether that is known.
func (q *request) lastUsed(now time.Time) (used map[uuid.UUID]time.Time, known bool) {
	if len(q.account.Keys) == 0 {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(q.ctx(), usePatience)
	defer cancel()
	err := q.reading(ctx, func(v read) error {
		all, err := v.AccountUsed(ctx, q.account.ID, now)
		used = all.LastUsed
		return err
	})
	return used, err == nil
}

func (q *request) createKey() (http.Answer, error) {
	var terms Terms
	if err := q.object(&terms); err != nil {
		return http.Answer{}, err
	}
	id, secret, err := q.admin.CreateKey(q.ctx(), q.account.Name, terms.terms())
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusCreated, Body: KeySecret{id, secret}}, nil
}

// key is the id of the account's key that the path names.
func (q *request) key() (uuid.UUID, error) {
	id, ok := q.ID("key")
	for _, k := range q.account.Keys {
		if ok && k.ID == id {
			return id, nil
		}
	}
	return uuid.Nil, http.NotFound(q.nothing())
}

func (q *request) rotateKey() (http.Answer, error) {
	var r Rotation
	id, err := q.key()
	if err == nil {
		err = q.object(&r)
	}
	if err != nil {
		return http.Answer{}, err
	}
	overlap, err := time.ParseDuration(cmp.Or(r.Overlap, "0"))
	if err != nil {
		return http.Answer{}, http.InvalidParam("overlap", "must be a duration, as 24h")
	}
	secret, err := q.admin.RotateKey(q.ctx(), id, overlap)
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: KeySecret{id, secret}}, nil
}

func (q *request) revokeKey() (http.Answer, error) {
	id, err := q.key()
	if err == nil {
		err = q.admin.RevokeKey(q.ctx(), id)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: Ended{id, "revoked"}}, nil
}
