package log

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"reckon/events/log/natsfile"
)

// A node of a cluster whose copy of the log is damaged does not run its server on it: that would
// drop what it cannot read, lead the others, and hand the hole on. It waits, or takes the log anew
// from the others: its copy is set aside, and it starts with none, as a node does that has lost its
// disk. A copy that is set aside says that the log is being taken over, also after the node has
// ended on the way, and is removed when it is there.

// asidePath is where a copy is set aside.
func asidePath(dir string) string { return filepath.Join(dir, "log.damaged") }

// healing tells whether a node is taking the log anew.
func healing(dir string) (bool, error) {
	_, err := os.Stat(asidePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// heal waits until the others do without this node, and sets its damaged copy aside. A node that is
// not to heal itself waits until ctx ends.
func (l *Log) heal(ctx context.Context, o Options, c credentials, origin string, damage error) error {
	l.logger.Error("the copy of the log on this node is damaged", "node", o.Cluster.Node, "damage", damage)
	told := ""
	tell := func(reason string) {
		if reason == told {
			return
		}
		told = reason
		l.logger.Error("the damaged copy of the log is not used", "node", o.Cluster.Node, "reason", reason)
		if o.Waiting != nil {
			o.Waiting(fmt.Sprintf("%v; %s", damage, reason))
		}
	}
	if !o.Cluster.Heal {
		tell("start this node with --heal, and it takes the log anew from the other nodes")
		<-ctx.Done()
		return fmt.Errorf("%w: %w", ctx.Err(), damage)
	}
	err := asking(ctx, o, c, func(conn *nats.Conn) error {
		without := others{led: map[string]groupHolding{}}
		for {
			list, err := askHoldings(ctx, conn, o.Cluster)
			if err != nil {
				return err
			}
			if other := slices.IndexFunc(list, func(h holding) bool { return h.Origin != origin }); other >= 0 && origin != "" {
				return fmt.Errorf("%w: %s is of one that was begun at %s, and node %s of one that was begun at %s",
					ErrOrigin, o.Dir, origin, list[other].Node, list[other].Origin)
			}
			reason := without.missing(list)
			if reason == "" {
				return nil
			}
			tell("it takes the log anew as soon as the other nodes can do without it: " + reason)
			select {
			case <-ctx.Done():
				return fmt.Errorf("%w: %w", ctx.Err(), damage)
			case <-time.After(clusterRetry):
			}
		}
	})
	if err != nil {
		return err
	}
	if err := setAside(o.Dir); err != nil {
		return fmt.Errorf("set the damaged copy of the log aside: %w", err)
	}
	l.logger.Warn("the log is taken anew from the other nodes", "node", o.Cluster.Node, "aside", asidePath(o.Dir))
	if o.Waiting != nil {
		o.Waiting("it takes over the log from the other nodes")
	}
	return nil
}

// setAside leaves a node without a log, and without views, which are as old as it. A copy that was
// set aside before stays: it is the one that had most. Of one for which there is no room beside
// another only the directory stays.
func setAside(dir string) error {
	log, aside := storePath(dir), asidePath(dir)
	under, err := healing(dir)
	if err != nil {
		return err
	}
	if under {
		err = os.RemoveAll(log)
	} else if err = os.Rename(log, aside); errors.Is(err, fs.ErrNotExist) { // it is gone
		err = os.Mkdir(aside, 0o700)
	}
	if err == nil && !natsfile.Room(aside) { // the others have all of it
		err = os.RemoveAll(filepath.Join(aside, server.JetStreamStoreDir))
	}
	return errors.Join(err, os.RemoveAll(viewsPath(dir)), natsfile.SyncPath(dir))
}

// clearViews removes the views of a node that is taking the log anew, which it may not have done
// when it ended.
func clearViews(dir string) error {
	under, err := healing(dir)
	if err == nil && under {
		err = os.RemoveAll(viewsPath(dir))
	}
	return err
}

// healed removes the copy that was set aside, if there is one: the log is there again.
func (b *cluster) healed(dir string) error {
	under, err := healing(dir)
	if err != nil || !under {
		return err
	}
	if err := os.RemoveAll(asidePath(dir)); err != nil {
		return fmt.Errorf("remove the damaged copy of the log: %w", err)
	}
	b.log.logger.Warn("the log has been taken anew from the other nodes, and the damaged copy is removed", "node", b.server.Name())
	return nil
}

const (
	levelAgain = 250 * time.Millisecond // between two looks at what the nodes hold
	// aloneFor is how long a node waits for another one that says that it holds as much. Nodes of
	// earlier versions say nothing, and some may be far behind.
	aloneFor = 10 * time.Second
	// lackFor is how long a message must be missing here that another node has. One that is being
	// deleted is gone from the nodes one after the other.
	lackFor = 5 * time.Second
)

// level waits until the node has what the others had when it was called, and fails with ErrDamaged
// when it then lacks messages that another one has.
func (b *cluster) level(ctx context.Context, o Options) error {
	under, err := healing(o.Dir)
	if err == nil {
		err = b.tellHolding(o)
	}
	if err != nil {
		return err
	}
	var goal map[string]uint64 // last sequences of the streams
	var lacks time.Time        // since when
	reached, told := time.Now(), ""
	for {
		own := holdingOf(b.server) // before the others': what they have then is no less
		list, err := askHoldings(ctx, b.log.conn, o.Cluster)
		if err != nil {
			return err
		}
		if len(list) > 0 && goal == nil {
			goal = map[string]uint64{}
			for _, h := range list {
				for name, stream := range h.Streams {
					goal[name] = max(goal[name], stream.Last)
				}
			}
		}
		reason := b.behind(own, goal)
		if reason != "" {
			reached = time.Now()
		}
		missing, compared := lacking(own.Streams[EventsStream], list)
		switch {
		case reason != "":
		case !compared && !under && time.Since(reached) > aloneFor:
			b.log.logger.Warn("no other node has what this one has of the log, so that it could not compare", "node", o.Cluster.Node)
			fallthrough
		case compared && missing == 0:
			b.whole.Store(true)
			return b.healed(o.Dir)
		case compared && lacks.IsZero():
			lacks = time.Now()
		case compared && time.Since(lacks) > lackFor:
			return fmt.Errorf("%w: %d events are missing that another node has", ErrDamaged, missing)
		}
		if reason != "" || missing == 0 {
			lacks = time.Time{}
		}
		if reason == "" {
			reason = "it compares its log with that of the others"
		}
		if reason != told && o.Waiting != nil {
			told = reason
			o.Waiting(reason)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("take over the log: %w", ctx.Err())
		case <-time.After(levelAgain):
		}
	}
}

// behind says what a node has not taken over yet of what is wanted, "" for nothing. It does not
// have a stream that other nodes keep.
func (b *cluster) behind(own holding, goal map[string]uint64) string {
	if !b.server.JetStreamIsCurrent() {
		return "it does not know yet which parts of the log it keeps"
	}
	for _, name := range []string{EventsStream, CommandsStream} {
		stream, has := own.Streams[name]
		if !has && b.server.JetStreamIsStreamAssigned(server.DEFAULT_GLOBAL_ACCOUNT, name) || has && stream.Last < goal[name] {
			return fmt.Sprintf("it takes over the log from the other nodes: stream %s is at message %d of %d", name, stream.Last, goal[name])
		}
	}
	return ""
}

// lacking is how many messages of a stream, of which nothing expires, others have that are as far,
// and a node has not. compared is false when none of them is as far.
func lacking(own streamHolding, list []holding) (missing uint64, compared bool) {
	for _, h := range list {
		stream, keeps := h.Streams[EventsStream]
		if !keeps || stream.Last < own.Last {
			continue
		}
		compared = true
		if own.missing() > stream.missing() {
			missing = max(missing, own.missing()-stream.missing())
		}
	}
	return missing, compared
}
