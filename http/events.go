package http

import (
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"reckon/projections"
)

const (
	// maxStreams is how many streams of events are open at once where that is half of all connections
	// or less, and streamMemory what one of them takes. Of a memory that is limited a sixteenth is for
	// them. One account has a quarter of them at most.
	maxStreams   = 4096
	streamMemory = 32 << 10
	// streamBeat is after how much silence a comment is sent, so that nothing between the two ends
	// takes the connection for a dead one.
	streamBeat = 15 * time.Second
	// streamCheck is how often it is looked whether the key of a stream is still one, and the node not
	// cut off.
	streamCheck = 500 * time.Millisecond
	// streamRetry is after how long the caller comes back, in milliseconds.
	streamRetry = "1000"
)

// describedBody is a conversation that people have described.
type describedBody struct {
	ConversationID uuid.UUID `json:"conversation_id"`
	Title          *string   `json:"title"`
	Notes          *string   `json:"notes"`
}

// erasedBody is a conversation that is no more.
type erasedBody struct {
	ConversationID uuid.UUID `json:"conversation_id"`
}

// PresentChange is a change as callers are told of it: the type of the event, and what it is about
// in body version 1 or 2, as JSON in one line. A message is as the answer of calculate.
func PresentChange(c projections.Change, bodyVersion int) (kind string, body jsontext.Value) {
	of := c.Conversation
	switch {
	case c.Erased:
		body = encode(erasedBody{of.ID})
	case c.Message == nil:
		body = encode(describedBody{of.ID, of.Title, of.Notes})
	default:
		body = PresentMessage(*c.Message, bodyVersion)
	}
	return ChangeKind(c), body
}

// ChangeKind is the type of the event of a change.
func ChangeKind(c projections.Change) string {
	switch {
	case c.Erased:
		return "conversation.erased"
	case c.Message == nil:
		return "conversation.described"
	}
	return map[string]string{
		projections.InProgress: "message.started", projections.Completed: "message.completed", projections.Failed: "message.failed",
	}[c.Message.Status]
}

// conversationEvents answers GET /v1/conversations/:id/events. A stream that is not resumed begins
// with the newest message as it is, so that who opens one behind a 202 misses nothing.
func (s *Server) conversationEvents(x *Exchange) (answer, error) {
	id, version, err := s.reading(x, "conversation")
	if err != nil {
		return answer{}, err
	}
	ctx := x.r.Context()
	c, found, err := s.views.Conversation(ctx, x.account.ID, id)
	if err != nil {
		return answer{}, err
	}
	if !found || !x.key.SeesConversation(c) {
		return answer{}, unknown("conversation")
	}
	after, resumes, err := x.LastEvent(x.account.ID, id)
	if err != nil {
		return answer{}, err
	}
	if !resumes {
		newest, err := s.views.Messages(ctx, x.account.ID, id, c.Messages, c.Messages)
		if err != nil {
			return answer{}, err
		}
		after = s.views.At()
		if len(newest) > 0 {
			after = newest[0].Sequence - 1
		}
	}
	return s.events(x, id, after, version)
}

// accountEvents answers GET /v1/events: what becomes of all conversations from now on, or from
// where the stream is resumed.
func (s *Server) accountEvents(x *Exchange) (answer, error) {
	_, version, err := s.reading(x, "")
	if err != nil {
		return answer{}, err
	}
	after, resumes, err := x.LastEvent(x.account.ID, uuid.Nil)
	if err != nil {
		return answer{}, err
	}
	if !resumes {
		after = s.views.At()
	}
	return s.events(x, uuid.Nil, after, version)
}

// streamOf tells the ids of a stream's events from those of others: of a conversation, or of an
// account where that is uuid.Nil.
func streamOf(account, conversation uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(account, append(conversation[:], "events"...))
}

// LastEvent is behind which event a stream is resumed, as its header says.
func (x *Exchange) LastEvent(account, conversation uuid.UUID) (after uint64, resumes bool, err error) {
	values := x.r.Header.Values("Last-Event-ID")
	if len(values) == 0 || slices.Equal(values, []string{""}) {
		return 0, false, nil
	}
	after, ok := EventPosition(account, conversation, values[0])
	if !ok || len(values) > 1 || after > x.server.views.At() {
		return 0, false, invalidParam("Last-Event-ID", "must be the id of an event of this stream, or be left out")
	}
	return after, true, nil
}

// EventID is the id of an event in the stream of a conversation, or of an account where that is
// uuid.Nil. It leads to those behind it on every node.
func EventID(account, conversation uuid.UUID, sequence uint64) string {
	return projections.Cursor(streamOf(account, conversation), sequence).String()
}

// EventPosition is the sequence of the event with an id that EventID made for the same stream.
func EventPosition(account, conversation uuid.UUID, id string) (sequence uint64, ok bool) {
	cursor, ok := canonicalUUID(id)
	if !ok {
		return 0, false
	}
	return projections.Position(streamOf(account, conversation), cursor)
}

// Stream is what becomes of a conversation, or of all of an account where its id is uuid.Nil, as
// the HTML standard has server-sent events.
type Stream struct {
	Account, Conversation uuid.UUID
	After                 uint64 // sequence of an event

	Holds   func() bool                                                 // tells again and again whether whoever follows still may
	Sees    func(projections.Conversation) bool                         // nil for all
	Present func(projections.Change) (kind string, body jsontext.Value) // in one line
}

// events is the stream of what becomes of a conversation, or of all where its id is uuid.Nil,
// behind an event.
func (s *Server) events(x *Exchange, conversation uuid.UUID, after uint64, version int) (answer, error) {
	a, err := x.Follow(Stream{
		Account: x.account.ID, Conversation: conversation, After: after,
		Holds:   func() bool { return s.holds(x) },
		Sees:    func(c projections.Conversation) bool { return x.key.SeesConversation(c) },
		Present: func(c projections.Change) (string, jsontext.Value) { return PresentChange(c, version) },
	})
	return a.written(), err
}

// Follow answers with a stream, where there is a place for one more.
func (x *Exchange) Follow(f Stream) (Answer, error) {
	s := x.server
	if !s.streams.TryAcquire(x.by) {
		s.measures.limited.WithLabelValues("streams").Inc()
		return Answer{}, streaming
	}
	x.streams = true
	x.w.Header().Set("Cache-Control", "no-store, no-transform")
	x.w.Header().Set("X-Accel-Buffering", "no") // of nginx
	return Answer{Header: map[string]string{"Content-Type": "text/event-stream"}, Stream: func(w io.Writer) error {
		follower := s.views.Follow(f.Account, f.Conversation, f.After)
		defer follower.Close()
		e := eventStream{Stream: f, w: w, server: s, x: x, follower: follower}
		return e.run()
	}}, nil
}

// eventStream writes the events of a Stream.
type eventStream struct {
	Stream
	w        io.Writer
	server   *Server
	x        *Exchange
	follower *projections.Follower
	wrote    time.Time
}

// run writes events until the caller goes, may follow no more or the node is no good any more, or
// the server is to stop. That of a single conversation ends with it. Whoever does not read is cut
// off.
func (e *eventStream) run() error {
	if err := e.write("retry: " + streamRetry + "\nid: " + e.id(e.follower.Position()) + "\n\n"); err != nil {
		return err
	}
	check := time.NewTicker(streamCheck)
	defer check.Stop()
	ctx, s := e.x.r.Context(), e.server
	single := e.Conversation != uuid.Nil
	for e.Holds() {
		c, ok, err := e.next(ctx)
		switch {
		case err != nil:
			return err
		case ok:
			if !c.Erased && e.Sees != nil && !e.Sees(c.Conversation) {
				if single {
					return nil
				}
				continue
			}
			if err := e.send(ctx, c); err != nil || single && c.Erased {
				return err
			}
			continue
		case time.Since(e.wrote) >= s.beat:
			if err := e.write(":\n\n"); err != nil {
				return err
			}
		}
		select {
		case <-e.follower.Moved():
		case <-check.C:
		case <-s.views.Stopped():
			return nil
		case <-s.running.Done():
			return nil
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// next is the next change. What a caller was away for is searched in the turn of the account.
func (e *eventStream) next(ctx context.Context) (projections.Change, bool, error) {
	if e.follower.Behind() {
		if err := e.server.turns.Acquire(ctx, e.x.by); err != nil {
			return projections.Change{}, false, err
		}
		defer e.server.turns.Release(e.x.by)
	}
	return e.follower.Next(ctx)
}

func (e *eventStream) id(sequence uint64) string {
	return EventID(e.Account, e.Conversation, sequence)
}

// send writes a change. A large one takes one of the places of large bodies meanwhile.
func (e *eventStream) send(ctx context.Context, c projections.Change) error {
	kind, body := e.Present(c)
	if len(body) > smallBody {
		ctx, cancel := context.WithTimeout(ctx, admissionPatience)
		defer cancel()
		if err := e.server.bodies.Acquire(ctx, e.x.by); err != nil {
			return err
		}
		defer e.server.bodies.Release(e.x.by)
	}
	return e.write("id: " + e.id(c.Sequence) + "\nevent: " + kind + "\ndata: " + string(body) + "\n\n")
}

// write sends a part of the stream. An error means that the caller has gone, or does not read.
func (e *eventStream) write(text string) error {
	for piece := range slices.Chunk([]byte(text), answerPiece) {
		if _, err := e.w.Write(piece); err != nil {
			return context.Canceled
		}
	}
	e.wrote = time.Now()
	return nil
}

// holds tells whether the key that a request came with is still one for it, and the node not cut
// off from those that would say so.
func (s *Server) holds(x *Exchange) bool {
	secret, _ := bearer(x.r.Header)
	key, account, found, err := s.views.Recognize(sha256.Sum256([]byte(secret)))
	if err != nil || !found || refusal(key, account) != nil {
		return false
	}
	x.key = key
	return true
}
