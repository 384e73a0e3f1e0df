package projections

import (
	"container/list"
	"sync"
)

// Cache keeps values in memory, those that were used last, up to a weight. It may be used from
// several goroutines.
type Cache[K comparable, V any] struct {
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

// NewCache makes a cache that keeps values of so much weight together.
func NewCache[K comparable, V any](limit int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, byKey: map[K]*list.Element{}, recent: list.New()}
}

// Get is the value at a key, if it is kept.
func (c *Cache[K, V]) Get(key K) (V, bool) {
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

// Put replaces the value at a key and drops the least recently used ones beyond the limit.
func (c *Cache[K, V]) Put(key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key, value, weight)
}

// Clear drops all values.
func (c *Cache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey, c.weight = map[K]*list.Element{}, 0
	c.recent.Init()
}

// Add puts a value where there is none, if it is still valid then.
func (c *Cache[K, V]) Add(key K, value V, weight int, valid func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; !ok && valid() {
		c.put(key, value, weight)
	}
}

func (c *Cache[K, V]) put(key K, value V, weight int) {
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
