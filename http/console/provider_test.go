package console

import (
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"reckon/projections"
)

// people are whom a provider knows, by name.
type people map[string]*storage.User

func (p people) GetUserByID(id string) *storage.User {
	for _, user := range p {
		if user.ID == id {
			return user
		}
	}
	return nil
}
func (p people) GetUserByUsername(name string) *storage.User { return p[name] }
func (p people) ExampleClientID() string                     { return "service" }

// withProvider starts a house whose people may sign in with a provider that answers on this machine.
func withProvider(t *testing.T, p people) (*house, *httptest.Server) {
	t.Helper()
	listening := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(listening.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	issuer := "http://localhost:" + port + "/" // cookies of another host than the console's
	h := open(t, func(c *Config) {
		c.OpenID = &Provider{Issuer: issuer, Client: "reckon", Secret: "a secret of the client", Name: "Example"}
		clients := map[string]*storage.Client{"reckon": storage.WebClient("reckon", "a secret of the client", c.Public.JoinPath(CallbackPath).String())}
		listening.Config.Handler = exampleop.SetupServer(issuer, storage.NewStorageWithClients(p, clients), nil, false)
	})
	listening.Start()
	t.Cleanup(listening.Close)
	return h, listening
}

// comesBack signs in at the provider, up to where that sends the browser back to.
func (b browser) comesBack(name, from string) *url.URL {
	b.h.t.Helper()
	var back *url.URL
	b.CheckRedirect = func(r *nethttp.Request, _ []*nethttp.Request) error {
		if r.URL.Path == CallbackPath {
			back = r.URL
			return nethttp.ErrUseLastResponse
		}
		return nil
	}
	defer func() { b.CheckRedirect = nil }()
	login := b.get(from)
	id := regexp.MustCompile(`name="id" value="([^"]+)"`).FindStringSubmatch(login.text)
	if login.path != "/login/username" || id == nil {
		b.h.t.Fatalf("at %s, not at the provider's:\n%s", login.path, login.text)
	}
	form := url.Values{"id": {id[1]}, "username": {name}, "password": {"secret of " + name}}
	r, err := nethttp.NewRequest("POST", b.h.console.provider.Issuer+"login/username", strings.NewReader(form.Encode()))
	if err != nil {
		b.h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	p := b.do(r)
	if back == nil {
		b.h.t.Fatalf("the provider does not send back:\n%s", p.text)
	}
	return back
}

// Whoever was invited with an address that the provider has confirmed signs in with it, from the first time on; nobody else does.
func TestProvider(t *testing.T) {
	t.Parallel()
	known := people{}
	for i, name := range []string{"ada", "bo", "cy", "eve"} {
		known[name] = &storage.User{ID: fmt.Sprint("id", i), Username: name, Password: "secret of " + name, Email: name + "@example.com", EmailVerified: name != "cy"}
	}
	h, provider := withProvider(t, known)
	h.invite("Ada@example.com", "acme", projections.RoleOwner)
	h.invite("cy@example.com", "acme", projections.RoleMember)
	b := h.browser()
	h.shows("the start", b.get("/console"), 200, "/console/sign-in", "Sign in with Example", "/console/provider?next=")
	back := b.comesBack("ada", "/console/provider?next=/console/password")
	h.shows("who was invited", b.get(back.RequestURI()), 200, "/console/password", "have no password here")
	h.shows("home", b.get("/console"), 200, "/console", "Ada@example.com", "owner of this account")
	h.shows("the same again", b.get(back.RequestURI()), 403, CallbackPath, "This was not begun in this browser")
	for _, cookie := range b.cookies() {
		if cookie.Name == h.console.attemptName() {
			t.Error("what was kept of the attempt is left")
		}
	}

	for name, why := range map[string]string{"bo": "whom nobody invited", "cy": "whose address is not confirmed"} {
		stranger := h.browser()
		back := stranger.comesBack(name, "/console/provider")
		h.shows(why, stranger.get(back.RequestURI()), 403, CallbackPath, "Nobody was invited with the address", "Sign in with Example")
		if stranger.session() != "" {
			t.Errorf("%s is signed in", why)
		}
	}
	// The address may change, the person does not; and whoever has the address then is somebody else.
	known["ada"].Email, known["eve"].Email = "ada@new.example.com", "ada@example.com"
	again := h.browser()
	h.shows("another address", again.get(again.comesBack("ada", "/console/provider").RequestURI()), 200, "/console", "Ada@example.com")
	eve := h.browser()
	h.shows("the address of somebody else", eve.get(eve.comesBack("eve", "/console/provider").RequestURI()), 403, CallbackPath, "Nobody was invited")
	if err := h.admin.EndSessions(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	again.until("/console/sign-in")

	// What is not of this attempt is refused.
	for what, change := range map[string]func(query url.Values, a *attempt){
		"another state":    func(q url.Values, _ *attempt) { q.Set("state", "x") },
		"no state":         func(q url.Values, _ *attempt) { q.Del("state") },
		"no attempt":       func(_ url.Values, a *attempt) { *a = attempt{} },
		"another nonce":    func(_ url.Values, a *attempt) { a.nonce = "x" },
		"another verifier": func(_ url.Values, a *attempt) { a.verifier = strings.Repeat("x", 43) },
		"another code":     func(q url.Values, _ *attempt) { q.Set("code", "x") },
		"no code":          func(q url.Values, _ *attempt) { q.Del("code") },
		"an error":         func(q url.Values, _ *attempt) { q.Set("error", "<script>access_denied") },
	} {
		b := h.browser()
		back := b.comesBack("ada", "/console/provider")
		r := b.request("GET", "/", nil)
		for _, c := range b.cookies() {
			r.AddCookie(c)
		}
		a, is := h.console.attempt(r)
		if !is {
			t.Fatalf("%s: the browser has kept nothing", what)
		}
		query := back.Query()
		change(query, &a)
		tampered := h.browser()
		tampered.Jar.SetCookies(h.console.config.Public, []*nethttp.Cookie{{Name: h.console.attemptName(), Value: a.String(), Path: "/"}})
		p := tampered.get(CallbackPath + "?" + query.Encode())
		if p.status != 403 && p.status != 502 || tampered.session() != "" || strings.Contains(p.text, "<script>access") {
			t.Errorf("%s: %d\n%s", what, p.status, p.text)
		}
	}

	for _, secret := range []string{"a secret of the client", back.Query().Get("code"), "secret of ada", b.session()} {
		if text := h.lines.String(); secret != "" && strings.Contains(text, secret) {
			t.Errorf("the log has %q:\n%s", secret, text)
		}
	}
	provider.Close()
	late := h.browser()
	late.Jar.SetCookies(h.console.config.Public, []*nethttp.Cookie{{Name: h.console.attemptName(), Value: attempt{"s", "n", "v", ""}.String(), Path: "/"}})
	h.shows("a provider that is gone", late.get(CallbackPath+"?state=s&code=c"), 502, CallbackPath, "does not answer")
	list, err := h.admin.Audit(t.Context(), "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	linked := 0
	for _, e := range list {
		if strings.Contains(fmt.Sprintf("%T", e.Data), "IdentityLinked") {
			linked++
		}
	}
	if linked != 1 {
		t.Errorf("%d identities are linked", linked)
	}
}

// A provider that is not there when somebody first signs in is asked again later, and not by everybody at once.
func TestAbsentProvider(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *Config) {
		c.OpenID = &Provider{Issuer: "http://127.0.0.1:1/", Client: "reckon", Name: "Example"}
	})
	for range 2 {
		h.shows("an absent provider", h.browser().get("/console/provider"), 502, "/console/provider", "does not answer")
	}
	if err := h.console.provider.missed; err == nil || !strings.Contains(h.lines.String(), "signing in with the provider failed") {
		t.Errorf("%v, and the log has\n%s", err, h.lines.String())
	}
	without := open(t, nil)
	for _, path := range []string{"/console/provider", CallbackPath} {
		without.shows("no provider", without.browser().get(path), 404, path)
	}
}
