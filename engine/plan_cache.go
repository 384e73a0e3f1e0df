package engine

import (
	"sync"

	"reckon/engine/value"
)

// maxPlans bounds the plans that a domain keeps.
const maxPlans = 1024

// planCache keeps plans by what is given and asked. It is safe for concurrent use.
type planCache struct {
	mu    sync.RWMutex
	plans map[string]keptPlan
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
	d.plans.mu.Lock()
	if d.plans.plans == nil || len(d.plans.plans) >= maxPlans {
		d.plans.plans = map[string]keptPlan{}
	}
	d.plans.plans[string(key)] = kept
	d.plans.mu.Unlock()
	return p
}
