package console

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"reckon/commands"
	"reckon/projections"
)

var (
	screenshots = flag.String("screenshots", "", "folder that pictures of the pages are written to")
	axe         = flag.String("axe", os.Getenv("AXE"), "file axe.min.js of the npm package axe-core, which looks for what keeps people out")
)

// tab is a tab of a real browser, which notes what no page may bring about.
type tab struct {
	t       *testing.T
	context context.Context
	h       *house
	static  bool // no script runs in it, axe included
	mutex   sync.Mutex
	noted   []string
}

// chromium is the program of a browser, "" where there is none, which is said.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium-headless-shell", "chromium", "google-chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			return found
		}
	}
	const why = "there is no Chromium: apt-get install --no-install-recommends chromium-headless-shell, or CHROMIUM=path"
	if os.Getenv("RECKON_SOAK") != "" {
		t.Fatalf("NOT RUN: %s", why)
	}
	fmt.Fprintf(os.Stderr, "NOT RUN: %s: %s\n", t.Name(), why)
	return ""
}

// browserPatience is how long a browser may take for a test: it ends one that hangs, and is far
// beyond what a loaded machine needs.
const browserPatience = 8 * time.Minute

// tab starts a browser with a profile of its own.
func (h *house) tab(program string) *tab {
	h.t.Helper()
	limited, cancel := context.WithTimeout(h.t.Context(), browserPatience)
	h.t.Cleanup(cancel)
	allocated, end := chromedp.NewExecAllocator(limited, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)...)
	h.t.Cleanup(end)
	ctx, stop := chromedp.NewContext(allocated)
	h.t.Cleanup(stop)
	b := &tab{t: h.t, context: ctx, h: h}
	err := chromedp.Listen(ctx, func(event any) {
		note := ""
		switch e := event.(type) {
		case *log.EventEntryAdded:
			note = fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
			if e.Entry.Source == log.EntrySourceNetwork && strings.Contains(e.Entry.Text, "responded with a status of 4") {
				note = "" // the page itself, which shows an error
			}
		case *runtime.EventConsoleAPICalled:
			note = fmt.Sprintf("the console's %s", e.Type)
		case *runtime.EventExceptionThrown:
			note = "an exception: " + e.ExceptionDetails.Text
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, h.url+"/") && !strings.HasPrefix(e.Request.URL, "data:") { // such as the pictures of its own fields
				note = "a request to " + e.Request.URL
			}
		}
		if note != "" {
			b.mutex.Lock()
			defer b.mutex.Unlock()
			b.noted = append(b.noted, note)
		}
	})
	if err != nil {
		h.t.Fatal(err)
	}
	b.do("watching", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}), looksLike("light"))
	return b
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		if err := chromedp.Do(b.context, step); err != nil {
			b.t.Fatalf("%s: %v (the browser noted %q)", what, err, b.notes())
		}
	}
}

// runs runs a script in the page.
func (b *tab) runs(what, script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.context, chromedp.Evaluate[any](script)); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// fill types into fields, by ids and texts in turn, and sends the form by a button.
func (b *tab) fill(what, button string, fields ...string) {
	b.t.Helper()
	for i := 0; i < len(fields); i += 2 {
		b.runs(what, fmt.Sprintf("document.getElementById(%q).value = ''", fields[i]))
		b.do(what, chromedp.SendKeys(chromedp.ID(fields[i]), fields[i+1]))
	}
	if _, err := chromedp.Run(b.context, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Click(chromedp.CSS(button)))); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// shows fails unless the browser is at a path, whose page has a text.
func (b *tab) shows(what, path, text string) {
	b.t.Helper()
	at, err := chromedp.Run(b.context, chromedp.Location())
	if err != nil {
		b.t.Fatal(err)
	}
	shown, err := chromedp.Run(b.context, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		b.t.Fatal(err)
	}
	if at != b.h.url+path || !strings.Contains(shown, text) {
		b.t.Errorf("%s: at %s, which shows %q; want %s and %q", what, at, shown, path, text)
	}
}

// sees fails unless a part of the page has a text.
func (b *tab) sees(what, part, text string) {
	b.t.Helper()
	shown, err := chromedp.Run(b.context, chromedp.Text(chromedp.CSS(part)))
	if err != nil || !strings.Contains(shown, text) {
		b.t.Errorf("%s: %s shows %q, want %q (%v)", what, part, shown, text, err)
	}
}

func (b *tab) notes() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.noted
}

// looks says how a page is looked at.
var looks = []struct {
	name   string
	width  int64
	scheme string
	axe    bool // each width and each scheme once
}{{"wide-light", 1280, "light", true}, {"wide-dark", 1280, "dark", false}, {"narrow-light", 320, "light", false}, {"narrow-dark", 320, "dark", true}}

// looksLike has pages in a scheme, and nothing in them scroll by and by: what is pressed meanwhile
// would be missed.
func looksLike(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	})
}

// picture looks at a page in all ways: nothing of it may stand beyond the width, and nothing keep
// people out. It is written where the flag says.
func (b *tab) picture(name string) {
	b.t.Helper()
	for _, look := range looks {
		b.do(name, chromedp.EmulateViewport(look.width, 800), looksLike(look.scheme))
		wide, err := chromedp.Run(b.context, chromedp.Evaluate[int64]("document.documentElement.scrollWidth"))
		if err != nil || wide > look.width {
			b.t.Errorf("%s, %s: %d wide (%v)", name, look.name, wide, err)
		}
		if *axe != "" && look.axe && !b.static {
			b.do(name, chromedp.EmulateViewport(look.width, 6000)) // where what sticks to the window's end covers nothing
			for _, finding := range b.barriers() {
				b.t.Errorf("%s, %s: %s", name, look.name, finding)
			}
			b.do(name, chromedp.EmulateViewport(look.width, 800))
		}
		if *screenshots == "" {
			continue
		}
		picture, err := chromedp.Run(b.context, chromedp.FullScreenshot(90))
		if err == nil {
			err = os.WriteFile(filepath.Join(*screenshots, name+"-"+look.name+".jpg"), picture, 0o600)
		}
		if err != nil {
			b.t.Error(err)
		}
	}
}

// barriers are what axe finds against WCAG 2.2 A and AA in the page.
func (b *tab) barriers() (list []string) {
	b.t.Helper()
	rules, err := os.ReadFile(*axe)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := chromedp.Run(b.context, chromedp.Evaluate[string](string(rules)+`; axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(
		r => JSON.stringify(r.violations.map(v => v.id + " (" + v.impact + "): " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | "))))`, chromedp.EvalAwaitPromise))
	if err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

// People come in with a real browser; nothing in it complains, and nothing leaves the origin.
func TestBrowser(t *testing.T) {
	program := chromium(t)
	if program == "" {
		return
	}
	if *axe == "" {
		fmt.Fprintln(os.Stderr, "NOT RUN: axe on the pages of the console: AXE names no axe.min.js of the npm package axe-core")
	}
	h := open(t, nil)
	secret := h.invite("ada@example.com", "acme", projections.RoleOwner)
	link := commands.LinkURL(h.console.config.Public, secret)
	b := h.tab(program)
	b.do("the start", chromedp.Navigate(h.url))
	b.shows("the start", "/console/sign-in", "Sign in")
	b.picture("signin")
	b.fill("a wrong password", "main button", "email", "ada@example.com", "password", "wrong password")
	b.shows("a wrong password", "/console/sign-in", "The e-mail address or the password is wrong.")
	b.picture("signin-wrong")

	b.do("the link", chromedp.Navigate(link), chromedp.WaitNotVisible(chromedp.ID("link-field")))
	b.shows("the link", "/console/invitation", "Come in") // without its secret
	b.picture("invitation")
	b.fill("a weak password", "main button", "password", "password123", "again", "password123")
	b.shows("a weak password", "/console/invitation", "it is one of the commonest")
	b.fill("a password", "main button", "password", password, "again", password)
	b.shows("a password", "/console", "ada@example.com")
	b.picture("home")
	history, err := chromedp.Run(b.context, chromedp.NavigationEntries())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range history.Entries {
		if strings.Contains(entry.URL, secret) {
			t.Errorf("the history of the browser has %s", entry.URL)
		}
	}
	seen, err := chromedp.Run(b.context, chromedp.Evaluate[string]("document.cookie"))
	if err != nil || seen != "" {
		t.Errorf("scripts see the cookie %q (%v)", seen, err)
	}
	h.invite("ada@example.com", "other", projections.RoleMember)
	b.do("accounts", chromedp.Navigate(h.url+"/console"))
	b.shows("accounts", "/console/accounts", "other")
	b.picture("accounts")
	b.fill("an account", "main li:last-child button")
	b.shows("an account", "/console", "member of this account")
	b.do("a password", chromedp.Navigate(h.url+"/console/password"))
	b.picture("password")
	b.do("no page", chromedp.Navigate(h.url+"/console/nothing"))
	b.picture("error")
	b.fill("signing out", "header button")
	b.shows("signing out", "/console/sign-in", "Sign in")

	// Without JavaScript the link is pasted.
	second := h.invite("bo@example.com", "acme", projections.RoleMember)
	b.static = true
	b.do("without scripts", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}), chromedp.Navigate(h.url+"/console/invitation"))
	b.shows("without scripts", "/console/invitation", "Without JavaScript")
	b.picture("invitation-without-scripts")
	b.fill("a pasted link", "main button", "link", commands.LinkURL(h.console.config.Public, second), "password", password, "again", password)
	b.shows("a pasted link", "/console", "bo@example.com")
	if noted := b.notes(); len(noted) > 0 {
		t.Errorf("the browser noted %q", noted)
	}
}
