package console

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// homeShown is what the start shows.
type homeShown struct {
	Domains    []domainShown
	Chosen     uuid.UUID
	Prompt     string
	Recent     []conversationRow
	Unanswered []unansweredShown
	Once       uuid.UUID
}

// domainShown is a domain that can be asked, with questions to try.
type domainShown struct {
	ID                 uuid.UUID
	Title, Description string
	Examples           []exampleShown
}

// exampleShown is a question; Text is how it is shown.
type exampleShown struct{ Text, Prompt string }

// unansweredShown is a question that nobody could answer.
type unansweredShown struct {
	Words, Domain string
	Conversation  uuid.UUID
	Message       uuid.UUID
}

const (
	maxRecent     = 6
	maxExamples   = 3
	maxUnanswered = 5
)

// home asks any domain, and leads back to what was asked before.
func (c *Console) home(v *visit) (http.Answer, error) {
	ctx := v.x.Request().Context()
	if err := c.views.Fresh(ctx); err != nil {
		return http.Answer{}, err
	}
	query := v.x.Request().URL.Query()
	s := homeShown{Prompt: query.Get("prompt"), Once: once()}
	page, err := c.views.Conversations(ctx, v.account.ID, maxRecent, nil)
	if err != nil {
		return http.Answer{}, err
	}
	s.Recent = rowsOf(page.Conversations, zoneOf(v.account))
	for _, d := range c.views.Domains(v.account.ID) {
		s.Domains = append(s.Domains, domainShown{d.ID, d.Published.Title, d.Published.Description, examplesOf(d.Published)})
	}
	if id, ok := http.CanonicalUUID(query.Get("domain")); ok {
		s.Chosen = id
	} else if len(page.Conversations) > 0 && page.Conversations[0].Domain != nil {
		s.Chosen = page.Conversations[0].Domain.ID
	}
	if v.role.May(projections.RoleDeveloper) {
		used, err := c.views.AccountUsed(ctx, v.account.ID, time.Now().AddDate(0, 0, -30))
		if err != nil {
			return http.Answer{}, err
		}
		for _, u := range used.Unanswered[:min(len(used.Unanswered), maxUnanswered)] {
			s.Unanswered = append(s.Unanswered, unansweredShown{u.Words, u.Domain, u.ConversationID, u.MessageID})
		}
	}
	return c.page("home", v, 0, s)
}

// examplesOf are questions to try: the author's, or else those of tests that begin with nothing.
func examplesOf(d *projections.Definition) (list []exampleShown) {
	for _, text := range d.Examples {
		list = append(list, exampleShown{text, text})
	}
	for _, t := range d.Tests {
		if len(list) < maxExamples && len(d.Examples) == 0 && len(t.After) == 0 && len(t.Errors) == 0 {
			prompt := strings.TrimSpace(t.Prompt)
			list = append(list, exampleShown{strings.ReplaceAll(prompt, "\n", ", "), prompt})
		}
	}
	return list[:min(len(list), maxExamples)]
}
