package console

import (
	"strings"
	"testing"

	"reckon/commands"
	"reckon/projections"
)

// A conversation can be seen as it stood, an answer by each version of its domain, and a test be
// made of it, which the draft has then.
func TestPast(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	domain := h.publish("acme", "home/electricity.yaml").DomainID
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	asked := h.said(b, "acme", "power: 2 kW\nunit_price: 0.32 EUR/kWh\nhours_per_day: 3 h/d\ncalculate: total")
	at := "/console/conversations/" + asked[0]
	b.post("/console/ask", "domain", domain.String(), "conversation", asked[0], "prompt", "hours_per_day: 6 h/d")
	h.shows("now", b.get(at+"/history"), 200, at+"/history", "message completed", "message 2", "137.09 EUR", "Scenario 2, from scenario 1")
	then := b.get(at + "/history?at=1")
	h.shows("then", then, 200, at+"/history", "As it stood behind message 1", "68.54 EUR")
	if strings.Contains(then.text, "137.09 EUR") || strings.Contains(then.text, "Scenario 2") {
		t.Errorf("the past has what came later:\n%s", then.text)
	}
	h.shows("no message", b.get(at+"/history?at=9"), 404, at+"/history", "There is no such message")

	message := at + "/messages/" + asked[1]
	h.shows("one version", b.get(message+"/bisect"), 200, message+"/bisect", "No version changed the answer.", "gave this answer")
	d, _ := h.console.views.Domain(commands.AccountID("acme"), domain)
	changed := *d.Published
	changed.Activities = append(changed.Activities[:0:0], changed.Activities...)
	for i := range changed.Activities {
		changed.Activities[i].Equation = strings.Replace(changed.Activities[i].Equation, "tax_rate", "2*tax_rate", 1)
	}
	changed.Tests = nil
	if _, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Key: d.Key, Definition: changed}); err != nil {
		t.Fatal(err)
	}
	h.shows("two versions", b.get(message+"/bisect"), 200, message+"/bisect", "1 of 2 versions changed the answer.", "changed it", "2*tax_rate")

	h.shows("a test", b.get(message+"/test"), 200, message+"/test", "prompt:", "68.544", "Add it to the draft")
	h.shows("a test that does not pass", b.post(message+"/test"), 422, message+"/test", "Nothing is added: the draft does not pass this test")
	if _, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Key: d.Key, Definition: *d.Published}); err != nil {
		t.Fatal(err)
	}
	h.shows("added", b.post(message+"/test"), 200, message+"/test", "It is in the draft")
	h.shows("again", b.post(message+"/test"), 200, message+"/test", "has this test already")
	if is, _ := h.console.views.Domain(commands.AccountID("acme"), domain); is.Draft == nil || len(is.Draft.Tests) != len(d.Published.Tests)+1 {
		t.Errorf("the draft is %+v", is.Draft)
	}
	member := h.signedIn("bo@example.com", "acme", projections.RoleMember)
	h.shows("a member", member.get(message+"/test"), 200, message+"/test", "A developer adds it")
	h.shows("a member adds", member.post(message+"/test"), 403, message+"/test")
	eve := h.signedIn("eve@example.com", "other", projections.RoleOwner)
	for _, path := range []string{at + "/history", message + "/bisect", message + "/test"} {
		h.shows("another account", eve.get(path), 404, path)
	}
}
