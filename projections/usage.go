package projections

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// Usage is what an account has calculated, by month.
type Usage struct {
	AccountID uuid.UUID   `json:"account_id"`
	Months    []MonthUsed `json:"months"` // those in which there was something, the newest of them, in order
	Newest    uuid.UUID   `json:"newest"` // conversation of the newest event
	Sequence  uint64      `json:"sequence"`
}

// MonthUsed is what an account has calculated in a month of UTC, by the times of the events.
type MonthUsed struct {
	Month    string `json:"month"`    // such as 2026-11
	Messages int    `json:"messages"` // that were answered, with an error too
	Bytes    int    `json:"bytes"`    // of what is stored of them for ever
}

// monthLayout is how a month is written.
const monthLayout = "2006-01"

// keptMonths is how many months a Usage has at most.
const keptMonths = 24

func (u Usage) find(month string) (int, bool) {
	return slices.BinarySearchFunc(u.Months, month, func(m MonthUsed, month string) int { return strings.Compare(m.Month, month) })
}

// ApplyUsage folds an event of a message.
func ApplyUsage(u Usage, e events.Event) Usage {
	u.AccountID, u.Newest, u.Sequence = e.Subject.Account(), e.Message().ConversationID, e.Sequence
	month := e.Time.UTC().Format(monthLayout)
	i, found := u.find(month)
	u.Months = slices.Clone(u.Months)
	if !found {
		u.Months = slices.Insert(u.Months, i, MonthUsed{Month: month})
	}
	switch e.Data.(type) {
	case *events.MessageCompleted, *events.MessageFailed:
		u.Months[i].Messages++
	}
	u.Months[i].Bytes += e.Size
	u.Months = u.Months[max(0, len(u.Months)-keptMonths):]
	return u
}

// usageModel has the document <account>: Usage.
var usageModel = model{
	name: "usage", version: 1, readable: 1,
	folds: []any{
		(*events.MessageStarted)(nil), (*events.MessageInterpreted)(nil),
		(*events.MessageCompleted)(nil), (*events.MessageFailed)(nil),
	},
	open: func(b *bucket, _ *messageLog) view { return openUsage(b) },
}

// usage holds what every account has used in memory, since each calculation may ask for it.
type usage struct{ table[Usage] }

func (u Usage) entity() entityKey      { return entityKey{account: u.AccountID} }
func (u Usage) madeBy() uint64         { return u.Sequence }
func (u Usage) stands() events.Subject { return events.ConversationSubject(u.AccountID, u.Newest) }

func openUsage(b *bucket) *usage {
	return &usage{table[Usage]{
		bucket: b, pattern: "*", index: func(Usage, Usage) {},
		byKey: map[entityKey]Usage{}, folded: map[entityKey]folded[Usage]{},
	}}
}

func (s *usage) apply(_ context.Context, e events.Event) error {
	s.fold(entityKey{account: e.Subject.Account()}, e, ApplyUsage)
	return nil
}

// Used is what an account has calculated in the month of UTC in which a moment is, as far as it is
// folded.
func (v *Views) Used(account uuid.UUID, at time.Time) MonthUsed {
	u, _ := viewOf[*usage](v.serving.Load()).get(entityKey{account: account})
	month := at.UTC().Format(monthLayout)
	if i, found := u.find(month); found {
		return u.Months[i]
	}
	return MonthUsed{Month: month}
}
