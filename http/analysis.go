package http

import (
	"context"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/projections"
)

// ofAnalysis answers with what an analysis makes of scenarios of the conversation that the path
// names: read says which scenarios they are, from the question (its id, message and number, the
// scenario, are those of the path) and the query, and what to make of them. Its answer is a
// document, or something encoded as JSON. It depends on nothing but the conversation and the query,
// so that it is kept, and has a tag, like other answers about conversations. A parameter that is
// wrong is 422 by p, before anything is calculated.
func ofAnalysis(read func(q question, p *parameters) (places []commands.Place, work func([]commands.Kept) (any, error))) handler {
	answer := func(s *Server, ctx context.Context, q question, c projections.Conversation) (body any, err error) {
		p, err := readParameters(q.query)
		if err != nil {
			return nil, err
		}
		places, work := read(q, p)
		if p.wrong != nil {
			return nil, p.wrong
		}
		err = s.service.Analyse(ctx, c, places, func(list []commands.Kept) error {
			body, err = work(list)
			return err
		})
		return body, err
	}
	return about(answer, func(x *Exchange, q question, _ projections.Conversation) (question, error) {
		q.query, q.large = x.r.URL.RawQuery, true
		if text, ok := x.vars["message_id"]; ok {
			id, ok := canonicalUUID(text)
			if !ok || id == uuid.Nil {
				return q, unknown("message")
			}
			q.message = id
		}
		if text, ok := x.vars["scenario_id"]; ok {
			index, ok := scenarioIndex(text)
			if !ok {
				return q, unknown("scenario")
			}
			q.number = index
		}
		return q, nil
	})
}
