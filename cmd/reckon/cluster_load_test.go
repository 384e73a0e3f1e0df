package main

import (
	"fmt"
	"math/rand/v2"
	nethttp "net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// seedOf is the seed of a test's generator: RECKON_SEED, else one of its own. A failure prints it.
func seedOf(t *testing.T, own uint64) uint64 {
	t.Helper()
	if text := os.Getenv("RECKON_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("RECKON_SEED: %v", err)
		}
		own = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d: RECKON_SEED=%d repeats what is asked and which faults come", own, own)
		}
	})
	return own
}

// traffic is callers at work.
type traffic struct {
	cluster *cluster
	seed    uint64
	stopped chan struct{}
	stop    func()
	all     sync.WaitGroup
	pace    time.Duration // a caller rests up to twice as long between two requests

	mutex   sync.Mutex
	answers int
}

// together is how many callers share a conversation.
const together = 8

// run lets callers work until stop: eight in one conversation at a time, three in conversations of their own, one that
// revokes keys. What each asks depends on the seed alone.
func (c *cluster) run(seed uint64, pace time.Duration) *traffic {
	w := &traffic{cluster: c, seed: seed, stopped: make(chan struct{}), pace: pace}
	stop := sync.OnceFunc(func() { close(w.stopped) })
	w.stop = func() {
		stop()
		w.all.Wait()
	}
	w.all.Go(w.share)
	for i := range 3 {
		w.all.Go(func() { w.alone(i) })
	}
	w.all.Go(w.revoke)
	return w
}

// over says that the callers are to end.
func (w *traffic) over() bool {
	select {
	case <-w.stopped:
		return true
	default:
		return false
	}
}

func (w *traffic) rest(random *rand.Rand) {
	select {
	case <-w.stopped:
	case <-time.After(time.Duration(random.Float64() * float64(2*w.pace))):
	}
}

func (w *traffic) answered() {
	w.mutex.Lock()
	w.answers++
	w.mutex.Unlock()
}

// count is how many calculations were answered.
func (w *traffic) count() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.answers
}

// goesOn waits until so many more calculations are answered, and reports how long that took.
func (w *traffic) goesOn(t *testing.T, more int) time.Duration {
	t.Helper()
	until := w.count() + more
	return await(t, fmt.Sprintf("%d more answers", more), 2*patienceCaller, func() bool { return w.count() >= until })
}

// sharedMessages is about how many messages a shared conversation has in the end.
const sharedMessages = 120

// share lets eight callers go on in one conversation, and then in the next.
func (w *traffic) share() {
	c := w.cluster
	for round := 0; !w.over(); round++ {
		who := c.tenants[round%len(c.tenants)]
		name := fmt.Sprintf("shared-%d-%d", w.seed, round)
		first, _, ok := c.calculate(who, round, name, "", promptOf(round, true))
		if !ok {
			return
		}
		var all sync.WaitGroup
		for i := range together {
			random := rand.New(rand.NewPCG(w.seed, uint64(round*100+i)))
			all.Go(func() {
				for n := 1; n <= sharedMessages/together && !w.over(); n++ {
					w.step(random, who, fmt.Sprintf("%s-%d-%d", name, i, n), first.conversationID, round*10_000+i*100+n)
				}
			})
		}
		all.Wait()
	}
}

// alone is a caller with conversations of its own, in all accounts in turn.
func (w *traffic) alone(i int) {
	random := rand.New(rand.NewPCG(w.seed, uint64(1_000_000+i)))
	conversation := ""
	for n := 0; !w.over(); n++ {
		who := w.cluster.tenants[(i+n/6)%len(w.cluster.tenants)]
		if n%6 == 0 {
			conversation = ""
		}
		p, ok := w.step(random, who, fmt.Sprintf("alone-%d-%d-%d", w.seed, i, n), conversation, 1_000_000*(i+1)+n)
		if !ok {
			return
		}
		conversation = p.conversationID
	}
}

// step is a calculation, asked of one node or in the same instant of all, then at times a look at another node, or a list.
func (w *traffic) step(random *rand.Rand, who tenant, key, conversation string, number int) (p post, ok bool) {
	c, prompt := w.cluster, promptOf(number, conversation == "")
	from, by := random.IntN(len(c.nodes)), 0
	look, list, thrice := random.IntN(3) == 0, random.IntN(12) == 0, random.IntN(8) == 0
	if thrice {
		posts, oks := make([]post, len(c.nodes)), make([]bool, len(c.nodes))
		var all sync.WaitGroup
		for i := range c.nodes {
			all.Go(func() { posts[i], _, oks[i] = c.calculate(who, i, key, conversation, prompt) })
		}
		all.Wait()
		p, by, ok = posts[from], from, oks[from]
	} else {
		p, by, ok = c.calculate(who, from, key, conversation, prompt)
	}
	if !ok {
		return p, false
	}
	w.answered()
	if look {
		c.look(who, by+1+random.IntN(len(c.nodes)-1), p.conversationID)
	}
	if list {
		c.list(who, by+1)
	}
	w.rest(random)
	return p, true
}

// revoke makes keys, sees that every node accepts them, revokes them, and goes on trying them at every node.
func (w *traffic) revoke() {
	c := w.cluster
	for n := 0; !w.over(); n++ {
		if err := w.revokeOne(fmt.Sprintf("key%d", n), c.tenants[n%len(c.tenants)], n); err != nil {
			// A node that is being stopped administers nothing; there are others.
			w.rest(rand.New(rand.NewPCG(w.seed, uint64(n))))
		}
	}
}

// tried is how long a revoked key is tried.
const tried = 1500 * time.Millisecond

func (w *traffic) revokeOne(name string, who tenant, n int) error {
	c := w.cluster
	at := c.nodes[n%len(c.nodes)]
	made, err := at.administer("key", "create", "--account", who.account)
	if err != nil {
		return err
	}
	id, secret := madeKey(made)
	status, _ := c.persist("a new key of "+who.account, n, func(n *node) (int, error) {
		a, err := request(&impatient, "GET", n.url+"/v1/domains", secret, "", nil)
		if a.status == nethttp.StatusUnauthorized {
			a.status = nethttp.StatusServiceUnavailable // until it has arrived
		}
		return a.status, err
	})
	if status != nethttp.StatusOK {
		return nil
	}
	if _, err := at.administer("key", "revoke", id); err != nil {
		return err
	}
	c.tryRevoked(name, secret, time.Now(), tried)
	return nil
}

// keyOf finds a key's id and secret in what key create prints.
func madeKey(made []string) (id, secret string) {
	return strings.Fields(made[0])[1], made[len(made)-1]
}

// tryRevoked uses a key at every node for some time after the acknowledgement of its revocation.
func (c *cluster) tryRevoked(name, secret string, revoked time.Time, length time.Duration) {
	var all sync.WaitGroup
	for _, n := range c.nodes {
		all.Go(func() {
			for time.Since(revoked) < length {
				use := keyUse{key: name, node: n.name, after: time.Since(revoked)}
				a, err := request(&impatient, "GET", n.url+"/v1/domains", secret, "", nil)
				if use.status = a.status; err == nil {
					c.mutex.Lock()
					c.uses = append(c.uses, use)
					c.mutex.Unlock()
				}
				<-time.After(20 * time.Millisecond) // a caller's manners
			}
		})
	}
	all.Wait()
}
