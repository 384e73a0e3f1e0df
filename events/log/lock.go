package log

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Lock creates a data directory if there is none and takes its lock, which lasts until the
// file is closed or the process ends. It fails with ErrRunning when the lock is held, by another
// process or by another log of this one.
func Lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	err = TryLock(file)
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, ErrRunning) {
		return nil, fmt.Errorf("lock %s: %w by another process", dir, ErrRunning)
	}
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}
