package console

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"reckon/commands"
	"reckon/http/browsertest"
	"reckon/projections"
)

// inside is the editor's own part of the page, which stands in a shadow root.
const inside = `document.querySelector(".code").editor`

// write replaces what the editor has first of a text by another one, as typing does.
func write(b *browsertest.Tab, what, old, text string) {
	b.Run(what, fmt.Sprintf(`{const v = %s, at = v.state.doc.toString().indexOf(%q); if (at < 0) throw Error("it is not there"); v.dispatch({changes: {from: at, to: at + %d, insert: %q}, userEvent: "input.type"})}`,
		inside, old, len(old), text))
}

// An author begins with the template, is told of a mistake, mends it by the quick fix, sees the tests go green and the draft
// saved, and both texts where somebody else has saved.
func TestBrowserEditor(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	begin := trip(t)
	h := open(t, func(c *Config) { c.Starters = func() []Starter { return []Starter{begin} } })
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleDeveloper)
	b.Do("what there is", chromedp.Navigate(h.url+"/console/domains/new"))
	b.Picture("newdomain")
	b.Fill("the template", ".starters a")
	b.Comes("the template", "#problems", "There are no problems.")
	b.Comes("its tests", "#tests", "All 2 pass.")
	b.Wait("its graph", `document.querySelectorAll("#graph .drawn-wide rect").length === 7`)
	write(b, "an error", "distance / speed", "distance / 3 km")
	b.Comes("an error", "#problems", "Line 18, column 35 Expected an operator but found \"km\". A unit stands in brackets: write 3 [km].")
	b.Picture("editor-problem")
	b.Leave()
	b.Do("a reload", chromedp.Reload())
	b.Comes("a reload", "#editor-state", "What you wrote before is here again.")
	b.Comes("a reload", "#problems", "Line 18, column 35")
	b.Run("the quick fix", `document.querySelector("#problems button.small").click()`)
	b.Wait("the quick fix", inside+`.state.doc.toString().includes("time = distance / 3 [km]")`)
	write(b, "the equation", "distance / 3 [km]", "distance / speed")
	b.Comes("mended", "#problems", "There are no problems.")
	write(b, "a wrong test", "arrival: 2.5 h", "arrival: 3 h")
	b.Comes("a wrong test", "#tests", "1 of 2 fail.")
	b.Comes("why", "#tests .failed", "Expected 3 h, but it is 2.5 h.")
	b.Picture("editor-red")
	write(b, "a right test", "arrival: 3 h}\n", "arrival: 2.5 h}\n")
	b.Comes("green", "#tests", "All 2 pass.")
	b.Fill("saving", ".editor-acts button")
	b.Comes("saved", "#editor-kept", "A draft.")

	// What is written is saved by itself.
	write(b, "a title", "title: Road trip", "title: A road trip")
	b.Comes("by itself", "#editor-state", "Saved as draft")
	b.Comes("by itself", "#editor-title", "A road trip")
	write(b, "not by itself", "arrival: 2.5 h}\n", "arrival: 4 h}\n")
	b.Comes("not by itself", "#editor-state", "Not saved yet: a draft has no errors, and its tests pass.")
	write(b, "as it was", "arrival: 4 h}\n", "arrival: 2.5 h}\n")
	b.Comes("as it was", "#editor-state", "Saved as draft")
	b.Picture("editor")

	// Completion, explanation, and a table out of a spreadsheet.
	write(b, "a name", "distance / speed", "distance / spe")
	b.Run("completion", fmt.Sprintf(`{const v = %s, at = v.state.doc.toString().indexOf("distance / spe") + 14; v.focus(); v.dispatch({selection: {anchor: at}, changes: {from: at, insert: "e"}, userEvent: "input.type"}); v.dispatch({selection: {anchor: at + 1}})}`, inside))
	b.Do("completion", chromedp.KeyEvent(" ", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.Wait("completion", `!!document.querySelector(".code").shadowRoot.querySelector(".cm-tooltip-autocomplete li")?.innerText.includes("speed")`)
	b.Picture("editor-completion")
	b.Run("completed", inside+`.contentDOM.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", keyCode: 13, bubbles: true, cancelable: true}))`)
	b.Wait("completed", inside+`.state.doc.toString().includes("time = distance / speed\n")`)
	b.Do("a window that has the line", chromedp.EmulateViewport(1280, 1200))
	over, err := chromedp.Run(b.Context, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {const v = %s, c = v.coordsAtPos(v.state.doc.toString().indexOf("distance / speed") + 3); return [c.left, (c.top + c.bottom) / 2]})()`, inside)))
	if err != nil {
		t.Fatal(err)
	}
	b.Do("explanation", chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, over[0]-60, over[1]), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, over[0], over[1]))
	b.Wait("explanation", `!!document.querySelector(".code").shadowRoot.querySelector(".cm-tooltip-hover pre")?.innerText.includes("How far you drive.")`)
	b.Picture("editor-explained")
	b.Run("pasted", fmt.Sprintf(`{const v = %s, at = v.state.doc.toString().indexOf("0 h}") ; const d = new DataTransfer(); d.setData("text/plain", "x\ty\n1\t2 km\n3\t4 km\n"); v.dispatch({selection: {anchor: at, head: at + 3}}); v.contentDOM.dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true}))}`, inside))
	b.Wait("pasted", inside+`.state.doc.toString().includes("default_value: [ # x, y\n    [1, 2 km],\n    [3, 4 km],\n    ]}")`)
	b.Run("not pasted", fmt.Sprintf(`{const v = %s, text = v.state.doc.toString(), at = text.indexOf("[ # x"); v.dispatch({changes: {from: at, to: text.indexOf("]}", at) + 1, insert: "0 h"}})}`, inside))
	b.Comes("as before", "#editor-state", "Saved as draft")

	// Prose, with what it was taken for.
	b.Run("a question", `document.getElementById("try-prompt").value = "how long for 150 km at 60 km/h?"; document.getElementById("try").requestSubmit()`)
	b.Comes("a question", "#tried .good", "Driving time: 2.5")
	b.Comes("a question", "#tried .read-value", "150 km")
	b.Run("a follow-up", `document.getElementById("try-prompt").value = "and 10 km/h faster?"; document.getElementById("try").requestSubmit()`)
	b.Comes("a follow-up", "#tried .read-change", "10 km/h faster")
	b.Run("a doubt", `document.getElementById("try-prompt").value = "what about bananas?"; document.getElementById("try").requestSubmit()`)
	b.Comes("a doubt", "#tried .wrong", "bananas")
	b.Picture("editor-tried")

	// What an author writes stays text.
	const hostile = "</title><script>alert(1)</script><img src=x onerror=alert(1)>javascript:alert(1)"
	write(b, "a hostile title", "title: A road trip", fmt.Sprintf("title: %q", hostile))
	b.Comes("a hostile title", "#editor-title", hostile)
	write(b, "a hostile unit", "unit: km/h,", "unit: \"<img src=x onerror=alert(1)>\",")
	b.Comes("a hostile unit", "#problems", "<img")
	b.Wait("nothing is made of it", `document.querySelectorAll("main img, main script").length === 0`)
	write(b, "the unit", "unit: \"<img src=x onerror=alert(1)>\",", "unit: km/h,")
	write(b, "the title", fmt.Sprintf("title: %q", hostile), "title: A road trip")
	b.Run("Ctrl S", `document.dispatchEvent(new KeyboardEvent("keydown", {key: "s", ctrlKey: true, bubbles: true, cancelable: true}))`)
	b.Comes("Ctrl S", "#editor-title", "A road trip")

	// Escape lets the tab key leave, and Ctrl S saves.
	b.Run("inside", inside+`.focus()`)
	b.Do("leaving", chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Tab)) // the first one closes a list of completions
	b.Wait("leaving", `document.activeElement !== document.querySelector(".code")`)

	var took []time.Duration
	for i := range 9 {
		began := time.Now()
		write(b, "an error", "distance / speed", fmt.Sprintf("distance / speed%d", i))
		b.Wait("an error", fmt.Sprintf(`document.querySelector("#problems").innerText.includes("speed%d")`, i))
		took = append(took, time.Since(began))
		write(b, "no error", fmt.Sprintf("speed%d", i), "speed")
		b.Comes("no error", "#problems", "There are no problems.")
	}
	slices.Sort(took)
	t.Logf("problems behind a key: median %v, slowest %v", took[len(took)/2], took[len(took)-1])

	// Somebody else saves meanwhile.
	b.Comes("nothing is under way", "#editor-state", "Saved as draft")
	var id string
	for _, d := range h.kept("acme") {
		id = d.ID.String()
	}
	other := h.signedIn("bo@example.com", "acme", projections.RoleDeveloper)
	at := "/console/domains/" + id + "/edit"
	theirs := strings.Replace(strings.Replace(begin.Text, "title: Road trip", "title: A road trip", 1), "Driving time of a car journey.", "By bus.", 1)
	h.shows("another author", other.post(at, "do", "save", "text", theirs, "seen", between(other.get(at).raw, `name="seen" value="`, `"`)), 200, at, "By bus.")
	write(b, "mine", "Driving time of a car journey.", "By car.")
	b.Comes("a conflict", "#conflict-mine mark", "By car.")
	b.Comes("a conflict", "#conflict-theirs mark", "By bus.")
	b.Picture("editor-conflict")
	b.Run("mine", `document.getElementById("conflict-save").click()`) // the page may still scroll to it
	b.Comes("mine", "#editor-state", "Saved as draft")
	h.shows("kept", other.get(at), 200, at, "By car.")

	// Whose session has ended is told so, and what they write stays.
	if _, err := chromedp.Run(b.Context, chromedp.Evaluate[bool](`fetch("/console/sign-out", {method: "POST", body: new URLSearchParams()}).then(r => r.ok)`, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	write(b, "signed out", "By car.", "By car")
	b.Comes("signed out", "#editor-state", "You are signed out.")
	b.Quiet()
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
