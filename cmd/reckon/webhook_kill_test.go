package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log/logtest"
)

// holder is a receiver of webhooks that holds what it is sent until it is released.
type holder struct {
	*httptest.Server
	released chan struct{}

	mutex   sync.Mutex
	key     []byte            // of the webhook
	holds   int               // requests under way
	bodies  map[string]string // what was sent, by id
	begun   map[string]int    // how often
	taken   map[string]int    // how often it was taken
	unsound []string
}

func newHolder(t *testing.T) *holder {
	h := &holder{released: make(chan struct{}), bodies: map[string]string{}, begun: map[string]int{}, taken: map[string]int{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *holder) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	text, err := io.ReadAll(r.Body)
	id := r.Header.Get("Webhook-Id")
	h.begin(id, r.Header, string(text), err)
	took := false
	select {
	case <-h.released:
		took = true
	case <-r.Context().Done():
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.holds--; took {
		h.taken[id]++
	}
}

// begin keeps what is sent, and looks whether it is the same each time, and signed.
func (h *holder) begin(id string, header nethttp.Header, body string, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.holds++
	h.begun[id]++
	sum := hmac.New(sha256.New, h.key)
	fmt.Fprintf(sum, "%s.%s.%s", id, header.Get("Webhook-Timestamp"), body)
	before, known := h.bodies[id]
	if signature := "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil)); err != nil || header.Get("Webhook-Signature") != signature || known && before != body {
		h.unsound = append(h.unsound, fmt.Sprintf("%s: %v, signed %q, want %q: %s, before it was %s", id, err, header.Get("Webhook-Signature"), signature, body, before))
	}
	h.bodies[id] = body
}

// lacks counts those of the ids that were not taken.
func (h *holder) lacks(ids []string) (n int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for _, id := range ids {
		if h.taken[id] == 0 {
			n++
		}
	}
	return n
}

// TestWebhooksOutliveKills kills a node while a receiver holds what it is sent, and again behind answers of which nothing may be
// sent yet: on one node, on one of two at a NATS that others run, and, in a soak, on one of three. What is answered is sent, with
// the same id and body each time.
func TestWebhooksOutliveKills(t *testing.T) {
	t.Parallel()
	// atOnce is how many requests a node makes to a webhook at once.
	const atOnce = 4
	none := func(*testing.T) []string { return nil }
	for _, run := range []struct {
		name  string
		nodes int
		nats  func(t *testing.T) []string
		long  bool
	}{
		{"one node", 1, none, false},
		{"two nodes", 2, func(t *testing.T) []string { return []string{"--nats-url", strings.Join(logtest.NATS(t), ",")} }, false},
		{"cluster", 3, none, true},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			if run.long && !soaking {
				fmt.Fprintf(os.Stderr, "NOT RUN: %s: make soak runs it\n", t.Name())
				return
			}
			nats, c := run.nats(t), newCluster(t, t.TempDir())
			c.nodes = c.nodes[:run.nodes]
			start := func(n *node) {
				if run.nodes == 3 {
					c.start(t, n)
				} else {
					n.serve(t, nats...)
				}
			}
			for _, n := range c.nodes {
				n.flags = []string{"--webhook-allow-private", "--console", "off"}
				start(n)
			}
			c.awaitReady(t)
			victim, survivor := c.nodes[0], c.nodes[run.nodes-1]
			restart := func() {
				start(victim)
				c.awaitReady(t, victim)
			}

			h := newHolder(t)
			administer := func(args ...string) string {
				lines, err := survivor.administer(append(args, nats...)...)
				if err != nil {
					t.Fatal(err)
				}
				return lines[len(lines)-1]
			}
			administer("account", "create", "acme")
			secret := administer("key", "create", "--account", "acme")
			domain := administer("domain", "publish", filepath.Join("starter", "home", "electricity.yaml"), "--no-write", "--account", "acme")
			var made struct{ ID, Secret string }
			printed, err := survivor.administer(append([]string{"webhook", "create", "--account", "acme", h.URL, "--json"}, nats...)...)
			if err == nil {
				err = json.Unmarshal([]byte(strings.Join(printed, "\n")), &made)
			}
			h.mutex.Lock()
			if err == nil {
				h.key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
			}
			h.mutex.Unlock()
			if err != nil {
				t.Fatal(err)
			}

			var sent []string // ids of what is to be sent
			ask := func(n *node, times int) {
				t.Helper()
				for range times {
					body, err := json.Marshal(map[string]string{"domain_id": domain, "prompt": promptOf(len(sent)*3+1, true)})
					if err != nil {
						t.Fatal(err)
					}
					var answered struct {
						MessageID uuid.UUID `json:"message_id"`
					}
					await(t, "an answer", patienceReady, func() bool {
						a, err := request(&patient, "POST", n.url+"/v1/calculate", secret, fmt.Sprint("key-", len(sent)), body)
						return err == nil && a.status == nethttp.StatusOK && json.Unmarshal(a.body, &answered) == nil
					})
					sent = append(sent, "msg_"+events.DeliveryID(uuid.MustParse(made.ID), answered.MessageID).String())
				}
			}
			ask(victim, 2*atOnce*run.nodes)
			await(t, "each node is sending", patienceReady, func() bool {
				h.mutex.Lock()
				defer h.mutex.Unlock()
				return h.holds > atOnce*(run.nodes-1)
			})
			victim.end(syscall.SIGKILL)
			close(h.released)
			restart()
			ask(victim, atOnce)
			victim.end(syscall.SIGKILL)
			restart()
			took := await(t, "all is taken", patienceReady, func() bool { return h.lacks(sent) == 0 })

			h.mutex.Lock()
			defer h.mutex.Unlock()
			again := 0
			for _, n := range h.begun {
				if n > 1 {
					again++
				}
			}
			if len(h.bodies) != len(sent) || again == 0 || len(h.unsound) > 0 {
				t.Errorf("%d are sent, of which %d again, want %d; not as they should be: %v", len(h.bodies), again, len(sent), h.unsound)
			}
			t.Logf("%d are sent, %d of them again, the last one %s behind the last start", len(sent), again, took)
		})
	}
}
