package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	nethttp "net/http"
	"testing"

	"reckon/commands/nodes"
	"reckon/events"
	"reckon/events/log"
	"reckon/events/log/logtest"
	"reckon/projections"
)

// TestNodesOfACluster asks how three nodes are, first while one of them does not answer yet.
func TestNodesOfACluster(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)
	trio := logtest.NewTrio(t, func(ctx context.Context, n logtest.Node) (*log.Log, error) {
		return log.Open(ctx, log.Options{
			Dir: n.Dir, Logger: logger,
			Cluster: &log.Cluster{Name: "trio", Node: n.Name, Listen: n.Listen, Routes: n.Routes, Secret: []byte("a secret of three")},
		})
	})
	trio.Start(t, 0, 1, 2)
	var views [3]*projections.Views
	var servers [3]*Server
	for i, l := range trio.Logs {
		v, err := projections.Open(t.Context(), l, trio.Nodes[i].Dir, logger)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		})
		v.RunBy("v" + trio.Nodes[i].Name)
		views[i], servers[i] = v, New(nodes.Own{Dir: trio.Nodes[i].Dir})
		servers[i].shell = &events.Actor{How: events.ByShell}
	}
	open := func(i int) {
		t.Helper()
		if err := servers[i].Open(trio.Logs[i], views[i]); err != nil {
			t.Fatal(err)
		}
	}
	last := trio.Append(t, 0, logtest.Created("acme"), 0)
	for i, v := range views {
		if err := v.Fresh(t.Context()); err != nil {
			t.Fatalf("node %d: %v", i, err)
		}
	}
	// ask asks a node, until so many answer: that one listens goes from server to server.
	ask := func(i, answering int) (n nodes.Installation) {
		t.Helper()
		logtest.Until(t, fmt.Sprintf("%d nodes answer", answering), func(ctx context.Context) error {
			r, err := nethttp.NewRequestWithContext(ctx, "GET", "http://localhost/admin/v1/nodes", nil)
			if err != nil {
				return err
			}
			answer, err := servers[i].Face().Within().RoundTrip(r)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			n = nodes.Installation{}
			if err := json.NewDecoder(answer.Body).Decode(&n); err != nil || answer.StatusCode != nethttp.StatusOK {
				return fmt.Errorf("node %d answers %s (%w)", i, answer.Status, err)
			}
			answered := 0
			for _, a := range n.Nodes {
				if a.Node != nil {
					answered++
				}
			}
			if answered != answering {
				return fmt.Errorf("node %d hears of %+v", i, n)
			}
			return nil
		})
		return n
	}

	open(0)
	open(2)
	n := ask(0, 2)
	if len(n.Nodes) != 3 || n.Nodes[0].Node == nil || n.Nodes[1].Name != "n1" || n.Nodes[1].Node != nil || n.Nodes[2].Node == nil {
		t.Errorf("n1 does not answer: %+v", n)
	}
	open(1)
	for i, node := range trio.Nodes {
		n := ask(i, 3)
		if n.This.Name != node.Name || len(n.Nodes) != 3 || len(n.Others) != 3 {
			t.Fatalf("node %d: %+v", i, n)
		}
		for j, a := range n.Nodes {
			name := trio.Nodes[j].Name
			if a.Name != name || a.Node == nil || a.Node.Name != name || a.Node.Version != "v"+name || a.Node.Folded < last || a.Node.DiskTotal == 0 || a.Node.Started == nil {
				t.Errorf("node %d says of %s: %+v", i, name, a.Node)
			}
		}
	}
}
