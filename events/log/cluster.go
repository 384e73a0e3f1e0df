package log

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events/log/natsfile"
)

// Cluster makes a log's server a node of a cluster: COMMANDS and EVENTS have three replicas, on
// three of its nodes.
type Cluster struct {
	Name   string
	Node   string      // of this node, unique in the cluster; letters, digits, - and _
	Listen string      // host:port that the other nodes reach
	Routes []string    // nats://host:port of the other nodes; this node's own may be among them
	TLS    *tls.Config // of the connections between nodes, for both directions; nil on one machine only
	Secret []byte      // what all nodes have and nobody else
	Heal   bool        // take the log anew from the others where this node's copy is damaged
}

// clusterReplicas is how many nodes have the streams of a cluster.
const clusterReplicas = 3

// routeUser is the user as which nodes reach each other.
const routeUser = "reckon"

// routeReports is how often a node that cannot be reached is tried again, once a second, until the
// log says so again.
const routeReports = 60

// options are those of the cluster's server. Its clients connect on loopback: a server with routes
// does not do without a listener.
func (c *Cluster) options(dir string, inside credentials) (*server.Options, error) {
	host, portText, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, fmt.Errorf("read the cluster's address: %w", err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, fmt.Errorf("read the port of the cluster's address %s: %w", c.Listen, err)
	}
	system := server.NewAccount(server.DEFAULT_SYSTEM_ACCOUNT)
	o := &server.Options{
		ServerName: c.Node,
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		Users:      append(inside.users(), &server.User{Username: systemName, Password: inside.own, Account: system}),
		Accounts:   []*server.Account{system}, SystemAccount: system.Name,
		MaxPayload: MaxPayload,
		StoreDir:   filepath.Join(dir, "log"),
		SyncAlways: true,
		Cluster: server.ClusterOpts{
			Name: c.Name, Host: host, Port: port, NoAdvertise: true,
			Username: routeUser, Password: c.password(), AuthTimeout: 5,
			TLSConfig: c.TLS, TLSTimeout: 5,
			PingInterval: time.Second, MaxPingsOut: 3,
		},
		LameDuckGracePeriod: drainGrace, LameDuckDuration: drainAll,
		ReconnectErrorReports: routeReports,
	}
	for _, route := range c.Routes {
		u, err := url.Parse(route)
		if err != nil {
			return nil, fmt.Errorf("read the route %s: %w", route, err)
		}
		u.User = url.UserPassword(routeUser, c.password())
		o.Routes = append(o.Routes, u)
	}
	return o, nil
}

// password is what the nodes show each other; the hash keeps whatever the secret looks like from
// being taken for a password that is hashed already.
func (c *Cluster) password() string {
	sum := sha256.Sum256(c.Secret)
	return hex.EncodeToString(sum[:])
}

// cluster is the backing of a log on a cluster of Reckon's own nodes.
type cluster struct {
	plain
	server    *server.Server // of this node; nil for a command of administration, which visits
	system    *nats.Conn     // to the server's own account
	quorum    *quorum        // confirms what the leader says
	elections *elections
	queue     queue
	whole     atomic.Bool // the node has what the others have
	config    *Cluster    // nil for a command of administration
	agreed    agreement
}

// openCluster runs the node's server and returns when the streams are there, which takes a majority
// of the nodes, at the first start three of them, and when this node has of them what the others
// have. It runs no server on a copy of the log that is damaged.
func (l *Log) openCluster(ctx context.Context, o Options, c *credentials) error {
	origin, err := originOf(o.Dir)
	if err != nil {
		return fmt.Errorf("read which log the data directory is of: %w", err)
	}
	for {
		damage := errors.Join(clearViews(o.Dir), l.settle(o), l.check(ctx, o))
		if damage == nil {
			damage = l.openNode(ctx, o, c, origin)
		}
		if !errors.Is(damage, ErrDamaged) {
			return damage
		}
		if err := l.stop(); err != nil {
			return err
		}
		if err := l.heal(ctx, o, *c, origin, damage); err != nil {
			return err
		}
	}
}

// openNode is openCluster for a copy of the log in which no damage is seen. It fails with
// ErrDamaged when the other nodes have what it lacks.
func (l *Log) openNode(ctx context.Context, o Options, c *credentials, origin string) error {
	if origin != "" && othersRun(ctx, o.Cluster) {
		if err := asking(ctx, o, *c, func(conn *nats.Conn) error { return checkOrigin(ctx, conn, o, origin) }); err != nil {
			return err
		}
	}
	options, err := o.Cluster.options(o.Dir, *c)
	if err != nil {
		return err
	}
	b := &cluster{plain: plain{l}, queue: queue{log: l, replicas: clusterReplicas}, config: o.Cluster}
	if b.server, err = RunServer(ctx, options, l.logger); err != nil {
		return err
	}
	l.backing, c.URL = b, b.server.ClientURL()
	if err := l.connect(b.server, *c); err != nil {
		return err
	}
	if b.system, err = connectAs(b.server, systemName, c.own, l.logger); err != nil {
		return err
	}
	if err := natsfile.AskAgain(b.system, b.server); err != nil {
		return err
	}
	if origin != "" {
		if err := tellOrigin(l.conn, o.Cluster, origin); err != nil {
			return err
		}
	}
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(clusterTry)); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	if err := b.replicate(ctx, o); err != nil {
		return err
	}
	if err := l.settleOrigin(o, origin); err != nil {
		return err
	}
	if err := b.join(o.Cluster.Name); err != nil {
		return err
	}
	if err := b.quorum.answerFor(b.server); err != nil {
		return err
	}
	return b.level(ctx, o)
}

// join makes the log one of a cluster.
func (b *cluster) join(name string) (err error) {
	if b.elections, err = followElections(b.log.conn); err != nil {
		return err
	}
	b.quorum, err = newQuorum(b.log.conn, name, b.elections)
	return err
}

const (
	clusterTry    = 2 * time.Second        // how long one try to find or make a stream may take
	clusterRetry  = 250 * time.Millisecond // between two
	electPatience = time.Minute            // how long another leader may take that was asked for, and what ends a restore
)

// replicate finds or makes the streams and binds the log to them. Several nodes may do it at once.
// It goes on until ctx ends, since there is no telling an error that passes when more nodes are
// there from one that stays.
func (b *cluster) replicate(ctx context.Context, o Options) error {
	l, told := b.log, ""
	for {
		try, cancel := context.WithTimeout(ctx, clusterTry)
		err := replicateOnce(try, l.js, o.IdempotencyRetention)
		if err == nil {
			err = l.bind(try) // a node that has just become the leader may not know yet what another one made
		}
		cancel()
		if err == nil {
			return nil
		}
		if reason := b.reason(err); reason != told {
			told = reason
			b.queue.suspect = time.Now() // most of the nodes have stopped since it was made
			l.logger.Info("waiting for the cluster", "cluster", o.Cluster.Name, "node", o.Cluster.Node, "reason", reason)
			if o.Waiting != nil {
				o.Waiting("it waits for the cluster " + o.Cluster.Name + ": " + reason)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the cluster %s: %w", o.Cluster.Name, errors.Join(ctx.Err(), err))
		case <-time.After(clusterRetry):
		}
	}
}

// codeNoPeers says that there are fewer nodes than a stream needs.
const codeNoPeers = 10005

// reason says what a failed try means.
func (b *cluster) reason(err error) string {
	var api *jetstream.APIError
	switch {
	case b.server.NumRoutes() == 0:
		return "no other node is connected, and the logs of the nodes say why"
	case errors.As(err, &api) && api.ErrorCode == codeNoPeers:
		return "fewer than three nodes are there yet"
	case errors.As(err, &api) && api.Code < 500:
		return err.Error()
	}
	return "the nodes that are there have no leader yet"
}

func replicateOnce(ctx context.Context, js jetstream.JetStream, retention time.Duration) error {
	for _, want := range []jetstream.StreamConfig{commandsConfig(retention), eventsConfig()} {
		want.Replicas = clusterReplicas
		s, err := js.Stream(ctx, want.Name)
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
			_, err = js.CreateStream(ctx, want)
		case err == nil && len(differences(s.CachedInfo().Config, want)) > 0:
			want.Metadata = s.CachedInfo().Config.Metadata
			keepDenying(&want, s.CachedInfo().Config)
			_, err = js.UpdateStream(ctx, want)
		}
		if err != nil {
			return fmt.Errorf("create stream %s: %w", want.Name, err)
		}
	}
	return nil
}

func (b *cluster) shared() bool { return true }

func (b *cluster) nodes() int {
	if b.server == nil {
		return 1
	}
	// Every server knows whom it is connected to, unlike JetStreamClusterPeers; ActivePeers has at
	// times a name more than there are nodes after one has come back.
	return 1 + b.server.NumRemotes()
}

func (b *cluster) within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	return b.elections.within(ctx, patience)
}

func (b *cluster) afterElection(ctx context.Context, since time.Time, while time.Duration) (context.Context, context.CancelFunc) {
	return b.elections.after(ctx, since, while)
}

func (b *cluster) elected() uint64 { return b.elections.heard.Load() }

func (b *cluster) elect(ctx context.Context, seen func(*jetstream.StreamInfo) bool) error {
	ctx, cancel := context.WithTimeout(ctx, electPatience)
	defer cancel()
	if _, err := b.log.request(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+EventsStream, nil); err != nil {
		return fmt.Errorf("have another leader of the events elected: %w", err)
	}
	return b.log.again(ctx, func(ctx context.Context) error {
		s, err := b.log.State(ctx, EventsStream)
		if err == nil && (s.Cluster == nil || s.Cluster.Leader == "" || !seen(s)) {
			err = errLeaderless
		}
		return err
	})
}

func (b *cluster) last(ctx context.Context) (uint64, error) {
	if b.server == nil {
		limited, cancel := context.WithTimeout(ctx, electionPatience)
		defer cancel()
		ctx = limited
	}
	last, err := b.quorum.last(ctx)
	if err != nil {
		return 0, fmt.Errorf("ask for the newest event: %w", err)
	}
	return last, nil
}

// confirm is nil when a majority of the nodes names its leader, which has what was acknowledged
// before then. A leader that was cut off a moment ago goes on answering from what it has. The
// service itself reads behind an index that it has confirmed, or appends to what it has read; a
// command of administration shows it.
func (b *cluster) confirm(ctx context.Context) error {
	if b.server != nil {
		return nil
	}
	_, err := b.log.Last(ctx)
	if errors.Is(err, ErrUnfinished) {
		return nil // it is filled from a backup, and its leader is known
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoLeader, err)
	}
	return nil
}

// led waits until a majority of the nodes names its leader. One that is cut off takes in what it is
// sent for 10 s and more, and drops it afterwards one message at a time, each in 2 s, before it
// takes in anything new: until then it counts for no majority.
func (b *cluster) led(ctx context.Context) error {
	_, err := b.quorum.last(ctx)
	return err
}

func (b *cluster) commands(ctx context.Context, finished func(context.Context, []byte) (bool, error)) (jetstream.Consumer, error) {
	return b.queue.find(ctx, finished)
}

func (b *cluster) term() (term, bool) {
	if b.server == nil {
		return term{}, false
	}
	b.quorum.mu.Lock()
	group := b.quorum.group
	b.quorum.mu.Unlock()
	return termOf(b.server, group)
}

func (b *cluster) ready() error {
	if b.server == nil {
		return nil
	}
	if health := b.server.Healthz(&server.HealthzOptions{Details: true}); len(health.Errors) > 0 {
		return fmt.Errorf("the log is not up to date: %s", health.Errors[0].Error)
	}
	return nil
}

func (b *cluster) broken() error {
	if b.server == nil {
		return nil
	}
	return Broken(b.server)
}

func (b *cluster) close() error {
	if b.system != nil {
		b.system.Close()
	}
	if b.server != nil {
		if b.quorum != nil {
			stepDown(b.server)
		}
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
	return nil
}

// awaitOthers waits until the nodes that are there besides this one have what the streams hold, so
// that they can go on without it. A node that is behind cannot vote for what it does not know: if
// this one stopped meanwhile, all would wait for that. Nodes that are away are not waited for. It
// fails when ctx ends; on a log without other nodes of ours it returns at once.
func (b *cluster) awaitOthers(ctx context.Context) error {
	if b.server == nil {
		return nil
	}
	for _, stream := range []string{EventsStream, CommandsStream} {
		current := map[string]bool{b.server.Name(): true} // those that have been level since this began
		behind := func() (string, bool) {
			limited, cancel := b.within(ctx, answerPatience)
			defer cancel()
			info, err := b.log.State(limited, stream)
			// A node that starts may answer for the leader, which then is none, or itself without others.
			if err != nil || info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) < info.Config.Replicas-1 {
				return "the leader", b.server.NumRoutes() > 0
			}
			for _, node := range info.Cluster.Replicas {
				if node.Current && node.Active < heardFor {
					current[node.Name] = true
				}
				if !current[node.Name] && !node.Offline {
					return node.Name, true
				}
			}
			return "", false
		}
		for name, waits := behind(); waits; name, waits = behind() {
			select {
			case <-ctx.Done():
				return fmt.Errorf("wait for %s of stream %s to catch up: %w", name, stream, ctx.Err())
			case <-time.After(othersLook):
			}
		}
	}
	return nil
}

const (
	othersLook = 25 * time.Millisecond // between two looks at what others hold
	heardFor   = 2 * time.Second       // so long is believed what a node had; it says so each second
)

const (
	// drainGrace is how long the server of a node that stops gives what is connected to it, and
	// drainAll how long at most.
	drainGrace = 10 * time.Millisecond
	drainAll   = 200 * time.Millisecond
)

// stepDown hands all that a node's server leads to the others and stops the server. Its own
// connection is closed before. The others need not find out then that it is gone, which takes them
// 2.5 to 5 s and more.
func stepDown(s *server.Server) {
	s.LameDuckShutdown()
}
