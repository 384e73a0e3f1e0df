package console

import (
	"strings"
	"testing"

	"reckon/projections"
)

// Scenarios stand as columns, with what differs, and what each change has of the difference.
func TestCompare(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	domain := h.publish("acme", "home/electricity.yaml").DomainID.String()
	b := h.signedIn("ada@example.com", "acme", projections.RoleMember)
	asked := h.said(b, "acme", "power: 2 kW\nunit_price: 0.32 EUR/kWh\nhours_per_day: 3 h/d\ncalculate: total")
	at := "/console/conversations/" + asked[0]
	h.shows("one scenario", b.get(at+"/compare"), 200, at+"/compare", "There is one scenario")
	if strings.Contains(b.get(at).raw, "/compare") {
		t.Error("a single scenario can be compared")
	}
	for _, prompt := range []string{"hours_per_day: 6 h/d\nunit_price: 0.30 EUR/kWh", "scenario: 1\ntax_rate: 7%"} {
		b.post("/console/ask", "domain", domain, "conversation", asked[0], "prompt", prompt)
	}
	h.shows("a link", b.get(at), 200, at, at+"/compare")
	h.golden("compare", b.get(at+"/compare?scenario=1&scenario=2&scenario=3"))
	h.shows("another way round", b.get(at+"/compare?scenario=1&scenario=2&first=2"), 200, at+"/compare", "scenario 1 and scenario 2", "-")
	h.shows("what to compare", b.get(at+"/compare?scenario=1&scenario=2&of=energy"), 200, at+"/compare", "Energy used, scenario 2", "360.0 kWh")
	h.shows("no variable", b.get(at+"/compare?scenario=1&scenario=2&of=hay"), 200, at+"/compare", "hay")
	h.shows("no scenario", b.get(at+"/compare?scenario=1&scenario=9"), 404, at+"/compare", "There is no such scenario")
	other := h.signedIn("eve@example.com", "other", projections.RoleOwner)
	h.shows("another account", other.get(at+"/compare"), 404, at+"/compare")
}
