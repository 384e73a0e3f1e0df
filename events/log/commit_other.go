//go:build !linux

package log

import "os"

// groupCommits tells whether a directory is on a file system where one sync for many messages keeps the same promise as a
// sync for each. Outside of Linux none is known.
func groupCommits(string) bool { return false }

func dataSync(f *os.File) error { return f.Sync() }

func syncVolume(dir string) error { return syncPath(dir) }
