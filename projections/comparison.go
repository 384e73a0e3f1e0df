package projections

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"reckon/events"
	"reckon/events/log"
)

// comparison is a verification under way, one pass of it at a time: a part of the history is folded
// in memory, then all keys are compared with that (scan), then the documents of the events that
// have come meanwhile (follow).
type comparison struct {
	Verification
	g      *generation // that is compared
	log    *log.Log
	report func(Difference)

	pass, passes int
	seed         maphash.Seed
	memory       *generation         // what the history makes of what is of the pass
	reached      uint64              // the event that memory stands at
	found        map[location]bool   // documents of memory that are in the buckets
	later        map[location]uint64 // sequences of documents that stand at a later event
}

// location is where a document is.
type location struct {
	model int // place in the models
	key   string
}

// begin prepares a pass.
func (c *comparison) begin() {
	c.memory = inMemory(c.g.models, nil)
	if c.passes > 1 {
		c.memory.wants = c.wants
	}
	c.reached = 0
	c.found = map[location]bool{}
	c.later = map[location]uint64{}
}

// wants tells whether the documents that a model makes of a subject's events are of the pass: those
// of models that are not spread are all of the first one.
func (c *comparison) wants(m model, s events.Subject) bool {
	part := strings.Split(s.String(), ".") // evt, account, kind, and mostly an id
	if !slices.Contains(m.subjects, part[2]) {
		return false
	}
	return c.passOf(m, strings.Join(slices.Delete(part[1:], 1, 2), ".")) == c.pass
}

func (c *comparison) wantsAny(s events.Subject) bool {
	return slices.ContainsFunc(c.g.models, func(m model) bool { return c.wants(m, s) })
}

// passOf is the pass that a key is compared in.
func (c *comparison) passOf(m model, key string) int {
	if !m.spread {
		return 0
	}
	account, rest, pair := strings.Cut(key, ".")
	id, _, _ := strings.Cut(rest, ".")
	if !pair {
		id = account
	}
	return int(maphash.String(c.seed, id) % uint64(c.passes))
}

// fold folds events in memory and returns where the documents are that they make.
func (c *comparison) fold(ctx context.Context, list []events.Event) (made []location, err error) {
	for i := range c.memory.models {
		documents, err := c.memory.foldInto(ctx, i, list)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			made = append(made, location{i, d.key})
		}
	}
	if len(list) > 0 {
		c.reached = list[len(list)-1].Sequence
	}
	return made, nil
}

// follow folds events and compares the documents that they make.
func (c *comparison) follow(ctx context.Context, list []events.Event) error {
	made, err := c.fold(ctx, list)
	if err != nil {
		return err
	}
	if err := c.g.flush(); err != nil {
		return err
	}
	return c.fetch(ctx, made)
}

// scan compares all documents of the buckets that are of the pass with memory, and then those of
// memory that were not among them. told is called at each.
func (c *comparison) scan(ctx context.Context, told func()) error {
	if err := c.g.flush(); err != nil {
		return err
	}
	for i, b := range c.g.buckets {
		m := c.g.models[i]
		if !m.spread && c.pass > 0 {
			continue
		}
		err := b.each(ctx, "", func(key string, value []byte) error {
			told()
			if c.passOf(m, key) != c.pass {
				return nil
			}
			return c.judge(location{i, strings.Clone(key)}, value)
		})
		if err != nil {
			return err
		}
	}
	var missing []location
	for i, b := range c.memory.buckets {
		for _, key := range b.keys() {
			if at := (location{i, key}); !c.found[at] {
				missing = append(missing, at)
			}
		}
	}
	return c.fetch(ctx, missing)
}

// fetch reads documents that memory has made, and compares them.
func (c *comparison) fetch(ctx context.Context, made []location) error {
	keys := make([][]string, len(c.g.buckets))
	for _, at := range made {
		keys[at.model] = append(keys[at.model], at.key)
	}
	for i, b := range c.g.buckets {
		for some := range slices.Chunk(keys[i], maxKeys) {
			values, err := b.fetch(ctx, some)
			if err != nil {
				return err
			}
			for _, key := range some {
				if err := c.judge(location{i, key}, values[key]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// judge compares a document, nil for one that is missing, with memory. One that stands at an event
// behind what memory has reached is left to that.
func (c *comparison) judge(at location, value []byte) error {
	delete(c.later, at)
	want, same, err := c.made(at, value)
	if err != nil {
		return fmt.Errorf("encode %s of bucket %s: %w", at.key, c.g.buckets[at.model].name, err)
	}
	if want > 0 {
		c.found[at] = true
	}
	have, whole := sequenceOf(value)
	switch {
	case value == nil:
		c.differ(at, want, "it is missing")
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
	case same != "":
		c.differ(at, want, same)
	}
	return nil
}

// made is the sequence of the document that memory makes at a place, 0 when it makes none, and in
// what another one differs from it, "" for in nothing.
func (c *comparison) made(at location, value []byte) (sequence uint64, differs string, err error) {
	is, ok := c.memory.buckets[at.model].get(at.key)
	if !ok {
		return 0, "", nil
	}
	if d, ok := is.(digest); ok {
		if sha256.Sum256(value) != d.sum {
			differs = "its bytes differ"
		}
		return d.sequence, differs, nil
	}
	text, err := events.Marshal(is)
	if err == nil && !bytes.Equal(value, text) {
		differs = "its bytes differ " + parting(value, text)
	}
	sequence, _ = sequenceOf(text)
	return sequence, differs, err
}

// end closes a pass at an event that memory and the buckets have reached.
func (c *comparison) end(ctx context.Context, sequence uint64) error {
	c.Sequence = sequence
	for _, b := range c.memory.buckets {
		c.Documents += uint64(len(b.keys()))
	}
	if len(c.later) == 0 {
		return nil
	}
	last, err := c.log.Last(ctx)
	if err != nil {
		return err
	}
	left := slices.SortedFunc(maps.Keys(c.later), func(a, b location) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.key, b.key))
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
	c.report(Difference{c.g.models[at.model].name, at.key, sequence, what})
}

// foreign says why a document is one that the history does not make.
func (c *comparison) foreign(at location) string {
	return c.g.models[at.model].foreign(at.key, func(key string) bool {
		_, ok := c.memory.buckets[at.model].get(key)
		return ok
	})
}

// parting says where two documents begin to differ.
func parting(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("from byte %d on (%d bytes instead of %d)", i, len(a), len(b))
}
