package events

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
)

func TestEncodeCloudEvent(t *testing.T) {
	account := uuid.MustParse("0b6f0c1e-9a55-4a53-8a3b-2f6d2f2f4c11")
	m, err := Encode(Event{
		ID:      uuid.MustParse("5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"),
		Time:    time.Date(2026, 3, 5, 15, 7, 9, 120_900_000, time.FixedZone("", 3600)),
		Subject: AccountSubject(account),
		Data:    &AccountChanged{TimeZone: "<&>", BodyVersion: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := nats.Header{
		"ce-specversion":     {"1.0"},
		"ce-id":              {"5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"},
		"ce-source":          {"reckon"},
		"ce-type":            {"reckon.account.changed.v1"},
		"ce-time":            {"2026-03-05T14:07:09.120Z"},
		"ce-subject":         {"evt.0b6f0c1e-9a55-4a53-8a3b-2f6d2f2f4c11.account"},
		"ce-datacontenttype": {"application/json"},
		"Content-Type":       {"application/json"},
	}
	if !maps.EqualFunc(m.Header, want, slices.Equal) {
		t.Errorf("headers are %v, want %v", m.Header, want)
	}
	if m.Subject != "evt.0b6f0c1e-9a55-4a53-8a3b-2f6d2f2f4c11.account" {
		t.Errorf("subject is %s", m.Subject)
	}
	if got, want := string(m.Data), `{"time_zone":"<&>","body_version":2}`; got != want {
		t.Errorf("body is %s, want %s", got, want)
	}
}

func TestDecodeRefusesBrokenEvents(t *testing.T) {
	whole := func() nats.Header {
		return nats.Header{
			headerType: {"reckon.key.revoked.v1"}, headerID: {uuid.NewString()}, headerTime: {"2026-03-05T14:07:09.123Z"},
		}
	}
	body := `{"key_id":"5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"}`
	var e Event
	if err := e.fill(whole(), []byte(body), false); err != nil || e.Data == nil {
		t.Fatalf("whole event: %+v (%v)", e, err)
	}
	for name, c := range map[string]struct {
		header string
		value  string
		body   string
	}{
		"no id":      {headerID, "", body},
		"bad id":     {headerID, "7", body},
		"no time":    {headerTime, "", body},
		"bad time":   {headerTime, "yesterday", body},
		"no body":    {headerSource, "reckon", ""},
		"not JSON":   {headerSource, "reckon", "{"},
		"wrong type": {headerSource, "reckon", `{"key_id":1}`},
		"not a UUID": {headerSource, "reckon", `{"key_id":"x"}`},
		"an array":   {headerSource, "reckon", `[]`},
	} {
		h := whole()
		h.Set(c.header, c.value)
		var e Event
		if err := e.fill(h, []byte(c.body), false); err == nil || e.Data != nil {
			t.Errorf("%s: decoded as %+v", name, e.Data)
		}
	}
}

func TestDecodeIgnoresUnknownMembers(t *testing.T) {
	data, err := decodeData("reckon.key.revoked.v1", []byte(`{"reason":["lost"],"key_id":"5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := data.(*KeyRevoked).KeyID.String(); got != "5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c" {
		t.Errorf("key is %s", got)
	}
}
