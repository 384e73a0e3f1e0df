package admin

import (
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Conversation is a conversation as lists show it.
type Conversation struct {
	ID             uuid.UUID  `json:"id"`
	Title          *string    `json:"title"`
	Notes          *string    `json:"notes"`
	DomainID       *uuid.UUID `json:"domain_id"` // of the first message
	Domain         string     `json:"domain"`    // its title then
	Messages       int        `json:"messages"`
	Sources        []string   `json:"sources"`
	LastActivityAt time.Time  `json:"last_activity_at"`
}

func conversationOf(c projections.Conversation) Conversation {
	row := Conversation{ID: c.ID, Title: c.Title, Notes: c.Notes, Messages: c.Messages, Sources: list(c.Sources), LastActivityAt: c.LastActivityAt}
	if c.Domain != nil {
		row.DomainID, row.Domain = &c.Domain.ID, c.Domain.Title
	}
	return row
}

// Description is what is written of a conversation. In a change null leaves a text as it is and an
// empty one takes it away.
type Description struct {
	Title *string `json:"title,omitempty"`
	Notes *string `json:"notes,omitempty"`
}

// conversations lists those that the parameters domain, text, since and source name, the one that
// was active last first.
func (q *request) conversations() (http.Answer, error) {
	var search projections.Search
	limit, after, err := q.Page(20)
	if err == nil {
		search.Since, err = q.since()
	}
	if err == nil {
		search.Text, err = q.Query("text")
	}
	if err == nil {
		search.Source, err = q.Query("source")
	}
	domain := ""
	if err == nil {
		domain, err = q.Query("domain")
	}
	switch {
	case err != nil:
		return http.Answer{}, err
	case search.Source != "" && search.Source != "api" && search.Source != "chat":
		return http.Answer{}, http.InvalidParam("source", "must be api or chat")
	case domain != "":
		d, err := q.domainNamed(domain)
		if err != nil {
			return http.Answer{}, err
		}
		search.Domain = d.ID
	}
	rows := []Conversation{}
	var next *uuid.UUID
	err = q.reading(q.ctx(), func(v read) error {
		page, err := v.Find(q.ctx(), q.account.ID, search, limit, after)
		for _, c := range page.Conversations {
			rows = append(rows, conversationOf(c))
		}
		next = page.Next
		return err
	})
	return http.Answer{Body: map[string]any{"conversations": rows, "next_cursor": next}}, err
}

// describe gives the conversation that the path names a title, notes or both.
func (q *request) describe() (http.Answer, error) {
	var d Description
	id, ok := q.ID("conversation")
	if !ok {
		text, _ := q.Named("conversation")
		return http.Answer{}, http.NotFound("conversation " + text + " is no id.")
	}
	if err := q.object(&d); err != nil {
		return http.Answer{}, err
	}
	err := q.admin.Describe(q.ctx(), q.account.Name, id, commands.Description{Title: d.Title, Notes: d.Notes})
	return http.Answer{Body: map[string]any{"id": id, "title": d.Title, "notes": d.Notes}}, err
}
