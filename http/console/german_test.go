package console

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"reckon/http/browsertest"
	"reckon/projections"
)

// Where a conversation is in German, its numbers are, and what is written in fields is read so.
func TestGerman(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	b := h.signedIn("ada@example.com", "acme", projections.RoleOwner)
	d := h.publish("acme", "home/electricity.yaml").DomainID.String()
	asked := b.post("/console/ask", "language", "de", "domain", d, "given.power", "2,5 kW", "given.hours_per_day", "3,5", "unit.hours_per_day", "h/d", "given.days", "1.000 d", "target", "energy")
	h.shows("a conversation", asked, 200, asked.path, "8.750", "2,5 kW", "3,5 h/d", "1.000 d", `name="given.power" value="2,5 kW"`, `name="language" value="de"`)
	if strings.Contains(asked.text, "2.5 kW</span>") || strings.Contains(asked.text, "8,750") {
		t.Errorf("it has English numbers:\n%s", asked.text)
	}
	at := asked.path + "/what-if"
	h.shows("what if", b.get(at), 200, at, `value="2,5 kW"`, `data-point=","`, `value="1000 d"`)
	changed := b.get(at + "?given.power=0,25+kW&over=power")
	h.shows("changed", changed, 200, at, ">875,0 <", "It is 8.750,0 kWh in the scenario.", `value="0,25 kW"`, "Keep it", "0,75 kW</text>")
	wrong := b.get(at + "?given.power=2,5+kx")
	h.faulted("a unit that is none", wrong, "f-power")
	kept := b.post("/console/ask", "language", "de", "domain", d, "conversation", strings.TrimPrefix(asked.path, "/console/conversations/"), "scenario", "1", "given.power", "0,25 kW", "was.power", "2,5 kW", "given.days", "1000 d", "was.days", "1000 d")
	h.shows("kept", kept, 200, asked.path, "875", "0,25 kW")
	english := b.post("/console/ask", "domain", d, "given.power", "2.5 kW", "given.hours_per_day", "3.5 h/d", "given.days", "1,000 d", "target", "energy")
	h.shows("another one", english, 200, english.path, "8,750", "2.5 kW", "1,000 d")
}

// The fields of a what-if say what is wrong with them while they are written, and sliders write as the language does.
func TestGermanInBrowser(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	browsertest.SayWithoutAxe(t)
	h := open(t, nil)
	d := h.publish("acme", "home/electricity.yaml").DomainID.String()
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleOwner)
	ask := h.browser()
	ask.post("/console/sign-in", "email", "ada@example.com", "password", password)
	asked := ask.post("/console/ask", "language", "de", "domain", d, "given.power", "2,5 kW", "given.hours_per_day", "3,5 h/d", "target", "energy").path
	b.Do("asked", chromedp.Navigate(h.url+asked))
	b.Picture("german-conversation")
	b.Do("what if", chromedp.Navigate(h.url+asked+"/what-if"))
	b.Run("a slider", `const slider = document.querySelector("[data-field=f-power]"); slider.value = "1.25"; slider.dispatchEvent(new Event("input", {bubbles: true}))`)
	b.Wait("a slider", `document.getElementById("f-power").value === "1,25 kW"`)
	b.Comes("a slider", "#answer .value", "131,3")
	b.Picture("german-what-if")
	b.Run("no unit", `document.getElementById("f-power").value = "1,25 kx"; document.getElementById("f-power").dispatchEvent(new Event("input", {bubbles: true}))`)
	b.Wait("no unit", `document.getElementById("f-power").getAttribute("aria-invalid") === "true" && !!document.getElementById("f-power-fault")`)
	b.Picture("german-what-if-fault")
	b.Run("a unit", `document.getElementById("f-power").value = "1,5 kW"; document.getElementById("f-power").dispatchEvent(new Event("input", {bubbles: true}))`)
	b.Wait("a unit", `!document.querySelector("[aria-invalid], .fault")`)
	b.Quiet()
}
