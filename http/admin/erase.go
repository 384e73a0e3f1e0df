package admin

import (
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
	limited, cancel := context.WithTimeout(q.ctx(), q.forgets)
	defer cancel()
	err = q.withViews(func(v *projections.Views) error {
		return v.Forgotten(limited, sequence)
	}, func(there projections.Remote) error {
		return there.Forgotten(limited, sequence)
	})
	late := errors.Is(err, context.DeadlineExceeded) && q.ctx().Err() == nil
	if err != nil && !late {
		return http.Answer{}, fmt.Errorf("conversation %s is erased, and what it said is not overwritten yet: %w", id, err)
	}
	answer := http.Answer{Body: Erased{id, sequence, again, !late}}
	if late {
		answer.Status = nethttp.StatusAccepted
	}
	return answer, nil
}
