package console

import (
	"fmt"
	"io"
	nethttp "net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/http/browsertest"
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
	say(toCompare + pageMessages)
	short := b.get(at)
	say(1000)
	began := time.Now()
	long := b.get(at)
	t.Logf("%d messages: %d bytes in %v", said, len(long.raw), time.Since(began))
	if n := messages(long); n != pageMessages {
		t.Errorf("%d messages on a page", n)
	}
	if len(long.raw) > len(short.raw)*11/10 || len(long.raw) > 1<<20 {
		t.Errorf("%d bytes for %d messages, %d for %d", len(long.raw), said, len(short.raw), toCompare+pageMessages)
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
	of := regexp.MustCompile(`href="` + at + `\?message=([0-9a-f-]{36})#[0-9a-f-]{36}"><span class="leaf-name">Scenario 1<`).FindStringSubmatch(long.raw)
	if of == nil {
		t.Fatalf("no link to the first scenario:\n%s", long.raw)
	}
	if page := b.get(at + "?message=" + of[1]); !strings.Contains(page.raw, `<article class="message" id="`+of[1]+`"`) || messages(page) != pageMessages {
		t.Errorf("the page of a message has %d, or not that one", messages(page))
	}
	focused := b.post("/console/ask", "domain", domain, "conversation", conversation, "scenario", "5")
	h.shows("an early scenario in focus", focused, 200, at, "Scenario 5", "The newest of 1,000, the first one, and that in focus.")
	h.shows("compared with the first one", b.get(at+"/compare"), 200, at+"/compare", "720.0 kWh", "3,600.0 kWh")
	b.post("/console/ask", "domain", domain, "conversation", conversation, "scenario", "1000")
	if program := browsertest.Chromium(t); program != "" {
		h.used(browsertest.Open(t, program, h.url), at, of[1])
	}
}

// used has a conversation of 1,000 messages used as people do: it is opened, read, led to an early scenario, asked on, and a slider in
// it moves. What each takes is told.
func (h *house) used(b *browsertest.Tab, at, early string) {
	h.t.Helper()
	h.comeIn(b, "bo@example.com", "acme", projections.RoleMember)
	timed := func(what string, do func()) {
		began := time.Now()
		do()
		h.t.Logf("with 1,000 messages, %s: %v", what, time.Since(began))
	}
	timed("opening", func() { b.Do("opening", chromedp.Navigate(h.url+at)) })
	b.Sees("opening", ".message:last-child", "Scenario 1000")
	timed("scrolling through the page", func() {
		b.Run("scrolling", `for (let y = 0; y < document.documentElement.scrollHeight; y += 200) { scrollTo(0, y); document.body.getBoundingClientRect(); }`)
	})
	timed("asking one more", func() { b.Fill("asking", ".follow button", "prompt", "power: 1001 kW") })
	b.Sees("asking", ".message:last-child .value", "720,720")
	b.Fits("a long conversation")
	timed("an early scenario", func() { b.Do("early", chromedp.Navigate(h.url+at+"?message="+early+"#"+early)) })
	b.Sees("early", ".message:target .value", "720.0")
	b.Do("the newest", chromedp.Navigate(h.url+at))
	timed("what if", func() { b.Fill("what if", ".message:last-child .pod-acts a:last-child") })
	timed("a slider", func() {
		b.Run("a slider", `{const s = document.querySelector("[data-field=f-hours_per_day]"); s.value = 12; s.dispatchEvent(new Event("input", {bubbles: true}))}`)
		b.Comes("a slider", "#answer", "360,360")
	})
	b.Quiet()
}
