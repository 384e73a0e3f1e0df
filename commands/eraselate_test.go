package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// withText are the files below folders that have a text.
func withText(folders []string, text string) (found []string) {
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil // it was removed meanwhile
			}
			if have, _ := os.ReadFile(path); bytes.Contains(have, []byte(text)) {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// Requests that were let in a moment before their conversation was erased, and whose prompts and
// commands reach the log behind that, leave nothing in a file of any of three nodes.
func TestErasedBeforeItsCommand(t *testing.T) {
	t.Parallel()
	var folders []string
	trio := logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*log.Log, error) {
		return log.Open(ctx, log.Options{
			Dir: n.Dir, Logger: slog.New(slog.DiscardHandler),
			Cluster: &log.Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
		})
	})
	trio.Start(t, 0, 1, 2)
	c := &cluster{log: trio.Logs[0]}
	c.settle(t)
	for i, l := range trio.Logs {
		folders = append(folders, trio.Nodes[i].Dir)
		views, err := projections.Open(t.Context(), l, trio.Nodes[i].Dir, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := views.Close(); err != nil {
				t.Error(err)
			}
		})
		s := New(l, views, slog.New(slog.DiscardHandler))
		c.nodes = append(c.nodes, s)
		run(t, s)
	}
	for _, l := range trio.Logs { // which store nothing apart before all three have said that they read it
		logtest.Until(t, "agree on prompts", func(ctx context.Context) error {
			if !l.TakesApart(ctx) {
				return errors.New("not yet")
			}
			return nil
		})
	}
	answer, err := c.nodes[0].Calculate(t.Context(), c.request(drive))
	if err != nil {
		t.Fatal(err)
	}
	m := answer.Message
	sequence, _, err := Admin{Log: c.log, Views: c.nodes[0].views}.EraseConversation(t.Context(), "acme", m.ConversationID, "")
	for _, s := range c.nodes {
		if err == nil {
			err = s.views.Forgotten(t.Context(), sequence)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	subject := events.ConversationSubject(c.account.ID, m.ConversationID).String() + ".prompt."
	for _, long := range []bool{false, true} {
		for _, s := range c.nodes {
			late := c.command(drive+"\n# walnut-"+m.ConversationID.String(), time.Now())
			if long {
				late.Prompt += strings.Repeat("\n# aside", events.LongPrompt)
			}
			key := uuid.NewString()
			late.ConversationID, late.MessageID, late.IdempotencyKey = m.ConversationID, uuid.New(), &key
			if err := s.storeApart(t.Context(), &late); err != nil || late.Apart != long {
				t.Fatalf("stored apart: %t, %v", late.Apart, err)
			}
			if _, err := s.log.Enqueue(t.Context(), events.KeyedSubject(late.AccountID, key), encodeCalculate(late), true); err != nil && !errors.Is(err, log.ErrUnknown) {
				t.Fatal(err)
			}
		}
		logtest.Until(t, "forget what came behind the erasure", func(context.Context) error {
			if left := append(withText(folders, "walnut-"), withText(folders, subject)...); len(left) > 0 {
				return fmt.Errorf("long: %t: left in %v", long, left)
			}
			return nil
		})
	}
}

// A prompt that is stored apart whose command never came is one of no conversation that anybody
// knows. It goes with its account.
func TestPromptWithoutCommandIsErasedWithItsAccount(t *testing.T) {
	t.Parallel()
	c := startNodes(t, 1)
	s := c.nodes[0]
	lost := c.command(drive+strings.Repeat("\n# aside", events.LongPrompt), time.Now())
	lost.ConversationID, lost.MessageID = uuid.New(), uuid.New()
	if err := s.storeApart(t.Context(), &lost); err != nil || !lost.Apart {
		t.Fatalf("stored apart: %t, %v", lost.Apart, err)
	}
	erased, err := Admin{Log: c.log, Views: s.views}.EraseAccount(t.Context(), "acme", "")
	if err == nil {
		err = s.views.Forgotten(t.Context(), erased.Erased)
	}
	if err != nil || erased.Conversations != 1 {
		t.Fatalf("%d conversations are erased (%v)", erased.Conversations, err)
	}
	if left, err := c.log.Sequences(t.Context(), lost.AccountID, lost.ConversationID); err != nil || len(left) > 0 {
		t.Errorf("events %v are left (%v)", left, err)
	}
}
