package log

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"reckon/events/log/natsfile"
)

// Names of the streams.
const (
	CommandsStream = "COMMANDS"
	EventsStream   = "EVENTS"
)

const (
	// keylessLife is how long a command without an idempotency key is kept, and how much longer
	// than the retention any other is: far beyond every deadline, since an expired command is gone
	// without a sign.
	keylessLife = 10 * time.Minute

	defaultRetention = 24 * time.Hour

	// duplicateWindow is the shortest there is. No message of the log has an id by which NATS could
	// tell duplicates, and at its start the server reads all that was written within the window,
	// two minutes by default.
	duplicateWindow = 100 * time.Millisecond
)

// oldCommands begins the subjects of commands that earlier builds kept beside the queue. A data
// directory may still hold some: they are delivered like any other, and expire 10 minutes after
// they were stored.
const oldCommands = "cmd.handed."

// Neither stream denies that messages are deleted, since that could never be taken back, and what a
// person wrote must be erasable. Those that earlier versions have made deny it: a single node
// changes that at its start, past the server, and others keep it.

// commandsConfig has one command a subject: the stream itself decides who was first.
func commandsConfig(retention time.Duration) jetstream.StreamConfig {
	if retention == 0 {
		retention = defaultRetention
	}
	return jetstream.StreamConfig{
		Name:                 CommandsStream,
		Subjects:             []string{"cmd.*.*"},
		Storage:              jetstream.FileStorage,
		Retention:            jetstream.LimitsPolicy,
		Discard:              jetstream.DiscardNew,
		DiscardNewPerSubject: true,
		MaxMsgsPerSubject:    1,
		MaxAge:               retention + keylessLife,
		AllowMsgTTL:          true,
		Duplicates:           duplicateWindow,
	}
}

// eventsConfig keeps everything for ever. Direct gets, which any replica answers, are allowed for
// the tail, which only needs what it reads to be in order; everything else asks the leader.
func eventsConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:        EventsStream,
		Subjects:    []string{"evt.>"},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		AllowDirect: true,
		Duplicates:  duplicateWindow,
	}
}

// keptRetention is the retention that COMMANDS has, else the one given.
func keptRetention(ctx context.Context, js jetstream.JetStream, retention time.Duration) (time.Duration, error) {
	s, err := js.Stream(ctx, CommandsStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return retention, nil
	}
	if err != nil {
		return 0, fmt.Errorf("open stream %s: %w", CommandsStream, err)
	}
	return s.CachedInfo().Config.MaxAge - keylessLife, nil
}

// ensureStreams creates the streams of a log of this process, or gives existing ones the settings
// of this version where the server allows it.
func ensureStreams(ctx context.Context, js jetstream.JetStream, retention time.Duration) error {
	for _, c := range []jetstream.StreamConfig{commandsConfig(retention), eventsConfig()} {
		s, err := js.Stream(ctx, c.Name)
		if err == nil {
			keepDenying(&c, s.CachedInfo().Config)
		}
		if err == nil || errors.Is(err, jetstream.ErrStreamNotFound) {
			_, err = js.CreateOrUpdateStream(ctx, c)
		}
		if err != nil {
			return fmt.Errorf("create stream %s: %w", c.Name, err)
		}
	}
	return nil
}

// settle finishes, before a server of this process gets them, what was interrupted as something was
// erased, or as the streams were given other settings.
func (l *Log) settle(o Options) error {
	if !natsfile.Known() {
		return nil
	}
	if err := natsfile.Redo(storePath(o.Dir)); err != nil {
		return err
	}
	want := []jetstream.StreamConfig{commandsConfig(o.IdempotencyRetention), eventsConfig()}
	for i := range want {
		err := natsfile.SettleSettings(storePath(o.Dir), want[i].Name, func(text []byte) bool {
			if o.Cluster != nil {
				want[i].Replicas = clusterReplicas
			}
			var have jetstream.StreamConfig
			return json.Unmarshal(text, &have) == nil && have.MaxAge == want[i].MaxAge && len(differences(have, want[i])) == 0
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// allowDeleting takes back what streams that an earlier version made deny, before a server of this
// process gets them. With a server whose files are not known they go on denying it.
func (l *Log) allowDeleting(dir string) error {
	for _, of := range checked {
		if !natsfile.Known() {
			break
		}
		was, err := natsfile.AllowDeleting(storePath(dir), of.Stream)
		if err != nil {
			return err
		}
		if was {
			l.logger.Info("messages can be deleted from a stream that denied it", "stream", of.Stream)
		}
	}
	return nil
}

// keepDenying leaves to the settings that a stream is to have what no server takes back.
func keepDenying(want *jetstream.StreamConfig, have jetstream.StreamConfig) {
	want.DenyDelete, want.DenyPurge = have.DenyDelete, have.DenyPurge
}

// sayUnerasable says of streams that deny that messages are deleted how to get others.
func (l *Log) sayUnerasable(ctx context.Context) error {
	for _, name := range []string{CommandsStream, EventsStream} {
		s, err := l.State(ctx, name)
		if err != nil {
			return err
		}
		if s.Config.DenyDelete || s.Config.DenyPurge {
			l.logger.Warn("what is erased stays in this stream for ever", "error", fmt.Errorf("stream %s: %w", name, ErrUnerasable))
		}
	}
	return nil
}
