package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

const rightPassword = "correct horse battery"

// light is what passwords cost in tests that are about something else.
var light = parameters{memory: 64, passes: 1, threads: 1}

// entrance is an authenticator on a log with views of its own.
func entrance(t *testing.T) (*Authenticator, Admin) {
	t.Helper()
	l := startLog(t).log
	views, err := projections.Open(t.Context(), l, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { views.Close() })
	a := NewAuthenticator(l, views)
	a.cost = light
	return a, Admin{Log: l}
}

// invite invites and returns the link's secret.
func invite(t *testing.T, admin Admin, c Invite) string {
	t.Helper()
	invitation, err := admin.Invite(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return invitation.Secret
}

// wants fails unless an error is the one that is wanted.
func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// alive tells whether a session lets in.
func alive(t *testing.T, a *Authenticator, secret string) bool {
	t.Helper()
	_, _, found, err := a.Session(t.Context(), secret)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A link lets in once, to set a password; the link before it, one of a day ago and one of somebody who is disabled let nobody in.
func TestLinks(t *testing.T) {
	t.Parallel()
	a, admin := entrance(t)
	ctx := t.Context()
	ada := Invite{Email: "ada@example.com", Name: "Ada", Account: "acme", Role: projections.RoleOwner}
	for _, bad := range []Invite{
		{Email: "ada@example.com"}, {Email: "ada@example.com", Account: "acme"}, {Email: "ada@example.com", Account: "acme", Role: "king"},
		{Email: "ada@example.com", Account: "other", Role: projections.RoleOwner}, {Email: "ada", Operator: true},
	} {
		if invitation, err := admin.Invite(ctx, bad); err == nil {
			t.Errorf("%+v: %+v", bad, invitation)
		}
	}
	if _, err := admin.User(ctx, ada.Email); !errors.Is(err, ErrNone) {
		t.Errorf("an invitation that failed made a user (%v)", err)
	}
	first := invite(t, admin, ada)
	second := invite(t, admin, Invite{Email: "ADA@example.com", Account: "acme"})
	_, _, err := a.ByLink(ctx, first, rightPassword, "1.2.3.4")
	wants(t, "the link before", err, ErrLink)
	for _, wrong := range []string{"", second + "0", strings.ToUpper(second), second[len(linkPrefix):]} {
		_, _, err := a.ByLink(ctx, wrong, rightPassword, "1.2.3.4")
		wants(t, fmt.Sprintf("the link %q", wrong), err, ErrLink)
	}
	for _, weak := range []string{"", "short", "123456789", "1234567890", "Password123", "aaaaaaaaaaaaaaa", "ada@example.com", "\xffxxxxxxxyzab", strings.Repeat("ab c", 65), strings.Repeat("long", 10_000)} {
		_, _, err := a.ByLink(ctx, second, weak, "1.2.3.4")
		wants(t, fmt.Sprintf("a password of %d bytes", len(weak)), err, ErrPassword)
	}

	// Many at once are one.
	var all sync.WaitGroup
	sessions, errs := make([]string, 8), make([]error, 8)
	for i := range sessions {
		all.Go(func() { _, sessions[i], errs[i] = a.ByLink(ctx, second, fmt.Sprint(rightPassword, i), "1.2.3.4") })
	}
	all.Wait()
	winner := slices.Index(errs, nil)
	for i, err := range errs {
		if i != winner {
			wants(t, "the link again", err, ErrLink)
		}
	}
	if winner < 0 || !alive(t, a, sessions[winner]) {
		t.Fatalf("nobody came in: %v", errs)
	}
	if _, _, err := a.ByPassword(ctx, ada.Email, fmt.Sprint(rightPassword, winner), "1.2.3.4"); err != nil {
		t.Error(err)
	}
	if account, err := admin.Account(ctx, "acme"); err != nil || account.Owners() != 1 {
		t.Errorf("the account has the members %+v (%v)", account.Members, err)
	}
	_, err = admin.Invite(ctx, Invite{Email: ada.Email, Account: "acme", Role: projections.RoleMember})
	if err == nil || !strings.Contains(err.Error(), "has the role owner") {
		t.Errorf("an invitation to another role: %v", err)
	}

	third := invite(t, admin, Invite{Email: "bo@example.com", Operator: true})
	if err := admin.DisableUser(ctx, "bo@example.com"); err != nil {
		t.Fatal(err)
	}
	_, _, err = a.ByLink(ctx, third, rightPassword, "1.2.3.4")
	wants(t, "the link of a disabled user", err, ErrLink)
	if _, err := admin.Invite(ctx, Invite{Email: "bo@example.com", Operator: true}); err == nil {
		t.Error("a disabled user is invited")
	}
	if link := (projections.Link{ExpiresAt: time.Now()}); !link.Expired(time.Now()) || link.Expired(time.Now().Add(-time.Second)) {
		t.Error("a link ends at another moment than it says")
	}
	user, err := admin.User(ctx, ada.Email)
	if err != nil {
		t.Fatal(err)
	}
	old := sha256.Sum256([]byte("reckon_link_old"))
	yesterday := newEvent(events.UserSubject(user.ID), &events.LinkIssued{LinkID: uuid.New(), Hash: hex.EncodeToString(old[:]), ExpiresAt: time.Now().Add(-time.Minute)})
	if _, err := admin.record(ctx, yesterday, user.Sequence); err != nil {
		t.Fatal(err)
	}
	_, _, err = a.ByLink(ctx, "reckon_link_old", rightPassword, "1.2.3.4")
	wants(t, "a link of yesterday", err, ErrLink)
}

// An owner is given no link that lets in to accounts of others.
func TestWhoMayHaveALink(t *testing.T) {
	t.Parallel()
	_, admin := entrance(t)
	ctx := t.Context()
	if _, err := admin.CreateAccount(ctx, CreateAccount{Name: "other"}); err != nil {
		t.Fatal(err)
	}
	by := func(email string) Admin {
		id := UserID(email)
		return Admin{Log: admin.Log, By: events.Actor{How: events.ByToken, UserID: &id}}
	}
	invite(t, admin, Invite{Email: "owner@example.com", Account: "acme", Role: projections.RoleOwner})
	invite(t, admin, Invite{Email: "stranger@example.com", Account: "other", Role: projections.RoleOwner})
	invite(t, admin, Invite{Email: "root@example.com", Operator: true})
	for _, c := range []struct {
		by, email string
		link      bool
	}{
		{"owner@example.com", "new@example.com", true},
		{"owner@example.com", "new@example.com", true},
		{"owner@example.com", "stranger@example.com", false},
		{"owner@example.com", "root@example.com", false},
		{"stranger@example.com", "new@example.com", false},
		{"root@example.com", "stranger@example.com", true},
	} {
		account := "acme"
		if strings.HasPrefix(c.by, "stranger") {
			account = "other"
		}
		invitation, err := by(c.by).Invite(ctx, Invite{Email: c.email, Account: account, Role: projections.RoleMember})
		if c.email == "stranger@example.com" && err == nil && account == "acme" {
			account, err := admin.Account(ctx, "acme")
			if _, is := account.Role(UserID(c.email)); !is || err != nil {
				t.Errorf("%s is no member (%v)", c.email, err)
			}
		}
		if err != nil || (invitation.Secret != "") != c.link {
			t.Errorf("%s invites %s: %+v (%v), want a link: %t", c.by, c.email, invitation, err, c.link)
		}
	}
}

// A session lets in until something ends it, and is not started by a wrong password.
func TestSessions(t *testing.T) {
	t.Parallel()
	a, admin := entrance(t)
	ctx := t.Context()
	invite(t, admin, Invite{Email: "boss@example.com", Account: "acme", Role: projections.RoleOwner})
	link := invite(t, admin, Invite{Email: "Ada@example.com", Account: "acme", Role: projections.RoleMember})
	user, first, err := a.ByLink(ctx, link, "pass wörd of ada", "1.2.3.4")
	if err != nil {
		t.Fatal(err)
	}
	begin := func() string {
		t.Helper()
		_, secret, err := a.ByPassword(ctx, "ada@EXAMPLE.com", "pass wo\u0308rd of ada", "1.2.3.4") // the same characters
		if err != nil {
			t.Fatal(err)
		}
		if !alive(t, a, secret) {
			t.Fatal("a new session does not let in")
		}
		return secret
	}
	sessionOf := func(secret string) projections.Session {
		t.Helper()
		session, _, found, err := a.Session(ctx, secret)
		if err != nil || !found {
			t.Fatalf("no session (%v)", err)
		}
		return session
	}
	for _, wrong := range []string{"", first + "0", strings.ToUpper(first), "reckon_session_"} {
		if alive(t, a, wrong) {
			t.Errorf("%q lets in", wrong)
		}
	}
	second, third := begin(), begin()
	if err := a.EndSession(ctx, user, sessionOf(second).ID); err != nil {
		t.Fatal(err)
	}
	if alive(t, a, second) || !alive(t, a, first) || !alive(t, a, third) {
		t.Error("signing out ends another session than its own")
	}
	wants(t, "another account", a.MoveSession(ctx, user, sessionOf(first).ID, AccountID("other")), ErrNone)
	wants(t, "the account", a.MoveSession(ctx, user, sessionOf(first).ID, AccountID("acme")), nil)
	wants(t, "an ended session", a.MoveSession(ctx, user, uuid.New(), AccountID("acme")), ErrNone)
	if sessionOf(first).AccountID != AccountID("acme") {
		t.Errorf("the session is about %s", sessionOf(first).AccountID)
	}

	_, err = a.ChangePassword(ctx, user, "wrong password", "another password", "1.2.3.4")
	wants(t, "a wrong password before", err, ErrCredentials)
	_, err = a.ChangePassword(ctx, user, "pass wörd of ada", "password123", "1.2.3.4")
	wants(t, "a weak password", err, ErrPassword)
	changed, err := a.ChangePassword(ctx, user, "pass wörd of ada", "pass wörd of ada 2", "1.2.3.4")
	if err != nil {
		t.Fatal(err)
	}
	if !alive(t, a, changed) || alive(t, a, first) || alive(t, a, third) {
		t.Error("a session of the password before lets in")
	}
	_, _, err = a.ByPassword(ctx, user.Email, "pass wörd of ada", "1.2.3.4")
	wants(t, "the password before", err, ErrCredentials)
	if _, err = a.ChangePassword(ctx, user, "pass wörd of ada 2", "pass wörd of ada", "1.2.3.4"); err != nil {
		t.Fatal(err)
	}

	for what, end := range map[string]func() error{
		"an operator":           func() error { return admin.EndSessions(ctx, user.Email) },
		"the end of membership": func() error { return admin.RemoveMember(ctx, "acme", user.Email) },
	} {
		secret := begin()
		if err := end(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := a.views.Fresh(ctx); err != nil {
			t.Fatal(err)
		}
		if alive(t, a, secret) {
			t.Errorf("%s ends no session", what)
		}
	}
	secret := begin()
	if err := admin.DisableUser(ctx, user.Email); err != nil {
		t.Fatal(err)
	}
	if err := a.views.Fresh(ctx); err != nil || alive(t, a, secret) {
		t.Errorf("a disabled user is signed in (%v)", err)
	}
	_, _, err = a.ByPassword(ctx, user.Email, "pass wörd of ada", "1.2.3.4")
	wants(t, "a disabled user", err, ErrCredentials)
	if err := admin.EnableUser(ctx, user.Email); err != nil {
		t.Fatal(err)
	}
	if err := a.views.Fresh(ctx); err != nil || alive(t, a, secret) {
		t.Errorf("a session from before lets in (%v)", err)
	}

	// More than there may be end the oldest.
	oldest := begin()
	for range projections.MaxSessions {
		if _, _, err := a.as(user.ID).startSession(ctx, user.Email, events.WayPassword, enabled); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.views.Fresh(ctx); err != nil || alive(t, a, oldest) {
		t.Errorf("%d sessions and one more (%v)", projections.MaxSessions, err)
	}

	history, err := admin.Log.Read(ctx, events.UserSubject(user.ID), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range history {
		text, err := events.Marshal(e.Data)
		for _, kept := range []string{"wörd", link, first, second, changed, secret} {
			if err != nil || strings.Contains(string(text), kept) {
				t.Errorf("%s has a secret (%v)", events.Name(e.Data), err)
			}
		}
		by := e.Data.(events.Administration).Actor()
		switch e.Data.(type) {
		case *events.PasswordSet, *events.SessionStarted, *events.SessionMoved:
			if by.How != events.BySession || by.UserID == nil || *by.UserID != user.ID {
				t.Errorf("%s was done by %+v", events.Name(e.Data), by)
			}
		}
	}
}

// What ends a session ends it on each of three nodes within a second, and one that was started elsewhere lets in at once.
func TestSessionsEndOnEveryNode(t *testing.T) {
	t.Parallel()
	trio := logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*log.Log, error) {
		return log.Open(ctx, log.Options{
			Dir: n.Dir, Logger: slog.New(slog.DiscardHandler),
			Cluster: &log.Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
		})
	})
	trio.Start(t, 0, 1, 2)
	var nodes []*Authenticator
	for _, l := range trio.Logs {
		views, err := projections.Open(t.Context(), l, t.TempDir(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer views.Close()
		node := NewAuthenticator(l, views)
		node.cost = light
		nodes = append(nodes, node)
	}
	ctx, admin := t.Context(), Admin{Log: trio.Logs[0]}
	for _, name := range []string{"acme", "other"} {
		if _, err := admin.CreateAccount(ctx, CreateAccount{Name: name}); err != nil {
			t.Fatal(err)
		}
		invite(t, admin, Invite{Email: "boss@example.com", Account: name, Role: projections.RoleOwner})
	}
	invite(t, admin, Invite{Email: "ada@example.com", Account: "other", Role: projections.RoleMember})
	link := invite(t, admin, Invite{Email: "ada@example.com", Account: "acme", Role: projections.RoleMember})
	user, secret, err := nodes[2].ByLink(ctx, link, rightPassword, "1.2.3.4")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = nodes[1].ByLink(ctx, link, rightPassword, "1.2.3.4")
	wants(t, "the link again, elsewhere", err, ErrLink)
	for what, end := range map[string]func(string) error{
		"signing out": func(secret string) error {
			session, user, _, err := nodes[1].Session(ctx, secret)
			return errors.Join(err, nodes[1].EndSession(ctx, user, session.ID))
		},
		"a password": func(string) error {
			_, err := nodes[0].ChangePassword(ctx, user, rightPassword, rightPassword, "1.2.3.4")
			return err
		},
		"an operator":           func(string) error { return admin.EndSessions(ctx, user.Email) },
		"the end of membership": func(string) error { return admin.RemoveMember(ctx, "other", user.Email) },
	} {
		for i, node := range nodes {
			if !alive(t, node, secret) {
				t.Fatalf("before %s: signed out on node %d", what, i)
			}
		}
		if err := end(secret); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		ended := time.Now()
		for i, node := range nodes {
			for alive(t, node, secret) {
				if time.Since(ended) > time.Second {
					t.Fatalf("%s: still signed in on node %d after a second", what, i)
				}
			}
		}
		if _, secret, err = nodes[1].ByPassword(ctx, user.Email, rightPassword, "1.2.3.4"); err != nil {
			t.Fatal(err)
		}
	}
}

// Ten failures of a user, or of an address, make the next attempts wait, also many at once; whoever knows the password is not
// told sooner.
func TestAttempts(t *testing.T) {
	t.Parallel()
	a, admin := entrance(t)
	ctx := t.Context()
	link := invite(t, admin, Invite{Email: "ada@example.com", Account: "acme", Role: projections.RoleOwner})
	if _, _, err := a.ByLink(ctx, link, rightPassword, "10.0.0.1"); err != nil {
		t.Fatal(err)
	}
	for range maxFailures + 2 { // which are none
		if _, _, err := a.ByPassword(ctx, "ada@example.com", rightPassword, "10.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	errs := make([]error, 3*maxFailures)
	for i := range errs {
		all.Go(func() {
			_, _, errs[i] = a.ByPassword(ctx, "ada@example.com", "wrong password", fmt.Sprint("10.0.1.", i))
		})
	}
	all.Wait()
	refused := 0
	for _, err := range errs {
		if errors.Is(err, ErrCredentials) {
			refused++
		}
	}
	if refused < maxFailures || refused > maxFailures+2 { // the machine may be slow: one is forgotten every half minute
		t.Errorf("%d attempts were made", refused)
	}
	var wait *WaitError
	if _, _, err := a.ByPassword(ctx, "ada@example.com", rightPassword, "10.0.0.1"); !errors.As(err, &wait) || wait.Seconds() < 1 || wait.Seconds() > 30 {
		t.Errorf("after ten failures: %v", err)
	}
	for i := range maxFailures {
		_, _, err := a.ByPassword(ctx, fmt.Sprintf("nobody%d@example.com", i), "wrong password", "10.0.2.1")
		wants(t, "nobody", err, ErrCredentials)
	}
	if _, _, err := a.ByPassword(ctx, "another@example.com", "wrong password", "10.0.2.1"); !errors.As(err, &wait) {
		t.Errorf("an address after ten failures: %v", err)
	}
	if _, _, err := a.ByPassword(ctx, "another@example.com", "wrong password", "10.0.2.2"); !errors.Is(err, ErrCredentials) {
		t.Errorf("another address: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	done, err := a.turn(ctx, "10.0.3.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.ByPassword(short, "ada@example.com", rightPassword, "10.0.3.2"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another one has the turn: %v", err)
	}
	done()
}

// Failures are forgotten one by one, and what is known of attempts is bounded.
func TestFailuresAreForgotten(t *testing.T) {
	a := attempts{failed: map[string]failures{}}
	now := time.Now()
	for range maxFailures {
		if err := a.begin(now, "user"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		after time.Duration
		wait  int
	}{{0, 30}, {10 * time.Second, 20}, {29*time.Second + time.Millisecond, 1}, {30 * time.Second, 0}, {30 * time.Second, 30}} {
		err := a.begin(now.Add(c.after), "user", "other")
		var wait *WaitError
		if errors.As(err, &wait); c.wait == 0 && err != nil || c.wait != 0 && (wait == nil || wait.Seconds() != c.wait) {
			t.Errorf("after %s: %v, want a wait of %d s", c.after, err, c.wait)
		}
	}
	for i := range 3 * maxAttempted {
		_ = a.begin(now.Add(time.Duration(i)*time.Second), fmt.Sprint(i))
	}
	if len(a.failed) > maxAttempted+1 {
		t.Errorf("%d names are known", len(a.failed))
	}
}

// The answer takes as much of a processor for nobody as for somebody.
func TestUnknownUsersTakeAsLong(t *testing.T) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	least := map[string]time.Duration{today.keep(rightPassword): time.Hour, "": time.Hour}
	for range 7 {
		for hash := range least {
			began := used()
			if is, err := today.matches("wrong password", hash); is || err != nil {
				t.Fatalf("%t, %v", is, err)
			}
			least[hash] = min(least[hash], used()-began)
		}
	}
	took := slices.Sorted(maps.Values(least))
	t.Logf("%s", took)
	if took[0] < time.Millisecond || took[1] > 3*took[0]/2 {
		t.Errorf("one takes %s, the other %s", took[0], took[1])
	}
}

// What is kept of a password tells its parameters, and a hash of another kind is an error.
func TestPasswordHashes(t *testing.T) {
	hash := today.keep(rightPassword)
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") || hash == today.keep(rightPassword) {
		t.Errorf("%s", hash)
	}
	// Made by Argon2's own program: echo -n 'correct horse battery' | argon2 somesaltsomesalt -id -t 3 -k 4096 -p 2 -e
	other := "$argon2id$v=19$m=4096,t=3,p=2$c29tZXNhbHRzb21lc2FsdA$ksHiUOEA0KrDyksjLHfH2vEZFKXN6iijh6ZvJF4xNhU"
	for _, h := range []string{hash, other} {
		if is, err := today.matches(rightPassword, h); !is || err != nil {
			t.Errorf("%s: %t, %v", h, is, err)
		}
		if is, err := today.matches(rightPassword+" ", h); is || err != nil {
			t.Errorf("%s and a space: %t, %v", h, is, err)
		}
	}
	for _, bad := range []string{"x", "$2a$10$abc", "$argon2i$v=19$m=4096,t=3,p=2$c29t$c29t", "$argon2id$v=19$m=999999999,t=3,p=2$c29tZXNhbHRzb21lc2FsdA$c29tZXNhbHRzb21lc2FsdA", "$argon2id$v=19$m=4096,t=3,p=2$!$c29tZXNhbHRzb21lc2FsdA"} {
		if is, err := today.matches(rightPassword, bad); is || err == nil {
			t.Errorf("%s: %t, %v", bad, is, err)
		}
	}
	for _, password := range strings.Fields(commonest) {
		if len(password) < MinPassword || !isCommon(strings.ToUpper(password)) || strings.ToLower(password) != password {
			t.Errorf("the list has %q", password)
		}
	}
}

// A provider that has confirmed an address signs in whoever was invited with it, and nobody else.
func TestIdentities(t *testing.T) {
	t.Parallel()
	a, admin := entrance(t)
	ctx := t.Context()
	const issuer = "https://id.example.com"
	one, other := projections.Identity{Issuer: issuer, Subject: "1"}, projections.Identity{Issuer: issuer, Subject: "2"}
	refused := func(what string, identity projections.Identity, email string, confirmed bool) {
		t.Helper()
		if _, secret, err := a.ByIdentity(ctx, identity, email, confirmed); !errors.Is(err, ErrIdentity) || secret != "" {
			t.Errorf("%s: %v, want %v", what, err, ErrIdentity)
		}
	}
	enters := func(what string, identity projections.Identity, email string, confirmed bool) {
		t.Helper()
		user, secret, err := a.ByIdentity(ctx, identity, email, confirmed)
		if err != nil || user.ID != UserID("ada@example.com") || !alive(t, a, secret) {
			t.Errorf("%s: %+v, %v", what, user, err)
		}
	}
	refused("whom nobody invited", one, "ada@example.com", true)
	link := invite(t, admin, Invite{Email: "ada@example.com", Account: "acme", Role: projections.RoleOwner})
	refused("an address that is not confirmed", one, "ada@example.com", false)
	refused("another address", one, "bo@example.com", true)
	refused("no address", one, "", true)
	enters("who was invited", one, "Ada@Example.com", true)
	enters("who is known, with another address", one, "ada@new.example.com", false)
	_, _, err := a.ByLink(ctx, link, rightPassword, "1.2.3.4")
	wants(t, "the link of whoever came in", err, ErrLink)
	refused("somebody else with the address", other, "ada@example.com", true)
	invite(t, admin, Invite{Email: "ada@example.com"})
	enters("somebody else with the address and a new link", other, "ada@example.com", true)
	refused("who was linked before", one, "ada@new.example.com", true)
	invite(t, admin, Invite{Email: "bo@example.com", Account: "acme", Role: projections.RoleOwner})
	if err := admin.DisableUser(ctx, "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	refused("who is disabled", other, "ada@example.com", true)
}
