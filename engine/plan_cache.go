package engine

import (
	"sync"

	"reckon/engine/value"
)

// Bounds of the plans that a domain keeps. A step takes about 200 bytes, with its unit.
const (
	maxPlans     = 1024
	maxPlanParts = 100_000 // steps and facts of all of them, and eighths of their keys
)

// planCache keeps plans by what is given and asked. It is safe for concurrent use.
type planCache struct {
	mu    sync.RWMutex
	plans map[string]keptPlan
	parts int
}

// keep adds a plan, in the place of all others where they are too many.
func (c *planCache) keep(key string, kept keptPlan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := len(key) / 8
	if kept.plan != nil {
		parts += len(kept.plan.steps) + len(kept.plan.leaves)
	}
	if c.plans == nil || len(c.plans) >= maxPlans || c.parts+parts > maxPlanParts {
		c.plans, c.parts = map[string]keptPlan{}, 0
	}
	if _, again := c.plans[key]; !again {
		c.parts += parts
	}
	c.plans[key] = kept
}

// keptPlan is what came of a search. A calculation that finds it kept pays for it too, so that what
// a budget allows does not depend on what was asked before.
type keptPlan struct {
	plan  *plan
	looks int  // what the search took
	over  bool // the search ended there, at the end of the budget
}

// plan is findPlan over enabled activities, remembered: a search that has come to the end of a
// budget is made again only with a larger one.
func (d *Domain) plan(m *value.Meter, g given, target int) *plan {
	key := append(make([]byte, 0, len(g)+2), byte(target), byte(target>>8))
	for _, set := range g {
		key = append(key, set)
	}
	d.plans.mu.RLock()
	kept, ok := d.plans.plans[string(key)]
	d.plans.mu.RUnlock()
	before := m.Looks()
	if ok && (!kept.over || before <= kept.looks) {
		if !m.Look(kept.looks) {
			return nil
		}
		return kept.plan
	}
	p := d.findPlan(m, g, target, false, nil)
	kept = keptPlan{p, before - m.Looks(), m.Over()}
	if kept.over {
		kept.looks = before
	}
	d.plans.keep(string(key), kept)
	return p
}
