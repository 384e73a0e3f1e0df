package projections

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Search says which conversations of an account are looked for. The zero value is all of them.
type Search struct {
	Domain uuid.UUID `json:"domain,omitzero"` // that has a part in it
	Text   string    `json:"text,omitempty"`  // in the title or the notes, upper and lower case alike
	Since  time.Time `json:"since,omitzero"`  // last active then or later
	Source string    `json:"source,omitempty"`
}

const (
	// maxSearched is how many conversations one page of a search looks at.
	maxSearched = 10_000
	// clocksApart is how far the clocks of nodes may be apart: places in lists are in the order of
	// events, and times are those of the nodes.
	clocksApart = time.Minute
)

// finds tells whether a conversation is looked for.
func (s Search) finds(c Conversation) bool {
	_, asked := c.Focus[s.Domain]
	text := strings.ToLower(s.Text)
	within := func(part *string) bool { return part != nil && strings.Contains(strings.ToLower(*part), text) }
	return (s.Domain == uuid.Nil || asked || c.Domain != nil && c.Domain.ID == s.Domain) &&
		(s.Text == "" || within(c.Title) || within(c.Notes)) &&
		(s.Source == "" || slices.Contains(c.Sources, s.Source)) &&
		!c.LastActivityAt.Before(s.Since)
}

// Find pages through the conversations of an account that are looked for, as Conversations does. A
// page may have fewer than the limit, or none, and a next one all the same.
func (v *Views) Find(ctx context.Context, account uuid.UUID, search Search, limit int, after *uuid.UUID) (Page, error) {
	found := Page{Conversations: []Conversation{}, Next: after}
	for looked := 0; looked < maxSearched; {
		page, err := v.Conversations(ctx, account, max(limit, 100), found.Next)
		if err != nil {
			return Page{}, err
		}
		looked += len(page.Conversations)
		for i, c := range page.Conversations {
			if c.LastActivityAt.Before(search.Since.Add(-clocksApart)) {
				found.Next = nil
				return found, nil
			}
			if !search.finds(c) {
				continue
			}
			found.Conversations = append(found.Conversations, c)
			if len(found.Conversations) == limit {
				if i+1 < len(page.Conversations) {
					next := Cursor(account, c.place())
					page.Next = &next
				}
				found.Next = page.Next
				return found, nil
			}
		}
		if found.Next = page.Next; found.Next == nil {
			break
		}
	}
	return found, nil
}
