package projections

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// comparison is a verification under way, one pass of it at a time: a part of the history is folded in memory, then all keys are
// compared with that (scan), then the documents of the events that have come meanwhile (follow).
type comparison struct {
	Verification
	g      *generation // that is compared
	log    *log.Log
	report func(Difference)

	pass, passes  int
	memory        *generation // what the history makes of what is of the pass
	versions      map[string]digest
	reached       uint64                   // the event that memory stands at
	conversations map[conversationKey]bool // those of which the head was found
	others        map[string]bool          // keys of the accounts, domains, versions and pages that were found
	later         map[location]uint64      // documents that stand at an event behind what memory had reached: their sequences
}

// digest is what is kept of the document of a published version, of which a generation holds but the newest of each domain. It stands
// for all bytes.
type digest struct {
	sequence uint64
	sum      [sha256.Size]byte
}

// begin prepares a pass.
func (c *comparison) begin() {
	c.memory = newReplay(c.g.store)
	c.versions = map[string]digest{}
	c.reached = 0
	c.conversations = map[conversationKey]bool{}
	c.others = map[string]bool{}
	c.later = map[location]uint64{}
}

// fold folds events in memory.
func (c *comparison) fold(ctx context.Context, list []events.Event) (*batch, error) {
	b, err := c.memory.replay(ctx, list)
	if err != nil {
		return nil, err
	}
	for key, v := range b.versions {
		text, err := events.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", key, err)
		}
		c.versions[key] = digest{v.Sequence, sha256.Sum256(text)}
	}
	if len(list) > 0 {
		c.reached = list[len(list)-1].Sequence
	}
	return b, nil
}

// follow folds events and compares the documents that they make.
func (c *comparison) follow(ctx context.Context, list []events.Event) error {
	b, err := c.fold(ctx, list)
	if err != nil {
		return err
	}
	first, second := b.documents()
	var made []location
	for _, s := range slices.Concat(first, second) {
		made = append(made, s.location)
	}
	if err := c.g.write(); err != nil {
		return err
	}
	return c.fetch(ctx, made)
}

// scan compares all documents of the buckets that are of the pass with memory, and then those of memory that were not among
// them. told is called at each.
func (c *comparison) scan(ctx context.Context, told func()) error {
	if err := c.g.write(); err != nil {
		return err
	}
	s := c.g.store
	for _, at := range s.places() {
		b := *at
		spread := b == s.conversations
		if !spread && c.pass > 0 {
			continue
		}
		err := b.each(ctx, "", func(key string, _ uint64, value []byte) error {
			told()
			if spread && passOfKey(key, c.passes) != c.pass {
				return nil
			}
			return c.judge(location{b, strings.Clone(key)}, value)
		})
		if err != nil {
			return err
		}
	}
	return c.unseen(ctx)
}

// unseen asks for the documents of memory that were not found.
func (c *comparison) unseen(ctx context.Context) error {
	s := c.g.store
	var missing []location
	ask := func(b *bucket, key string, found bool) error {
		if !found {
			missing = append(missing, location{b, key})
		}
		if len(missing) < maxKeys {
			return nil
		}
		some := missing
		missing = nil
		return c.fetch(ctx, some)
	}
	for key := range c.memory.headCache.byKey {
		if err := ask(s.conversations, headKey(key), c.conversations[key]); err != nil {
			return err
		}
	}
	for key := range c.memory.pages {
		if err := ask(s.conversations, key.String(), c.others[key.String()]); err != nil {
			return err
		}
	}
	for id := range c.memory.accounts.byID {
		if err := ask(s.accounts, accountKey(id), c.others[accountKey(id)]); err != nil {
			return err
		}
	}
	for key := range c.memory.domains.byKey {
		name := domainHeadKey(key.account, key.domain)
		if err := ask(s.domains, name, c.others[name]); err != nil {
			return err
		}
	}
	for key := range c.versions {
		if err := ask(s.domains, key, c.others[key]); err != nil {
			return err
		}
	}
	return c.fetch(ctx, missing)
}

// fetch reads documents that memory has made, and compares them.
func (c *comparison) fetch(ctx context.Context, made []location) error {
	byBucket := map[*bucket][]string{}
	for _, at := range made {
		byBucket[at.bucket] = append(byBucket[at.bucket], at.key)
	}
	for b, keys := range byBucket {
		for some := range slices.Chunk(keys, maxKeys) {
			values, err := b.getAll(ctx, some)
			if err != nil {
				return err
			}
			for _, key := range some {
				at := location{b, key}
				value, ok := values[key]
				if ok {
					err = c.judge(at, value)
				} else {
					delete(c.later, at)
					want, _ := c.made(at)
					c.differ(at, want, "it is missing")
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// judge compares a document that is there with memory. One that stands at an event behind what memory has reached is left to
// that.
func (c *comparison) judge(at location, value []byte) error {
	delete(c.later, at)
	have, whole := sequenceOf(value)
	want, same := c.made(at)
	switch {
	case !whole:
		c.differ(at, want, "it is no document")
	case have > c.reached:
		c.later[at] = have
	case want == 0 && have == 0:
		c.differ(at, have, "there is no such event")
	case want == 0:
		c.differ(at, have, c.foreign(at))
	case have != want:
		c.differ(at, want, fmt.Sprintf("it stands at event %d", have))
	default:
		what, err := same(value)
		if err != nil {
			return fmt.Errorf("encode %s of bucket %s: %w", at.key, at.bucket.name, err)
		}
		if what != "" {
			c.differ(at, want, what)
		}
	}
	return nil
}

// end closes a pass at an event that memory and the buckets have reached.
func (c *comparison) end(ctx context.Context, sequence uint64) error {
	c.Sequence = sequence
	m := c.memory
	c.Documents += uint64(len(m.headCache.byKey) + len(m.pages) + len(m.accounts.byID) + len(m.domains.byKey) + len(c.versions))
	if len(c.later) == 0 {
		return nil
	}
	last, err := c.log.Last(ctx)
	if err != nil {
		return err
	}
	left := slices.SortedFunc(maps.Keys(c.later), func(a, b location) int {
		return cmp.Or(cmp.Compare(a.bucket.name, b.bucket.name), cmp.Compare(a.key, b.key))
	})
	for _, at := range left {
		what := "there is no such event"
		if c.later[at] <= last {
			what = c.foreign(at)
		}
		c.differ(at, c.later[at], what)
	}
	return nil
}

func (c *comparison) differ(at location, sequence uint64, what string) {
	c.Differences++
	model, _, _, _ := bucketVersion(at.bucket.name)
	c.report(Difference{model, at.key, sequence, what})
}

// foreign says why a document is one that the history does not make.
func (c *comparison) foreign(at location) string {
	if key, rest, ok := parseKey(at.key); ok && at.bucket == c.g.store.conversations {
		_, known := c.memory.headCache.Get(key)
		if known && (strings.HasPrefix(rest, ".m.") || strings.HasPrefix(rest, ".s.")) {
			return "the conversation has no such page"
		}
	}
	return "the event of its sequence does not make it"
}

// made notes that a place was looked at. It returns the sequence of the document that memory makes there, 0 when it makes none,
// and what says in what another document of that sequence differs from it, "" for in nothing.
func (c *comparison) made(at location) (sequence uint64, differs func(value []byte) (string, error)) {
	s, m := c.g.store, c.memory
	as := func(made any) func([]byte) (string, error) {
		return func(value []byte) (string, error) {
			text, err := events.Marshal(made)
			if err != nil || bytes.Equal(value, text) {
				return "", err
			}
			return "its bytes differ " + parting(value, text), nil
		}
	}
	key, rest, pair := parseKey(at.key)
	switch {
	case at.bucket == s.accounts:
		id, err := uuid.Parse(at.key)
		if a, ok := m.accounts.get(id); ok && err == nil && accountKey(id) == at.key {
			c.others[at.key] = true
			return a.Sequence, as(a)
		}
	case !pair:
	case at.bucket == s.domains && rest == "":
		if d, ok := m.domains.get(key.account, key.conversation); ok {
			c.others[at.key] = true
			return d.Sequence, as(d)
		}
	case at.bucket == s.domains:
		if v, ok := c.versions[at.key]; ok {
			c.others[at.key] = true
			return v.sequence, func(value []byte) (string, error) {
				if sha256.Sum256(value) == v.sum {
					return "", nil
				}
				return "its bytes differ", nil
			}
		}
	case rest == "":
		h, ok := m.headCache.Get(key)
		if !ok {
			return 0, nil
		}
		c.conversations[key] = true
		return h.Sequence, as(h)
	case len(rest) > 3:
		number, err := strconv.Atoi(rest[3:])
		page := pageKey{key, rest[1:2], number}
		if p, ok := m.pages[page]; ok && err == nil && page.String() == at.key {
			c.others[at.key] = true
			return p.Sequence, as(p)
		}
	}
	return 0, nil
}

// headLength is how long the key of a head is.
const headLength = 2*36 + 1

// parseKey takes a key of two ids apart, and what follows on them.
func parseKey(key string) (ids conversationKey, rest string, ok bool) {
	if len(key) < headLength {
		return conversationKey{}, "", false
	}
	account, err := uuid.Parse(key[:36])
	if err != nil {
		return conversationKey{}, "", false
	}
	id, err := uuid.Parse(key[headLength-36 : headLength])
	ids = conversationKey{account, id}
	return ids, key[headLength:], err == nil && headKey(ids) == key[:headLength]
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
