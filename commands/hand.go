package commands

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// job is a command in the hands of this node's worker.
type job struct {
	own      string        // the subject of a command of the node's own, else ""
	command  Calculate     // of the node's own
	msg      jetstream.Msg // as the queue delivered it; nil while it has not
	finished bool          // its final event is in the log
}

// hand is what a node's worker has to work on.
//
// Where no other node works, a command comes to the worker as soon as it is in COMMANDS: one of the
// node's own. The queue has it too, for the worker that comes when this one is lost. When it
// delivers such a command, nothing more is done than to acknowledge it once it is finished.
type hand struct {
	mutex   sync.Mutex
	running context.Context            // ends when the worker is to stop; nil while commands of the node's own are left to the queue
	own     map[string]*job            // by subject, from before they are published until they are finished and delivered
	all     map[jetstream.Msg]struct{} // delivered and not acknowledged yet
	held    int                        // those that count against held
	room    chan struct{}              // holds one when there are fewer again
	idle    chan *job                  // takes a command while a goroutine waits for its next one
	resting atomic.Int32               // how many do
	working sync.WaitGroup             // goroutines that work, or wait
}

// maxOwn is how many commands of the node's own are known at once. More are left to the queue.
const maxOwn = 1 << 14

func newHand() *hand {
	return &hand{own: map[string]*job{}, all: map[jetstream.Msg]struct{}{}, room: make(chan struct{}, 1), idle: make(chan *job)}
}

// brought tells whether the queue brought a command to the worker.
func (j *job) brought() bool { return j.own == "" }

// open has commands of the node's own come to a worker, which is to stop when running ends.
func (h *hand) open(running context.Context) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.running = running
}

// close leaves them to the queue from now on.
func (h *hand) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.running = nil
}

// expect makes a command that is about to be published one of the node's own. It is nil where that
// is left to the queue.
func (h *hand) expect(s events.Subject, c Calculate) *job {
	name := s.String()
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if len(h.own) >= maxOwn {
		// Should the queue deliver them later, a look at the views tells that they are finished.
		maps.DeleteFunc(h.own, func(_ string, j *job) bool { return j.finished })
	}
	if h.running == nil || len(h.own) >= maxOwn || h.own[name] != nil {
		return nil
	}
	j := &job{own: name, command: c}
	h.own[name] = j
	return j
}

// start has the worker work on a command of the node's own that is published, nil for one that is
// not its own.
func (s *Service) start(j *job, sequence uint64) {
	if j == nil {
		return
	}
	s.hand.mutex.Lock()
	running := s.hand.running
	if running != nil {
		j.command.sequence = sequence
		s.dispatch(running, j)
	}
	s.hand.mutex.Unlock()
	if running == nil {
		s.hand.leave(j, jetstream.Msg.Nak)
	}
}

// dispatch has a goroutine work on a command, one that has nothing to do or a new one.
func (s *Service) dispatch(running context.Context, j *job) {
	select {
	case s.hand.idle <- j:
	default:
		s.hand.working.Go(func() { s.workOn(running, j) })
	}
}

// deliver takes in what the queue delivers, and returns what is to be worked on for it, nil where
// that is done elsewhere.
func (h *hand) deliver(msg jetstream.Msg) *job {
	h.mutex.Lock()
	j := h.own[msg.Subject()]
	finished := j != nil && j.finished
	switch {
	case j == nil:
		j = &job{msg: msg}
		h.all[msg] = struct{}{}
		h.held++
		h.mutex.Unlock()
		return j
	case finished:
		h.drop(j)
	case j.msg == nil:
		j.msg = msg
		h.all[msg] = struct{}{}
	}
	h.mutex.Unlock()
	if finished {
		_ = msg.Ack()
	}
	return nil
}

// release says that a command counts no longer against held.
func (h *hand) release(j *job) {
	if !j.brought() {
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.held--; h.held < held {
		raise(h.room)
	}
}

// finish acknowledges a command whose final event is in the log, or has its delivery do so.
func (h *hand) finish(j *job) {
	h.mutex.Lock()
	j.finished = true
	j.command = Calculate{} // the queue may be long in delivering it
	msg := j.msg
	if msg != nil {
		h.drop(j)
	}
	h.mutex.Unlock()
	if msg != nil {
		_ = msg.Ack()
	}
}

// leave leaves a command to the queue, which is told how where it has delivered it; nil is none.
func (h *hand) leave(j *job, how func(jetstream.Msg) error) {
	if j == nil {
		return
	}
	h.mutex.Lock()
	msg := j.msg
	h.drop(j)
	h.mutex.Unlock()
	if msg != nil {
		_ = how(msg)
	}
}

// drop is called with mutex held.
func (h *hand) drop(j *job) {
	delete(h.own, j.own)
	delete(h.all, j.msg)
}

// keep tells the queue of all that is in the hand, so that no other worker gets it, until done is
// closed.
func (h *hand) keep(done <-chan struct{}) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		h.mutex.Lock()
		all := slices.Collect(maps.Keys(h.all))
		h.mutex.Unlock()
		for _, msg := range all {
			_ = msg.InProgress()
		}
	}
}

// await waits until the hand holds less than held.
func (h *hand) await(ctx context.Context) error {
	for {
		h.mutex.Lock()
		free := h.held < held
		h.mutex.Unlock()
		if free {
			raise(h.room) // for the others who wait
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.room:
		}
	}
}

// raise puts a signal where there is none yet.
func raise(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}
