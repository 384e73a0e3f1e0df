package console

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/http/browsertest"
	"reckon/projections"
)

// comeIn has a browser come in by a link, as somebody with a role in an account, "" for an operator.
func (h *house) comeIn(b *browsertest.Tab, email, account string, role projections.Role) {
	h.t.Helper()
	b.Do("the link", chromedp.Navigate(commands.LinkURL(h.console.config.Public, h.invite(email, account, role))), chromedp.WaitNotVisible(chromedp.ID("link-field")))
	b.Fill("a password", "main button", "password", password, "again", password)
}

// People come in with a real browser; nothing in it complains, and nothing leaves the origin.
func TestBrowser(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	browsertest.SayWithoutAxe(t)
	h := open(t, nil)
	secret := h.invite("ada@example.com", "acme", projections.RoleOwner)
	link := commands.LinkURL(h.console.config.Public, secret)
	b := browsertest.Open(t, program, h.url)
	b.Do("the start", chromedp.Navigate(h.url))
	b.Shows("the start", "/console/sign-in", "Sign in")
	b.Picture("signin")
	b.Fill("a wrong password", "main button", "email", "ada@example.com", "password", "wrong password")
	b.Shows("a wrong password", "/console/sign-in", "The e-mail address or the password is wrong.")
	b.Picture("signin-wrong")

	b.Do("the link", chromedp.Navigate(link), chromedp.WaitNotVisible(chromedp.ID("link-field")))
	b.Shows("the link", "/console/invitation", "Come in") // without its secret
	b.Picture("invitation")
	b.Fill("a weak password", "main button", "password", "password123", "again", "password123")
	b.Shows("a weak password", "/console/invitation", "it is one of the commonest")
	b.Fill("a password", "main button", "password", password, "again", password)
	b.Shows("a password", "/console", "ada@example.com")
	b.Picture("home")
	history, err := chromedp.Run(b.Context, chromedp.NavigationEntries())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range history.Entries {
		if strings.Contains(entry.URL, secret) {
			t.Errorf("the history of the browser has %s", entry.URL)
		}
	}
	seen, err := chromedp.Run(b.Context, chromedp.Evaluate[string]("document.cookie"))
	if err != nil || seen != "" {
		t.Errorf("scripts see the cookie %q (%v)", seen, err)
	}
	h.invite("ada@example.com", "other", projections.RoleMember)
	b.Do("accounts", chromedp.Navigate(h.url+"/console"))
	b.Shows("accounts", "/console/accounts", "other")
	b.Picture("accounts")
	b.Fill("an account", "main li:last-child button")
	b.Shows("an account", "/console", "member of this account")
	b.Do("a password", chromedp.Navigate(h.url+"/console/password"))
	b.Picture("password")
	b.Do("no page", chromedp.Navigate(h.url+"/console/nothing"))
	b.Picture("error")
	b.Fill("signing out", "header button")
	b.Shows("signing out", "/console/sign-in", "Sign in")

	// Without JavaScript the link is pasted.
	second := h.invite("bo@example.com", "acme", projections.RoleMember)
	b.WithoutScripts()
	b.Do("without scripts", chromedp.Navigate(h.url+"/console/invitation"))
	b.Shows("without scripts", "/console/invitation", "Without JavaScript")
	b.Picture("invitation-without-scripts")
	b.Fill("a pasted link", "main button", "link", commands.LinkURL(h.console.config.Public, second), "password", password, "again", password)
	b.Shows("a pasted link", "/console", "bo@example.com")
	b.Quiet()
}
