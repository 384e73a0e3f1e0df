package console

import (
	"os"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/projections"
)

// trip is a domain that the editor can begin with.
func trip(t *testing.T) Starter {
	t.Helper()
	text, err := os.ReadFile("../../cmd/reckon/templates/new.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return Starter{Name: "template", Title: "The template", Description: "A small domain.", Text: string(text)}
}

// A domain is begun, checked, saved, changed and saved again by forms alone; a conflict shows both texts.
func TestEditor(t *testing.T) {
	t.Parallel()
	begin := trip(t)
	h := open(t, func(c *Config) { c.Starters = func() []Starter { return []Starter{begin} } })
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	h.golden("newdomain", b.get("/console/domains/new"))
	h.shows("an empty one", b.get("/console/domains/new?from="), 200, "/console/domains/new", "Save as draft")
	h.shows("nothing of the name", b.get("/console/domains/new?from=x"), 404, "/console/domains/new", "There is nothing of this name")
	h.golden("editor", b.get("/console/domains/new?from=template"))
	wrong := strings.Replace(begin.Text, "distance / speed", "distance / 3 km", 1)
	h.shows("checked", b.post("/console/domains/new", "do", "check", "text", wrong), 200, "/console/domains/new", "Line 18, column 35", "write 3 [km].", "distance / 3 km")
	h.shows("with an error", b.post("/console/domains/new", "do", "save", "text", wrong), 422, "/console/domains/new", "It is not saved", "write 3 [km].")
	h.shows("no YAML", b.post("/console/domains/new", "do", "save", "text", "title: [x"), 422, "/console/domains/new", "It is not saved", "Line 2, column 1")
	h.shows("too long", b.post("/console/domains/new", "do", "save", "text", strings.Repeat("#", commands.MaxSource+1)), 413, "/console/domains/new", "at most 256 KiB")
	saved := b.post("/console/domains/new", "do", "save", "text", begin.Text)
	at := saved.path
	if saved.status != 200 || !strings.HasSuffix(at, "/edit") {
		t.Fatalf("%d %s\n%s", saved.status, at, saved.text)
	}
	h.shows("saved", saved, 200, at, "A draft. No version is published.", "# A domain: variables, and equations over them.")
	h.shows("again", b.post("/console/domains/new", "do", "save", "text", begin.Text), 422, "/console/domains/new", "There is a domain of this title")
	h.shows("checked well", b.post(at, "do", "check", "text", begin.Text), 200, at, "There are no problems")
	seen := between(saved.raw, `name="seen" value="`, `"`)
	other := strings.Replace(begin.Text, "Driving time of a car journey.", "By car.", 1)
	h.shows("changed", b.post(at, "do", "save", "text", other, "seen", seen), 200, at, "By car.")
	mine := strings.Replace(begin.Text, "Driving time of a car journey.", "By bus.", 1)
	conflict := b.post(at, "do", "save", "text", mine, "seen", seen)
	h.shows("a conflict", conflict, 409, at, "Somebody has changed", "By bus.", "By car.")
	h.shows("mine", b.post(at, "do", "save", "text", mine, "seen", between(conflict.raw, `name="seen" value="`, `"`)), 200, at, "By bus.")
	h.shows("another key", b.post(at, "do", "save", "text", "key: dm_0123456789abcdef01234567\n"+mine), 422, at, "the key of another domain")
	published := "/console/domains/" + h.publish("acme", "home/electricity.yaml").DomainID.String() + "/edit"
	h.shows("published", b.get(published), 200, published, "Version 1, as it answers.", "unit_price")
	if p := h.signedIn("bo@example.com", "other", projections.RoleOwner).get(published); p.status != 404 {
		t.Errorf("another account: %d", p.status)
	}
	if p := h.signedIn("cy@example.com", "acme", projections.RoleMember).get(published); p.status != 403 {
		t.Errorf("a member: %d", p.status)
	}
	hostile := strings.Replace(begin.Text, "title: Road trip", `title: "</textarea><script>alert(1)</script>javascript:alert(1)"`, 1)
	if p := b.post("/console/domains/new", "do", "save", "text", hostile); p.status != 200 || strings.Contains(p.raw, "<script>") || strings.Contains(p.raw, `="javascript:`) {
		t.Errorf("%d\n%s", p.status, p.raw)
	}
}

// between is what stands in a text between two others.
func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}
