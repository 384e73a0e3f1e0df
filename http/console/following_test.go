package console

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/http/browsertest"
	"reckon/projections"
)

// The stream of a conversation tells its members that there is something, goes on where it was cut off, and ends with the session.
func TestFollowing(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	asked := h.said(b, "acme", "power: 2 kW\ncalculate: energy")
	account, conversation := commands.AccountID("acme"), uuid.MustParse(asked[0])
	at := "/console/conversations/" + asked[0] + "/events"
	begin := http.EventID(account, conversation, h.console.views.At())

	follow := func(b browser, path, last string) (next func() string, end func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		r := b.request("GET", path, nil).WithContext(ctx)
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		client := *b.Client
		client.Timeout = 0
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if kind := response.Header.Get("Content-Type"); response.StatusCode != 200 || kind != "text/event-stream" || response.Header.Get("Content-Security-Policy") != policy {
			t.Fatalf("%d %v", response.StatusCode, response.Header)
		}
		lines := bufio.NewScanner(response.Body)
		return func() string { // the next event that has data, without comments; "" at the end
				id, kind := "", ""
				for lines.Scan() {
					switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
					case "id":
						id = value
					case "event":
						kind = value
					case "data":
						return kind + " " + value + " " + id
					}
				}
				return ""
			}, func() {
				cancel()
				response.Body.Close()
			}
	}
	next, end := follow(b, at+"?after="+begin, "")
	h.said(b, "acme", "power: 3 kW\ncalculate: energy") // another conversation, of which nothing is told
	b.post("/console/ask", "conversation", asked[0], "domain", h.console.views.Domains(account)[0].ID.String(), "prompt", "power: 4 kW\ncalculate: energy")
	first := strings.Fields(next())
	if len(first) != 3 || first[0] != "message.completed" || first[1] != "{}" {
		t.Fatalf("%q", first)
	}
	end()
	b.post("/console/conversations/"+asked[0], "title", "<script>")
	next, end = follow(b, at+"?after="+begin, first[2])
	if got := next(); !strings.HasPrefix(got, "conversation.described {} ") {
		t.Errorf("resumed: %q", got)
	}

	for what, path := range map[string]string{
		"no event": at, "another's event": at + "?after=" + http.EventID(account, uuid.New(), 1), "nonsense": at + "?after=<script>", "an event to come": at + "?after=" + http.EventID(account, conversation, 1<<40),
	} {
		h.shows(what, b.get(path), 422, at, "This is no event of the conversation.")
	}
	other := h.signedIn("bo@example.com", "other", projections.RoleOwner)
	h.shows("another account", other.get(at+"?after="+begin), 404, at)
	h.shows("a stranger", h.browser().get(at+"?after="+begin), 200, "/console/sign-in")
	if err := h.admin.EndSessions(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "" {
		t.Errorf("behind the end of the session: %q", got)
	}
	end()
}

// A page shows what others ask, leaves alone what somebody is at, and asks by itself where there is no stream.
func TestBrowserFollows(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	other := h.signedIn("bo@example.com", "acme", projections.RoleMember)
	asked := h.said(other, "acme", "power: 2 kW\ncalculate: energy")
	say := func(power string) {
		other.post("/console/ask", "conversation", asked[0], "domain", h.console.views.Domains(commands.AccountID("acme"))[0].ID.String(), "prompt", "power: "+power+" kW\ncalculate: energy")
	}
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleMember)
	b.Do("the conversation", chromedp.Navigate(h.url+"/console/conversations/"+asked[0]))
	b.Comes("the first", "#messages", "2 kW")
	say("31")
	b.Comes("what another asked", "#messages", "31 kW")
	b.Comes("its scenario", "#scenarios-part", "31 kW")
	b.Run("somebody is at it", `document.querySelector("#messages details").open = true`)
	say("47")
	b.Wait("what is new waits", `!document.getElementById("news").hidden`)
	b.Run("it is left alone", `if (!document.querySelector("#messages details[open]") || document.querySelector("#messages").innerText.includes("47 kW")) throw Error("it is not")`)
	b.Picture("conversation-news")
	b.Fill("look", "#news a")
	b.Comes("look", "#messages", "47 kW")
	b.Quiet()
	if err := errors.Join(h.admin.EndSessions(t.Context(), "ada@example.com"), h.console.views.Fresh(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(b.Context, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Evaluate[any](`htmx.trigger(document.getElementById("messages"), "look")`))); err != nil {
		t.Fatal(err)
	}
	b.Fill("signing in again", "main button", "email", "ada@example.com", "password", password)
	b.Comes("back where it was", "#messages", "47 kW")
	b.Do("without streams", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "*://*:*/*/events", Block: true}}})
		return err
	}), chromedp.Reload())
	b.Run("an answer is waited for", `document.getElementById("messages").dataset.waits = ""`)
	say("53")
	b.Comes("the answer", "#messages", "53 kW")
}
