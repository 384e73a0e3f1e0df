package console

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/events"
	"reckon/http/browsertest"
	"reckon/projections"
)

// dearer is the definition of a domain with another tax.
func dearer(d projections.Domain) events.Definition {
	changed := *d.Published
	changed.Activities = append(changed.Activities[:0:0], changed.Activities...)
	for i := range changed.Activities {
		changed.Activities[i].Equation = strings.Replace(changed.Activities[i].Equation, "tax_rate", "2*tax_rate", 1)
	}
	changed.Tests = nil
	return changed
}

// A domain can be read, and its draft published once what that would change was seen; an earlier
// version comes back.
func TestDomains(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	id := h.publish("acme", "home/electricity.yaml").DomainID
	h.publish("acme", "home/solar.yaml")
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	member := h.signedIn("bo@example.com", "acme", projections.RoleMember)
	at := "/console/domains/" + id.String()
	domain := func() projections.Domain {
		d, _ := h.console.views.Domain(commands.AccountID("acme"), id)
		return d
	}
	h.shows("the list", b.get("/console/domains"), 200, "/console/domains", "Electricity bill", "Solar", "0 questions in 30 days", "Write a domain")
	if strings.Contains(member.get("/console/domains").text, "Write a domain") {
		t.Error("members are led to the editor")
	}
	h.golden("domain", b.get(at))
	for _, act := range []string{"/publish", "/restore", "/retire", "/discard"} {
		h.shows("a member: "+act, member.post(at+act, "version", "1"), 403, at+act)
	}
	h.shows("no draft", b.get(at+"/publish"), 200, at, "Electricity bill")

	// The draft changes an answer.
	asked := b.post("/console/ask", "domain", id.String(), "prompt", "power: 2 kW\nunit_price: 0.32 EUR/kWh\nhours_per_day: 3 h/d\ncalculate: total")
	conversation := strings.TrimPrefix(asked.path, "/console/conversations/")
	drafted, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Key: domain().Key, Definition: dearer(domain()), Draft: true})
	if err != nil || drafted.Version != 1 {
		t.Fatalf("%+v (%v)", drafted, err)
	}
	h.shows("a draft", b.get(at), 200, at, "Publish the draft")
	page := b.get(at + "/publish")
	h.shows("the blast", page, 200, at+"/publish", "of 1 answers of the last 30 days would be others", "another value", conversation, "It has no tests.", "2*tax_rate")
	seen := regexp.MustCompile(`name="seen" value="(\d+)"`).FindStringSubmatch(page.raw)[1]
	h.shows("too many", b.post(at+"/publish", "seen", seen, "most", "0", "comment", "Dearer."), 422, at+"/publish", "1 answers would change, and 0 may", "Dearer.")
	h.shows("no number", b.post(at+"/publish", "seen", seen, "most", "few"), 422, at+"/publish", "must be a whole number")
	h.shows("unseen", b.post(at+"/publish", "seen", "1"), 422, at+"/publish", "was changed meanwhile")
	h.shows("published", b.post(at+"/publish", "seen", seen, "most", "1", "comment", "Dearer."), 200, at, "version 2", "Dearer.", "Restore version 1", "Version 2 is published, and answers from now on.")
	h.shows("again", b.post(at+"/publish", "seen", seen), 422, at+"/publish", "There is no draft any more")
	h.shows("what differs", b.get(at+"?from=1&to=2"), 200, at, "From version 1 to version 2", "2*tax_rate")
	h.shows("restored", b.post(at+"/restore", "version", "1"), 200, at, "version 3", "Version 1 again.", "Version 3 is published, and answers from now on.")
	h.shows("no version", b.post(at+"/restore", "version", "9"), 422, at+"/restore", "does not exist")

	h.shows("retired", b.post(at+"/retire", "retired", "yes"), 200, at, "It is retired", "Take it into use again")
	h.shows("the list", b.get("/console/domains"), 200, "/console/domains", "retired")
	h.shows("in use again", b.post(at+"/retire", "retired", "no"), 200, at, "Retire it")
	if _, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Key: domain().Key, Definition: dearer(domain()), Draft: true}); err != nil {
		t.Fatal(err)
	}
	h.shows("discarded", b.post(at+"/discard"), 200, at, "version 3")
	if domain().Draft != nil {
		t.Error("the draft is there")
	}

	eve := h.signedIn("eve@example.com", "other", projections.RoleOwner)
	for _, path := range []string{at, at + "/publish"} {
		h.shows("another account", eve.get(path), 404, path)
	}
	for _, act := range []string{"/publish", "/restore", "/retire", "/discard"} {
		h.shows("another account: "+act, eve.post(at+act, "version", "1"), 404, at+act)
	}
}

// What an author writes is text, and leads nowhere but to pages.
func TestHostileDomain(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	const script = "<script>alert(1)</script>"
	_, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Comment: script, Definition: events.Definition{
		Title: script, Description: script, Examples: []string{script},
		Variables: []events.Variable{
			{Key: "x", Title: script, Description: script, Kind: "number", DefaultValue: []byte(`""`), Aliases: []string{"<img onerror=alert(1)>"}},
			{Key: "y", Title: "y", Kind: "number", DefaultValue: []byte(`""`)},
		},
		Activities: []events.Activity{{Title: script, Equation: "y = 2*x", State: "active"}},
		Sources:    []events.Source{{Title: script, URL: "javascript:alert(1)"}, {Title: "a book", URL: "https://example.com/book"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	at := "/console/domains/" + h.console.views.Domains(commands.AccountID("acme"))[0].ID.String()
	for _, path := range []string{"/console/domains", at} {
		p := b.get(path)
		if p.status != 200 || strings.Contains(p.raw, "<script>alert") || strings.Contains(p.raw, "<img") || strings.Contains(p.raw, "javascript:") || strings.Contains(p.raw, "style=") {
			t.Errorf("%s: %d\n%s", path, p.status, p.raw)
		}
	}
	h.shows("a source", b.get(at), 200, at, `href="https://example.com/book" rel="noreferrer noopener"`)
}

// A domain is looked at in a real browser.
func TestBrowserDomains(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, nil)
	id := h.publish("acme", "home/electricity.yaml").DomainID
	d, _ := h.console.views.Domain(commands.AccountID("acme"), id)
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleDeveloper)
	b.Fill("an example", ".cards li:first-child .example")
	if _, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Key: d.Key, Definition: dearer(d), Draft: true, Source: "title: dearer"}); err != nil {
		t.Fatal(err)
	}
	b.Do("domains", chromedp.Navigate(h.url+"/console/domains"))
	b.Picture("domains")
	b.Do("a domain", chromedp.Navigate(h.url+domainPath(id)))
	b.Picture("domain")
	b.Do("publishing", chromedp.Navigate(h.url+domainPath(id)+"/publish"))
	b.Picture("publish")
	b.Fill("publishing", ".settings button", "comment", "Dearer.")
	b.Sees("publishing", "h1", "version 2")
	b.Do("restoring", chromedp.Click(chromedp.CSS(`details[name="version-1"] summary`)))
	b.Fill("restoring", `details[name="version-1"] button`)
	b.Sees("restoring", "h1", "version 3")
	b.Do("one with its source", chromedp.Click(chromedp.CSS(`details[name="version-2"] summary`))) // beside a link to that
	b.Fill("one with its source", `details[name="version-2"] button`)
	b.Sees("one with its source", "h1", "version 4")
	b.Do("the past", chromedp.Navigate(h.url+"/console/conversations"))
	b.Fill("the past", ".rows a")
	b.Do("the past", chromedp.Navigate(h.at(b)+"/history"))
	b.Picture("history")
	b.Quiet()
}

// at is where a tab is.
func (h *house) at(b *browsertest.Tab) string {
	h.t.Helper()
	at, err := chromedp.Run(b.Context, chromedp.Location())
	if err != nil {
		h.t.Fatal(err)
	}
	at, _, _ = strings.Cut(at, "#")
	return at
}
