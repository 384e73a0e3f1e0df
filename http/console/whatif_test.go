package console

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"reckon/http/browsertest"
	"reckon/projections"
)

// A what-if leaves nothing until it is kept, which is one message.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	domain := h.publish("acme", "home/electricity.yaml").DomainID.String()
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	asked := h.said(b, "acme", "power: 2 kW\nunit_price: 0.32 EUR/kWh\nhours_per_day: 3 h/d\ncalculate: total")
	at := "/console/conversations/" + asked[0] + "/what-if"
	h.golden("whatif", b.get(at))
	why := "/console/conversations/" + asked[0] + "/messages/" + asked[1] + "/why"
	h.golden("why", b.get(why))
	back := h.said(b, "acme", "energy: 1,440 kWh\nhours_per_day: 24 h/d\ncalculate: power")
	h.shows("solved", b.get("/console/conversations/"+back[0]+"/messages/"+back[1]+"/why"), 200, "/console/conversations/"+back[0]+"/messages/"+back[1]+"/why", "power = energy / days / hours_per_day")
	h.shows("no message", b.get(strings.Replace(why, asked[1], asked[0], 1)), 404, strings.Replace(why, asked[1], asked[0], 1), "There is no such message")
	before := h.console.views.At()
	h.shows("another value", b.get(at+"?scenario=1&given.hours_per_day=6+h/d"), 200, at, "137.09", "It is 68.54 EUR in the scenario.", "Keep it")
	h.shows("a share", b.get(at+"?given.tax_rate=7+%25"), 200, at, "61.63")
	h.shows("drawn", b.get(at+"?given.tax_rate=7+%25&over=power"), 200, at, "<polyline", "61.63")
	h.shows("drawn from the start", b.get(at), 200, at, "<polyline", `<option value="power" selected>`, `aria-hidden="true">Total <strong>68.54 EUR</strong></p>`)
	if p := b.get(at + "?over="); strings.Contains(p.raw, "<polyline") {
		t.Error("nothing is drawn over nothing")
	}
	h.shows("backwards", b.get(at+"?target=power&given.total=137.088+EUR"), 200, at, `<data value="4 kW"`)
	h.shows("a wrong value", b.get(at+"?given.power=lots"), 200, at, "problem-text")
	h.shows("no scenario", b.get(at+"?scenario=7"), 404, at, "There is no such scenario")
	if now := h.console.views.At(); now != before {
		t.Errorf("%d events behind the what-ifs, %d before", now, before)
	}
	kept := b.post("/console/ask", "domain", domain, "conversation", asked[0], "scenario", "1", "target", "total",
		"given.power", "2 kW", "was.power", "2 kW", "given.tax_rate", "7 %", "was.tax_rate", "19 %")
	h.shows("kept", kept, 200, "/console/conversations/"+asked[0], "61.63", "<b>Tax rate</b> 7 %")
	if n := strings.Count(kept.raw, "<article"); n != 2 || strings.Contains(kept.raw, "<b>Power</b>") {
		t.Errorf("%d messages:\n%s", n, kept.text)
	}
}

// A slider moves the answer while it moves, and writes nothing before it is kept.
func TestBrowserWhatIf(t *testing.T) {
	program := browsertest.Chromium(t)
	if program == "" {
		return
	}
	h := open(t, nil)
	h.publish("acme", "home/electricity.yaml")
	b := browsertest.Open(t, program, h.url)
	h.comeIn(b, "ada@example.com", "acme", projections.RoleOwner)
	b.Fill("an example", ".cards li:first-child .example")
	b.Fill("why", ".pod-acts a")
	b.Sees("why", ".steps", "68.544 EUR")
	b.Picture("why")
	b.Fill("back", ".crumbs a")
	b.Fill("what if", ".pod-acts a:last-child")
	b.Run("drawn", `document.getElementById("over").value = "hours_per_day"`)
	before, took := h.console.views.At(), []time.Duration{}
	for hours := 4; hours <= 12; hours++ {
		began := time.Now()
		b.Run("a slider", fmt.Sprintf(`{const s = document.querySelector("[data-field=f-hours_per_day]"); s.value = %d; s.dispatchEvent(new Event("input", {bubbles: true}))}`, hours))
		b.Do("an answer", chromedp.WaitReady(chromedp.CSS(fmt.Sprintf(`#answer data[value="%s EUR"]`, []string{"91.392", "114.24", "137.088", "159.936", "182.784", "205.632", "228.48", "251.328", "274.176"}[hours-4]))))
		took = append(took, time.Since(began))
	}
	sort.Slice(took, func(i, j int) bool { return took[i] < took[j] })
	t.Logf("an answer behind a slider with a chart: median %v, 40 ms of it the pause", took[len(took)/2])
	if now := h.console.views.At(); now != before {
		t.Errorf("%d events behind the slider, %d before", now, before)
	}
	b.Picture("what-if")
	b.Fill("keeping", "#answer button")
	b.Sees("kept", ".message:last-child .value", "274.18 EUR")
	b.Quiet()
}
