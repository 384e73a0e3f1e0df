package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/net/html"

	"reckon/commands"
	"reckon/commands/commandstest"
	"reckon/events"
	"reckon/http/webhooks"
	"reckon/projections"
)

// hostile is a text that is a script wherever one page forgets that it is a text, and script an address that is one.
const (
	hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{.}}`
	script  = "javascript:alert(1)"
)

// hostileDomain has hostile texts wherever an author may write one.
func hostileDomain() events.Definition {
	def := commandstest.Trip()
	def.Title, def.Description, def.Examples = hostile, hostile, []string{hostile, script}
	def.Sources = []events.Source{{Title: script, URL: "https://example.com/?" + url.QueryEscape(hostile), Licence: hostile}}
	def.Constraints = []events.Constraint{{Condition: "distance >= 0 [mi]", Message: hostile}}
	for i := range def.Variables {
		v := &def.Variables[i]
		v.Title, v.Description, v.Group = fmt.Sprintf("%s %d", hostile, i), hostile, hostile
	}
	for i := range def.Activities {
		def.Activities[i].Title, def.Activities[i].Description = fmt.Sprintf("%s %d", hostile, i), hostile
	}
	none := json.RawMessage(`""`)
	const label = `{"name": "</svg><script>alert(1)</script>"}`
	def.Variables = append(def.Variables,
		events.Variable{Key: "parts", Title: script, Kind: "bar_chart", DefaultValue: none, DisplayMetadata: json.RawMessage(`{"bar_chart": {"x_axis": {"title": "</svg><script>alert(1)</script>"}, "series": [` + label + `, {"name": "javascript:alert(1)"}]}}`)},
		events.Variable{Key: "doubled", Title: "</title><script>alert(1)</script>", Kind: "bar_chart", DefaultValue: none, DisplayMetadata: json.RawMessage(`{"bar_chart": {"x_axis": {"title": "<script>alert(1)</script>"}, "series": [` + label + `, ` + label + `]}}`)},
		events.Variable{Key: "listed", Title: "Listed", Kind: "table", DefaultValue: none, DisplayMetadata: json.RawMessage(`{"table": {"columns": [` + label + `, ` + label + `], "rows": {"names": ["<img src=x onerror=alert(1)>", "javascript:alert(1)"]}}}`)},
		events.Variable{Key: "sliced", Title: "Sliced", Kind: "pie_chart", DefaultValue: none, DisplayMetadata: json.RawMessage(`{"pie_chart": {"slices": {"names": ["</title><script>alert(1)</script>", "javascript:alert(1)"]}}}`)},
		events.Variable{Key: "way", Title: "Way", Kind: "number", DefaultValue: json.RawMessage(`"1"`), Choices: []events.Choice{{Label: "<script>alert(1)</script>", Value: "1"}, {Label: "<img src>", Value: "2"}}},
	)
	def.Activities = append(def.Activities,
		events.Activity{Title: "Doubled", Equation: "doubled = parts * 2", State: "active"}, events.Activity{Title: "Listed", Equation: "listed = parts * 3 * way", State: "active"},
		events.Activity{Title: "Sliced", Equation: "sliced = column(parts, 1)", State: "active"})
	def.Tests = []events.Test{{Prompt: commandstest.Drive + "\n# " + hostile, Expect: map[string]json.RawMessage{"time": json.RawMessage(`"2.5 h"`)}}}
	return def
}

// harmless fails if a page has an element, an attribute or an address that only a hostile text can have brought about.
func harmless(t *testing.T, what string, p shown) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(p.raw))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		source := ""
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc":
				t.Errorf("%s: <%s> has %s=%q", what, n.Data, a.Key, a.Val)
			case slices.Contains([]string{"href", "src", "action", "formaction", "data", "hx-get", "hx-post"}, a.Key) && strings.HasPrefix(value, "javascript:"):
				t.Errorf("%s: <%s> leads to %q", what, n.Data, a.Val)
			case a.Key == "src":
				source = a.Val
			}
		}
		if n.Data == "script" && (!strings.HasPrefix(source, "/console/assets/") || n.FirstChild != nil) || slices.Contains([]string{"img", "iframe", "object", "embed", "base", "style"}, n.Data) {
			t.Errorf("%s: there is a <%s>", what, n.Data)
		}
	}
}

// Whatever people and authors write is a text on every page: titles, descriptions, prompts, labels, cells, names and reasons.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *Config) { c.Post, c.Private = webhooks.NewPost(true), true })
	publish := func(def events.Definition, draft bool) commands.Published {
		t.Helper()
		published, err := h.admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: def, Comment: hostile, Source: "title: A\n# " + hostile, Draft: draft})
		if err == nil {
			err = h.console.views.Fresh(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		return published
	}
	def := hostileDomain()
	domain := publish(def, false).DomainID.String()
	b, op := h.signedIn("ada@example.com", "acme", projections.RoleOwner), h.signedIn("op@example.com", "", "")
	said := func(prompt string) [2]string { return h.said(b, "acme", prompt) }
	first := said(commandstest.Drive + "\n# " + hostile)
	at := "/console/conversations/" + first[0]
	for _, prompt := range []string{"speed: 75 mi/h", "parts: [[1, 2], [3, 4]]\ncalculate: doubled", "calculate: listed", "calculate: sliced", "parts: [[\"" + hostile + "\", 2], [3, 4]]\ncalculate: doubled", "calculate: cost", hostile, script, "distance: " + hostile + "\ncalculate: time"} {
		p := b.post("/console/ask", "domain", domain, "conversation", first[0], "prompt", prompt)
		if p.status != 200 {
			t.Errorf("%q: %d\n%s", prompt, p.status, p.text)
		}
		harmless(t, prompt, p)
	}
	drawn := b.post(at, "title", hostile, "notes", hostile)
	for _, label := range []string{"</svg><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title><script>alert(1)</script>"} {
		if !strings.Contains(drawn.text, label) {
			t.Errorf("the charts and tables do not show %q:\n%s", label, drawn.text)
		}
	}
	def.Activities[0].Equation = "time = 2 * distance / speed"
	def.Tests = nil
	publish(def, false)
	def.Description = script
	publish(def, true)
	key, _, err := h.admin.CreateKey(t.Context(), "acme", commands.KeyTerms{Name: hostile})
	if err != nil {
		t.Fatal(err)
	}
	b.post("/console/people", "email", "bo@example.com", "name", hostile, "role", "member")
	b.post("/console/settings", "title", hostile, "zone", "UTC", "version", "2")
	b.post(webhooksPath, "url", "http://127.0.0.1:1/"+url.QueryEscape(hostile), "name", hostile, "event", "calculation.failed")
	hook := ""
	for _, path := range strings.Split(b.get(webhooksPath).raw, webhooksPath+"/")[1:] {
		hook, _, _ = strings.Cut(path, `"`)
	}
	h.admin.CreateAccount(t.Context(), commands.CreateAccount{Name: "<script>alert(1)</script>"})
	if _, err := h.admin.Suspend(t.Context(), "<script>alert(1)</script>", hostile); err != nil {
		t.Fatal(err)
	}
	h.invite("ada@example.com", "<script>alert(1)</script>", projections.RoleMember)
	b.post("/console/accounts", "account", commands.AccountID("acme").String())

	// These have nothing that anybody wrote, or are no pages.
	plain := []string{"/", Path + "/", Path + "/conversations/{id}/events", Path + "/domains/new", Path + "/settings/export", Path + "/sign-in", Path + "/invitation", Path + "/provider", CallbackPath, Path + "/password", Path + "/you", Path + "/assets/{hash}/{name}"}
	queries := url.Values{}
	for _, name := range []string{"prompt", "text", "in", "by", "kind", "email", "next", "of", "over", "given.distance", "given.parts", "given.way", "target"} {
		queries.Set(name, hostile)
	}
	for _, r := range routes {
		if r.method != "GET" || slices.Contains(plain, r.path) {
			continue
		}
		who, subject := b, first[0]
		if r.least == operator {
			who, subject = op, commands.AccountID("<script>alert(1)</script>").String()
		}
		if strings.HasPrefix(r.path, Path+"/domains") {
			subject = domain
		}
		path := strings.NewReplacer("{id}", subject, "{account}", subject, "{message}", first[1], "{webhook}", hook, "{key}", key.String()).Replace(r.path)
		p := who.get(path)
		if p.status != 200 || p.path != path {
			t.Errorf("%s: %d %s\n%s", path, p.status, p.path, p.text)
		}
		if !strings.Contains(p.text, "alert(1)") {
			t.Errorf("%s does not show what was written:\n%s", path, p.text)
		}
		harmless(t, path, p)
		harmless(t, path+" asked for hostile things", who.get(path+"?"+queries.Encode()))
	}
	for what, p := range map[string]shown{
		"a comparison": b.get(at + "/compare?scenario=1&scenario=2"), "a test": b.post(at + "/messages/" + first[1] + "/test"), "the past": b.get(at + "/history?at=2"),
		"what if": b.get(at + "/what-if?" + url.Values{"scenario": {"1"}, "given.distance": {hostile}}.Encode()), "a version": b.get("/console/domains/" + domain + "?from=1&to=2"),
		"publishing": b.post("/console/domains/"+domain+"/publish", "comment", hostile+strings.Repeat("x", 1000)), "a link": b.post("/console/people", "email", "<script>alert(1)</script>", "name", hostile),
		"no webhook": b.post(webhooksPath, "url", script, "name", hostile), "no account": op.post("/console/installation/accounts", "name", hostile, "zone", hostile), "a wrong sign-in": h.browser().post("/console/sign-in", "email", hostile, "password", "x"),
		"not erased": b.post("/console/settings/erase", "name", hostile), "no domain": b.get("/console/domains/" + uuid.NewString() + "?" + queries.Encode()),
		"an editor": b.post("/console/domains/"+domain+"/edit", "do", "check", "text", "title: \"</textarea><script>alert(1)</script>\"\nvariables: [{key: \"<script>alert(1)</script>\"}]"),
	} {
		harmless(t, what, p)
		if p.status >= 500 || p.status == 404 != (what == "no domain") {
			t.Errorf("%s: %d\n%s", what, p.status, p.text)
		}
	}
}
