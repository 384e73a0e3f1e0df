package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"reckon/events/log"
)

// clusterFlags are the flags of a server that is a node of a cluster.
type clusterFlags struct {
	Cluster           string   `help:"Be a node of the cluster with this name, of at least three nodes that keep the log together." placeholder:"NAME"`
	Node              string   `help:"Name of this node, another one on each: letters, digits, - and _." placeholder:"NODE"`
	ClusterListen     string   `help:"Address that the other nodes reach." placeholder:"HOST:PORT"`
	Routes            []string `help:"Where the other nodes are, separated by commas; this one may be among them." placeholder:"nats://HOST:PORT"`
	ClusterTLSCert    string   `help:"Certificate of this node for the connections between nodes, for its host in --routes, PEM." name:"cluster-tls-cert" placeholder:"FILE"`
	ClusterTLSKey     string   `help:"Key of that certificate, PEM." name:"cluster-tls-key" placeholder:"FILE"`
	ClusterTLSCA      string   `help:"Authority of all nodes' certificates and of nothing else, PEM." name:"cluster-tls-ca" placeholder:"FILE"`
	ClusterSecretFile string   `help:"File with the secret that all nodes share." placeholder:"FILE"`
	Heal              bool     `help:"Where this node's copy of the log is damaged, take the log anew from the other nodes, as soon as they can do without this one."`
}

// options reads what the flags say; nil without --cluster.
func (c clusterFlags) options(logger *slog.Logger) (*log.Cluster, error) {
	if err := c.check(); err != nil || c.Cluster == "" {
		return nil, err
	}
	o := &log.Cluster{Name: c.Cluster, Node: c.Node, Listen: c.ClusterListen, Routes: c.Routes, Heal: c.Heal}
	var err error
	if c.ClusterTLSCert != "" {
		if o.TLS, err = log.ClusterTLS(c.ClusterTLSCert, c.ClusterTLSKey, c.ClusterTLSCA, c.hosts()); err != nil {
			return nil, err
		}
	}
	if c.ClusterSecretFile != "" {
		if o.Secret, err = os.ReadFile(c.ClusterSecretFile); err != nil {
			return nil, fmt.Errorf("read --cluster-secret-file: %w", err)
		}
		if o.Secret = bytes.TrimSpace(o.Secret); len(o.Secret) < minSecret {
			return nil, fmt.Errorf("--cluster-secret-file %s: the secret needs at least %d bytes", c.ClusterSecretFile, minSecret)
		}
	}
	if o.TLS == nil || o.Secret == nil {
		logger.Warn("the nodes of the cluster reach each other without TLS or without a secret: whatever runs on this machine can read and write the log",
			"cluster", c.Cluster, "address", c.ClusterListen)
	}
	return o, nil
}

const (
	// minSecret is the least length of a secret, in bytes.
	minSecret = 16
	// minNodes is the least number of nodes.
	minNodes = 3
)

// check looks whether the flags go together.
func (c clusterFlags) check() error {
	if c.Cluster == "" {
		for _, flag := range [][2]string{
			{"--node", c.Node}, {"--cluster-listen", c.ClusterListen}, {"--routes", strings.Join(c.Routes, "")},
			{"--cluster-tls-cert", c.ClusterTLSCert}, {"--cluster-tls-key", c.ClusterTLSKey}, {"--cluster-tls-ca", c.ClusterTLSCA},
			{"--cluster-secret-file", c.ClusterSecretFile}, {"--heal", map[bool]string{true: "given"}[c.Heal]},
		} {
			if flag[1] != "" {
				return fmt.Errorf("%s is for a node of a cluster: give --cluster NAME too, or leave it out", flag[0])
			}
		}
		return nil
	}
	switch {
	case !simpleName.MatchString(c.Cluster):
		return fmt.Errorf("--cluster %q: a name has 1 to 64 letters, digits, - and _", c.Cluster)
	case c.Node == "":
		return errors.New("--cluster needs --node NODE: the name of this node, another one on each")
	case !simpleName.MatchString(c.Node):
		return fmt.Errorf("--node %q: a name has 1 to 64 letters, digits, - and _", c.Node)
	case c.ClusterListen == "":
		return errors.New("--cluster needs --cluster-listen HOST:PORT: the address that the other nodes reach")
	}
	host, port, err := net.SplitHostPort(c.ClusterListen)
	if err != nil || !isPort(port) {
		return fmt.Errorf("--cluster-listen %q: give HOST:PORT, such as 0.0.0.0:6222", c.ClusterListen)
	}
	local := loopback(host)
	others := map[string]bool{}
	for _, route := range c.Routes {
		u, err := url.Parse(route)
		if err != nil || u.Scheme != "nats" || u.Hostname() == "" || !isPort(u.Port()) || u.User != nil ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("--routes %q: give nats://HOST:PORT of each node, separated by commas", log.Redacted(route))
		}
		local = local && loopback(u.Hostname())
		if u.Host != c.ClusterListen {
			others[u.Host] = true
		}
	}
	if len(others) < minNodes-1 {
		return fmt.Errorf("--routes names %d other nodes: a cluster has at least %d nodes, since two cannot go on without one of them", len(others), minNodes)
	}
	if secure := c.ClusterTLSCert != ""; secure != (c.ClusterTLSKey != "") || secure != (c.ClusterTLSCA != "") {
		return errors.New("--cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca belong together: give all three")
	}
	switch {
	case local:
	case c.ClusterTLSCert == "":
		return errors.New("--cluster beyond this machine needs --cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca: 'reckon cluster credentials DIR' makes them")
	case c.ClusterSecretFile == "":
		return errors.New("--cluster beyond this machine needs --cluster-secret-file: 'reckon cluster credentials DIR' makes one")
	}
	return nil
}

// isPort tells whether a text is the number of a port that can be dialled.
func isPort(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= 1 && n <= 65535
}

// hosts are those of the nodes. The routes are checked.
func (c clusterFlags) hosts() (hosts []string) {
	for _, route := range c.Routes {
		if u, err := url.Parse(route); err == nil {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// simpleName is a name of 1 to 64 letters, digits, hyphens and underscores.
var simpleName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// loopback reports whether a host is an address of this machine that nothing else reaches.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
