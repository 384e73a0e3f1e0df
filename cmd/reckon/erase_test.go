package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// withText are the files below a directory that have one of some texts.
func withText(dir string, texts ...string) (found []string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil // it was removed meanwhile
		}
		have, _ := os.ReadFile(path)
		for _, text := range texts {
			if bytes.Contains(have, []byte(text)) {
				found = append(found, path+" has "+text)
			}
		}
		return nil
	})
	return found
}

// confided is a conversation that has secrets: a word of its first prompt, which is in the title too, a value, and prompts that are
// stored apart, which are compressed, so that their subject is looked for.
type confided struct {
	id      uuid.UUID
	message string // the first one's id
	key     string // of the first one
	body    []byte // of the request under that key
	secrets []string
}

// confide has messages calculated with secrets.
func (w *world) confide(t *testing.T, url string, messages int) confided {
	t.Helper()
	word, value := "w"+uuid.NewString(), fmt.Sprint(1+rand.Int64N(8), ".", 1e15+rand.Int64N(1e15))
	c := confided{key: uuid.NewString(), secrets: []string{word, value}}
	for i := range messages {
		request := map[string]any{"domain_id": w.domain, "prompt": fmt.Sprintf("# %s\npower: %s W\nhours_per_day: %d h/d\ndays: 30 d\ncalculate: energy", word, value, 1+i%24)}
		headers := map[string]string{"Authorization": "Bearer " + w.secret}
		if i == 0 {
			headers["Idempotency-Key"] = c.key
		} else {
			request["conversation_id"] = c.id
		}
		if i%5 == 2 {
			request["prompt"] = request["prompt"].(string) + "\n# " + strings.Repeat(" x", events.LongPrompt)
		}
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		a, err := send(&caller, "POST", url+"/v1/calculate", headers, body)
		if err != nil || a.status != nethttp.StatusOK {
			t.Fatalf("%d %s (%v)", a.status, a.body, err)
		}
		var m struct {
			ConversationID uuid.UUID `json:"conversation_id"`
			MessageID      string    `json:"message_id"`
		}
		if err := json.Unmarshal(a.body, &m); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			c.id, c.message, c.body = m.ConversationID, m.MessageID, body
			c.secrets = append(c.secrets, "conversation."+c.id.String()+".prompt.")
		}
	}
	return c
}

// isUnseen checks that nobody sees a conversation, and that its key is not used anew.
func (w *world) isUnseen(t *testing.T, url string, c confided) {
	t.Helper()
	for _, path := range []string{"", "/messages/" + c.message, "/scenarios", "/scenarios/1"} {
		a, err := send(&caller, "GET", url+"/v1/conversations/"+c.id.String()+path, map[string]string{"Authorization": "Bearer " + w.secret}, nil)
		if err != nil || a.status != nethttp.StatusNotFound {
			t.Errorf("%s: %d %s (%v)", path, a.status, a.body, err)
		}
	}
	a, err := send(&caller, "POST", url+"/v1/calculate", map[string]string{"Authorization": "Bearer " + w.secret, "Idempotency-Key": c.key}, c.body)
	if err != nil || a.status != nethttp.StatusNotFound {
		t.Errorf("its key: %d %s (%v)", a.status, a.body, err)
	}
	a, err = send(&caller, "GET", url+"/v1/conversations?limit=100", map[string]string{"Authorization": "Bearer " + w.secret}, nil)
	if err != nil || a.status != nethttp.StatusOK || strings.Contains(string(a.body), c.id.String()) {
		t.Errorf("the list: %d %s (%v)", a.status, a.body, err)
	}
}

// eraseAt appends what erases a conversation to the log of a directory, and does not wait for what follows.
func eraseAt(t *testing.T, dir string, c confided) {
	t.Helper()
	withLog(t, dir, func(ctx context.Context, l *log.Log) {
		if _, again, err := (commands.Admin{Log: l}).EraseConversation(ctx, devAccount, c.id, ""); err != nil || again {
			t.Fatalf("erase: again %t, %v", again, err)
		}
	})
}

// forgetsWithin is how long it may take until nothing is left in the files of a node.
const forgetsWithin = time.Minute

// TestErasedConversationsAreForgotten erases conversations and kills the server at moments in the middle of that. When it is started
// again it finishes by itself: no file has anything of them, the others are whole, and nothing is damage or a difference.
func TestErasedConversationsAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	w.serve(t)
	kept := w.confide(t, w.url, 3)
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 5 {
		c := w.confide(t, w.url, 40)
		for _, secret := range c.secrets {
			if len(withText(w.data, secret)) == 0 {
				t.Fatalf("%s is nowhere, so that nothing is tested", secret)
			}
		}
		eraseAt(t, w.data, c)
		w.isUnseen(t, w.url, c)
		if round > 0 {
			time.Sleep(time.Duration(random.Int64N(int64(30 * time.Millisecond)))) // at some step of it
			w.kill()
			left := withText(w.data, c.secrets...)
			t.Logf("round %d: killed with %d places left", round, len(left))
			w.serve(t)
		}
		var left []string
		await(t, "nothing is left", forgetsWithin, func() bool { left = withText(w.data, c.secrets...); return len(left) == 0 })
		w.isUnseen(t, w.url, c)
	}
	for _, secret := range kept.secrets[:1] {
		if len(withText(w.data, secret)) == 0 {
			t.Error("another conversation is gone")
		}
	}
	w.does(t, 0, "projections", "verify", "--data", w.data)
	w.does(t, 0, "log", "verify", "--data", w.data)
	if said := w.does(t, 0, "replay", "--all", "--data", w.data); !strings.Contains(said, "3 ") {
		t.Error(said)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	w.does(t, 0, "backup", backup, "--data", w.data)
	restored := filepath.Join(t.TempDir(), "restored")
	w.does(t, 0, "restore", backup, "--data", restored)
	w.does(t, 0, "projections", "verify", "--data", restored)
	w.does(t, 0, "log", "verify", "--data", restored)
}
