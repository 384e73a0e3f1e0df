package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	nethttp "net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// steps are the places on the way of a request where a kill can fall. Readers see what is folded before it is in the buckets.
var steps = []string{
	"before the command is stored",
	"between command and event",
	"between event and answer",
	"between event and the command's acknowledgement",
	"between answer and projection",
	"between a prompt that is stored apart and its command",
}

// TestKillAtEveryStep kills the server at random moments under load until the stores that it left have shown a request at
// every step at least once. After each kill it goes on with the same directory; in the end the history must be a good one.
func TestKillAtEveryStep(t *testing.T) {
	t.Parallel()
	least, most := 6, 60
	if soaking {
		least, most = 100, 1000
	}
	const seed = 6
	random := rand.New(rand.NewPCG(seed, seed))
	w := newWorld(t, filepath.Join(t.TempDir(), "data"))
	covered := map[string]int{}
	rounds := 0
	for ; rounds < least || rounds < most && len(covered) < len(steps); rounds++ {
		w.long = covered[steps[5]] == 0 // there is little time between a prompt and its command: all of them try
		w.serve(t)
		name := fmt.Sprintf("round%d", rounds)
		w.loadUntil(t, 16, name, 1+random.IntN(60), func(func()) { w.kill() })
		for _, step := range w.lastSteps(t, name+"-") {
			covered[step]++
		}
	}
	for _, step := range steps {
		if covered[step] == 0 {
			t.Errorf("in %d rounds no kill fell %s", rounds, step)
		}
	}
	w.serve(t)
	before := w.acknowledged()
	w.settle(t)
	w.finishes(t)
	w.askAsStranger(t)
	w.verify(t)
	t.Logf("%d kills (seed %d), %d answers before them, found a request at each step in so many rounds: %v", rounds, seed, before, covered)
}

// lastSteps says where the requests of the last round, whose keys have a prefix, were when the server was killed.
func (w *world) lastSteps(t *testing.T, prefix string) (found []string) {
	t.Helper()
	all := readEvents(t, w.data)
	final := finalEvents(all)
	stored, messages, pending := w.commands(t)
	projected := w.projected(t)
	at := map[string]bool{}
	for _, e := range all {
		if p, ok := e.Data.(*events.PromptStored); ok {
			at[steps[5]] = at[steps[5]] || !messages[p.MessageID]
		}
	}
	for key := range stored {
		at[steps[1]] = at[steps[1]] || final[key] == 0
		// Those without a key are not in the queue, unless a worker was lost with them.
		at[steps[3]] = at[steps[3]] || strings.HasPrefix(key, prefix) && final[key] != 0 && stored[key] > pending
	}
	for _, p := range w.history.posts {
		switch {
		case !strings.HasPrefix(p.key, prefix):
		case p.acknowledged:
			at[steps[4]] = at[steps[4]] || final[p.key] > projected
		default:
			at[steps[0]] = at[steps[0]] || stored[p.key] == 0
			at[steps[2]] = at[steps[2]] || final[p.key] != 0
		}
	}
	for _, step := range steps {
		if at[step] {
			found = append(found, step)
		}
	}
	return found
}

// nameOf names a request by its key, or by its message id where it has none.
func nameOf(key *string, message uuid.UUID) string {
	if key != nil {
		return *key
	}
	return message.String()
}

// finalEvents are the sequences of messages' events by the names of their requests.
func finalEvents(list []events.Event) map[string]uint64 {
	final := map[string]uint64{}
	for _, e := range list {
		if m := e.Message(); m != nil {
			final[nameOf(m.IdempotencyKey, m.MessageID)] = e.Sequence
		}
	}
	return final
}

// commands lists the sequences of the stored commands by the names of their requests, which messages they are for, and up to which
// all are acknowledged.
func (w *world) commands(t *testing.T) (stored map[string]uint64, messages map[uuid.UUID]bool, acknowledged uint64) {
	t.Helper()
	stored, messages = map[string]uint64{}, map[uuid.UUID]bool{}
	withLog(t, w.data, func(ctx context.Context, log *log.Log) {
		js := log.JetStream()
		stream, err := js.Stream(ctx, "COMMANDS")
		if err != nil {
			t.Fatal(err)
		}
		workers, err := js.Consumer(ctx, "COMMANDS", "workers")
		if err != nil {
			t.Fatal(err)
		}
		acknowledged = workers.CachedInfo().AckFloor.Stream
		state := stream.CachedInfo().State
		for sequence := max(state.FirstSeq, 1); sequence <= state.LastSeq; sequence++ {
			m, err := stream.GetMsg(ctx, sequence)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			var c commands.Calculate
			if err := json.Unmarshal(m.Data, &c); err != nil {
				t.Fatal(err)
			}
			stored[nameOf(c.IdempotencyKey, c.MessageID)], messages[c.MessageID] = sequence, true
		}
	})
	return stored, messages, acknowledged
}

// projected is the newest event that a server which was killed had brought into its views.
func (w *world) projected(t *testing.T) (newest uint64) {
	t.Helper()
	s, err := log.RunServer(t.Context(), &server.Options{ServerName: "views", DontListen: true, StoreDir: filepath.Join(w.data, "views")}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.KeyValueStoreNames(t.Context()).Name() {
		if !strings.HasPrefix(name, "conversations_") {
			continue
		}
		bucket, err := js.KeyValue(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		all, err := bucket.WatchAll(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer all.Stop()
		for entry := range all.Updates() {
			if entry == nil { // the end of what is there
				break
			}
			var document struct {
				Sequence uint64 `json:"sequence"`
			}
			if err := json.Unmarshal(entry.Value(), &document); err != nil {
				t.Fatal(err)
			}
			newest = max(newest, document.Sequence)
		}
	}
	return newest
}

// askAsStranger reads a conversation with another account's key. What it is shown is kept as a read of that account.
func (w *world) askAsStranger(t *testing.T) {
	t.Helper()
	administer := func(args ...string) string {
		program, err := exec.LookPath("reckon")
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(program, append(args, "--data", w.data)...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1]
	}
	administer("account", "create", "stranger")
	secret := administer("key", "create", "--account", "stranger")
	conversation := w.history.reads[0].conversation
	status := nethttp.StatusUnauthorized
	for status == nethttp.StatusUnauthorized || status == nethttp.StatusServiceUnavailable { // until the key has arrived
		var err error
		if status, err = w.read("stranger", secret, conversation); err != nil {
			t.Fatal(err)
		}
	}
	if status != nethttp.StatusNotFound {
		t.Errorf("a stranger was answered %d", status)
	}
}
