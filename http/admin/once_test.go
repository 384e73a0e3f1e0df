package admin

import (
	"errors"
	"fmt"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/events"
	"reckon/http"
	"reckon/projections"
)

// twin is another server on the world's log, which has heard of nothing that the first was asked.
func (w *world) twin() *world {
	w.t.Helper()
	administered := New(nodes.Own{Dir: w.t.TempDir()})
	administered.Open(w.admin.Log, w.views)
	server := http.New(slog.New(slog.DiscardHandler), "v0")
	server.Mount(administered.Face())
	server.Open(w.views, w.service)
	listening := httptest.NewServer(server.Handler())
	w.t.Cleanup(listening.Close)
	twin := *w
	twin.url, twin.server = listening.URL, administered
	return &twin
}

// last is the sequence of the newest event.
func (w *world) last() uint64 {
	w.t.Helper()
	last, err := w.admin.Log.Last(w.t.Context())
	w.must(nil, err)
	return last
}

// TestOnce sends a request of each route that changes something again, with the same key: to the
// hasSecret tells whether an answer shows a key, a token, a link or the secret of a webhook.
func hasSecret(body string) bool {
	return strings.Contains(body, "reckon_") || strings.Contains(body, "whsec_")
}

// same server, to another one, and with another body.
func TestOnce(t *testing.T) {
	w := newWorld(t)
	w.answer()
	other := w.twin()
	secrets := 0
	for _, r := range routes {
		name := r.method + " " + r.path
		if r.method == "GET" || r.least.reads || name == "POST projections/rebuild" { // which records nothing
			continue
		}
		who := "owner"
		if may := allowed[name]; !strings.Contains(may, who) && may != "" || name == "POST accounts/{account}/erase" { // which has its owners leave
			who = "operator"
		}
		path := strings.Replace(r.path, "users/{user}/tokens", "users/owner@example.com/tokens", 1)
		if who == "operator" {
			path = r.path
		}
		path = w.fresh(who, path)
		body := bodies[name]
		if strings.Contains(body, "%d") {
			body = fmt.Sprintf(body, w.n)
		}
		switch name {
		case "DELETE accounts/{account}/domains/{domain}/draft", "POST accounts/{account}/domains/{domain}/publish":
			w.must(w.admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: double(1000 + w.n), Draft: true}))
		case "POST accounts/{account}/domains/{domain}/versions/{version}/restore":
			w.must(w.admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: double(1000 + w.n)}))
		case "POST accounts/{account}/domains/{domain}/restore":
			w.must(nil, w.admin.Retire(t.Context(), commands.AccountID("acme"), uuid.NewSHA1(commands.AccountID("acme"), []byte("domain double")), true))
		case "POST accounts/{account}/members":
			w.must(w.admin.CreateUser(t.Context(), fmt.Sprintf("new%d@example.com", w.n), ""))
		case "POST accounts/{account}/resume":
			w.must(w.admin.Suspend(t.Context(), "acme", ""))
		case "POST users/{user}/enable":
			w.must(nil, w.admin.DisableUser(t.Context(), fmt.Sprintf("somebody%d@example.com", w.n)))
		case "DELETE operators/{user}":
			w.must(nil, w.admin.SetOperator(t.Context(), fmt.Sprintf("somebody%d@example.com", w.n), true))
		case "POST users/{user}/sign-out":
			user, err := w.admin.User(t.Context(), fmt.Sprintf("somebody%d@example.com", w.n))
			w.must(nil, err)
			w.must(w.admin.Log.Append(t.Context(), sessionOf(user), user.Sequence))
		}
		key := fmt.Sprint("key-", w.n)
		before := w.last()
		first := w.as(who, r.method, path, body, "Idempotency-Key", key)
		done := w.last()
		if first.status >= 300 || done == before || first.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s as %s: %d %s, %d events", name, who, first.status, first.body, done-before)
			continue
		}
		if body != "" {
			body = " " + body + "\n"
		}
		for _, node := range []*world{w, other} {
			again := node.as(who, r.method, path, body, "Idempotency-Key", key)
			was := strings.Replace(first.body, `"again":false`, `"again":true`, 1)
			switch {
			case hasSecret(first.body):
				secrets++
				if again.status != nethttp.StatusConflict || again.code() != "error_already_done" || hasSecret(again.body) {
					t.Errorf("%s again: %d %s", name, again.status, again.body)
				}
			case again.status != first.status || again.body != was || again.header.Get("Idempotent-Replayed") != "true":
				t.Errorf("%s again: %d %s %v, want %d %s", name, again.status, again.body, again.header, first.status, was)
			}
			another := node.as(who, r.method, path, `{"another": true}`, "Idempotency-Key", key)
			if another.status != nethttp.StatusConflict || another.code() != "error_idempotency_conflict" {
				t.Errorf("%s with another body: %d %s", name, another.status, another.body)
			}
		}
		if now := w.last(); now != done {
			t.Errorf("%s again: %d events more", name, now-done)
		}
	}
	if secrets != 2*8 {
		t.Errorf("%d answers had secrets", secrets)
	}
}

// sessionOf is a session that a user starts.
func sessionOf(user projections.User) events.Event {
	now := time.Now().UTC().Truncate(time.Second)
	return events.Event{ID: uuid.New(), Time: now, Subject: events.UserSubject(user.ID), Data: &events.SessionStarted{
		SessionID: uuid.New(), Hash: strings.Repeat("0", 64), Way: events.WayPassword, ExpiresAt: now.Add(time.Hour),
	}}
}

// Of many that ask for the same at once, on two servers, one is done. Another user's key is another
// key, and what failed may be asked for again.
func TestOnceAtOnce(t *testing.T) {
	w := newWorld(t)
	other := w.twin()
	var mu sync.Mutex
	statuses := map[int]int{}
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			g := []*world{w, other}[i%2].as("owner", "POST", "accounts/acme/keys", `{"name": "ci"}`, "Idempotency-Key", "k")
			mu.Lock()
			defer mu.Unlock()
			statuses[g.status]++
		})
	}
	all.Wait()
	account, err := w.admin.Account(t.Context(), "acme")
	w.must(nil, err)
	if len(account.Keys) != 1 || statuses[201] != 1 || statuses[409] != 15 {
		t.Errorf("%d keys, answers %v", len(account.Keys), statuses)
	}
	for _, c := range []struct{ who, method, path, body, key, want string }{
		{"developer", "POST", "accounts/acme/keys", `{"name": "ci"}`, "k", "201"},
		{"owner", "POST", "tokens", `{"name": "ci"}`, "k", "409 error_idempotency_conflict"},
		{"owner", "POST", "accounts/acme/keys", `{`, "bad", "400"},
		{"owner", "POST", "accounts/acme/keys", `{"name": 1}`, "bad", "422"},
		{"owner", "POST", "accounts/acme/keys", `{"name": "good"}`, "bad", "201"},
		{"owner", "POST", "accounts/acme/keys", `{}`, "two words", "422 Idempotency-Key"},
		{"owner", "POST", "accounts/acme/keys", `{}`, strings.Repeat("x", 256), "422 Idempotency-Key"},
		{"owner", "GET", "accounts/acme/keys", ``, "k", "200"},
		{"owner", "POST", "accounts/acme/members", `{"email": "later@example.com", "role": "member"}`, "m", "404"},
		{"operator", "POST", "users", `{"email": "later@example.com"}`, "m", "201"},
		{"owner", "POST", "accounts/acme/members", `{"email": "later@example.com", "role": "member"}`, "m", "201"},
	} {
		g := w.as(c.who, c.method, c.path, c.body, "Idempotency-Key", c.key)
		status, text, _ := strings.Cut(c.want, " ")
		if fmt.Sprint(g.status) != status || !strings.Contains(g.body, text) {
			t.Errorf("%s %s %.40s with %.20s: %d %s, want %s", c.method, c.path, c.body, c.key, g.status, g.body, c.want)
		}
	}
}

// What was interrupted between two of its steps is finished by who sends it again, without doing a
// step twice.
func TestOnceInterrupted(t *testing.T) {
	w := newWorld(t)
	const path, body = "accounts/acme/invitations", `{"email": "guest@example.com", "role": "member"}`
	r, err := nethttp.NewRequestWithContext(t.Context(), "POST", prefix+path, nil)
	w.must(nil, err)
	half := w.admin
	half.Request = commands.NewAdminRequest(commands.UserID("owner@example.com"), "k", printOf(r, []byte(body)))
	w.must(half.CreateUser(t.Context(), "guest@example.com", ""))
	first := w.as("owner", "POST", path, body, "Idempotency-Key", "k")
	if first.status != nethttp.StatusCreated || !strings.Contains(first.body, "reckon_") {
		t.Fatalf("%d %s", first.status, first.body)
	}
	again := w.as("owner", "POST", path, body, "Idempotency-Key", "k")
	if again.status != nethttp.StatusConflict || again.code() != "error_already_done" {
		t.Errorf("%d %s", again.status, again.body)
	}
	history, err := w.admin.Log.Read(t.Context(), events.UserSubject(commands.UserID("guest@example.com")), 0)
	w.must(nil, err)
	if len(history) != 2 {
		t.Errorf("%d events of the user, want their creation and one link", len(history))
	}
}

// Of two that have both found that nothing was done, on two nodes, the second is told.
func TestOnceMeanwhile(t *testing.T) {
	w := newWorld(t)
	owner := commands.UserID("owner@example.com")
	asked := func(print string) commands.Admin {
		var requests commands.AdminRequests
		a := w.admin
		a.Request = commands.NewAdminRequest(owner, "k", print)
		w.must(nil, requests.Find(t.Context(), w.admin.Log, a.Request, events.Subject{}))
		return a
	}
	first, second, another := asked("print"), asked("print"), asked("another")
	_, _, err := first.CreateKey(t.Context(), "acme", commands.KeyTerms{})
	w.must(nil, err)
	if _, _, err := second.CreateKey(t.Context(), "acme", commands.KeyTerms{}); !errors.Is(err, commands.ErrRepeated) {
		t.Errorf("the same: %v", err)
	}
	if _, err := another.Suspend(t.Context(), "acme", "x"); !errors.Is(err, commands.ErrIdempotencyConflict) {
		t.Errorf("another: %v", err)
	}
	account, err := w.admin.Account(t.Context(), "acme")
	w.must(nil, err)
	if len(account.Keys) != 1 || account.Suspended != nil {
		t.Errorf("%d keys, suspended %v", len(account.Keys), account.Suspended)
	}
}

// A request that has changed nothing is known by its key like any other: sent again, when it would
// change something, it does not.
func TestOnceOfWhatChangesNothing(t *testing.T) {
	w := newWorld(t)
	other := w.twin()
	w.must(w.admin.ChangeAccount(t.Context(), commands.ChangeAccount{Name: "acme", Title: new("A")}))
	w.must(w.admin.Suspend(t.Context(), "other", "x"))
	w.must(w.admin.Resume(t.Context(), "other"))
	domain := uuid.NewSHA1(commands.AccountID("acme"), []byte("domain double"))
	for i, c := range []struct {
		who, method, path, body string
		meanwhile               func() error
	}{
		{"owner", "PATCH", "accounts/acme", `{"title": "A"}`, func() error {
			_, err := w.admin.ChangeAccount(t.Context(), commands.ChangeAccount{Name: "acme", Title: new("B")})
			return err
		}},
		{"operator", "POST", "accounts/other/resume", ``, func() error {
			_, err := w.admin.Suspend(t.Context(), "other", "x")
			return err
		}},
		{"operator", "DELETE", "operators/member@example.com", ``, func() error {
			return w.admin.SetOperator(t.Context(), "member@example.com", true)
		}},
		{"owner", "POST", "accounts/acme/domains/" + domain.String() + "/restore", ``, func() error {
			return w.admin.Retire(t.Context(), commands.AccountID("acme"), domain, true)
		}},
		{"owner", "PATCH", "accounts/acme/members/member@example.com", `{"role": "member"}`, func() error {
			return w.admin.ChangeMember(t.Context(), "acme", "member@example.com", projections.RoleDeveloper)
		}},
	} {
		key := fmt.Sprint("k", i)
		first := w.as(c.who, c.method, c.path, c.body, "Idempotency-Key", key)
		if first.status >= 300 || first.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s %s: %d %s", c.method, c.path, first.status, first.body)
		}
		w.must(nil, c.meanwhile())
		w.must(nil, w.views.Fresh(t.Context()))
		before := w.last()
		for _, node := range []*world{w, other} {
			again := node.as(c.who, c.method, c.path, c.body, "Idempotency-Key", key)
			if again.status != first.status || again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s %s again: %d %s", c.method, c.path, again.status, again.body)
			}
			another := node.as(c.who, c.method, c.path, `{"another": true}`, "Idempotency-Key", key)
			if another.code() != "error_idempotency_conflict" {
				t.Errorf("%s %s with another body: %d %s", c.method, c.path, another.status, another.body)
			}
		}
		if now := w.last(); now != before {
			t.Errorf("%s %s again: %d events", c.method, c.path, now-before)
		}
	}
}
