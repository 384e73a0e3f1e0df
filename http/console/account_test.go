package console

import (
	"archive/zip"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/http/browsertest"
	"reckon/projections"
)

// An owner invites, changes roles and removes; what somebody may changes at once.
func TestPeople(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	ada := h.signedIn("ada@example.com", "acme", projections.RoleOwner)
	made := ada.post("/console/people", "email", "bo@example.com", "name", "Bo", "role", "member")
	h.shows("an invitation", made, 200, "/console/people", "The link for bo@example.com", "Reckon sends no mail", "invited, the link holds until")
	link := regexp.MustCompile(`<pre tabindex="0" id="link">([^<]+)</pre>`).FindStringSubmatch(made.raw)[1]
	if strings.Contains(ada.get("/console/people").raw, "#reckon_link_") {
		t.Error("a link is shown twice")
	}
	bo := h.browser()
	bo.post("/console/invitation", "link", link, "password", password, "again", password)
	h.shows("a member", bo.get("/console/people"), 200, "/console/people", "ada@example.com", "An owner of the account invites")
	h.shows("a member invites", bo.post("/console/people", "email", "cy@example.com", "role", "owner"), 403, "/console/people")
	id := commands.UserID("bo@example.com").String()
	h.shows("a role", ada.post("/console/people/"+id+"/role", "role", "developer"), 200, "/console/people", "developer")
	bo.eventually("a developer", func() bool { return bo.get("/console/usage").status == 200 })
	h.shows("no role", ada.post("/console/people/"+id+"/role", "role", "king"), 422, "/console/people/"+id+"/role", "king")
	self := commands.UserID("ada@example.com").String()
	h.shows("the last owner", ada.post("/console/people/"+self+"/remove"), 422, "/console/people/"+self+"/remove", "owner")
	h.shows("the last owner", ada.post("/console/people/"+self+"/role", "role", "member"), 422, "/console/people/"+self+"/role", "owner")
	h.shows("no address", ada.post("/console/people", "email", "nobody", "role", "member"), 422, "/console/people", "nobody")
	h.shows("no person", ada.post("/console/people/"+commands.UserID("x@example.com").String()+"/remove"), 404, "/console/people/"+commands.UserID("x@example.com").String()+"/remove")
	again := ada.post("/console/people", "email", "bo@example.com")
	h.shows("another link", again, 200, "/console/people", "The link for bo@example.com", "developer")
	h.shows("removing", ada.post("/console/people/"+id+"/remove"), 200, "/console/people", "Invite somebody")
	bo.until("/console/sign-in")

	// Of two owners who remove each other at once one stays.
	h.signedIn("bo@example.com", "acme", projections.RoleOwner)
	bo = h.browser()
	bo.post("/console/sign-in", "email", "bo@example.com", "password", password)
	var both sync.WaitGroup
	both.Go(func() { ada.post("/console/people/" + id + "/remove") })
	both.Go(func() { bo.post("/console/people/" + self + "/remove") })
	both.Wait()
	account, err := h.admin.Account(t.Context(), "acme")
	if err != nil || account.Owners() != 1 {
		t.Errorf("%d owners (%v)", account.Owners(), err)
	}
}

// Settings say what is wrong beside what was written, and hold once they are kept.
func TestSettings(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	b := h.signedIn("ada@example.com", "acme", projections.RoleOwner)
	const at = "/console/settings"
	h.shows("at first", b.get(at), 200, at, "Settings of acme", "Time zone")
	kept := b.post(at, "title", "Acme & Sons", "zone", "Europe/Berlin", "version", "1", "reads", "1,000")
	h.shows("kept", kept, 200, at, "It is kept", "Settings of Acme & Sons")
	account, err := h.admin.Account(t.Context(), "acme")
	if err != nil || account.TimeZone != "Europe/Berlin" || account.BodyVersion != 1 || account.Limits.Reads != 1000 || account.Retention != 0 {
		t.Errorf("%+v (%v)", account, err)
	}
	for what, fields := range map[string][]string{
		"no zone":    {"zone", "Mars", "version", "2"},
		"no number":  {"zone", "UTC", "version", "2", "reads", "many"},
		"negative":   {"zone", "UTC", "version", "2", "month_bytes", "-1"},
		"no version": {"zone", "UTC", "version", "3"},
		"retention":  {"zone", "UTC", "version", "2", "retention", "400"},
	} {
		p := b.post(at, fields...)
		h.shows(what, p, 422, at)
		if !strings.Contains(p.raw, `role="alert" tabindex="-1" autofocus`) || !strings.Contains(p.raw, fields[len(fields)-1]) {
			t.Errorf("%s shows not what was written:\n%s", what, p.text)
		}
	}
	h.shows("retention", b.post(at, "zone", "UTC", "version", "2", "retention", "400", "forget", "yes"), 200, at, "It is kept")
	archive := b.get(at + "/export")
	if files, err := zip.NewReader(strings.NewReader(archive.raw), int64(len(archive.raw))); err != nil || len(files.File) == 0 {
		t.Errorf("the export is %d bytes (%v)", len(archive.raw), err)
	}
	h.shows("another name", b.post(at+"/erase", "name", "other"), 422, at+"/erase", "Nothing is erased")
	b.post(at+"/erase", "name", "acme")
	if account, err = h.admin.Account(t.Context(), "acme"); err != nil || account.Suspended == nil || len(account.Members) > 0 {
		t.Errorf("%+v is left (%v)", account, err)
	}
}

// What was used, and what was administered, can be looked at.
func TestUsageAndAudit(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := h.signedIn("ada@example.com", "acme", projections.RoleOwner)
	h.shows("nothing", b.get("/console/usage"), 200, "/console/usage", "Nothing was asked in these 30 days.")
	h.said(b, "acme", "power: 2 kW\ncalculate: energy")
	h.said(b, "acme", "how much hay do cows eat?")
	usage := b.get("/console/usage?days=7")
	h.shows("usage", usage, 200, "/console/usage", "messages this month", "Electricity bill", "people, in this console", "language.not_understood", "Asked, and not answered")
	h.shows("no period", b.get("/console/usage?days=-1"), 200, "/console/usage", "messages this month")
	audit := b.get("/console/audit")
	h.shows("audit", audit, 200, "/console/audit", "member joined", "domain published", "Electricity bill")
	if strings.Contains(audit.raw, "hash") {
		t.Error("the audit has hashes")
	}
	h.shows("a kind", b.get("/console/audit?kind=member"), 200, "/console/audit", "member joined")
	h.shows("nobody", b.get("/console/audit?by=nobody"), 200, "/console/audit", "Nothing of that sort")
	h.shows("no number", b.get("/console/audit?before=x"), 422, "/console/audit")
	for range 60 {
		if _, _, err := h.admin.CreateKey(t.Context(), "acme", commands.KeyTerms{Name: "<script>alert(1)</script>"}); err != nil {
			t.Fatal(err)
		}
	}
	first := b.get("/console/audit?kind=key")
	next := regexp.MustCompile(`href="(/console/audit\?[^"]+)" rel="next"`).FindStringSubmatch(first.raw)
	if next == nil || strings.Contains(first.raw, "<script>alert") {
		t.Fatalf("no second part, or a script:\n%s", first.text)
	}
	second := b.get(strings.ReplaceAll(next[1], "&amp;", "&"))
	if n := strings.Count(first.raw, "key created") + strings.Count(second.raw, "key created"); n < 60 || second.status != 200 {
		t.Errorf("%d of 60 keys are shown in two parts: %d", n, second.status)
	}
}

// The pages of an account in a real browser.
func TestBrowserAccount(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleOwner)
	b.Fill("an example", ".cards li:first-child .example")
	b.Do("people", chromedp.Navigate(h.url+"/console/people"))
	b.Fill("an invitation", ".filters button", "email", "bo@example.com", "name", "Bo")
	b.Sees("an invitation", "main", "The link for bo@example.com")
	b.Picture("people")
	for _, page := range []string{"usage", "audit", "settings"} {
		b.Do(page, chromedp.Navigate(h.url+"/console/"+page))
		b.Picture(page)
	}
	b.Quiet()
}
