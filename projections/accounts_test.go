package projections

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

func hashOf(secret string) ([32]byte, string) {
	sum := sha256.Sum256([]byte(secret))
	return sum, hex.EncodeToString(sum[:])
}

// Each row folds one event and then looks secrets up: found and not revoked (in), found and revoked
// (revoked), or unknown (out).
func TestAccountsFindKeys(t *testing.T) {
	account, one, two := uuid.New(), uuid.New(), uuid.New()
	hash := func(secret string) string { _, text := hashOf(secret); return text }
	later := time.Now().Add(time.Hour)
	rows := []struct {
		name             string
		data             any
		in, revoked, out []string
	}{
		{"created", &events.AccountCreated{AccountID: account, Name: "acme", TimeZone: "UTC", BodyVersion: 2}, nil, nil, []string{"a", "b", "c"}},
		{"a key", &events.KeyCreated{KeyID: one, Hash: hash("a")}, []string{"a"}, nil, []string{"b", "c"}},
		{"a second key", &events.KeyCreated{KeyID: two, Hash: hash("b")}, []string{"a", "b"}, nil, []string{"c"}},
		{"the same key again", &events.KeyCreated{KeyID: one, Hash: hash("d")}, []string{"a", "b"}, nil, []string{"c", "d"}},
		{"rotated", &events.KeyRotated{KeyID: one, Hash: hash("c")}, []string{"b", "c"}, nil, []string{"a"}},
		{"rotated with an overlap", &events.KeyRotated{KeyID: two, Hash: hash("f"), OverlapUntil: &later}, []string{"b", "c", "f"}, nil, []string{"a"}},
		{"rotated with one that is over", &events.KeyRotated{KeyID: two, Hash: hash("g"), OverlapUntil: &start}, []string{"c", "g"}, nil, []string{"a", "b", "f"}},
		{"rotated back", &events.KeyRotated{KeyID: two, Hash: hash("b")}, []string{"b", "c"}, nil, []string{"a", "f", "g"}},
		{"settings", &events.AccountChanged{TimeZone: "Europe/Vienna", BodyVersion: 1}, []string{"b", "c"}, nil, []string{"a"}},
		{"revoked", &events.KeyRevoked{KeyID: one}, []string{"b"}, []string{"c"}, []string{"a"}},
		{"a revoked key does not rotate", &events.KeyRotated{KeyID: one, Hash: hash("e")}, []string{"b"}, []string{"c"}, []string{"a", "e"}},
		{"unknown keys", &events.KeyRevoked{KeyID: uuid.New()}, []string{"b"}, []string{"c"}, []string{"a"}},
		{"unknown event", nil, []string{"b"}, []string{"c"}, []string{"a"}},
		{"rotated with an overlap again", &events.KeyRotated{KeyID: two, Hash: hash("h"), OverlapUntil: &later}, []string{"b", "h"}, []string{"c"}, []string{"a"}},
		{"revoked while two secrets hold", &events.KeyRevoked{KeyID: two}, nil, []string{"b", "c", "h"}, []string{"a"}},
	}
	memory := openAccounts(nil)
	var a Account
	for i, row := range rows {
		e := event(events.AccountSubject(account), row.data)
		e.Sequence = uint64(i + 1)
		e.Time = start.Add(time.Duration(i) * time.Second)
		given, kept := a, a
		kept.Keys = slices.Clone(a.Keys)
		a = ApplyAccount(a, e)
		if !reflect.DeepEqual(given, kept) {
			t.Errorf("%s: the fold changed the account that it was given", row.name)
		}
		memory.set(a)
		check := func(secrets []string, wantFound, wantRevoked bool) {
			for _, secret := range secrets {
				sum, _ := hashOf(secret)
				key, owner, found := memory.find(sum)
				if found != wantFound || key.Revoked != wantRevoked || found && owner.ID != account {
					t.Errorf("%s: secret %s: found %t, revoked %t, account %s", row.name, secret, found, key.Revoked, owner.ID)
				}
			}
		}
		check(row.in, true, false)
		check(row.revoked, true, true)
		check(row.out, false, false)
		if a.Sequence != e.Sequence {
			t.Errorf("%s: the account stands at %d", row.name, a.Sequence)
		}
	}
	if a.Name != "acme" || a.TimeZone != "Europe/Vienna" || a.BodyVersion != 1 || !a.CreatedAt.Equal(start) {
		t.Errorf("the account is %+v", a)
	}
	if key := a.Keys[0]; key.RotatedAt == nil || !key.RotatedAt.Equal(start.Add(4*time.Second)) || !key.CreatedAt.Equal(start.Add(time.Second)) {
		t.Errorf("the key is %+v", key)
	}
}

// What a key with scopes may do and see, and until when.
func TestKeyScopes(t *testing.T) {
	one, two := uuid.New(), uuid.New()
	of := func(id uuid.UUID) string { return ScopeDomain + id.String() }
	for _, c := range []struct {
		scopes               []string
		calculates, one, two bool
	}{
		{nil, true, true, true},
		{[]string{ScopeCalculate}, true, true, true},
		{[]string{ScopeRead}, false, true, true},
		{[]string{ScopeRead, ScopeCalculate}, true, true, true},
		{[]string{of(one)}, true, true, false},
		{[]string{of(one), of(two)}, true, true, true},
		{[]string{ScopeRead, of(two)}, false, false, true},
	} {
		k := Key{Scopes: c.scopes}
		if got := k.Calculates(); got != c.calculates {
			t.Errorf("%v calculates: %t", c.scopes, got)
		}
		if k.Sees(one) != c.one || k.Sees(two) != c.two {
			t.Errorf("%v sees %t and %t", c.scopes, k.Sees(one), k.Sees(two))
		}
		both := Conversation{Domain: &DomainRef{ID: one}, Focus: map[uuid.UUID]int{one: 1, two: 2}}
		if got := k.SeesConversation(both); got != (c.one && c.two) {
			t.Errorf("%v sees a conversation of both: %t", c.scopes, got)
		}
		if begun := (Conversation{Domain: &DomainRef{ID: one}}); k.SeesConversation(begun) != c.one {
			t.Errorf("%v sees a conversation that has begun: %t", c.scopes, k.SeesConversation(begun))
		}
	}
	if k := (Key{ExpiresAt: &start}); !k.Expired(start) || k.Expired(start.Add(-time.Nanosecond)) || (Key{}).Expired(start) {
		t.Error("a key ends at another moment than it says")
	}
}
