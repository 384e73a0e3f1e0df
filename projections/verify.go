package projections

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reckon/events"
	"reckon/events/log"
)

// Difference is a document that is not what the history makes.
type Difference struct {
	Projection string `json:"projection"`
	Key        string `json:"key"`
	Sequence   uint64 `json:"sequence"` // of the event that made it, or else that it names
	What       string `json:"what"`
}

// Verification says what was compared.
type Verification struct {
	Sequence    uint64 `json:"sequence"` // of the last event that was folded
	Documents   uint64 `json:"documents"`
	Differences uint64 `json:"differences"`
}

// Verify folds the whole history into another generation and compares the serving one with that,
// byte for byte, and with the keys that it has, so that documents that are missing and documents
// that the history does not make are found too. Each difference is given to report, most of them
// once. What is folded meanwhile is compared too, and the fold is held up for a moment at the end,
// so that the comparison is one at a definite event. tell, which may be nil, is told of the events
// and documents that are read.
func (v *Views) Verify(ctx context.Context, tell func(Progress), report func(Difference)) (Verification, error) {
	// What was erased may be gone from the log and not yet from the views.
	if err := v.Forgotten(ctx, v.folded.Load()); err != nil && !errors.Is(err, log.ErrUnerasable) {
		return Verification{}, err
	}
	v.rebuilding.Lock() // a generation that is verified must go on serving
	defer v.rebuilding.Unlock()
	c := &comparison{serving: v.serving.Load(), report: report, later: map[location]uint64{}}
	var err error
	if c.made, err = v.newGeneration(ctx, nil); err != nil {
		return c.Verification, fmt.Errorf("begin verification: %w", err)
	}
	progress := newMeter(tell)
	told := func(upTo uint64) { progress.at(upTo+c.read, v.folded.Load()+2*c.stored, false) }
	err = v.catchUpAndHold(ctx, func(list []events.Event) error {
		return c.fold(ctx, list)
	}, told, func() error {
		if err := c.scan(ctx, v.store, func() { told(c.reached) }); err != nil {
			return err
		}
		return v.save()
	}, func(sequence uint64) error {
		last, err := v.log.Last(ctx)
		if err != nil {
			return err
		}
		c.Sequence = sequence
		c.Documents, err = v.store.count(ctx, c.made)
		c.end(ctx, last)
		return err
	})
	// What is left of it goes at the next start.
	if cleanup := v.store.keep(context.WithoutCancel(ctx), c.serving.names()); cleanup != nil {
		v.logger.Warn("deleting what a verification left", "error", cleanup)
	}
	if err != nil {
		return c.Verification, fmt.Errorf("verify: %w", err)
	}
	read := v.folded.Load() + c.read
	progress.at(read, read, true)
	return c.Verification, nil
}

// comparison is a verification under way: the history is folded, then all keys are compared (scan),
// then the documents of the events that have come meanwhile.
type comparison struct {
	Verification
	serving, made *generation
	report        func(Difference)

	reached uint64              // the event that made stands at
	scanned bool                // and what is folded is to be compared
	stored  uint64              // documents that there were to be read
	read    uint64              // those that were
	later   map[location]uint64 // sequences of documents that stand at a later event
}

type location struct {
	model int // place in the models
	key   string
}

// fold folds events. Once all was scanned it compares the documents that they make.
func (c *comparison) fold(ctx context.Context, list []events.Event) error {
	changed := make([][]string, len(c.made.models))
	for i := range c.made.models {
		documents, err := c.made.foldInto(ctx, i, list)
		if err != nil {
			return err
		}
		for _, d := range documents {
			changed[i] = append(changed[i], d.key)
		}
	}
	if len(list) > 0 {
		c.reached = list[len(list)-1].Sequence
	}
	if !c.scanned {
		return nil
	}
	if err := c.flush(); err != nil {
		return err
	}
	for i, keys := range changed {
		if err := c.compare(ctx, i, keys); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) flush() error {
	if err := c.serving.flush(); err != nil {
		return err
	}
	return c.made.flush()
}

// scan compares all documents that serve, and then looks for those of made that are not among them.
// told is called at each.
func (c *comparison) scan(ctx context.Context, s *store, told func()) (err error) {
	if err := c.flush(); err != nil {
		return err
	}
	if c.stored, err = s.count(ctx, c.made); err != nil {
		return err
	}
	for i, b := range c.serving.buckets {
		err := c.chunks(ctx, b, told, func(keys []string, values map[string][]byte) error {
			return c.judgeAll(ctx, i, keys, values)
		})
		if err != nil {
			return err
		}
	}
	for i, b := range c.made.buckets {
		err := c.chunks(ctx, b, told, func(keys []string, _ map[string][]byte) error {
			there, err := c.serving.buckets[i].fetch(ctx, keys)
			if err != nil {
				return err
			}
			return c.compare(ctx, i, slices.DeleteFunc(keys, func(key string) bool { return there[key] != nil }))
		})
		if err != nil {
			return err
		}
	}
	c.scanned = true
	return nil
}

// chunks hands the documents of a bucket to do, as many at a time as one request reads.
func (c *comparison) chunks(ctx context.Context, b *bucket, told func(), do func([]string, map[string][]byte) error) error {
	var keys []string
	values, size := map[string][]byte{}, 0
	err := b.each(ctx, ">", func(key string, value []byte) error {
		c.read++
		told()
		key = strings.Clone(key)
		if values[key] == nil {
			keys = append(keys, key)
		}
		values[key] = value
		if size += len(value); len(keys) < maxKeys && size < maxReply {
			return nil
		}
		err := do(keys, values)
		keys, values, size = nil, map[string][]byte{}, 0
		return err
	})
	if err != nil {
		return err
	}
	return do(keys, values)
}

// compare compares documents of a model.
func (c *comparison) compare(ctx context.Context, i int, keys []string) error {
	for some := range slices.Chunk(keys, maxKeys) {
		values, err := c.serving.buckets[i].fetch(ctx, some)
		if err == nil {
			err = c.judgeAll(ctx, i, some, values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// judgeAll compares what serves of a model at some keys with what is made.
func (c *comparison) judgeAll(ctx context.Context, i int, keys []string, values map[string][]byte) error {
	made, err := c.made.buckets[i].fetch(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		c.judge(ctx, location{i, key}, values[key], made[key])
	}
	return nil
}

// judge compares a document with the one that is made, nil for one that is missing. One that stands
// at an event behind what is folded is left to that.
func (c *comparison) judge(ctx context.Context, at location, value, made []byte) {
	delete(c.later, at)
	want, _ := sequenceOf(made)
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
		c.differ(at, have, c.foreign(ctx, at))
	case have != want:
		c.differ(at, want, fmt.Sprintf("it stands at event %d", have))
	case !bytes.Equal(value, made):
		c.differ(at, want, "its bytes differ "+parting(value, made))
	}
}

// end reports the documents that name events that do not make them; last is the log's last event.
func (c *comparison) end(ctx context.Context, last uint64) {
	left := slices.SortedFunc(maps.Keys(c.later), func(a, b location) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.key, b.key))
	})
	for _, at := range left {
		what := "there is no such event"
		if c.later[at] <= last {
			what = c.foreign(ctx, at)
		}
		c.differ(at, c.later[at], what)
	}
}

func (c *comparison) differ(at location, sequence uint64, what string) {
	c.Differences++
	c.report(Difference{c.made.models[at.model].name, at.key, sequence, what})
}

// foreign says why a document is one that the history does not make.
func (c *comparison) foreign(ctx context.Context, at location) string {
	if part := c.made.models[at.model].part; part != nil {
		if whole, what := part(at.key); what != "" {
			if there, err := c.made.buckets[at.model].fetch(ctx, []string{whole}); err == nil && there[whole] != nil {
				return what
			}
		}
	}
	return "the event of its sequence does not make it"
}

// parting says where two documents begin to differ.
func parting(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("from byte %d on (%d bytes instead of %d)", i, len(a), len(b))
}
