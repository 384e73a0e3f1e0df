package projections

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"weak"

	"reckon/events"
)

// generation is a set of views that were filled from the same events. One serves; another may be
// built beside it, of some models or all: those of the others are nil.
type generation struct {
	models  []model
	buckets []*bucket // in the order of the models, as the views
	views   []view

	reading sync.RWMutex // held for reading by those who read the buckets
	retired bool         // another generation serves
}

// newGeneration makes a generation on buckets, which are empty or to be loaded.
func newGeneration(models []model, buckets []*bucket, messages *messageLog) *generation {
	g := &generation{models: models, buckets: buckets, views: make([]view, len(models))}
	for i, b := range buckets {
		if b != nil {
			g.views[i] = models[i].open(b, messages)
		}
	}
	return g
}

// viewOf is the view of a type, which the generation must have.
func viewOf[V view](g *generation) V {
	for _, any := range g.views {
		if v, ok := any.(V); ok {
			return v
		}
	}
	panic(fmt.Sprintf("there is no view %T", *new(V)))
}

// names are those of the buckets, in the order of the models.
func (g *generation) names() []string {
	names := make([]string, len(g.buckets))
	for i, b := range g.buckets {
		if b != nil {
			names[i] = b.name
		}
	}
	return names
}

// use returns the generation that serves, which stays until done is called. One who uses a
// generation must not call use again before that.
func (v *Views) use() (g *generation, done func()) {
	for {
		g := v.serving.Load()
		g.reading.RLock()
		if !g.retired {
			return g, g.reading.RUnlock
		}
		g.reading.RUnlock()
	}
}

// retire waits until nobody reads the buckets of a generation that serves no more.
func (g *generation) retire() {
	g.reading.Lock()
	defer g.reading.Unlock()
	g.retired = true
}

// load reads what is held in memory from the buckets.
func (g *generation) load(ctx context.Context) error {
	for _, v := range g.views {
		if err := v.load(ctx); err != nil {
			return err
		}
	}
	return nil
}

// fold takes events into the views and shows readers the documents that they change.
func (g *generation) fold(ctx context.Context, list []events.Event) error {
	for i := range g.models {
		if _, err := g.foldInto(ctx, i, list); err != nil {
			return err
		}
	}
	return nil
}

// foldInto is fold into the view of one model. It returns the documents that were changed.
func (g *generation) foldInto(ctx context.Context, i int, list []events.Event) ([]document, error) {
	staged, err := g.stage(ctx, i, list)
	if err != nil || g.views[i] == nil {
		return nil, err
	}
	// Before show: what is shown is read from the buffer.
	err = g.buckets[i].put(staged)
	g.views[i].show()
	return staged, err
}

// stage applies the events that a model folds. It returns the documents that were changed, which
// nobody sees yet.
func (g *generation) stage(ctx context.Context, i int, list []events.Event) ([]document, error) {
	m, v := g.models[i], g.views[i]
	var own []events.Event
	for _, e := range list {
		if v != nil && m.takes(e) {
			own = append(own, e)
		}
	}
	if len(own) == 0 {
		return nil, nil
	}
	if err := v.prefetch(ctx, own); err != nil {
		return nil, err
	}
	for _, e := range own {
		if err := v.apply(ctx, e); err != nil {
			return nil, fmt.Errorf("apply event %d: %w", e.Sequence, err)
		}
	}
	return v.staged(), nil
}

// flush writes all that was folded into the buckets.
func (g *generation) flush() error {
	for _, b := range g.buckets {
		if b != nil {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Edition tells the buckets that serve, with what is held of them in memory, from others that were
// filled from the same events.
type Edition struct{ of weak.Pointer[generation] }

// Edition is the one that serves now.
func (v *Views) Edition() Edition { return Edition{weak.Make(v.serving.Load())} }

// newGeneration makes an empty generation of models, nil for all, with a number that no other has.
func (v *Views) newGeneration(ctx context.Context, names []string) (*generation, error) {
	existing, err := v.store.bucketNames(ctx)
	if err != nil {
		return nil, err
	}
	number := unused(existing)
	buckets := make([]string, len(v.models))
	for i, m := range v.models {
		if names == nil || slices.Contains(names, m.name) {
			buckets[i] = m.bucketName(number)
		}
	}
	return v.openGeneration(ctx, buckets)
}

// unused is the number of a generation of which no bucket exists.
func unused(existing []string) int {
	number := 1
	for _, name := range existing {
		if _, _, there, ok := parseBucketName(name); ok {
			number = max(number, there+1)
		}
	}
	return number
}

// openGeneration makes a generation of buckets, by their names in the order of the models: "" for
// one that it does not have.
func (v *Views) openGeneration(ctx context.Context, names []string) (*generation, error) {
	buckets := make([]*bucket, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		var err error
		if buckets[i], err = v.store.openBucket(ctx, name); err != nil {
			return nil, err
		}
	}
	return newGeneration(v.models, buckets, v.messages), nil
}
