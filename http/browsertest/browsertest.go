// Package browsertest looks at pages in a real Chromium, as people do: it presses and writes, notes
// what no page may bring about, and finds what keeps people out.
package browsertest

import (
	"context"
	"encoding/json"
	"errors"
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
)

// Variables of the environment, beside CHROMIUM, the program of a browser.
const (
	axeVariable      = "AXE"      // file axe.min.js of the npm package axe-core, which looks for what keeps people out
	picturesVariable = "PICTURES" // folder that pictures of the pages are written to
)

// Patience is how long a browser may take for a test: it ends one that hangs, and is far beyond
// what a loaded machine needs.
const Patience = 8 * time.Minute

// Tab is a tab of a real browser, which notes what no page may bring about.
type Tab struct {
	Context context.Context
	origin  string // of the pages, without a slash at its end
	t       *testing.T
	static  bool // no script runs in it, axe included
	mutex   sync.Mutex
	noted   []string
}

// Program is the program of a browser.
func Program() (string, error) {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium-headless-shell", "chromium", "google-chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			return found, nil
		}
	}
	return "", errors.New("there is no Chromium: apt-get install --no-install-recommends chromium-headless-shell, or CHROMIUM=path")
}

// Chromium is the program of a browser for a test, "" where there is none, which is said.
func Chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	program, err := Program()
	if err != nil && os.Getenv("RECKON_SOAK") != "" {
		t.Fatalf("NOT RUN: %v", err)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: %v\n", t.Name(), err)
	}
	return program
}

// SayWithoutAxe says that nothing looks for what keeps people out, where that is so.
func SayWithoutAxe(t *testing.T) {
	if os.Getenv(axeVariable) == "" {
		fmt.Fprintf(os.Stderr, "NOT RUN: axe in %s: %s names no axe.min.js of the npm package axe-core\n", t.Name(), axeVariable)
	}
}

// Open starts a browser with a profile of its own, for the pages of an origin.
func Open(t *testing.T, program, origin string) *Tab {
	t.Helper()
	limited, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	allocated, end := chromedp.NewExecAllocator(limited, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)...)
	t.Cleanup(end)
	ctx, stop := chromedp.NewContext(allocated)
	t.Cleanup(stop)
	b := &Tab{t: t, Context: ctx, origin: origin}
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
			if !strings.HasPrefix(e.Request.URL, origin+"/") && !strings.HasPrefix(e.Request.URL, "data:") { // such as the pictures of its own fields
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
		t.Fatal(err)
	}
	b.Do("watching", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}), LooksLike("light"))
	return b
}

// Do takes steps, one after the other.
func (b *Tab) Do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		if err := chromedp.Do(b.Context, step); err != nil {
			b.t.Fatalf("%s: %v (the browser noted %q)", what, err, b.notes())
		}
	}
}

// Run runs a script in the page.
func (b *Tab) Run(what, script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.Context, chromedp.Evaluate[any](script)); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// Fill types into fields, by ids and texts in turn, and sends the form by a button.
func (b *Tab) Fill(what, button string, fields ...string) {
	b.t.Helper()
	for i := 0; i < len(fields); i += 2 {
		b.Run(what, fmt.Sprintf("document.getElementById(%q).value = ''", fields[i]))
		b.Do(what, chromedp.SendKeys(chromedp.ID(fields[i]), fields[i+1]))
	}
	if _, err := chromedp.Run(b.Context, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Click(chromedp.CSS(button)))); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// Shows fails unless the browser is at a path, whose page has a text.
func (b *Tab) Shows(what, path, text string) {
	b.t.Helper()
	at, err := chromedp.Run(b.Context, chromedp.Location())
	if err != nil {
		b.t.Fatal(err)
	}
	shown, err := chromedp.Run(b.Context, chromedp.Text(chromedp.CSS("main")))
	if err != nil {
		b.t.Fatal(err)
	}
	if at != b.origin+path || !strings.Contains(shown, text) {
		b.t.Errorf("%s: at %s, which shows %q; want %s and %q", what, at, shown, path, text)
	}
}

// Sees fails unless a part of the page has a text.
func (b *Tab) Sees(what, part, text string) {
	b.t.Helper()
	shown, err := chromedp.Run(b.Context, chromedp.Text(chromedp.CSS(part)))
	if err != nil || !strings.Contains(shown, text) {
		b.t.Errorf("%s: %s shows %q, want %q (%v)", what, part, shown, text, err)
	}
}

func (b *Tab) notes() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.noted
}

// Quiet fails if the browser has noted anything.
func (b *Tab) Quiet() {
	b.t.Helper()
	if noted := b.notes(); len(noted) > 0 {
		b.t.Errorf("the browser noted %q", noted)
	}
}

// WithoutScripts has no script run in pages from now on.
func (b *Tab) WithoutScripts() {
	b.t.Helper()
	b.static = true
	b.Do("without scripts", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// looks says how a page is looked at.
var looks = []struct {
	name   string
	width  int64
	scheme string
	axe    bool // each width and each scheme once
}{{"wide-light", 1280, "light", true}, {"wide-dark", 1280, "dark", false}, {"narrow-light", 320, "light", false}, {"narrow-dark", 320, "dark", true}}

// LooksLike has pages in a scheme, and nothing in them scroll by and by: what is pressed meanwhile
// would be missed.
func LooksLike(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	})
}

// Fits fails if something of a page stands beyond the width of a window.
func (b *Tab) Fits(name string) {
	b.t.Helper()
	for _, look := range looks {
		b.Do(name, chromedp.EmulateViewport(look.width, 800), LooksLike(look.scheme))
		wide, err := chromedp.Run(b.Context, chromedp.Evaluate[int64]("document.documentElement.scrollWidth"))
		if err != nil || wide > look.width {
			b.t.Errorf("%s, %s: %d wide (%v)", name, look.name, wide, err)
		}
	}
}

// Picture looks at a page in all ways: nothing of it may stand beyond the width, and nothing keep
// people out. It is written into the folder that PICTURES names.
func (b *Tab) Picture(name string) {
	b.t.Helper()
	b.Fits(name)
	axe, pictures := os.Getenv(axeVariable), os.Getenv(picturesVariable)
	for _, look := range looks {
		b.Do(name, chromedp.EmulateViewport(look.width, 800), LooksLike(look.scheme))
		if axe != "" && look.axe && !b.static {
			b.Do(name, chromedp.EmulateViewport(look.width, 6000)) // where what sticks to the window's end covers nothing
			for _, finding := range b.barriers(axe) {
				b.t.Errorf("%s, %s: %s", name, look.name, finding)
			}
			b.Do(name, chromedp.EmulateViewport(look.width, 800))
		}
		if pictures == "" {
			continue
		}
		picture, err := chromedp.Run(b.Context, chromedp.FullScreenshot(100))
		if err == nil {
			err = os.WriteFile(filepath.Join(pictures, name+"-"+look.name+".png"), picture, 0o600)
		}
		if err != nil {
			b.t.Error(err)
		}
	}
}

// barriers are what axe finds against WCAG 2.2 A and AA in the page.
func (b *Tab) barriers(axe string) (list []string) {
	b.t.Helper()
	rules, err := os.ReadFile(axe)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := chromedp.Run(b.Context, chromedp.Evaluate[string](string(rules)+`; axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(
		r => JSON.stringify(r.violations.map(v => v.id + " (" + v.impact + "): " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | "))))`, chromedp.EvalAwaitPromise))
	if err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return list
}

// Wait waits until a script gives true.
func (b *Tab) Wait(what, script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.Context, chromedp.Poll[bool](script, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		shown, _ := chromedp.Run(b.Context, chromedp.Text(chromedp.CSS("main")))
		b.t.Fatalf("%s: %v (the browser noted %q, the page shows %s)", what, err, b.notes(), shown)
	}
}

// Comes waits until a part of the page shows a text.
func (b *Tab) Comes(what, part, text string) {
	b.t.Helper()
	b.Wait(what, fmt.Sprintf("!!document.querySelector(%q)?.innerText.includes(%q)", part, text))
}

// Leave lets the browser leave pages with what is not saved.
func (b *Tab) Leave() {
	b.t.Helper()
	err := chromedp.Listen(b.Context, func(event any) {
		if _, ok := event.(*page.EventJavascriptDialogOpening); ok {
			go func() {
				_ = chromedp.Do(b.Context, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
					_, err := chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
					return err
				})) // the page that waits for it says so
			}()
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
