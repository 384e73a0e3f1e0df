package projections

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// DayUsed is what an account has calculated on a day of UTC, by the times of the events.
type DayUsed struct {
	AccountID uuid.UUID `json:"account_id"`
	Day       string    `json:"day"` // such as 2026-11-24
	Count
	Domains  map[uuid.UUID]Count `json:"domains,omitempty"` // of at most maxCounted, and of the others under uuid.Nil
	Keys     map[uuid.UUID]Count `json:"keys,omitempty"`    // the same by the keys that were used
	Codes    map[string]int      `json:"codes,omitempty"`   // messages that an error with the code was given for
	Sequence uint64              `json:"sequence"`
}

// Count counts messages.
type Count struct {
	Messages int `json:"messages"`         // that were answered, with an error too
	Errors   int `json:"errors,omitempty"` // of them those with an error
	Bytes    int `json:"bytes"`            // of what is stored of them for ever
}

const (
	// keptDays is how many days are kept: a day takes the place of the one so many before it.
	keptDays = 400
	// maxCounted is how many domains, keys and codes are counted one by one on a day.
	maxCounted = 200
)

// dayOf is the day of UTC in which a moment is.
func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// dayKey is the key of a day in the bucket.
func dayKey(account uuid.UUID, at time.Time) string {
	day := at.Unix() / int64(24*time.Hour/time.Second)
	return account.String() + ".d." + strconv.FormatInt((day%keptDays+keptDays)%keptDays, 10)
}

func (d DayUsed) clone() DayUsed {
	d.Domains, d.Keys, d.Codes = maps.Clone(d.Domains), maps.Clone(d.Keys), maps.Clone(d.Codes)
	return d
}

// weight is about how many bytes a day takes in memory.
func (d *DayUsed) weight() int {
	return 512 + 64*(len(d.Domains)+len(d.Keys)+len(d.Codes))
}

// take takes an event of a message in, and tells whether that is of the day: one of a day that
// another one has taken the place of is of none.
func (d *DayUsed) take(e events.Event) bool {
	day := dayOf(e.Time)
	if d.Day > day {
		return false
	}
	if d.Day != day {
		*d = DayUsed{AccountID: e.Subject.Account(), Day: day}
	}
	c := Count{Bytes: e.Size}
	switch data := e.Data.(type) {
	case *events.MessageCompleted:
		c.Messages = 1
	case *events.MessageFailed:
		c.Messages, c.Errors = 1, 1
		for _, code := range codesOf(data) {
			if d.Codes == nil {
				d.Codes = map[string]int{}
			}
			if _, there := d.Codes[code]; !there && len(d.Codes) >= maxCounted {
				code = ""
			}
			d.Codes[code]++
		}
	}
	d.Count = d.Count.Plus(c)
	count(&d.Domains, e.Message().Domain.ID, c)
	count(&d.Keys, e.Message().KeyID, c)
	d.Sequence = e.Sequence
	return true
}

// count adds to what a map has of an id, or to that of the others where there are too many.
func count(counts *map[uuid.UUID]Count, id uuid.UUID, c Count) {
	if *counts == nil {
		*counts = map[uuid.UUID]Count{}
	}
	if _, there := (*counts)[id]; !there && len(*counts) >= maxCounted {
		id = uuid.Nil
	}
	(*counts)[id] = (*counts)[id].Plus(c)
}

// Plus adds two counts up.
func (c Count) Plus(other Count) Count {
	return Count{c.Messages + other.Messages, c.Errors + other.Errors, c.Bytes + other.Bytes}
}

// problem is an error of an answer as far as it is counted.
type problem struct {
	Code string   `json:"code"`
	Args []string `json:"args"`
}

// problemsOf are the errors of an answer.
func problemsOf(data *events.MessageFailed) (list []problem) {
	_ = events.Unmarshal(data.Errors, &list) // what is none of the service's is counted under no code
	return list
}

// codesOf are the codes of an answer's errors, each once.
func codesOf(data *events.MessageFailed) (codes []string) {
	for _, p := range problemsOf(data) {
		if !slices.Contains(codes, p.Code) {
			codes = append(codes, p.Code)
		}
	}
	return codes
}

// usedDays are the days from a moment on, at most keptDays, on which an account has used something,
// in order.
func (s *usage) usedDays(ctx context.Context, account uuid.UUID, since time.Time) ([]DayUsed, error) {
	used, _ := s.get(entityKey{account: account})
	last, err := time.Parse(time.DateOnly, used.Day)
	if err != nil { // there is none
		return []DayUsed{}, nil
	}
	var names []string
	for at := last; len(names) < keptDays && dayOf(at) >= dayOf(since); at = at.AddDate(0, 0, -1) {
		names = append(names, dayKey(account, at))
	}
	found, err := read[DayUsed](ctx, s.bucket, names)
	if err != nil {
		return nil, err
	}
	list := []DayUsed{}
	for i := len(names) - 1; i >= 0; i-- {
		if d, ok := found[names[i]]; ok && d.Day == dayOf(last.AddDate(0, 0, -i)) {
			list = append(list, d)
		}
	}
	return list, nil
}
