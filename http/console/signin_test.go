package console

import (
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/projections"
)

// A person comes in by a link, sets a password, signs out and in, changes it, and chooses an account; nothing secret is in the log.
func TestSigningIn(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	link := h.invite("ada@example.com", "acme", projections.RoleOwner)
	b := h.browser()
	h.shows("the start", b.get("/"), 200, "/console/sign-in", "Sign in")
	h.shows("the link", b.get("/console/invitation"), 200, "/console/invitation", "Come in", "Without JavaScript", "invitation.js")
	h.shows("two passwords", b.post("/console/invitation", "link", link, "password", password, "again", "another password"), 422, "/console/invitation", differ, link)
	h.shows("a weak password", b.post("/console/invitation", "link", link, "password", "password123", "again", "password123"), 422, "/console/invitation", "Choose another password: it is one of the commonest", link)
	h.shows("a long password", b.post("/console/invitation", "link", link, "password", strings.Repeat("x y", 3333), "again", strings.Repeat("x y", 3333)), 422, "/console/invitation", "more than 256 characters")
	h.shows("a wrong link", b.post("/console/invitation", "link", link+"0", "password", password, "again", password), 403, "/console/invitation", "The link is not valid")
	h.shows("the link with its address", b.post("/console/invitation", "link", h.url+"/console/invitation#"+link+" ", "password", password, "again", password), 200, "/console",
		"acme", "ada@example.com", "owner of this account", "No domain is published yet")
	first := b.session()
	if len(first) < 64 {
		t.Fatalf("the session is %q", first)
	}
	h.shows("the link again", h.browser().post("/console/invitation", "link", link, "password", password, "again", password), 403, "/console/invitation", "The link is not valid")
	h.shows("signing out", b.post("/console/sign-out"), 200, "/console/sign-in")
	if b.session() != "" {
		t.Error("the cookie is left")
	}
	replayed := h.browser()
	r := replayed.request("GET", "/console", nil)
	r.AddCookie(&nethttp.Cookie{Name: h.console.cookieName(), Value: first})
	h.shows("the session again", replayed.do(r), 200, "/console/sign-in")

	h.shows("a wrong password", b.post("/console/sign-in", "email", "ada@example.com", "password", "wrong password", "next", "/console/password"), 403, "/console/sign-in",
		"The e-mail address or the password is wrong.", `value="ada@example.com"`, `value="/console/password"`)
	h.shows("nobody", b.post("/console/sign-in", "email", "nobody@example.com", "password", "wrong password"), 403, "/console/sign-in", "The e-mail address or the password is wrong.")
	h.shows("the password", b.post("/console/sign-in", "email", "Ada@Example.com", "password", password, "next", "/console/password"), 200, "/console/password", "Change your password")
	h.shows("signing in again", b.get("/console/sign-in"), 200, "/console")
	elsewhere := h.browser()
	elsewhere.post("/console/sign-in", "email", "ada@example.com", "password", password)
	h.shows("a wrong password before", b.post("/console/password", "old", "wrong password", "password", "another password", "again", "another password"), 403, "/console/password", "The password that you have now is another one.")
	h.shows("another password", b.post("/console/password", "old", password, "password", "another password", "again", "another password"), 200, "/console", "acme")
	h.shows("another browser", elsewhere.get("/console"), 200, "/console/sign-in")

	// Of several accounts one is chosen, which stays.
	h.invite("ada@example.com", "other", projections.RoleMember)
	h.shows("two accounts", b.get("/console"), 200, "/console/accounts", "acme", "other", "owner", "member")
	h.shows("an account", b.post("/console/accounts", "account", commands.AccountID("other").String()), 200, "/console", "member of this account")
	h.shows("no account", b.post("/console/accounts", "account", "x"), 404, "/console/accounts", "There is no such account among yours.")
	if err := h.admin.RemoveMember(t.Context(), "other", "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	b.until("/console/sign-in")
	h.shows("after a membership", b.post("/console/sign-in", "email", "ada@example.com", "password", "another password"), 200, "/console", "owner of this account")

	for _, secret := range []string{link, link[12:], first, b.session(), password, "another password", "wrong password"} {
		if text := h.lines.String(); strings.Contains(text, secret) {
			t.Errorf("the log has %q:\n%s", secret, text)
		}
	}
	if text := h.lines.String(); !strings.Contains(text, "route=/console/sign-in") || !strings.Contains(text, "user_id="+commands.UserID("ada@example.com").String()) {
		t.Errorf("the log does not say who asked for what:\n%s", text)
	}
}

// After signing in only pages of the console follow.
func TestWhatFollows(t *testing.T) {
	for next, want := range map[string]string{
		"": Path, "/": Path, "/console": Path, "/console/": "/console/", "/console/accounts": "/console/accounts", "/console/a?b=c": "/console/a?b=c",
		"https://evil.example.com/console/": Path, "//evil.example.com/console/": Path, "/v1/domains": Path, `/\evil.example.com`: Path, `/console/\evil`: Path,
		"javascript:alert(1)": Path, "/consoles/x": Path, "console/x": Path, "http:/console/x": Path, "%zz": Path, "/console/x\r\nSet-Cookie: a=b": Path,
	} {
		if got := safe(next); got != want {
			t.Errorf("%q: %q, want %q", next, got, want)
		}
	}
}

// Cookies are bound to the host and to TLS where the public address is https.
func TestCookies(t *testing.T) {
	for public, want := range map[string]string{
		"http://127.0.0.1:8080":      "reckon-8080=x; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax",
		"https://reckon.example.com": "__Host-reckon=x; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax",
	} {
		u, err := url.Parse(public)
		if err != nil {
			t.Fatal(err)
		}
		c := Console{config: Config{Public: u}}
		if got := c.cookie(c.cookieName(), "x", commands.SessionHolds); got != want {
			t.Errorf("%s: %s, want %s", public, got, want)
		}
		if got := c.cookie(c.cookieName(), "", 0); !strings.Contains(got, "Max-Age=0") {
			t.Errorf("%s: %s", public, got)
		}
	}
}

// What a request says of its own address counts only behind a proxy that is trusted.
func TestAddresses(t *testing.T) {
	c := Console{config: Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}}}
	for _, test := range []struct {
		remote, forwarded, want string
	}{
		{"1.2.3.4:5", "", "1.2.3.4"}, {"1.2.3.4:5", "9.9.9.9", "1.2.3.4"}, {"10.1.1.1:5", "9.9.9.9", "9.9.9.9"}, {"10.1.1.1:5", "8.8.8.8, 9.9.9.9", "9.9.9.9"},
		{"10.1.1.1:5", "8.8.8.8, 10.2.2.2", "8.8.8.8"}, {"10.1.1.1:5", "nonsense", "10.1.1.1"}, {"10.1.1.1:5", "", "10.1.1.1"}, {"[::1]:5", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
		{"[::ffff:1.2.3.4]:5", "", "1.2.3.4"}, {"[fe80::1%eth0]:5", "", "fe80::/64"}, {"@", "", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.remote
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := c.address(r); got != test.want {
			t.Errorf("%s, forwarded for %q: %q, want %q", test.remote, test.forwarded, got, test.want)
		}
	}
}
