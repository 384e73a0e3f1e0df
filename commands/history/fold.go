package history

import (
	"context"
	"encoding/json"
	"hash/maphash"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

const (
	// maxConversations is how many conversations are kept while the log is read; of another one that
	// goes on, the events are read again.
	maxConversations = 16384
	// maxBytes is how much of the text of events is kept for the messages that build on them.
	maxBytes = 32 << 20
)

// fold is what is kept while the log is read again: the conversations under way, the events that
// later messages build on, and compiled domains. Its size does not grow with the history.
type fold struct {
	log           *log.Log
	whole         bool // the log is read from its beginning: a conversation that was not met has no earlier events
	conversations *projections.Cache[events.Subject, *conversation]
	met           *bloomFilter // conversations
	messages      messageCache
	domains       commands.Versions
}

func newFold(log *log.Log, whole bool) *fold {
	return &fold{
		log: log, whole: whole, domains: versions(log), met: &bloomFilter{seed: maphash.MakeSeed()},
		conversations: projections.NewCache[events.Subject, *conversation](maxConversations),
		messages:      messageCache{log, projections.NewCache[uint64, events.Event](maxBytes)},
	}
}

// apply takes the next event of the log in. For the final event of a message it returns what that
// was decided on, else nil.
func (f *fold) apply(ctx context.Context, e events.Event) (*question, error) {
	request := e.Message()
	if request == nil {
		return nil, nil
	}
	c, err := f.at(ctx, e.Subject, e.Sequence)
	if err != nil {
		return nil, err
	}
	var q *question
	switch e.Data.(type) {
	case *events.MessageCompleted, *events.MessageFailed:
		q = &question{conversation: c.before(), recorded: e}
		if m := c.working[request.MessageID]; m.Interpreted != nil {
			q.interpreted = m.Interpreted.Parsed
		}
	}
	if m := c.apply(e); m.Status != projections.InProgress {
		f.messages.put(e)
	}
	return q, nil
}

// at is a conversation as it stood before an event.
func (f *fold) at(ctx context.Context, subject events.Subject, sequence uint64) (*conversation, error) {
	if c, ok := f.conversations.Get(subject); ok {
		return c, nil
	}
	c := &conversation{subject: subject}
	if met := f.met.add(subject); met || !f.whole {
		earlier, err := f.log.Read(ctx, subject, 0)
		if err != nil {
			return nil, err
		}
		for _, e := range earlier {
			if e.Sequence < sequence {
				c.apply(e)
			}
		}
	}
	f.conversations.Put(subject, c, 1)
	return c, nil
}

// question is an answered message of the history with all that its answer depends on.
type question struct {
	conversation conversation    // as it stood before
	interpreted  json.RawMessage // what a language model made of the prompt, nil where none did
	recorded     events.Event    // skimmed where the log was read from its beginning
}

// command is what was asked, as far as deciding needs it.
func (q question) command() commands.Calculate {
	m := q.recorded.Message()
	return commands.Calculate{
		AccountID: q.recorded.Subject.Account(), KeyID: m.KeyID, IdempotencyKey: m.IdempotencyKey,
		ConversationID: m.ConversationID, MessageID: m.MessageID, DomainID: m.Domain.ID, DomainVersion: m.Domain.Version,
		InputFormat: m.InputFormat, Prompt: m.Prompt, ReceivedAt: m.ReceivedAt, Now: m.Now, TimeZone: m.TimeZone, Language: m.Language,
	}
}

// unrepeatable says why an answer does not follow from its question, "" where it does.
func (q question) unrepeatable() string {
	data, ok := q.recorded.Data.(*events.MessageFailed)
	if !ok {
		return ""
	}
	if data.Crashed {
		return "internal.error"
	}
	for _, e := range commands.ErrorsOf(data) {
		if e.Code == "language.timeout" || e.Code == "language.unavailable" || e.Code == "language.model_not_asked" {
			return e.Code
		}
	}
	return ""
}

// again decides a question with a version of its domain, as the workers do. A panic becomes the
// event of a crash.
func (f *fold) again(ctx context.Context, q question, d *commands.Domain) (e events.Event, err error) {
	c := q.command()
	c.DomainVersion = d.Version
	defer func() {
		if p := recover(); p != nil {
			e, err = commands.Crash(c, d), nil
		}
		e.Time, e.Sequence = q.recorded.Time, q.recorded.Sequence
	}()
	from, err := q.conversation.source(q.interpreted, func(sequence uint64) (*projections.Message, error) {
		return f.messages.get(ctx, sequence)
	})
	if err != nil {
		return e, err
	}
	return commands.Decide(c, d, from)
}
