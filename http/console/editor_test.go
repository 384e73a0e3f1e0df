package console

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"

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
	h.shows("saved", saved, 200, at, "A draft. No version is published.", "Publish the draft", "# A domain: variables, and equations over them.")
	h.shows("again", b.post("/console/domains/new", "do", "save", "text", begin.Text), 422, "/console/domains/new", "There is a domain of this title")
	h.shows("checked well", b.post(at, "do", "check", "text", begin.Text), 200, at, "There are no problems", "What is made of what", "├─ time = distance / speed")
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
	if err := h.admin.Retire(t.Context(), commands.AccountID("acme"), uuid.MustParse(strings.Split(published, "/")[3]), true); err != nil {
		t.Fatal(err)
	}
	h.shows("retired", b.post(published, "do", "save", "text", strings.Replace(begin.Text, "Road trip", "Tour", 1)), 422, published, "is retired")
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

// The script of the editor asks about texts, and saves what stands where it was begun.
func TestEditing(t *testing.T) {
	t.Parallel()
	begin := trip(t)
	h := open(t, nil)
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	at := b.post("/console/domains/new", "do", "save", "text", begin.Text)
	draft := strings.TrimSuffix(at.path, "edit") + "draft"
	says := func(what, method, path, text, match string, status int, want ...string) string {
		t.Helper()
		body, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		r := b.request(method, path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if match != "" {
			r.Header.Set("If-Match", `"`+match+`"`)
		}
		p := b.do(r)
		if p.status != status {
			t.Errorf("%s: %d %s, want %d", what, p.status, p.raw, status)
		}
		for _, part := range want {
			if !strings.Contains(p.raw, part) {
				t.Errorf("%s: %s, want %s", what, p.raw, part)
			}
		}
		return p.raw
	}
	wrong := strings.Replace(begin.Text, "distance / speed", "distance / 3 km", 1)
	red := strings.Replace(begin.Text, "arrival: 2.5 h", "arrival: 3 h", 1)
	says("no problem", "POST", "/console/editor/check", begin.Text, "", 200, `{"findings":[],"ran":false,"graph":{"drawing":"<div class=\"drawn-wide\"><svg`, `arrival = time + breaks`)
	says("a problem", "POST", "/console/editor/check", wrong, "", 200, `"line":18,"column":35`, `"end":37`, `"fix":{"Label":"Write 3 [km]","Line":18,"Column":33,"End":37,"Text":"3 [km]"}`)
	says("nothing", "POST", "/console/editor/check", "", "", 200, "The file is empty.")
	says("too long", "POST", "/console/editor/check", strings.Repeat("#", commands.MaxSource+1), "", 413)
	says("green", "POST", "/console/editor/test", begin.Text, "", 200, `"findings":[],"ran":true,"tests":[{"line":22,"column":5,"prompt":"distance: 150 km`)
	says("red", "POST", "/console/editor/test", red, "", 200, `"why":["Expected 3 h, but it is 2.5 h."]`)
	if got := says("tests of a file with errors", "POST", "/console/editor/test", wrong, "", 200, `"line":18`); strings.Contains(got, `"tests"`) {
		t.Errorf("tests of a file with errors: %s", got)
	}
	asks := func(what, path string, q any, want ...string) {
		t.Helper()
		body, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		r := b.request("POST", path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		p := b.do(r)
		for _, part := range want {
			if p.status != 200 || !strings.Contains(p.raw, part) {
				t.Errorf("%s: %d %s, want %s", what, p.status, p.raw, part)
			}
		}
	}
	type pointing map[string]any
	asks("a name", "/console/editor/complete", pointing{"text": begin.Text, "line": 18, "column": 34}, `"from":33`, `{"label":"speed","kind":"variable","detail":"Speed km/h"}`, `"label":"sqrt","kind":"function"`)
	asks("a name in what cannot be read", "/console/editor/complete", pointing{"text": strings.Replace(begin.Text, "title: Road trip", "title: [x", 1), "line": 18, "column": 34}, `{"label":"speed","kind":"variable"}`)
	asks("a unit", "/console/editor/complete", pointing{"text": strings.Replace(begin.Text, "distance / speed", "distance / 3 [k", 1), "line": 18, "column": 36}, `"label":"kilogram","kind":"unit"`)
	asks("nowhere", "/console/editor/complete", pointing{"text": begin.Text, "line": -1, "column": 99999}, `"completions":[`)
	asks("a variable", "/console/editor/explain", pointing{"text": begin.Text, "line": 18, "column": 25}, `How far you drive.`, `"from":22,"to":30`)
	asks("a function", "/console/editor/explain", pointing{"text": strings.Replace(begin.Text, "distance / speed", "sqrt(speed)", 1), "line": 18, "column": 23}, `sqrt(x)`)
	asks("nothing", "/console/editor/explain", pointing{"text": begin.Text, "line": 1, "column": 1}, `"text":""`)
	asks("cells", "/console/editor/table", pointing{"cells": "1\t2 km\n3\t4 km\n", "indent": 4}, `"table":"[\n      [1, 2 km],\n      [3, 4 km],\n      ]"`)
	asks("no cells", "/console/editor/table", pointing{"cells": "a: b"}, `"table":""`)
	asks("prose", "/console/editor/try", pointing{"text": begin.Text, "prompts": []string{"how long for 150 km at 60 km/h?", "and 10 km/h faster?", "bananas <b>"}},
		`{"text":"how long","part":"target","means":"time"}`, `{"text":"150 km","part":"value","means":"distance = 150 km"}`, `"answer":"Driving time: 2.5 h"`,
		`{"text":"10 km/h faster","part":"change","means":"speed = 70 km/h"}`, `{"text":"bananas","part":"unread"}`, `"wrong":"The request was not understood`)
	asks("prose with errors", "/console/editor/try", pointing{"text": wrong, "prompts": []string{"how long?"}}, `"wrong":true`)

	seen := between(at.raw, `name="seen" value="`, `"`)
	says("without a state", "PUT", draft, begin.Text, "", 428)
	says("a red draft", "PUT", draft, red, seen, 422, "It is not saved", "Expected 3 h")
	says("another key", "PUT", draft, "key: dm_0123456789abcdef01234567\n"+begin.Text, seen, 422, "the key of another domain")
	changed := says("a draft", "PUT", draft, strings.Replace(begin.Text, "Road trip", "Tour", 1), seen, 200, `"title":"Tour"`)
	says("a conflict", "PUT", draft, begin.Text, seen, 412, `"theirs":"# A domain`, "title: Tour")
	says("the newer one", "PUT", draft, begin.Text, between(changed, `"seen":`, ","), 200, `"title":"Road trip"`)
	says("no domain", "PUT", "/console/domains/"+commands.AccountID("x").String()+"/draft", begin.Text, seen, 404)
}

// between is what stands in a text between two others.
func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}
