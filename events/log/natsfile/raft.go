package natsfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
)

// A node of a cluster keeps a Raft log of the cluster and one of each stream, whose entries stand
// in blocks like messages, without subjects. What has been applied is in a snapshot and goes from
// the front of the log: entries up to the snapshot's may be there or not. Behind it they follow on
// each other. The server cuts a log off where it cannot read it, and then votes as if it had never
// acknowledged what stood there.

const (
	raftDir        = "_js_"      // of the system account
	snapshotsDir   = "snapshots" // of a Raft log
	consumerGroups = "C-"        // begins the names of those that are in memory
	snapshotHead   = 16          // term and index of its last entry
)

// CheckRaft looks at the Raft logs of a server that is a node of a cluster and does not run. The
// end of the newest block may be torn: nobody was told of what was being written there.
func CheckRaft(ctx context.Context, storeDir string) (damage []Damage, err error) {
	dir := filepath.Join(storeDir, server.JetStreamStoreDir, server.DEFAULT_SYSTEM_ACCOUNT, raftDir)
	groups, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i := 0; err == nil && i < len(groups); i++ {
		if err = ctx.Err(); err == nil && !strings.HasPrefix(groups[i].Name(), consumerGroups) {
			g := raftGroup{name: groups[i].Name(), dir: filepath.Join(dir, groups[i].Name())}
			err = g.check()
			damage = append(damage, g.damage...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("check the Raft logs: %w", err)
	}
	return damage, nil
}

// raftGroup is a Raft log that is looked at.
type raftGroup struct {
	name, dir string
	snapshot  uint64 // index of the last entry that the snapshot stands for
	damage    []Damage
}

func (g *raftGroup) bad(d Damage) {
	d.Stream = g.name
	g.damage = append(g.damage, d)
}

func (g *raftGroup) check() error {
	if err := g.checkSnapshot(); err != nil {
		return err
	}
	b := blocks{g.name, filepath.Join(g.dir, "msgs")}
	numbers, err := b.numbers()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	last := g.snapshot
	for _, number := range numbers {
		text, err := os.ReadFile(b.block(number))
		if err != nil {
			g.bad(Damage{File: b.block(number), Reason: err.Error()})
			continue
		}
		s, err := newScanner(g.name, nil, number)
		if err != nil {
			return err
		}
		for p := range s.pieces(text) {
			switch {
			case p.kind == notWhole && p.to < len(text):
				g.bad(Damage{File: b.block(number), Offset: int64(p.from), Reason: "this is not a whole record"})
			case p.kind != message || p.sequence <= last:
			case p.sequence > last+1:
				g.bad(Damage{File: b.block(number), Offset: int64(p.from), First: last + 1, Last: p.sequence - 1, Reason: "entries are missing before this one"})
				fallthrough
			default:
				last = p.sequence
			}
		}
	}
	return nil
}

// checkSnapshot looks at the newest snapshot, if there is one. It is written under another name
// first, so that it is never torn.
func (g *raftGroup) checkSnapshot() error {
	entries, err := os.ReadDir(filepath.Join(g.dir, snapshotsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	newest, newestTerm := "", uint64(0)
	for _, entry := range entries {
		var term, index uint64
		if n, _ := fmt.Sscanf(entry.Name(), "snap.%d.%d", &term, &index); n < 2 || strings.HasSuffix(entry.Name(), ".tmp") {
			continue
		}
		if newest == "" || term > newestTerm || term == newestTerm && index > g.snapshot {
			newest, newestTerm, g.snapshot = filepath.Join(g.dir, snapshotsDir, entry.Name()), term, index
		}
	}
	if newest == "" {
		return nil
	}
	text, err := os.ReadFile(newest)
	if err != nil {
		g.bad(Damage{File: newest, Reason: err.Error()})
		return nil
	}
	key := sha256.Sum256([]byte(g.name))
	hash, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		return err
	}
	end := max(len(text)-highwayhash.Size64, 0)
	hash.Write(text[:end])
	if end < snapshotHead || !bytes.Equal(hash.Sum(nil), text[end:]) || binary.LittleEndian.Uint64(text[8:]) != g.snapshot {
		g.bad(Damage{File: newest, Reason: "the snapshot is not what was written"})
	}
	return nil
}
