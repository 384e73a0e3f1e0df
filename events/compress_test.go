package events

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestLargeBodies reads events back whose bodies are compressed, and refuses such bodies where they
// are damaged.
func TestLargeBodies(t *testing.T) {
	text := make([]byte, plainBody/4)
	_, _ = rand.Read(text)
	for _, name := range []string{"short", strings.Repeat("long ", plainBody/4), hex.EncodeToString(text) + strings.Repeat("x", plainBody)} {
		e := Event{ID: uuid.New(), Time: time.UnixMilli(1), Subject: AccountSubject(uuid.New()), Data: &AccountCreated{Name: name}}
		header, body, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		large := len(name) > plainBody
		if got := header[headerEncoding] != nil; got != large || large && len(body) > plainBody {
			t.Errorf("%d bytes take %d, compressed %t", len(name), len(body), got)
		}
		got, err := Decode(e.Subject, 1, header, body, false)
		if err != nil || got.Data.(*AccountCreated).Name != name || got.Size != Length(body) || got.Size < len(name) {
			t.Errorf("%d bytes read back as %d, %v", len(name), got.Size, err)
		}
		for _, at := range []int{0, 5, len(body) / 2, len(body) - 1} {
			damaged := bytes.Clone(body)
			damaged[at] ^= 0x10
			if got, err := Decode(e.Subject, 1, header, damaged, false); large && err == nil && got.Data.(*AccountCreated).Name == name {
				t.Errorf("the same with a bit of byte %d changed", at)
			}
			if _, err := Decode(e.Subject, 1, header, body[:at], false); err == nil {
				t.Errorf("cut at byte %d it is read", at)
			}
		}
	}
}
