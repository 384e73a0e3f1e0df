package console

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/http/browsertest"
	"reckon/http/webhooks"
	"reckon/projections"
)

// A webhook is made, tried, changed, rolled, disabled, enabled and deleted; no page shows a secret
// twice, and others see nothing of it.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *Config) { c.Post, c.Private = webhooks.NewPost(true), true })
	var sent atomic.Int32
	var last atomic.Pointer[string]
	receiver := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		last.Store(&text)
		if sent.Add(1) == 1 {
			w.WriteHeader(500)
		}
	}))
	t.Cleanup(receiver.Close)
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	const page = "/console/webhooks"
	h.shows("none", b.get(page), 200, page, "There is no webhook yet.", "Make a webhook")
	h.shows("no address", b.post(page, "url", "hooks", "event", "calculation.failed"), 422, page, "A webhook needs a URL such as")
	h.shows("a public address without TLS", b.post(page, "url", "http://8.8.8.8/", "event", "calculation.failed"), 422, page, "an https address")
	h.shows("no event", b.post(page, "url", receiver.URL), 422, page, "Choose what is to be sent.")
	secretOf := func(p shown) string {
		t.Helper()
		found := regexp.MustCompile(`<pre tabindex="0" id="secret">(whsec_[^<]+)</pre>`).FindStringSubmatch(p.raw)
		if found == nil {
			t.Fatalf("no secret: %d\n%s", p.status, p.text)
		}
		return found[1]
	}
	first := secretOf(b.post(page, "url", receiver.URL, "name", "billing <b>", "event", "calculation.failed", "event", "calculation.completed"))
	list := b.get(page)
	h.shows("the list", list, 200, page, "billing <b>", receiver.URL, "failures and answers")
	at := page + "/" + regexp.MustCompile(page + `/([0-9a-f-]{36})`).FindStringSubmatch(list.raw)[1]
	one := b.get(at)
	h.shows("one", one, 200, at, "billing <b>", "Nothing of late.", "Send a test")
	h.shows("a test", b.post(at+"/test"), 200, at+"/test", "It was not taken: it answered 500.", "failed")
	h.shows("another test", b.post(at+"/test"), 200, at+"/test", "It was taken: the receiver answered 200", "delivered")
	if body := last.Load(); body == nil || !strings.Contains(*body, "webhook.test") {
		t.Errorf("a test is %v", body)
	}
	second := secretOf(b.post(at+"/roll", "overlap", "24"))
	for _, p := range []shown{list, one, b.get(at), b.get(page)} {
		if strings.Contains(p.raw, first) || strings.Contains(p.raw, second) {
			t.Error("a secret is shown twice")
		}
	}
	h.shows("the overlap", b.get(at), 200, at, "the secret before signs too until")
	h.shows("changed", b.post(at, "url", receiver.URL+"/v2", "name", "ledger", "calculation.failed", "yes"), 200, at, "It is kept.", "ledger", "/v2", "failures")
	h.shows("changed to nothing", b.post(at, "url", "", "name", "ledger", "calculation.failed", "yes"), 422, at, "needs a URL")
	h.shows("disabled", b.post(at+"/disable", "reason", "It moves"), 200, at+"/disable", "It is disabled since", "It moves", "Enable it")
	h.shows("the list", b.get(page), 200, page, "disabled", "It moves")
	h.shows("enabled", b.post(at+"/enable"), 200, at+"/enable", "It is sent what happens from now on.")
	h.shows("nothing to send again", b.post(at+"/deliveries/"+at[len(page)+1:]+"/resend"), 422, at+"/deliveries/"+at[len(page)+1:]+"/resend", "oes not exist")

	// A page of another site cannot press a button, and others see nothing.
	r := b.request("POST", at+"/delete", strings.NewReader(""))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://evil.example.com")
	if p := b.do(r); p.status != 403 {
		t.Errorf("a page of another site: %d", p.status)
	}
	other := h.signedIn("bo@example.com", "other", projections.RoleOwner)
	h.shows("another account", other.get(at), 404, at, "There is no such webhook")
	h.shows("another account deletes", other.post(at+"/delete"), 404, at+"/delete", "There is no such webhook")
	member := h.signedIn("cy@example.com", "acme", projections.RoleMember)
	h.shows("a member", member.get(page), 403, page, "This takes a developer")
	h.shows("deleted", b.post(at+"/delete"), 200, page, "There is no webhook yet.")
	if text := h.lines.String(); strings.Contains(text, first) || strings.Contains(text, second) {
		t.Error("the log has a secret")
	}
}

func TestBrowserWebhooks(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, func(c *Config) { c.Post, c.Private = webhooks.NewPost(true), true })
	receiver := httptest.NewServer(nethttp.NotFoundHandler())
	t.Cleanup(receiver.Close)
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleOwner)
	b.Do("webhooks", chromedp.Navigate(h.url+"/console/webhooks"))
	b.Fill("a webhook", "form.settings button", "url", receiver.URL, "name", "billing")
	b.Sees("a secret", "#secret", "whsec_")
	b.Picture("webhooks")
	b.Fill("the webhook", ".key-name a")
	b.Fill("a test", "main form button")
	b.Sees("a test", "[role=alert]", "It was not taken: it answered 404.")
	b.Picture("webhook")
	b.Quiet()
}
