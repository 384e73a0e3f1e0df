package natsfile

import (
	"errors"
	"os"

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

// SyncVolume brings all files of the file system of a directory to the disk.
func SyncVolume(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
