package console

import (
	"bytes"
	"context"
	"html"
	"io"
	"log/slog"
	nethttp "net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"reckon/commands"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/browsertest"
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

// until waits until the start leads to a path.
func (b browser) until(path string) {
	b.h.t.Helper()
	b.eventually("at "+path, func() bool { return b.get("/console").path == path })
}

// eventually waits until something holds.
func (b browser) eventually(what string, holds func() bool) {
	b.h.t.Helper()
	for began := time.Now(); !holds(); {
		if time.Since(began) > browsertest.Patience {
			b.h.t.Fatalf("%s: not after %v", what, browsertest.Patience)
		}
	}
}
