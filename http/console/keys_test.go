package console

import (
	nethttp "net/http"
	"regexp"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/projections"
)

// A key is made, used against /v1, rotated with an overlap, and revoked; no page shows it twice.
func TestKeys(t *testing.T) {
	t.Parallel()
	h := open(t, nil)
	domain := h.publish("acme", "home/electricity.yaml").DomainID.String()
	b := h.signedIn("ada@example.com", "acme", projections.RoleDeveloper)
	h.shows("no key", b.get("/console/keys"), 200, "/console/keys", "There is no key that could be used.", "Make a key")
	secretOf := func(p shown) string {
		t.Helper()
		found := regexp.MustCompile(`<pre tabindex="0" id="secret">(reckon_live_[^<]+)</pre>`).FindStringSubmatch(p.raw)
		if found == nil {
			t.Fatalf("no secret: %d\n%s", p.status, p.text)
		}
		return found[1]
	}
	allowed := func(secret, path string) int {
		t.Helper()
		r := h.browser().request("GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		return b.do(r).status
	}
	first := secretOf(b.post("/console/keys", "name", "reports", "may", "read", "domain", domain))
	b.key(first, 200)
	if status := allowed(first, "/v1/domains"); status != 200 {
		t.Errorf("/v1 with the key: %d", status)
	}
	list := b.get("/console/keys")
	h.shows("the list", list, 200, "/console/keys", "reports", "Reads, for Electricity bill alone", "never used")
	if strings.Contains(list.raw, first) {
		t.Error("a secret is shown twice")
	}
	id := regexp.MustCompile(`/console/keys/([0-9a-f-]{36})/rotate`).FindStringSubmatch(list.raw)[1]
	second := secretOf(b.post("/console/keys/"+id+"/rotate", "overlap", "24"))
	b.key(second, 200)
	for _, secret := range []string{first, second} {
		if status := allowed(secret, "/v1/domains"); status != 200 {
			t.Errorf("within the overlap: %d", status)
		}
	}
	h.shows("the overlap", b.get("/console/keys"), 200, "/console/keys", "the secret before holds until")
	h.shows("revoked", b.post("/console/keys/"+id+"/revoke"), 200, "/console/keys", "Keys that have ended", "revoked")
	b.key(second, 403)
	h.shows("rotating it", b.post("/console/keys/"+id+"/rotate"), 422, "/console/keys/"+id+"/rotate", "revoked")
	h.shows("a long name", b.post("/console/keys", "name", strings.Repeat("x", 101)), 422, "/console/keys", "Make a key")
	h.shows("no day", b.post("/console/keys", "name", "x", "expires", "soon"), 422, "/console/keys", "Write it as 2027-01-31")
	h.shows("the past", b.post("/console/keys", "name", "x", "expires", "2020-01-01"), 422, "/console/keys", "Make a key")

	// Keys of another account are none, and members see names alone.
	other := h.signedIn("bo@example.com", "other", projections.RoleOwner)
	for _, act := range []string{"rotate", "revoke"} {
		path := "/console/keys/" + id + "/" + act
		h.shows(act, other.post(path), 404, path, "There is no such key")
	}
	p := h.signedIn("cy@example.com", "acme", projections.RoleMember).get("/console/keys")
	h.shows("a member", p, 200, "/console/keys", "reports", "makes keys")
	if strings.Contains(p.raw, "<form method=\"post\" action=\"/console/keys") {
		t.Errorf("a member may make keys:\n%s", p.raw)
	}
	audit, err := h.admin.Audit(t.Context(), "acme", h.console.views.AccountsOf(commands.UserID("ada@example.com"))[0].CreatedAt)
	if err != nil || len(audit) == 0 {
		t.Fatal(err)
	}
	if text := h.lines.String(); strings.Contains(text, first) || strings.Contains(text, second) {
		t.Error("the log has a key")
	}
}

// key waits until the service answers to a key with a status, which is a second at most.
func (b browser) key(secret string, status int) {
	b.h.t.Helper()
	b.eventually("a key", func() bool {
		r := b.request("GET", "/v1/domains", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		response, err := nethttp.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == status
	})
}
