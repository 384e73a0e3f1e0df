package commands

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/engine"
	"reckon/events"
)

// Replay says which messages to compute again: those of a conversation, those answered since a time, both, or all.
type Replay struct {
	Conversation uuid.UUID // uuid.Nil for every one
	Since        time.Time // zero for ever
}

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

// Change is a place of a JSON document with what stood there and what stands there; nil where nothing does.
type Change struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"`
	Is   json.RawMessage `json:"is,omitempty"`
}

// Replay computes each message again from what its event says, with the scenario that it was based on as the earlier
// events of its conversation left it and the version of the domain that answered, and compares the event that this gives with
// the recorded one, byte for byte but for the version of the engine. report is told of each difference in the order of
// the history, and progress now and then. It fails with ErrNone where there is no such conversation.
func (a Admin) Replay(ctx context.Context, r Replay, report func(Difference) error, progress func(Replayed)) (Replayed, error) {
	done := Replayed{Skipped: map[string]int{}}
	err := a.retell(ctx, r, nil, func(h *retelling, upTo, total uint64, questions []*question) error {
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
		differences := make([]*Difference, len(list))
		if err := together(len(list), func(i int) (err error) {
			differences[i], err = h.repeat(ctx, list[i])
			return err
		}); err != nil {
			return err
		}
		for _, d := range differences {
			if d == nil {
				done.Same++
				continue
			}
			done.Different++
			if err := report(*d); err != nil {
				return err
			}
		}
		progress(done)
		return nil
	})
	return done, err
}

// repeat computes a message again, and returns nil where that gives what was recorded.
func (h *retelling) repeat(ctx context.Context, q *question) (*Difference, error) {
	recorded := q.recorded.Message()
	d := &Difference{
		ConversationID: recorded.ConversationID, MessageID: recorded.MessageID, Time: q.recorded.Time,
		Prompt: recorded.Prompt, Domain: recorded.Domain, Engine: recorded.Engine, EngineNow: engine.Version,
	}
	version, err := h.domains.get(ctx, q.recorded.Subject.Account(), recorded.Domain.ID, recorded.Domain.Version)
	if err != nil {
		return nil, err
	}
	if version.domain == nil {
		is := "version " + fmt.Sprint(recorded.Domain.Version) + " of the domain does not compile any more: " + version.issues[0].Path + ": " + version.issues[0].Message
		d.Changes = []Change{{Path: "domain", Is: encode(is)}}
		return d, nil
	}
	whole, err := q.recorded.Whole()
	if err != nil {
		return nil, err
	}
	e, err := h.again(ctx, *q, version.domain)
	if err != nil {
		return nil, err
	}
	e.Message().Engine = recorded.Engine
	was, is := encode(whole.Data), encode(e.Data)
	if fmt.Sprintf("%T", whole.Data) == fmt.Sprintf("%T", e.Data) && bytes.Equal(was, is) {
		return nil, nil
	}
	d.Changes = changes(was, is)
	return d, nil
}

// together does n things on all processors, and returns the first error.
func together(n int, do func(i int) error) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < n && errs[w] == nil; i += workers {
				errs[w] = do(i)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// retell reads the history of what a replay names, of those accounts that mine names (nil for all), and hands the questions of
// the messages asked for to ask, in order, with how many events were read and how many there are to read.
func (a Admin) retell(ctx context.Context, r Replay, mine func(events.Subject) bool, ask func(h *retelling, read, total uint64, questions []*question) error) error {
	if r.Conversation != uuid.Nil {
		h := newRetelling(a.Log, true)
		list, err := a.conversation(ctx, r.Conversation)
		if err != nil {
			return err
		}
		questions, err := h.questions(ctx, list, r.Since)
		if err != nil {
			return err
		}
		return ask(h, uint64(len(list)), uint64(len(list)), questions)
	}
	last, err := a.Log.Last(ctx)
	if err != nil {
		return err
	}
	after := uint64(0)
	if !r.Since.IsZero() {
		// The clocks of the nodes, which set the time of an event, may differ from that of the log.
		first, err := a.Log.Since(ctx, r.Since.Add(-time.Minute))
		if errors.Is(err, events.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		after = first - 1
	}
	h := newRetelling(a.Log, after == 0)
	return ahead(ctx, a.Log, after, last, mine, func(upTo uint64, list []events.Event) error {
		questions, err := h.questions(ctx, list, r.Since)
		if err != nil {
			return err
		}
		return ask(h, upTo-after, last-after, questions)
	})
}

// ahead skims the log while fold is at work on what came before.
func ahead(ctx context.Context, log *events.Log, after, through uint64, want func(events.Subject) bool, fold func(upTo uint64, list []events.Event) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type part struct {
		upTo uint64
		list []events.Event
	}
	parts := make(chan part, 1)
	scanned := make(chan error, 1)
	go func() {
		defer close(parts)
		scanned <- log.Skim(ctx, after, through, want, func(upTo uint64, list []events.Event) error {
			select {
			case parts <- part{upTo, slices.Clone(list)}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for p := range parts {
		if err := fold(p.upTo, p.list); err != nil {
			return err
		}
	}
	return <-scanned
}

// questions takes events in, and returns the questions of those that answer a message at a time or later.
func (h *retelling) questions(ctx context.Context, list []events.Event, since time.Time) ([]*question, error) {
	var questions []*question
	for _, e := range list {
		q, err := h.apply(ctx, e)
		if err != nil {
			return nil, err
		}
		if q != nil && !e.Time.Before(since) {
			questions = append(questions, q)
		}
	}
	return questions, nil
}

// conversation reads the events of a conversation of whichever account. It fails with ErrNone.
func (a Admin) conversation(ctx context.Context, id uuid.UUID) ([]events.Event, error) {
	subject, err := a.Log.Conversation(ctx, id)
	if errors.Is(err, events.ErrNotFound) {
		return nil, fmt.Errorf("conversation %s %w: give the conversation_id of an answer", id, ErrNone)
	}
	if err != nil {
		return nil, err
	}
	return a.Log.Read(ctx, subject, 0)
}

// changes lists where two JSON documents differ. Entries of an array are told apart by their key, title or code where all have
// one of their own, else by position.
func changes(was, is json.RawMessage) []Change {
	var a, b any
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
		return []Change{{Was: was, Is: is}}
	}
	var list []Change
	walk("", a, b, &list)
	if len(list) == 0 {
		list = append(list, Change{Path: "order of members", Was: was, Is: is})
	}
	return list
}

// nothing stands for a place that a document does not have.
type nothing struct{}

func walk(path string, was, is any, list *[]Change) {
	if a, ok := was.([]any); ok {
		if b, ok := is.([]any); ok {
			walkArrays(path, a, b, list)
			return
		}
	}
	a, aOK := was.(map[string]any)
	b, bOK := is.(map[string]any)
	if aOK && bOK {
		walkMembers(path, a, b, list)
		return
	}
	if w, i := bare(was), bare(is); !bytes.Equal(w, i) {
		*list = append(*list, Change{Path: cmp.Or(path, "all"), Was: w, Is: i})
	}
}

// bare is a value as JSON, nil for nothing.
func bare(v any) json.RawMessage {
	if _, none := v.(nothing); none {
		return nil
	}
	return encode(v)
}

func walkMembers(path string, was, is map[string]any, list *[]Change) {
	both := maps.Clone(was)
	maps.Copy(both, is)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		a, ok := was[name]
		if !ok {
			a = nothing{}
		}
		b, ok := is[name]
		if !ok {
			b = nothing{}
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		walk(at, a, b, list)
	}
}

func walkArrays(path string, was, is []any, list *[]Change) {
	for _, name := range []string{"key", "title", "code"} {
		a, aNames := named(was, name)
		b, bNames := named(is, name)
		if a == nil || b == nil || len(a)+len(b) == 0 {
			continue
		}
		walkMembers(path, a, b, list)
		if !slices.Equal(aNames, bNames) && len(a) == len(b) {
			*list = append(*list, Change{Path: path + " (order)", Was: encode(aNames), Is: encode(bNames)})
		}
		return
	}
	for i := range max(len(was), len(is)) {
		var a, b any = nothing{}, nothing{}
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		walk(fmt.Sprintf("%s[%d]", path, i), a, b, list)
	}
}

// named are the entries of an array by a member, nil unless each has one of its own.
func named(list []any, member string) (byName map[string]any, names []string) {
	byName = map[string]any{}
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		name, ok := object[member].(string)
		if _, twice := byName[name]; !ok || twice {
			return nil, nil
		}
		byName[name] = entry
		names = append(names, name)
	}
	return byName, names
}
