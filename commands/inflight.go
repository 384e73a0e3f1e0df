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

// job is a command that this node's worker has.
type job struct {
	own      string        // the subject of a command of the node's own, else ""
	command  Calculate     // of the node's own
	msg      jetstream.Msg // as the queue delivered it; nil while it has not
	finished bool          // its final event is in the log
}

// inFlight are the commands that a node's worker has to work on.
//
// Where no other node works, a command comes to the worker as soon as it is in COMMANDS: one of the
// node's own. The queue has it too, for the worker that comes when this one is lost. When it
// delivers such a command, nothing more is done than to acknowledge it once it is finished.
type inFlight struct {
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

func newInFlight() *inFlight {
	return &inFlight{own: map[string]*job{}, all: map[jetstream.Msg]struct{}{}, room: make(chan struct{}, 1), idle: make(chan *job)}
}

// brought tells whether the queue brought a command to the worker.
func (j *job) brought() bool { return j.own == "" }

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
func (f *inFlight) expect(s events.Subject, c Calculate) *job {
	name := s.String()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if len(f.own) >= maxOwn {
		// Should the queue deliver them later, a look at the views tells that they are finished.
		maps.DeleteFunc(f.own, func(_ string, j *job) bool { return j.finished })
	}
	if f.running == nil || len(f.own) >= maxOwn || f.own[name] != nil {
		return nil
	}
	j := &job{own: name, command: c}
	f.own[name] = j
	return j
}

// start has the worker work on a command of the node's own that is published, nil for one that is
// not its own.
func (s *Service) start(j *job, sequence uint64) {
	if j == nil {
		return
	}
	s.inFlight.mutex.Lock()
	running := s.inFlight.running
	if running != nil {
		j.command.sequence = sequence
		s.dispatch(running, j)
	}
	s.inFlight.mutex.Unlock()
	if running == nil {
		s.inFlight.leave(j, jetstream.Msg.Nak)
	}
}

// dispatch has a goroutine work on a command, one that has nothing to do or a new one.
func (s *Service) dispatch(running context.Context, j *job) {
	select {
	case s.inFlight.idle <- j:
	default:
		s.inFlight.working.Go(func() { s.workOn(running, j) })
	}
}

// deliver takes in what the queue delivers, and returns what is to be worked on for it, nil where
// that is done elsewhere.
func (f *inFlight) deliver(msg jetstream.Msg) *job {
	f.mutex.Lock()
	j := f.own[msg.Subject()]
	finished := j != nil && j.finished
	switch {
	case j == nil:
		j = &job{msg: msg}
		f.all[msg] = struct{}{}
		f.held++
		f.mutex.Unlock()
		return j
	case finished:
		f.drop(j)
	case j.msg == nil:
		j.msg = msg
		f.all[msg] = struct{}{}
	}
	f.mutex.Unlock()
	if finished {
		_ = msg.Ack()
	}
	return nil
}

// release says that a command counts no longer against held.
func (f *inFlight) release(j *job) {
	if !j.brought() {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.held--; f.held < held {
		raise(f.room)
	}
}

// finish acknowledges a command whose final event is in the log, or has its delivery do so.
func (f *inFlight) finish(j *job) {
	f.mutex.Lock()
	j.finished = true
	j.command = Calculate{} // the queue may be long in delivering it
	msg := j.msg
	if msg != nil {
		f.drop(j)
	}
	f.mutex.Unlock()
	if msg != nil {
		_ = msg.Ack()
	}
}

// leave leaves a command to the queue, which is told how where it has delivered it; nil is none.
func (f *inFlight) leave(j *job, how func(jetstream.Msg) error) {
	if j == nil {
		return
	}
	f.mutex.Lock()
	msg := j.msg
	f.drop(j)
	f.mutex.Unlock()
	if msg != nil {
		_ = how(msg)
	}
}

// drop is called with mutex held.
func (f *inFlight) drop(j *job) {
	delete(f.own, j.own)
	delete(f.all, j.msg)
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
			raise(f.room) // for the others who wait
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.room:
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
