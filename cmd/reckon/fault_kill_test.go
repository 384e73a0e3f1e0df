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

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events"
)

// steps are the places between a request and its answer where a kill can fall.
var steps = []string{
	"before the command is stored",
	"between command and event",
	"between event and projection",
	"between event and the command's acknowledgement",
	"between projection and answer",
}

// TestKillAtEveryStep kills the server at random moments under load until the stores that it left have shown a request at
// every step at least once. After each kill it goes on with the same directory; in the end the history must be a good one.
func TestKillAtEveryStep(t *testing.T) {
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
	w.askAsStranger(t)
	w.verify(t)
	t.Logf("%d kills (seed %d), %d answers before them, found a request at each step in so many rounds: %v", rounds, seed, before, covered)
}

// lastSteps says where the requests of the last round, whose keys have a prefix, were when the server was killed.
func (w *world) lastSteps(t *testing.T, prefix string) (found []string) {
	t.Helper()
	final, newest := map[string]uint64{}, uint64(0) // sequence of the final event by key
	for _, e := range readEvents(t, w.data) {
		newest = e.Sequence
		if m := e.Message(); m != nil && m.IdempotencyKey != nil {
			final[*m.IdempotencyKey] = e.Sequence
		}
	}
	stored, pending := w.commands(t)
	folded := w.projected(t)
	at := map[string]bool{steps[2]: folded < newest, steps[3]: false}
	for key := range stored {
		at[steps[1]] = at[steps[1]] || final[key] == 0
		at[steps[3]] = at[steps[3]] || final[key] != 0 && stored[key] > pending
	}
	for _, p := range w.history.posts {
		if strings.HasPrefix(p.key, prefix) && !p.acknowledged {
			at[steps[0]] = at[steps[0]] || stored[p.key] == 0
			at[steps[4]] = at[steps[4]] || final[p.key] != 0 && final[p.key] <= folded
		}
	}
	for _, step := range steps {
		if at[step] {
			found = append(found, step)
		}
	}
	return found
}

// commands lists the sequences of the stored commands by key, and up to which all are acknowledged.
func (w *world) commands(t *testing.T) (stored map[string]uint64, acknowledged uint64) {
	t.Helper()
	stored = map[string]uint64{}
	withLog(t, w.data, func(ctx context.Context, log *events.Log) {
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
			if c.IdempotencyKey != nil {
				stored[*c.IdempotencyKey] = sequence
			}
		}
	})
	return stored, acknowledged
}

// projected is the event that the document names which a server that was killed had written last to its views.
func (w *world) projected(t *testing.T) uint64 {
	t.Helper()
	s, err := events.RunServer(t.Context(), &server.Options{ServerName: "views", DontListen: true, StoreDir: filepath.Join(w.data, "views")}, slog.New(slog.DiscardHandler))
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
	newest := uint64(0)
	for name := range js.StreamNames(t.Context()).Name() {
		if !strings.HasPrefix(name, "KV_conversations_") {
			continue
		}
		stream, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		last := stream.CachedInfo().State.LastSeq
		if last == 0 {
			continue
		}
		m, err := stream.GetMsg(t.Context(), last)
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Sequence uint64 `json:"sequence"`
		}
		if err := json.Unmarshal(m.Data, &document); err != nil {
			t.Fatal(err)
		}
		newest = max(newest, document.Sequence)
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
