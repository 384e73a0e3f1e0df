package log

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"reckon/events"
)

// quorum finds how far EVENTS is, as a reader must see it: all that any node may have shown. A
// leader that is cut off goes on answering from what it has, so its answer counts only if a
// majority of the nodes that have the stream, asked at the same time, name the same leader and
// term: then no event was committed in a later one before they were asked.
//
// Of its own term the leader answers for everything that was committed before it was asked. It may
// be the last node that applies an event, since it commits one first and tells the others, whose
// disks may be faster: their views show the event while the leader's own stream does not have it
// yet. So it looks how far its Raft group has committed, waits until that is applied, and only then
// says how far its stream is.
//
// Two rules make that exact. A server may answer for the stream while it is not the leader, then it
// says nothing of a time since when it is one. And a leadership counts as known only when an
// earlier answer named the same time since when: at that time the leader has all that was
// acknowledged before it.
type quorum struct {
	conn      *nats.Conn
	subject   string // where the nodes are asked for their terms
	inbox     string // where they answer: the number of the question follows
	elections *elections

	mu     sync.Mutex
	asked  uint64
	gather map[string]chan term // open questions by number
	group  string               // of EVENTS, "" when it is to be found out
	known  leadership
	usual  time.Duration // how long the last question took that was confirmed
}

// leadership is a time in which one server leads EVENTS.
type leadership struct {
	leader string // name of the server
	term   uint64
	since  int64 // nanoseconds of Unix time, of the leader's clock
}

// term is what a node knows of the Raft group of EVENTS, from its own server.
type term struct {
	Node   string `json:"node"`
	Leader string `json:"leader"` // name of the server, "" for none
	Term   uint64 `json:"term"`
	Size   int    `json:"size"` // nodes of the group

	// Of the leader's own answer: since when it is that, in nanoseconds of its clock, and how far
	// its stream is. 0 of others.
	Since int64  `json:"since,omitempty"`
	Last  uint64 `json:"last,omitempty"`

	committed, applied uint64 // in its Raft log
}

// newQuorum asks through a connection to any node of a cluster.
func newQuorum(conn *nats.Conn, cluster string, e *elections) (*quorum, error) {
	q := &quorum{conn: conn, elections: e, subject: "reckon.cluster." + cluster + ".term", inbox: conn.NewInbox() + ".", gather: map[string]chan term{}}
	if _, err := conn.Subscribe(q.inbox+"*", q.hear); err != nil {
		return nil, fmt.Errorf("listen to the nodes of the cluster: %w", err)
	}
	return q, nil
}

// answerFor answers questions for the terms of a server of this process.
func (q *quorum) answerFor(s *server.Server) error {
	_, err := q.conn.Subscribe(q.subject, func(m *nats.Msg) {
		t, ok := termOf(s, string(m.Data))
		switch {
		case !ok:
		case t.Leader == t.Node:
			go q.answerAsLeader(s, m, t)
		default:
			t.answer(m)
		}
	})
	if err != nil {
		return fmt.Errorf("answer the nodes of the cluster: %w", err)
	}
	return nil
}

// answer answers a question; one that is not answered is asked again.
func (t term) answer(m *nats.Msg) {
	if text, err := events.Marshal(t); err == nil {
		_ = m.Respond(text)
	}
}

// settleEvery is how often a leader looks whether it has applied what it has committed.
const settleEvery = 200 * time.Microsecond

// answerAsLeader answers a question once all is applied that was committed when it came, and says
// how far the stream then is. A leader that no longer is one, or does not know, is silent.
func (q *quorum) answerAsLeader(s *server.Server, m *nats.Msg, t term) {
	ctx, cancel := context.WithTimeout(context.Background(), majorityPatience)
	defer cancel()
	group, committed, ok := string(m.Data), t.committed, true
	for t.applied < committed {
		select {
		case <-ctx.Done():
			return
		case <-time.After(settleEvery):
		}
		if t, ok = termOf(s, group); !ok {
			return
		}
	}
	info, err := q.info(ctx)
	if err != nil || info.Cluster.Leader != t.Node {
		return
	}
	after, ok := termOf(s, group)
	if !ok || after.Leader != t.Node || after.Term != t.Term {
		return
	}
	t.Since, t.Last = info.Cluster.Since.UnixNano(), info.State.Last
	t.answer(m)
}

// termOf reads a server's own state of a Raft group of the log's account. ok is false when it is
// not of the group.
func termOf(s *server.Server, group string) (t term, ok bool) {
	groups := s.Raftz(&server.RaftzOptions{AccountFilter: server.DEFAULT_GLOBAL_ACCOUNT, GroupFilter: group})
	if groups == nil || group == "" {
		return t, false
	}
	g, ok := (*groups)[server.DEFAULT_GLOBAL_ACCOUNT][group]
	if !ok {
		return t, false
	}
	t = term{Node: s.Name(), Term: g.Term, Size: g.Size, committed: g.Committed, applied: g.Applied}
	if g.Leader == g.ID {
		t.Leader = t.Node
	} else {
		t.Leader = g.Peers[g.Leader].Name
	}
	return t, true
}

// hear hands an answer to its question.
func (q *quorum) hear(m *nats.Msg) {
	var t term
	if events.Unmarshal(m.Data, &t) != nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case q.gather[strings.TrimPrefix(m.Subject, q.inbox)] <- t:
	default: // the question is closed
	}
}

// maxNodes bounds the answers to one question that are kept.
const maxNodes = 64

// errNoMajority says that there was no majority of the nodes that names one leader of one term.
var errNoMajority = errors.New("no majority of the cluster's nodes agrees on a leader")

// majority asks all nodes, and returns the answer of the leader that a majority of the nodes of a
// Raft group names.
func (q *quorum) majority(ctx context.Context, group string) (term, error) {
	answers := make(chan term, maxNodes)
	q.mu.Lock()
	q.asked++
	number := strconv.FormatUint(q.asked, 10)
	q.gather[number] = answers
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		delete(q.gather, number)
		q.mu.Unlock()
	}()
	if err := q.conn.PublishRequest(q.subject, q.inbox+number, []byte(group)); err != nil {
		return term{}, fmt.Errorf("ask the nodes of the cluster: %w", err)
	}
	heard := map[string]term{}
	for {
		select {
		case t := <-answers:
			heard[t.Node] = t
			agree, size := 0, clusterReplicas
			for _, other := range heard {
				size = max(size, other.Size)
				if other.Leader == t.Leader && other.Term == t.Term {
					agree++
				}
			}
			if leader := heard[t.Leader]; agree > size/2 && leader.Since != 0 && leader.Term == t.Term {
				return leader, nil
			}
			if len(heard) == size {
				return term{}, errNoMajority
			}
		case <-ctx.Done():
			return term{}, errNoMajority
		}
	}
}

const (
	infoPatience     = 500 * time.Millisecond // how long the leader may take to answer before it is asked again
	majorityPatience = 500 * time.Millisecond // and the nodes, at most
	majoritySoon     = 100 * time.Millisecond // and the nodes, at least
	quorumPause      = 5 * time.Millisecond   // after a question that was not confirmed
)

// last is the sequence of the newest event, confirmed by a majority of the nodes. It asks until it
// has one or ctx ends. It fails with ErrUnfinished.
func (q *quorum) last(ctx context.Context) (uint64, error) {
	for {
		sequence, confirmed, err := q.try(ctx)
		if confirmed {
			return sequence, nil
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, ErrUnfinished):
			return 0, err
		}
		select {
		case <-ctx.Done():
			return 0, err
		case <-time.After(quorumPause):
		}
	}
}

// try asks once. It is not confirmed, without an error, when the leadership was not known before.
func (q *quorum) try(ctx context.Context) (sequence uint64, confirmed bool, err error) {
	q.mu.Lock()
	known, group, usual := q.known, q.group, q.usual
	q.mu.Unlock()
	if group == "" {
		info, err := q.info(ctx)
		if err != nil {
			return 0, false, err
		}
		group = info.Cluster.Group
	}
	// A node that is gone does not answer; another question may be answered when the others have a
	// leader.
	asked := time.Now()
	limited, cancel := q.elections.within(ctx, min(max(4*usual, majoritySoon), majorityPatience))
	leader, err := q.majority(limited, group)
	cancel()
	found := leadership{leader.Node, leader.Term, leader.Since}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.group = ""
		q.usual = min(2*max(usual, majoritySoon/4), majorityPatience)
		return 0, false, err
	}
	q.group, q.usual = group, time.Since(asked)
	if found == known {
		return leader.Last, true, nil
	}
	q.known = found
	return 0, false, nil
}

// streamInfo is what a server says of EVENTS.
type streamInfo struct {
	Error *jetstream.APIError `json:"error"`
	State struct {
		Last uint64 `json:"last_seq"`
	} `json:"state"`
	Config struct {
		Metadata struct {
			Restoring string `json:"reckon.restoring"` // see restoringKey
		} `json:"metadata"`
	} `json:"config"`
	Cluster struct {
		Group  string     `json:"raft_group"`
		Leader string     `json:"leader"`
		Since  *time.Time `json:"leader_since"` // of who answers, when it is the leader
	} `json:"cluster"`
}

// info asks the leader of EVENTS.
func (q *quorum) info(ctx context.Context) (i streamInfo, err error) {
	ctx, cancel := q.elections.within(ctx, infoPatience)
	defer cancel()
	m, err := q.conn.RequestWithContext(ctx, "$JS.API.STREAM.INFO."+EventsStream, nil)
	if err == nil {
		err = events.Unmarshal(m.Data, &i)
	}
	switch {
	case err != nil:
	case i.Error != nil:
		err = i.Error
	case i.Cluster.Since == nil:
		err = errors.New("the stream has no leader")
	case i.Config.Metadata.Restoring != "":
		return i, ErrUnfinished
	}
	if err != nil {
		return i, fmt.Errorf("ask the leader of the events: %w", err)
	}
	return i, nil
}
