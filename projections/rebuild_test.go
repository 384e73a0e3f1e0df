package projections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
)

// buckets are the names of all that there is on a shelf.
func buckets(t *testing.T, v *Views) []string {
	t.Helper()
	names, err := v.store.bucketNames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// verified fails when the buckets are not what the history makes.
func verified(t *testing.T, v *Views) Verification {
	t.Helper()
	result, err := v.Verify(t.Context(), nil, func(d Difference) { t.Errorf("%+v", d) })
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Each model is rebuilt alone and all together, on views that go on and once more after a restart.
func TestRebuildMakesTheSame(t *testing.T) {
	s := openSome(t)
	for _, names := range [][]string{nil, {"accounts"}, {"domains"}, {"conversations"}, {"conversations", "accounts"}} {
		was := s.v.serving.Load().names()
		var last Progress
		if err := s.v.Rebuild(t.Context(), names, func(p Progress) { last = p }); err != nil {
			t.Fatal(err)
		}
		if last.Events != s.h.next || last.Total != s.h.next || last.Left != 0 {
			t.Errorf("%v: the last progress is %+v of %d events", names, last, s.h.next)
		}
		now := s.v.serving.Load().names()
		for i, m := range models {
			if renewed := now[i] != was[i]; renewed != (names == nil || slices.Contains(names, m.name)) {
				t.Errorf("%v: %s was %s and is %s", names, m.name, was[i], now[i])
			}
		}
		slices.Sort(now)
		if all := buckets(t, s.v); !slices.Equal(all, now) {
			t.Errorf("%v: there are %v, of which %v serve", names, all, now)
		}
		s.unchanged(t, s.v, fmt.Sprint("after a rebuild of ", names))
		verified(t, s.v)
	}
	if err := s.v.Rebuild(t.Context(), []string{"nothing"}, nil); err == nil || !strings.Contains(err.Error(), "conversations") {
		t.Errorf("rebuilding what does not exist: %v", err)
	}
	now := s.v.serving.Load().names()
	s.reopen(t)
	if again := s.v.serving.Load().names(); !slices.Equal(again, now) {
		t.Errorf("after a restart %v serve, not %v", again, now)
	}
	s.unchanged(t, s.v, "after a restart")
	verified(t, s.v)
}

// Callers write and read what they wrote while generations come and go. None is told an older
// state, and none fails.
func TestRebuildWhileServing(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	newHistoryOf(t, log, 300)
	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	asked := make(chan struct{}, 1)
	for range 4 {
		callers.Go(func() {
			account := uuid.New()
			h := newHistory(t, log)
			e := first(account)
			sequence, err := log.Append(t.Context(), e, 0)
			if err != nil {
				t.Error(err)
				return
			}
			h.last[e.Subject.String()] = sequence
			for n := 1; ctx.Err() == nil; n++ {
				if err := v.Fresh(t.Context()); err != nil {
					t.Error(err)
					return
				}
				key := e.Message().ConversationID
				head, _, err := v.Conversation(t.Context(), account, key)
				list, listErr := v.Messages(t.Context(), account, key, 1, n)
				page, pageErr := v.Conversations(t.Context(), account, 1, nil)
				if err := errors.Join(err, listErr, pageErr); err != nil || head.Messages != n || len(list) != n ||
					len(page.Conversations) != 1 || page.Conversations[0].Messages != n {
					t.Errorf("of %d messages the head counts %d, the list %d and the page %+v: %v", n, head.Messages, len(list), page, err)
					return
				}
				select {
				case asked <- struct{}{}:
				default:
				}
				h.append(after(e, 1))
			}
		})
	}
	for range 6 {
		<-asked
		if err := v.Rebuild(t.Context(), nil, nil); err != nil {
			t.Error(err)
			break
		}
		verified(t, v)
	}
	stop()
	callers.Wait()
	verified(t, v)
}

// headOf is the document of a conversation.
func headOf(t *testing.T, v *Views, key entityKey) head {
	t.Helper()
	h, found, err := viewOf[*conversations](v.serving.Load()).head(t.Context(), key)
	if err != nil || !found {
		t.Fatalf("the head of %s: %t, %v", key.id, found, err)
	}
	return h
}

// newHistoryOf appends a generated history.
func newHistoryOf(t *testing.T, log *log.Log, count int) {
	t.Helper()
	h := newHistory(t, log)
	for e := range generated(count) {
		h.append(e)
	}
}

// raised are the models with one of a newer version.
func raised(name string, readable bool) []model {
	list := slices.Clone(models)
	i := slices.IndexFunc(list, func(m model) bool { return m.name == name })
	list[i].version++
	if readable {
		return list
	}
	list[i].readable = list[i].version
	return list
}

// A document as an older Apply function wrote it is served until the new generation has caught up,
// and new events are taken in meanwhile.
func TestARaisedVersionRebuildsBesideTheOldOne(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	e := h.append(first(uuid.New()))
	account, conversation := e.Subject.Account(), e.Message().ConversationID
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown, _, err := v.Conversation(t.Context(), account, conversation)
	if err != nil {
		t.Fatal(err)
	}
	right := *shown.Title
	wrong := "as it was"
	older := headOf(t, v, entityKey{account, conversation})
	older.Title = &wrong
	plant(t, v, bucketOf(v, "conversations"), entityKey{account, conversation}.String(), older)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}

	next := newViews(log, nil)
	next.models = raised("conversations", true)
	building, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	next.told = func(Progress) { once.Do(func() { close(building); <-release }) }
	if err := next.run(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	<-building
	title := func() string {
		t.Helper()
		if err := next.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		head, _, err := next.Conversation(t.Context(), account, conversation)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(*head.Title, " ", head.Messages)
	}
	h.append(after(e, 1))
	if got := title(); got != wrong+" 2" {
		t.Errorf("while it is rebuilt the conversation is %q", got)
	}
	if err := next.Ready(); err != nil {
		t.Errorf("while it is rebuilt: %v", err)
	}
	close(release)
	eventually(t, "the new generation serves", func() bool { return title() == right+" 2" })
	eventually(t, "the old buckets are gone", func() bool { return len(buckets(t, next)) == len(models) })
	if name := bucketOf(next, "conversations").name; !strings.HasPrefix(name, fmt.Sprintf("conversations_%d_", conversationsModel.version+1)) {
		t.Errorf("%s serves", name)
	}
	verified(t, next)
}

func TestAnUnreadableVersionIsBuiltAnew(t *testing.T) {
	s := openSome(t)
	s.close(t)
	for _, list := range [][]model{raised("conversations", false), models} { // up and down again
		next := newViews(s.log, nil)
		next.models = list
		if err := next.run(t.Context(), s.dir); err != nil {
			t.Fatal(err)
		}
		if err := next.CaughtUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.unchanged(t, next, "built anew")
		if all := buckets(t, next); len(all) != len(models) {
			t.Errorf("there are %v", all)
		}
		verified(t, next)
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A read model that the checkpoint does not name folds the history, and the others go on from where
// they are.
func TestANewModelIsBuiltAlone(t *testing.T) {
	s := openSome(t)
	for i, m := range models {
		was := s.v.serving.Load().names()
		s.v.saving.Lock()
		s.v.folding.Lock()
		s.v.checkpoint.Buckets = slices.Delete(slices.Clone(was), i, i+1)
		s.v.saved = 0 // so that the checkpoint is written
		s.v.folding.Unlock()
		s.v.saving.Unlock()
		s.reopen(t)
		if err := s.v.CaughtUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := s.v.serving.Load().names()
		for j, name := range now {
			if renewed := name != was[j]; renewed != (j == i) {
				t.Errorf("without %s: %s was %s and is %s", m.name, models[j].name, was[j], name)
			}
		}
		s.unchanged(t, s.v, "with "+m.name+" built alone")
		verified(t, s.v)
		slices.Sort(now)
		if all := buckets(t, s.v); !slices.Equal(all, now) {
			t.Errorf("there are %v, of which %v serve", all, now)
		}
		s.reopen(t)
		if again := s.v.serving.Load().names(); s.v.missing != nil || len(again) != len(now) {
			t.Errorf("after a restart %v serve, and %v are missing", again, s.v.missing)
		}
		s.unchanged(t, s.v, "after a restart")
	}
}

// What an interrupted rebuild left is gone after a restart.
func TestAnInterruptedRebuildLeavesNothing(t *testing.T) {
	s := openSome(t)
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.v.Rebuild(ctx, nil, func(Progress) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted rebuild says %v", err)
	}
	if all := buckets(t, s.v); len(all) != len(models) {
		t.Errorf("there are %v", all)
	}
	if _, err := s.v.newGeneration(t.Context(), nil); err != nil { // as of a process that was killed
		t.Fatal(err)
	}
	s.reopen(t)
	if all := buckets(t, s.v); len(all) != len(models) {
		t.Errorf("after a restart there are %v", all)
	}
	s.unchanged(t, s.v, "after a restart")
}

// A rebuild that is interrupted while it takes the place of what served ends as if it was not: the
// checkpoint never names buckets that are deleted.
func TestARebuildInterruptedAtItsEnd(t *testing.T) {
	s := openSome(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next, err := s.v.newGeneration(ctx, Names())
	if err != nil {
		t.Fatal(err)
	}
	err = s.v.catchUpAndHold(ctx, func(list []events.Event) error {
		return next.fold(ctx, list)
	}, func(uint64) {}, next.flush, func(uint64) error {
		cancel()
		return s.v.replace(s.v.serving.Load(), next)
	})
	if err != nil || s.v.serving.Load() != next {
		t.Errorf("the rebuild ends with %v", err)
	}
	s.reopen(t)
	s.unchanged(t, s.v, "after a restart")
}

// A log that has more events than the views have folded, but not the same ones.
func TestAnotherLogIsNoticed(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, t.TempDir())
	h := newHistory(t, log)
	v := openViews(t, log, dir)
	someHistory(h)
	if err := v.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	otherDir := t.TempDir()
	other := openLog(t, otherDir)
	oh := newHistory(t, other)
	accounts := someHistory(oh)
	for oh.next < h.next+3 {
		oh.append(first(accounts[0]))
	}
	v = openViews(t, other, dir)
	want := state(t, openViews(t, other, otherDir), accounts...)
	if got := state(t, v, accounts...); got != want {
		t.Errorf("the views of another log are\n%s\nwant\n%s", got, want)
	}
	verified(t, v)
}

// A server's views are rebuilt and verified through its log.
func TestRemote(t *testing.T) {
	s := openSome(t)
	joined, err := log.Join(t.Context(), log.Options{Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer joined.Close()
	remote := RemoteOf(joined)
	was := s.v.serving.Load()
	var last Progress
	if err := remote.Rebuild(t.Context(), nil, func(p Progress) { last = p }); err != nil || last.Events != s.h.next {
		t.Errorf("rebuilt to %+v of %d: %v", last, s.h.next, err)
	}
	if s.v.serving.Load() == was {
		t.Error("the same generation serves")
	}
	plant(t, s.v, bucketOf(s.v, "conversations"), "nobody", scenario{Message: 1})
	var found []string
	result, err := remote.Verify(t.Context(), nil, func(d Difference) { found = append(found, d.Key) })
	if err != nil || result.Differences != 1 || result.Sequence != s.h.next || !slices.Equal(found, []string{"nobody"}) {
		t.Errorf("verified %+v, found %v: %v", result, found, err)
	}
	if err := remote.Rebuild(t.Context(), []string{"nothing"}, nil); err == nil || !strings.Contains(err.Error(), `no projection "nothing"`) {
		t.Errorf("rebuilding what does not exist: %v", err)
	}
}

// Whoever asks for a rebuild hears of it also while another one goes before it.
func TestAWaitingOrderIsHeardOf(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	v := openViews(t, log, dir)
	conn := log.JetStream().Conn()
	answers, err := conn.SubscribeSync(conn.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	v.rebuilding.Lock()
	if err := conn.PublishRequest(controlSubject(log), answers.Subject, []byte(`{"action":"rebuild"}`)); err != nil {
		t.Fatal(err)
	}
	ping, err := answers.NextMsgWithContext(t.Context())
	v.rebuilding.Unlock()
	if err != nil || ping.Reply == "" {
		t.Fatalf("while it waits %+v comes: %v", ping, err)
	}
	for {
		m, err := answers.NextMsgWithContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var p controlReply
		if err := json.Unmarshal(m.Data, &p); err != nil {
			t.Fatal(err)
		}
		if p.Done {
			if p.Error != "" {
				t.Error(p.Error)
			}
			return
		}
	}
}
