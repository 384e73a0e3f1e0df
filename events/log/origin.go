package log

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"reckon/events"
)

// ErrOrigin says that a data directory is of a cluster that has the same name as the one it is to
// join, and another log.
var ErrOrigin = errors.New("the data directory holds another log than the cluster")

// A node joins by its name and the secret, and then follows whoever has led longest: the nodes of
// one log would take over the other log, and delete theirs, if a single one came back with it. So a
// node that knows which log it has asks the others which they have, before its server meets theirs.
// A log is told from others by the time at which its stream EVENTS was made.

// originPath is where a node keeps which log it has.
func originPath(dir string) string { return filepath.Join(dir, "origin") }

// originOf is the log that a data directory was of last; "" when that is not known.
func originOf(dir string) (string, error) {
	text, err := os.ReadFile(originPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// originAnswer is what a node says of its log.
type originAnswer struct {
	Node   string `json:"node"`
	Origin string `json:"origin"`
}

func originSubject(cluster string) string { return "reckon.cluster." + cluster + ".origin" }

// tellOrigin answers those who ask which log this node has, for as long as the connection is there.
func tellOrigin(conn *nats.Conn, c *Cluster, origin string) error {
	text, err := events.Marshal(originAnswer{c.Node, origin})
	if err == nil {
		_, err = conn.Subscribe(originSubject(c.Name), func(m *nats.Msg) { _ = m.Respond(text) })
	}
	if err != nil {
		return fmt.Errorf("tell the other nodes which log is here: %w", err)
	}
	return nil
}

const (
	// originPatience is how long a node waits at its start for another one, of which it knows that
	// it runs, to say which log it has. One that has no log yet does not say.
	originPatience = 10 * time.Second
	// originAgain is how long until it asks again: connections are being made.
	originAgain = 50 * time.Millisecond
	// originReach is how long the server of another node may take to greet.
	originReach = 2 * time.Second
)

// othersRun tells whether a server greets where another node is to be.
func othersRun(ctx context.Context, c *Cluster) bool {
	found := make(chan bool, len(c.Routes))
	for _, route := range c.Routes {
		go func() { found <- greets(ctx, c, route) }()
	}
	for range c.Routes {
		if <-found {
			return true
		}
	}
	return false
}

// greets tells whether a NATS server is there: it speaks first, behind TLS where the nodes have it.
func greets(ctx context.Context, c *Cluster, route string) bool {
	ctx, cancel := context.WithTimeout(ctx, originReach)
	defer cancel()
	u, err := url.Parse(route)
	if err != nil {
		return false
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return false
		}
	}
	if c.TLS != nil {
		config := c.TLS.Clone()
		if config.ServerName == "" {
			config.ServerName = u.Hostname()
		}
		conn = tls.Client(conn, config)
	}
	greeting := make([]byte, len("INFO "))
	_, err = io.ReadFull(conn, greeting)
	return err == nil && string(greeting) == "INFO "
}

// asking has a connection to the other nodes of a cluster, by a server that has no part in keeping
// the log.
func asking(ctx context.Context, o Options, c credentials, ask func(*nats.Conn) error) error {
	options, err := o.Cluster.options(o.Dir, c)
	if err != nil {
		return err
	}
	options.ServerName += ".asks"
	options.StoreDir = ""
	options.Cluster.Port = server.RANDOM_PORT // the others dial the node where it is to be
	quiet := slog.New(slog.DiscardHandler)    // what is wrong is said again, and for longer, by the node's own server
	s, err := runServer(ctx, options, quiet)
	if err != nil {
		return err
	}
	defer func() {
		s.Shutdown()
		s.WaitForShutdown()
	}()
	conn, err := connectInside(s, c, quiet)
	if err != nil {
		return err
	}
	defer conn.Close()
	return ask(conn)
}

// checkOrigin asks the other nodes which log they have. It fails with ErrOrigin when it is another
// than the node's own. Nodes that do not answer in time are taken to have the same.
func checkOrigin(ctx context.Context, conn *nats.Conn, o Options, origin string) error {
	if err := tellOrigin(conn, o.Cluster, origin); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, originPatience)
	defer cancel()
	inbox := conn.NewInbox()
	answers, err := conn.SubscribeSync(inbox)
	if err != nil {
		return fmt.Errorf("ask which log the other nodes have: %w", err)
	}
	for limited.Err() == nil {
		if err := conn.PublishRequest(originSubject(o.Cluster.Name), inbox, nil); err != nil {
			return fmt.Errorf("ask which log the other nodes have: %w", err)
		}
		again, cancel := context.WithTimeout(limited, originAgain)
		for again.Err() == nil {
			m, err := answers.NextMsgWithContext(again)
			var other originAnswer
			switch {
			case err != nil, events.Unmarshal(m.Data, &other) != nil, other.Node == o.Cluster.Node:
			case other.Origin != origin:
				cancel()
				return fmt.Errorf("%w: %s is of one that was begun at %s, and node %s of the cluster %s has one that was begun at %s: give another --data directory, or an empty one to take over the log of the others",
					ErrOrigin, o.Dir, origin, other.Node, o.Cluster.Name, other.Origin)
			default:
				cancel()
				return nil
			}
		}
		cancel()
	}
	return ctx.Err()
}

// settleOrigin finds out which log the node has now, keeps that and tells it.
func (l *Log) settleOrigin(o Options, known string) error {
	origin := l.events.CachedInfo().Created.UTC().Format(time.RFC3339Nano)
	switch {
	case known == origin:
		return nil
	case known != "":
		return fmt.Errorf("%w: %s was of one that was begun at %s, and the cluster %s has one that was begun at %s", ErrOrigin, o.Dir, known, o.Cluster.Name, origin)
	}
	if err := replaceFile(originPath(o.Dir), origin); err != nil {
		return fmt.Errorf("keep which log the data directory is of: %w", err)
	}
	return tellOrigin(l.conn, o.Cluster, origin)
}
