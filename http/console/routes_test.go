package console

import (
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// What a hostile page or a careless person sends is refused, and says so in words.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	link := h.invite("ada@example.com", "acme", projections.RoleMember)
	b := h.browser()
	b.post("/console/invitation", "link", link, "password", password, "again", password)
	form := func(path string, change func(*nethttp.Request)) shown {
		r := b.request("POST", path, strings.NewReader("old="+url.QueryEscape(password)+"&password=another+password&again=another+password"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		change(r)
		return b.do(r)
	}
	for what, change := range map[string]func(*nethttp.Request){
		"a page of another site":     func(r *nethttp.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"a page of a site beside":    func(r *nethttp.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"another origin":             func(r *nethttp.Request) { r.Header.Set("Origin", "https://evil.example.com") },
		"an origin that is not told": func(r *nethttp.Request) { r.Header.Set("Origin", "null") },
		"another port":               func(r *nethttp.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
	} {
		h.shows(what, form("/console/password", change), 403, "/console/password", "This was sent by a page of another site.")
	}
	forms := 0
	for _, of := range routes {
		if of.method != "POST" {
			continue
		}
		forms++
		path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(of.path, "1")
		h.shows(path, form(path, func(r *nethttp.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }), 403, path, "This was sent by a page of another site.")
	}
	if forms < 40 {
		t.Errorf("%d forms were sent", forms)
	}
	h.shows("still signed in", b.get("/console"), 200, "/console")
	h.shows("JSON", form("/console/password", func(r *nethttp.Request) { r.Header.Set("Content-Type", "application/json") }), 415, "/console/password", "A form is expected")
	h.shows("no form", form("/console/password", func(r *nethttp.Request) { r.Body = io.NopCloser(strings.NewReader("a=%zz")); r.ContentLength = 5 }), 400, "/console/password", "The form cannot be read.")
	large := strings.Repeat("x", maxForm+1)
	h.shows("a large form", form("/console/password", func(r *nethttp.Request) {
		r.Body = io.NopCloser(strings.NewReader(large))
		r.ContentLength = int64(len(large))
	}), 413, "/console/password", "too large (limit 64 KiB)")
	for _, path := range []string{
		"/console?reckon_link_00", "/console/invitation?" + link, "/console/invitation/" + link, "/console?token=RECKON_TOKEN_00", "/console/sign-in?next=" + url.QueryEscape("/console?"+link),
		"/console?" + b.session(), "/console?key=reckon_live_1", "/console/reckon%5Flive_1", "/console?key=reckon%5Flive_1",
	} {
		p := b.get(path)
		h.shows(path, p, 400, strings.Split(p.path, "?")[0], "There is a secret in the address")
	}
	h.shows("no page", b.get("/console/nothing"), 404, "/console/nothing", "There is nothing at this path.")
	h.shows("a method", b.do(b.request("PUT", "/console/password", nil)), 405, "/console/password")

	// Neither a key nor a token is anybody here, and a session is nobody elsewhere.
	_, key, err := h.admin.CreateKey(t.Context(), "acme", commands.KeyTerms{})
	if err != nil {
		t.Fatal(err)
	}
	_, token, err := h.admin.CreateToken(t.Context(), "ada@example.com", commands.KeyTerms{})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{key, token, b.session()} {
		stranger := h.browser()
		r := stranger.request("GET", "/console", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		h.shows("a bearer", stranger.do(r), 200, "/console/sign-in")
		r = stranger.request("GET", "/console", nil)
		r.AddCookie(&nethttp.Cookie{Name: h.console.cookieName(), Value: secret})
		if p := stranger.do(r); (p.path == "/console") != (secret == b.session()) {
			t.Errorf("a cookie with %.12s leads to %s", secret, p.path)
		}
		r = stranger.request("GET", "/console", nil)
		r.AddCookie(&nethttp.Cookie{Name: h.console.cookieName(), Value: secret})
		r.AddCookie(&nethttp.Cookie{Name: h.console.cookieName(), Value: "planted"})
		h.shows("two cookies", stranger.do(r), 200, "/console/sign-in")
	}
	if p := b.get("/v1/domains"); p.status != 401 {
		t.Errorf("/v1 with a cookie: %d", p.status)
	}
	r := b.request("GET", "/v1/domains", nil)
	r.Header.Set("Authorization", "Bearer "+b.session())
	if p := b.do(r); p.status != 401 {
		t.Errorf("/v1 with a session: %d", p.status)
	}
	for _, secret := range []string{link, key, token, b.session()} {
		if text := h.lines.String(); strings.Contains(text, secret) {
			t.Errorf("the log has %q:\n%s", secret, text)
		}
	}
}

// Each route is answered for those who may, and for nobody else.
func TestRoutes(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	visitors := map[string]browser{"stranger": h.browser()}
	for name, of := range map[string]struct {
		account string
		role    projections.Role
	}{"member": {"acme", projections.RoleMember}, "developer": {"acme", projections.RoleDeveloper}, "owner": {"acme", projections.RoleOwner}, "another": {"other", projections.RoleOwner}, "operator": {}} {
		link := h.invite(name+"@example.com", of.account, of.role)
		visitors[name] = h.browser()
		visitors[name].post("/console/invitation", "link", link, "password", password, "again", password)
	}
	h.invite("gone@example.com", "acme", projections.RoleMember)
	h.publish("acme", "home/electricity.yaml")
	asked := h.said(visitors["owner"], "acme", "power: 2 kW\ncalculate: energy")
	key, _, err := h.admin.CreateKey(t.Context(), "acme", commands.KeyTerms{Name: "one"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		r.path = strings.NewReplacer("{id}", asked[0], "{message}", asked[1], "{key}", key.String(), "{webhook}", uuid.NewString(), "{delivery}", uuid.NewString(), "{user}", commands.UserID("gone@example.com").String()).Replace(r.path)
		for name, b := range visitors {
			what := fmt.Sprintf("%s %s as %s", r.method, r.path, name)
			if r.least == anybody {
				continue
			}
			p := shown{}
			if r.method == "GET" {
				p = b.get(r.path)
			} else {
				p = b.send(r.method, r.path, "account", commands.AccountID("acme").String(), "old", "wrong")
			}
			want := r.path
			switch {
			case name == "stranger":
				want = "/console/sign-in"
			case r.least == person:
				if r.path == "/console/accounts" && r.method == "POST" && (name != "another" && name != "operator") {
					want = "/console"
				}
			case r.least == operator:
				if name != "operator" && p.status != 404 {
					t.Errorf("%s: %d", what, p.status)
				}
				if name == "operator" && r.method == "POST" && p.status == 200 {
					want = p.path // where it leads
				}
			case name == "operator":
				want = "/console/installation"
			case strings.HasSuffix(r.path, "/revoke") && (name == "developer" || name == "owner"):
				want = "/console/keys"
			case strings.HasSuffix(r.path, "/remove") && r.least == owner && name == "owner":
				want = "/console/people"
			case strings.Contains(r.path, asked[0]):
				if name == "another" && p.status != 404 && p.status != 403 {
					t.Errorf("%s: %d", what, p.status)
				}
			}
			if p.path != want {
				t.Errorf("%s: %d %s, want %s", what, p.status, p.path, want)
			}
			if name == "member" && r.least == developer && p.status != 403 {
				t.Errorf("%s: %d", what, p.status)
			}
			if name == "another" && strings.Contains(p.text, "acme") {
				t.Errorf("%s shows another account:\n%s", what, p.text)
			}
		}
	}
	// Roles that a route may take, from the least to the most.
	for _, c := range []struct {
		least  least
		role   projections.Role
		status int
	}{{developer, projections.RoleMember, 403}, {developer, projections.RoleDeveloper, 200}, {owner, projections.RoleDeveloper, 403}, {owner, projections.RoleOwner, 200}} {
		guarded := h.console.guard(route{"GET", "/x", c.least, func(*Console, *visit) (http.Answer, error) { return http.Answer{}, nil }})
		x := &http.Exchange{Caller: &visit{user: projections.User{ID: commands.UserID("a@b")}, account: projections.Account{ID: commands.AccountID("acme")}, role: c.role}}
		if _, err := guarded(x); (err != nil) != (c.status == 403) {
			t.Errorf("%s for %s: %v", c.least, c.role, err)
		}
	}
}
