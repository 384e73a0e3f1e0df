package log

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// Command reads the command at a subject, from the stream's leader, once it is on disk. It fails
// with ErrNotFound.
func (l *Log) Command(ctx context.Context, s events.Subject) ([]byte, error) {
	m, err := l.load(ctx, CommandsStream, loadRequest{Last: s.String()})
	if err != nil {
		return nil, fmt.Errorf("read command at %s: %w", s, err)
	}
	if err := l.CommandDurable(ctx, m.Sequence); err != nil {
		return nil, fmt.Errorf("read command at %s: %w", s, err)
	}
	return m.Data, nil
}

// Read returns the events of one subject after a sequence, oldest first, from the stream's leader,
// once they are on disk.
func (l *Log) Read(ctx context.Context, s events.Subject, after uint64) ([]events.Event, error) {
	if err := l.backing.confirm(ctx); err != nil {
		return nil, fmt.Errorf("read events of %s: %w", s, err)
	}
	var read []events.Event
	for {
		m, err := l.load(ctx, EventsStream, loadRequest{Sequence: after + 1, Next: s.String()})
		if errors.Is(err, ErrNotFound) {
			if len(read) == 0 {
				return nil, nil
			}
			if err = l.durable(ctx, after); err == nil {
				err = l.readPrompts(ctx, read)
			}
			if err == nil {
				return read, nil
			}
		}
		if err != nil {
			return nil, fmt.Errorf("read events of %s: %w", s, err)
		}
		e, err := m.event()
		if err != nil {
			return nil, err
		}
		l.saw(e.Sequence)
		read, after = append(read, e), e.Sequence
	}
}

// loadRequest asks for the last message of a subject, or for the first of a subject from a sequence
// or a time on.
type loadRequest struct {
	Sequence uint64     `json:"seq,omitempty"`
	Next     string     `json:"next_by_subj,omitempty"`
	Last     string     `json:"last_by_subj,omitempty"`
	Start    *time.Time `json:"start_time,omitempty"`
}

// stored is a message as the server gives it.
type stored struct {
	Subject  string    `json:"subject"`
	Sequence uint64    `json:"seq"`
	Headers  []byte    `json:"hdrs"`
	Data     []byte    `json:"data"`
	Time     time.Time `json:"time"` // when the server took it in
}

func (m stored) event() (events.Event, error) {
	return events.DecodeText(events.SubjectOf(m.Subject), m.Sequence, m.Headers, m.Data, false)
}

// decode reads an event that the server has sent.
func decode(subject string, sequence uint64, m *nats.Msg, brief bool) (events.Event, error) {
	return events.Decode(events.SubjectOf(subject), sequence, m.Header, m.Data, brief)
}

// load reads one message, never from a replica: unlike a direct get, this request is answered by
// the stream's leader alone.
func (l *Log) load(ctx context.Context, stream string, r loadRequest) (stored, error) {
	body, err := events.Marshal(r)
	if err != nil {
		return stored{}, err
	}
	answer, err := l.request(ctx, "$JS.API.STREAM.MSG.GET."+stream, body)
	if err != nil {
		return stored{}, err
	}
	var response struct {
		Error   *jetstream.APIError `json:"error"`
		Message *stored             `json:"message"`
	}
	if err := events.Unmarshal(answer.Data, &response); err != nil {
		return stored{}, err
	}
	switch {
	case response.Error != nil && response.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return stored{}, ErrNotFound
	case response.Error != nil:
		return stored{}, response.Error
	case response.Message == nil:
		return stored{}, errors.New("the server answered with no message")
	}
	return *response.Message, nil
}

// Accounts lists the accounts that have events of their own, by id.
func (l *Log) Accounts(ctx context.Context) ([]uuid.UUID, error) {
	accounts, err := l.subjects(ctx, "evt.*.account", 1)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	return accounts, nil
}

// Users lists the users of the installation, by id.
func (l *Log) Users(ctx context.Context) ([]uuid.UUID, error) {
	users, err := l.subjects(ctx, "evt.*.user", 1)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	return users, nil
}

// Domains lists the domains of an account, drafts too, by id.
func (l *Log) Domains(ctx context.Context, account uuid.UUID) ([]uuid.UUID, error) {
	domains, err := l.subjects(ctx, "evt."+account.String()+".domain.*", 3)
	if err != nil {
		return nil, fmt.Errorf("list domains of account %s: %w", account, err)
	}
	return domains, nil
}

// Conversations lists the conversations of an account of which there are events, by id.
func (l *Log) Conversations(ctx context.Context, account uuid.UUID) ([]uuid.UUID, error) {
	conversations, err := l.subjects(ctx, "evt."+account.String()+".conversation.>", 3)
	if err != nil {
		return nil, fmt.Errorf("list conversations of account %s: %w", account, err)
	}
	return slices.Compact(conversations), nil // prompts have subjects of their own
}

// subjects returns the ids that stand in one part of the subjects that match a filter.
func (l *Log) subjects(ctx context.Context, filter string, part int) ([]uuid.UUID, error) {
	if err := l.backing.confirm(ctx); err != nil {
		return nil, err
	}
	var info *jetstream.StreamInfo
	err := l.again(ctx, func(ctx context.Context) (err error) {
		info, err = l.events.Info(ctx, jetstream.WithSubjectFilter(filter))
		return err
	})
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, 0, len(info.State.Subjects))
	for name := range info.State.Subjects {
		if id, err := uuid.Parse(strings.Split(name, ".")[part]); err == nil {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	return ids, nil
}
