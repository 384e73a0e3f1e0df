package main

import "golang.org/x/sys/unix"

// The requests that read and set what a terminal shows.
const (
	ioctlReadTermios  = unix.TCGETS
	ioctlWriteTermios = unix.TCSETS
)
