package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// What is erased is deleted from the streams, by any node or by all of them, and then overwritten
// by each node in its own files. Each step may be done again. Where the files are not known, and on
// an existing NATS, the server overwrites it as it deletes.

// Erasure is what is to be erased of a conversation.
type Erasure struct {
	Account      uuid.UUID
	Conversation uuid.UUID
	Events       []Run // what an events.ConversationErased names
}

// Prefix of the subjects of a conversation's prompts.
func promptsOf(account, conversation uuid.UUID) string {
	return events.ConversationSubject(account, conversation).String() + ".prompt."
}

// isOf tells whether a subject of EVENTS is one of the conversation.
func (e Erasure) isOf(subject string) bool {
	return subject == events.ConversationSubject(e.Account, e.Conversation).String() || strings.HasPrefix(subject, promptsOf(e.Account, e.Conversation))
}

// Sequences are those of all events of a conversation, prompts that are stored apart included, as
// the stream's leader has them.
func (l *Log) Sequences(ctx context.Context, account, conversation uuid.UUID) ([]uint64, error) {
	if err := l.backing.confirm(ctx); err != nil {
		return nil, fmt.Errorf("find the events of conversation %s: %w", conversation, err)
	}
	var list []uint64
	for _, filter := range []string{events.ConversationSubject(account, conversation).String(), promptsOf(account, conversation) + "*"} {
		for after := uint64(0); ; {
			m, err := l.load(ctx, EventsStream, loadRequest{Sequence: after + 1, Next: filter})
			if errors.Is(err, ErrNotFound) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("find the events of conversation %s: %w", conversation, err)
			}
			list, after = append(list, m.Sequence), m.Sequence
		}
	}
	slices.Sort(list)
	return list, nil
}

// own is the server of this process whose files are known, nil for none.
func (l *Log) own() *server.Server {
	if !natsfile.Known() || l.dir == "" {
		return nil
	}
	switch b := l.backing.(type) {
	case *single:
		return b.server
	case *grouped:
		return b.server
	case *cluster:
		return b.server
	}
	return nil
}

// Erase erases conversations: their events that are named, the prompts among them, and the commands
// of their messages. Nothing of them is in the files of this node when it returns nil. While other
// nodes have not deleted what this one asked them to, it waits. Idempotency keys that were used in
// them go on being known, as keys of what was erased.
func (l *Log) Erase(ctx context.Context, list []Erasure) error {
	if len(list) == 0 {
		return nil
	}
	commands, err := l.State(ctx, CommandsStream)
	if err != nil {
		return err
	}
	known := time.Now().Add(-commands.Config.MaxAge)
	for _, e := range list {
		for _, r := range e.Events {
			for sequence := r.First; sequence <= r.Last; sequence++ {
				if err := l.eraseEvent(ctx, e, sequence, known); err != nil {
					return fmt.Errorf("erase conversation %s: %w", e.Conversation, err)
				}
			}
		}
	}
	s := l.own()
	if s == nil {
		return nil
	}
	if err := l.awaitOwn(ctx, s, list); err != nil {
		return err
	}
	if err := l.eraseCommands(ctx, s, list); err != nil {
		return err
	}
	if err := l.eraseFiles(ctx, s, list); err != nil || l.Alone() {
		return err
	}
	for _, stream := range []string{EventsStream, CommandsStream} {
		if err := natsfile.EraseRaft(ctx, s, storePath(l.dir), stream); err != nil {
			return err
		}
	}
	return nil
}

// awaitOwn waits until this node has what is to be erased, which may be on its way to it still: the
// events that are named, and all commands before one that it adds itself. How far others are is not
// asked: a server that hears of no leader answers for the stream from its own copy.
func (l *Log) awaitOwn(ctx context.Context, s *server.Server, list []Erasure) error {
	if l.Alone() {
		return nil
	}
	last := uint64(0)
	for _, e := range list {
		for _, r := range e.Events {
			last = max(last, r.Last)
		}
	}
	command, err := l.Enqueue(ctx, events.KeylessSubject(list[0].Account, uuid.New()), list[0].command(), false)
	if err != nil {
		return err
	}
	for {
		own := holdingOf(s).Streams
		if own[EventsStream].Last >= last && own[CommandsStream].Last >= command {
			return nil
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

// eraseEvent deletes an event, if it is of the conversation, behind the commands that made it. Keys
// that were used since a time are still known.
func (l *Log) eraseEvent(ctx context.Context, of Erasure, sequence uint64, known time.Time) error {
	m, err := l.load(ctx, EventsStream, loadRequest{Sequence: sequence})
	if errors.Is(err, ErrNotFound) || err == nil && !of.isOf(m.Subject) {
		return nil
	}
	if err != nil {
		return err
	}
	if e, err := m.event(); err == nil && e.Message() != nil { // one that cannot be read is deleted too
		request := e.Message()
		err := l.EraseCommand(ctx, of, events.KeylessSubject(of.Account, request.MessageID))
		if request.IdempotencyKey != nil && err == nil {
			err = l.eraseCommandAt(ctx, of, events.KeyedSubject(of.Account, *request.IdempotencyKey), request.ReceivedAt.After(known))
		}
		if err != nil {
			return err
		}
	}
	return l.delete(ctx, EventsStream, sequence)
}

// EraseCommand deletes the command at a subject where it is one of an erased conversation. Of one
// with an idempotency key KeyErased tells before it is gone, so that there is no moment in which
// the key is taken for one that was not used.
func (l *Log) EraseCommand(ctx context.Context, of Erasure, subject events.Subject) error {
	return l.eraseCommandAt(ctx, of, subject, false)
}

// eraseCommandAt is EraseCommand. With known the key is marked also where there is no command: the
// log may have lost it, or it may have expired a moment ago.
func (l *Log) eraseCommandAt(ctx context.Context, of Erasure, subject events.Subject, known bool) error {
	m, err := l.load(ctx, CommandsStream, loadRequest{Last: subject.String()})
	if errors.Is(err, ErrNotFound) {
		if known {
			return l.leaveErased(ctx, of, subject)
		}
		return nil
	}
	if err != nil {
		return err
	}
	return l.eraseCommand(ctx, of, m.Subject, m.Sequence, m.Data)
}

func (l *Log) eraseCommand(ctx context.Context, of Erasure, subject string, sequence uint64, data []byte) error {
	c := events.CommandOf(data)
	if c.Type == events.ErasedCommand || c.ConversationID != of.Conversation {
		return nil
	}
	if c.IdempotencyKey != nil {
		if err := l.leaveErased(ctx, of, events.SubjectOf(subject)); err != nil {
			return err
		}
	}
	return l.delete(ctx, CommandsStream, sequence)
}

// leaveErased has it said, for as long as a command would be kept, that the key of a subject is one
// of an erased conversation.
func (l *Log) leaveErased(ctx context.Context, of Erasure, subject events.Subject) error {
	header := nats.Header{jetstream.ExpectedLastSubjSeqHeader: {"0"}}
	for {
		sequence, err := l.enqueue(ctx, subject.ErasedSubject(), header, of.command())
		switch {
		case err == nil:
			return l.CommandDurable(ctx, sequence)
		case errors.Is(err, ErrConflict): // another node was first
			return nil
		case !errors.Is(err, ErrInFlight) && !errors.Is(err, ErrUnknown):
			return err
		}
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

// KeyErased tells whether the key of a subject is one of an erased conversation, from the stream's
// leader. Earlier versions have left that at the subject itself.
func (l *Log) KeyErased(ctx context.Context, subject events.Subject) (bool, error) {
	_, err := l.load(ctx, CommandsStream, loadRequest{Last: subject.ErasedSubject().String()})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look whether the key of %s was erased: %w", subject, err)
	}
	return true, nil
}

// command is what is left of a command with an idempotency key.
func (e Erasure) command() []byte {
	text, err := events.Marshal(events.Command{Type: events.ErasedCommand, AccountID: e.Account, ConversationID: e.Conversation})
	if err != nil {
		panic(fmt.Sprintf("encode what is left of a command: %v", err)) // ids and a text always encode
	}
	return text
}

// rest waits for a moment.
func rest(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(clusterRetry):
		return nil
	}
}

// A deletion is answered so where there is no such message: it is gone, or is no longer found.
const (
	codeNotThere     = 10043
	codeDeleteFailed = 10057 // with one of the texts below, or one that tells of a failure

	textNotFound = "no message found"
	textDenied   = "not permitted"
)

// delete deletes a message. One that is not there is none.
func (l *Log) delete(ctx context.Context, stream string, sequence uint64) error {
	request := `{"seq":` + strconv.FormatUint(sequence, 10) + `,"no_erase":` + strconv.FormatBool(l.own() != nil) + `}`
	answer, err := l.request(ctx, "$JS.API.STREAM.MSG.DELETE."+stream, []byte(request))
	if err != nil {
		return fmt.Errorf("delete message %d of stream %s: %w", sequence, stream, err)
	}
	var response struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := events.Unmarshal(answer.Data, &response); err != nil {
		return fmt.Errorf("delete message %d of stream %s: %w", sequence, stream, err)
	}
	switch failed := response.Error; {
	case failed == nil || failed.ErrorCode == codeNotThere || failed.ErrorCode == codeDeleteFailed && failed.Description == textNotFound:
		return nil
	case failed.ErrorCode == codeDeleteFailed && strings.Contains(failed.Description, textDenied):
		return fmt.Errorf("stream %s: %w", stream, ErrUnerasable)
	default:
		return fmt.Errorf("delete message %d of stream %s: %w", sequence, stream, failed)
	}
}

// ErrUnerasable says that a stream denies for ever that messages are deleted from it.
var ErrUnerasable = errors.New("an earlier version made it so that nothing can ever be deleted from it: `reckon backup` it, `reckon restore` that into an empty log, which forgets what was erased, and remove the old one")

// eraseCommands deletes the commands of conversations that have no event yet, and overwrites in
// this node's files all that there ever were.
func (l *Log) eraseCommands(ctx context.Context, s *server.Server, list []Erasure) error {
	of := map[uuid.UUID]Erasure{}
	for _, e := range list {
		of[e.Conversation] = e
	}
	here := map[uint64]natsfile.Message{}
	erase := func() ([]uint64, error) {
		return natsfile.Erase(ctx, s, storePath(l.dir), CommandsStream, nil, func(m natsfile.Message) bool {
			e, is := of[events.CommandOf(m.Data).ConversationID]
			if is = is && events.SubjectOf(m.Subject).Account() == e.Account && events.CommandOf(m.Data).Type != events.ErasedCommand; is {
				m.Data = slices.Clone(m.Data)
				here[m.Sequence] = m
			}
			return is
		})
	}
	for {
		left, err := erase()
		if err != nil || len(left) == 0 {
			return err
		}
		for _, sequence := range left {
			m := here[sequence]
			if err := l.eraseCommand(ctx, of[events.CommandOf(m.Data).ConversationID], m.Subject, sequence, m.Data); err != nil {
				return err
			}
		}
		clear(here)
		if err := rest(ctx); err != nil {
			return err
		}
	}
}

// eraseFiles overwrites what was deleted of EVENTS in this node's files, once its server knows that
// it was.
func (l *Log) eraseFiles(ctx context.Context, s *server.Server, list []Erasure) error {
	var within []Run
	for _, e := range list {
		within = append(within, e.Events...)
	}
	if len(within) == 0 {
		return nil
	}
	slices.SortFunc(within, func(a, b Run) int { return int(int64(a.First) - int64(b.First)) })
	for {
		left, err := natsfile.Erase(ctx, s, storePath(l.dir), EventsStream, within, func(m natsfile.Message) bool {
			return slices.ContainsFunc(list, func(e Erasure) bool { return e.isOf(m.Subject) })
		})
		if err == nil && len(left) == 0 {
			return nil
		}
		if err == nil {
			err = rest(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// Forgotten is the sequence of the event up to which everything that is to be erased is erased in
// the data directory.
func (l *Log) Forgotten() (uint64, error) { return l.place("forgotten") }

// SetForgotten keeps that.
func (l *Log) SetForgotten(sequence uint64) error { return l.setPlace("forgotten", sequence) }

// Awaited is the sequence of the event up to which no prompt that is stored apart waits for its
// command any more, as far as this node has looked.
func (l *Log) Awaited() (uint64, error) { return l.place("awaited") }

// SetAwaited keeps that.
func (l *Log) SetAwaited(sequence uint64) error { return l.setPlace("awaited", sequence) }

// place is how far this node has got with something, which a file of that name says.
func (l *Log) place(name string) (uint64, error) {
	text, err := os.ReadFile(filepath.Join(l.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	var sequence uint64
	if err == nil {
		sequence, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	}
	if err != nil {
		return 0, fmt.Errorf("read how far the log is %s: %w", name, err)
	}
	return sequence, nil
}

func (l *Log) setPlace(name string, sequence uint64) error {
	if err := replaceFile(filepath.Join(l.dir, name), strconv.FormatUint(sequence, 10)); err != nil {
		return fmt.Errorf("keep how far the log is %s: %w", name, err)
	}
	return nil
}

// erases are the sequences that a message of EVENTS says are erased.
func erases(m natsfile.Message) (runs []Run) {
	for _, r := range events.ErasedBy(m.Subject, m.Headers, m.Data) {
		runs = append(runs, Run(r))
	}
	return runs
}
