package projections

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// forgetting is what a node has to forget. Erasures are events, and how far it has followed them
// stands in its data directory, so that what is interrupted is finished at the next start, and a
// node that was away does it when it is back.
type forgetting struct {
	wake chan struct{} // holds one when there is something

	mu     sync.Mutex
	late   map[entityKey]bool // erased conversations to which something has come since
	upTo   uint64             // everything is forgotten that was erased up to this event
	failed error              // why the last try failed, nil where it did not
	done   chan struct{}      // closed and replaced behind each try
}

func newForgetting() forgetting {
	return forgetting{wake: make(chan struct{}, 1), late: map[entityKey]bool{}, done: make(chan struct{})}
}

const (
	// forgetAgain is how long after a failure the rest is tried again.
	forgetAgain = time.Second
	// forgetLook is how often how far erasures are done is kept while there are none.
	forgetLook = 10 * time.Minute
)

// foldedErasures hides what the events erased that are being folded. It tells whether there is
// something to forget, which is to be signalled when they count as folded: what forgets looks no
// further than that. It is called with folding held.
func (v *Views) foldedErasures(c *conversations) bool {
	erased, late := c.takeErased()
	if !erased {
		return false
	}
	v.messages.cache.Clear()
	for _, key := range late {
		v.forgetLater(key)
	}
	return true
}

func (v *Views) forgetLater(key entityKey) {
	v.forgetting.mu.Lock()
	defer v.forgetting.mu.Unlock()
	v.forgetting.late[key] = true
}

// EraseAgain has what has come to an erased conversation since, such as a command, erased too, in
// the files of every node: an event says so, which outlives this process.
func (v *Views) EraseAgain(ctx context.Context, account, conversation uuid.UUID) error {
	left, err := v.log.Sequences(ctx, account, conversation)
	for err == nil {
		if err = v.nameErased(ctx, entityKey{account, conversation}, left); !errors.Is(err, log.ErrConflict) {
			break
		}
		err = ctx.Err()
	}
	return err
}

func (f *forgetting) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// tried says up to which event everything is forgotten that was erased, or why it is not.
func (f *forgetting) tried(sequence uint64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed = err; err == nil {
		f.upTo = sequence
	}
	close(f.done)
	f.done = make(chan struct{})
}

// Forgotten waits until everything that was erased up to an event is in no file of this node, for
// as long as that takes and is tried again. It fails with log.ErrUnerasable where it cannot be.
func (v *Views) Forgotten(ctx context.Context, sequence uint64) error {
	if err := v.Folded(ctx, sequence); err != nil {
		return err
	}
	f := &v.forgetting
	for {
		f.mu.Lock()
		upTo, failed, done := f.upTo, f.failed, f.done
		f.mu.Unlock()
		if upTo >= sequence {
			return nil
		}
		if errors.Is(failed, log.ErrUnerasable) {
			return failed
		}
		f.signal()
		select {
		case <-done:
		case <-v.stopped:
			return v.failure()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// forget forgets what is erased until ctx ends.
func (v *Views) forget(ctx context.Context) {
	told := ""
	look := time.NewTicker(forgetLook)
	defer look.Stop()
	for ctx.Err() == nil {
		err := v.CaughtUp(ctx)
		if err == nil {
			var through uint64
			through, err = v.forgetOnce(ctx)
			v.forgetting.tried(through, err)
		}
		var again <-chan time.Time
		switch {
		case err == nil:
			told = ""
		case ctx.Err() != nil || v.following() != nil:
			return
		default:
			what := "what was erased stays in the files for ever"
			if !errors.Is(err, log.ErrUnerasable) {
				what, again = "what was erased is not forgotten yet, and tried again", time.After(forgetAgain)
			}
			if told != err.Error() {
				told = err.Error()
				v.logger.Error(what, "error", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-v.forgetting.wake:
		case <-look.C:
		case <-again:
		}
	}
}

// forgetOnce forgets what was erased by the events that are folded: in the log, and then in the
// views, which are made anew of what is left. It returns up to which event that is done.
func (v *Views) forgetOnce(ctx context.Context) (through uint64, err error) {
	after, err := v.log.Forgotten()
	if err != nil {
		return 0, err
	}
	if through = v.folded.Load(); after > through { // of another log
		after = 0
	}
	list, behind, err := v.erasures(ctx, after, through)
	if err != nil {
		return 0, err
	}
	v.forgetting.mu.Lock()
	late := v.forgetting.late
	v.forgetting.late = map[entityKey]bool{}
	v.forgetting.mu.Unlock()
	maps.Copy(late, behind)
	err = v.forgetAll(ctx, list, late)
	if err != nil {
		for key := range late {
			v.forgetLater(key)
		}
		return 0, err
	}
	if through > after {
		err = v.log.SetForgotten(through)
	}
	return through, err
}

// erasures are those of the events behind a sequence and up to another one. late are conversations
// that were erased before an event of theirs among these: a process may have ended behind its
// checkpoint before it had forgotten that.
func (v *Views) erasures(ctx context.Context, after, through uint64) (list []log.Erasure, late map[entityKey]bool, err error) {
	late = map[entityKey]bool{}
	order := viewOf[*conversations](v.serving.Load()).recency
	looked := func(s events.Subject) bool {
		account := s.Account()
		return s == events.AccountSubject(account) || order.erasedBy(entityKey{account, s.Conversation()}) > 0
	}
	err = v.log.Skim(ctx, after, through, looked, func(_ uint64, some []events.Event) error {
		for _, e := range some {
			key := entityKey{e.Subject.Account(), e.Subject.Conversation()}
			if erased, is := e.Data.(*events.ConversationErased); is {
				list = append(list, erasureOf(key.account, erased))
			} else if by := order.erasedBy(key); by > 0 && by < e.Sequence {
				late[key] = true
			}
		}
		return nil
	})
	return list, late, err
}

func erasureOf(account uuid.UUID, e *events.ConversationErased) log.Erasure {
	of := log.Erasure{Account: account, Conversation: e.ConversationID}
	for _, r := range e.Events {
		of.Events = append(of.Events, log.Run(r))
	}
	return of
}

func (v *Views) forgetAll(ctx context.Context, list []log.Erasure, late map[entityKey]bool) error {
	for key := range late {
		list = append(list, log.Erasure{Account: key.account, Conversation: key.id})
	}
	if len(list) == 0 {
		return nil
	}
	// A verification compares what serves with what the log has.
	v.rebuilding.Lock()
	defer v.rebuilding.Unlock()
	if err := v.log.Erase(ctx, list); err != nil {
		return err
	}
	named := map[entityKey]bool{}
	for _, e := range list {
		key := entityKey{e.Account, e.Conversation}
		if named[key] {
			continue
		}
		named[key] = true
		if err := v.nameLate(ctx, key); err != nil {
			return err
		}
	}
	return v.rebuild(ctx, wordModels(), named, nil)
}

// nameLate has the events of an erased conversation that are still there erased by another event,
// which names them.
func (v *Views) nameLate(ctx context.Context, key entityKey) error {
	left, err := v.log.Sequences(ctx, key.account, key.id)
	if err != nil || len(left) == 0 {
		return err
	}
	return v.nameErased(ctx, key, left)
}

// nameErased appends another event that erases a conversation, with the events that are left of it.
// It fails with log.ErrConflict where another event of the account comes between.
func (v *Views) nameErased(ctx context.Context, key entityKey, left []uint64) error {
	data := &events.ConversationErased{ConversationID: key.id, Events: events.Runs(left)}
	data.Sign(events.Actor{How: events.ByService})
	subject := events.AccountSubject(key.account)
	newest, err := v.log.Newest(ctx, subject)
	if errors.Is(err, log.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	e := events.Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: subject, Data: data}
	_, err = v.log.Append(ctx, e, newest)
	return err
}

// wordModels are the names of the models whose documents have words of conversations.
func wordModels() (names []string) {
	for _, m := range models {
		if m.words {
			names = append(names, m.name)
		}
	}
	return names
}

// wasErased tells whether an event that could not be read was erased.
func (v *Views) wasErased(ctx context.Context, sequence uint64, failure error) bool {
	if !errors.Is(failure, log.ErrNotFound) {
		return false
	}
	erased, err := v.log.Erased(ctx, sequence)
	return err == nil && erased
}
