package projections

import (
	"context"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// waiters are those who wait for a message to be answered, by its id.
type waiters struct {
	mu   sync.Mutex
	byID map[uuid.UUID][]chan Message
}

func newWaiters() *waiters { return &waiters{byID: map[uuid.UUID][]chan Message{}} }

// add registers a waiter; forget must follow.
func (w *waiters) add(id uuid.UUID) chan Message {
	answer := make(chan Message, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byID[id] = append(w.byID[id], answer)
	return answer
}

func (w *waiters) forget(id uuid.UUID, answer chan Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := slices.DeleteFunc(w.byID[id], func(other chan Message) bool { return other == answer })
	if len(left) == 0 {
		delete(w.byID, id)
		return
	}
	w.byID[id] = left
}

// wake hands an answered message to its waiters. A waiter takes one answer and no more.
func (w *waiters) wake(m Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, answer := range w.byID[m.MessageID] {
		select {
		case answer <- m:
		default:
		}
	}
}

// AwaitMessage waits until a message is completed or failed here, or ctx ends; it fails at once when the fold has stopped.
func (v *Views) AwaitMessage(ctx context.Context, account, conversation, message uuid.UUID) (Message, error) {
	// The waiter is registered before the view is read, so that no answer falls between the two.
	answer := v.waiters.add(message)
	defer v.waiters.forget(message, answer)
	m, found, err := v.Message(ctx, account, conversation, message)
	if err != nil {
		return Message{}, err
	}
	if found && m.Status != InProgress {
		return m, nil
	}
	select {
	case m := <-answer:
		return m, nil
	case <-v.stopped:
		return Message{}, v.failure()
	case <-ctx.Done():
		return Message{}, ctx.Err()
	}
}
