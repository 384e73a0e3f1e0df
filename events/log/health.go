package log

import (
	"errors"

	"github.com/nats-io/nats-server/v2/server"

	"reckon/events/log/natsfile"
)

// ErrBroken says that a server of this process can no longer write, and will not until it is
// started again: after one write or sync that failed (the disk is full, or broken) it refuses all
// that follow, without an answer.
var ErrBroken = errors.New("the store can no longer be written")

// Broken is nil while the log's server can write, as far as is known, else an error that is
// ErrBroken and says why, or an ErrDamaged where files of the log were found damaged since it was
// opened. A server of another process is not asked; it is broken for this one when it does not let
// it in any more.
func (l *Log) Broken() error {
	if damage := l.rotten.Load(); damage != nil {
		return *damage
	}
	return l.backing.broken()
}

// Broken tells of a running server in this process what Log.Broken tells of the log's.
func Broken(s *server.Server) error {
	if reason := natsfile.Broken(s); reason != "" {
		return brokenError(reason)
	}
	return nil
}

// brokenError is an ErrBroken with its reason.
type brokenError string

func (e brokenError) Error() string { return ErrBroken.Error() + ": " + string(e) }
func (e brokenError) Unwrap() error { return ErrBroken }
