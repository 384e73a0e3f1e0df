package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"reckon/events/log"
)

// clusterSize is how many nodes are compared with one.
const clusterSize = 3

// side is one node, or three of a cluster.
type side struct {
	servers  []*ownServer
	logs     []*log.Log // by server
	services []*service

	publication publication
}

// barePrefix is what the names of streams and subjects on nodes begin with that take publishes.
const barePrefix = "bare"

// compare measures calculations on one node and on three, each beside publishes to streams of the
// settings of its own.
func (b *bench) compare(ctx context.Context, r *Report, dir string) (failed error) {
	one, three := &side{}, &side{}
	defer func() { failed = errors.Join(failed, one.close(), three.close()) }()
	for s, nodes := range map[*side]int{one: 1, three: clusterSize} {
		b.say(fmt.Sprintf("starting %s", counted(nodes, "node")))
		if err := s.open(ctx, filepath.Join(dir, fmt.Sprint(nodes)), nodes); err != nil {
			return err
		}
		if err := s.ask(ctx, b); err != nil {
			return err
		}
	}
	js := three.logs[0].JetStream()
	if err := copyStreams(ctx, js, js, barePrefix); err != nil {
		return err
	}
	if err := b.openFloor(ctx, dir); err != nil {
		return fmt.Errorf("open the floor: %w", err)
	}
	defer func() { failed = errors.Join(failed, b.floor.close()) }()
	for round := range rounds {
		for _, n := range b.Callers {
			for _, w := range b.comparisons(one, three) {
				if err := b.one(ctx, r, round, n, w); err != nil {
					return err
				}
			}
		}
	}
	r.finish()
	return nil
}

// comparisons are what is measured in turns. A log of one node syncs for all who wait at once,
// which bare publishes to its server would not wait for, so its publishes are those of such a log
// in this process.
func (b *bench) comparisons(one, three *side) []work {
	row := func(key, title string, prepare prepare) work {
		return work{key: key, title: title, section: comparisons, prepare: prepare}
	}
	return []work{
		row("one_publishes", "two publishes, one node", bare(b.floor.publication.logged(b.floor.log))),
		row("one_node", "calculation, one node", one.asking(b)),
		row("three_publishes", "two publishes, three nodes", three.publishing),
		row("three_nodes", "calculation, three nodes", three.asking(b)),
	}
}

// open starts nodes on loopback, the first of which makes an account, and reaches their logs.
func (s *side) open(ctx context.Context, dir string, nodes int) error {
	addresses, err := FreeAddresses(nodes)
	if err != nil {
		return err
	}
	for i, address := range addresses {
		name := fmt.Sprint("node", i+1)
		var flags []string
		if i == 0 {
			flags = []string{"--dev"}
		}
		if nodes > 1 {
			flags = append(flags, "--cluster", "bench", "--node", name, "--cluster-listen", address, "--routes", "nats://"+strings.Join(addresses, ",nats://"))
		}
		own, err := beginServer(filepath.Join(dir, name), flags...)
		if err != nil {
			return err
		}
		s.servers = append(s.servers, own)
	}
	for i, own := range s.servers {
		if err := own.awaitReady(ctx); err != nil {
			s.servers = slices.Delete(s.servers, i, i+1)
			return err
		}
		own.secret, own.domain = s.servers[0].secret, s.servers[0].domain
		log, err := log.Join(ctx, log.Options{Dir: own.data})
		if err != nil {
			return err
		}
		s.logs = append(s.logs, log)
	}
	return nil
}

// FreeAddresses finds addresses of loopback on which nothing listens, with ports below those that
// systems take for connections, so that they are still free when a node listens later.
func FreeAddresses(count int) (addresses []string, err error) {
	for len(addresses) < count {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12_000+rand.IntN(20_000)))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("find an address for a node: %w", err)
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// ask asks first questions of every node, as soon as it knows the key, and keeps what the service
// publishes for one.
func (s *side) ask(ctx context.Context, b *bench) error {
	for _, own := range s.servers {
		until := time.Now().Add(patience)
		for {
			asked, err := newService(ctx, own.url, own.secret, own.domain, ownPrompt)
			if err == nil {
				s.services = append(s.services, asked)
				break
			}
			if ctx.Err() != nil || time.Now().After(until) {
				return err
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	b.service, b.Domain = s.services[0], s.servers[0].domain
	var err error
	s.publication, err = b.publication()
	return err
}

// asking prepares callers that calculate in new conversations, each at one of the nodes.
func (s *side) asking(b *bench) prepare {
	return func(ctx context.Context, caller int) (step, func(), error) {
		at := s.services[caller%len(s.services)]
		return at.callers(b.warm+b.length, at.questions("structured", at.structured, ""))(ctx, caller)
	}
}

// publishing prepares callers that publish through one of the nodes.
func (s *side) publishing(_ context.Context, caller int) (step, func(), error) {
	return s.publication.bare(s.logs[caller%len(s.logs)].JetStream(), barePrefix), func() {}, nil
}

// close leaves the logs and stops the nodes.
func (s *side) close() error {
	var errs []error
	for _, log := range s.logs {
		errs = append(errs, log.Close())
	}
	for _, own := range s.servers {
		errs = append(errs, own.stop())
	}
	return errors.Join(errs...)
}
