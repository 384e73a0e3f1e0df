package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// publication is a command and an event as the service publishes them for a prompt, in an account
// of its own.
type publication struct {
	account uuid.UUID
	command []byte
	data    events.MessageCompleted
	message *nats.Msg // the event as it goes over the wire
}

// publication is what the service publishes for the first prompt.
func (b *bench) publication() (p publication, err error) {
	domain, err := uuid.Parse(b.Domain)
	if err != nil {
		return p, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	prompt := b.service.structured[0]
	p.account = uuid.New()
	p.command, err = json.Marshal(commands.Calculate{
		Type: "calculate", AccountID: p.account, KeyID: uuid.New(), ConversationID: uuid.New(), MessageID: uuid.New(),
		Fingerprint: fmt.Sprintf("%064x", 0), DomainID: domain, DomainVersion: 1, InputFormat: "structured", Prompt: prompt,
		ReceivedAt: now, Now: now, TimeZone: "UTC",
	})
	if err != nil {
		return p, err
	}
	p.data = events.MessageCompleted{
		Message: events.Message{
			ConversationID: uuid.New(), MessageID: uuid.New(), KeyID: uuid.New(), Source: "api", InputFormat: "structured",
			Prompt: prompt, Domain: events.DomainRef{ID: domain, Version: 1}, ReceivedAt: now, Now: now, TimeZone: "UTC",
		},
		Parsed: json.RawMessage(b.service.objects[0]), StructuredText: &prompt, Results: *b.service.first.Results,
		Targets: []events.Target{},
	}
	p.message, err = log.Message(p.event())
	return p, err
}

// event is the event in a new conversation.
func (p publication) event() events.Event {
	return events.Event{
		ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond),
		Subject: events.ConversationSubject(p.account, uuid.New()), Data: &p.data,
	}
}

// logged publishes the command and, when that is on disk, the event as the service does. It returns
// when that is too.
func (p publication) logged(l *log.Log) step {
	return func(ctx context.Context) error {
		sequence, err := l.Enqueue(ctx, events.CommandSubject(p.account, uuid.NewString()), p.command, false)
		if err == nil {
			err = l.CommandDurable(ctx, sequence)
		}
		if err == nil {
			_, err = l.Append(ctx, p.event(), 0)
		}
		return err
	}
}

// bare publishes the command and then the event to streams of copyStreams, with nothing of the
// service's between.
func (p publication) bare(js jetstream.JetStream, prefix string) step {
	first := jetstream.WithExpectLastSequencePerSubject(0)
	return func(ctx context.Context) error {
		command := &nats.Msg{Subject: prefix + events.CommandSubject(p.account, uuid.NewString()).String(), Data: p.command}
		if _, err := js.PublishMsg(ctx, command, first, jetstream.WithMsgTTL(10*time.Minute)); err != nil {
			return fmt.Errorf("publish command: %w", err)
		}
		event := &nats.Msg{
			Subject: prefix + events.ConversationSubject(p.account, uuid.New()).String(), Header: maps.Clone(p.message.Header), Data: p.message.Data,
		}
		if _, err := js.PublishMsg(ctx, event, first); err != nil {
			return fmt.Errorf("publish event: %w", err)
		}
		return nil
	}
}

// copyStreams makes streams of the settings of a log's own, whose names and subjects begin with a
// prefix. They take publishes and nothing else: nobody works at them.
func copyStreams(ctx context.Context, from, to jetstream.JetStream, prefix string) error {
	for _, name := range []string{"COMMANDS", "EVENTS"} {
		stream, err := from.Stream(ctx, name)
		if err != nil {
			return fmt.Errorf("read the settings of stream %s: %w", name, err)
		}
		config := stream.CachedInfo().Config
		config.Name = prefix + config.Name
		for i, subject := range config.Subjects {
			config.Subjects[i] = prefix + subject
		}
		if _, err := to.CreateStream(ctx, config); err != nil {
			return fmt.Errorf("create stream %s: %w", config.Name, err)
		}
	}
	return nil
}
