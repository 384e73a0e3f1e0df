package console

import (
	"net/url"
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// conversationsShown is what the list of conversations shows.
type conversationsShown struct {
	Text, Since, Source string
	Domain              uuid.UUID
	Domains             []projections.Domain
	Rows                []conversationRow
	Filtered            bool
	Next                string // where the list goes on, "" at its end
	First               bool
}

// conversations lists and searches conversations.
func (c *Console) conversations(v *visit) (http.Answer, error) {
	ctx := v.x.Request().Context()
	limit, after, err := v.x.Page(25)
	if err != nil {
		return http.Answer{}, err
	}
	q := v.x.Request().URL.Query()
	s := conversationsShown{Text: q.Get("text"), Since: q.Get("since"), Source: q.Get("source"), First: after == nil}
	search := projections.Search{Text: s.Text}
	if id, ok := http.CanonicalUUID(q.Get("domain")); ok {
		search.Domain, s.Domain = id, id
	}
	if s.Source == "api" || s.Source == "chat" {
		search.Source = s.Source
	}
	if day, err := time.ParseInLocation("2006-01-02", s.Since, zoneOf(v.account)); err == nil {
		search.Since = day
	} else {
		s.Since = ""
	}
	if err := c.views.Fresh(ctx); err != nil {
		return http.Answer{}, err
	}
	s.Filtered = search != projections.Search{}
	page, err := c.views.Find(ctx, v.account.ID, search, limit, after)
	if err != nil {
		return http.Answer{}, err
	}
	s.Domains = c.views.Domains(v.account.ID)
	s.Rows = rowsOf(page.Conversations, zoneOf(v.account))
	if page.Next != nil {
		on := url.Values{"starting_after": {page.Next.String()}}
		for _, name := range []string{"text", "since", "source", "domain"} {
			if text := q.Get(name); text != "" {
				on.Set(name, text)
			}
		}
		s.Next = Path + "/conversations?" + on.Encode()
	}
	return c.page("conversations", v, 0, s)
}
