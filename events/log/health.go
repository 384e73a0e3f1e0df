package log

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// ErrBroken says that a server of this process can no longer write, and will not until it is started again: after one
// write or sync that failed (the disk is full, or broken) it refuses all that follow, without an answer.
var ErrBroken = errors.New("the store can no longer be written")

// Broken is nil while the log's server can write, as far as is known, else an error that is ErrBroken and says why. A
// server of another process is not asked; it is broken for this one when it does not let it in any more.
func (l *Log) Broken() error {
	switch {
	case l.server != nil:
		if l.commit != nil {
			if err := l.commit.broken(); err != nil && !errors.Is(err, errClosed) {
				return brokenError(err.Error())
			}
		}
		return Broken(l.server)
	case l.ticks && l.conn.IsClosed():
		return brokenError(fmt.Sprintf("the connection to NATS is closed: %v", l.conn.LastError()))
	case l.ticks:
		if err := l.denied(); err != nil {
			return brokenError(err.Error())
		}
	}
	return nil
}

// Broken tells of a running server in this process what Log.Broken tells of the log's. A node of a cluster is not broken when
// it is cut off from the others or behind them; it is when it has given up its part, as it does when its disk is full.
func Broken(s *server.Server) error {
	clustered := s.JetStreamIsClustered()
	// Other errors pass: a server that is too busy to look, a stream that is being made or deleted.
	for _, e := range s.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if s.Running() && (e.Type == server.HealthzErrorJetStream && !clustered || slices.ContainsFunc(brokenTexts, func(text string) bool { return strings.Contains(e.Error, text) })) {
			return brokenError(e.Error)
		}
	}
	return nil
}

// brokenTexts are in the errors of a server that stay until it is started again.
var brokenTexts = []string{"write error", "meta layer is not running"}

// brokenError is an ErrBroken with its reason.
type brokenError string

func (e brokenError) Error() string { return ErrBroken.Error() + ": " + string(e) }
func (e brokenError) Unwrap() error { return ErrBroken }
