package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
)

func TestViewsOutliveARestart(t *testing.T) {
	s := openSome(t)
	s.close(t)
	idle := openIdle(t, s.log, s.dir)
	if idle.folded.Load() != s.h.next {
		t.Errorf("a restart folds from %d, not from %d", idle.folded.Load(), s.h.next)
	}
	if err := idle.Close(); err != nil {
		t.Fatal(err)
	}
	s.v = openViews(t, s.log, s.dir)
	s.unchanged(t, s.v, "after a restart")
}

// What views catch up with is read without results, which are not to be found in memory afterwards,
// also when an event follows that is not of a conversation.
func TestMessagesCaughtUpWithHaveTheirResults(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	h := newHistory(t, log)
	account := uuid.New()
	m := request(uuid.New(), "time")
	h.append(completed(account, m, "new", 0, 1))
	v := openViews(t, log, dir)
	owner := uuid.New()
	e := h.append(event(events.AccountSubject(owner), &events.AccountCreated{AccountID: owner, Name: "another", TimeZone: "UTC", BodyVersion: 2}))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := v.Folded(ctx, e.Sequence); err != nil {
		t.Fatal(err)
	}
	got, found, err := v.Message(ctx, account, m.ConversationID, m.MessageID)
	if err != nil || !found || len(got.Completed.Results.Variables) != 3 {
		t.Errorf("found %v with %+v: %v", found, got.Completed, err)
	}
}

// The process ends between the documents and the checkpoint, or between the two steps of documents,
// at any point.
func TestFoldingAgainChangesNothing(t *testing.T) {
	s := openSome(t)
	for _, sequence := range []uint64{0, 1, s.h.next / 3, s.h.next / 2, s.h.next - 1} {
		s.v.folding.Lock()
		s.v.checkpoint = checkpoint{Sequence: sequence, Buckets: s.v.serving.Load().names()}
		s.v.folding.Unlock()
		s.reopen(t)
		s.unchanged(t, s.v, fmt.Sprint("folded again after ", sequence))
	}
}

// Every batch is written in part and then again, the second time by a process that knows nothing of
// the first: the first step, or besides that one bucket of the second.
func TestFoldingAgainAfterHalfABatch(t *testing.T) {
	if testing.Short() {
		t.Skip("stopping after every event takes long")
	}
	t.Parallel()
	logDir := t.TempDir()
	log := openLog(t, logDir)
	h := newHistory(t, log)
	accounts := someHistory(h)
	whole := openViews(t, log, logDir)
	want := state(t, whole, accounts...)
	for _, row := range []struct {
		size  int
		model string // of which documents of the second step are written
	}{{1, ""}, {5, "conversations"}, {256, "accounts"}} {
		size := row.size
		dir := t.TempDir()
		v := openIdle(t, log, dir)
		var all []events.Event
		ctx, cancel := context.WithCancel(t.Context())
		err := log.Tail(ctx, 0, func(list []events.Event) error {
			all = append(all, list...)
			if all[len(all)-1].Sequence == h.next {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for len(all) > 0 {
			list := all[:min(size, len(all))]
			all = all[len(list):]
			g := v.serving.Load()
			for i, m := range g.models {
				staged, err := g.stage(t.Context(), i, list)
				if err != nil {
					t.Fatal(err)
				}
				writeAll(t, v, g.buckets[i], slices.DeleteFunc(staged, func(d document) bool { return !d.first && m.name != row.model }))
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			v = openIdle(t, log, dir)
			if err := v.fold(list); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		if got := state(t, openViews(t, log, dir), accounts...); got != want {
			t.Errorf("batches of %d, whole:\n%s\nhalved:\n%s", size, want, got)
		}
	}
}

// Views that have seen more than the log has tell of events that are lost. They say so until somebody removes them.
func TestViewsBeyondTheLogAreNotOpened(t *testing.T) {
	s := openSome(t)
	ghost := uuid.New()
	if err := s.v.fold([]events.Event{s.h.number(first(ghost)), s.h.number(event(events.AccountSubject(ghost), &events.AccountCreated{AccountID: ghost}))}); err != nil {
		t.Fatal(err)
	}
	s.close(t)
	for range 2 {
		if v, err := Open(t.Context(), s.log, s.dir, nil); !errors.Is(err, errBeyond) || !strings.Contains(err.Error(), filepath.Join(s.dir, "views")) {
			t.Fatalf("got views %v and error %v, want that they are beyond the log", v, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(s.dir, "views")); err != nil {
		t.Fatal(err)
	}
	s.v = openViews(t, s.log, s.dir)
	if _, found := s.v.Account(ghost); found {
		t.Error("an account that the log does not know is still there")
	}
	s.unchanged(t, s.v, "rebuilt")
}

// Marks of how a directory was left, and whether its views are kept.
func TestViewsOfACrashedMachineAreRebuilt(t *testing.T) {
	boot := bootID()
	for _, row := range []struct {
		name, mark string
		kept       bool
	}{
		{"closed", cleanMark, true},
		{"killed in this boot", boot, boot != ""},
		{"killed in another boot", "00000000-0000-0000-0000-000000000000", false},
		{"boot unknown", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := openSome(t)
			if mark, err := os.ReadFile(s.v.storage.markFile()); err != nil || string(mark) != boot {
				t.Errorf("the mark of open views is %q, %v", mark, err)
			}
			s.close(t)
			if mark, err := os.ReadFile(s.v.storage.markFile()); err != nil || string(mark) != cleanMark {
				t.Errorf("the mark of closed views is %q, %v", mark, err)
			}
			if err := s.v.storage.mark(row.mark); err != nil {
				t.Fatal(err)
			}
			idle := openIdle(t, s.log, s.dir)
			if kept := idle.folded.Load() == s.h.next; kept != row.kept {
				t.Errorf("folding starts after %d of %d", idle.folded.Load(), s.h.next)
			}
			if err := idle.Close(); err != nil {
				t.Fatal(err)
			}
			s.unchanged(t, openViews(t, s.log, s.dir), "opened again")
		})
	}
}

func TestViewsAreOpenOnce(t *testing.T) {
	dir := t.TempDir()
	log := openLog(t, dir)
	openViews(t, log, dir)
	if v, err := Open(t.Context(), log, dir, nil); err == nil {
		t.Error(errors.Join(errors.New("the views are open twice"), v.Close()))
	}
}
