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
	Months    []MonthUsed `json:"months"`        // those in which there was something, the newest of them, in order
	Day       string      `json:"day,omitempty"` // the newest day on which there was something
	Newest    uuid.UUID   `json:"newest"`        // conversation of the newest event
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
	u.Day = max(u.Day, dayOf(e.Time))
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

// usageModel has the documents <account>: Usage, <account>.d.<n>: DayUsed, and <account>.r: lately.
var usageModel = model{
	name: "usage", version: 2, readable: 1,
	folds: []any{
		(*events.MessageStarted)(nil), (*events.MessageInterpreted)(nil),
		(*events.MessageCompleted)(nil), (*events.MessageFailed)(nil),
	},
	open: func(b *bucket, _ *messageLog) view { return openUsage(b) },
	part: func(key string) (whole, what string) {
		if account, _, is := strings.Cut(key, "."); is {
			return account, "the account has used nothing of it"
		}
		return "", ""
	},
}

// cachedUsage is about how many bytes of days, and as many of what was used lately, stay in memory.
const cachedUsage = 8 << 20

// usage holds by month what every account has used in memory, since each calculation may ask for
// it, and of its other documents those that were changed last.
type usage struct {
	table[Usage]
	days    *Cache[string, DayUsed]
	lately  *Cache[string, lately]
	staging map[string]*stagedDay
	recent  map[string]*stagedLately
}

// stagedDay and stagedLately are documents as events left them. Their maps are no reader's.
type stagedDay struct {
	DayUsed
	changed bool
}

type stagedLately struct {
	lately
	changed bool
}

func (u Usage) entity() entityKey      { return entityKey{account: u.AccountID} }
func (u Usage) madeBy() uint64         { return u.Sequence }
func (u Usage) stands() events.Subject { return events.ConversationSubject(u.AccountID, u.Newest) }

func openUsage(b *bucket) *usage {
	return &usage{
		table: table[Usage]{
			bucket: b, pattern: "*", index: func(Usage, Usage) {},
			byKey: map[entityKey]Usage{}, folded: map[entityKey]folded[Usage]{},
		},
		days: NewCache[string, DayUsed](cachedUsage), lately: NewCache[string, lately](cachedUsage),
		staging: map[string]*stagedDay{}, recent: map[string]*stagedLately{},
	}
}

// prefetch reads the documents that the events change and that may exist: none of a day behind the
// newest one of its account, or of an account that has used nothing.
func (s *usage) prefetch(ctx context.Context, list []events.Event) error {
	var days, recent []string
	for i := range list {
		account, day := list[i].Subject.Account(), dayOf(list[i].Time)
		used, _ := s.get(entityKey{account: account})
		if key := dayKey(account, list[i].Time); s.staging[key] == nil {
			s.staging[key] = &stagedDay{}
			if kept, ok := s.days.Get(key); ok {
				s.staging[key].DayUsed = kept.clone()
			} else if used.Day >= day {
				days = append(days, key)
			}
		}
		if key := latelyKey(account); s.recent[key] == nil {
			s.recent[key] = &stagedLately{}
			if kept, ok := s.lately.Get(key); ok {
				s.recent[key].lately = kept.clone()
			} else if used.Sequence > 0 {
				recent = append(recent, key)
			}
		}
	}
	found, err := read[DayUsed](ctx, s.bucket, days)
	if err != nil {
		return err
	}
	for key, d := range found {
		s.staging[key].DayUsed = d.clone()
	}
	lists, err := read[lately](ctx, s.bucket, recent)
	if err != nil {
		return err
	}
	for key, l := range lists {
		s.recent[key].lately = l.clone()
	}
	return nil
}

func (s *usage) apply(_ context.Context, e events.Event) error {
	account := e.Subject.Account()
	s.fold(entityKey{account: account}, e, ApplyUsage)
	if d := s.staging[dayKey(account, e.Time)]; d.Sequence < e.Sequence {
		d.changed = d.take(e) || d.changed
	}
	if l := s.recent[latelyKey(account)]; l.Sequence < e.Sequence {
		l.changed = l.take(e) || l.changed
	}
	return nil
}

// staged are the accounts, which say that the others may exist, and these.
func (s *usage) staged() []document {
	list := s.table.staged()
	for i := range list {
		list[i].first = true
	}
	for key, d := range s.staging {
		if d.changed {
			list = append(list, document{key: key, value: d.DayUsed, weight: d.weight()})
		}
	}
	for key, l := range s.recent {
		if l.changed {
			list = append(list, document{key: key, value: l.lately, weight: l.weight()})
		}
	}
	return list
}

func (s *usage) show() {
	s.table.show()
	for key, d := range s.staging {
		if d.changed {
			s.days.Put(key, d.DayUsed, d.weight())
		}
	}
	for key, l := range s.recent {
		if l.changed {
			s.lately.Put(key, l.lately, l.weight())
		}
	}
	clear(s.staging)
	clear(s.recent)
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
