//go:build !windows

package log

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock of a file, which lasts until the file is closed or the process ends. It
// fails with ErrRunning where it is held already, by another process or another opening of the
// file.
func TryLock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrRunning
	}
	return err
}
