//go:build !linux

package main

// adrift tells whether the kernel knows that nothing keeps the clock right. Outside of Linux it is
// not asked.
func adrift() bool { return false }
