//go:build !windows

package http

import "syscall"

// descriptors is how many files and connections the process may have open, false where nobody says.
func descriptors() (n uint64, ok bool) {
	var files syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return files.Cur, err == nil
}
