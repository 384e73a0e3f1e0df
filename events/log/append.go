package log

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// Message makes the message that carries an event. Its id, time and subject must be set.
func Message(e events.Event) (*nats.Msg, error) {
	header, body, err := events.Encode(e)
	if err != nil {
		return nil, err
	}
	return &nats.Msg{Subject: e.Subject.String(), Header: header, Data: body}, nil
}

// Append adds an event whose subject's last sequence is expected (0: the subject is empty), and
// returns the event's own sequence, once it is on disk. Its data must not be changed afterwards,
// and those of a message are as they would be decoded: JSON without spaces, times in UTC, empty
// lists nil where they are left out. It fails with ErrConflict, ErrInFlight, ErrUnfinished or
// ErrUnknown. Without a deadline in ctx it waits for 5 s.
func (l *Log) Append(ctx context.Context, e events.Event, expected uint64) (uint64, error) {
	m, err := Message(e)
	if err != nil {
		return 0, err
	}
	m.Header[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(expected, 10)}
	began := time.Now()
	sequence, err := l.publish(ctx, m)
	if err != nil {
		return 0, publishError("append event to "+m.Subject, err)
	}
	l.saw(sequence)
	e.Sequence, e.Traceparent, e.Tracestate = sequence, "", "" // as it would be read
	l.backing.appended(e, m)
	if err := l.durable(ctx, sequence); err != nil {
		return 0, fmt.Errorf("append event to %s: %w: %w", m.Subject, ErrUnknown, err)
	}
	l.appends.Observe(time.Since(began).Seconds())
	return sequence, nil
}

// Enqueue publishes a command to its subject, expecting that none is there, and returns its
// sequence in COMMANDS. It may not be on disk yet: CommandDurable waits for that. kept tells
// whether it has an idempotency key (kept for the retention) or goes after 10 minutes. It fails as
// Append does, with ErrConflict also for a key of which KeyErased says that it is one of an erased
// conversation: the stream has that looked at as it takes the command in.
func (l *Log) Enqueue(ctx context.Context, s events.Subject, command []byte, kept bool) (uint64, error) {
	if !strings.HasPrefix(s.String(), "cmd.") {
		return 0, fmt.Errorf("enqueue command: %q is not a subject of commands", s)
	}
	header := nats.Header{jetstream.ExpectedLastSubjSeqHeader: {"0"}}
	if kept {
		// That none is at the subject itself its limit of one message sees to.
		header[jetstream.ExpectedLastSubjSeqSubjHeader] = []string{s.ErasedSubject().String()}
	} else {
		header[jetstream.MsgTTLHeader] = []string{keylessLife.String()}
	}
	return l.enqueue(ctx, s, header, command)
}

func (l *Log) enqueue(ctx context.Context, s events.Subject, header nats.Header, command []byte) (uint64, error) {
	sequence, err := l.publish(ctx, &nats.Msg{Subject: s.String(), Header: header, Data: command})
	if err != nil {
		return 0, publishError("enqueue command at "+s.String(), err)
	}
	l.backing.enqueued(sequence, len(command))
	return sequence, nil
}

// ack is the server's answer to a message.
type ack struct {
	Error    *jetstream.APIError `json:"error"`
	Stream   string              `json:"stream"`
	Sequence uint64              `json:"seq"`
}

// publish adds a message to a log that is whole, and returns its sequence. What is expected of the
// stream must be in the header. On a cluster it does not wait long, nor for a leader that was
// followed by another one; what is not acknowledged by then may be in the log or not.
func (l *Log) publish(ctx context.Context, m *nats.Msg) (uint64, error) {
	pause, cancel := publishPause, context.CancelFunc(func() {})
	switch _, limited := ctx.Deadline(); {
	case !l.Alone():
		ctx, cancel = l.within(ctx, answerPatience)
	case limited:
		pause = jetstream.DefaultPubRetryWait
	default:
		pause = jetstream.DefaultPubRetryWait
		ctx, cancel = context.WithTimeout(ctx, publishTimeout)
	}
	defer cancel()
	if err := l.whole(ctx); err != nil {
		return 0, err
	}
	if l.doubted.Load() {
		if err := l.backing.led(ctx); err != nil {
			return 0, err
		}
		l.doubted.Store(false)
	}
	answer, err := l.conn.RequestMsgWithContext(ctx, m)
	for again := pause; again <= answerPatience && errors.Is(err, nats.ErrNoResponders); again += pause {
		// The stream's leader may be changing.
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		answer, err = l.conn.RequestMsgWithContext(ctx, m)
	}
	if err != nil {
		l.doubted.Store(true)
		return 0, err
	}
	var a ack
	err = events.Unmarshal(answer.Data, &a)
	switch {
	case err == nil && a.Error != nil:
		return 0, a.Error
	case err != nil || a.Stream == "":
		return 0, jetstream.ErrInvalidJSAck
	}
	return a.Sequence, nil
}

// API error codes that say that a publish lost a race.
const (
	codeWrongLastSequence = 10071
	codeStoreFailed       = 10077 // with the text below: a publisher of a command met a full subject
	codeSequenceInFlight  = 10164

	textSubjectFull = "maximum messages per subject exceeded"
)

// publishError names what became of a publish that was not acknowledged. Only a refusal is certain;
// where the server failed, or did not answer, the message may be in the log.
func publishError(what string, err error) error {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, ErrUnfinished), errors.Is(err, ErrDamaged):
		return fmt.Errorf("%s: %w", what, err)
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
		return fmt.Errorf("%s: %w: %w", what, ErrTooLarge, err)
	}
	return fmt.Errorf("%s: %w: %w", what, ErrUnknown, err)
}
