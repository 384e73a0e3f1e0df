package console

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/http/browsertest"
	"reckon/projections"
)

// An operator, who is in no account, sees what is not well and what to do; nobody else sees that there is such a page.
func TestInstallation(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *Config) {
		c.Node.Certificates = []nodes.Certificate{{Of: "node", Ends: time.Now().Add(10*24*time.Hour + time.Hour)}}
		c.Node.Findings = func() []nodes.Advice {
			return []nodes.Advice{{Level: nodes.Warning, About: "settings", Says: "<script>alert(1)</script> is unwise.", Do: "Leave it out."}, {Level: nodes.Note, Says: "A note."}}
		}
	})
	h.publish("acme", "home/electricity.yaml")
	h.said(h.signedIn("ada@example.com", "acme", projections.RoleOwner), "acme", "power: 123.456 kW\ncalculate: energy")
	b := h.signedIn("op@example.com", "", "")
	p := b.get("/console")
	h.shows("the start", p, 200, "/console/installation", "This is not as it should be", "No backup is known that was made from here.", "Have 'reckon backup' write one",
		"The certificate of the node ", "(node) ends in 10 days.", "'reckon cluster credentials'", "is unwise.</strong> Leave it out.", "A note.", "Events in the log", "acme", "other", "ready", "no owner", "1 message this month")
	if strings.Contains(p.raw, "<script>alert") || !strings.Contains(p.raw, "&lt;script&gt;alert(1)") {
		t.Error("a finding is not escaped")
	}
	if strings.Contains(p.text, "123.456") {
		t.Error("an operator sees what was asked")
	}
	for _, role := range projections.Roles {
		m := h.signedIn(string(role)+"@example.com", "acme", role)
		h.shows("as "+string(role), m.get("/console/installation"), 404, "/console/installation", "There is nothing at this path.")
		if strings.Contains(m.get("/console").raw, "/console/installation") {
			t.Errorf("a %s is led to the installation", role)
		}
	}
	if err := h.admin.SetOperator(t.Context(), "op@example.com", false); err != nil {
		t.Fatal(err)
	}
	b.eventually("no operator any more", func() bool { return b.get("/console/installation").status == 404 })
}

// Without anything to do the first words say so.
func TestInstallationIsWell(t *testing.T) {
	s := installationShown{Notes: []nodes.Advice{{Level: nodes.Note}}}
	if !s.Well() || len(s.Found()) != 0 {
		t.Errorf("%+v", s.Found())
	}
	all := nodes.Installation{
		Events: 1200, This: nodes.Node{Name: "a"}, Others: []nodes.Peer{{Name: "a", Leads: true, Current: true}, {Name: "b", Lag: 7}, {Name: "c", Offline: true}},
	}
	started := time.Date(2027, 1, 31, 18, 0, 0, 0, time.UTC)
	a := nodeOf(all, nodes.Answer{Name: "a", Node: &nodes.Node{Version: "1", Started: &started, Ready: true, Folded: 1190, DiskFree: 1 << 30, DiskTotal: 1 << 40}})
	if a.Log != "leads" || a.Behind != "10 events" || !a.Well || !a.This || a.Since != "31 Jan 2027, 18:00" || a.Disk != "1.0 GiB of 1.0 TiB free" || a.Backup != "none known" {
		t.Errorf("%+v", a)
	}
	if b := nodeOf(all, nodes.Answer{Name: "b", Node: &nodes.Node{Waits: "it starts"}}); b.Log != "7 behind" || b.State != "not ready: it starts" || b.Well {
		t.Errorf("%+v", b)
	}
	if c := nodeOf(all, nodes.Answer{Name: "c"}); c.State != "not there" || c.Well {
		t.Errorf("%+v", c)
	}
}

// Whichever node a page comes from, it shows what all of them are at, and what became of work whose node was lost.
func TestTasksOfNodes(t *testing.T) {
	ended := time.Date(2027, 1, 31, 18, 0, 4, 0, time.UTC)
	all := nodes.Installation{Nodes: []nodes.Answer{
		{Name: "a", Node: &nodes.Node{}}, {Name: "b"},
		{Name: "c", Node: &nodes.Node{Task: &nodes.Task{Verifies: true, Progress: projections.Progress{Events: 1, Total: 4}}}},
		{Name: "d", Node: &nodes.Node{Task: &nodes.Task{Began: ended.Add(-4 * time.Second), Ended: &ended}}},
	}}
	var s installationShown
	s.tasks(all)
	if len(s.Tasks) != 2 || !s.Works || s.Tasks[0].Node != "c" || s.Tasks[0].Share != 25 || !s.Tasks[0].Runs || s.Tasks[1].Node != "d" || s.Tasks[1].Took != "4 seconds" {
		t.Errorf("%+v", s.Tasks)
	}
	for name, want := range map[string]struct {
		says  string
		works bool
	}{"a": {"What was begun on a has not come to its end", false}, "b": {"b, on which it was begun, does not answer", true}, "z": {"does not answer", true}, "c": {"", false}, "": {"", false}} {
		var s installationShown
		if s.lost(all, name); !strings.Contains(s.Lost, want.says) || (s.Lost == "") != (want.says == "") || s.Works != want.works {
			t.Errorf("%s: %q, %t", name, s.Lost, s.Works)
		}
	}
}

var linkShownOnce = regexp.MustCompile(`<pre tabindex="0" id="link">([^<]+)</pre>`)

// An operator makes accounts with links for their owners, bounds them and suspends them, and gives nothing to themselves.
func TestTenants(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	op := h.signedIn("op@example.com", "", "")
	const at = "/console/installation"
	made := op.post(at+"/accounts", "name", "Globex <b>", "zone", "Europe/Berlin", "email", "hank@example.com")
	h.shows("an account", made, 200, at+"/accounts", "The link for hank@example.com", "Globex <b>", "Europe/Berlin", "owner")
	found := linkShownOnce.FindStringSubmatch(made.raw)
	if found == nil || strings.Contains(made.raw, "Globex <b>") {
		t.Fatalf("no link, or a name that is not escaped:\n%s", made.raw)
	}
	tenant := at + "/accounts/" + commands.AccountID("Globex <b>").String()
	if p := op.get(tenant); strings.Contains(p.raw, "reckon_link_") {
		t.Error("a link is shown twice")
	}
	hank := h.browser()
	hank.post("/console/invitation", "link", found[1], "password", password, "again", password)
	h.shows("its owner", hank.get("/console"), 200, "/console", "owner of this account")

	for what, c := range map[string]struct {
		path   string
		fields []string
		says   string
	}{
		"again":          {at + "/accounts", []string{"name", "Globex <b>", "zone", "UTC"}, "exists already"},
		"no name":        {at + "/accounts", []string{"zone", "UTC"}, "1 to 100 characters"},
		"no zone":        {at + "/accounts", []string{"name", "x", "zone", "Mars"}, "Mars"},
		"oneself":        {at + "/accounts", []string{"name", "mine", "zone", "UTC", "email", "OP@example.com"}, "An operator gives roles to others"},
		"oneself later":  {tenant + "/link", []string{"email", "op@example.com", "role", "owner"}, "An operator gives roles to others"},
		"no address":     {tenant + "/link", []string{"email", "nobody", "role", "owner"}, "e-mail address"},
		"no role":        {tenant + "/link", []string{"email", "bo@example.com", "role", "king"}, "king"},
		"no number":      {tenant + "/ceiling", []string{"reads", "many"}, `"many" is no whole number`},
		"a long reason":  {tenant + "/suspend", []string{"reason", strings.Repeat("x", 300)}, "and 200 at most"},
		"not known here": {at + "/accounts", []string{"name", "y", "email", "no address"}, "e-mail address"},
	} {
		h.shows(what, op.post(c.path, c.fields...), 422, c.path, c.says)
	}
	if _, err := h.admin.Account(t.Context(), "mine"); !errors.Is(err, commands.ErrNone) {
		t.Errorf("an account of the operator: %v", err)
	}
	h.shows("a ceiling", op.post(tenant+"/ceiling", "reads", "1,000", "prose", "5"), 200, tenant, "It is kept.", `value="1000"`)
	h.shows("above it", hank.post("/console/settings", "zone", "UTC", "version", "2", "reads", "2000"), 422, "/console/settings", "1000")
	h.shows("suspended", op.post(tenant+"/suspend", "reason", "the bill & more"), 200, tenant, "It is suspended since", "the bill & more")
	hank.eventually("suspended", func() bool {
		return strings.Contains(hank.get("/console/settings").text, "This account is suspended: the bill & more")
	})
	h.shows("resumed", op.post(tenant+"/resume"), 200, tenant, "Suspend it")
	h.shows("another link", op.post(tenant+"/link", "email", "hank@example.com"), 200, tenant+"/link", "The link for hank@example.com")
	h.shows("no account", op.get(at+"/accounts/"+commands.AccountID("nobody's").String()), 404, at+"/accounts/"+commands.AccountID("nobody's").String(), "There is no such account.")
	h.shows("without an owner", op.post(at+"/accounts", "name", "empty", "zone", "UTC"), 200, at+"/accounts/"+commands.AccountID("empty").String(), "Nobody is in it yet")
}

// Views are verified and built anew, one at a time, whoever looks on; a verification can be stopped.
func TestVerifyAndRebuild(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	op := h.signedIn("op@example.com", "", "")
	const at = "/console/installation"
	done := func(what, text string) {
		t.Helper()
		for began := time.Now(); ; {
			p := op.get(at)
			if strings.Contains(p.text, text) {
				return
			}
			if time.Since(began) > browsertest.Patience {
				t.Fatalf("%s: the page does not say %q:\n%s", what, text, p.text)
			}
		}
	}
	h.shows("a node that was started again", op.get(at+"?work=x"), 200, at, "What was begun on this node has not come to its end: it was started again meanwhile.")
	h.shows("verify", op.post(at+"/verify"), 200, at)
	done("verify", "documents are what the history makes")
	h.shows("rebuild", op.post(at+"/rebuild"), 200, at)
	done("rebuild", "All views were built anew")
	h.shows("a view", op.post(at+"/rebuild", "model", projections.Names()[0]), 200, at)
	done("a view", "The view "+projections.Names()[0]+" was built anew")
	h.shows("no view", op.post(at+"/rebuild", "model", "<script>"), 404, at+"/rebuild", "There is no such view.")

	// What is slow shows how far it is, takes nothing beside it, and ends when it is stopped.
	running := make(chan struct{})
	h.console.config.Node.Work.Start(true, "", func(ctx context.Context, tell func(projections.Progress), report func(projections.Difference)) (projections.Verification, error) {
		tell(projections.Progress{Events: 250, Total: 1000, Left: 3})
		for range 51 {
			report(projections.Difference{Projection: "usage", Key: "<script>", Sequence: 5, What: "it is missing"})
		}
		close(running)
		<-ctx.Done()
		return projections.Verification{}, ctx.Err()
	})
	<-running
	h.shows("under way", op.get(at), 200, at, "The verification runs: 250 of 1,000 are read, 3 seconds are left.", `value="25"`, "Look how far it is", "Stop it")
	for _, path := range []string{"/verify", "/rebuild"} {
		h.shows("beside it", op.post(at+path), 409, at+path, "Something runs already")
	}
	h.shows("stopped", op.post(at+"/stop", "node", h.console.source().Name()), 200, at)
	done("stopped", "It was stopped.")
	h.console.config.Node.Work.Start(true, "", func(_ context.Context, _ func(projections.Progress), report func(projections.Difference)) (projections.Verification, error) {
		for range 51 {
			report(projections.Difference{Projection: "usage", Key: "<script>", Sequence: 5, What: "it is missing"})
		}
		return projections.Verification{Documents: 1234, Differences: 51}, nil
	})
	done("differences", "51 of 1,234 documents are not what the history makes")
	p := op.get(at)
	h.shows("differences", p, 200, at, "it is missing", "And 1 more.", "Rebuild the views")
	if strings.Contains(p.raw, "<td><script>") {
		t.Error("a key is not escaped")
	}
}

// The installation with a real browser: a verification shows how far it is and its end without a reload.
func TestBrowserInstallation(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, func(c *Config) {
		c.Node.Certificates = []nodes.Certificate{{Of: "node", Ends: time.Now().Add(10 * 24 * time.Hour)}, {Of: "authority", Ends: time.Now().Add(1000 * 24 * time.Hour)}}
		c.Node.Findings = func() []nodes.Advice {
			return []nodes.Advice{{Level: nodes.Critical, Says: "The <script>alert(1)</script> is open.", Do: "Close it: javascript:alert(1)."}, {Level: nodes.Note, Says: "There is one node.", Do: "Three go on without one."}}
		}
	})
	if _, err := h.admin.CreateAccount(t.Context(), commands.CreateAccount{Name: "<script>alert(2)</script> javascript:alert(3)"}); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "op@example.com", "", "")
	b.Shows("the installation", "/console/installation", "This needs you now")
	b.Picture("installation")
	b.Fill("verify", `form[action$="/verify"] button`)
	b.Comes("verify", "#work", "documents are what the history makes")
	step, end := make(chan struct{}), make(chan struct{})
	h.console.config.Node.Work.Start(true, "", func(_ context.Context, tell func(projections.Progress), _ func(projections.Difference)) (projections.Verification, error) {
		tell(projections.Progress{Events: 250, Total: 1000, Left: 30})
		<-step
		tell(projections.Progress{Events: 750, Total: 1000, Left: 10})
		<-end
		return projections.Verification{Documents: 1234}, nil
	})
	b.Do("again", chromedp.Reload())
	b.Comes("a quarter", "#work", "250 of 1,000 are read")
	b.Picture("installation-verifies")
	close(step)
	b.Comes("three quarters", "#work", "750 of 1,000 are read, 10 seconds are left.")
	close(end)
	b.Comes("the end", "#work", "All 1,234 documents are what the history makes")
	b.Fill("an account", ".filters-end button", "name", "globex", "email", "hank@example.com")
	b.Shows("an account", "/console/installation/accounts", "The link for hank@example.com")
	b.Picture("tenant-link")
	tenant := tenantOfID(commands.AccountID("globex"))
	b.Do("the account", chromedp.Navigate(h.url+tenant))
	b.Fill("a ceiling", `form[action$="/ceiling"] button`, "reads", "100")
	b.Do("what suspends", chromedp.Click(chromedp.CSS("details.edit summary")))
	b.Fill("suspend", "button.danger", "reason", "javascript:alert(4)")
	b.Shows("suspended", tenant+"?kept", "It is suspended since")
	b.Picture("tenant-suspended")
	b.Quiet()
}
