package log

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"reckon/events"
)

// holding is what a node of a cluster says of its copy of the log.
type holding struct {
	Node    string                   `json:"node"`
	Origin  string                   `json:"origin"` // of which log it is
	Whole   bool                     `json:"whole"`  // it was compared with those of others, and has what they have
	Apart   bool                     `json:"apart"`  // the node reads prompts that are stored apart
	Groups  map[string]groupHolding  `json:"groups"`
	Streams map[string]streamHolding `json:"streams"`
}

// groupHolding is how far a node is in a Raft log.
type groupHolding struct {
	Size     int    `json:"size"` // nodes of the group
	Leads    bool   `json:"leads,omitempty"`
	Term     uint64 `json:"term"`
	Last     uint64 `json:"last"`      // the newest entry that it has
	LastTerm uint64 `json:"last_term"` // and the term in which that was made
}

// streamHolding is what a node has of a stream.
type streamHolding struct {
	Last     uint64 `json:"last"`
	Messages uint64 `json:"messages"`
}

// missing is how many messages up to the last one are not there. Where nothing expires they were
// deleted.
func (s streamHolding) missing() uint64 { return s.Last - min(s.Messages, s.Last) }

// holdingOf reads the state of a server of this process.
func holdingOf(s *server.Server) holding {
	h := holding{Node: s.Name(), Groups: map[string]groupHolding{}, Streams: map[string]streamHolding{}}
	for _, account := range []string{s.SystemAccount().GetName(), server.DEFAULT_GLOBAL_ACCOUNT} {
		groups := s.Raftz(&server.RaftzOptions{AccountFilter: account})
		if groups == nil {
			continue
		}
		for name, g := range (*groups)[account] {
			if strings.HasPrefix(name, consumerGroup) { // in memory
				continue
			}
			h.Groups[name] = groupHolding{
				Size: g.Size, Leads: g.Leader == g.ID && g.LeaderSince != nil, Term: g.Term, Last: g.PIndex, LastTerm: g.PTerm,
			}
		}
	}
	detail, err := s.JszAccount(&server.JSzOptions{Account: server.DEFAULT_GLOBAL_ACCOUNT, Streams: true})
	if err != nil {
		return h // JetStream has stopped, or is starting
	}
	for _, stream := range detail.Streams {
		h.Streams[stream.Name] = streamHolding{Last: stream.State.LastSeq, Messages: stream.State.Msgs}
	}
	return h
}

// consumerGroup begins the names of the Raft groups of consumers.
const consumerGroup = "C-"

func holdingSubject(cluster string) string { return "reckon.cluster." + cluster + ".holding" }

// tellHolding answers those who ask what this node holds, for as long as the connection is there.
func (b *cluster) tellHolding(o Options) error {
	origin, err := originOf(o.Dir)
	if err == nil {
		_, err = b.log.conn.Subscribe(holdingSubject(o.Cluster.Name), func(m *nats.Msg) {
			whole := b.whole.Load()
			h := holdingOf(b.server)
			h.Whole, h.Origin, h.Apart = whole, origin, true
			if text, err := events.Marshal(h); err == nil {
				_ = m.Respond(text)
			}
		})
	}
	if err != nil {
		return fmt.Errorf("tell the other nodes what is here: %w", err)
	}
	return nil
}

// holdingPatience is how long the other nodes may take to say what they hold.
const holdingPatience = 300 * time.Millisecond

// askHoldings hears what the other nodes of a cluster hold. It returns when all that their groups
// know of have answered, else after holdingPatience.
func askHoldings(ctx context.Context, conn *nats.Conn, c *Cluster) (list []holding, err error) {
	ctx, cancel := context.WithTimeout(ctx, holdingPatience)
	defer cancel()
	answers, err := conn.SubscribeSync(conn.NewInbox())
	if err == nil {
		defer func() { _ = answers.Unsubscribe() }()
		err = conn.PublishRequest(holdingSubject(c.Name), answers.Subject, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("ask the other nodes what they hold: %w", err)
	}
	heard, size := map[string]holding{}, clusterReplicas
	for len(heard) < size-1 {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			break
		}
		var h holding
		if events.Unmarshal(m.Data, &h) != nil || h.Node == c.Node {
			continue
		}
		heard[h.Node] = h
		for _, g := range h.Groups {
			size = max(size, g.Size)
		}
	}
	return slices.SortedFunc(maps.Values(heard), func(a, b holding) int { return strings.Compare(a.Node, b.Node) }), nil
}

// agreement is whether all nodes of a cluster read prompts that are stored apart.
type agreement struct {
	found atomic.Bool // what was found once stays: nodes of earlier versions do not come back
	mu    sync.Mutex
	asked time.Time // the last time
}

// agreeAgain is how often the nodes are asked while not all have said that they do.
const agreeAgain = 5 * time.Second

func (b *cluster) takesApart(ctx context.Context) bool {
	if b.agreed.found.Load() {
		return true
	}
	b.agreed.mu.Lock()
	defer b.agreed.mu.Unlock()
	if b.server == nil || time.Since(b.agreed.asked) < agreeAgain {
		return b.agreed.found.Load()
	}
	b.agreed.asked = time.Now()
	list, err := askHoldings(ctx, b.log.conn, b.config)
	size, all := clusterReplicas, err == nil
	for _, h := range append(list, holdingOf(b.server)) {
		all = all && (h.Apart || h.Node == b.config.Node)
		for _, g := range h.Groups {
			size = max(size, g.Size) // those that are down may be of earlier versions
		}
	}
	all = all && len(list)+1 >= size
	b.agreed.found.Store(all)
	return all
}

// others follows what the other nodes hold until they do without a node: whatever that one has
// acknowledged is on as many of them as make a majority.
//
// A node that has forgotten what it acknowledged must not help those who lack it to elect one of
// them. While its Raft log is empty its vote counts only beside those of all others, and with each
// entry that it takes over from the leader it has what the leader had. What is left is that others
// lack entries that only it and one more had. Once it has stopped, each of these stands in the log
// of the leader of the newest term, and, when these have an entry of that term that is as new,
// in the logs of as many others as make a majority.
type others struct {
	led map[string]groupHolding // by group, what its leader held when it was first seen to lead in its term
}

// missing says why the others cannot do without a node yet, "" where they can.
func (o *others) missing(list []holding) string {
	names, whole := []string{}, []holding{}
	size, groups := clusterReplicas, map[string]bool{}
	for _, h := range list {
		if h.Whole {
			names, whole = append(names, h.Node), append(whole, h)
		}
		for name, g := range h.Groups {
			size = max(size, g.Size)
			groups[name] = true
		}
	}
	if len(whole) < size/2+1 {
		there := "none"
		if len(names) > 0 {
			there = strings.Join(names, " and ")
		}
		return fmt.Sprintf("%d other nodes with a whole log are needed, and there is %s", size/2+1, there)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if reason := o.missingOf(name, whole); reason != "" {
			return reason
		}
	}
	return ""
}

// missingOf is missing for a Raft group.
func (o *others) missingOf(group string, whole []holding) string {
	size := clusterReplicas
	for _, h := range whole {
		g, ok := h.Groups[group]
		if !ok {
			continue
		}
		size = g.Size
		if led := o.led[group]; g.Leads && g.Term > led.Term {
			o.led[group] = g
		}
	}
	led, level, behind := o.led[group], 0, ""
	for _, h := range whole {
		g := h.Groups[group]
		if led.Term > 0 && g.Term == led.Term && g.LastTerm == led.Term && g.Last >= led.Last {
			level++
		} else {
			behind = h.Node
		}
	}
	switch {
	case led.Term == 0:
		return "the other nodes have no leader yet"
	case level < size/2+1:
		return behind + " is behind the other nodes"
	}
	return ""
}
