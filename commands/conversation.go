package commands

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"reckon/engine/prompt"
	"reckon/events"
	"reckon/projections"
)

// conversation is a conversation as folded on this node, with the newer events of its subject on
// top. One that is opened needs no service.
type conversation struct {
	service *Service
	account uuid.UUID
	id      uuid.UUID
	head    projections.Conversation
	newer   []projections.Message // messages with events newer than the fold, by their newest one
	opened  bool                  // here: the views have nothing of it that is not in newer
}

// conversation reads where a conversation stands. Of one that the command opens nothing is looked
// up: should something be there, the event meets it and the newer events tell.
func (s *Service) conversation(ctx context.Context, c Calculate) (*conversation, error) {
	if c.Opens && c.InputFormat != prompt.NaturalLanguage {
		return &conversation{service: s, account: c.AccountID, id: c.ConversationID, opened: true}, nil
	}
	head, _, err := s.views.Conversation(ctx, c.AccountID, c.ConversationID)
	if err != nil {
		return nil, err
	}
	return &conversation{service: s, account: c.AccountID, id: c.ConversationID, head: head}, nil
}

// source is the conversation as deciding sees it. m is the message of the command as far as it is,
// nil for none.
func (v *conversation) source(ctx context.Context, m *projections.Message) (Source, error) {
	pending, err := v.pending(ctx)
	s := Source{
		Head: v.head, Pending: pending,
		Scenario: func(index int) (*projections.Message, error) { return v.scenario(ctx, index) },
		Origin:   func(index int) (int, error) { return v.origin(ctx, index) },
	}
	if m != nil && m.Interpreted != nil {
		s.Interpreted = m.Interpreted.Parsed
	}
	return s, err
}

// catchUp reads the events that came after the ones seen.
func (v *conversation) catchUp(ctx context.Context) error {
	list, err := v.service.log.Read(ctx, events.ConversationSubject(v.account, v.id), v.head.Sequence)
	if err != nil {
		return err
	}
	for _, e := range list {
		request := e.Message()
		if request == nil {
			v.head.Sequence = e.Sequence
			continue
		}
		previous, err := v.message(ctx, request.MessageID)
		if err != nil {
			return err
		}
		// The views may have gone on since the head was read, and show a message that it does not count
		// yet.
		if previous != nil && previous.Number > v.head.Messages {
			previous = nil
		}
		v.apply(e, previous)
	}
	return nil
}

// apply takes an event in and returns its message, whose earlier state is previous; nil for a new
// one.
func (v *conversation) apply(e events.Event, previous *projections.Message) projections.Message {
	var m projections.Message
	v.head, m = projections.ApplyConversation(v.head, previous, e)
	if previous != nil {
		v.newer = slices.DeleteFunc(v.newer, func(other projections.Message) bool { return other.MessageID == m.MessageID })
	}
	v.newer = append(v.newer, m)
	return m
}

// message is a message as far as it is, nil for none.
func (v *conversation) message(ctx context.Context, id uuid.UUID) (*projections.Message, error) {
	for i := range v.newer {
		if v.newer[i].MessageID == id {
			return &v.newer[i], nil
		}
	}
	if v.opened {
		return nil, nil
	}
	m, ok, err := v.service.views.Message(ctx, v.account, v.id, id)
	if !ok {
		return nil, err
	}
	return &m, err
}

// scenario is the message that a scenario stands at.
func (v *conversation) scenario(ctx context.Context, index int) (*projections.Message, error) {
	for i := len(v.newer) - 1; i >= 0; i-- {
		m := &v.newer[i]
		if m.Completed != nil && m.Completed.Results.Action != "fetch" && m.Completed.Results.Scenario.Current == index {
			return m, nil
		}
	}
	if !v.opened {
		m, ok, err := v.service.views.Scenario(ctx, v.account, v.id, index)
		if ok || err != nil {
			return &m, err
		}
	}
	return nil, fmt.Errorf("read scenario %d of conversation %s: not there", index, v.id)
}

// origin is the scenario that one branched off from, 0 for none.
func (v *conversation) origin(ctx context.Context, index int) (int, error) {
	for _, m := range v.newer {
		if m.Completed != nil && m.Completed.Results.Scenario.Current == index && m.Completed.Results.Scenario.Original != index {
			return m.Completed.Results.Scenario.Original, nil
		}
	}
	if v.opened {
		return 0, nil
	}
	return v.service.views.Origin(ctx, v.account, v.id, index)
}

// pending is the message whose inputs are pending, nil for none.
func (v *conversation) pending(ctx context.Context) (*projections.Message, error) {
	if v.head.Pending == 0 {
		return nil, nil
	}
	for i := range v.newer {
		if v.newer[i].Number == v.head.Pending {
			return &v.newer[i], nil
		}
	}
	list, err := v.service.views.Messages(ctx, v.account, v.id, v.head.Pending, v.head.Pending)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("read message %d of conversation %s: not there", v.head.Pending, v.id)
	}
	return &list[0], nil
}
