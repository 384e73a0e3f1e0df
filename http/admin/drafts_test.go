package admin

import (
	"encoding/json"
	"strings"
	"testing"
)

// Two authors write and publish the draft of a domain, each with what they saw: who has not seen the newest is refused, and
// nothing is changed by that.
func TestStaleDraft(t *testing.T) {
	w := newWorld(t)
	file := func(description string) string {
		body, err := json.Marshal(File{Name: "double.yaml", Source: strings.Join([]string{
			"title: Double", "description: " + description, "variables:", "  - {key: x, title: x}", "  - {key: y, title: y}",
			"activities:", "  - {title: Twice, equation: y = 2*x}", "",
		}, "\n")})
		w.must(nil, err)
		return string(body)
	}
	const draft, publish = "accounts/acme/domains/Double/draft", "accounts/acme/domains/Double/publish"
	write := func(who, description, tag string, status int) string {
		t.Helper()
		var headers []string
		if tag != "" {
			headers = []string{"If-Match", tag}
		}
		g := w.as(who, "PUT", draft, file(description), headers...)
		if g.status != status {
			t.Fatalf("%s writes %q with %s: %d %s", who, description, tag, g.status, g.body)
		}
		return g.header.Get("ETag")
	}
	first := write("developer", "First.", "", 200)
	if seen := w.as("owner", "GET", draft, "").header.Get("ETag"); seen != first || first == "" {
		t.Fatalf("it was written as %s and is %s", first, seen)
	}
	second := write("owner", "Second.", first, 200)
	write("developer", "Third.", first, 412)
	before := w.last()
	for _, tag := range []string{first, `"0"`, `"x"`, "x"} {
		if g := w.as("developer", "POST", publish, "{}", "If-Match", tag); g.status != 412 || g.code() != "error_precondition_failed" {
			t.Errorf("published with %s: %d %s", tag, g.status, g.body)
		}
	}
	if g := w.as("developer", "DELETE", draft, "", "If-Match", first); g.status != 412 {
		t.Errorf("discarded: %d %s", g.status, g.body)
	}
	if after := w.last(); after != before {
		t.Errorf("what was refused has left events %d to %d", before+1, after)
	}
	if g := w.as("developer", "POST", publish, "{}", "If-Match", second); g.status != 200 || !strings.Contains(g.body, `"version":2`) {
		t.Errorf("published as it was seen: %d %s", g.status, g.body)
	}
	if g := w.as("owner", "POST", publish, "{}", "If-Match", second); g.status < 400 {
		t.Errorf("published twice: %d %s", g.status, g.body)
	}
	if g := w.as("member", "GET", "accounts/acme/domains/Double/versions/2", ""); !strings.Contains(g.body, "Second.") {
		t.Errorf("version 2 is %s", g.body)
	}
}
