package projections

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// waiters are those who wait for a message, by its id.
type waiters struct {
	mu   sync.Mutex
	byID map[uuid.UUID][]waiter
}

// waiter is one who waits for a message to be there, or to be answered.
type waiter struct {
	message  chan Message
	answered bool
}

// serves tells whether a message is what is waited for.
func (w waiter) serves(m Message) bool { return !w.answered || m.Status != InProgress }

func newWaiters() *waiters { return &waiters{byID: map[uuid.UUID][]waiter{}} }

// add registers a waiter; forget must follow.
func (w *waiters) add(id uuid.UUID, answered bool) waiter {
	one := waiter{make(chan Message, 1), answered}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byID[id] = append(w.byID[id], one)
	return one
}

func (w *waiters) forget(id uuid.UUID, one waiter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := slices.DeleteFunc(w.byID[id], func(other waiter) bool { return other == one })
	if len(left) == 0 {
		delete(w.byID, id)
		return
	}
	w.byID[id] = left
}

// wake hands a message to its waiters. A waiter takes one and no more.
func (w *waiters) wake(m Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.byID[m.MessageID] {
		if !one.serves(m) {
			continue
		}
		select {
		case one.message <- m:
		default:
		}
	}
}

// AwaitMessage waits until a message is there, in progress or answered, or ctx ends; it fails at
// once when the fold has stopped.
func (v *Views) AwaitMessage(ctx context.Context, account, conversation, message uuid.UUID) (Message, error) {
	return v.await(ctx, account, conversation, message, false)
}

// AwaitAnswer waits until a message is completed or failed here, or ctx ends; it fails at once when
// the fold has stopped.
func (v *Views) AwaitAnswer(ctx context.Context, account, conversation, message uuid.UUID) (Message, error) {
	return v.await(ctx, account, conversation, message, true)
}

func (v *Views) await(ctx context.Context, account, conversation, message uuid.UUID, answered bool) (Message, error) {
	// The waiter is registered before the view is read, so that nothing falls between the two.
	one := v.waiters.add(message, answered)
	defer v.waiters.forget(message, one)
	m, found, err := v.Message(ctx, account, conversation, message)
	if err != nil {
		return Message{}, err
	}
	if found && one.serves(m) {
		return m, nil
	}
	select {
	case m := <-one.message:
		return m, nil
	case <-v.stopped:
		return Message{}, v.failure()
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}
