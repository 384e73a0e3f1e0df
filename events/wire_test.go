package events

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestEncodeCloudEvent(t *testing.T) {
	account := uuid.MustParse("0b6f0c1e-9a55-4a53-8a3b-2f6d2f2f4c11")
	header, body, err := Encode(Event{
		ID:      uuid.MustParse("5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"),
		Time:    time.Date(2026, 3, 5, 15, 7, 9, 120_900_000, time.FixedZone("", 3600)),
		Subject: AccountSubject(account),
		Data:    &AccountChanged{TimeZone: "<&>", BodyVersion: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"ce-specversion":     {"1.0"},
		"ce-id":              {"5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"},
		"ce-source":          {"reckon"},
		"ce-type":            {"reckon.account.changed.v1"},
		"ce-time":            {"2026-03-05T14:07:09.120Z"},
		"ce-subject":         {"evt.0b6f0c1e-9a55-4a53-8a3b-2f6d2f2f4c11.account"},
		"ce-datacontenttype": {"application/json"},
		"Content-Type":       {"application/json"},
	}
	if !maps.EqualFunc(header, want, slices.Equal) {
		t.Errorf("headers are %v, want %v", header, want)
	}
	if got, want := string(body), `{"time_zone":"<&>","body_version":2}`; got != want {
		t.Errorf("body is %s, want %s", got, want)
	}
}

func TestDecodeRefusesBrokenEvents(t *testing.T) {
	whole := func() map[string][]string {
		return map[string][]string{
			HeaderType: {"reckon.key.revoked.v1"}, HeaderID: {uuid.NewString()}, HeaderTime: {"2026-03-05T14:07:09.123Z"},
		}
	}
	body := `{"key_id":"5f0c8d2e-7a41-4a0e-9d6c-3b2a1f0e9d8c"}`
	decoded := func(h map[string][]string, body string) (Event, error) {
		return Decode(AccountSubject(uuid.New()), 1, h, []byte(body), false)
	}
	if e, err := decoded(whole(), body); err != nil || e.Data == nil {
		t.Fatalf("whole event: %+v (%v)", e, err)
	}
	for name, c := range map[string]struct {
		header string
		value  string
		body   string
	}{
		"no id":      {HeaderID, "", body},
		"bad id":     {HeaderID, "7", body},
		"no time":    {HeaderTime, "", body},
		"bad time":   {HeaderTime, "yesterday", body},
		"no body":    {headerSource, "reckon", ""},
		"not JSON":   {headerSource, "reckon", "{"},
		"wrong type": {headerSource, "reckon", `{"key_id":1}`},
		"not a UUID": {headerSource, "reckon", `{"key_id":"x"}`},
		"an array":   {headerSource, "reckon", `[]`},
	} {
		h := whole()
		h[c.header] = []string{c.value}
		if e, err := decoded(h, c.body); err == nil || e.Data != nil {
			t.Errorf("%s: decoded as %+v", name, e.Data)
		}
	}
}

// The request that brought an event about is in its headers, and nothing is where there was none.
func TestRequestOfAnEvent(t *testing.T) {
	for _, request := range []string{"", strings.Repeat("0", 64) + "." + strings.Repeat("f", 64)} {
		e := Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: AccountSubject(uuid.New()), Data: &KeyRevoked{KeyID: uuid.New()}, Request: request}
		header, body, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, has := header[headerRequest]; has != (request != "") {
			t.Errorf("the headers are %v", header)
		}
		if got, err := Decode(e.Subject, 7, header, body, false); err != nil || got.Request != request {
			t.Errorf("decoded as %q (%v), want %q", got.Request, err, request)
		}
		text := "NATS/1.0\r\n"
		for name, values := range header {
			text += name + ": " + values[0] + "\r\n"
		}
		if got, err := DecodeText(e.Subject, 7, []byte(text), body, false); err != nil || got.Request != request {
			t.Errorf("read from text as %q (%v), want %q", got.Request, err, request)
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
