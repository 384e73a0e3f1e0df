package natsfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// GroupCommits tells whether the server is known, and a directory is on a file system where one
// sync for many messages keeps the same promise as a sync for each.
func GroupCommits(dir string) bool {
	var s unix.Statfs_t
	return Known() && unix.Statfs(dir, &s) == nil && s.Type == unix.EXT4_SUPER_MAGIC
}

// dataSync brings a file's bytes to the disk, and of its attributes what is needed to read them.
func dataSync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Exchange has two directories take each other's place, at once.
func Exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// SyncVolume brings all files of the file system of a directory to the disk.
func SyncVolume(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return err
	}
	return takesChanges(f)
}

// takesChanges fails when the file system of a file has given up. What a sync that ended before has
// said holds only where it has not: when ext4 cannot write its journal, or is shut down, it drops
// what the journal would have held, and a sync that is under way then may find nothing that is left
// to be waited for and end with success (Linux 6.18: ext4_sync_file looks at the state of the file
// system only where it begins, and jbd2_complete_transaction takes a transaction that is gone for
// one that is written). It takes no changes then. It may find that out by the first one that is
// asked for, which it drops without an error, so that two are.
func takesChanges(f *os.File) error {
	for range 2 {
		// The times of access and change become now, for which the right to write is enough.
		if _, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, f.Fd(), 0, 0, 0, 0, 0); errno != 0 {
			if errno == unix.ENOSPC || errno == unix.EDQUOT { // where changes take new space
				return errno
			}
			return fmt.Errorf("%w: %w", errGivenUp, errno)
		}
	}
	return nil
}

// Room tells whether the disk of a directory has room for as much again as there is in it, and some
// more. Where that cannot be told there is.
func Room(dir string) bool {
	size := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	var s unix.Statfs_t
	return unix.Statfs(dir, &s) != nil || int64(s.Bavail)*int64(s.Bsize) > size+size/8+spare
}

// spare is what is left beside a copy, in bytes.
const spare = 256 << 20
