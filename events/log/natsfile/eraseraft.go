package natsfile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"time"
	"unsafe"

	"github.com/nats-io/nats-server/v2/server"
)

// A node of a cluster has what was appended in the Raft log of the stream too, until a snapshot of
// the stream stands for it: the server makes one every two or three minutes, and leaves what it
// stands for in the files for as long as the log is short. So it is made at once, as the server
// itself does it, and what is gone from the log is overwritten.

//go:linkname raftOf github.com/nats-io/nats-server/v2/server.(*stream).raftNode
func raftOf(stream unsafe.Pointer) server.RaftNode

//go:linkname snapshotOf github.com/nats-io/nats-server/v2/server.(*stream).stateSnapshot
func snapshotOf(stream unsafe.Pointer) []byte

const (
	snapshotAgain = 2 * time.Millisecond // between two tries
	raftWAL       = "wal"                // the field of a Raft node with the store of its log
)

// EraseRaft overwrites, in the Raft log of a stream, all that was committed before it was called.
// It waits until a snapshot stands for that, which may take as long as another node is being sent
// what it lacks. A server that keeps the stream alone has no such log.
func EraseRaft(ctx context.Context, s *server.Server, storeDir, stream string) error {
	of, err := lookupStream(s.GlobalAccount(), stream)
	if err != nil {
		return fmt.Errorf("find stream %s: %w", stream, err)
	}
	node := raftOf(of)
	if node == nil {
		return nil
	}
	log, err := walOf(node)
	if err != nil {
		return err
	}
	_, through, _ := node.Progress()
	for !isPast(log, through) {
		if err := snapshot(of, node); err != nil {
			return fmt.Errorf("make a snapshot of stream %s: %w", stream, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(snapshotAgain):
		}
	}
	group := node.Group()
	f := blocks{group, filepath.Join(storeDir, server.JetStreamStoreDir, server.DEFAULT_SYSTEM_ACCOUNT, raftDir, group, "msgs")}
	numbers, err := f.numbers()
	for _, number := range numbers {
		if err == nil {
			err = eraseIn(f, storeDir, number, func(m Message) bool { return isGone(log, m.Sequence) })
		}
	}
	if err != nil {
		return fmt.Errorf("erase from the Raft log of stream %s: %w", stream, err)
	}
	return nil
}

// walOf is the store of a Raft node's log, which never changes.
func walOf(node server.RaftNode) (server.WAL, error) {
	field := reflect.ValueOf(node).Elem().FieldByName(raftWAL)
	if !field.IsValid() || field.Type() != reflect.TypeFor[server.WAL]() {
		return nil, errors.New("a Raft node of the server has no log that is known")
	}
	return *(*server.WAL)(unsafe.Pointer(field.UnsafeAddr())), nil
}

// isPast tells whether a Raft log has no entry any more up to an index.
func isPast(log server.WAL, index uint64) bool {
	var state server.StreamState
	log.FastState(&state)
	return state.FirstSeq > index || state.Msgs == 0
}

// snapshot makes a snapshot of a stream stand for all that is committed of its Raft log, if that is
// a good moment: nothing is being applied, and no other snapshot is made. An entry that is applied
// while the state of the stream is taken would be applied to it once more.
func snapshot(stream unsafe.Pointer, node server.RaftNode) error {
	_, committed, applied := node.Progress()
	if committed != applied {
		return nil
	}
	point, err := node.CreateSnapshotCheckpoint(false)
	if err != nil {
		return nil // the server says why, or it is a snapshot already
	}
	if err := storeOf(stream).FlushAllPending(); err != nil {
		point.Abort()
		return err
	}
	state := snapshotOf(stream)
	if _, newer, later := node.Progress(); state == nil || newer != committed || later != applied {
		point.Abort()
		return nil
	}
	_, _ = point.InstallSnapshot(state) // one that fails is made again
	return nil
}
