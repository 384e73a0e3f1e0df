package http

import (
	"context"
	"fmt"
	nethttp "net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"reckon/projections"
)

// conversations answers GET /v1/conversations.
func (s *Server) conversations(x *Exchange) (answer, error) {
	if _, err := x.bodyVersion(); err != nil {
		return answer{}, err
	}
	limit, after, err := pageQuery(x.r.URL.RawQuery, 20)
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
	if a, ok := s.answers.find(q, now); ok && len(x.key.Scopes) == 0 {
		return a, nil
	}
	page, err := s.views.Conversations(ctx, x.account.ID, limit, after)
	if err != nil {
		return answer{}, err
	}
	if len(x.key.Scopes) > 0 { // of which a page may be shorter
		page.Conversations = slices.DeleteFunc(page.Conversations, func(c projections.Conversation) bool { return !x.key.SeesConversation(c) })
		return answer{status: nethttp.StatusOK, body: encode(presentPage(page))}, nil
	}
	return s.answers.keep(q, state{edition, page.Newest}, answerWith(presentPage(page)), ""), nil
}

// pageQuery reads limit, usual where it is not given, and starting_after. Other parameters are
// ignored.
func pageQuery(query string, usual int) (limit int, after *uuid.UUID, err error) {
	p, err := readParameters(query)
	if err != nil {
		return 0, nil, err
	}
	limit, after = p.integer("limit", usual, 1, 100), p.cursor("starting_after")
	return limit, after, p.wrong
}

// readConversation makes what a question about a conversation is answered with: a document, or
// what is encoded as JSON.
type readConversation func(*Server, context.Context, question, projections.Conversation) (any, error)

// ofConversation answers with what is read of the conversation that the path names, unless that was
// answered before and has not changed.
func ofConversation(read readConversation) handler {
	return about(read, func(x *Exchange, q question, c projections.Conversation) (question, error) {
		if index, ok := scenarioIndex(x.vars["scenario_id"]); ok {
			q.number = index
		}
		if x.route != conversationPath {
			return q, nil
		}
		return pageOf(q, x.r.URL.RawQuery, c.Messages)
	})
}

// about is ofConversation for questions that ask completes.
func about(read readConversation, ask func(*Exchange, question, projections.Conversation) (question, error)) handler {
	return func(s *Server, x *Exchange) (answer, error) {
		id, version, err := s.reading(x, "conversation")
		if err != nil {
			return answer{}, err
		}
		ctx := x.r.Context()
		edition := s.views.Edition()
		c, found, err := s.views.Conversation(ctx, x.account.ID, id)
		if err != nil {
			return answer{}, err
		}
		if !found || !x.key.SeesConversation(c) {
			return answer{}, unknown("conversation")
		}
		q, err := ask(x, question{account: x.account.ID, route: x.route, id: id, bodyVersion: version}, c)
		if err != nil {
			return answer{}, err
		}
		now := state{edition, c.Sequence}
		tag := s.stateTag(q, now)
		if matches(x.r.Header.Values("If-None-Match"), tag) {
			return answer{status: nethttp.StatusOK, tag: tag}, nil // which becomes 304
		}
		if a, ok := s.answers.find(q, now); ok {
			return a, nil
		}
		if q.large || c.Messages > longConversation && q.below == 0 {
			if err := s.hold(x); err != nil {
				return answer{}, err
			}
			if err := s.turns.Acquire(ctx, x.account.ID); err != nil {
				return answer{}, err
			}
			defer s.turns.Release(x.account.ID)
			if a, ok := s.answers.find(q, now); ok { // who had the turn before may have made it
				return a, nil
			}
		}
		body, err := read(s, ctx, q, c)
		if err != nil {
			return answer{}, err
		}
		return s.answers.keep(q, now, answerWith(body), tag), nil
	}
}

// document is a body that is no JSON.
type document struct {
	kind string // of the Content-Type
	text string
}

// answerWith is the answer that has a document, or something encoded as JSON, for its body.
func answerWith(body any) answer {
	if d, ok := body.(document); ok {
		return answer{header: map[string]string{"Content-Type": d.kind}, body: []byte(d.text)}
	}
	return answer{body: encode(body)}
}

// longConversation is how many messages a conversation may have whose answer counts as small.
const longConversation = 500

// hold waits for one of the places of what is large in memory, which the exchange has until its
// end.
func (s *Server) hold(x *Exchange) error {
	ctx, cancel := context.WithTimeout(x.r.Context(), admissionPatience)
	defer cancel()
	if err := s.bodies.Acquire(ctx, x.by); err != nil {
		return crowded
	}
	x.holds = true
	return nil
}

// stateTag is the ETag of an answer that depends on the program, the question and the state alone.
func (s *Server) stateTag(q question, now state) string {
	return entityTag(fmt.Appendf(nil, "%s %s %s %s %s %d %d %d %d %q", s.version, q.account, q.route, q.id, q.message, q.number, q.below, q.bodyVersion, now.sequence, q.query))
}

// pageOf makes the question one for some of a conversation's messages where the query says how
// many. In all it has so many.
func pageOf(q question, query string, all int) (question, error) {
	limit, after, err := pageQuery(query, 0)
	if err != nil || limit == 0 {
		return q, err
	}
	q.number, q.below = limit, all+1
	if after == nil {
		return q, nil
	}
	below, ok := projections.Position(q.id, *after)
	if !ok || below < 1 || below > uint64(all) {
		return q, badCursor
	}
	q.below = int(below)
	return q, nil
}

// conversation reads for GET /v1/conversations/:id: all messages, or the newest ones below a place.
func (s *Server) conversation(ctx context.Context, q question, c projections.Conversation) (any, error) {
	first, last := 1, c.Messages
	if q.number > 0 {
		first, last = max(1, q.below-q.number), q.below-1
	}
	messages, err := s.views.Messages(ctx, q.account, c.ID, first, last)
	if err != nil {
		return nil, err
	}
	body := presentConversation(c, messages, q.bodyVersion)
	if q.number > 0 {
		var next *uuid.UUID
		if first > 1 {
			cursor := projections.Cursor(c.ID, uint64(first))
			next = &cursor
		}
		body.NextCursor = &next
	}
	return body, nil
}

// scenarios reads for GET /v1/conversations/:id/context.
func (s *Server) scenarios(ctx context.Context, q question, c projections.Conversation) (any, error) {
	at, err := s.views.Scenarios(ctx, q.account, c.ID, 1, c.Last)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(at, func(m projections.Message) bool { return m.Number == 0 }); i >= 0 {
		return nil, fmt.Errorf("scenario %d of conversation %s is missing from the views", i+1, c.ID)
	}
	return presentScenarios(c.ID, at, q.bodyVersion), nil
}

// scenario reads for GET /v1/conversations/:id/context/:scenario_id.
func (s *Server) scenario(ctx context.Context, q question, c projections.Conversation) (any, error) {
	if q.number < 1 || q.number > c.Last {
		return nil, unknown("scenario")
	}
	m, found, err := s.views.Scenario(ctx, q.account, c.ID, q.number)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, unknown("scenario")
	}
	return oneScenarioBody{c.ID, scenarioOf(q.number, &m, q.bodyVersion)}, nil
}

// scenarioIndex reads the index in a path: digits that do not begin with 0.
func scenarioIndex(text string) (int, bool) {
	index, err := strconv.Atoi(text)
	return index, err == nil && index > 0 && strconv.Itoa(index) == text
}
