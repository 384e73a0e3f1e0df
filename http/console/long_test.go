package console

import (
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"reckon/commands"
	"reckon/projections"
)

// A page of a conversation is as large for a thousand messages as for those that it shows, and leads to all others.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	domain := h.publish("acme", "home/electricity.yaml").DomainID.String()
	_, key, err := h.admin.CreateKey(t.Context(), "acme", commands.KeyTerms{})
	if err != nil {
		t.Fatal(err)
	}
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	conversation := h.said(b, "acme", "power: 1 kW\ncalculate: energy")[0]
	at := "/console/conversations/" + conversation
	said := 1
	say := func(upTo int) {
		t.Helper()
		for ; said < upTo; said++ {
			body := fmt.Sprintf(`{"domain_id":%q,"conversation_id":%q,"prompt":"power: %d kW\ncalculate: energy"}`, domain, conversation, said+1)
			r := b.request("POST", "/v1/calculate", strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+key)
			r.Header.Set("Content-Type", "application/json")
			response, err := b.Client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != nethttp.StatusOK {
				t.Fatalf("%d %s (%v)", response.StatusCode, text, err)
			}
		}
	}
	messages := func(p shown) int { return strings.Count(p.raw, `<article class="message"`) }
	say(maxScenarios + pageMessages)
	short := b.get(at)
	say(1000)
	began := time.Now()
	long := b.get(at)
	t.Logf("%d messages: %d bytes in %v", said, len(long.raw), time.Since(began))
	if n := messages(long); n != pageMessages {
		t.Errorf("%d messages on a page", n)
	}
	if len(long.raw) > len(short.raw)*11/10 || len(long.raw) > 1<<20 {
		t.Errorf("%d bytes for %d messages, %d for %d", len(long.raw), said, len(short.raw), maxScenarios+pageMessages)
	}
	seen := 0
	for page := long; ; {
		seen += messages(page)
		_, behind, earlier := strings.Cut(page.raw, at+"?before=")
		if !earlier {
			break
		}
		before, _, _ := strings.Cut(behind, `"`)
		page = b.get(at + "?before=" + before)
		if len(page.raw) > len(short.raw)*11/10 {
			t.Errorf("%d bytes before message %s", len(page.raw), before)
		}
	}
	if seen != said {
		t.Errorf("%d of %d messages can be reached", seen, said)
	}
}
