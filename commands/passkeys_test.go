package commands

import (
	"errors"
	"log/slog"
	"sync"
	"testing"

	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// A challenge that one node has made is answered once, on whichever node, also by many at once.
func TestChallengesOfNodes(t *testing.T) {
	t.Parallel()
	l, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	nodes := []*Authenticator{}
	for range 2 {
		views, err := projections.Open(t.Context(), l, t.TempDir(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { views.Close() })
		nodes = append(nodes, NewAuthenticator(l, views))
	}
	ctx, admin := t.Context(), Admin{Log: l}
	user, err := admin.CreateUser(ctx, "ada@example.com", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := nodes[0].ByPasskey(ctx, user, UsedPasskey{Challenge: nodes[1].SignInChallenge()}); !errors.Is(err, ErrPasskey) {
		t.Errorf("without a passkey: %v", err)
	}
	user, secret, err := admin.startSession(ctx, user.Email, events.WayLink, enabled)
	if err != nil {
		t.Fatal(err)
	}
	session, user, _, err := nodes[0].Session(ctx, secret)
	if err != nil {
		t.Fatal(err)
	}
	begun, err := nodes[0].BeginPasskey(ctx, user, session, "", "here")
	if err != nil {
		t.Fatal(err)
	}
	if err := nodes[1].AddPasskey(ctx, user, session, NewPasskey{Name: "Key", Credential: []byte("id"), PublicKey: []byte("key"), Challenge: begun}); err != nil {
		t.Fatal(err)
	}
	if err := nodes[0].AddPasskey(ctx, user, session, NewPasskey{Name: "Key", Credential: []byte("other"), PublicKey: []byte("key"), Challenge: begun}); !errors.Is(err, ErrChallenge) {
		t.Errorf("the same challenge again: %v", err)
	}
	challenge := nodes[1].SignInChallenge()
	user, err = nodes[0].PasskeyUser(ctx, challenge, []byte("id"), user.ID[:])
	if err != nil {
		t.Fatal(err)
	}
	passkey, _ := user.PasskeyWith([]byte("id"))
	entered := make([]error, 20)
	var all sync.WaitGroup
	for i := range entered {
		all.Go(func() {
			_, _, entered[i] = nodes[i%2].ByPasskey(ctx, user, UsedPasskey{ID: passkey.ID, Challenge: challenge})
		})
	}
	all.Wait()
	in := 0
	for _, err := range entered {
		if err == nil {
			in++
		} else if !errors.Is(err, ErrChallenge) {
			t.Errorf("one of many: %v", err)
		}
	}
	if in != 1 {
		t.Errorf("%d came in by one answer", in)
	}
	for range projections.MaxChallenges {
		if _, _, err = nodes[0].ByPasskey(ctx, user, UsedPasskey{ID: passkey.ID, Challenge: nodes[1].SignInChallenge()}); err != nil {
			break
		}
	}
	if wait := (*WaitError)(nil); !errors.As(err, &wait) {
		t.Errorf("very many in a short time: %v", err)
	}
}
