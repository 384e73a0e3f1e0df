//go:build !windows

package commands

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// DiskSpace is how much the file system of a directory has free and in all, in bytes.
func DiskSpace(dir string) (free, total uint64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	block := uint64(fs.Bsize)
	return fs.Bavail * block, fs.Blocks * block, nil
}
