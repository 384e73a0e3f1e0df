package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events/log"
)

// floor is what the machine itself allows: the log and a bucket without engine and HTTP, and a bare
// file. They are on the file system of the service, in this process.
type floor struct {
	log    *log.Log            // as the service opens it
	synced jetstream.JetStream // streams of the log's settings on a server that syncs each message by itself
	bucket jetstream.KeyValue  // beside the log: how it syncs makes no difference to reads
	file   *os.File

	publication publication
	closers     []func() error
}

// documentKey is the key of the one document in the bucket.
const documentKey = "document"

// openFloor opens all that below a directory.
func (b *bench) openFloor(ctx context.Context, dir string) (err error) {
	dir = filepath.Join(dir, "floor")
	f := &floor{}
	if f.publication, err = b.publication(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.log, err = log.Open(ctx, log.Options{Dir: filepath.Join(dir, "log")}); err != nil {
		return err
	}
	f.closers = append(f.closers, f.log.Close)
	if f.synced, err = f.serve(ctx, &server.Options{
		ServerName: "synced", DontListen: true, StoreDir: filepath.Join(dir, "synced"), MaxPayload: 4 << 20, SyncAlways: true,
	}); err != nil {
		return err
	}
	if err := copyStreams(ctx, f.log.JetStream(), f.synced, ""); err != nil {
		return err
	}
	if f.bucket, err = f.log.JetStream().CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "bench"}); err != nil {
		return fmt.Errorf("create bucket: %w", err)
	}
	if _, err := f.bucket.Put(ctx, documentKey, b.service.document); err != nil {
		return fmt.Errorf("write bucket: %w", err)
	}
	if f.file, err = os.OpenFile(filepath.Join(dir, "file"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return err
	}
	f.closers = append(f.closers, f.file.Close)
	b.floor = f
	return nil
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
