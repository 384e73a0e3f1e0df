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

// task is a command that this node's worker has.
type task struct {
	own      string        // the subject of a command of the node's own, else ""
	command  Calculate     // of the node's own
	msg      jetstream.Msg // as the queue delivered it; nil while it has not
	finished bool          // its final event is in the log
	queued   time.Time     // when COMMANDS took a command of the node's own
}

// inFlight are the commands that a node's worker has to work on.
//
// Where no other node works, a command comes to the worker as soon as it is in COMMANDS: one of the
// node's own. The queue has it too, for the worker that comes when this one is lost. When it
// delivers such a command, nothing more is done than to acknowledge it once it is finished.
type inFlight struct {
	mutex   sync.Mutex
	running context.Context            // ends when the worker is to stop; nil while commands of the node's own are left to the queue
	own     map[string]*task           // by subject, from before they are published until they are finished and delivered
	all     map[jetstream.Msg]struct{} // delivered and not acknowledged yet
	held    int                        // those that count against held
	notFull chan struct{}              // holds one when there are fewer again
	handOff chan *task                 // takes a command while a goroutine is idle
	idle    atomic.Int32               // goroutines that wait for their next command
	working sync.WaitGroup             // goroutines that work, or wait
}

// maxOwn is how many commands of the node's own are known at once. More are left to the queue.
const maxOwn = 1 << 14

func newInFlight() *inFlight {
	return &inFlight{own: map[string]*task{}, all: map[jetstream.Msg]struct{}{}, notFull: make(chan struct{}, 1), handOff: make(chan *task)}
}

// brought tells whether the queue brought a command to the worker.
func (t *task) brought() bool { return t.own == "" }

// open has commands of the node's own come to a worker, which is to stop when running ends.
func (f *inFlight) open(running context.Context) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.running = running
}

// close leaves them to the queue from now on.
func (f *inFlight) close() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.running = nil
}

// expect makes a command that is about to be published one of the node's own. It is nil where that
// is left to the queue.
func (f *inFlight) expect(s events.Subject, c Calculate) *task {
	name := s.String()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.own) >= maxOwn {
		// Should the queue deliver them later, a look at the views tells that they are finished.
		maps.DeleteFunc(f.own, func(_ string, t *task) bool { return t.finished })
	}
	if f.running == nil || len(f.own) >= maxOwn || f.own[name] != nil {
		return nil
	}
	t := &task{own: name, command: c}
	f.own[name] = t
	return t
}

// start has the worker work on a command of the node's own that is published, nil for one that is
// not its own.
func (s *Service) start(t *task, sequence uint64) {
	if t == nil {
		return
	}
	s.inFlight.mutex.Lock()
	running := s.inFlight.running
	if running != nil {
		t.command.sequence, t.queued = sequence, time.Now()
		s.dispatch(running, t)
	}
	s.inFlight.mutex.Unlock()
	if running == nil {
		s.inFlight.leave(t, jetstream.Msg.Nak)
	}
}

// dispatch has a goroutine work on a command, one that is idle or a new one.
func (s *Service) dispatch(running context.Context, t *task) {
	select {
	case s.inFlight.handOff <- t:
	default:
		s.inFlight.working.Go(func() { s.workOn(running, t) })
	}
}

// deliver takes in what the queue delivers, and returns what is to be worked on for it, nil where
// that is done elsewhere.
func (f *inFlight) deliver(msg jetstream.Msg) *task {
	f.mutex.Lock()
	t := f.own[msg.Subject()]
	finished := t != nil && t.finished
	switch {
	case t == nil:
		t = &task{msg: msg}
		f.all[msg] = struct{}{}
		f.held++
		f.mutex.Unlock()
		return t
	case finished:
		f.drop(t)
	case t.msg == nil:
		t.msg = msg
		f.all[msg] = struct{}{}
	}
	f.mutex.Unlock()
	if finished {
		_ = msg.Ack()
	}
	return nil
}

// release says that a command counts no longer against held.
func (f *inFlight) release(t *task) {
	if !t.brought() {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.held--; f.held < held {
		notify(f.notFull)
	}
}

// finish acknowledges a command whose final event is in the log, or has its delivery do so.
func (f *inFlight) finish(t *task) {
	f.mutex.Lock()
	t.finished = true
	t.command = Calculate{} // the queue may be long in delivering it
	msg := t.msg
	if msg != nil {
		f.drop(t)
	}
	f.mutex.Unlock()
	if msg != nil {
		_ = msg.Ack()
	}
}

// leave leaves a command to the queue, which is told how where it has delivered it; nil is none.
func (f *inFlight) leave(t *task, how func(jetstream.Msg) error) {
	if t == nil {
		return
	}
	f.mutex.Lock()
	msg := t.msg
	f.drop(t)
	f.mutex.Unlock()
	if msg != nil {
		_ = how(msg)
	}
}

// drop is called with mutex held.
func (f *inFlight) drop(t *task) {
	delete(f.own, t.own)
	delete(f.all, t.msg)
}

// keep tells the queue of all that is in flight, so that no other worker gets it, until done is
// closed.
func (f *inFlight) keep(done <-chan struct{}) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		f.mutex.Lock()
		all := slices.Collect(maps.Keys(f.all))
		f.mutex.Unlock()
		for _, msg := range all {
			_ = msg.InProgress()
		}
	}
}

// await waits until less than held are in flight.
func (f *inFlight) await(ctx context.Context) error {
	for {
		f.mutex.Lock()
		free := f.held < held
		f.mutex.Unlock()
		if free {
			notify(f.notFull) // for the others who wait
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.notFull:
		}
	}
}

// notify puts a signal where there is none yet.
func notify(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}
