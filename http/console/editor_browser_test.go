package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"reckon/commands"
	"reckon/projections"
)

// inside is the editor's own part of the page, which stands in a shadow root.
const inside = `document.querySelector(".code").editor`

// writes replaces what the editor has first of a text by another one, as typing does.
func (b *tab) writes(what, old, text string) {
	b.t.Helper()
	b.runs(what, fmt.Sprintf(`{const v = %s, at = v.state.doc.toString().indexOf(%q); if (at < 0) throw Error("it is not there"); v.dispatch({changes: {from: at, to: at + %d, insert: %q}, userEvent: "input.type"})}`,
		inside, old, len(old), text))
}

// waits waits until a script gives true.
func (b *tab) waits(what, script string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.context, chromedp.Poll[bool](script, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		shown, _ := chromedp.Run(b.context, chromedp.Text(chromedp.CSS("main")))
		b.t.Fatalf("%s: %v (the browser noted %q, the page shows %s)", what, err, b.notes(), shown)
	}
}

// comes waits until a part of the page shows a text.
func (b *tab) comes(what, part, text string) {
	b.t.Helper()
	b.waits(what, fmt.Sprintf("!!document.querySelector(%q)?.innerText.includes(%q)", part, text))
}

// leaves lets the browser leave pages with what is not saved.
func (b *tab) leaves() {
	b.t.Helper()
	err := chromedp.Listen(b.context, func(event any) {
		if _, ok := event.(*page.EventJavascriptDialogOpening); ok {
			go func() {
				_ = chromedp.Do(b.context, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
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

// An author begins with the template, is told of a mistake, mends it by the quick fix, sees the tests go green and the draft
// saved, and both texts where somebody else has saved.
func TestBrowserEditor(t *testing.T) {
	program := chromium(t)
	if program == "" {
		return
	}
	begin := trip(t)
	h := open(t, func(c *Config) { c.Starters = func() []Starter { return []Starter{begin} } })
	b := h.tab(program)
	b.do("the link", chromedp.Navigate(commands.LinkURL(h.console.config.Public, h.invite("ada@example.com", "acme", projections.RoleDeveloper))), chromedp.WaitNotVisible(chromedp.ID("link-field")))
	b.fill("a password", "main button", "password", password, "again", password)
	b.do("what there is", chromedp.Navigate(h.url+"/console/domains/new"))
	b.picture("newdomain")
	b.fill("the template", ".starters a")
	b.comes("the template", "#problems", "There are no problems.")
	b.comes("its tests", "#tests", "All 2 pass.")
	b.waits("its graph", `document.querySelectorAll("#graph svg rect").length === 7`)
	b.writes("an error", "distance / speed", "distance / 3 km")
	b.comes("an error", "#problems", "Line 18, column 35 Expected an operator but found \"km\". A unit stands in brackets: write 3 [km].")
	b.picture("editor-problem")
	b.leaves()
	b.do("a reload", chromedp.Reload())
	b.comes("a reload", "#editor-state", "What you wrote before is here again.")
	b.comes("a reload", "#problems", "Line 18, column 35")
	b.runs("the quick fix", `document.querySelector("#problems button.small").click()`)
	b.waits("the quick fix", inside+`.state.doc.toString().includes("time = distance / 3 [km]")`)
	b.writes("the equation", "distance / 3 [km]", "distance / speed")
	b.comes("mended", "#problems", "There are no problems.")
	b.writes("a wrong test", "arrival: 2.5 h", "arrival: 3 h")
	b.comes("a wrong test", "#tests", "1 of 2 fail.")
	b.comes("why", "#tests .failed", "Expected 3 h, but it is 2.5 h.")
	b.picture("editor-red")
	b.writes("a right test", "arrival: 3 h}\n", "arrival: 2.5 h}\n")
	b.comes("green", "#tests", "All 2 pass.")
	b.fill("saving", ".editor-acts button")
	b.comes("saved", "#editor-kept", "A draft.")

	// What is written is saved by itself.
	b.writes("a title", "title: Road trip", "title: A road trip")
	b.comes("by itself", "#editor-state", "Saved as draft")
	b.comes("by itself", "#editor-title", "A road trip")
	b.picture("editor")

	// Completion, explanation, and a table out of a spreadsheet.
	b.writes("a name", "distance / speed", "distance / spe")
	b.runs("completion", fmt.Sprintf(`{const v = %s, at = v.state.doc.toString().indexOf("distance / spe") + 14; v.focus(); v.dispatch({selection: {anchor: at}, changes: {from: at, insert: "e"}, userEvent: "input.type"}); v.dispatch({selection: {anchor: at + 1}})}`, inside))
	b.do("completion", chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.waits("completion", `!!document.querySelector(".code").shadowRoot.querySelector(".cm-tooltip-autocomplete li")?.innerText.includes("speed")`)
	b.picture("editor-completion")
	b.runs("completed", inside+`.contentDOM.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", keyCode: 13, bubbles: true, cancelable: true}))`)
	b.waits("completed", inside+`.state.doc.toString().includes("time = distance / speed\n")`)
	b.do("a window that has the line", chromedp.EmulateViewport(1280, 1200))
	over, err := chromedp.Run(b.context, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {const v = %s, c = v.coordsAtPos(v.state.doc.toString().indexOf("distance / speed") + 3); return [c.left, (c.top + c.bottom) / 2]})()`, inside)))
	if err != nil {
		t.Fatal(err)
	}
	b.do("explanation", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, over[0]-60, over[1]), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, over[0], over[1]))
	b.waits("explanation", `!!document.querySelector(".code").shadowRoot.querySelector(".cm-tooltip-hover pre")?.innerText.includes("How far you drive.")`)
	b.picture("editor-explained")
	b.runs("pasted", fmt.Sprintf(`{const v = %s, at = v.state.doc.toString().indexOf("0 h}") ; const d = new DataTransfer(); d.setData("text/plain", "x\ty\n1\t2 km\n3\t4 km\n"); v.dispatch({selection: {anchor: at, head: at + 3}}); v.contentDOM.dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true}))}`, inside))
	b.waits("pasted", inside+`.state.doc.toString().includes("default_value: [ # x, y\n    [1, 2 km],\n    [3, 4 km],\n    ]}")`)
	b.runs("not pasted", fmt.Sprintf(`{const v = %s, text = v.state.doc.toString(), at = text.indexOf("[ # x"); v.dispatch({changes: {from: at, to: text.indexOf("]}", at) + 1, insert: "0 h"}})}`, inside))
	b.comes("as before", "#editor-state", "Saved as draft")

	// Prose, with what it was taken for.
	b.runs("a question", `document.getElementById("try-prompt").value = "how long for 150 km at 60 km/h?"; document.getElementById("try").requestSubmit()`)
	b.comes("a question", "#tried .good", "Driving time: 2.5")
	b.comes("a question", "#tried .read-value", "150 km")
	b.runs("a follow-up", `document.getElementById("try-prompt").value = "and 10 km/h faster?"; document.getElementById("try").requestSubmit()`)
	b.comes("a follow-up", "#tried .read-change", "10 km/h faster")
	b.runs("a doubt", `document.getElementById("try-prompt").value = "what about bananas?"; document.getElementById("try").requestSubmit()`)
	b.comes("a doubt", "#tried .wrong", "bananas")
	b.picture("editor-tried")

	// What an author writes stays text.
	const hostile = "</title><script>alert(1)</script><img src=x onerror=alert(1)>javascript:alert(1)"
	b.writes("a hostile title", "title: A road trip", fmt.Sprintf("title: %q", hostile))
	b.comes("a hostile title", "#editor-title", hostile)
	b.writes("a hostile unit", "unit: km/h,", "unit: \"<img src=x onerror=alert(1)>\",")
	b.comes("a hostile unit", "#problems", "<img")
	b.waits("nothing is made of it", `document.querySelectorAll("main img, main script").length === 0`)
	b.writes("the unit", "unit: \"<img src=x onerror=alert(1)>\",", "unit: km/h,")
	b.writes("the title", fmt.Sprintf("title: %q", hostile), "title: A road trip")
	b.runs("Ctrl S", `document.dispatchEvent(new KeyboardEvent("keydown", {key: "s", ctrlKey: true, bubbles: true, cancelable: true}))`)
	b.comes("Ctrl S", "#editor-title", "A road trip")

	// Escape lets the tab key leave, and Ctrl S saves.
	b.runs("inside", inside+`.focus()`)
	b.do("leaving", chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Tab)) // the first one closes a list of completions
	b.waits("leaving", `document.activeElement !== document.querySelector(".code")`)

	var took []time.Duration
	for i := range 9 {
		began := time.Now()
		b.writes("an error", "distance / speed", fmt.Sprintf("distance / speed%d", i))
		b.waits("an error", fmt.Sprintf(`document.querySelector("#problems").innerText.includes("speed%d")`, i))
		took = append(took, time.Since(began))
		b.writes("no error", fmt.Sprintf("speed%d", i), "speed")
		b.comes("no error", "#problems", "There are no problems.")
	}
	slices.Sort(took)
	t.Logf("problems behind a key: median %v, slowest %v", took[len(took)/2], took[len(took)-1])
	if took[len(took)/2] > 300*time.Millisecond {
		t.Errorf("problems come %v behind a key", took[len(took)/2])
	}

	// Somebody else saves meanwhile.
	b.comes("nothing is under way", "#editor-state", "Saved as draft")
	var id string
	for _, d := range h.kept("acme") {
		id = d.ID.String()
	}
	other := h.signedIn("bo@example.com", "acme", projections.RoleDeveloper)
	at := "/console/domains/" + id + "/edit"
	theirs := strings.Replace(strings.Replace(begin.Text, "title: Road trip", "title: A road trip", 1), "Driving time of a car journey.", "By bus.", 1)
	h.shows("another author", other.post(at, "do", "save", "text", theirs, "seen", between(other.get(at).raw, `name="seen" value="`, `"`)), 200, at, "By bus.")
	b.writes("mine", "Driving time of a car journey.", "By car.")
	b.comes("a conflict", "#conflict-mine mark", "By car.")
	b.comes("a conflict", "#conflict-theirs mark", "By bus.")
	b.picture("editor-conflict")
	b.runs("mine", `document.getElementById("conflict-save").click()`) // the page may still scroll to it
	b.comes("mine", "#editor-state", "Saved as draft")
	h.shows("kept", other.get(at), 200, at, "By car.")

	// Whose session has ended is told so, and what they write stays.
	if _, err := chromedp.Run(b.context, chromedp.Evaluate[bool](`fetch("/console/sign-out", {method: "POST", body: new URLSearchParams()}).then(r => r.ok)`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	b.writes("signed out", "By car.", "By car")
	b.comes("signed out", "#editor-state", "You are signed out.")
	if noted := b.notes(); len(noted) > 0 {
		t.Errorf("the browser noted %q", noted)
	}
}

// kept are the domains of an account, drafts too.
func (h *house) kept(account string) []projections.Domain {
	h.t.Helper()
	list, err := h.admin.Domains(h.t.Context(), commands.AccountID(account))
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}
