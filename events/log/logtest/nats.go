package logtest

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// RunNATS runs a NATS with JetStream for the length of a test.
func RunNATS(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	if o.ServerName == "" {
		o.ServerName = "existing"
	}
	o.Host, o.Port, o.MaxPayload, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, 4<<20, t.TempDir()
	o.JetStream, o.NoSigs, o.NoLog = true, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(Patience) {
		t.Fatal("the server of NATS does not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// NATS runs an unclustered NATS that knows nothing of the service, and returns how to reach it.
func NATS(t *testing.T) (urls []string) {
	t.Helper()
	return []string{RunNATS(t, &server.Options{}).ClientURL()}
}

// NATSCluster runs a clustered NATS of three servers, and returns how to reach it, and its servers.
func NATSCluster(t *testing.T) (urls []string, servers []*server.Server) {
	t.Helper()
	addresses := FreeAddresses(t, 3)
	var routes []*url.URL
	for _, address := range addresses {
		routes = append(routes, &url.URL{Scheme: "nats", Host: address})
	}
	for i, address := range addresses {
		host, portText, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		port, err := strconv.Atoi(portText)
		if err != nil {
			t.Fatal(err)
		}
		s := RunNATS(t, &server.Options{
			ServerName: fmt.Sprintf("existing%d", i), Routes: routes,
			Cluster: server.ClusterOpts{Name: "existing", Host: host, Port: port},
		})
		servers, urls = append(servers, s), append(urls, s.ClientURL())
	}
	return urls, servers
}
