package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
	"reckon/events/log"
)

// ends are how a disk ends under a process that goes on for a moment.
var ends = []struct {
	name string
	end  func(d *drive) error
}{
	{"losses of power", func(d *drive) error { d.cut(); return nil }},
	{"failures of its journal", func(d *drive) error { d.failJournal(); return nil }},
	{"shutdowns of the file system", func(d *drive) error { return d.losePower() }},
}

// TestPowerLossUnderMixedLoad ends a disk, or kills the server, again and again while callers do all that the service
// answers: see mixture. The server may go on for a moment on a disk that has ended. Whatever anybody was ever shown must
// be there in the end and say the same, and nobody may be shown less than somebody was before.
func TestPowerLossUnderMixedLoad(t *testing.T) {
	t.Parallel()
	cuts, most := len(ends), 60
	if soaking {
		cuts, most = 30, 300
	}
	seed := seedOf(t, 17)
	random := rand.New(rand.NewPCG(seed, 0))
	d, ok := newDrive(t, 512, 10*time.Millisecond, seed)
	if !ok {
		return
	}
	w := newWorld(t, filepath.Join(d.mounted, "data"))
	m := &mixture{world: w, accounts: map[string]bool{}, tags: map[string]tagged{}}
	kills := 0
	for cut := 0; cut < cuts; {
		w.serve(t)
		if c := readCredentials(t, w.data); c.Commit == "" {
			t.Error("the server syncs each message by itself")
		}
		killed := random.IntN(4) == 0
		m.loadUntil(t, seed, kills+cut, 20+random.IntN(most), func() {
			if !killed {
				if err := ends[cut%len(ends)].end(d); err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Duration(random.IntN(30)) * time.Millisecond)
			}
			w.kill()
		})
		if killed {
			kills++
			continue
		}
		cut++
		d.cut()
		d.restart(t)
		bootAnew(t, w.data)
	}
	before, reads := w.acknowledged(), len(w.history.reads)
	w.serve(t)
	w.settle(t)
	w.verify(t)
	m.verify(t)
	w.kill()
	t.Logf("%d answers, %d reads of conversations and %d events handed out before %d ends of the disk and %d kills: all are there", before, reads, len(m.tails), cuts, kills)
}

// mixture is callers who do all that the service answers, and what they saw besides answers and conversations.
type mixture struct {
	*world
	shared   string // conversation that eight callers go on in
	tails    []tailed
	accounts map[string]bool   // that were made
	tags     map[string]tagged // of conversations
}

// tailed is an event that a reader of the log was handed.
type tailed struct {
	sequence uint64
	id       uuid.UUID
}

// tagged is a read with its entity tag.
type tagged struct {
	tag string
	reading
}

// loadUntil lets callers work until so many calculations are answered, then ends the server by a call, which ends them.
func (m *mixture) loadUntil(t *testing.T, seed uint64, round, answers int, end func()) {
	t.Helper()
	stopped, enough := make(chan struct{}), make(chan struct{})
	var counted atomic.Int64
	var all sync.WaitGroup
	run := func(i int, step func(random *rand.Rand, n int) bool) {
		random := rand.New(rand.NewPCG(seed, uint64(round*1000+i)))
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stopped:
					return
				default:
					if !step(random, n) {
						return
					}
				}
			}
		})
	}
	calculate := func(key, conversation, prompt string) (string, bool) {
		p, _, err := m.post(key, conversation, prompt)
		if err == nil && p.acknowledged && counted.Add(1) == int64(answers) {
			close(enough)
		}
		return p.conversationID, err == nil && p.acknowledged
	}
	if m.shared == "" || round%4 == 3 {
		m.shared, _ = calculate("", "", promptOf(round, true))
	}
	for i := range together {
		run(i, func(random *rand.Rand, n int) bool {
			name := fmt.Sprintf("shared-%d-%d-%d", round, i, n)
			prompt := promptOf(i*100_000+n, false)
			switch random.IntN(5) {
			case 0:
				name = ""
			case 1:
				prompt = proseOf(i*1000 + n)
			case 2: // the same by all eight at once, and by those who come later
				name, prompt = fmt.Sprintf("same-%d-%d", round, n), promptOf(n, false)
			}
			_, ok := calculate(name, m.shared, prompt)
			return ok
		})
	}
	for i := range 4 {
		conversation := ""
		run(100+i, func(random *rand.Rand, n int) (ok bool) {
			name := fmt.Sprintf("own-%d-%d-%d", round, i, n)
			if n%6 == 0 {
				conversation = ""
			}
			if random.IntN(3) == 0 {
				name = ""
			}
			prompt := promptOf(1_000_000*i+n, conversation == "")
			if i%2 == 0 && n%3 == 0 {
				prompt = proseOf(1000*i + n)
			}
			conversation, ok = calculate(name, conversation, prompt)
			return ok
		})
	}
	for i := range 2 { // who ask again, perhaps for what was never answered
		run(200+i, func(random *rand.Rand, n int) bool {
			p, ok := m.anyPost(random, func(p post) bool { return p.key != "" })
			if ok {
				_, ok = calculate(p.key, p.conversation, p.prompt)
				return ok
			}
			return true
		})
	}
	for i := range 3 {
		run(300+i, func(random *rand.Rand, n int) bool {
			p, ok := m.anyPost(random, func(p post) bool { return p.acknowledged })
			conversation := p.conversationID
			if n%2 == 0 {
				conversation, ok = m.shared, true
			}
			<-time.After(time.Duration(random.IntN(10)) * time.Millisecond) // a caller's manners
			return !ok || m.look(conversation)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	run(400, func(*rand.Rand, int) bool { return m.tail(ctx) })
	run(401, func(_ *rand.Rand, n int) bool { return m.administer(ctx, fmt.Sprintf("account-%d-%d", round, n)) })
	<-enough
	end()
	close(stopped)
	cancel()
	all.Wait()
}

// proseOf differs for every number, as promptOf does.
func proseOf(n int) string {
	return fmt.Sprintf("How much energy do %d W use at 3 hours per day in 30 days?", n+1)
}

// anyPost is one of those that were asked so far.
func (m *mixture) anyPost(random *rand.Rand, is func(post) bool) (post, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for range 20 {
		if n := len(m.history.posts); n > 0 {
			if p := m.history.posts[random.IntN(n)]; is(p) {
				return p, true
			}
		}
	}
	return post{}, false
}

// look reads a conversation. One that has not changed shows what it showed before.
func (m *mixture) look(conversation string) bool {
	m.mutex.Lock()
	before := m.tags[conversation]
	m.mutex.Unlock()
	r := reading{began: m.moment(), account: m.account, conversation: conversation}
	a, err := send(&caller, "GET", m.url+"/v1/conversations/"+conversation,
		map[string]string{"Authorization": "Bearer " + m.secret, "If-None-Match": before.tag}, nil)
	if err != nil {
		return false
	}
	r.ended = m.moment()
	switch a.status {
	case nethttp.StatusNotModified:
		r.messages = before.messages
	case nethttp.StatusOK:
		var detail struct {
			Messages []messageBody `json:"messages"`
		}
		if err := json.Unmarshal(a.body, &detail); err != nil {
			return false
		}
		for _, one := range detail.Messages {
			r.messages = append(r.messages, one.answered())
		}
	default:
		return a.status == nethttp.StatusServiceUnavailable
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.history.reads = append(m.history.reads, r)
	m.tags[conversation] = tagged{a.header.Get("ETag"), r}
	return true
}

// tail reads the log as commands of administration do, beside the server.
func (m *mixture) tail(ctx context.Context) bool {
	l, err := log.Join(ctx, log.Options{Dir: m.data})
	if err != nil {
		return false
	}
	defer l.Close()
	_ = l.Tail(ctx, 0, func(list []events.Event) error {
		m.mutex.Lock()
		defer m.mutex.Unlock()
		for _, e := range list {
			m.tails = append(m.tails, tailed{e.Sequence, e.ID})
		}
		return nil
	})
	return false
}

// administer makes an account.
func (m *mixture) administer(ctx context.Context, name string) bool {
	l, err := log.Join(ctx, log.Options{Dir: m.data})
	if err != nil {
		return false
	}
	defer l.Close()
	if _, err := (commands.Admin{Log: l}).CreateAccount(ctx, commands.CreateAccount{Name: name}); err != nil {
		return false
	}
	m.mutex.Lock()
	m.accounts[name] = true
	m.mutex.Unlock()
	return true
}

// verify compares what readers and administrators saw with what is there.
func (m *mixture) verify(t *testing.T) {
	t.Helper()
	ids := map[uint64]uuid.UUID{}
	for _, e := range readEvents(t, m.data) {
		ids[e.Sequence] = e.ID
	}
	wrong := map[uint64]bool{}
	for _, e := range m.tails {
		if ids[e.sequence] != e.id && !wrong[e.sequence] {
			wrong[e.sequence] = true
			t.Errorf("event %d was handed out as %s, and is %s", e.sequence, e.id, ids[e.sequence])
		}
	}
	withLog(t, m.data, func(ctx context.Context, l *log.Log) {
		for name := range m.accounts {
			if _, err := (commands.Admin{Log: l}).Account(ctx, name); errors.Is(err, commands.ErrNone) {
				t.Errorf("account %s is gone", name)
			} else if err != nil {
				t.Error(err)
			}
		}
	})
}

// TestClusterPowerLoss takes the power from three nodes at once, each on a disk of its own, while callers work.
func TestClusterPowerLoss(t *testing.T) {
	if !soaking {
		fmt.Fprintf(os.Stderr, "NOT RUN: %s: it takes minutes; make soak runs it\n", t.Name())
		return
	}
	seed := seedOf(t, 18)
	var drives []*drive
	for i := range 3 {
		d, ok := newDrive(t, 512, 2*time.Millisecond, seed+uint64(i))
		if !ok {
			return
		}
		drives = append(drives, d)
	}
	c := newCluster(t, t.TempDir())
	for i, n := range c.nodes {
		n.data = filepath.Join(drives[i].mounted, "data")
	}
	var cuts []clusterFault
	for range 10 {
		cuts = append(cuts, clusterFault{"all nodes lose their power at once", func(t *testing.T, c *cluster, w *traffic) {
			for _, d := range drives {
				d.cut()
			}
			for i, n := range c.nodes {
				n.end(syscall.SIGKILL)
				drives[i].restart(t)
				bootAnew(t, n.data)
			}
			t.Logf("all without power: ready again after %s", c.startAll(t))
			w.goesOn(t, 100)
		}})
	}
	c.goThrough(t, seed, cuts)
}
