//go:build !windows

package main

import (
	"io/fs"
	"syscall"
)

// ownerOf is the number of the user that a file belongs to, -1 where users have none.
func ownerOf(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}

// openFiles is how many files a process may open, false where nobody says.
func openFiles() (n uint64, ok bool) {
	var files syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return files.Cur, err == nil
}
