// Package natsfile knows what nats-server does not promise: when it writes what to which file, how
// its block files are made, how long its elections take, and by which texts it says that it can no
// longer write. All of it was read in the source of one version, and TestFacts holds it. With any
// other version a log syncs every message and reads through the server.
package natsfile

import (
	"slices"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

// Tested is the version of nats-server of which this package knows.
const Tested = "2.15.2"

// Known tells whether the program is linked with that version.
func Known() bool { return server.VERSION == Tested }

// brokenTexts are in the errors of a server that stay until it is started again.
var brokenTexts = []string{"write error", "meta layer is not running"}

// Broken is why a running server can no longer write, "" where it can as far as is known. A node of
// a cluster is not broken when it is cut off from the others or behind them; it is when it has
// given up its part, as it does when its disk is full.
func Broken(s *server.Server) string {
	clustered := s.JetStreamIsClustered()
	// Other errors pass: a server that is too busy to look, a stream that is being made or deleted.
	for _, e := range s.Healthz(&server.HealthzOptions{Details: true}).Errors {
		stays := func(text string) bool { return strings.Contains(e.Error, text) }
		if s.Running() && (e.Type == server.HealthzErrorJetStream && !clustered || slices.ContainsFunc(brokenTexts, stays)) {
			return e.Error
		}
	}
	return ""
}
