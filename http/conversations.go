package http

import (
	"fmt"
	nethttp "net/http"
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
	page, err := s.views.Conversations(ctx, x.account.ID, limit, after)
	if err != nil {
		return answer{}, err
	}
	return answer{status: nethttp.StatusOK, body: presentPage(page)}, nil
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
	c, version, err := s.findConversation(x)
	if err != nil {
		return answer{}, err
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
	return answer{status: nethttp.StatusOK, body: presentConversation(c, messages, version)}, nil
}

// scenarios answers GET /v1/conversations/:id/context.
func (s *Server) scenarios(x *exchange) (answer, error) {
	c, version, err := s.findConversation(x)
	if err != nil {
		return answer{}, err
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
	return answer{status: nethttp.StatusOK, body: presentScenarios(c.ID, at, version)}, nil
}

// scenario answers GET /v1/conversations/:id/context/:scenario_id.
func (s *Server) scenario(x *exchange) (answer, error) {
	index, wellFormed := scenarioIndex(x.vars[1])
	c, version, err := s.findConversation(x)
	if err != nil {
		return answer{}, err
	}
	if !wellFormed || index > c.Last {
		return answer{}, unknown("scenario")
	}
	m, found, err := s.views.Scenario(x.r.Context(), x.account.ID, c.ID, index)
	if err != nil {
		return answer{}, err
	}
	if !found {
		return answer{}, unknown("scenario")
	}
	return answer{status: nethttp.StatusOK, body: presentScenario(c.ID, index, m, version)}, nil
}

// scenarioIndex reads the index in a path: digits that do not begin with 0.
func scenarioIndex(text string) (int, bool) {
	index, err := strconv.Atoi(text)
	return index, err == nil && index > 0 && strconv.Itoa(index) == text
}

// findConversation reads the head of the conversation that the path names, and the body version of the answer.
func (s *Server) findConversation(x *exchange) (c projections.Conversation, version int, err error) {
	id, err := x.pathID("conversation")
	if err != nil {
		return c, 0, err
	}
	if version, err = x.bodyVersion(); err != nil {
		return c, 0, err
	}
	ctx := x.r.Context()
	if err := s.views.Fresh(ctx); err != nil {
		return c, 0, err
	}
	c, found, err := s.views.Conversation(ctx, x.account.ID, id)
	if err == nil && !found {
		err = unknown("conversation")
	}
	return c, version, err
}
