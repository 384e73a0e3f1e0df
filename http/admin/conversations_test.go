package admin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Conversations are found and described, what was used is added up, and what was not understood is
// told to who may read it.
func TestConversationsAndUsage(t *testing.T) {
	w := newWorld(t)
	var ids []string
	for i := range 5 {
		ids = append(ids, w.asked([]string{`[{"code":"language.not_understood","args":["hay"]}]`, `[{"code":"calculation.overflow"}]`}[i%2]).String())
	}
	get := func(who, path string, into any) {
		t.Helper()
		g := w.as(who, "GET", "accounts/acme/"+path, "")
		if g.status != 200 || json.Unmarshal([]byte(g.body), into) != nil {
			t.Fatalf("%s as %s: %d %s", path, who, g.status, g.body)
		}
	}
	if g := w.as("member", "PATCH", "accounts/acme/conversations/"+ids[1], `{"title": "Lake", "notes": "Asked by Ada."}`); g.status != 200 {
		t.Fatalf("%d %s", g.status, g.body)
	}
	type page struct {
		Conversations []Conversation `json:"conversations"`
		Next          *string        `json:"next_cursor"`
	}
	var found []string
	for after := ""; ; {
		var p page
		get("member", "conversations?limit=2"+after, &p)
		for _, c := range p.Conversations {
			found = append([]string{c.ID.String()}, found...)
		}
		if p.Next == nil {
			break
		}
		after = "&starting_after=" + *p.Next
	}
	if fmt.Sprint(found) != fmt.Sprint(ids) {
		t.Errorf("the conversations are %v, want %v", found, ids)
	}
	for query, want := range map[string]int{
		"text=ada": 1, "text=lAKE&source=api&domain=Double": 1, "source=chat": 0, "text=nowhere": 0,
		"since=" + time.Now().UTC().Add(time.Hour).Format(time.RFC3339): 0, "domain=double": 5,
	} {
		var p page
		if get("member", "conversations?"+query, &p); len(p.Conversations) != want {
			t.Errorf("%s finds %+v, want %d", query, p.Conversations, want)
		}
	}
	var used struct{ Usage []Used }
	if get("operator", "usage", &used); len(used.Usage) != 1 || used.Usage[0].Messages != 5 || used.Usage[0].Errors != 5 {
		t.Errorf("by day %+v", used.Usage)
	}
	if get("developer", "usage?by=code", &used); len(used.Usage) != 2 || used.Usage[0].Code != "language.not_understood" || used.Usage[0].Messages != 3 {
		t.Errorf("by code %+v", used.Usage)
	}
	if get("developer", "usage?by=domain", &used); len(used.Usage) != 1 || used.Usage[0].Name != "Double" {
		t.Errorf("by domain %+v", used.Usage)
	}
	var lost struct {
		Unanswered []struct{ Words string }
	}
	if get("owner", "unanswered", &lost); len(lost.Unanswered) != 3 || lost.Unanswered[0].Words != "hay" {
		t.Errorf("not understood %+v", lost.Unanswered)
	}
	key := w.fresh("developer", "{key}")
	w.must(nil, w.views.Fresh(t.Context()))
	var keys struct{ Keys []map[string]any }
	if get("member", "keys", &keys); len(keys.Keys) != 1 || keys.Keys[0]["id"] != key || keys.Keys[0]["last_used_at"] != nil {
		t.Errorf("the keys are %+v", keys)
	}
	for _, c := range []struct{ who, method, path, body, want string }{
		{"member", "GET", "accounts/acme/conversations?source=mail", "", "422 source must be api or chat"},
		{"member", "GET", "accounts/acme/conversations?domain=none", "", "404 has no domain"},
		{"member", "GET", "accounts/acme/conversations?starting_after=0198f2c4-0000-7000-8000-000000000009", "", "422 starting_after"},
		{"developer", "GET", "accounts/acme/usage?by=weather", "", "422 by must be day, domain, key, code"},
		{"member", "PATCH", "accounts/acme/conversations/" + ids[0], `{}`, "422 give a title, notes or both"},
		{"member", "PATCH", "accounts/acme/conversations/" + ids[0], `{"title": "` + strings.Repeat("x", 201) + `"}`, "422 title: it has 201 characters"},
		{"member", "PATCH", "accounts/acme/conversations/" + ids[0], `{"title": "a\nb"}`, "422 control characters"},
		{"member", "PATCH", "accounts/acme/conversations/0198f2c4-0000-7000-8000-000000000009", `{"title": "x"}`, "404 does not exist"},
		{"member", "PATCH", "accounts/acme/conversations/first", `{"title": "x"}`, "404 is no id"},
		{"alien", "PATCH", "accounts/other/conversations/" + ids[0], `{"title": "x"}`, "404 does not exist"},
	} {
		g := w.as(c.who, c.method, c.path, c.body)
		status, text, _ := strings.Cut(c.want, " ")
		if fmt.Sprint(g.status) != status || !strings.Contains(g.body, text) {
			t.Errorf("%s %s %.60s: %d %.300s, want %s", c.method, c.path, c.body, g.status, g.body, c.want)
		}
	}
}
