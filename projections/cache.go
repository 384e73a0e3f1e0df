package projections

import (
	"container/list"
	"sync"
)

// cache keeps documents of a kind in memory, up to a weight. Only the fold puts documents in that can change, so that none is
// ever older than its bucket. It may be used from several goroutines.
type cache[K comparable, V any] struct {
	mu     sync.Mutex
	limit  int
	weight int
	byKey  map[K]*list.Element
	recent *list.List // of *cached[K, V], most recently used first
}

type cached[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

func newCache[K comparable, V any](limit int) *cache[K, V] {
	return &cache[K, V]{limit: limit, byKey: map[K]*list.Element{}, recent: list.New()}
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byKey[key]
	if !ok {
		var none V
		return none, false
	}
	c.recent.MoveToFront(element)
	return element.Value.(*cached[K, V]).value, true
}

// put replaces the document at a key and drops the least recently used ones beyond the limit.
func (c *cache[K, V]) put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, ok := c.byKey[key]; ok {
		there := element.Value.(*cached[K, V])
		c.weight -= there.weight
		there.value, there.weight = value, weight
		c.recent.MoveToFront(element)
	} else {
		c.byKey[key] = c.recent.PushFront(&cached[K, V]{key, value, weight})
	}
	c.weight += weight
	for c.weight > c.limit {
		last := c.recent.Back()
		dropped := c.recent.Remove(last).(*cached[K, V])
		delete(c.byKey, dropped.key)
		c.weight -= dropped.weight
	}
}
