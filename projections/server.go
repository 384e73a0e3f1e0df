package projections

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"reckon/events/log"
	"reckon/events/log/natsfile"
)

const (
	// maxPayload is the largest document that a bucket takes. The log takes events of up to 4 MiB,
	// and the document of a domain holds the newest publication and a draft.
	maxPayload = 8 << 20
	// cleanMark stands in the mark file of a directory whose views were closed and are on disk.
	cleanMark = "clean"
)

// storage is the directory of the views: a lock, a mark that tells how they were left, and the
// store of the server.
type storage struct {
	dir  string
	lock *os.File
}

// openStorage locks a directory and prepares it. The views are written without waiting for the
// disk, so that what a machine's crash leaves is not to be trusted: unless they were closed, or
// this is still the same boot of the machine, they are removed.
func openStorage(dir string) (*storage, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make views directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open views lock: %w", err)
	}
	if err := log.TryLock(lock); err != nil {
		lock.Close()
		return nil, fmt.Errorf("lock views directory %s: %w", dir, err)
	}
	s := &storage{dir: dir, lock: lock}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare views directory: %w", err), lock.Close())
	}
	return s, nil
}

func (s *storage) prepare() error {
	boot := bootID()
	mark, err := os.ReadFile(s.markFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if left := string(mark); left != cleanMark && (boot == "" || left != boot) {
		if err := os.RemoveAll(s.storeDir()); err != nil {
			return err
		}
	}
	return s.mark(boot)
}

func (s *storage) markFile() string { return filepath.Join(s.dir, "mark") }
func (s *storage) storeDir() string { return filepath.Join(s.dir, server.JetStreamStoreDir) }

// bootID names the running boot of the machine; it is empty where the machine does not tell.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// mark replaces the mark; it is on disk when mark returns.
func (s *storage) mark(text string) error {
	next := s.markFile() + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		return err
	}
	if err := natsfile.SyncPath(next); err != nil {
		return err
	}
	if err := os.Rename(next, s.markFile()); err != nil {
		return err
	}
	return natsfile.SyncPath(s.dir)
}

// closeClean brings all files to the disk, then marks the directory as clean and unlocks it.
func (s *storage) closeClean() error {
	err := filepath.WalkDir(s.storeDir(), func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = natsfile.SyncPath(path)
		}
		// The server may still be removing a bucket that was deleted a moment ago.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err == nil {
		err = s.mark(cleanMark)
	}
	if err != nil {
		err = fmt.Errorf("sync views directory: %w", err)
	}
	return errors.Join(err, s.close())
}

// close unlocks the directory and leaves the mark as it is.
func (s *storage) close() error {
	if err := s.lock.Close(); err != nil {
		return fmt.Errorf("unlock views directory: %w", err)
	}
	return nil
}

// startServer runs the views' server on a directory. It listens nowhere; connections are made in
// process.
func startServer(ctx context.Context, dir string, logger *slog.Logger) (*server.Server, error) {
	return log.RunServer(ctx, &server.Options{
		ServerName:         "views",
		DontListen:         true,
		StoreDir:           dir,
		JetStreamMaxMemory: 64 << 20,
		MaxPayload:         maxPayload,
	}, logger)
}

func connect(s *server.Server) (*nats.Conn, error) {
	conn, err := nats.Connect("", nats.InProcessServer(s), nats.Name("views"), nats.SyncQueueLen(4*maxKeys),
		nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectBufSize(-1))
	if err != nil {
		return nil, fmt.Errorf("connect to views server: %w", err)
	}
	return conn, nil
}
