package projections

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// DayUsed is what an account has calculated on a day of UTC, by the times of the events.
type DayUsed struct {
	Day string `json:"day"` // such as 2026-11-24
	Count
	Domains map[uuid.UUID]Count `json:"domains,omitempty"` // of at most maxCounted, and of the others under uuid.Nil
	Keys    map[uuid.UUID]Count `json:"keys,omitempty"`    // the same by the keys that were used
	Codes   map[string]int      `json:"codes,omitempty"`   // messages that an error with the code was given for
}

// Count counts messages.
type Count struct {
	Messages int `json:"messages"`         // that were answered, with an error too
	Errors   int `json:"errors,omitempty"` // of them those with an error
	Bytes    int `json:"bytes"`            // of what is stored of them for ever
}

// newestDay is the document of the newest day on which an account has used something.
type newestDay struct {
	DayUsed
	Sequence uint64 `json:"sequence"`
}

// dayBlock is the document of blockDays days, of those before the newest on which there was
// something, in order. A key in the bucket is a cost in memory, so that there is not one a day.
type dayBlock struct {
	Number   int       `json:"number"` // of its first day since 1970, divided by blockDays
	Days     []DayUsed `json:"days"`
	Sequence uint64    `json:"sequence"`
}

const (
	// keptDays is how many days are shown. A block takes the place of the one keptBlocks before it.
	keptDays   = 400
	blockDays  = 20
	keptBlocks = keptDays/blockDays + 1
	// maxCounted is how many domains, keys and codes are counted one by one on a day.
	maxCounted = 100
)

// dayOf is the day of UTC in which a moment is.
func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// blockOf is the number of the block that a day is in; no day is in block 0 of before 1970.
func blockOf(day string) int {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0
	}
	return int(at.Unix() / int64(24*time.Hour/time.Second) / blockDays)
}

// blockKey is the key of a block in the bucket.
func blockKey(account uuid.UUID, number int) string {
	return account.String() + ".b." + strconv.Itoa((number%keptBlocks+keptBlocks)%keptBlocks)
}

// newestDayKey is the key of the newest day in the bucket.
func newestDayKey(account uuid.UUID) string { return account.String() + ".d" }

func (d DayUsed) clone() DayUsed {
	d.Domains, d.Keys, d.Codes = maps.Clone(d.Domains), maps.Clone(d.Keys), maps.Clone(d.Codes)
	return d
}

// weight is about how many bytes a day takes in memory.
func (d *DayUsed) weight() int {
	return 512 + 64*(len(d.Domains)+len(d.Keys)+len(d.Codes))
}

// add takes an event of a message on the day in.
func (d *DayUsed) add(e events.Event) {
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
}

// day is the place of a day in a block, which is made where it is not there. A block before is
// dropped; of one behind ok is false.
func (b *dayBlock) day(day string) (at *DayUsed, ok bool) {
	number := blockOf(day)
	if b.Number > number {
		return nil, false
	}
	if b.Number < number {
		b.Number, b.Days = number, nil
	}
	i, found := slices.BinarySearchFunc(b.Days, day, func(d DayUsed, day string) int { return strings.Compare(d.Day, day) })
	if !found {
		b.Days = slices.Insert(b.Days, i, DayUsed{Day: day})
	}
	return &b.Days[i], true
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
	// The newest day is read first: one that becomes a part of a block meanwhile is in both.
	newest, err := read[newestDay](ctx, s.bucket, []string{newestDayKey(account)})
	last, is := newest[newestDayKey(account)]
	if !is {
		return []DayUsed{}, err
	}
	end, err := time.Parse(time.DateOnly, last.Day)
	if err != nil {
		return nil, fmt.Errorf("read the newest day of account %s: %w", account, err)
	}
	begin := max(dayOf(since), dayOf(end.AddDate(0, 0, 1-keptDays)))
	var names []string
	for number := blockOf(begin); number <= blockOf(last.Day); number++ {
		names = append(names, blockKey(account, number))
	}
	found, err := read[dayBlock](ctx, s.bucket, names)
	if err != nil {
		return nil, err
	}
	list := []DayUsed{}
	for i, name := range names {
		if b := found[name]; b.Number == blockOf(begin)+i {
			list = append(list, slices.DeleteFunc(slices.Clone(b.Days), func(d DayUsed) bool { return d.Day < begin || d.Day >= last.Day })...)
		}
	}
	if last.Day >= begin {
		list = append(list, last.DayUsed)
	}
	return list, nil
}
