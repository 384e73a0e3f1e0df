package engine

import "sync"

// maxPlans bounds the plans that a domain keeps.
const maxPlans = 1024

// planCache keeps plans by what is given and asked. It is safe for concurrent use.
type planCache struct {
	mu    sync.RWMutex
	plans map[string]*plan
}

// plan is findPlan over enabled activities, remembered.
func (d *Domain) plan(g given, target int) *plan {
	key := append(make([]byte, 0, len(g)+2), byte(target), byte(target>>8))
	for _, set := range g {
		key = append(key, set)
	}
	d.plans.mu.RLock()
	p, ok := d.plans.plans[string(key)]
	d.plans.mu.RUnlock()
	if ok {
		return p
	}
	p = d.findPlan(g, target, false, nil)
	d.plans.mu.Lock()
	if d.plans.plans == nil || len(d.plans.plans) >= maxPlans {
		d.plans.plans = map[string]*plan{}
	}
	d.plans.plans[string(key)] = p
	d.plans.mu.Unlock()
	return p
}
