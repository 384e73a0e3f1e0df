package projections

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
)

func TestAwaitAnswer(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	h := newHistory(t, log)
	account := uuid.New()
	patient, cancelPatient := context.WithTimeout(t.Context(), patience)
	defer cancelPatient()
	var waiting sync.WaitGroup
	for i := range 60 {
		e := first(account)
		if i%2 == 1 {
			e = failed(account, request(uuid.New(), "calculate: time"), "")
		}
		m := e.Message()
		for range 3 {
			waiting.Go(func() {
				answer, err := v.AwaitAnswer(patient, account, m.ConversationID, m.MessageID)
				if err != nil || answer.MessageID != m.MessageID || answer.Status == InProgress || answer.Number != 1 {
					t.Errorf("the answer is %s %s number %d, %v", answer.MessageID, answer.Status, answer.Number, err)
				}
				// What is answered is readable.
				if _, found, err := v.Message(t.Context(), account, m.ConversationID, m.MessageID); err != nil || !found {
					t.Errorf("the answered message is found %t, %v", found, err)
				}
			})
		}
		h.append(e)
		if i%10 == 9 {
			waiting.Wait()
			if answer, err := v.AwaitAnswer(patient, account, m.ConversationID, m.MessageID); err != nil || answer.MessageID != m.MessageID {
				t.Errorf("a message that is long answered: %v", err)
			}
		}
	}
	waiting.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.AwaitAnswer(ctx, account, uuid.New(), uuid.New()); !errors.Is(err, context.Canceled) {
		t.Errorf("a waiter who has left: %v", err)
	}
	if len(v.waiters.byID) != 0 {
		t.Errorf("%d messages are still waited for", len(v.waiters.byID))
	}
}

// Of those who wait for one message in prose, some are content when it is in progress.
func TestAwaitMessage(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	h := newHistory(t, log)
	account, m := uuid.New(), request(uuid.New(), "how long for 150 miles?")
	patient, cancelPatient := context.WithTimeout(t.Context(), patience)
	defer cancelPatient()
	there, answered := make(chan Message, 3), make(chan Message, 3)
	var waiting sync.WaitGroup
	for range 3 {
		waiting.Go(func() {
			got, err := v.AwaitMessage(patient, account, m.ConversationID, m.MessageID)
			if err != nil {
				t.Error(err)
			}
			there <- got
		})
		waiting.Go(func() {
			got, err := v.AwaitAnswer(patient, account, m.ConversationID, m.MessageID)
			if err != nil {
				t.Error(err)
			}
			answered <- got
		})
	}
	h.append(started(account, m))
	for range cap(there) {
		if got := <-there; got.Status != InProgress || got.Number != 1 {
			t.Errorf("the message is %s, number %d", got.Status, got.Number)
		}
	}
	h.append(interpreted(account, m))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(answered) > 0 {
		t.Error("a message in progress is taken for an answer")
	}
	if got, err := v.AwaitMessage(patient, account, m.ConversationID, m.MessageID); err != nil || got.Interpreted == nil {
		t.Errorf("the message in progress is %+v, %v", got, err)
	}
	h.append(completed(account, m, "new", 0, 1))
	for range cap(answered) {
		if got := <-answered; got.Status != Completed || got.Number != 1 {
			t.Errorf("the answer is %s, number %d", got.Status, got.Number)
		}
	}
	waiting.Wait()
}

func TestWaitersEndWithTheViews(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	failures := make(chan error, 2)
	go func() {
		_, err := v.AwaitMessage(t.Context(), uuid.New(), uuid.New(), uuid.New())
		failures <- err
	}()
	go func() { failures <- v.Folded(t.Context(), 1000) }()
	eventually(t, "the waiter is registered", func() bool {
		v.waiters.mu.Lock()
		defer v.waiters.mu.Unlock()
		return len(v.waiters.byID) == 1
	})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for range cap(failures) {
		if err := <-failures; err == nil {
			t.Error("a waiter ends without an error")
		}
	}
}
