package http

import (
	"context"
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"reckon/commands"
	"reckon/events"
	"reckon/projections"
)

// A key does what its scopes say, sees nothing of other domains, ends when it was told to, and its
// earlier secret when their overlap is over.
func TestKeysOfAnAccount(t *testing.T) {
	n := startNode(t)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n.server.service.Run(running)
	}()
	defer func() { stop(); <-ended }()
	admin := commands.Admin{Log: n.log}
	other, err := admin.Publish(t.Context(), commands.Publication{Account: "acme", Definition: events.Definition{
		Title: "Double", Description: "Twice.",
		Variables: []events.Variable{
			{Key: "x", Title: "x", Kind: "number", DefaultValue: []byte(`""`)}, {Key: "y", Title: "y", Kind: "number", DefaultValue: []byte(`""`)},
		},
		Activities: []events.Activity{{Title: "Twice", Equation: "y = 2*x", State: "active"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	created := func(terms commands.KeyTerms) string {
		t.Helper()
		_, secret, err := admin.CreateKey(t.Context(), "acme", terms)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	soon := time.Now().Add(time.Hour)
	all := n.secret
	reader := created(commands.KeyTerms{Name: "dashboard", Scopes: []string{projections.ScopeRead}, ExpiresAt: &soon})
	narrow := created(commands.KeyTerms{Scopes: []string{projections.ScopeDomain + n.domain.ID.String()}})

	body := func(domain, prompt, conversation string) string {
		if conversation != "" {
			conversation = `, "conversation_id": "` + conversation + `"`
		}
		return fmt.Sprintf(`{"domain_id": %q, "input_format": "structured", "prompt": %q%s}`, domain, prompt, conversation)
	}
	want := func(what string, status int, text string, key, method, path, body string) string {
		t.Helper()
		n.secret = key
		w := n.ask(method, path, body)
		if w.Code != status || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s: got %d %s, want %d with %s", what, w.Code, w.Body, status, text)
		}
		return w.Body.String()
	}
	conversationOf := func(answer string) string {
		_, rest, _ := strings.Cut(answer, `"conversation_id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		return id
	}
	one, two := n.domain.ID.String(), other.DomainID.String()
	mine := conversationOf(want("everything", 200, `"completed"`, all, "POST", "/v1/calculate", body(one, "a: 1\ncalculate: b", "")))
	theirs := conversationOf(want("everything", 200, `"completed"`, all, "POST", "/v1/calculate", body(two, "x: 1\ncalculate: y", "")))

	want("a reader", nethttp.StatusForbidden, "error_insufficient_scope", reader, "POST", "/v1/calculate", body(one, "a: 1\ncalculate: b", ""))
	want("a reader", 200, theirs, reader, "GET", "/v1/conversations", "")
	want("a reader", 200, "Double", reader, "GET", "/v1/domains", "")

	want("one domain", 200, `"completed"`, narrow, "POST", "/v1/calculate", body(one, "a: 2", mine))
	want("another domain", 404, "error_not_found", narrow, "POST", "/v1/calculate", body(two, "x: 1\ncalculate: y", ""))
	want("a conversation of another domain", 404, "error_not_found", narrow, "POST", "/v1/calculate", body(one, "a: 1\ncalculate: b", theirs))
	want("a conversation of another domain", 404, "error_not_found", narrow, "GET", "/v1/conversations/"+theirs, "")
	want("scenarios of another domain", 404, "error_not_found", narrow, "GET", "/v1/conversations/"+theirs+"/context", "")
	want("variables of another domain", 404, "error_not_found", narrow, "GET", "/v1/domains/"+two+"/variables", "")
	want("a conversation of the domain", 200, mine, narrow, "GET", "/v1/conversations/"+mine, "")
	want("everything fills the cache", 200, theirs, all, "GET", "/v1/conversations", "")
	if list := want("the list", 200, mine, narrow, "GET", "/v1/conversations", ""); strings.Contains(list, theirs) {
		t.Errorf("the list has a conversation of another domain: %s", list)
	}
	if list := want("the domains", 200, one, narrow, "GET", "/v1/domains", ""); strings.Contains(list, two) {
		t.Errorf("the list has another domain: %s", list)
	}
	want("another domain in it", 200, `"completed"`, all, "POST", "/v1/calculate", body(two, "x: 1\ncalculate: y", mine))
	want("a conversation that has another domain", 404, "error_not_found", narrow, "GET", "/v1/conversations/"+mine, "")

	account, err := admin.Account(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	key := account.Keys[1]
	rotated, err := admin.RotateKey(t.Context(), key.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	want("the new secret", 200, one, rotated, "GET", "/v1/domains", "")
	want("the one before", 200, one, reader, "GET", "/v1/domains", "")
	again, err := admin.RotateKey(t.Context(), key.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	want("the newest", 200, one, again, "GET", "/v1/domains", "")
	want("two before", 401, "error_unauthorized", reader, "GET", "/v1/domains", "")
	want("the one before, without an overlap", 401, "error_unauthorized", rotated, "GET", "/v1/domains", "")

	brief := time.Now().Add(200 * time.Millisecond)
	ending := created(commands.KeyTerms{ExpiresAt: &brief})
	n.secret = ending
	for n.ask("GET", "/v1/domains", "").Code == 200 {
	}
	want("an expired key", nethttp.StatusForbidden, "expired", ending, "GET", "/v1/domains", "")

	past := time.Now().Add(-time.Second)
	for _, bad := range []commands.KeyTerms{
		{Name: strings.Repeat("n", 101)}, {Name: "a\x1b[2J"}, {Name: "right\u202eleft"}, {ExpiresAt: &past}, {Scopes: []string{"write"}}, {Scopes: []string{""}},
		{Scopes: []string{"domain:"}}, {Scopes: []string{"domain:" + strings.ToUpper(one)}}, {Scopes: []string{"domain:" + one + "\n"}},
	} {
		if _, _, err := admin.CreateKey(t.Context(), "acme", bad); err == nil {
			t.Errorf("a key with the terms %+v", bad)
		}
	}
	if _, err := admin.RotateKey(t.Context(), key.ID, commands.MaxOverlap+1); err == nil {
		t.Error("an overlap of more than a week")
	}
}
