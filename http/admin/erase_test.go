package admin

import (
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"

	"reckon/commands"
)

// An erased conversation is forgotten when that is said, and erased once. Who does not wait long
// enough is told so, and waits again.
func TestErasing(t *testing.T) {
	w := newWorld(t)
	w.server.forgets = 0
	w.answer()
	path := "accounts/acme/conversations/" + w.conversation.String() + "/erase"
	erase := func(body string, status int) (e Erased) {
		t.Helper()
		g := w.as("owner", "POST", path, body)
		if g.status != status || json.Unmarshal([]byte(g.body), &e) != nil {
			t.Fatalf("%d %s, want %d", g.status, g.body, status)
		}
		openAPI().Answers(t, "POST", prefix+"accounts/{account}/conversations/{conversation}/erase", g.status, []byte(g.body))
		return e
	}
	first := erase(`{"reason": "letter of 3 May"}`, nethttp.StatusAccepted)
	if first.ConversationID != w.conversation || first.Event == 0 || first.Again || first.Forgotten {
		t.Errorf("%+v", first)
	}
	w.server.forgets = forgetPatience
	if again := erase(`{}`, nethttp.StatusOK); again.Event != first.Event || !again.Again || !again.Forgotten {
		t.Errorf("%+v after %+v", again, first)
	}
	if left, err := w.admin.Log.Sequences(t.Context(), commands.AccountID("acme"), w.conversation); err != nil || len(left) > 0 {
		t.Errorf("%d events are left (%v)", len(left), err)
	}
	kept := w.asked(`[{"code":"calculation.overflow"}]`).String()
	for _, c := range []struct{ who, path, body, want string }{
		{"owner", "accounts/acme/conversations/0198f2c4-0000-7000-8000-000000000009/erase", "", "404 does not exist"},
		{"owner", "accounts/acme/conversations/first/erase", "", "404 does not exist"},
		{"owner", "accounts/-/conversations/" + w.conversation.String() + "/erase", "", "404 does not exist"},
		{"alien", "accounts/other/conversations/" + kept + "/erase", "", "404 does not exist"},
		{"alien", "accounts/-/conversations/" + kept + "/erase", "", "404 does not exist"},
		{"owner", "accounts/acme/conversations/" + kept + "/erase", `{"reason": "` + strings.Repeat("x", 201) + `"}`, "422 the reason: it has 201 characters"},
		{"owner", "accounts/acme/conversations/" + kept + "/erase", `{"reason": 1}`, "422 reason must be a string"},
		{"owner", "accounts/acme/conversations/" + kept + "/erase", `{`, "400 error_invalid_json"},
	} {
		g := w.as(c.who, "POST", c.path, c.body)
		status, text, _ := strings.Cut(c.want, " ")
		if fmt.Sprint(g.status) != status || !strings.Contains(g.body, text) {
			t.Errorf("%s %.90s %.30s: %d %s, want %s", c.who, c.path, c.body, g.status, g.body, c.want)
		}
	}
	if g := w.as("member", "GET", "accounts/acme/conversations/"+kept+"/history", ""); g.status != nethttp.StatusOK {
		t.Errorf("one that nobody may erase: %d %s", g.status, g.body)
	}
}
