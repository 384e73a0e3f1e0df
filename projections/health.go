package projections

import "reckon/events"

// Broken is nil while the views' server can write, as far as is known, else an error that is events.ErrBroken: the fold ends
// at its next write, and nothing but a new start mends that.
func (v *Views) Broken() error { return events.Broken(v.server) }
