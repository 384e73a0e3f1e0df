package docs

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
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	screenshots = flag.String("screenshots", "", "folder that pictures of the pages are written to")
	axe         = flag.String("axe", os.Getenv("AXE"), "file axe.min.js of the npm package axe-core, which looks for what keeps people out")
)

// looked are the pages that a browser looks at, one of each sort.
var looked = []string{
	"", "/search?q=payment", "/search?q=nothing%20of%20that%20sort%20zzz", "/api", "/api/calculate", "/api/compareScenarios", "/api/schemas", "/api-v1/calculate", "/admin/publishDomain",
	"/asking", "/webhooks", "/assistants", "/errors", "/functions", "/functions/money", "/units", "/formats", "/authoring", "/contract", "/operations", "/starters", "/starters/loan.yaml", "/nothing",
}

// browserPatience is how long a browser may take for all pages: it ends one that hangs, and is far
// beyond what a loaded machine needs.
const browserPatience = 8 * time.Minute

// looks says how a page is looked at.
var looks = []struct {
	name   string
	width  int64
	scheme string
	axe    bool // each width and each scheme once
}{{"wide-light", 1360, "light", true}, {"wide-dark", 1360, "dark", false}, {"narrow-light", 320, "light", false}, {"narrow-dark", 320, "dark", true}}

// A real browser finds nothing wrong, asks nobody else, and needs no more room than there is.
func TestBrowser(t *testing.T) {
	program := ""
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium-headless-shell", "chromium", "google-chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		const why = "there is no Chromium: apt-get install --no-install-recommends chromium-headless-shell, or CHROMIUM=path"
		if os.Getenv("RECKON_SOAK") != "" {
			t.Fatalf("NOT RUN: %s", why)
		}
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: %s\n", t.Name(), why)
		return
	}
	rules := ""
	if *axe != "" {
		text, err := os.ReadFile(*axe)
		if err != nil {
			t.Fatal(err)
		}
		rules = string(text)
	}
	_, server := open(t)
	limited, cancel := context.WithTimeout(t.Context(), browserPatience)
	defer cancel()
	allocated, end := chromedp.NewExecAllocator(limited, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)...)
	defer end()
	ctx, stop := chromedp.NewContext(allocated)
	defer stop()
	var mutex sync.Mutex
	var noted []string
	err := chromedp.Listen(ctx, func(event any) {
		note := ""
		switch e := event.(type) {
		case *log.EventEntryAdded:
			if !strings.Contains(e.Entry.Text, "status of 404") { // of the page that is not there
				note = fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL)
			}
		case *runtime.EventConsoleAPICalled:
			note = fmt.Sprintf("the console's %s", e.Type)
		case *runtime.EventExceptionThrown:
			note = "an exception: " + e.ExceptionDetails.Text
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, server.URL+"/") {
				note = "a request to " + e.Request.URL
			}
		}
		if note != "" {
			mutex.Lock()
			defer mutex.Unlock()
			noted = append(noted, note)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	do := func(what string, steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		for _, step := range steps {
			if err := chromedp.Do(ctx, step); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
	}
	do("watching", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}))
	for _, path := range looked {
		do(path, chromedp.EmulateViewport(looks[0].width, 800), chromedp.Navigate(server.URL+Path+path))
		for _, look := range looks {
			where := fmt.Sprintf("%s, %s", path, look.name)
			do(where, chromedp.EmulateViewport(look.width, 800), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}},
				})
				return err
			}))
			wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth"))
			if err != nil || wide > look.width {
				t.Errorf("%s: %d wide (%v)", where, wide, err)
			}
			if rules != "" && look.axe {
				for _, finding := range barriers(t, ctx, rules) {
					t.Errorf("%s: %s", where, finding)
				}
			}
			if *screenshots != "" {
				picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(80))
				if err == nil {
					name := strings.NewReplacer("/", "-", "?", "-", "%20", "_", "=", "-").Replace("docs" + path)
					err = os.WriteFile(filepath.Join(*screenshots, name+"-"+look.name+".jpg"), picture, 0o600)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
	mutex.Lock()
	defer mutex.Unlock()
	if len(noted) > 0 {
		t.Errorf("the browser noted %q", noted)
	}
}

// barriers are what axe finds against WCAG 2.2 A and AA.
func barriers(t *testing.T, ctx context.Context, rules string) (list []string) {
	t.Helper()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](rules+`; axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(
		r => JSON.stringify(r.violations.map(v => v.id + " (" + v.impact + "): " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(" | "))))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	return list
}
