package events

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Append adds an event whose subject's last sequence is expected (0: the subject is empty), and returns the event's own
// sequence, once it is on disk. It fails with ErrConflict, ErrInFlight or ErrUnknown. Without a deadline in ctx it waits for 5 s.
func (l *Log) Append(ctx context.Context, e Event, expected uint64) (uint64, error) {
	m, err := Encode(e)
	if err != nil {
		return 0, err
	}
	ack, err := l.publish(ctx, m, jetstream.WithExpectLastSequencePerSubject(expected))
	if err != nil {
		return 0, publishError("append event to "+m.Subject, err)
	}
	l.saw(ack.Sequence)
	if err := l.durable(ctx, ack.Sequence); err != nil {
		return 0, fmt.Errorf("append event to %s: %w: %w", m.Subject, ErrUnknown, err)
	}
	return ack.Sequence, nil
}

// Enqueue publishes a command to its subject, expecting that none is there, and returns once it is on disk. kept tells whether
// it has an idempotency key (kept for the retention) or goes after 10 minutes. It fails as Append does.
func (l *Log) Enqueue(ctx context.Context, s Subject, command []byte, kept bool) error {
	if !strings.HasPrefix(s.name, "cmd.") {
		return fmt.Errorf("enqueue command: %q is no command's subject", s)
	}
	opts := []jetstream.PublishOpt{jetstream.WithExpectLastSequencePerSubject(0)}
	if !kept {
		opts = append(opts, jetstream.WithMsgTTL(keylessLife))
	}
	ack, err := l.publish(ctx, &nats.Msg{Subject: s.name, Data: command}, opts...)
	if err != nil {
		return publishError("enqueue command at "+s.name, err)
	}
	if err := l.CommandDurable(ctx, ack.Sequence); err != nil {
		return fmt.Errorf("enqueue command at %s: %w: %w", s, ErrUnknown, err)
	}
	return nil
}

// API error codes that say that a publish lost a race.
const (
	codeWrongLastSequence = 10071
	codeStoreFailed       = 10077 // with the text below: a publisher without an expected sequence met a full subject
	codeSequenceInFlight  = 10164

	textSubjectFull = "maximum messages per subject exceeded"
)

// publishError names what became of a publish that was not acknowledged. Only a refusal is certain; where the server
// failed, or did not answer, the message may be in the log.
func publishError(what string, err error) error {
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api):
		switch {
		case api.ErrorCode == codeWrongLastSequence, api.ErrorCode == codeStoreFailed && api.Description == textSubjectFull:
			return fmt.Errorf("%s: %w: %w", what, ErrConflict, err)
		case api.ErrorCode == codeSequenceInFlight:
			return fmt.Errorf("%s: %w: %w", what, ErrInFlight, err)
		case api.Code < 500:
			return fmt.Errorf("%s: %w", what, err)
		}
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w: %w", what, ErrUnknown, err)
}
