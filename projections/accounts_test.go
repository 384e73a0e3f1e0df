package projections

import (
	"crypto/sha256"
	"encoding/hex"
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
		{"settings", &events.AccountChanged{TimeZone: "Europe/Vienna", BodyVersion: 1}, []string{"b", "c"}, nil, []string{"a"}},
		{"revoked", &events.KeyRevoked{KeyID: one}, []string{"b"}, []string{"c"}, []string{"a"}},
		{"a revoked key does not rotate", &events.KeyRotated{KeyID: one, Hash: hash("e")}, []string{"b"}, []string{"c"}, []string{"a", "e"}},
		{"unknown keys", &events.KeyRevoked{KeyID: uuid.New()}, []string{"b"}, []string{"c"}, []string{"a"}},
		{"unknown event", nil, []string{"b"}, []string{"c"}, []string{"a"}},
	}
	memory := openAccounts(nil)
	var a Account
	for i, row := range rows {
		e := event(events.AccountSubject(account), row.data)
		e.Sequence = uint64(i + 1)
		e.Time = start.Add(time.Duration(i) * time.Second)
		given, kept := a.Keys, slices.Clone(a.Keys)
		a = ApplyAccount(a, e)
		if !slices.Equal(given, kept) {
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
