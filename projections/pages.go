package projections

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
)

// A message is not stored in a bucket: it is an event, which the log keeps for ever. The bucket of
// conversations says which one, by the number of the message, and which message a scenario stands
// at. The newest of both is in the head, so that a short conversation is one document; what is
// older is in pages.

// pageSize is how many messages, or scenarios, a page covers: page 0 those from 1 to 64. The head
// covers the page of the last one.
const pageSize = 64

// head is the document of a conversation. The lists are shared and must not be changed.
type head struct {
	Places    []messageRef `json:"places"`              // of the messages of the last page
	Scenarios []scenario   `json:"scenarios,omitempty"` // of the last page
	Paged     int64        `json:"paged,omitempty"`     // newest message id in pages, in ms since 1970
	Conversation
}

// messageRef says which event makes a message what it is.
type messageRef struct {
	ID         uuid.UUID `json:"id"`
	Sequence   uint64    `json:"sequence"`
	InProgress bool      `json:"in_progress,omitempty"`
}

// scenario says where a scenario stands; it is zero for an index that no scenario has.
type scenario struct {
	Message int `json:"message"`          // number of the message
	Origin  int `json:"origin,omitempty"` // scenario that it branched off from
}

// page is the document of a page, which has one of the two lists.
type page struct {
	Places    []messageRef `json:"places,omitempty"`
	Scenarios []scenario   `json:"scenarios,omitempty"`
	Sequence  uint64       `json:"sequence"` // of the event that changed it last
}

type pageKey struct {
	entityKey
	kind   string // m of messages, s of scenarios
	number int
}

func messagePage(key entityKey, number int) pageKey  { return pageKey{key, "m", number} }
func scenarioPage(key entityKey, number int) pageKey { return pageKey{key, "s", number} }

// String is the key in the bucket.
func (k pageKey) String() string {
	return k.entityKey.String() + "." + k.kind + "." + strconv.Itoa(k.number)
}

// pageOf is the page of a number or index, from 1 on, and its place there. For 0, of what is empty,
// it is the first page.
func pageOf(number int) (page, at int) {
	if number < 1 {
		return 0, 0
	}
	return (number - 1) / pageSize, (number - 1) % pageSize
}

// pages is how many pages of messages there are besides the head.
func (h *head) pages() int {
	n, _ := pageOf(h.Messages)
	return n
}

// weight is about how many bytes a head takes in memory.
func (h *head) weight() int {
	weight := 768 + 40*len(h.Places) + 16*len(h.Scenarios) + 64*len(h.Focus)
	if h.Notes != nil {
		weight += len(*h.Notes)
	}
	return weight
}

// placeOf reads from the document of a head its place in lists, and the sequence of what described
// it since, 0 for none.
func placeOf(value []byte) (place, described uint64, ok bool) {
	object, closed := bytes.CutSuffix(value, []byte("}"))
	before, newest, ok := lastMember(object, "sequence")
	if _, active, is := lastMember(before, "active"); is {
		return active, newest, closed && ok
	}
	return newest, 0, closed && ok
}

// locate finds a message by its id; number is 0 when the conversation has none with it. A message
// that is newer than all in pages, by the time in its id, costs no page; for others pages are read,
// newest first.
func (h *head) locate(id uuid.UUID, read func(number int) (page, error)) (number int, at messageRef, err error) {
	first := h.pages()*pageSize + 1
	for i := len(h.Places) - 1; i >= 0; i-- {
		if h.Places[i].ID == id {
			return first + i, h.Places[i], nil
		}
	}
	if since, ok := timeOf(id); ok && since > h.Paged {
		return 0, messageRef{}, nil
	}
	for n := h.pages() - 1; n >= 0; n-- {
		p, err := read(n)
		if err != nil {
			return 0, messageRef{}, err
		}
		if i := slices.IndexFunc(p.Places, func(at messageRef) bool { return at.ID == id }); i >= 0 {
			return n*pageSize + i + 1, p.Places[i], nil
		}
	}
	return 0, messageRef{}, nil
}

// timeOf is the time in a UUID of version 7, in milliseconds since 1970.
func timeOf(id uuid.UUID) (milliseconds int64, ok bool) {
	return int64(binary.BigEndian.Uint64(id[:8]) >> 16), id.Version() == 7
}

// scenarios reads where the scenarios from first to last stand.
func (s *conversations) scenarios(ctx context.Context, key entityKey, h head, first, last int) ([]scenario, error) {
	newest, _ := pageOf(h.Last)
	in := func(n int) pageKey { return scenarioPage(key, n) }
	return elements(ctx, s, numbers(first, last), newest, h.Scenarios, in, func(p page) []scenario { return p.Scenarios })
}

// numbered reads messages by their numbers, which the head must count.
func (s *conversations) numbered(ctx context.Context, key entityKey, h head, numbers []int) ([]Message, error) {
	in := func(n int) pageKey { return messagePage(key, n) }
	refs, err := elements(ctx, s, numbers, h.pages(), h.Places, in, func(p page) []messageRef { return p.Places })
	if err != nil {
		return nil, err
	}
	if i := slices.Index(refs, messageRef{}); i >= 0 {
		return nil, fmt.Errorf("message %d of conversation %s is counted but not there", numbers[i], key.id)
	}
	return s.messages.read(ctx, numbers, refs)
}

// numbers are those from first to last.
func numbers(first, last int) []int {
	var list []int
	for n := first; n <= last; n++ {
		list = append(list, n)
	}
	return list
}

// elements reads elements of a list by their numbers, zero ones where there are none: from the
// head, which has the last page, and from the pages before that, each of which is read once.
func elements[T any](
	ctx context.Context, s *conversations, numbers []int, last int, inHead []T,
	key func(page int) pageKey, of func(page) []T,
) ([]T, error) {
	var keys []pageKey
	at := map[int]int{} // index in keys by page
	for _, number := range numbers {
		n, _ := pageOf(number)
		if _, ok := at[n]; !ok && n < last {
			at[n] = len(keys)
			keys = append(keys, key(n))
		}
	}
	pages, err := s.readPages(ctx, keys)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(numbers))
	for i, number := range numbers {
		n, offset := pageOf(number)
		var from []T
		if n < last {
			from = of(pages[at[n]])
		} else if n == last {
			from = inHead
		}
		if number > 0 && offset < len(from) {
			list[i] = from[offset]
		}
	}
	return list, nil
}

func (s *conversations) readPage(ctx context.Context, key pageKey) (page, error) {
	pages, err := s.readPages(ctx, []pageKey{key})
	if err != nil {
		return page{}, err
	}
	return pages[0], nil
}

// readPages reads pages, whose lists are shared and must not be changed. A page of scenarios that
// is not there is one of indexes that no scenario has.
func (s *conversations) readPages(ctx context.Context, keys []pageKey) ([]page, error) {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.String()
	}
	found, err := read[page](ctx, s.bucket, names)
	if err != nil {
		return nil, err
	}
	pages := make([]page, len(keys))
	for i, name := range names {
		p, ok := found[name]
		if !ok && keys[i].kind == "m" {
			return nil, fmt.Errorf("page %s is counted but not there", name)
		}
		pages[i] = p
	}
	return pages, nil
}

// put sets an element of a list, which grows to it with zero ones.
func put[T any](list []T, at int, value T) []T {
	list = append(list, make([]T, max(0, at+1-len(list)))...)
	list[at] = value
	return list
}
