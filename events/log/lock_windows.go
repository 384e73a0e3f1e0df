package log

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the lock of a file, which lasts until the file is closed or the process ends. It
// fails with ErrRunning where it is held already, by another process or another opening of the
// file.
func TryLock(file *os.File) error {
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrRunning
	}
	return err
}
