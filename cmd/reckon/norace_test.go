//go:build !race

package main

// slowdown is how many times longer the tests may take: the race detector makes all code slower.
const slowdown = 1
