package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// Erasing says why a conversation is erased.
type Erasing struct {
	Reason string `json:"reason,omitempty"` // kept for ever, of at most 200 characters
}

// Erased is what became of an erasure.
type Erased struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	Event          uint64    `json:"event"`     // sequence of the event that erased it
	Again          bool      `json:"again"`     // it had been erased before
	Forgotten      bool      `json:"forgotten"` // nothing of it is in the files of the node that answers
}

const (
	// forgetPatience is how long a caller waits until a node has forgotten what is erased.
	forgetPatience = 12 * time.Second
	// shellPatience is how long a command line waits for that, which may have to do it itself.
	shellPatience = 10 * time.Minute
)

// erase erases a conversation. It is answered once this node has forgotten it, or 202 where that
// takes too long: it goes on by itself, and whoever asks again waits for it again.
func (q *request) erase() (http.Answer, error) {
	id, named := q.ID("conversation")
	if !named {
		return http.Answer{}, http.NotFound(q.nothing())
	}
	var e Erasing
	if err := q.object(&e); err != nil {
		return http.Answer{}, err
	}
	sequence, again, err := q.admin.EraseConversation(q.ctx(), q.account.Name, id, e.Reason)
	if err != nil {
		return http.Answer{}, err
	}
	forgotten, err := q.forgotten(sequence)
	if err != nil {
		return http.Answer{}, fmt.Errorf("conversation %s is erased, and what it said is not overwritten yet: %w", id, err)
	}
	return erasure(Erased{id, sequence, again, forgotten}, forgotten), nil
}

// forgotten waits until this node has overwritten what was erased up to an event, and tells whether
// that was in time.
func (q *request) forgotten(sequence uint64) (in bool, err error) {
	limited, cancel := context.WithTimeout(q.ctx(), q.forgets)
	defer cancel()
	err = q.withViews(func(v *projections.Views) error {
		return v.Forgotten(limited, sequence)
	}, func(there projections.Remote) error {
		return there.Forgotten(limited, sequence)
	})
	if errors.Is(err, context.DeadlineExceeded) && q.ctx().Err() == nil {
		return false, nil
	}
	return err == nil, err
}

// erasure is 200 where nothing is left in the files of this node, else 202.
func erasure(body any, forgotten bool) http.Answer {
	if forgotten {
		return http.Answer{Body: body}
	}
	return http.Answer{Status: nethttp.StatusAccepted, Body: body}
}

// ErasingAccount says why an account is erased, and names it once more.
type ErasingAccount struct {
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"` // kept for ever, of at most 200 characters
}

// ErasedAccount is what an account had that was erased.
type ErasedAccount struct {
	ID            uuid.UUID `json:"id"`
	Name          string    `json:"name"`
	Keys          int       `json:"keys"`    // that were revoked
	Members       int       `json:"members"` // that left
	Domains       int       `json:"domains"` // that were retired
	Conversations int       `json:"conversations"`
	Forgotten     bool      `json:"forgotten"` // nothing of the conversations is in the files of the node that answers
}

// eraseAccount erases an account, and goes on with one that was begun.
func (q *request) eraseAccount() (http.Answer, error) {
	var e ErasingAccount
	if err := q.object(&e); err != nil {
		return http.Answer{}, err
	}
	if e.Name != q.account.Name {
		return http.Answer{}, http.InvalidParam("name", "must be the name of the account, since erasing cannot be taken back")
	}
	// A caller who goes away does not leave it half erased.
	erased, err := q.admin.EraseAccount(context.WithoutCancel(q.ctx()), e.Name, cmp.Or(e.Reason, "The account was erased."))
	if err != nil {
		return http.Answer{}, fmt.Errorf("account %q is not erased yet, send the request again: %w", e.Name, err)
	}
	forgotten := true
	if erased.Erased > 0 {
		if forgotten, err = q.forgotten(erased.Erased); err != nil {
			return http.Answer{}, fmt.Errorf("account %q is erased, and what was said is not overwritten yet: %w", e.Name, err)
		}
	}
	return erasure(ErasedAccount{erased.ID, erased.Name, erased.Revoked, erased.Left, erased.Retired, erased.Conversations, forgotten}, forgotten), nil
}
