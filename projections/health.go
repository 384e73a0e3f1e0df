package projections

import "reckon/events/log"

// Broken is nil while the views' server can write, as far as is known, else an error that is
// log.ErrBroken: the fold ends at its next write, and nothing but a new start mends that.
func (v *Views) Broken() error { return log.Broken(v.server) }
