package projections

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// maxInactive is how many conversations at the end of an account's list Inactive looks at: places
// in it are in the order of events, and times are those of the nodes, one of which may have been
// wrong.
const maxInactive = 200

// Inactive are the conversations of an account that were last active before a moment, those that
// have been so for longest first: at most limit, of the last 200 of its list. The time does not
// depend on the size of the account.
func (v *Views) Inactive(ctx context.Context, account uuid.UUID, before time.Time, limit int) ([]Conversation, error) {
	g, done := v.use()
	defer done()
	s := viewOf[*conversations](g)
	var keys []entityKey
	for _, e := range s.recency.oldest(account, maxInactive) {
		keys = append(keys, entityKey{account, e.conversation})
	}
	heads, err := s.readHeads(ctx, keys)
	if err != nil {
		return nil, err
	}
	var list []Conversation
	for _, h := range heads {
		if !h.Erased && h.LastActivityAt.Before(before) {
			list = append(list, h.Conversation)
		}
	}
	slices.SortFunc(list, func(a, b Conversation) int {
		return cmp.Or(a.LastActivityAt.Compare(b.LastActivityAt), cmp.Compare(a.place(), b.place()))
	})
	return list[:min(limit, len(list))], nil
}

// Retaining are the accounts that keep conversations for a time only.
func (v *Views) Retaining() (list []Account) {
	s := viewOf[*accounts](v.serving.Load())
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, a := range s.byKey {
		if a.Retention > 0 {
			list = append(list, a)
		}
	}
	return list
}
