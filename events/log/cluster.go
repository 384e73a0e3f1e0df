package log

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
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
	o := &server.Options{
		ServerName: c.Node,
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		Users:      inside.users(),
		MaxPayload: maxPayload,
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

// openCluster runs the node's server and returns when the streams are there, which takes a majority
// of the nodes, at the first start three of them.
func (l *Log) openCluster(ctx context.Context, o Options, c credentials) error {
	origin, err := originOf(o.Dir)
	if err != nil {
		return fmt.Errorf("read which log the data directory is of: %w", err)
	}
	if origin != "" {
		if err := checkOrigin(ctx, o, c, origin); err != nil {
			return err
		}
	}
	options, err := o.Cluster.options(o.Dir, c)
	if err != nil {
		return err
	}
	if l.server, err = RunServer(ctx, options, l.logger); err != nil {
		return err
	}
	if err := l.connect(c); err != nil {
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
	if err := l.replicate(ctx, o); err != nil {
		return err
	}
	if err := l.settleOrigin(o, origin); err != nil {
		return err
	}
	l.replicas = clusterReplicas
	if err := l.joinQuorum(o.Cluster.Name); err != nil {
		return err
	}
	return l.quorum.answerFor(l.server)
}

// joinQuorum makes the log one of a cluster.
func (l *Log) joinQuorum(cluster string) (err error) {
	if l.elections, err = followElections(l.conn); err != nil {
		return err
	}
	l.quorum, err = newQuorum(l.conn, cluster, l.elections)
	return err
}

const (
	clusterTry   = 2 * time.Second        // how long one try to find or make a stream may take
	clusterRetry = 250 * time.Millisecond // between two
)

// replicate finds or makes the streams and binds the log to them. Several nodes may do it at once.
// It goes on until ctx ends, since there is no telling an error that passes when more nodes are
// there from one that stays.
func (l *Log) replicate(ctx context.Context, o Options) error {
	told := ""
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
		if reason := l.clusterReason(err); reason != told {
			told = reason
			l.workers.suspect = time.Now() // most of the nodes have stopped since it was made
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

// clusterReason says what a failed try means.
func (l *Log) clusterReason(err error) string {
	var api *jetstream.APIError
	switch {
	case l.server.NumRoutes() == 0:
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
			_, err = js.UpdateStream(ctx, want)
		}
		if err != nil {
			return fmt.Errorf("create stream %s: %w", want.Name, err)
		}
	}
	return nil
}

// Alone tells whether no other node has a part in the log.
func (l *Log) Alone() bool { return l.quorum == nil && !l.ticks }

// Ready is nil when the log's server is up to date with the others of its cluster, as far as it
// knows; else it says what is missing. A server that is not a node of a cluster is always ready, an
// existing NATS while there is a connection to it.
func (l *Log) Ready() error {
	if l.ticks && !l.conn.IsConnected() {
		return errors.New("there is no connection to NATS")
	}
	if l.server == nil || l.quorum == nil {
		return nil
	}
	if health := l.server.Healthz(&server.HealthzOptions{Details: true}); len(health.Errors) > 0 {
		return fmt.Errorf("the log is not up to date: %s", health.Errors[0].Error)
	}
	return nil
}

// AwaitOthers waits until the nodes that are there besides this one have what the streams hold, so
// that they can go on without it. A node that is behind cannot vote for what it does not know: if
// this one stopped meanwhile, all would wait for that. Nodes that are away are not waited for. It
// fails when ctx ends; on a log without other nodes of ours it returns at once.
func (l *Log) AwaitOthers(ctx context.Context) error {
	if l.server == nil || l.quorum == nil {
		return nil
	}
	for _, stream := range []string{eventsStream, commandsStream} {
		current := map[string]bool{l.server.Name(): true} // those that have been level since this began
		behind := func() (string, bool) {
			limited, cancel := l.within(ctx, answerPatience)
			defer cancel()
			info, err := l.state(limited, stream)
			if err != nil || info.Cluster == nil || info.Cluster.Leader == "" { // a node that starts may answer for the leader
				return "the leader", l.server.NumRoutes() > 0
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

const (
	// answerPatience is how long an answer of a cluster is waited for before it is asked again,
	// where no election says before that the server that was asked leads no more: it may be gone.
	answerPatience = 750 * time.Millisecond
	// answerSoon is how long at first, where it costs nothing to ask once too often.
	answerSoon = 100 * time.Millisecond
	// publishPause is the time between two publishes that nobody took in, since there is no leader
	// yet.
	publishPause = 25 * time.Millisecond
)

// within is a context that ends after some time, or when the log has another leader.
func (l *Log) within(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if l.elections == nil {
		return context.WithTimeout(ctx, patience)
	}
	return l.elections.within(ctx, patience)
}

// apiPatience is how long the server may take to make or find something before it is asked again.
func (l *Log) apiPatience() time.Duration {
	if l.Alone() {
		return 5 * time.Second
	}
	return clusterTry
}

// leaderless tells of an answer whether it says only that the stream has no leader now.
func leaderless(answer []byte) bool {
	if len(answer) > 1024 { // a message
		return false
	}
	var response struct {
		Error *jetstream.APIError `json:"error"`
	}
	return events.Unmarshal(answer, &response) == nil && response.Error != nil && response.Error.Code == 503
}

const (
	requestPatience  = 5 * time.Second  // how long a single server may take to answer
	electionPatience = 12 * time.Second // how long a cluster may take, where the caller sets no deadline
)

// request asks what can be asked again. On a cluster it goes on asking until there is an answer or
// ctx ends.
func (l *Log) request(ctx context.Context, subject string, body []byte) (*nats.Msg, error) {
	var m *nats.Msg
	err := l.again(ctx, func(ctx context.Context) (err error) {
		m, err = l.conn.RequestWithContext(ctx, subject, body)
		if err == nil && !l.Alone() && leaderless(m.Data) {
			err = errLeaderless
		}
		return err
	})
	return m, err
}

// errLeaderless says that a stream has no leader now.
var errLeaderless = errors.New("the stream has no leader")

// again does what can be done again. On a cluster it goes on until it succeeds, is refused, or ctx
// ends, with a context that ends before, when it is time to ask anew.
func (l *Log) again(ctx context.Context, do func(ctx context.Context) error) error {
	if l.Alone() {
		ctx, cancel := context.WithTimeout(ctx, requestPatience)
		defer cancel()
		return do(ctx)
	}
	if _, limited := ctx.Deadline(); !limited {
		longer, cancel := context.WithTimeout(ctx, electionPatience)
		defer cancel()
		ctx = longer
	}
	for patience := answerSoon; ; patience = min(2*patience, clusterTry) {
		limited, cancel := l.within(ctx, patience)
		err := do(limited)
		cancel()
		var api *jetstream.APIError
		if err == nil || l.conn.IsClosed() || errors.As(err, &api) && api.Code < 500 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrNoLeader, err)
		case <-time.After(quorumPause):
		}
	}
}

// ClusterTLS makes the configuration of the connections between nodes, from files in PEM form.
// Every node shows a certificate of the authority, which must certify nothing else. A node that is
// dialled must have one for the host that it is dialled at, and one that dials, whose host is not
// known, one for any of the hosts of the cluster.
func ClusterTLS(certFile, keyFile, authorityFile string, hosts []string) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the node: %w", err)
	}
	text, err := os.ReadFile(authorityFile)
	if err != nil {
		return nil, fmt.Errorf("read the authority of the cluster: %w", err)
	}
	authority := x509.NewCertPool()
	if !authority.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read the authority of the cluster: %s holds no certificate in PEM form", authorityFile)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{certificate},
		ClientAuth:   tls.RequireAndVerifyClientCert,
		ClientCAs:    authority,
		RootCAs:      authority,
		VerifyConnection: func(state tls.ConnectionState) (err error) {
			for _, host := range hosts {
				if err = state.PeerCertificates[0].VerifyHostname(host); err == nil {
					return nil
				}
			}
			return fmt.Errorf("the other node's certificate is for none of the hosts of --routes: %w", err)
		},
	}, nil
}
