package natsfile

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// A leader that was cut off has entries in its Raft log that nobody else has, one for each message
// that it was sent. When it is back it asks the leader of then for what follows on its newest
// entry, is sent all of that, sees by the first that its newest is another one, drops that one and
// asks again. That second question it sends as an answer to what it was sent, where the leader
// hears nothing but how far it is. After 2 s it asks once more: 37 such entries took 80 s, in which
// the node counted for no majority.
const (
	progressSubject  = "$NRG.CP.>"                // where a leader hears how far those are whom it sends entries
	heartbeatSubject = "reckon.cluster.heartbeat" // where leaders are asked for one
	responseLength   = 25                         // of an answer: term, index, the node's id, and whether it took the entry
	responseNode     = 16
	responseTaken    = 24
)

//go:linkname lookupRaftNode github.com/nats-io/nats-server/v2/server.(*Server).lookupRaftNode
func lookupRaftNode(s *server.Server, group string) server.RaftNode

// The node's lock must be held.
//
//go:linkname cancelCatchup github.com/nats-io/nats-server/v2/server.(*raft).cancelCatchup
func cancelCatchup(node unsafe.Pointer)

//go:linkname sendHeartbeat github.com/nats-io/nats-server/v2/server.(*raft).sendHeartbeat
func sendHeartbeat(node unsafe.Pointer)

// AskAgain lets a server that is a node of a cluster ask the leader at once for what it has asked
// in vain: it waits no more, and the leader sends a heartbeat, as an answer to which it asks. The
// connection is one of the system account to that server. All nodes must call it.
func AskAgain(system *nats.Conn, s *server.Server) error {
	if !Known() {
		return nil
	}
	_, err := system.Subscribe(progressSubject, func(m *nats.Msg) {
		asks := len(m.Data) == responseLength && m.Data[responseTaken] == 0 && m.Reply != ""
		if !asks || string(m.Data[responseNode:responseTaken]) != s.Node() {
			return
		}
		eachRaft(s, func(node server.RaftNode) { stopWaiting(node, m.Reply) })
		// It asks once for each entry, and so for the last time with the only message that waits.
		if waiting, _, err := m.Sub.Pending(); err == nil && waiting <= 1 {
			_ = system.Publish(heartbeatSubject, nil)
		}
	})
	if err == nil {
		_, err = system.Subscribe(heartbeatSubject, func(*nats.Msg) {
			eachRaft(s, func(node server.RaftNode) {
				if node.Leader() {
					sendHeartbeat(reflect.ValueOf(node).UnsafePointer())
				}
			})
		})
	}
	if err != nil {
		return fmt.Errorf("listen to nodes that catch up: %w", err)
	}
	return nil
}

// eachRaft calls a function with each Raft node of a server.
func eachRaft(s *server.Server, each func(server.RaftNode)) {
	for _, account := range []string{server.DEFAULT_GLOBAL_ACCOUNT, server.DEFAULT_SYSTEM_ACCOUNT} {
		groups := s.Raftz(&server.RaftzOptions{AccountFilter: account})
		if groups == nil { // it is stopping
			return
		}
		for group := range (*groups)[account] {
			if node := lookupRaftNode(s, group); node != nil {
				each(node)
			}
		}
	}
}

// stopWaiting lets a Raft node wait no more for entries, if it does at an inbox.
func stopWaiting(node server.RaftNode, inbox string) {
	locker := node.(sync.Locker)
	locker.Lock()
	defer locker.Unlock()
	raft := reflect.ValueOf(node)
	catchup := raft.Elem().FieldByName("catchup")
	if catchup.IsNil() {
		return
	}
	subscription := catchup.Elem().FieldByName("sub")
	if !subscription.IsNil() && string(subscription.Elem().FieldByName("subject").Bytes()) == inbox {
		cancelCatchup(raft.UnsafePointer())
	}
}
