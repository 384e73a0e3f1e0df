//go:build !linux

package natsfile

import (
	"errors"
	"os"
)

// GroupCommits tells whether the server is known, and a directory is on a file system where one
// sync for many messages keeps the same promise as a sync for each. Outside of Linux none is known.
func GroupCommits(string) bool { return false }

func dataSync(f *os.File) error { return f.Sync() }

func takesChanges(*os.File) error { return nil }

// Exchange has two directories take each other's place.
func Exchange(a, b string) error {
	away := b + ".old"
	return errors.Join(os.Rename(a, away), os.Rename(b, a), os.Rename(away, b))
}

// SyncVolume brings all files of the file system of a directory to the disk.
func SyncVolume(dir string) error { return SyncPath(dir) }

// Room tells whether the disk of a directory has room for as much again as there is in it. Outside
// of Linux that is not known, and taken to be so.
func Room(string) bool { return true }
