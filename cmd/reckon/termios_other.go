//go:build !linux

package main

import "golang.org/x/sys/unix"

// The requests that read and set what a terminal shows.
const (
	ioctlReadTermios  = unix.TIOCGETA
	ioctlWriteTermios = unix.TIOCSETA
)
