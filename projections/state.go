package projections

import (
	"context"
	"errors"
	"time"
)

// State is how a server is doing.
type State struct {
	Program string    `json:"program"` // its version, "" for one that does not tell
	Started time.Time `json:"started"` // when its views were opened
	Waits   string    `json:"waits"`   // for what it is not ready yet, "" while it is
	Damaged string    `json:"damaged"` // what of the log is, "" for nothing
	Folded  uint64    `json:"folded"`  // sequence of the newest event that it shows
}

// RunBy says which version of the program the views are of, for who asks for their State.
func (v *Views) RunBy(program string) { v.program.Store(&program) }

// State is that of the server of these views.
func (v *Views) State() State {
	s := State{Started: v.index.started.UTC(), Folded: v.At()}
	if p := v.program.Load(); p != nil {
		s.Program = *p
	}
	if err := v.log.Damaged(); err != nil {
		s.Damaged = err.Error()
	}
	if err := v.Ready(); err != nil {
		s.Waits = err.Error()
	}
	return s
}

// State is Views.State.
func (r Remote) State(ctx context.Context) (State, error) {
	var state *State
	err := r.ask(ctx, controlRequest{Action: "state"}, func(p controlReply) {
		if p.State != nil {
			state = p.State
		}
	})
	if err == nil && state == nil {
		err = errors.New("the server does not say how it is doing")
	}
	if err != nil {
		return State{}, err
	}
	return *state, nil
}
