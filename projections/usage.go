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

// usageModel has the documents <account>: Usage, <account>.d: newestDay, <account>.b.<n>: dayBlock,
// and <account>.r: lately.
var usageModel = model{
	name: "usage", version: 3, readable: 1, words: true,
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

// cachedUsage is about how many bytes of newest days, and as many of what was used lately, stay in
// memory.
const cachedUsage = 8 << 20

// usage holds by month what every account has used in memory, since each calculation may ask for
// it, and of its other documents those that were changed last.
type usage struct {
	table[Usage]
	days   *Cache[string, newestDay]
	lately *Cache[string, lately]

	// What is folded and not shown yet, whose maps and lists are no reader's.
	newest map[string]*staged[newestDay]
	blocks map[string]*staged[dayBlock]
	recent map[string]*staged[lately]
}

// staged is a document as events left it.
type staged[D any] struct {
	is      D
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
		days: NewCache[string, newestDay](cachedUsage), lately: NewCache[string, lately](cachedUsage),
		newest: map[string]*staged[newestDay]{}, blocks: map[string]*staged[dayBlock]{}, recent: map[string]*staged[lately]{},
	}
}

// prefetch reads with one request of a kind the documents that the events change: none of an
// account that has used nothing, and of blocks those that the newest days go into.
func (s *usage) prefetch(ctx context.Context, list []events.Event) error {
	var newest, blocks, recent []string
	for i := range list {
		account := list[i].Subject.Account()
		used, _ := s.get(entityKey{account: account})
		if key := newestDayKey(account); s.newest[key] == nil {
			s.newest[key] = &staged[newestDay]{}
			if kept, ok := s.days.Get(key); ok {
				s.newest[key].is = newestDay{kept.clone(), kept.Sequence}
			} else if used.Sequence > 0 {
				newest = append(newest, key)
			}
		}
		if key := latelyKey(account); s.recent[key] == nil {
			s.recent[key] = &staged[lately]{}
			if kept, ok := s.lately.Get(key); ok {
				s.recent[key].is = kept.clone()
			} else if used.Sequence > 0 {
				recent = append(recent, key)
			}
		}
	}
	days, err := read[newestDay](ctx, s.bucket, newest)
	if err != nil {
		return err
	}
	for key, d := range days {
		s.newest[key].is = newestDay{d.clone(), d.Sequence}
	}
	lists, err := read[lately](ctx, s.bucket, recent)
	if err != nil {
		return err
	}
	for key, l := range lists {
		s.recent[key].is = l.clone()
	}
	for i := range list {
		account, day := list[i].Subject.Account(), dayOf(list[i].Time)
		was := s.newest[newestDayKey(account)].is.Day
		if was == "" || was == day {
			continue
		}
		if key := blockKey(account, blockOf(min(was, day))); s.blocks[key] == nil {
			s.blocks[key] = &staged[dayBlock]{}
			blocks = append(blocks, key)
		}
	}
	return s.readBlocks(ctx, blocks)
}

func (s *usage) readBlocks(ctx context.Context, keys []string) error {
	found, err := read[dayBlock](ctx, s.bucket, keys)
	for key, b := range found {
		b.Days = slices.Clone(b.Days)
		for i := range b.Days {
			b.Days[i] = b.Days[i].clone()
		}
		s.blocks[key].is = b
	}
	return err
}

// block is the block that a day of an account is in.
func (s *usage) block(ctx context.Context, account uuid.UUID, day string) (*staged[dayBlock], error) {
	key := blockKey(account, blockOf(day))
	if s.blocks[key] == nil {
		s.blocks[key] = &staged[dayBlock]{}
		if err := s.readBlocks(ctx, []string{key}); err != nil {
			return nil, err
		}
	}
	return s.blocks[key], nil
}

func (s *usage) apply(ctx context.Context, e events.Event) error {
	account := e.Subject.Account()
	s.fold(entityKey{account: account}, e, ApplyUsage)
	if l := s.recent[latelyKey(account)]; l.is.Sequence < e.Sequence {
		l.changed = l.is.take(e) || l.changed
	}
	return s.applyDay(ctx, account, e)
}

// applyDay counts an event on its day: the newest one, which another one puts into its block, or
// one before.
func (s *usage) applyDay(ctx context.Context, account uuid.UUID, e events.Event) error {
	newest, day := s.newest[newestDayKey(account)], dayOf(e.Time)
	if was := newest.is.Day; was != "" && was != day {
		b, err := s.block(ctx, account, min(was, day))
		if err != nil {
			return err
		}
		if b.is.Sequence < e.Sequence && (day < was || newest.is.Sequence < e.Sequence) {
			if at, ok := b.is.day(min(was, day)); ok {
				if day < was {
					at.add(e)
				} else {
					*at = newest.is.DayUsed
				}
				b.is.Sequence, b.changed = e.Sequence, true
			}
		}
	}
	if newest.is.Sequence >= e.Sequence || newest.is.Day > day {
		return nil
	}
	if newest.is.Day < day {
		newest.is.DayUsed = DayUsed{Day: day}
	}
	newest.is.add(e)
	newest.is.Sequence, newest.changed = e.Sequence, true
	return nil
}

// staged are blocks before the newest days, one of which may be in a block now.
func (s *usage) staged() []document {
	list := s.table.staged()
	for key, b := range s.blocks {
		if b.changed {
			list = append(list, document{key: key, value: b.is, weight: 256 + blockDays*512, first: true})
		}
	}
	for key, d := range s.newest {
		if d.changed {
			list = append(list, document{key: key, value: d.is, weight: d.is.weight()})
		}
	}
	for key, l := range s.recent {
		if l.changed {
			list = append(list, document{key: key, value: l.is, weight: l.is.weight()})
		}
	}
	return list
}

func (s *usage) show() {
	s.table.show()
	for key, d := range s.newest {
		if d.changed {
			s.days.Put(key, d.is, d.is.weight())
		}
	}
	for key, l := range s.recent {
		if l.changed {
			s.lately.Put(key, l.is, l.is.weight())
		}
	}
	clear(s.newest)
	clear(s.blocks)
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
