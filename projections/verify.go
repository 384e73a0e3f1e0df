package projections

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"reckon/events"
)

// Difference is a document that is not what the history makes.
type Difference struct {
	Projection string `json:"projection"`
	Key        string `json:"key"`
	Sequence   uint64 `json:"sequence"` // of the event that made it, or that it names where the history makes none
	What       string `json:"what"`
}

// Verification says what was compared.
type Verification struct {
	Sequence    uint64 `json:"sequence"` // of the last event that was folded
	Documents   uint64 `json:"documents"`
	Differences uint64 `json:"differences"`
}

const (
	// passConversations is about how many conversations one pass over the history holds in memory, passEvents of how many
	// messages it knows where they are.
	passConversations = 32_768
	passEvents        = 4 << 20
	// pageDocuments is how many documents are looked up in the history at once.
	pageDocuments = 10_000
)

// Verify folds the whole history in memory and compares what it makes with the buckets, byte for byte; then it looks whether
// they hold anything else. Each difference is given to report. What is folded meanwhile is compared too, and the fold is
// held up for a moment at the end of a pass, so that the comparison is one at a definite event. With many conversations
// the history is read several times, for some of them each time, so that memory does not grow with it.
func (v *Views) Verify(ctx context.Context, tell func(Progress), report func(Difference)) (Verification, error) {
	v.rebuilding.Lock() // a generation that is verified must go on serving
	defer v.rebuilding.Unlock()
	if err := v.CaughtUp(ctx); err != nil {
		return Verification{}, err
	}
	g := v.serving.Load()
	check := &verification{g: g, log: v.log, report: report}
	passes := 1 + max(g.activity.count()/passConversations, int(v.folded.Load()/passEvents))
	progress := newMeter(tell)
	for pass := range passes {
		check.memory = newReplay(g.store)
		want := func(s events.Subject) bool { return passOf(s, passes) == pass }
		err := v.overtake(ctx, want, func(list []events.Event) error {
			return check.compare(ctx, list)
		}, func(upTo uint64) {
			total := v.folded.Load()
			progress.at(uint64(pass)*total+upTo, uint64(passes)*total, false)
		}, func(sequence uint64) error {
			check.Sequence = sequence
			return nil
		})
		if err != nil {
			return check.Verification, fmt.Errorf("verify: %w", err)
		}
	}
	if err := check.foreign(ctx); err != nil {
		return check.Verification, fmt.Errorf("verify: %w", err)
	}
	total := uint64(passes) * check.Sequence
	progress.at(total, total, true)
	return check.Verification, nil
}

// passOf is the pass that a subject's events are folded in: accounts and domains in the first, conversations spread evenly.
func passOf(s events.Subject, passes int) int {
	if passes == 1 {
		return 0
	}
	name := s.String()
	if !strings.Contains(name, ".conversation.") {
		return 0
	}
	hash := uint32(2166136261)
	for i := len(name) - 12; i < len(name); i++ {
		hash = (hash ^ uint32(name[i])) * 16777619
	}
	return int(hash % uint32(passes))
}

// count is how many conversations there are.
func (s *activity) count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	for _, o := range s.accounts {
		n += len(o.at)
	}
	return n
}

// newReplay makes a generation that folds in memory and writes nothing: it keeps all heads and pages.
func newReplay(s *store) *generation {
	g := newGeneration(s, nil)
	g.pages = map[pageKey]page{}
	g.headCache = newCache[conversationKey, head](math.MaxInt)
	return g
}

// replay folds events in memory; what it returns holds the documents that they make, until the next call.
func (g *generation) replay(ctx context.Context, list []events.Event) (*batch, error) {
	b := newBatch(g)
	if err := b.read(ctx, list); err != nil {
		return nil, err
	}
	if err := b.applyAll(ctx, list); err != nil {
		return nil, err
	}
	b.show()
	return b, nil
}

// verification is a comparison under way.
type verification struct {
	Verification
	g      *generation // that is compared
	memory *generation // what the history makes
	log    *events.Log
	report func(Difference)
}

func (c *verification) differ(b *bucket, key string, sequence uint64, what string) {
	c.Differences++
	model, _, _, _ := bucketVersion(b.name)
	c.report(Difference{model, key, sequence, what})
}

// compare folds events and compares the documents that they make. A document that is there in a later state is left to the
// event of that.
func (c *verification) compare(ctx context.Context, list []events.Event) error {
	b, err := c.memory.replay(ctx, list)
	if err != nil {
		return err
	}
	first, second := b.documents()
	if err := errors.Join(first.err, second.err); err != nil {
		return err
	}
	byBucket := map[*bucket][]document{}
	for _, d := range slices.Concat(first.list, second.list) {
		byBucket[d.bucket] = append(byBucket[d.bucket], d)
	}
	for bucket, documents := range byBucket {
		keys := make([]string, len(documents))
		for i, d := range documents {
			keys[i] = d.key
		}
		values, err := bucket.getAll(ctx, keys)
		if err != nil {
			return err
		}
		for _, d := range documents {
			want, _ := sequenceOf(d.value)
			value, found := values[d.key]
			have, whole := sequenceOf(value)
			switch {
			case !found:
				c.differ(bucket, d.key, want, "it is missing")
			case !whole:
				c.differ(bucket, d.key, want, "it is no document")
			case have > want:
				continue
			case have < want:
				c.differ(bucket, d.key, want, fmt.Sprintf("it stands at event %d", have))
			case !bytes.Equal(value, d.value):
				c.differ(bucket, d.key, want, "its bytes differ "+parting(value, d.value))
			}
			c.Documents++
		}
	}
	return nil
}

// parting says where two documents begin to differ.
func parting(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("from byte %d on (%d bytes instead of %d)", i, len(a), len(b))
}

// sequenceOf reads the sequence that a document ends with.
func sequenceOf(value []byte) (uint64, bool) {
	const member = `"sequence":`
	i := bytes.LastIndex(value, []byte(member))
	if i < 0 {
		return 0, false
	}
	digits, closed := bytes.CutSuffix(value[i+len(member):], []byte("}"))
	sequence, err := strconv.ParseUint(string(digits), 10, 64)
	return sequence, closed && err == nil
}

// foreign looks for documents that the history does not make: those that the event they name would not have written there. A
// document that some event has written is compared when that is folded.
func (c *verification) foreign(ctx context.Context) error {
	for _, at := range c.g.store.places() {
		var page []named
		err := (*at).eachKey(ctx, func(key string, value []byte) error {
			sequence, whole := sequenceOf(value)
			if !whole {
				c.differ(*at, key, 0, "it is no document")
				return nil
			}
			page = append(page, named{key, value, sequence})
			if len(page) < pageDocuments {
				return nil
			}
			full := page
			page = nil
			return c.foreignPage(ctx, *at, full)
		})
		if err != nil {
			return err
		}
		if err := c.foreignPage(ctx, *at, page); err != nil {
			return err
		}
	}
	return nil
}

// named is a document with its key and the event that it names.
type named struct {
	key      string
	value    []byte
	sequence uint64
}

// foreignPage looks some documents up in the history, in as few reads as their sequences allow.
func (c *verification) foreignPage(ctx context.Context, b *bucket, page []named) error {
	slices.SortFunc(page, func(x, y named) int { return int(min(max(int64(x.sequence)-int64(y.sequence), -1), 1)) })
	last, err := c.log.Last(ctx)
	if err != nil {
		return err
	}
	for start := 0; start < len(page); {
		if page[start].sequence == 0 || page[start].sequence > last {
			c.differ(b, page[start].key, page[start].sequence, "there is no such event")
			start++
			continue
		}
		end := start + 1
		for end < len(page) && page[end].sequence <= last && page[end].sequence-page[end-1].sequence < 512 {
			end++
		}
		run := page[start:end]
		start = end
		at := 0
		var pages []named
		err := c.log.Scan(ctx, run[0].sequence-1, run[len(run)-1].sequence, nil, func(_ uint64, list []events.Event) error {
			for _, e := range list {
				for at < len(run) && run[at].sequence < e.Sequence {
					c.differ(b, run[at].key, run[at].sequence, "there is no such event")
					at++
				}
				for ; at < len(run) && run[at].sequence == e.Sequence; at++ {
					made, paged := makes(e, run[at].key)
					if !made {
						c.differ(b, run[at].key, e.Sequence, "the event of its sequence does not make it")
					}
					if paged {
						pages = append(pages, run[at])
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for ; at < len(run); at++ {
			c.differ(b, run[at].key, run[at].sequence, "there is no such event")
		}
		if err := c.counted(ctx, b, pages); err != nil {
			return err
		}
	}
	return nil
}

// counted looks whether the conversations have the pages that are there.
func (c *verification) counted(ctx context.Context, b *bucket, pages []named) error {
	var names []string
	for _, p := range pages {
		names = append(names, p.key[:headLength])
	}
	values, err := b.getAll(ctx, slices.Compact(slices.Sorted(slices.Values(names))))
	if err != nil {
		return err
	}
	for i, p := range pages {
		var h head
		_ = json.Unmarshal(values[names[i]], &h) // a head that is none counts nothing
		kind, number, _ := strings.Cut(p.key[headLength+1:], ".")
		count := h.pages()
		if kind == "s" {
			count, _ = pageOf(h.Last)
		}
		if n, err := strconv.Atoi(number); err != nil || n < 0 || n >= count || strconv.Itoa(n) != number {
			c.differ(b, p.key, p.sequence, "the conversation has no such page")
		}
	}
	return nil
}

// headLength is how long the key of a head is.
const headLength = 2*36 + 1

// makes tells whether an event writes a document with a key. paged says that it is the key of a page, of which the event does
// not tell whether there is one.
func makes(e events.Event, key string) (made, paged bool) {
	account := e.Subject.Account()
	switch data := e.Data.(type) {
	case nil:
		return false, false
	case *events.DomainDrafted:
		return key == domainHeadKey(account, data.DomainID), false
	case *events.DomainPublished:
		return key == domainHeadKey(account, data.DomainID) || key == versionKey(account, data.DomainID, data.Version), false
	}
	m := e.Message()
	if m == nil {
		return key == accountKey(account), false
	}
	name := headKey(conversationKey{account, m.ConversationID})
	if strings.HasPrefix(key, name+".m.") || strings.HasPrefix(key, name+".s.") {
		return true, true
	}
	return key == name, false
}
