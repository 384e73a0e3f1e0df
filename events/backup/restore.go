package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/natsfile"
)

// ErrNotEmpty says that a directory holds something, where an empty one or none is needed.
var ErrNotEmpty = errors.New("the directory is not empty")

const (
	restoreBatch = 1000     // messages that are published before their acknowledgements are awaited
	restoreBytes = 16 << 20 // and bytes of them
	ackBatch     = 256
)

// Restore makes a data directory from a backup, and reads all of it again to compare it with the
// backup: the same messages in the same order. Events that cannot be decoded are restored as they
// are, and counted. The directory must be empty or not exist; its log appears, whole and on disk,
// when everything is right, and until then nothing does but a hidden one beside or in it. A command
// that is not finished has the lifetime of a new one, so that it is worked on however old the
// backup is. Before the log appears, change may append to it, unless it is nil. It fails with
// ErrNotEmpty, ErrNotWhole, or log.ErrRunning while another process restores to the directory.
func Restore(ctx context.Context, dir string, from io.Reader, logger *slog.Logger, progress Progress, change func(*log.Log) error) (Summary, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Summary{}, fmt.Errorf("restore: %w", err)
	}
	if err := restorable(dir); err != nil {
		return Summary{}, err
	}
	r, err := newReader(from)
	if err != nil {
		return Summary{}, err
	}
	building := buildingOf(dir)
	lock, err := beginRestoring(building, dir)
	if err != nil {
		return Summary{}, err
	}
	defer lock.Close()
	b, err := restoreInto(ctx, building, r, logger, progress, change)
	if err == nil {
		err = publishDirectory(building, dir)
	}
	if err != nil {
		return b, errors.Join(err, os.RemoveAll(building))
	}
	return b, nil
}

// insideName is the directory in which an empty one is made.
const insideName = ".restoring"

// buildingOf is where a directory is made: beside its place, or in it where it exists. That may be
// a volume, which nothing can take the place of, or in a folder where the user may write nothing.
func buildingOf(dir string) string {
	if _, err := os.Stat(dir); err == nil {
		return filepath.Join(dir, insideName)
	}
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".restoring")
}

// beginRestoring makes the directory where another one is built, empty but for its lock, which is
// held. What a restore left there that was killed goes. It fails with log.ErrRunning while another
// one is under way.
func beginRestoring(building, dir string) (*os.File, error) {
	lock, err := log.Lock(building)
	if err != nil {
		return nil, fmt.Errorf("restore to %s: %w", dir, err)
	}
	var left []fs.DirEntry
	if !isAt(lock, lock.Name()) { // a restore that has just ended has moved it, or removed it
		err = log.ErrRunning
	}
	if err == nil {
		err = restorable(dir)
	}
	if err == nil {
		left, err = os.ReadDir(building)
	}
	for _, entry := range left {
		if err == nil && entry.Name() != filepath.Base(lock.Name()) {
			err = os.RemoveAll(filepath.Join(building, entry.Name()))
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("restore to %s: %w", dir, err), lock.Close())
	}
	return lock, nil
}

// isAt tells whether an open file is the one that has a name.
func isAt(file *os.File, name string) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(held, named)
}

// restorable fails with ErrNotEmpty for a directory that holds something, other than what a new
// file system does.
func restorable(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("restore: %w", err)
	case slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != insideName && e.Name() != "lost+found" }):
		return fmt.Errorf("restore to %s: %w", dir, ErrNotEmpty)
	}
	return nil
}

// restoreInto fills a directory that nobody else knows. Nothing in it is trusted before
// publishDirectory has brought it to the disk, so the server does not wait for that at every
// message.
func restoreInto(ctx context.Context, dir string, r *reader, logger *slog.Logger, progress Progress, change func(*log.Log) error) (Summary, error) {
	retention, err := time.ParseDuration(r.header.Retention)
	if err != nil {
		return Summary{}, fmt.Errorf("%w: %w", ErrNotWhole, err)
	}
	l, err := log.Build(ctx, dir, retention, logger)
	if err != nil {
		return Summary{}, err
	}
	defer l.Close()
	b, written, err := refill(ctx, l, r, progress)
	if err != nil {
		return b, err
	}
	if err := acknowledge(ctx, l, b.Commands-b.Unfinished); err != nil {
		return b, err
	}
	read := sha256.New()
	for _, stream := range streams {
		err := l.Records(ctx, stream, math.MaxUint64, func(m log.Record) error {
			digest(read, m)
			progress(strings.ToLower(stream)+" checked", m.Sequence, b.of(stream))
			return nil
		})
		if err != nil {
			return b, err
		}
	}
	if string(read.Sum(nil)) != string(written) {
		return b, errors.New("restore: what was written reads back otherwise")
	}
	if change == nil {
		return b, nil
	}
	return b, change(l)
}

// refill publishes what the backup holds, and returns the digest of it.
func refill(ctx context.Context, l *log.Log, r *reader, progress Progress) (b Summary, written []byte, err error) {
	b.CreatedAt, b.LastEvent = r.header.CreatedAt, r.header.Events
	sum := sha256.New()
	flying := flight{js: l.JetStream()}
	for {
		m, last, err := r.next()
		if err != nil {
			return b, nil, err
		}
		if last != nil {
			if err := b.matches(last); err != nil {
				return b, nil, err
			}
			return b, sum.Sum(nil), flying.land(ctx)
		}
		b.add(r.header, m)
		progress(strings.ToLower(m.Stream), m.Sequence, r.header.last(m.Stream))
		digest(sum, m)
		if err := flying.publish(ctx, &nats.Msg{Subject: m.Subject, Header: m.Headers, Data: m.Data}); err != nil {
			return b, nil, err
		}
	}
}

// flight is what is published and not acknowledged yet.
type flight struct {
	js   jetstream.JetStream
	open []jetstream.PubAckFuture
	size int
}

// publish adds a message, and waits for all when there are many.
func (f *flight) publish(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) error {
	future, err := f.js.PublishMsgAsync(m, opts...)
	if err != nil {
		return fmt.Errorf("restore a message at %s: %w", m.Subject, err)
	}
	f.open, f.size = append(f.open, future), f.size+len(m.Data)
	if len(f.open) < restoreBatch && f.size < restoreBytes {
		return nil
	}
	return f.land(ctx)
}

// land waits until all are acknowledged.
func (f *flight) land(ctx context.Context) error {
	for _, future := range f.open {
		select {
		case <-future.Ok():
		case err := <-future.Err():
			return fmt.Errorf("restore a message at %s: %w", future.Msg().Subject, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.open, f.size = f.open[:0], 0
	return nil
}

// acknowledge takes the first n commands from the queue, which are finished.
func acknowledge(ctx context.Context, l *log.Log, n uint64) error {
	consumer, err := l.Commands(ctx, nil)
	if err != nil {
		return err
	}
	for done := uint64(0); done < n; {
		batch, err := consumer.Fetch(int(min(n-done, ackBatch)), jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			return fmt.Errorf("mark finished commands: %w", err)
		}
		var last jetstream.Msg
		for m := range batch.Messages() {
			if last != nil {
				if err := last.Ack(); err != nil {
					return fmt.Errorf("mark finished commands: %w", err)
				}
			}
			last, done = m, done+1
		}
		if err := batch.Error(); err != nil || last == nil {
			return fmt.Errorf("mark finished commands: %d of %d could be read: %w", done, n, errors.Join(err))
		}
		if err := last.DoubleAck(ctx); err != nil {
			return fmt.Errorf("mark finished commands: %w", err)
		}
	}
	return nil
}

// digest adds a message as far as it must be the same after restoring.
func digest(sum hash.Hash, m log.Record) {
	headers, err := events.Marshal(m.Headers)
	if err != nil {
		panic(fmt.Sprintf("encode headers: %v", err)) // a map of strings always encodes
	}
	fmt.Fprintf(sum, "%s %s %d %d\n", m.Stream, m.Subject, len(headers), len(m.Data))
	sum.Write(headers)
	sum.Write(m.Data)
}

// publishDirectory brings a directory to the disk and gives it its name. Of one that was made in
// its place, the log gets its name, which is all there is but for the lock.
func publishDirectory(building, dir string) error {
	err := filepath.WalkDir(building, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return natsfile.SyncPath(path)
	})
	inside := filepath.Dir(building) == dir
	from, to := building, dir
	if inside {
		from, to = filepath.Join(building, "log"), filepath.Join(dir, "log")
	}
	if err == nil {
		err = os.Rename(from, to)
	}
	if err == nil && inside {
		err = os.Rename(filepath.Join(building, "lock"), filepath.Join(dir, "lock"))
	}
	if err == nil && inside {
		err = os.Remove(building)
	}
	if err == nil {
		err = natsfile.SyncPath(filepath.Dir(to))
	}
	if err != nil {
		return fmt.Errorf("restore to %s: %w", dir, err)
	}
	return nil
}
