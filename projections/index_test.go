package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

func TestFreshSeesWhatWasAppendedBefore(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	var writers sync.WaitGroup
	for range 4 {
		account := uuid.New()
		writers.Go(func() {
			for range 50 {
				e := first(account)
				sequence, err := log.Append(t.Context(), e, 0)
				if err == nil {
					err = v.Fresh(t.Context())
				}
				if err != nil {
					t.Error(err)
					return
				}
				head, found, err := v.Conversation(t.Context(), account, e.Message().ConversationID)
				if err != nil || !found || head.Sequence != sequence {
					t.Errorf("a conversation that was appended before is not read: %t, %v", found, err)
				}
				page, err := v.Conversations(t.Context(), account, 1, nil)
				if err != nil || len(page.Conversations) != 1 || page.Conversations[0].Sequence != sequence {
					t.Errorf("a conversation that was appended before is not listed first: %v", err)
				}
			}
		})
	}
	writers.Wait()
}

// Where the log knows the read index, a reader of current views asks nobody and leaves nothing
// behind.
func TestFreshOfCurrentViewsCostsNothing(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	if _, known := log.Known(); !known {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it needs TMPDIR on ext4\n", t.Name())
		return
	}
	v := openViews(t, log, dir)
	newHistory(t, log).append(first(uuid.New()))
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if allocations := testing.AllocsPerRun(1000, func() {
		if err := errors.Join(v.Fresh(ctx), v.recent()); err != nil {
			t.Error(err)
		}
	}); allocations >= 1 {
		t.Errorf("%v allocations", allocations)
	}
}

// A reader that comes while a question is under way is answered by the next one, together with all
// who come until then.
func TestReadersJoinTheNextQuestion(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	r := newReadIndex(log)
	r.mu.Lock()
	r.asking = true // a question is under way
	r.mu.Unlock()
	answers := make(chan uint64, 10)
	for range cap(answers) {
		go func() {
			index, err := r.ask(t.Context())
			if err != nil {
				t.Error(err)
			}
			answers <- index
		}()
	}
	eventually(t, "a next question is waited for", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.next != nil
	})
	r.mu.Lock()
	next := r.next
	r.mu.Unlock()
	e := newHistory(t, log).append(first(uuid.New()))
	select {
	case <-next.done:
		t.Fatal("the next question is answered before it is put")
	default:
	}
	r.run()
	for range cap(answers) {
		if index := <-answers; index < e.Sequence {
			t.Errorf("the index is %d, an event before the question is %d", index, e.Sequence)
		}
	}
}

func TestFreshFailsWhenTheFoldIsBehind(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	newHistory(t, log).append(first(uuid.New()))
	began := time.Now()
	if err := v.Fresh(t.Context()); !errors.Is(err, ErrBehind) {
		t.Errorf("Fresh says %v", err)
	}
	if waited := time.Since(began); waited < behindAfter || waited > behindAfter+patience {
		t.Errorf("it took %s", waited)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := v.Fresh(cancelled); !errors.Is(err, context.Canceled) || errors.Is(err, ErrBehind) {
		t.Errorf("Fresh of a caller who has left says %v", err)
	}
}

// A confirmed index counts from when it was asked for.
func TestConfirmedIndex(t *testing.T) {
	r := newReadIndex(nil)
	r.started = time.Now().Add(-time.Hour)
	if r.recent() == nil {
		t.Error("nothing is confirmed and it is recent")
	}
	r.confirm(time.Now().Add(-staleAfter))
	if err := r.recent(); !errors.Is(err, ErrBehind) {
		t.Errorf("an answer of a second ago is recent: %v", err)
	}
	r.confirm(time.Now())
	if err := r.recent(); err != nil {
		t.Error(err)
	}
	r.confirm(time.Now().Add(-time.Minute))
	if err := r.recent(); err != nil {
		t.Errorf("an older answer takes the place of a newer one: %v", err)
	}
}

// An index is confirmed only once the fold is past it, and then without a reader.
func TestTheTickerConfirmsWhatIsFolded(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openIdle(t, log, dir)
	e := newHistory(t, log).append(first(uuid.New()))
	ticking, stop := context.WithCancel(t.Context())
	defer stop()
	began := time.Now()
	v.tasks.Go(func() { v.tick(ticking) })
	eventually(t, "two questions were put", func() bool { return time.Since(began) > 2*askEvery })
	if err := v.recent(); !errors.Is(err, ErrBehind) {
		t.Errorf("the event is not folded: %v", err)
	}
	if err := v.fold([]events.Event{e}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the index is confirmed", func() bool { return v.index.recent() == nil })
}

func TestAuthenticateFailsClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	account, id := uuid.New(), uuid.New()
	old, oldText := hashOf("old")
	secret, text := hashOf("secret")
	for _, data := range []any{
		&events.AccountCreated{AccountID: account, TimeZone: "UTC", BodyVersion: 2},
		&events.KeyCreated{KeyID: id, Hash: oldText},
		&events.KeyRotated{KeyID: id, Hash: text},
	} {
		h.append(event(events.AccountSubject(account), data))
	}
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if key, owner, found, err := v.Authenticate(secret); err != nil || !found || key.ID != id || key.Revoked || owner.ID != account {
		t.Errorf("the key is %+v of %s, %t, %v", key, owner.ID, found, err)
	}
	if _, _, found, err := v.Authenticate(old); err != nil || found {
		t.Errorf("the secret before: %t, %v", found, err)
	}
	h.append(event(events.AccountSubject(account), &events.KeyRevoked{KeyID: id}))
	// What is accepted is judged by when it was asked: an answer may come late to this test.
	began := time.Now()
	var accepted time.Time
	eventually(t, "the revocation is known without a reader's question", func() bool {
		asked := time.Now()
		key, _, found, err := v.Authenticate(secret)
		if err == nil && !key.Revoked {
			accepted = asked
		}
		return err == nil && found && key.Revoked
	})
	if late := accepted.Sub(began); late >= staleAfter {
		t.Errorf("a key is accepted %s after its revocation", late)
	}
	// The ticker keeps the index young for longer than an answer would be.
	lasting := time.Now()
	eventually(t, "two seconds have passed", func() bool {
		if _, _, _, err := v.Authenticate(secret); err != nil {
			t.Fatalf("after %s: %v", time.Since(lasting), err)
		}
		return time.Since(lasting) > 2*staleAfter
	})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	began, accepted = time.Now(), time.Time{}
	eventually(t, "Authenticate fails", func() bool {
		asked := time.Now()
		_, _, found, err := v.Authenticate(secret)
		if err == nil {
			accepted = asked
		}
		return errors.Is(err, ErrBehind) && !found
	})
	if late := accepted.Sub(began); late >= staleAfter {
		t.Errorf("an answer is given %s after the log was closed", late)
	}
}
