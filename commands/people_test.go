package commands

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// Two owners who remove each other, step down or are disabled at once at different nodes leave one,
// and what is revoked at one of them works at none.
func TestAnAccountKeepsAnOwner(t *testing.T) {
	t.Parallel()
	trio := logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*log.Log, error) {
		return log.Open(ctx, log.Options{
			Dir: n.Dir, Logger: slog.New(slog.DiscardHandler),
			Cluster: &log.Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
		})
	})
	trio.Start(t, 0, 1, 2)
	var nodes []Admin
	for i, l := range trio.Logs {
		nodes = append(nodes, Admin{Log: l, By: events.Actor{How: events.ByShell, Name: fmt.Sprint("node", i)}})
	}
	people := []string{"ada@example.com", "Bo@example.com", "cy@example.com"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, email := range people {
		_, err := nodes[0].CreateUser(t.Context(), email, "")
		must(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	refused := 0
	for round := range 12 {
		name := fmt.Sprint("acme ", round)
		_, err := nodes[0].CreateAccount(t.Context(), CreateAccount{Name: name})
		must(err)
		for _, email := range people {
			must(nodes[round%3].AddMember(t.Context(), name, email, projections.RoleOwner))
		}
		var all sync.WaitGroup
		errs := make([]error, len(people))
		for i := range people {
			leaves := []func() error{
				func() error { return nodes[i].RemoveMember(t.Context(), name, people[(i+1)%3]) },
				func() error { return nodes[i].RemoveMember(t.Context(), name, strings.ToUpper(people[i])) },
				func() error {
					return nodes[i].ChangeMember(t.Context(), name, people[(i+2)%3], projections.RoleMember)
				},
			}[random.IntN(3)]
			all.Go(func() { errs[i] = leaves() })
		}
		all.Wait()
		for _, err := range errs {
			switch {
			case errors.Is(err, ErrLastOwner):
				refused++
			case err != nil && !errors.Is(err, ErrNone):
				t.Errorf("round %d: %v", round, err)
			}
		}
		for i, node := range nodes {
			account, err := node.Account(t.Context(), name)
			if err != nil || account.Owners() == 0 {
				t.Errorf("round %d, node %d: the account has the members %+v (%v)", round, i, account.Members, err)
			}
		}
	}
	t.Logf("%d were refused", refused)

	// The two who are left in an account remove each other until one of them is refused.
	_, err := nodes[0].CreateAccount(t.Context(), CreateAccount{Name: "two"})
	must(err)
	for _, email := range people[:2] {
		must(nodes[0].AddMember(t.Context(), "two", email, projections.RoleOwner))
	}
	var both sync.WaitGroup
	errs := make([]error, 2)
	for i := range 2 {
		both.Go(func() { errs[i] = nodes[i].RemoveMember(t.Context(), "two", people[1-i]) })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), ErrLastOwner) {
		t.Errorf("two owners who remove each other: %v and %v, want one of them refused", errs[0], errs[1])
	}

	list, err := nodes[2].Audit(t.Context(), "", time.Time{})
	must(err)
	for _, e := range list {
		if by := e.Data.(events.Administration).Actor(); by == nil || by.How != events.ByShell || !strings.HasPrefix(by.Name, "node") {
			t.Errorf("%s was administered by %+v", events.Name(e.Data), by)
		}
	}
	if len(list) < 3+12*6 {
		t.Errorf("%d events were administered", len(list))
	}

	_, err = nodes[0].CreateAccount(t.Context(), CreateAccount{Name: "acme"})
	must(err)
	revokedWorksNowhere(t, trio.Logs[:])
}

// What users are called is checked, addresses are told apart without case, and whoever is disabled
// is a member nowhere.
func TestUsers(t *testing.T) {
	t.Parallel()
	admin := Admin{Log: startLog(t).log}
	ctx := t.Context()
	for email, ok := range map[string]bool{
		"ada@example.com": true, "": false, "ada": false, "@example.com": false, "ada@": false,
		"a b@example.com": false, "a@b@example.com": false, "a\n@example.com": false, "ü@example.com": true,
		strings.Repeat("a", 243) + "@example.com": false, "a\u202e@example.com": false, "\xff@example.com": false,
	} {
		if _, err := admin.CreateUser(ctx, email, ""); (err == nil) != ok {
			t.Errorf("%q: %v", email, err)
		}
	}
	if _, err := admin.CreateUser(ctx, "Ada@EXAMPLE.com", ""); !errors.Is(err, ErrExists) {
		t.Errorf("the same address in capitals: %v, want %v", err, ErrExists)
	}
	for _, name := range []string{strings.Repeat("n", 101), "a\x1b[2J"} {
		if _, err := admin.CreateUser(ctx, "bo@example.com", name); err == nil {
			t.Errorf("a user with the name %q", name)
		}
	}
	if _, err := admin.CreateUser(ctx, "bo@example.com", "Bo"); err != nil {
		t.Fatal(err)
	}
	if err := admin.AddMember(ctx, "acme", "nobody@example.com", projections.RoleOwner); !errors.Is(err, ErrNone) {
		t.Errorf("a member who is no user: %v", err)
	}
	if err := admin.AddMember(ctx, "acme", "ada@example.com", "king"); err == nil {
		t.Error("a role that there is not")
	}
	want := func(err, want error, what string) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	want(admin.AddMember(ctx, "acme", "ADA@example.com", projections.RoleOwner), nil, "an owner")
	want(admin.AddMember(ctx, "acme", "ada@example.com", projections.RoleMember), ErrExists, "the same again")
	want(admin.AddMember(ctx, "acme", "bo@example.com", projections.RoleDeveloper), nil, "a developer")
	want(admin.DisableUser(ctx, "ada@example.com"), ErrLastOwner, "the only owner is disabled")
	want(admin.ChangeMember(ctx, "acme", "ada@example.com", projections.RoleMember), ErrLastOwner, "the only owner steps down")
	want(admin.ChangeMember(ctx, "acme", "bo@example.com", projections.RoleOwner), nil, "a second owner")
	want(admin.DisableUser(ctx, "ada@example.com"), nil, "an owner is disabled")
	want(admin.DisableUser(ctx, "ada@example.com"), nil, "again")
	if err := admin.AddMember(ctx, "acme", "ada@example.com", projections.RoleMember); err == nil {
		t.Error("a disabled user is a member")
	}
	account, err := admin.Account(ctx, "acme")
	if err != nil || len(account.Members) != 1 || account.Members[0].UserID != UserID("bo@example.com") {
		t.Errorf("members %+v (%v), want bo alone", account.Members, err)
	}
	want(admin.EnableUser(ctx, "ada@example.com"), nil, "enabled")
	want(admin.AddMember(ctx, "acme", "ada@example.com", projections.RoleMember), nil, "a member again")
	want(admin.SetOperator(ctx, "ada@example.com", true), nil, "an operator")
	if user, err := admin.User(ctx, "ada@example.com"); err != nil || !user.Operator || user.Disabled {
		t.Errorf("the user is %+v (%v)", user, err)
	}
}

// A token authenticates its user until it is revoked; nothing of it but its hash is in an event.
func TestTokens(t *testing.T) {
	t.Parallel()
	l := startLog(t).log
	admin := Admin{Log: l}
	ctx := t.Context()
	views, err := projections.Open(ctx, l, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer views.Close()
	user, err := admin.CreateUser(ctx, "ada@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	past, later := time.Now().Add(-time.Second), time.Now().Add(time.Hour)
	for _, bad := range []KeyTerms{
		{Name: strings.Repeat("n", 101)}, {Name: "a\x1b[2J"}, {ExpiresAt: &past}, {Scopes: []string{"calculate"}},
		{Scopes: []string{"account:"}}, {Scopes: []string{"account:acme"}}, {Scopes: []string{""}},
	} {
		if _, secret, err := admin.CreateToken(ctx, user.Email, bad); err == nil || secret != "" {
			t.Errorf("a token with the terms %+v", bad)
		}
	}
	if _, _, err := admin.CreateToken(ctx, "bo@example.com", KeyTerms{}); !errors.Is(err, ErrNone) {
		t.Errorf("a token of nobody: %v", err)
	}
	id, secret, err := admin.CreateToken(ctx, "ADA@example.com", KeyTerms{Name: "laptop", ExpiresAt: &later, Scopes: []string{projections.ScopeAccount + AccountID("acme").String()}})
	if err != nil {
		t.Fatal(err)
	}
	found := func(secret string) (projections.Token, projections.User, bool) {
		t.Helper()
		if err := views.Fresh(ctx); err != nil {
			t.Fatal(err)
		}
		token, user, found, err := views.AuthenticateToken(sha256.Sum256([]byte(secret)))
		if err != nil {
			t.Fatal(err)
		}
		return token, user, found
	}
	token, owner, is := found(secret)
	if !is || token.ID != id || owner.ID != user.ID || token.Revoked || !token.Writes() || token.Hint != secret[len(secret)-4:] {
		t.Errorf("the token is %+v of %+v (%t)", token, owner, is)
	}
	if !token.Sees(AccountID("acme")) || token.Sees(AccountID("other")) || token.Sees(uuid.Nil) {
		t.Errorf("the token sees more or less than its account: %v", token.Scopes)
	}
	for _, wrong := range []string{"", secret[:len(secret)-1], secret + " ", strings.ToUpper(secret)} {
		if _, _, is := found(wrong); is {
			t.Errorf("%q is a token", wrong)
		}
	}
	if err := admin.RevokeToken(ctx, user.Email, uuid.New()); !errors.Is(err, ErrNone) {
		t.Errorf("a token that there is not: %v", err)
	}
	for range 2 {
		if err := admin.RevokeToken(ctx, user.Email, id); err != nil {
			t.Error(err)
		}
	}
	if token, _, is := found(secret); !is || !token.Revoked {
		t.Errorf("the revoked token is %+v (%t)", token, is)
	}
	history, err := l.Read(ctx, events.UserSubject(user.ID), 0)
	if err != nil || len(history) != 3 {
		t.Fatalf("%d events of the user (%v), want 3", len(history), err)
	}
	for _, e := range history {
		if text, err := events.Marshal(e.Data); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%s has the token (%v)", events.Name(e.Data), err)
		}
	}
}
