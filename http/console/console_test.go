package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"html"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"reckon/commands"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

const password = "correct horse battery"

// house is a server with a console, over a log and views of its own.
type house struct {
	t       *testing.T
	admin   commands.Admin
	console *Console
	url     string
	lines   *lines // of the log
}

// lines is a log that may be written while it is read.
type lines struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// open starts one; change, unless nil, alters how the console is made, whose public address is that of the server.
func open(t *testing.T, change func(*Config)) *house {
	t.Helper()
	written := &lines{}
	logger := slog.New(slog.NewTextHandler(written, &slog.HandlerOptions{Level: slog.LevelDebug}))
	l, err := log.Open(t.Context(), log.Options{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	views, err := projections.Open(t.Context(), l, t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { views.Close() })
	server := http.New(logger, "test")
	listening := httptest.NewUnstartedServer(nil)
	public, err := url.Parse("http://" + listening.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Docs: "/docs", Public: public, Logger: logger}
	if change != nil {
		change(&config)
	}
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	server.Mount(c.Face())
	service := commands.New(l, views, logger)
	working, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { service.Run(working) })
	t.Cleanup(func() {
		stop()
		work.Wait()
	})
	c.Open(l, views, commands.NewAuthenticator(l, views), service)
	server.Open(views, service)
	listening.Config.Handler = server.Handler()
	listening.Start()
	t.Cleanup(listening.Close)
	h := &house{t: t, admin: commands.Admin{Log: l}, console: c, url: public.String(), lines: written}
	for _, name := range []string{"acme", "other"} {
		if _, err := h.admin.CreateAccount(t.Context(), commands.CreateAccount{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// invite returns the secret of a new link.
func (h *house) invite(email, account string, role projections.Role) string {
	h.t.Helper()
	invitation, err := h.admin.Invite(h.t.Context(), commands.Invite{Email: email, Account: account, Role: role, Operator: account == ""})
	if err != nil {
		h.t.Fatal(err)
	}
	return invitation.Secret
}

// browser keeps cookies, and follows redirects as one does.
type browser struct {
	*nethttp.Client
	h *house
}

func (h *house) browser() browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return browser{&nethttp.Client{Jar: jar, Timeout: time.Minute}, h}
}

// shown is what a browser shows at last.
type shown struct {
	status int
	path   string
	header nethttp.Header
	text   string
	raw    string // as it came, where the text has what was escaped
}

func (b browser) do(r *nethttp.Request) shown {
	b.h.t.Helper()
	response, err := b.Do(r)
	if err != nil {
		b.h.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	return shown{response.StatusCode, response.Request.URL.Path, response.Header, html.UnescapeString(string(body)), string(body)}
}

func (b browser) request(method, path string, body io.Reader) *nethttp.Request {
	b.h.t.Helper()
	r, err := nethttp.NewRequest(method, b.h.url+path, body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	return r
}

func (b browser) get(path string) shown { return b.do(b.request("GET", path, nil)) }

// post sends a form, of names and values in turn, as a page of the console does.
func (b browser) post(path string, fields ...string) shown { return b.send("POST", path, fields...) }

func (b browser) send(method, path string, fields ...string) shown {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	r := b.request(method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// cookies are what the browser has of the console.
func (b browser) cookies() []*nethttp.Cookie {
	u, err := url.Parse(b.h.url)
	if err != nil {
		b.h.t.Fatal(err)
	}
	return b.Jar.Cookies(u)
}

// session is the secret that the browser has, "" for none.
func (b browser) session() string {
	for _, c := range b.cookies() {
		if c.Name == b.h.console.cookieName() {
			return c.Value
		}
	}
	return ""
}

// shows fails unless a page has a status, a path, and some texts.
func (h *house) shows(what string, p shown, status int, path string, texts ...string) {
	h.t.Helper()
	if p.status != status || p.path != path {
		h.t.Errorf("%s: %d %s, want %d %s\n%s", what, p.status, p.path, status, path, p.text)
		return
	}
	for _, text := range texts {
		if !strings.Contains(p.text, text) {
			h.t.Errorf("%s does not show %q:\n%s", what, text, p.text)
		}
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Content-Type": htmlType,
	} {
		if got := p.header.Get(name); got != want {
			h.t.Errorf("%s: %s: %q, want %q", what, name, got, want)
		}
	}
}

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

// until waits until the start leads to a path.
func (b browser) until(path string) {
	b.h.t.Helper()
	b.eventually("at "+path, func() bool { return b.get("/console").path == path })
}

// eventually waits until something holds.
func (b browser) eventually(what string, holds func() bool) {
	b.h.t.Helper()
	for began := time.Now(); !holds(); {
		if time.Since(began) > browserPatience {
			b.h.t.Fatalf("%s: not after %v", what, browserPatience)
		}
	}
}

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
	for _, path := range []string{"/console/sign-in", "/console/sign-out", "/console/invitation", "/console/accounts"} {
		h.shows(path, form(path, func(r *nethttp.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }), 403, path)
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
		r.path = strings.NewReplacer("{id}", asked[0], "{message}", asked[1], "{key}", key.String(), "{user}", commands.UserID("gone@example.com").String()).Replace(r.path)
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

// Whoever has to wait is told how long.
func TestWait(t *testing.T) {
	c := Console{pages: newPages(newAssets(), "")}
	server := http.New(slog.New(slog.DiscardHandler), "test")
	server.Mount(http.Face{Prefix: "/none/", Routes: []http.Route{{Method: "GET", Path: "/wait", Handle: func(x *http.Exchange) (http.Answer, error) {
		v := &visit{x: x}
		status, wrong, is := refusal(v, fmt.Errorf("sign in: %w", &commands.WaitError{For: 1500 * time.Millisecond}))
		if !is {
			t.Error("it is not refused")
		}
		return c.page("signin", v, status, signInShown{Wrong: wrong})
	}}}})
	server.Open(nil, nil)
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/wait", nil))
	if body := w.Body.String(); w.Code != 429 || w.Header().Get("Retry-After") != "2" || !strings.Contains(body, "too many attempts have failed: try again in 2 seconds.") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), body)
	}
}

// What pages load is kept by browsers for ever, under another address when it is another file.
func TestAssets(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	b := h.browser()
	p := b.get("/console/sign-in")
	found := regexp.MustCompile(`(?:href|src)="(/console/assets/[^"]+)"`).FindAllStringSubmatch(p.text, -1)
	if len(found) < 2 {
		t.Fatalf("%d assets in\n%s", len(found), p.text)
	}
	for _, m := range found {
		for _, encoding := range []string{"identity", "gzip"} {
			r := b.request("GET", m[1], nil)
			r.Header.Set("Accept-Encoding", encoding)
			a := b.do(r)
			if a.status != 200 || a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || (a.header.Get("Content-Encoding") == "gzip") != (encoding == "gzip") || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s, %s: %d %v", m[1], encoding, a.status, a.header)
			}
		}
		wrong := regexp.MustCompile(`[0-9a-f]{16}`).ReplaceAllString(m[1], "0123456789abcdef")
		if a := b.get(wrong); a.status != 404 {
			t.Errorf("%s: %d", wrong, a.status)
		}
	}
	if strings.Contains(p.text, "<style") || strings.Contains(p.text, " style=") || regexp.MustCompile(`<script>| on[a-z]+=`).MatchString(p.text) {
		t.Errorf("the page has what its policy forbids:\n%s", p.text)
	}
}

// A node that cannot know whether a session has ended lets nobody in.
func TestBehind(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	link := h.invite("ada@example.com", "acme", projections.RoleMember)
	b := h.browser()
	b.post("/console/invitation", "link", link, "password", password, "again", password)
	h.admin.Log.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if p := b.get("/console"); p.status == 503 {
			h.shows("without a log", p, 503, "/console", "Send the request again.")
			return
		}
	}
	t.Error("a session lets in without a log")
}

// A server that is not ready says so in words.
func TestNotReady(t *testing.T) {
	public, err := url.Parse("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Config{Public: public, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := http.New(slog.New(slog.DiscardHandler), "test")
	server.Mount(c.Face())
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/console", nil))
	if body := w.Body.String(); w.Code != 503 || w.Header().Get("Content-Type") != htmlType || w.Header().Get("Content-Security-Policy") != policy || !strings.Contains(body, "This node is not ready: it is starting.") {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), body)
	}
}

// What others have written is as they publish it.
func TestVendored(t *testing.T) {
	text, err := os.ReadFile("VENDOR.txt")
	if err != nil {
		t.Fatal(err)
	}
	entries := regexp.MustCompile(`(?m)^(\S+)\n  project   .+, https://\S+\n  version   \S+\n  licence   \S+\n  sha256    ([0-9a-f]{64})\n  command   .+$`).FindAllStringSubmatch(string(text), -1)
	if len(entries) == 0 {
		t.Fatal("nothing is vendored")
	}
	for _, e := range entries {
		body, err := embedded.ReadFile("assets/" + e[1])
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(body)); sum != e[2] {
			t.Errorf("%s: %s, want %s", e[1], sum, e[2])
		}
	}
}

// What a page loads before anything else stays small.
func TestScriptsAreSmall(t *testing.T) {
	t.Parallel()
	b, size := open(t, nil).browser(), 0
	for _, name := range []string{"htmx.js", "console.js"} {
		path, err := b.h.console.assets.Path(name)
		if err != nil {
			t.Fatal(err)
		}
		r := b.request("GET", path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		size += len(b.do(r).raw)
	}
	if size == 0 || size > 60<<10 {
		t.Errorf("scripts take %d bytes", size)
	}
}
