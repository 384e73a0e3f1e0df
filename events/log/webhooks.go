package log

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// The streams of webhooks. They are made with the first one, so that a log without any has none.
const (
	DeliveriesStream = "DELIVERIES" // what is to be sent
	WebhooksStream   = "WEBHOOKS"   // what became of that, and the key that secrets are made with
)

const (
	announcerName = "webhooks" // the consumer of EVENTS that finds what is to be sent
	senderName    = "senders"  // the consumer of DELIVERIES

	// SendWait is how long a delivery whose node is gone is held back from the others. A node that has
	// one says more often that it works on it.
	SendWait = 5 * time.Second
	// MaxWaiting is how many deliveries of a webhook wait for the same attempt.
	MaxWaiting = 10_000
	// maxOutcomes is how many outcomes of a webhook are kept, and outcomesKept for how long.
	maxOutcomes  = 100
	outcomesKept = 30 * 24 * time.Hour
	// announcedFor is how far back a new consumer begins to look for what is to be sent.
	announcedFor = 24 * time.Hour
	// repeatWindow is within which time a delivery that is published again is one.
	repeatWindow = 2 * time.Minute

	secretSubject = "hook.key"
)

// ErrFull says that as many deliveries wait for a webhook as may.
var ErrFull = errors.New("too much is waiting for it")

func webhookStreams(replicas int) []jetstream.StreamConfig {
	return []jetstream.StreamConfig{
		{
			Name: DeliveriesStream, Subjects: []string{"dlv.*.*.*"}, Storage: jetstream.FileStorage, Retention: jetstream.WorkQueuePolicy,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: MaxWaiting,
			Duplicates: repeatWindow, Replicas: replicas,
		},
		{
			Name: WebhooksStream, Subjects: []string{"hook.*", "hook.*.*"}, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy,
			MaxMsgsPerSubject: maxOutcomes, AllowMsgTTL: true, Duplicates: duplicateWindow, Replicas: replicas,
		},
	}
}

// WebhookKey is the key of the installation that the secrets of webhooks are made with. It is no
// part of what a backup has, so that a copy of the log elsewhere can sign nothing. Where there is
// none yet, and create says so, it is made, with the streams of webhooks. It fails with
// ErrNotFound.
func (l *Log) WebhookKey(ctx context.Context, create bool) ([]byte, error) {
	key, err := l.webhookKey(ctx)
	if err == nil || !create || !errors.Is(err, ErrNotFound) {
		return key, err
	}
	for _, c := range webhookStreams(max(1, l.events.CachedInfo().Config.Replicas)) {
		err := l.again(ctx, func(ctx context.Context) error {
			_, err := l.js.CreateStream(ctx, c)
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return nil
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("create stream %s: %w", c.Name, err)
		}
	}
	random := [32]byte{}
	_, _ = rand.Read(random[:]) // never fails
	m := &nats.Msg{Subject: secretSubject, Data: random[:], Header: nats.Header{jetstream.ExpectedLastSubjSeqHeader: {"0"}}}
	if _, err := l.insist(ctx, "keep the key of webhooks", m); err != nil && !errors.Is(err, ErrConflict) {
		return nil, err
	}
	if err := l.settleAside(); err != nil {
		return nil, err
	}
	return l.webhookKey(ctx)
}

// insist is publish for what is the same when it is there twice: where nobody knows what became of
// it, as while a leader is elected, it is published again, for as long as a request may take. It
// fails as publishError says.
func (l *Log) insist(ctx context.Context, what string, m *nats.Msg) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, electionPatience)
	defer cancel()
	for {
		sequence, err := l.publish(ctx, m)
		if err == nil {
			return sequence, nil
		}
		err = publishError(what, err)
		if !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrInFlight) {
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, err
		case <-time.After(quorumPause):
		}
	}
}

func (l *Log) webhookKey(ctx context.Context) ([]byte, error) {
	m, err := l.load(ctx, WebhooksStream, loadRequest{Last: secretSubject})
	var api *jetstream.APIError
	if errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamNotFound {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of webhooks: %w", err)
	}
	return m.Data, nil
}

// settleAside brings to the disk what streams beside the log have taken in. A single server whose
// messages share syncs knows of the log's streams alone.
func (l *Log) settleAside() error {
	if !l.Alone() || l.dir == "" {
		return nil
	}
	if err := natsfile.SyncVolume(l.dir); err != nil {
		return fmt.Errorf("bring webhooks to the disk: %w", err)
	}
	return nil
}

// Deliver has something sent to a webhook. The same again within some minutes is once. It fails
// with ErrFull. What it has published is on disk once DeliveriesDurable has returned.
func (l *Log) Deliver(ctx context.Context, d events.Delivery) error {
	text, err := events.Marshal(d)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%s.%d", d.ID, d.Attempt)
	if d.Resent {
		id += "." + d.Due.Format(time.RFC3339Nano)
	}
	subject := events.DeliverySubject(d.AccountID, d.WebhookID, d.Attempt).String()
	_, err = l.insist(ctx, "have something sent to webhook "+d.WebhookID.String(), &nats.Msg{
		Subject: subject, Data: text, Header: nats.Header{jetstream.MsgIDHeader: {id}},
	})
	if errors.Is(err, ErrConflict) {
		err = ErrFull
	}
	return err
}

// DeliveriesDurable waits until what was published by Deliver is on disk.
func (l *Log) DeliveriesDurable() error { return l.settleAside() }

// DeliveryOf reads a delivery.
func DeliveryOf(m jetstream.Msg) (d events.Delivery, err error) {
	if err = events.Unmarshal(m.Data(), &d); err != nil {
		err = fmt.Errorf("read a delivery: %w", err)
	}
	return d, err
}

// Deliveries is the consumer of DELIVERIES that all nodes share. Attempts that wait for their time
// are delivered all the same, and put back.
func (l *Log) Deliveries(ctx context.Context) (c jetstream.Consumer, err error) {
	err = l.again(ctx, func(ctx context.Context) error {
		c, err = l.js.CreateOrUpdateConsumer(ctx, DeliveriesStream, jetstream.ConsumerConfig{
			Durable: senderName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: SendWait, MaxDeliver: -1, MaxAckPending: -1,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open consumer of deliveries: %w", err)
	}
	return c, nil
}

// Announcements is the consumer of EVENTS that finds what is to be sent, which all nodes share. A
// new one begins with what has happened since a time, at most a day ago.
func (l *Log) Announcements(ctx context.Context, since time.Time) (c jetstream.Consumer, err error) {
	if day := time.Now().Add(-announcedFor); since.Before(day) {
		since = day
	}
	err = l.again(ctx, func(ctx context.Context) error {
		c, err = l.js.Consumer(ctx, EventsStream, announcerName)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			c, err = l.js.CreateConsumer(ctx, EventsStream, jetstream.ConsumerConfig{
				Durable: announcerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: SendWait, MaxDeliver: -1, MaxAckPending: 4 * scanBatch,
				DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &since,
			})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open consumer of what is to be sent: %w", err)
	}
	return c, nil
}

// EndAnnouncements removes the consumer of EVENTS, where nobody has webhooks any more.
func (l *Log) EndAnnouncements(ctx context.Context) error {
	err := l.again(ctx, func(ctx context.Context) error { return l.js.DeleteConsumer(ctx, EventsStream, announcerName) })
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	return err
}

// Announced reads an event of the consumer of EVENTS. ok is false for a message that is none.
func Announced(m jetstream.Msg) (e events.Event, ok bool, err error) {
	at, err := m.Metadata()
	if err != nil || events.SubjectOf(m.Subject()).Account() == uuid.Nil {
		return e, false, err
	}
	e, err = events.Decode(events.SubjectOf(m.Subject()), at.Sequence.Stream, m.Headers(), m.Data(), true)
	return e, err == nil, err
}

// KeepOutcome keeps what became of an attempt. decide is given the one before, nil for none.
func (l *Log) KeepOutcome(ctx context.Context, account, webhook uuid.UUID, decide func(before *events.Outcome) events.Outcome) (events.Outcome, error) {
	subject := events.OutcomeSubject(account, webhook).String()
	for {
		var before *events.Outcome
		m, err := l.load(ctx, WebhooksStream, loadRequest{Last: subject})
		if err == nil {
			before = &events.Outcome{}
			err = events.Unmarshal(m.Data, before)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return events.Outcome{}, fmt.Errorf("read what was sent to webhook %s: %w", webhook, err)
		}
		o := decide(before)
		if err == nil && before.ID == o.ID && before.Attempt == o.Attempt && before.At.Equal(o.At) {
			return *before, nil // it is there, though nobody said so
		}
		text, err := events.Marshal(o)
		if err != nil {
			return o, err
		}
		_, err = l.insist(ctx, "keep what was sent to webhook "+webhook.String(), &nats.Msg{Subject: subject, Data: text, Header: nats.Header{
			jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(m.Sequence, 10)}, jetstream.MsgTTLHeader: {outcomesKept.String()},
		}})
		if !errors.Is(err, ErrConflict) {
			return o, err
		}
	}
}

// Outcomes is what became of the last attempts to send something to a webhook, the newest first.
func (l *Log) Outcomes(ctx context.Context, account, webhook uuid.UUID) ([]events.Outcome, error) {
	list, subject := []events.Outcome{}, events.OutcomeSubject(account, webhook).String()
	for next := uint64(1); ; {
		m, err := l.load(ctx, WebhooksStream, loadRequest{Sequence: next, Next: subject})
		var api *jetstream.APIError
		if errors.Is(err, ErrNotFound) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamNotFound {
			slices.Reverse(list)
			slices.SortStableFunc(list, func(a, b events.Outcome) int { // one may be kept behind that of the next attempt
				return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Attempt, a.Attempt))
			})
			return list, nil
		}
		var o events.Outcome
		if err == nil {
			err = events.Unmarshal(m.Data, &o)
		}
		if err != nil {
			return nil, fmt.Errorf("read what was sent to webhook %s: %w", webhook, err)
		}
		list, next = append(list, o), m.Sequence+1
	}
}

// WebhooksWaiting is how many events were not looked at yet for what is to be sent, and how many
// deliveries there are.
func (l *Log) WebhooksWaiting(ctx context.Context) (announced, deliveries uint64, err error) {
	c, err := l.js.Consumer(ctx, EventsStream, announcerName)
	if err != nil {
		return 0, 0, fmt.Errorf("ask how much is to be sent: %w", err)
	}
	s, err := l.State(ctx, DeliveriesStream)
	if err != nil {
		return 0, 0, err
	}
	return c.CachedInfo().NumPending + uint64(c.CachedInfo().NumAckPending), s.State.Msgs, nil
}
