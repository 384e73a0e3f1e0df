package commands

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// DiskSpace is how much the file system of a directory has free and in all, in bytes.
func DiskSpace(dir string) (free, total uint64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &free, &total, nil)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("look at the disk of %s: %w", dir, err)
	}
	return free, total, nil
}
