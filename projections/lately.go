package projections

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// lately is when the keys of an account were used last, and which questions were not answered. It
// has nothing of what was asked: that is read from the events, where they are.
type lately struct {
	Keys       map[uuid.UUID]time.Time `json:"keys,omitempty"`       // to the hour; of at most maxKeysUsed
	Unanswered []asked                 `json:"unanswered,omitempty"` // the newest of them, oldest first
	Sequence   uint64                  `json:"sequence"`
}

// asked is the event of a question that was not answered.
type asked struct {
	Event        uint64    `json:"event"`
	Conversation uuid.UUID `json:"conversation"`
}

const (
	maxKeysUsed   = 1000
	maxUnanswered = 200
)

// notUnderstood are the codes of errors that name words of a question that nobody understood.
var notUnderstood = []string{"language.not_understood", "language.ambiguous", "input.unknown_variable", "input.unknown_unit"}

// latelyKey is the key in the bucket.
func latelyKey(account uuid.UUID) string { return account.String() + ".r" }

func (l lately) clone() lately {
	l.Keys, l.Unanswered = maps.Clone(l.Keys), slices.Clone(l.Unanswered)
	return l
}

// weight is about how many bytes it takes in memory.
func (l *lately) weight() int { return 256 + 64*len(l.Keys) + 24*len(l.Unanswered) }

// take takes an event of a message in, and tells whether that changes anything.
func (l *lately) take(e events.Event) (changed bool) {
	request := e.Message()
	at := request.ReceivedAt.UTC().Truncate(time.Hour)
	if was, there := l.Keys[request.KeyID]; !there || was.Before(at) {
		if l.Keys == nil {
			l.Keys = map[uuid.UUID]time.Time{}
		}
		l.Keys[request.KeyID], changed = at, true
		if len(l.Keys) > maxKeysUsed {
			delete(l.Keys, l.oldest())
		}
	}
	if data, failed := e.Data.(*events.MessageFailed); failed && slices.ContainsFunc(codesOf(data), func(code string) bool { return slices.Contains(notUnderstood, code) }) {
		l.Unanswered, changed = append(l.Unanswered, asked{e.Sequence, request.ConversationID}), true
		l.Unanswered = l.Unanswered[max(0, len(l.Unanswered)-maxUnanswered):]
	}
	if changed {
		l.Sequence = e.Sequence
	}
	return changed
}

// oldest is the key that was not used for the longest time.
func (l *lately) oldest() (oldest uuid.UUID) {
	for id, at := range l.Keys {
		than, ok := l.Keys[oldest]
		if !ok || at.Before(than) || at.Equal(than) && bytes.Compare(id[:], oldest[:]) < 0 {
			oldest = id
		}
	}
	return oldest
}

// Unanswered is a question with words that nobody understood.
type Unanswered struct {
	At             time.Time `json:"at"`
	ConversationID uuid.UUID `json:"conversation_id"`
	MessageID      uuid.UUID `json:"message_id"`
	DomainID       uuid.UUID `json:"domain_id"`
	Domain         string    `json:"domain"` // its title then
	Code           string    `json:"code"`
	Words          string    `json:"words"`
}

// AccountUsed is what an account has used from a day on.
type AccountUsed struct {
	Days       []DayUsed               `json:"days"`       // on which there was something, in order
	LastUsed   map[uuid.UUID]time.Time `json:"last_used"`  // by key, to the hour
	Unanswered []Unanswered            `json:"unanswered"` // the newest first
}

// AccountUsed is what an account has used from the day of a moment on, as far as it is folded. What
// was asked and is erased is not in it.
func (v *Views) AccountUsed(ctx context.Context, account uuid.UUID, since time.Time) (AccountUsed, error) {
	g, done := v.use()
	defer done()
	s := viewOf[*usage](g)
	used := AccountUsed{LastUsed: map[uuid.UUID]time.Time{}, Unanswered: []Unanswered{}}
	var err error
	if used.Days, err = s.usedDays(ctx, account, since); err != nil {
		return used, err
	}
	key := latelyKey(account)
	found, err := read[lately](ctx, s.bucket, []string{key})
	if err != nil {
		return used, err
	}
	if keys := found[key].Keys; keys != nil {
		used.LastUsed = keys
	}
	for _, a := range slices.Backward(found[key].Unanswered) {
		read, err := v.log.AtAll(ctx, []uint64{a.Event})
		if errors.Is(err, log.ErrNotFound) {
			continue
		}
		if err != nil {
			return used, err
		}
		e := read[0]
		data, failed := e.Data.(*events.MessageFailed)
		if !failed || data.ReceivedAt.Before(since) {
			continue
		}
		for _, p := range problemsOf(data) {
			if slices.Contains(notUnderstood, p.Code) && len(p.Args) > 0 {
				used.Unanswered = append(used.Unanswered, Unanswered{
					data.ReceivedAt, data.ConversationID, data.MessageID, data.Domain.ID, data.Domain.Title, p.Code, p.Args[0],
				})
			}
		}
	}
	return used, nil
}
