package commands

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// No sequence of commands about people leaves an account without an owner that has had one, or with
// one who may not come in.
func TestOwnersStay(t *testing.T) {
	t.Parallel()
	admin := Admin{Log: startLog(t).log}
	ctx := t.Context()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for run := range 6 {
		var people, accounts []string
		for i := range 3 {
			people = append(people, fmt.Sprintf("p%d.%d@example.com", run, i))
			if _, err := admin.CreateUser(ctx, people[i], ""); err != nil {
				t.Fatal(err)
			}
		}
		owned := map[string]bool{}
		for i := range 2 {
			accounts = append(accounts, fmt.Sprint("account ", run, " ", i))
			if _, err := admin.CreateAccount(ctx, CreateAccount{Name: accounts[i]}); err != nil {
				t.Fatal(err)
			}
		}
		role := func() projections.Role { return projections.Roles[random.IntN(len(projections.Roles))] }
		for range 15 {
			who, of := people[random.IntN(len(people))], accounts[random.IntN(len(accounts))]
			command := []string{"add", "add", "change", "remove", "disable", "enable", "operator", "suspend", "resume"}[random.IntN(9)]
			var err error
			switch command {
			case "add":
				err = admin.AddMember(ctx, of, who, role())
			case "change":
				err = admin.ChangeMember(ctx, of, who, role())
			case "remove":
				err = admin.RemoveMember(ctx, of, who)
			case "disable":
				err = admin.DisableUser(ctx, who)
			case "enable":
				err = admin.EnableUser(ctx, who)
			case "operator":
				err = admin.SetOperator(ctx, who, random.IntN(2) == 0)
			case "suspend":
				_, err = admin.Suspend(ctx, of, "")
			case "resume":
				_, err = admin.Resume(ctx, of)
			}
			var refused *RefusedError
			if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, ErrExists) && !errors.Is(err, ErrLastOwner) && !errors.As(err, &refused) && !strings.Contains(err.Error(), "is disabled") {
				t.Fatalf("%s %s in %s: %v", command, who, of, err)
			}
			for _, name := range accounts {
				a, err := admin.Account(ctx, name)
				if err != nil {
					t.Fatal(err)
				}
				owned[name] = owned[name] || a.Owners() > 0
				if owned[name] && a.Owners() == 0 {
					t.Fatalf("%q has no owner any more: %+v", name, a.Members)
				}
			}
		}
		for _, email := range people {
			user, err := admin.User(ctx, email)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range accounts {
				if a, err := admin.Account(ctx, name); err != nil || user.Disabled && slices.ContainsFunc(a.Members, func(m projections.Member) bool { return m.UserID == user.ID }) {
					t.Fatalf("%q is disabled and a member of %q (%v)", email, name, err)
				}
			}
		}
	}
}

func TestRevokedWorksNowhere(t *testing.T) {
	t.Parallel()
	revokedWorksNowhere(t, []*log.Log{startLog(t).log})
}

// revokedWorksNowhere fails where something that was revoked works at a node a second later,
// whichever node it was revoked at: keys, earlier secrets, tokens, sessions, users, accounts.
func revokedWorksNowhere(t *testing.T, logs []*log.Log) {
	ctx := t.Context()
	var views []*projections.Views
	var nodes []Admin
	for _, l := range logs {
		v, err := projections.Open(ctx, l, t.TempDir(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := v.CaughtUp(ctx); err != nil {
			t.Fatal(err)
		}
		views, nodes = append(views, v), append(nodes, Admin{Log: l})
	}
	keyWorks := func(v *projections.Views, secret string) bool {
		key, account, found, err := v.Authenticate(sha256.Sum256([]byte(secret)))
		return err == nil && found && !key.Revoked && account.Suspended == nil
	}
	tokenWorks := func(v *projections.Views, secret string) bool {
		token, user, found, err := v.AuthenticateToken(sha256.Sum256([]byte(secret)))
		return err == nil && found && !token.Revoked && !user.Disabled
	}
	sessionWorks := func(v *projections.Views, secret string) bool {
		_, user, found, err := v.AuthenticateSession(sha256.Sum256([]byte(secret)))
		return err == nil && found && !user.Disabled
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	slowest := time.Duration(0)
	for round := range 2 {
		at := func() Admin { return nodes[rand.IntN(len(nodes))] }
		email := fmt.Sprintf("ada%d@example.com", round)
		_, err := at().CreateUser(ctx, email, "")
		must(err)
		key := func() (uuid.UUID, string) {
			id, secret, err := at().CreateKey(ctx, "acme", KeyTerms{})
			must(err)
			return id, secret
		}
		token := func() (uuid.UUID, string) {
			id, secret, err := at().CreateToken(ctx, email, KeyTerms{})
			must(err)
			return id, secret
		}
		revoked, first := key()
		rotated, second := key()
		_, third := key()
		ended, fourth := token()
		_, fifth := token()
		_, session, err := at().startSession(ctx, email, events.WayPassword, func(projections.User) error { return nil })
		must(err)
		for _, c := range []struct {
			what   string
			secret string
			works  func(*projections.Views, string) bool
			revoke func() error
		}{
			{"a revoked key", first, keyWorks, func() error { return at().RevokeKey(ctx, revoked) }},
			{"the secret before", second, keyWorks, func() error { _, err := at().RotateKey(ctx, rotated, 0); return err }},
			{"a key of a suspended account", third, keyWorks, func() error { _, err := at().Suspend(ctx, "acme", ""); return err }},
			{"a revoked token", fourth, tokenWorks, func() error { return at().RevokeToken(ctx, email, ended) }},
			{"an ended session", session, sessionWorks, func() error { return at().EndSessions(ctx, email) }},
			{"a token of a disabled user", fifth, tokenWorks, func() error { return at().DisableUser(ctx, email) }},
		} {
			for _, v := range views {
				must(v.Fresh(ctx))
				if !c.works(v, c.secret) {
					t.Fatalf("round %d: %s does not work before", round, c.what)
				}
			}
			must(c.revoke())
			since := time.Now()
			for i, v := range views {
				for c.works(v, c.secret) {
					if took := time.Since(since); took > time.Second {
						t.Fatalf("round %d, node %d: %s works after %s", round, i, c.what, took)
					}
				}
			}
			slowest = max(slowest, time.Since(since))
		}
		_, err = at().Resume(ctx, "acme")
		must(err)
	}
	t.Logf("the slowest took %s", slowest)
}

// The audit has every event of administration, and by whom it came about.
func TestAuditHasEveryType(t *testing.T) {
	t.Parallel()
	l := startLog(t).log
	actor := events.Actor{How: events.ByShell, Name: "ada"}
	account, domain, user := uuid.New(), uuid.New(), uuid.New()
	sequences := map[events.Subject]uint64{}
	want := map[string]bool{}
	for name, typ := range events.Types() {
		data, is := reflect.New(typ).Interface().(events.Administration)
		if !is {
			continue
		}
		want[name] = true
		data.Sign(actor)
		if created, is := data.(*events.AccountCreated); is {
			created.AccountID = account
		}
		subject := events.AccountSubject(account)
		switch noun := strings.Split(name, ".")[1]; noun {
		case "domain", "draft":
			subject = events.DomainSubject(account, domain)
		case "conversation":
			subject = events.ConversationSubject(account, domain)
		case "account", "key", "member":
		default: // a user, and what belongs to one
			subject = events.UserSubject(user)
		}
		e := newEvent(subject, data)
		sequence, err := l.Append(t.Context(), e, sequences[subject])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sequences[subject] = sequence
	}
	list, err := Admin{Log: l}.Audit(t.Context(), "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		by := e.Data.(events.Administration).Actor()
		if by == nil || by.How == "" {
			t.Errorf("%s is by %+v", events.Name(e.Data), by)
		}
		if by != nil && *by == actor {
			delete(want, events.Name(e.Data))
		}
	}
	for name := range want {
		t.Errorf("%s is not in the audit", name)
	}
}
