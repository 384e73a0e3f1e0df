package console

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/http/browsertest"
	"reckon/projections"
)

// publish gives an account a domain of the starters.
func (h *house) publish(account, file string) commands.Published {
	h.t.Helper()
	f, err := domainfile.Read("../../cmd/reckon/starter/" + file)
	if err != nil {
		h.t.Fatal(err)
	}
	published, err := h.admin.Publish(h.t.Context(), commands.Publication{Account: account, Definition: f.Definition})
	if err == nil {
		err = h.console.views.Fresh(h.t.Context())
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return published
}

// signedIn is a browser of a member with a role.
func (h *house) signedIn(email, account string, role projections.Role) browser {
	h.t.Helper()
	b := h.browser()
	b.post("/console/invitation", "link", h.invite(email, account, role), "password", password, "again", password)
	return b
}

// said asks the account's first domain, as a person, and returns the ids of the conversation and the message.
func (h *house) said(b browser, account, prompt string) [2]string {
	h.t.Helper()
	p := b.post("/console/ask", "domain", h.console.views.Domains(commands.AccountID(account))[0].ID.String(), "prompt", prompt)
	found := regexp.MustCompile(`<article class="message" id="([0-9a-f-]{36})"`).FindAllStringSubmatch(p.text, -1)
	if len(found) == 0 {
		h.t.Fatalf("%q: %d %s\n%s", prompt, p.status, p.path, p.text)
	}
	return [2]string{strings.TrimPrefix(p.path, "/console/conversations/"), found[len(found)-1][1]}
}

var update = flag.Bool("update", false, "write golden files anew")

// changing is what differs in a page from run to run.
var changing = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|assets/[0-9a-f]{16}|\d{1,2} [A-Z][a-z]{2} 20\d\d, \d\d:\d\d|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ|http://127.0.0.1:\d+`)

// golden compares a page with what it was.
func (h *house) golden(name string, p shown) {
	h.t.Helper()
	got := changing.ReplaceAllStringFunc(p.raw, func(text string) string {
		switch {
		case strings.HasPrefix(text, "assets/"):
			return "assets/HASH"
		case strings.HasPrefix(text, "http"):
			return "http://HOST"
		case strings.Contains(text, ":"):
			return "TIME"
		}
		return "ID"
	})
	if p.status != 200 {
		h.t.Errorf("%s: %d", name, p.status)
	}
	file := filepath.Join("testdata", name+".html")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			h.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatal(err)
	}
	if got != string(want) {
		h.t.Errorf("%s is not as in %s:\n%s", name, file, got)
	}
}

// Asking and reading are forms and links: no script has a part in it.
func TestAsking(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	solar := h.publish("acme", "home/solar.yaml").DomainID.String()
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	h.golden("home", b.get("/console"))
	asked := h.said(b, "acme", "what does a 2 kW heater cost at 32 cents a kilowatt-hour, 3 hours a day?")
	at := "/console/conversations/" + asked[0]
	domain := h.console.views.Domains(commands.AccountID("acme"))[0].ID.String()
	on := func(fields ...string) shown {
		return b.post("/console/ask", append([]string{"domain", domain, "conversation", asked[0]}, fields...)...)
	}
	p := on("scenario", "1", "given.days", "365 d")
	h.shows("an assumption", p, 200, at, "833.95", "in focus")
	h.shows("with a unit of its own", on("scenario", "2", "given.power", "500", "unit.power", "W"), 200, at, "208.49", `<b>Power</b> 500 W`)
	h.shows("a scenario", on("scenario", "1"), 200, at, "Back to scenario 1")
	h.shows("nothing", on("prompt", " "), 200, at)
	h.shows("no JSON", on("prompt", "{"), 422, "/console/ask", "not valid JSON")
	h.shows("no domain", b.post("/console/ask", "domain", "x", "prompt", "1"), 404, "/console/ask", "Choose one of the domains.")
	h.shows("no conversation", b.post("/console/ask", "domain", domain, "conversation", "x", "prompt", "1"), 404, "/console/ask", "There is no such conversation")
	h.golden("conversation", b.get(at))

	messages := strings.Count(b.get(at).raw, "<article")
	twice := []string{"prompt", "and with 3 kW?", "once", "01a1fcae-cb94-7f04-8433-b43419dda7e8"}
	on(twice...)
	if p := on(twice...); strings.Count(p.raw, "<article") != messages+1 {
		t.Errorf("a form that is sent twice asks twice:\n%s", p.text)
	}
	h.shows("another unit", b.get(at+"?message="+asked[1]+"&in=kWh"), 200, at, "68.54")

	// A difference says what it is, a list what its rows are of, and what is not understood who else may know.
	h.shows("a difference", on("prompt", "how much more is that than with 5 kW?"), 200, at, "a difference of ")
	list := b.post("/console/ask", "domain", domain, "prompt", "power: [1 kW, 2 kW]\ncalculate: energy")
	h.shows("a list", list, 200, list.path,
		`<thead><tr><th scope="col">Power</th><th scope="col">Energy used</th></tr></thead>`, `<th scope="row">2 kW</th><td>1,440.0 kWh</td>`)
	elsewhere := b.post("/console/ask", "domain", domain, "prompt", "where is the moon?")
	h.shows("not understood", elsewhere, 200, elsewhere.path, "Or ask the same about", `value="`+solar+` where is the moon?"`)
	if p := b.post("/console/ask", "domain", domain, "conversation", strings.TrimPrefix(elsewhere.path, "/console/conversations/"), "prompt", "where is it?"); strings.Contains(p.text, "Or ask the same about") {
		t.Errorf("within a conversation another domain is offered:\n%s", p.text)
	}

	// What is missing is a field, what is doubtful a choice, what is wrong is underlined.
	missing := b.post("/console/ask", "domain", domain, "prompt", "power: 2 kW\ncalculate: total")
	h.shows("missing", missing, 200, missing.path, "Total cannot be calculated yet", `name="given.unit_price"`, `<option selected>EUR/kWh</option>`)
	h.shows("given then", b.post("/console/ask", "domain", domain, "conversation", strings.TrimPrefix(missing.path, "/console/conversations/"), "given.unit_price", "0.32", "unit.unit_price", "EUR/kWh"), 200, missing.path, "548.35")
	h.shows("doubts", on("prompt", "powr: 2 kW\nunit_price: 1,5 EUR/kWh\ncalculate: total"), 200, at,
		"<mark>powr</mark>", "<mark>1,5</mark>", `value="power: 2 kW`, `unit_price: 1.5 EUR/kWh`)
	h.golden("problems", b.post("/console/ask", "domain", domain, "prompt", "powr: 2 kW\nunit_price: (1 + 5 EUR/kWh\ncalculate: total"))
	h.golden("chart", b.post("/console/ask", "domain", solar, "prompt", "size: 5 kW\nsun: 4 h/d\nprice: 0.3 USD/kWh\ncost: 9000 USD\ncalculate: gains, payback"))

	// Title and notes are changed in place, and found again.
	h.shows("described", b.post(at, "title", "The heater", "notes", "For the\r\nbathroom"), 200, at, "<h1>The heater</h1>", "For the\nbathroom")
	h.shows("a long title", b.post(at, "title", strings.Repeat("x", 201)), 422, at, "201 characters")
	h.shows("found", b.get("/console/conversations?text=bathroom&source=chat&since=2020-01-01&domain="+domain), 200, "/console/conversations", "The heater", "Show all")
	if p := b.get("/console/conversations?text=garage"); !strings.Contains(p.text, "Nothing was found") || strings.Contains(p.text, "The heater") {
		t.Errorf("found:\n%s", p.text)
	}
	h.golden("conversations", b.get("/console/conversations?text=heater"))
	if p := b.get("/v1/conversations"); p.status != 401 {
		t.Errorf("/v1 with a session: %d", p.status)
	}

	// What is said in another language is told apart for those who hear the page.
	german := h.publish("acme", "../testdata/german/heizkosten.yaml").DomainID.String()
	p = b.post("/console/ask", "domain", german, "prompt", "Wo ist der Mond?")
	h.shows("in German", p, 200, p.path, `<p lang="de">Wo ist der Mond?</p>`, `<p class="problem-text" lang="de">Die Frage wurde nicht verstanden`)
}

// A message of a suspended account, one without a domain, a message in the place of another: what can be read stays readable.
func TestSuspended(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	asked := h.said(b, "acme", "power: 2 kW\ncalculate: energy")
	if _, err := h.admin.Suspend(t.Context(), "acme", "unpaid"); err != nil {
		t.Fatal(err)
	}
	if err := h.console.views.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := b.get("/console/conversations/" + asked[0])
	h.shows("suspended", p, 200, p.path, "1,440.0")
	if strings.Contains(p.raw, "/console/ask") {
		t.Errorf("a suspended account is asked:\n%s", p.raw)
	}
	h.shows("asking", b.post("/console/ask", "domain", h.console.views.Domains(commands.AccountID("acme"))[0].ID.String(), "prompt", "x"), 403, "/console/ask", "suspended")
}

// A person asks by an example, fills in what is missing, sees a chart, goes on, changes an assumption and finds it again.
func TestBrowserAsks(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	h.publish("acme", "home/solar.yaml")
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleOwner)
	b.Picture("start")
	b.Fill("an example", ".cards li:first-child .example")
	b.Picture("first-answer")
	b.Sees("an example", ".value", "68.54 EUR")
	b.Fill("a question", ".follow button", "prompt", "and for 6 hours a day?")
	b.Sees("a question", ".message:last-child .value", "137.09 EUR")
	b.Run("an assumption", `document.querySelector(".message:last-child .chip.assumed").open = true`)
	b.Picture("assumption")
	b.Fill("an assumption", ".message:last-child .chip.assumed .change button")
	b.Fill("a what-if", ".follow button", "prompt", "and with 4 kW?")
	b.Fill("a what-if of that", ".follow button", "prompt", "tax_rate: 7%")
	b.Fill("comparing", "aside section:first-child p a")
	b.Sees("comparing", ".tornado", "Tax rate")
	b.Picture("compare")
	b.Do("back", chromedp.NavigateBack())
	b.Fill("energy", ".follow button", "prompt", "scenario: new\npower: 2 kW\ncalculate: energy")
	b.Run("another unit", `const s = document.querySelector(".message:last-child .switch select"); s.value = "MJ"; s.dispatchEvent(new Event("change", {bubbles: true}))`)
	b.Do("another unit", chromedp.WaitReady(chromedp.CSS(`.message:last-child data[value="5184 MJ"]`)))
	b.Sees("another unit", ".message:last-child .value", "5,184 MJ")
	b.Do("home", chromedp.Navigate(h.url+"/console"))
	b.Fill("missing", ".ask button", "prompt", "power: 2 kW\ncalculate: total")
	b.Picture("missing")
	b.Fill("a wrong one", ".follow button", "prompt", "powr: 2 kW\nunit_price: 1,5 EUR/kWh\nfoo: 3 h/d\ncalculate: total")
	b.Picture("problem")
	b.Do("home", chromedp.Navigate(h.url+"/console"))
	b.Run("a domain", `document.getElementById("domain").selectedIndex = 1`)
	b.Do("x", chromedp.EmulateViewport(1280, 800))
	b.Fill("a chart", ".ask button", "prompt", "size: 5 kW\nsun: 4 h/d\nprice: 0.3 USD/kWh\ncost: 9000 USD\ncalculate: gains, payback")
	b.Picture("chart")
	b.Do("list", chromedp.Navigate(h.url+"/console/conversations"))
	b.Picture("conversations")
	b.Do("keys", chromedp.Navigate(h.url+"/console/keys"))
	b.Fill("a key", ".filters button", "name", "reports")
	b.Picture("keys")
	b.Quiet()
}
