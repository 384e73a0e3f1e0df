package http

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// A conversation's newest messages are read in pages, the newest page first and each oldest first,
// and whoever has the answer is told so until another message comes.
func TestConversationInPages(t *testing.T) {
	n := startNode(t)
	conversation, all, last := uuid.New(), []string{}, uint64(0)
	say := func() {
		m := events.Message{
			ConversationID: conversation, MessageID: uuid.New(), Source: "api", InputFormat: "structured", Prompt: "a: 1",
			Domain: n.domain, ReceivedAt: time.Now().UTC().Truncate(time.Millisecond), Now: time.Now().UTC().Truncate(time.Millisecond), TimeZone: "UTC", Engine: "1",
		}
		last = n.happen(m, &events.MessageFailed{Message: m, Errors: json.RawMessage(`[]`)}, last)
		all = append(all, m.MessageID.String())
	}
	for range 7 {
		say()
	}
	type page struct {
		Messages []struct {
			MessageID string `json:"message_id"`
		} `json:"messages"`
		NextCursor *string `json:"next_cursor"`
	}
	path := "/v1/conversations/" + conversation.String()
	read := func(query string) (p page, tag string) {
		t.Helper()
		w := n.ask("GET", path+query, "")
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		return p, w.Header().Get("ETag")
	}
	var paged []string
	query := "?limit=3"
	for {
		p, _ := read(query)
		var ids []string
		for _, m := range p.Messages {
			ids = append(ids, m.MessageID)
		}
		paged = append(ids, paged...)
		if p.NextCursor == nil {
			break
		}
		query = "?limit=3&starting_after=" + *p.NextCursor
	}
	if !slices.Equal(paged, all) {
		t.Errorf("in pages %v, want %v", paged, all)
	}
	whole, tag := read("")
	if len(whole.Messages) != len(all) {
		t.Errorf("%d messages, want %d", len(whole.Messages), len(all))
	}
	if _, other := read("?limit=3"); other == tag {
		t.Error("a page has the ETag of the whole")
	}
	if w := n.ask("GET", path, "", "If-None-Match", tag); w.Code != 304 {
		t.Errorf("read again: %d", w.Code)
	}
	if w := n.ask("GET", path, "", "If-None-Match", tag, "Body-Version", "1"); w.Code != 200 {
		t.Errorf("in another body version: %d", w.Code)
	}
	say()
	if w := n.ask("GET", path, "", "If-None-Match", tag); w.Code != 200 {
		t.Errorf("after another message: %d", w.Code)
	}
	for _, bad := range []string{"?limit=0", "?limit=101", "?limit=2&starting_after=" + uuid.NewString(), "?limit=2&starting_after=" + uuid.Nil.String()} {
		if w := n.ask("GET", path+bad, ""); w.Code != 422 {
			t.Errorf("%s: %d, want 422", bad, w.Code)
		}
	}
	if w := n.ask("GET", "/v1/conversations?starting_after="+uuid.Nil.String(), ""); w.Code != 422 {
		t.Errorf("the nil UUID as a cursor: %d, want 422", w.Code)
	}
}
