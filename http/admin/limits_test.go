package admin

import (
	nethttp "net/http"
	"strings"
	"testing"
)

// What is beyond a limit is the caller's to mend, and is said in words.
func TestLimitsAreTold(t *testing.T) {
	w := newWorld(t)
	long := func(n int) string { return strings.Repeat("x", n) }
	file := `title: Triple\nvariables: [{key: x}, {key: y}]\nactivities: [{equation: y = 3*x}]\n`
	for _, c := range []struct{ who, method, path, body, says string }{
		{"operator", "POST", "users", `{"email": "` + long(300) + `@example.com"}`, "e-mail address"},
		{"operator", "POST", "users", `{"email": "a@example.com", "name": "` + long(101) + `"}`, "at most 100 characters"},
		{"operator", "POST", "users", `{"email": "a@example.com", "name": "a\u0007"}`, "not shown"},
		{"operator", "POST", "invitations", `{"email": "a\n@example.com", "operator": true}`, "e-mail address"},
		{"owner", "POST", "accounts/acme/invitations", `{"email": "x", "role": "owner"}`, "e-mail address"},
		{"owner", "POST", "accounts/acme/invitations", `{"email": "a@example.com", "name": "` + long(101) + `", "role": "owner"}`, "at most 100 characters"},
		{"owner", "POST", "accounts/acme/invitations", `{"email": "a@example.com", "role": "king"}`, "there is no role"},
		{"owner", "POST", "accounts/acme/invitations", `{"email": "a@example.com", "operator": true}`, ""},
		{"owner", "POST", "accounts/acme/members", `{"email": "member@example.com", "role": "king"}`, "there is no role"},
		{"owner", "PATCH", "accounts/acme", `{"title": "` + long(5000) + `"}`, ""},
		{"owner", "PATCH", "accounts/acme", `{"time_zone": "Nowhere/Here"}`, ""},
		{"owner", "PATCH", "accounts/acme", `{"body_version": 7}`, ""},
		{"owner", "POST", "accounts/acme/keys", `{"name": "` + long(5000) + `"}`, "characters"},
		{"owner", "POST", "accounts/acme/keys", `{"name": "k", "scopes": ["all"]}`, "there is no scope"},
		{"owner", "POST", "accounts/acme/keys", `{"name": "k", "expires_at": "2001-01-01T00:00:00Z"}`, ""},
		{"owner", "POST", "tokens", `{"name": "` + long(5000) + `"}`, "characters"},
		{"owner", "POST", "tokens", `{"scopes": ["account:x"]}`, "does not name an account"},
		{"operator", "POST", "accounts", `{"name": "` + long(5000) + `"}`, ""},
		{"operator", "POST", "accounts/acme/suspend", `{"reason": "` + long(50000) + `"}`, "characters"},
		{"owner", "PATCH", "accounts/acme/conversations/00000000-0000-4000-8000-000000000000", `{"title": "` + long(5000) + `"}`, ""},
		{"developer", "POST", "accounts/acme/domains/publish", `{"source": "` + file + `", "comment": "` + long(1001) + `"}`, "1000 at most"},
		{"developer", "POST", "accounts/acme/domains/draft", `{"source": "` + file + `", "comment": "a\u0007"}`, ""},
		{"developer", "POST", "accounts/acme/domains/publish", `{"source": "` + file + `", "max_changed": -1}`, ""},
		{"developer", "POST", "accounts/acme/domains/publish", `{"source": "` + file + `#` + long(5<<20) + `"}`, ""},
		{"developer", "POST", "accounts/acme/domains/publish", `{"source": "key: ` + long(5000) + `\n` + file + `"}`, ""},
		{"developer", "POST", "accounts/acme/domains/publish", `{"source": "title: ` + long(100_000) + `\nvariables: [{key: x}, {key: y}]\nactivities: [{equation: y = 3*x}]\n"}`, ""},
		{"developer", "POST", "accounts/acme/domains/Double/publish", `{"comment": "` + long(1001) + `"}`, ""},
		{"developer", "POST", "accounts/acme/domains/Double/versions/1/restore", `{"comment": "` + long(1001) + `"}`, "1000 at most"},
		{"developer", "POST", "accounts/acme/domains/Double/versions/9/restore", `{}`, ""},
	} {
		g := w.as(c.who, c.method, c.path, c.body)
		if g.status < 400 || g.status >= nethttp.StatusInternalServerError || !strings.Contains(g.body, c.says) {
			t.Errorf("%s %s %.120s: %d %.300s", c.method, c.path, c.body, g.status, g.body)
		}
	}
}
