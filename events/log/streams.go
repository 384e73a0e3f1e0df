package log

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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
		DenyDelete:           true,
		DenyPurge:            true,
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
		DenyDelete:  true,
		DenyPurge:   true,
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
		if _, err := js.CreateOrUpdateStream(ctx, c); err != nil {
			return fmt.Errorf("create stream %s: %w", c.Name, err)
		}
	}
	return nil
}
