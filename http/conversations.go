package http

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"reckon/projections"
)

// messagePage is how many messages or scenarios of a conversation are read at a time.
const messagePage = 500

// conversations answers GET /v1/conversations.
func (s *Server) conversations(x *exchange) (answer, error) {
	if _, err := x.bodyVersion(); err != nil {
		return answer{}, err
	}
	limit, after, err := pageQuery(x.r.URL.RawQuery)
	if err != nil {
		return answer{}, err
	}
	ctx := x.r.Context()
	if err := s.views.Fresh(ctx); err != nil {
		return answer{}, err
	}
	q := question{account: x.account.ID, route: x.route, number: limit}
	if after != nil {
		q.id = *after
	}
	edition := s.views.Edition()
	now := state{edition, s.views.Newest(x.account.ID)}
	if a, ok := s.answers.find(q, now); ok {
		return a, nil
	}
	page, err := s.views.Conversations(ctx, x.account.ID, limit, after)
	if err != nil {
		return answer{}, err
	}
	return s.answers.keep(q, state{edition, page.Newest}, encode(presentPage(page))), nil
}

// pageQuery reads limit and starting_after. Other parameters are ignored.
func pageQuery(query string) (limit int, after *uuid.UUID, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, nil, invalidParam("The query", "is not well formed")
	}
	limit = 20
	if given, ok := values["limit"]; ok {
		n, err := strconv.ParseUint(given[0], 10, 16)
		if err != nil || len(given) > 1 || n < 1 || n > 100 {
			return 0, nil, invalidParam("limit", "must be one integer from 1 to 100")
		}
		limit = int(n)
	}
	if given, ok := values["starting_after"]; ok {
		id, ok := canonicalUUID(given[0])
		if !ok || len(given) > 1 {
			return 0, nil, invalidParam("starting_after", "must be the next_cursor of an earlier page")
		}
		after = &id
	}
	return limit, after, nil
}

// conversation answers GET /v1/conversations/:id.
func (s *Server) conversation(x *exchange) (answer, error) {
	c, q, now, err := s.findConversation(x)
	if err != nil {
		return answer{}, err
	}
	if a, ok := s.answers.find(q, now); ok {
		return a, nil
	}
	var messages []projections.Message
	for first := 1; first <= c.Messages; first += messagePage {
		last := min(first+messagePage-1, c.Messages)
		page, err := s.views.Messages(x.r.Context(), x.account.ID, c.ID, first, last)
		if err != nil {
			return answer{}, err
		}
		if first == 1 && last == c.Messages {
			messages = page
			break
		}
		messages = append(messages, page...)
	}
	return s.answers.keep(q, now, encode(presentConversation(c, messages, q.bodyVersion))), nil
}

// scenarios answers GET /v1/conversations/:id/context.
func (s *Server) scenarios(x *exchange) (answer, error) {
	c, q, now, err := s.findConversation(x)
	if err != nil {
		return answer{}, err
	}
	if a, ok := s.answers.find(q, now); ok {
		return a, nil
	}
	at := make([]projections.Message, 0, c.Last)
	for first := 1; first <= c.Last; first += messagePage {
		page, err := s.views.Scenarios(x.r.Context(), x.account.ID, c.ID, first, min(first+messagePage-1, c.Last))
		if err != nil {
			return answer{}, err
		}
		for i, m := range page {
			if m.Number == 0 {
				return answer{}, fmt.Errorf("scenario %d of conversation %s is missing from the views", first+i, c.ID)
			}
			at = append(at, m)
		}
	}
	return s.answers.keep(q, now, encode(presentScenarios(c.ID, at, q.bodyVersion))), nil
}

// scenario answers GET /v1/conversations/:id/context/:scenario_id.
func (s *Server) scenario(x *exchange) (answer, error) {
	index, wellFormed := scenarioIndex(x.vars["scenario_id"])
	c, q, now, err := s.findConversation(x)
	if err != nil {
		return answer{}, err
	}
	if !wellFormed || index > c.Last {
		return answer{}, unknown("scenario")
	}
	q.number = index
	if a, ok := s.answers.find(q, now); ok {
		return a, nil
	}
	m, found, err := s.views.Scenario(x.r.Context(), x.account.ID, c.ID, index)
	if err != nil {
		return answer{}, err
	}
	if !found {
		return answer{}, unknown("scenario")
	}
	return s.answers.keep(q, now, encode(presentScenario(c.ID, index, m, q.bodyVersion))), nil
}

// scenarioIndex reads the index in a path: digits that do not begin with 0.
func scenarioIndex(text string) (int, bool) {
	index, err := strconv.Atoi(text)
	return index, err == nil && index > 0 && strconv.Itoa(index) == text
}

// findConversation reads the head of the conversation that the path names, what is asked of it, and
// the state that it is in.
func (s *Server) findConversation(x *exchange) (c projections.Conversation, q question, now state, err error) {
	id, err := x.pathID("conversation")
	if err != nil {
		return c, q, now, err
	}
	version, err := x.bodyVersion()
	if err != nil {
		return c, q, now, err
	}
	ctx := x.r.Context()
	if err := s.views.Fresh(ctx); err != nil {
		return c, q, now, err
	}
	edition := s.views.Edition()
	c, found, err := s.views.Conversation(ctx, x.account.ID, id)
	if err == nil && !found {
		err = unknown("conversation")
	}
	q = question{account: x.account.ID, route: x.route, id: id, bodyVersion: version}
	return c, q, state{edition, c.Sequence}, err
}
