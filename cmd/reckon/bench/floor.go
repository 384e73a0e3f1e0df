package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
)

// floor is what the machine itself allows: the log and a bucket without engine and HTTP, and a bare
// file. They are on the file system of the service, in this process.
type floor struct {
	log    *log.Log            // as the service opens it
	synced jetstream.JetStream // streams of the log's settings on a server that syncs each message by itself
	bucket jetstream.KeyValue  // beside the log: how it syncs makes no difference to reads
	file   *os.File

	closers []func() error

	account uuid.UUID
	command []byte
	event   events.MessageCompleted
}

// documentKey is the key of the one document in the bucket.
const documentKey = "document"

// openFloor opens all that in a directory. command and event are what is published; document is
// what the bucket holds.
func openFloor(ctx context.Context, dir string, command, document []byte, event events.MessageCompleted) (_ *floor, err error) {
	f := &floor{account: uuid.New(), command: command, event: event}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.log, err = log.Open(ctx, log.Options{Dir: filepath.Join(dir, "log")}); err != nil {
		return nil, err
	}
	f.closers = append(f.closers, f.log.Close)
	if f.synced, err = f.serve(ctx, &server.Options{
		ServerName: "synced", DontListen: true, StoreDir: filepath.Join(dir, "synced"), MaxPayload: 4 << 20, SyncAlways: true,
	}); err != nil {
		return nil, err
	}
	for _, name := range []string{"COMMANDS", "EVENTS"} {
		stream, err := f.log.JetStream().Stream(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read the settings of stream %s: %w", name, err)
		}
		if _, err := f.synced.CreateStream(ctx, stream.CachedInfo().Config); err != nil {
			return nil, fmt.Errorf("create stream %s: %w", name, err)
		}
	}
	if f.bucket, err = f.log.JetStream().CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "bench"}); err != nil {
		return nil, fmt.Errorf("create bucket: %w", err)
	}
	if _, err := f.bucket.Put(ctx, documentKey, document); err != nil {
		return nil, fmt.Errorf("write bucket: %w", err)
	}
	if f.file, err = os.OpenFile(filepath.Join(dir, "file"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	f.closers = append(f.closers, f.file.Close)
	return f, nil
}

// serve runs a server in this process and connects to it.
func (f *floor) serve(ctx context.Context, o *server.Options) (jetstream.JetStream, error) {
	s, err := log.RunServer(ctx, o, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	f.closers = append(f.closers, func() error {
		s.Shutdown()
		s.WaitForShutdown()
		return nil
	})
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		return nil, fmt.Errorf("connect to server %s: %w", o.ServerName, err)
	}
	f.closers = append(f.closers, func() error {
		conn.Close()
		return nil
	})
	return jetstream.New(conn)
}

// close closes what is open, the newest first.
func (f *floor) close() error {
	var errs []error
	for i := len(f.closers) - 1; i >= 0; i-- {
		errs = append(errs, f.closers[i]())
	}
	f.closers = nil
	return errors.Join(errs...)
}

// newEvent is an event of a conversation that has none.
func (f *floor) newEvent() events.Event {
	return events.Event{
		ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond),
		Subject: events.ConversationSubject(f.account, uuid.New()), Data: &f.event,
	}
}

// publishLogged publishes a command and, when that is on disk, an event as the service does. It
// returns when that is too.
func (f *floor) publishLogged(ctx context.Context) error {
	sequence, err := f.log.Enqueue(ctx, events.CommandSubject(f.account, uuid.NewString()), f.command, false)
	if err == nil {
		err = f.log.CommandDurable(ctx, sequence)
	}
	if err != nil {
		return err
	}
	_, err = f.log.Append(ctx, f.newEvent(), 0)
	return err
}

// publishSynced publishes the same on streams of the same settings, each of which is on disk when
// it is acknowledged, with nothing of the service's between. encoded is the event as it goes over
// the wire.
func (f *floor) publishSynced(ctx context.Context, encoded *nats.Msg) error {
	expected := jetstream.WithExpectLastSequencePerSubject(0)
	command := &nats.Msg{Subject: events.CommandSubject(f.account, uuid.NewString()).String(), Data: f.command}
	if _, err := f.synced.PublishMsg(ctx, command, expected, jetstream.WithMsgTTL(10*time.Minute)); err != nil {
		return fmt.Errorf("publish command: %w", err)
	}
	event := &nats.Msg{
		Subject: events.ConversationSubject(f.account, uuid.New()).String(),
		Header:  maps.Clone(encoded.Header), Data: encoded.Data,
	}
	if _, err := f.synced.PublishMsg(ctx, event, expected); err != nil {
		return fmt.Errorf("publish event: %w", err)
	}
	return nil
}

func (f *floor) readBucket(ctx context.Context) error {
	if _, err := f.bucket.Get(ctx, documentKey); err != nil {
		return fmt.Errorf("read bucket: %w", err)
	}
	return nil
}

// appendedBytes is how much is appended to the file at once.
const appendedBytes = 300

func (f *floor) appendFile(context.Context) error {
	if _, err := f.file.Write(make([]byte, appendedBytes)); err != nil {
		return fmt.Errorf("append to a file: %w", err)
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("sync a file: %w", err)
	}
	return nil
}
