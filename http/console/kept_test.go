package console

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/projections"
)

var hiddenFields = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// hidden are the fields that a page's last form has beside those that people fill in.
func (p shown) hidden() (fields []string) {
	last := p.raw[strings.LastIndex(p.raw[:strings.Index(p.raw, "</main>")], "<form "):]
	for _, f := range hiddenFields.FindAllStringSubmatch(last, -1) {
		fields = append(fields, html.UnescapeString(f[1]), html.UnescapeString(f[2]))
	}
	return fields
}

// What somebody has written is kept where their session has ended or an account has to be chosen first,
// and is sent by hand then.
func TestKept(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := h.signedIn("ada@example.com", "acme", projections.RoleOwner)
	domain := h.kept("acme")[0].ID.String()
	question := "power: 123 kW\nhours_per_day: 3 h/d\ndays: 30 d\ncalculate: energy in kWh # <b> & 100 % of \"it\" + ü"
	ask := []string{"domain", domain, "prompt", question, "once", ""}
	b.post("/console/sign-out")
	p := b.post("/console/ask", ask...)
	h.shows("not signed in any more", p, 403, "/console/sign-in", "You are not signed in any more.", html.UnescapeString("power: 123 kW"))
	p = b.post("/console/sign-in", append(p.hidden(), "email", "ada@example.com", "password", "a wrong password")...)
	h.shows("a wrong password", p, 403, "/console/sign-in", "The e-mail address or the password is wrong.", "power: 123 kW")
	p = b.post("/console/sign-in", append(p.hidden(), "email", "ada@example.com", "password", password)...)
	h.shows("signed in again", p, 200, "/console/sign-in", "Not sent yet", "power: 123 kW", `action="/console/ask"`)
	if strings.Contains(p.raw, "<b>") || strings.Contains(p.raw, password) {
		t.Errorf("it is not escaped, or has the password:\n%s", p.raw)
	}

	// An invitation that has come meanwhile leaves an account to be chosen.
	h.invite("ada@example.com", "other", projections.RoleMember)
	p = b.post("/console/ask", p.hidden()...)
	h.shows("two accounts", p, 200, "/console/accounts", "Choose the one that you wrote this in", "acme", "other")
	p = b.post("/console/accounts", append(p.hidden(), "account", commands.AccountID("acme").String())...)
	h.shows("an account", p, 200, "/console/accounts", "Not sent yet", "power: 123 kW")
	p = b.post("/console/ask", p.hidden()...)
	if !strings.HasPrefix(p.path, "/console/conversations/") || !strings.Contains(p.text, "11,070") || !strings.Contains(p.text, "# <b> & 100 % of \"it\" + ü") {
		t.Errorf("sent: %d %s\n%s", p.status, p.path, p.text)
	}

	// A password is not kept, nor what other pages send or what has nothing in it.
	stranger := h.browser()
	p = stranger.post("/console/password", "old", password, "password", "another password", "again", "another password")
	h.shows("a password", p, 200, "/console/sign-in", "Sign in")
	if strings.Contains(p.raw, password) || strings.Contains(p.text, "is kept") {
		t.Errorf("a password is kept:\n%s", p.raw)
	}
	h.shows("nothing", stranger.post("/console/keys"), 200, "/console/sign-in", "Sign in")
	p = stranger.post("/console/sign-in", "kept", "https://evil.example.com/console/x?a=b", "email", "ada@example.com", "password", password)
	h.shows("elsewhere", p, 200, "/console/accounts")
}
