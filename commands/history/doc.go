// Package history computes the past again: what was answered is replayed, compared with what a
// draft would answer, traced to the version of a domain that changed it, made a test of, and shown
// as it stood. All of it rests on commands.Decide, so that the same question gives the same bytes.
package history
