package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/uuid"
	"golang.org/x/net/html"

	"reckon/commands"
	"reckon/events"
	"reckon/http/browsertest"
	"reckon/http/webhooks"
	"reckon/projections"
)

// elements are those of a page with an attribute, by what it is.
func elements(t *testing.T, p shown, name string) map[string]*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.raw))
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]*html.Node{}
	for n := range root.Descendants() {
		if value := property(n, name); n.Type == html.ElementNode && value != "" {
			if list[value] != nil && name == "id" {
				t.Errorf("two elements have the id %q", value)
			}
			list[value] = n
		}
	}
	return list
}

func property(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func folds(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.Data == "details" && !slices.ContainsFunc(a.Attr, func(a html.Attribute) bool { return a.Key == "open" }) {
			return true
		}
	}
	return false
}

// textWithin is the text of an element.
func textWithin(n *html.Node) string {
	text := ""
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text += d.Data
		}
	}
	return text
}

// at fails unless a page says at fields, and above its form, what is wrong with them.
func (h *house) faulted(what string, p shown, fields ...string) {
	h.t.Helper()
	ids, links := elements(h.t, p, "id"), elements(h.t, p, "href")
	said := ""
	for _, field := range fields {
		n := ids[field]
		if n == nil {
			h.t.Errorf("%s: no field %s (%d):\n%s", what, field, p.status, p.raw)
			return
		}
		by, _, _ := strings.Cut(property(n, "aria-describedby"), " ")
		if property(n, "aria-invalid") != "true" || ids[by] == nil || property(ids[by], "class") != "fault" {
			h.t.Errorf("%s: %s is %v", what, field, n.Attr)
			return
		}
		if folds(n) {
			h.t.Errorf("%s: %s is folded", what, field)
		}
		said = textWithin(ids[by])
	}
	if link := links["#"+fields[0]]; link == nil || textWithin(link) != said || said == "" {
		h.t.Errorf("%s: %q is not said above the form:\n%s", what, said, p.raw)
	}
}

// Whatever a form is refused for is said at the field that it is about, and above the form.
func TestFaults(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *Config) { c.Post, c.Private = webhooks.NewPost(true), true })
	long, far := strings.Repeat("x", 5000), "bo@example.com"
	stranger := h.browser()
	for what, of := range map[string]struct {
		path   string
		form   []string
		fields []string
	}{
		"no password":   {"/console/sign-in", []string{"email", far, "password", "wrong password"}, []string{"email", "password"}},
		"no link":       {"/console/invitation", []string{"link", "none", "password", password, "again", password}, []string{"link"}},
		"two passwords": {"/console/invitation", []string{"link", "none", "password", password, "again", "other"}, []string{"again"}},
		"a weak one":    {"/console/invitation", []string{"link", h.invite(far, "acme", projections.RoleMember), "password", "password123", "again", "password123"}, []string{"password"}},
	} {
		h.faulted(what, stranger.post(of.path, of.form...), of.fields...)
	}
	ada := h.signedIn("ada@example.com", "acme", projections.RoleOwner)
	d := h.publish("acme", "home/electricity.yaml")
	asked := conversationPath(uuid.MustParse(h.said(ada, "acme", "what does 100 kWh cost?")[0]))
	domain := domainPath(d.DomainID)
	editor := ada.get(domain + "/edit")
	text := between(editor.text, `wrap="off">`+"\n", "</textarea>")
	ada.post(webhooksPath, "url", "http://127.0.0.1:1/", "event", events.CalculationFailed)
	hook := webhooksPath + "/" + between(ada.get(webhooksPath).raw, `<a href="`+webhooksPath+"/", `"`)
	self := commands.UserID("ada@example.com").String()
	settings := []string{"zone", "UTC", "version", "2"}
	for what, of := range map[string]struct {
		path   string
		form   []string
		fields []string
	}{
		"another password":       {"/console/password", []string{"old", "wrong password", "password", password, "again", password}, []string{"old"}},
		"a password typed twice": {"/console/password", []string{"old", password, "password", password, "again", "other"}, []string{"again"}},
		"a key's name":           {"/console/keys", []string{"name", long}, []string{"name"}},
		"a key's last day":       {"/console/keys", []string{"name", "a", "expires", "2001-01-01"}, []string{"expires"}},
		"a key's day":            {"/console/keys", []string{"name", "a", "expires", "soon"}, []string{"expires"}},
		"a key's domain":         {"/console/keys", []string{"name", "a", "domain", "x"}, []string{"key-domain"}},
		"an address":             {"/console/people", []string{"email", "nobody", "role", "member"}, []string{"email"}},
		"a name":                 {"/console/people", []string{"email", "cy@example.com", "name", long, "role", "member"}, []string{"name"}},
		"a role":                 {"/console/people", []string{"email", "cy@example.com", "role", "king"}, []string{"role"}},
		"the last owner":         {"/console/people/" + self + "/role", []string{"role", "member"}, []string{"role-" + self}},
		"a zone":                 {"/console/settings", []string{"zone", "Mars", "version", "2"}, []string{"zone"}},
		"an account's title":     {"/console/settings", append(slices.Clone(settings), "title", long), []string{"title"}},
		"a version":              {"/console/settings", []string{"zone", "UTC", "version", "3"}, []string{"version"}},
		"a language":             {"/console/settings", append(slices.Clone(settings), "language", "xx"), []string{"language"}},
		"retention":              {"/console/settings", append(slices.Clone(settings), "retention", "99999", "forget", "yes"), []string{"retention"}},
		"retention unmeant":      {"/console/settings", append(slices.Clone(settings), "retention", "400"), []string{"retention"}},
		"retention in words":     {"/console/settings", append(slices.Clone(settings), "retention", "long"), []string{"retention"}},
		"a limit":                {"/console/settings", append(slices.Clone(settings), "reads", "many"), []string{"reads"}},
		"a large limit":          {"/console/settings", append(slices.Clone(settings), "prose", "1000000000"), []string{"prose"}},
		"an account's name":      {"/console/settings/erase", []string{"name", "other"}, []string{"name"}},
		"a webhook's address":    {webhooksPath, []string{"url", "hooks", "event", events.CalculationFailed}, []string{"url"}},
		"a webhook's name":       {webhooksPath, []string{"url", "http://127.0.0.1:1/", "name", long, "event", events.CalculationFailed}, []string{"name"}},
		"no event":               {webhooksPath, []string{"url", "http://127.0.0.1:1/"}, events.WebhookEvents},
		"the webhook's address":  {hook, []string{"url", "hooks", events.CalculationFailed, "yes"}, []string{"url"}},
		"no event of it":         {hook, []string{"url", "http://127.0.0.1:1/"}, events.WebhookEvents},
		"a reason":               {hook + "/disable", []string{"reason", long}, []string{"reason"}},
		"a title":                {asked, []string{"title", long}, []string{"title"}},
		"notes":                  {asked, []string{"title", "a", "notes", long}, []string{"notes"}},
		"a domain's title":       {"/console/domains/new", []string{"do", "save", "text", text}, []string{"text"}},
		"a domain's key":         {domain + "/edit", []string{"do", "save", "text", "key: other\n" + text}, []string{"text"}},
		"a domain with errors":   {domain + "/edit", []string{"do", "save", "text", "title: [x"}, []string{"text"}},
	} {
		h.faulted(what, ada.post(of.path, of.form...), of.fields...)
	}
	several := ada.post("/console/settings", "zone", "UTC", "version", "2", "reads", "many", "prose", "few")
	h.faulted("two limits", several, "reads")
	h.faulted("two limits", several, "prose")
	ada.post(domain+"/edit", "do", "save", "text", strings.Replace(text, "What an appliance", "What any appliance", 1), "seen", between(editor.raw, `name="seen" value="`, `"`))
	for what, form := range map[string][]string{"most": {"most", "few"}, "comment": {"comment", long}} {
		h.faulted("publishing, "+what, ada.post(domain+"/publish", form...), what)
	}
}

// The links above a form lead to the fields, wherever they are folded.
func TestFaultsInBrowser(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	browsertest.SayWithoutAxe(t)
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleOwner)
	leads := func(what, field string) {
		t.Helper()
		b.Picture("faults-" + what)
		b.Do(what, chromedp.Click(chromedp.CSS(`.wrong a[href="#`+field+`"]`)))
		b.Wait(what, `(document.activeElement.id === "`+field+`" || document.activeElement.editor) && document.activeElement.checkVisibility()`)
	}
	b.Do("settings", chromedp.Navigate(h.url+"/console/settings"))
	b.Fill("settings", "main form.settings > button", "zone", "Mars", "reads", "many", "retention", "long")
	leads("settings", "reads")
	b.Do("keys", chromedp.Navigate(h.url+"/console/keys"))
	b.Run("keys", `for (const f of document.forms) f.noValidate = true; document.getElementById("expires").type = "text"`)
	b.Fill("keys", ".filters button", "name", "billing", "expires", "2001-01-01")
	leads("keys", "expires")
	b.Do("webhooks", chromedp.Navigate(h.url+"/console/webhooks"))
	b.Run("webhooks", `for (const box of document.querySelectorAll("[type=checkbox]")) box.checked = false`)
	b.Fill("webhooks", "main .settings button", "url", "https://hooks.example.com/")
	leads("webhooks", "calculation.completed")
	ask := h.browser()
	ask.post("/console/sign-in", "email", "ada@example.com", "password", password)
	b.Do("a title", chromedp.Navigate(h.url+conversationPath(uuid.MustParse(h.said(ask, "acme", "what does 100 kWh cost?")[0]))))
	b.Run("a title", `document.querySelector(".talk-side details").open = true; document.getElementById("title").maxLength = 9999`)
	b.Fill("a title", ".talk-side form button", "title", strings.Repeat("x", 300))
	leads("title", "title")
	b.Do("a domain", chromedp.Navigate(h.url+"/console/domains/new?from="))
	b.Run("a domain", `document.querySelector(".code").editor.dispatch({changes: {from: 0, insert: "title: Electricity bill\n"}})`)
	b.Fill("a domain", "button[value=save]")
	leads("domain", "text")
	b.Quiet()
}
