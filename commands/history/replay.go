// Package history computes the past again: what was answered is replayed, compared with what a
// draft would answer, traced to the version of a domain that changed it, made a test of, and shown
// as it stood. All of it rests on commands.Decide, so that the same question gives the same bytes.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine"
	"reckon/events"
	"reckon/events/log"
)

// Replayed counts what a replay has come to.
type Replayed struct {
	Read      uint64         `json:"events"`       // events read
	Total     uint64         `json:"-"`            // events to be read
	Messages  int            `json:"messages"`     // answered messages among them that were asked for
	Same      int            `json:"same"`         // computed again, byte for byte
	Different int            `json:"different"`    // computed again, and different
	Skipped   map[string]int `json:"not_repeated"` // by error code: answers that only say that there was none in time
}

// Difference is a message whose answer is another one today.
type Difference struct {
	ConversationID uuid.UUID        `json:"conversation_id"`
	MessageID      uuid.UUID        `json:"message_id"`
	Time           time.Time        `json:"time"` // of the answer
	Prompt         string           `json:"prompt"`
	Domain         events.DomainRef `json:"domain"`
	Engine         string           `json:"engine"` // version that answered
	EngineNow      string           `json:"engine_now"`
	Changes        []Change         `json:"changes"`
}

// Replay computes each message again from what its event says, with the scenario that it was based
// on as the earlier events of its conversation left it and the version of the domain that answered,
// and compares the event that this gives with the recorded one, byte for byte but for the version
// of the engine. report is told of each difference in the order of the history, and progress now
// and then. It fails with commands.ErrNone where there is no such conversation.
func Replay(ctx context.Context, log *log.Log, s Selection, report func(Difference) error, progress func(Replayed)) (Replayed, error) {
	done := Replayed{Skipped: map[string]int{}}
	var mine func(events.Subject) bool
	if s.Account != uuid.Nil {
		mine = func(subject events.Subject) bool { return subject.Account() == s.Account }
	}
	err := readLog(ctx, log, s, mine, func(f *fold, upTo, total uint64, questions []*question) error {
		done.Read, done.Total = upTo, total
		var list []*question
		for _, q := range questions {
			done.Messages++
			if code := q.unrepeatable(); code != "" {
				done.Skipped[code]++
				continue
			}
			list = append(list, q)
		}
		err := together(list, &done.Same, func(q *question) (*Difference, error) {
			return f.repeat(ctx, q)
		}, func(d Difference) error {
			done.Different++
			return report(d)
		})
		if err == nil {
			progress(done)
		}
		return err
	})
	return done, err
}

// repeat computes a message again, and returns nil where that gives what was recorded.
func (f *fold) repeat(ctx context.Context, q *question) (*Difference, error) {
	recorded := q.recorded.Message()
	d := &Difference{
		ConversationID: recorded.ConversationID, MessageID: recorded.MessageID, Time: q.recorded.Time,
		Prompt: recorded.Prompt, Domain: recorded.Domain, Engine: recorded.Engine, EngineNow: engine.Version,
	}
	version, err := f.domains.Get(ctx, q.recorded.Subject.Account(), recorded.Domain.ID, recorded.Domain.Version)
	if err != nil {
		return nil, err
	}
	if version.Domain == nil {
		is := fmt.Sprintf("version %d of the domain does not compile any more: %s", recorded.Domain.Version, version.Why())
		d.Changes = []Change{{Path: "domain", Is: commands.Encode(is)}}
		return d, nil
	}
	whole, err := q.recorded.Whole()
	if err != nil {
		return nil, err
	}
	e, err := f.again(ctx, *q, version.Domain)
	if err != nil {
		return nil, err
	}
	e.Message().Engine = recorded.Engine
	was, is := commands.Encode(whole.Data), commands.Encode(e.Data)
	if fmt.Sprintf("%T", whole.Data) == fmt.Sprintf("%T", e.Data) && bytes.Equal(was, is) {
		return nil, nil
	}
	d.Changes = changes(was, is)
	return d, nil
}

// together computes one thing for each question, on all processors, counts those of which it is nil
// as the same, and reports the others in the order of the questions.
func together[T any](questions []*question, same *int, compute func(*question) (*T, error), report func(T) error) error {
	list := make([]*T, len(questions))
	errs := make([]error, min(len(questions), runtime.GOMAXPROCS(0)))
	var all sync.WaitGroup
	for w := range errs {
		all.Go(func() {
			for i := w; i < len(list) && errs[w] == nil; i += len(errs) {
				list[i], errs[w] = compute(questions[i])
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, one := range list {
		if one == nil {
			*same++
		} else if err := report(*one); err != nil {
			return err
		}
	}
	return nil
}
